//! What a scene file says about heat, and what the rest of the program has to know about it.

use crate::method::{Conduction, Material};
use glam::DVec3;
use lawine_render::Color;
use lawine_scene::build::{Matter, Site};
use lawine_scene::file::{Checker, SceneError, SceneFile};
use lawine_scene::matter::{Kind, Look};
use lawine_settings::{OpenTable, Settings};
use std::f64::consts::TAU;

/// A solid that conducts heat.
#[derive(Clone, Debug, PartialEq, Settings)]
pub(crate) struct Heat {
    /// Distance between particles [m].
    #[setting(above = 0, fixed)]
    pub spacing: f64,
    /// Radius of the kernel's support, in spacings [1].
    #[setting(default = 2.2, at_least = 1.5, at_most = 4, fixed)]
    pub relative_support: f64,
    /// Thermal diffusivity α [m²/s].
    #[setting(default = 1e-4, above = 0)]
    pub diffusivity: f64,
    /// Density times specific heat [J/(m³ K)].
    #[setting(default = 3.4e6, above = 0)]
    pub heat_capacity: f64,
    /// Temperature at the start [K].
    #[setting(default = 300.0, at_least = 0, fixed)]
    pub temperature: f64,
    /// Cosine along x on top of it.
    #[setting(without = "the same temperature everywhere", fixed)]
    pub wave: Option<Wave>,
    /// Temperature of all bodies, which what lies within a support of them takes on [K].
    #[setting(without = "bodies let no heat through", at_least = 0)]
    pub bodies: Option<f64>,
}

/// A cosine along x.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub(crate) struct Wave {
    /// Amplitude [K].
    pub amplitude: f64,
    /// Wave length [m].
    #[setting(above = 0)]
    pub length: f64,
}

impl Heat {
    fn support(&self) -> f64 {
        self.relative_support * self.spacing
    }

    fn temperature_at(&self, x: DVec3) -> f64 {
        let wave = self.wave.map_or(0.0, |w| w.amplitude * (TAU * x.x / w.length).cos());
        self.temperature + wave
    }
}

/// Heat as a kind of matter.
pub(crate) struct Conductor;

static TABLE: OpenTable = OpenTable::of::<Heat>("heat");

impl Kind for Conductor {
    fn table(&self) -> &'static OpenTable {
        &TABLE
    }

    fn check(&self, c: &mut Checker<'_>) {
        if let Some(Heat { temperature, wave: Some(wave), .. }) = c.scene.table() {
            let allowed = format!("at most heat.temperature = {temperature} K with either sign");
            let fine = wave.amplitude.abs() <= *temperature;
            c.require(fine, "heat.wave.amplitude", wave.amplitude, &allowed);
        }
        c.needs_fill_or_emitter("heat");
    }

    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError> {
        let loaded = site.loaded;
        let heat: &Heat = loaded.scene.table().ok_or_else(|| loaded.error("heat", "is missing"))?;
        let material = Material {
            support: heat.support(),
            diffusivity: heat.diffusivity,
            capacity: heat.heat_capacity * heat.spacing.powi(site.env.space.dimensions() as i32),
            volume: heat.spacing.powi(site.env.space.dimensions() as i32),
            temperature: heat.temperature,
            bodies: heat.bodies,
        };
        let periodic = |e: &dyn std::fmt::Display| loaded.error("space.periodic", e.to_string());
        let mut method = Conduction::new(material, site.env).map_err(|e| periodic(&e))?;
        let particles = site.particles("heat")?;
        let places: Vec<DVec3> = particles.iter().map(|particle| particle.position).collect();
        method.add(&places, |x| heat.temperature_at(x));
        method.link().map_err(|e| periodic(&e))?;
        site.matter(Box::new(method), site.expected("heat", particles)?)
    }

    fn spacing(&self, scene: &SceneFile) -> f64 {
        scene.table().map_or(1.0, |heat: &Heat| heat.spacing)
    }

    fn smoothing(&self, scene: &SceneFile) -> f64 {
        scene.table().map_or(2.0, Heat::support)
    }

    fn resolution(&self, scene: &SceneFile) -> String {
        format!("heat.spacing = {}", self.spacing(scene))
    }

    fn look(&self, _scene: &SceneFile, _size: f64) -> Look {
        Look::plain(Color::hex(0xd06040))
    }
}
