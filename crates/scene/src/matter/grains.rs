//! Grains: convex polyhedra.

use super::Kind;
use crate::build::{self, Matter, Site};
use crate::file::{Checker, SceneError, SceneFile, check_grains};
use lawine_render::Color;

pub(super) struct Grains;

impl Kind for Grains {
    fn key(&self) -> &'static str {
        "grains"
    }

    fn is_in(&self, scene: &SceneFile) -> bool {
        scene.grains.is_some()
    }

    /// About the size of the smallest grains.
    fn spacing(&self, scene: &SceneFile) -> f64 {
        let grains = scene.grain.iter().filter_map(|grain| grain.shape.diameter());
        let poured = scene.pour.iter().filter_map(|pour| pour.shape.diameter());
        let sizes = grains.chain(poured).chain(scene.block.iter().map(|block| block.spacing));
        sizes.filter(|size| *size > 0.0).reduce(f64::min).unwrap_or(1.0)
    }

    /// Known when the shapes are made.
    fn reach(&self, _scene: &SceneFile) -> f64 {
        0.0
    }

    fn particles(&self) -> &'static str {
        "grains"
    }

    fn color(&self) -> Color {
        Color::hex(0xb08d5b)
    }

    fn resolution(&self, _scene: &SceneFile) -> String {
        "the grains".to_owned()
    }

    fn is_continuous(&self) -> bool {
        false
    }

    fn check(&self, c: &mut Checker<'_>) {
        check_grains(c);
    }

    fn refuse_keys(&self, c: &mut Checker<'_>) {
        let scene = c.scene;
        let given = [
            ("grain", !scene.grain.is_empty()),
            ("block", !scene.block.is_empty()),
            ("pour", !scene.pour.is_empty()),
        ];
        for (key, _) in given.into_iter().filter(|(_, given)| *given) {
            c.report(key, format!("{key} is not allowed here; it requires a scene with [grains]"));
        }
        for (i, _) in scene.outlet.iter().enumerate().filter(|(_, o)| o.returns.is_some()) {
            let key = format!("outlet.{i}.returns");
            c.report(&key, format!("{key} is not allowed here; only grains can return"));
        }
        for (i, body) in scene.body.iter().enumerate() {
            if let Some(name) = &body.material {
                let allowed = "only in scenes with [grains]";
                c.refuse(&format!("body.{i}.material"), format!("{name:?}"), allowed);
            }
            if let Some(until) = body.until {
                let allowed = "only in scenes with [grains]";
                c.refuse(&format!("body.{i}.until"), until, allowed);
            }
        }
    }

    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError> {
        build::grains(site)
    }
}
