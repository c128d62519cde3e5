//! Snow, and what else deforms, by the material point method.

use super::Kind;
use crate::build::{self, Matter, Site};
use crate::file::{Checker, SceneError, SceneFile, check_snow};
use lawine_render::Color;
use lawine_solvers::mpm::settings::{self, IntegratorKind};

pub(super) struct Snow;

impl Kind for Snow {
    fn key(&self) -> &'static str {
        "snow"
    }

    fn is_in(&self, scene: &SceneFile) -> bool {
        scene.snow.is_some()
    }

    fn spacing(&self, scene: &SceneFile) -> f64 {
        scene.snow.as_ref().map_or(1.0, settings::Snow::spacing)
    }

    fn solver_columns(&self, scene: &SceneFile) -> &'static [&'static str] {
        match scene.snow.as_ref().map(|snow| snow.integrator) {
            Some(IntegratorKind::SemiImplicit) => &["iterations"],
            _ => &[],
        }
    }

    fn color(&self) -> Color {
        Color::hex(0xf4f8fc)
    }

    fn resolution(&self, scene: &SceneFile) -> String {
        format!("snow.cell = {}", scene.snow.as_ref().map_or(0.0, |snow| snow.cell))
    }

    fn check(&self, c: &mut Checker<'_>) {
        if let Some(snow) = &c.scene.snow {
            check_snow(c, snow);
        }
        c.needs_fill_or_emitter("snow");
    }

    fn refuse_keys(&self, c: &mut Checker<'_>) {
        let scene = c.scene;
        for (i, fill) in scene.fill.iter().enumerate() {
            if let Some(name) = &fill.material {
                let allowed = "only in scenes with [snow]";
                c.refuse(&format!("fill.{i}.material"), format!("{name:?}"), allowed);
            }
        }
    }

    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError> {
        build::snow(site)
    }
}
