//! Grains: convex polyhedra.

mod build;
mod check;
mod check_contacts;
mod choices;
mod contacts;
mod counts;
pub mod settings;
mod shapes;
#[cfg(test)]
mod tests;

use super::choices::{Choice, written};
use super::{Kind, Look};
use crate::build::{Matter, Site};
use crate::file::{Checker, Counts, GrainLook, SceneError, SceneFile};
use lawine_render::{Color, Material};
use lawine_settings::OpenTable;
use lawine_solvers::dem::settings as solver;
use lawine_solvers::dem::settings::ContactSettings;

/// Stiffness of grains for small pictures [Pa]: soft, so that steps are long.
const SOFT: f64 = 2e5;

static TABLE: OpenTable = OpenTable::of::<solver::Grains>("grains").fixed();

pub(super) struct Grains;

/// How the grains of a scene touch.
fn contact(scene: &SceneFile) -> Option<&ContactSettings> {
    scene.table::<solver::Grains>()?.contact.as_ref()
}

impl Kind for Grains {
    fn table(&self) -> &'static OpenTable {
        &TABLE
    }

    /// About the size of the smallest grains.
    fn spacing(&self, scene: &SceneFile) -> f64 {
        let grains = scene.grain.iter().filter_map(|grain| grain.shape.diameter());
        let poured = scene.pour.iter().filter_map(|pour| pour.grains.shape.diameter());
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

    fn look(&self, scene: &SceneFile, _size: f64) -> Look {
        let (color, variety) = match scene.view.grains {
            GrainLook::Sand => (0xcfa76a, 0.28),
            GrainLook::Stone => (0x8b8781, 0.30),
            GrainLook::Dice => (0xf3ede0, 0.02),
        };
        Look { color: Color::hex(color), variety, material: Material::Dull }
    }

    fn resolution(&self, _scene: &SceneFile) -> String {
        "the grains".to_owned()
    }

    fn coarser(&self, scene: &SceneFile, _times: f64) -> Option<String> {
        let stiffness = contact(scene)?.stiffness.min(SOFT);
        Some(format!("grains.contact.stiffness={}", written(stiffness)))
    }

    fn count(&self, scene: &SceneFile, counts: &mut Counts) {
        counts::count(scene, counts);
    }

    fn choices(&self, scene: &SceneFile) -> Vec<Choice> {
        choices::choices(scene)
    }

    fn is_continuous(&self) -> bool {
        false
    }

    fn carries_bodies(&self) -> bool {
        true
    }

    fn check(&self, c: &mut Checker<'_>) {
        check::check(c);
    }

    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError> {
        build::grains(site)
    }
}
