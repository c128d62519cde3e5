//! Liquid, by smoothed particle hydrodynamics.

use super::Kind;
use crate::build::{self, Matter, Site};
use crate::file::{Checker, SceneError, SceneFile};
use lawine_render::Color;
use lawine_solvers::sph::ViscositySolver;
use lawine_solvers::sph::settings::{self, PressureKind};

/// The largest support in a plane and in space, in spacings: 113 and 268 neighbours.
const MAX_SUPPORT: [f64; 2] = [6.0, 4.0];

pub(super) struct Liquid;

impl Kind for Liquid {
    fn key(&self) -> &'static str {
        "liquid"
    }

    fn is_in(&self, scene: &SceneFile) -> bool {
        scene.liquid.is_some()
    }

    fn spacing(&self, scene: &SceneFile) -> f64 {
        scene.liquid.as_ref().map_or(1.0, |liquid| liquid.spacing)
    }

    fn smoothing(&self, scene: &SceneFile) -> f64 {
        scene.liquid.as_ref().map_or(1.0, settings::Liquid::support)
    }

    fn solver_columns(&self, scene: &SceneFile) -> &'static [&'static str] {
        match scene.liquid.as_ref().map(|liquid| liquid.pressure.method) {
            Some(PressureKind::Eos) | None => &["mean_density_error", "max_density_error"],
            Some(_) => &["mean_density_error", "max_density_error", "iterations"],
        }
    }

    fn color(&self) -> Color {
        Color::hex(0x3f8fd0)
    }

    fn resolution(&self, scene: &SceneFile) -> String {
        format!("liquid.spacing = {}", self.spacing(scene))
    }

    fn resolve(&self, scene: &mut SceneFile) {
        let dimension = scene.space.dimension;
        if let Some(liquid) = &mut scene.liquid {
            liquid.relative_support.get_or_insert(if dimension == 2 { 2.2 } else { 2.22 });
            liquid.support = Some(liquid.support());
        }
    }

    /// The liquid, its pressure and its walls.
    fn check(&self, c: &mut Checker<'_>) {
        let Some(liquid) = &c.scene.liquid else { return };
        let most = MAX_SUPPORT[usize::from(!c.is_planar())];
        let relative = liquid.relative_support.unwrap_or(2.0);
        if relative <= most {
            let (support, spacing) = (liquid.support(), liquid.spacing);
            let allowed = format!("above liquid.spacing = {spacing} m and at most {most} times it");
            let fine = support > spacing && support <= most * spacing * (1.0 + 1e-12);
            c.require(fine, "liquid.support", support, &allowed);
        } else {
            c.refuse("liquid.relative_support", relative, format!("above 1 and at most {most}"));
        }
        if liquid.viscosity_solver == ViscositySolver::Implicit && liquid.viscosity <= 0.0 {
            let allowed = "above 0 m²/s with liquid.viscosity_solver = \"implicit\"";
            c.refuse("liquid.viscosity", liquid.viscosity, allowed);
        }
        let pressure = &liquid.pressure;
        let (fewest, most) = (pressure.min_iterations, pressure.max_iterations);
        let allowed = format!("1 to liquid.pressure.max_iterations = {most}");
        c.require(fewest <= most, "liquid.pressure.min_iterations", fewest, &allowed);
        if let Some(target) = pressure.target_iterations {
            let allowed = format!("liquid.pressure.min_iterations = {fewest} or more");
            c.require(target >= fewest, "liquid.pressure.target_iterations", target, &allowed);
        }
        c.needs_fill_or_emitter("liquid");
    }

    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError> {
        build::liquid(site)
    }
}
