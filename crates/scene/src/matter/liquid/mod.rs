//! Liquid, by smoothed particle hydrodynamics.

mod build;
mod choices;

use super::choices::{Choice, written};
use super::{Kind, Look};
use crate::build::{Matter, Scale, Site, Sites};
use crate::file::{Checker, Counts, LiquidLook, LoadedScene, Need, Part, SceneError, SceneFile};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::kernel::Kernel;
use lawine_core::neighbors::SearchKind;
use lawine_render::{self as render, Color, Material};
use lawine_settings::OpenTable;
use lawine_solvers::sph::settings::{self, PressureKind};
use lawine_solvers::sph::{Config, PressureMethod};
use std::f64::consts::PI;

/// The largest support in a plane and in space, in spacings: 113 and 268 neighbours.
const MAX_SUPPORT: [f64; 2] = [6.0, 4.0];

/// The most pairs that the start looks at; 50 million particles in space have about 46 neighbours each.
const MAX_PAIRS: f64 = 4e9;

/// Kinematic viscosity from which on liquid looks like honey [m²/s]: that of honey.
const HONEY: f64 = 0.01;

static TABLE: OpenTable = OpenTable::of::<settings::Liquid>("liquid");

pub(super) struct Liquid;

fn table(scene: &SceneFile) -> Option<&settings::Liquid> {
    scene.table()
}

impl Kind for Liquid {
    fn table(&self) -> &'static OpenTable {
        &TABLE
    }

    fn resolve(&self, scene: &mut SceneFile) {
        let dimension = scene.space.dimension;
        if let Some(liquid) = scene.table_mut::<settings::Liquid>() {
            liquid
                .relative_support
                .get_or_insert(settings::RELATIVE_SUPPORT[dimension as usize - 2]);
            liquid.support = Some(liquid.support());
        }
    }

    /// The support was resolved when the scene was read; it grows with the spacing.
    fn before_change(&self, scene: &mut SceneFile, changes: &[String]) {
        let given = changes.iter().filter_map(|change| change.split_once('='));
        let given =
            given.filter(|(key, _)| key.trim() == "liquid.spacing").map(|(_, x)| x).next_back();
        if let Some(liquid) = scene.table_mut::<settings::Liquid>()
            && let Some(Ok(spacing)) = given.map(|given| given.trim().parse::<f64>())
        {
            liquid.support = Some(liquid.support() * spacing / liquid.spacing);
        }
    }

    fn carries_bodies(&self) -> bool {
        true
    }

    fn rubs_on_bodies(&self) -> bool {
        false
    }

    /// The liquid, its pressure and its walls.
    fn check(&self, c: &mut Checker<'_>) {
        let Some(liquid) = table(c.scene) else { return };
        let most = MAX_SUPPORT[usize::from(!c.is_planar())];
        let (support, spacing) = (liquid.support(), liquid.spacing);
        match liquid.relative_support {
            Some(relative) if relative > most => {
                c.refuse(
                    "liquid.relative_support",
                    relative,
                    format!("above 1 and at most {most}"),
                );
            }
            _ => {
                let allowed =
                    format!("above liquid.spacing = {spacing} m and at most {most} times it");
                let fine = support > spacing && support <= most * spacing * (1.0 + 1e-12);
                c.require(fine, "liquid.support", support, &allowed);
            }
        }
        // What an equation of state leaves open is decided when the liquid is built.
        let mut config = Config::of(liquid, c.scene.time.cfl);
        config.support = support.max(1.1 * spacing);
        if let PressureMethod::StateEquation(state) = &mut config.pressure {
            state.stiffness = 1.0;
        }
        if let Err(error) = config.check() {
            c.report(&error.key, error.to_string());
        }
        c.needs_fill_or_emitter("liquid");
    }

    /// Pairs of neighbours, or all pairs.
    fn count(&self, scene: &SceneFile, counts: &mut Counts) {
        let Some(liquid) = table(scene) else { return };
        let reach = liquid.support() / liquid.spacing;
        let (key, each, instead) = match (liquid.neighbors, scene.space.dimension) {
            (SearchKind::BruteForce, _) => {
                ("liquid.neighbors", counts.particles() + counts.boundary(), "use \"grid\"")
            }
            (_, 2) => ("liquid.support", PI * reach.powi(2), "make it smaller"),
            _ => ("liquid.support", 4.0 / 3.0 * PI * reach.powi(3), "make it smaller"),
        };
        counts.add(Need {
            what: "pairs of particles",
            most: MAX_PAIRS,
            instead: format!("{instead}, or {} larger", self.resolution(scene)),
            parts: vec![Part { key: key.into(), count: counts.particles() * each }],
        });
    }

    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError> {
        build::liquid(site)
    }

    fn spacing(&self, scene: &SceneFile) -> f64 {
        table(scene).map_or(1.0, |liquid| liquid.spacing)
    }

    fn resolution(&self, scene: &SceneFile) -> String {
        format!("liquid.spacing = {}", self.spacing(scene))
    }

    fn coarser(&self, scene: &SceneFile, times: f64) -> Option<String> {
        Some(format!("liquid.spacing={}", written(self.spacing(scene) * times)))
    }

    fn smoothing(&self, scene: &SceneFile) -> f64 {
        table(scene).map_or(1.0, settings::Liquid::support)
    }

    fn packing_kernel(&self, scene: &SceneFile) -> Option<Kernel> {
        let liquid = table(scene)?;
        Some(Kernel::new(liquid.kernel, liquid.support(), scene.space.dimension))
    }

    fn pack(
        &self,
        loaded: &LoadedScene,
        env: &Environment,
        sites: &Sites,
    ) -> Option<Result<Vec<DVec3>, SceneError>> {
        let (kernel, spacing) = (self.packing_kernel(&loaded.scene)?, self.spacing(&loaded.scene));
        Some(build::pack(loaded, env, sites, &kernel, spacing))
    }

    fn wall_layers(&self, scene: &SceneFile) -> u32 {
        table(scene).map_or(0, |liquid| liquid.walls.layers)
    }

    fn max_particles(&self, scene: &SceneFile) -> Option<(&'static str, u64)> {
        Some(("liquid.max_particles", table(scene)?.max_particles?.into()))
    }

    fn moves_by_spacings(&self) -> bool {
        true
    }

    fn look(&self, scene: &SceneFile, size: f64) -> Look {
        let thick = table(scene).is_some_and(|liquid| liquid.viscosity >= HONEY);
        let by_viscosity = if thick { LiquidLook::Honey } else { LiquidLook::Water };
        // Real water is clear in a glass and dark in a lake: what a scene holds is to be seen, whatever its size.
        let clear = |index, tint, depth: f64, cloudy| {
            Material::Liquid(render::Liquid { index, tint, depth: (depth * size) as f32, cloudy })
        };
        let (color, material) = match scene.view.liquid.unwrap_or(by_viscosity) {
            LiquidLook::Water => (0x3f8fd0, clear(1.333, Color::hex(0x86cbdc), 0.34, 0.6)),
            LiquidLook::Honey => (0xd8921c, clear(1.49, Color::hex(0xe8930f), 0.08, 0.25)),
            LiquidLook::Milk => (0xf6f3ec, Material::Dull),
        };
        Look { color: Color::hex(color), variety: 0.0, material }
    }

    fn range(&self, scene: &SceneFile, field: &str, scale: &Scale) -> Option<[f64; 2]> {
        let rho0 = table(scene)?.rest_density;
        let [_, top] = scale.speeds();
        match field {
            "speed" | "velocity" => Some([0.0, top]),
            "velocity.x" | "velocity.y" | "velocity.z" => Some([-top, top]),
            "pressure" => scale.heights(rho0 * scene.space.gravity.get().length()),
            "density" => Some([0.98 * rho0, 1.02 * rho0]),
            _ => None,
        }
    }

    fn solver_columns(&self, scene: &SceneFile) -> &'static [&'static str] {
        match table(scene).map(|liquid| liquid.pressure.method) {
            Some(PressureKind::Eos) | None => &["mean_density_error", "max_density_error"],
            Some(_) => &["mean_density_error", "max_density_error", "iterations"],
        }
    }

    fn decided(&self, scene: &SceneFile) -> Option<(&'static str, String)> {
        let pressure = &table(scene)?.pressure;
        let stiffness = pressure.stiffness.filter(|_| pressure.method == PressureKind::Eos)?;
        Some(("stiffness", format!("{stiffness:.4e} Pa")))
    }

    fn choices(&self, scene: &SceneFile) -> Vec<Choice> {
        table(scene).map_or_else(Vec::new, choices::choices)
    }
}
