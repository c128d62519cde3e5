//! Snow, and what else deforms, by the material point method.

mod build;
mod check;
mod choices;
mod lumps;
mod mixture;
#[cfg(test)]
mod tests;

use super::choices::{Choice, written};
use super::{ElasticMatter, Kind, Look};
use crate::build::{Matter, Site};
use crate::file::{Checker, SceneError, SceneFile};
use lawine_render::Color;
use lawine_settings::OpenTable;
use lawine_solvers::mpm::SnowClass;
use lawine_solvers::mpm::settings::{self, IntegratorKind, Law, NamedMaterial};

static TABLE: OpenTable = OpenTable::of::<settings::Snow>("snow");

pub(super) struct Snow;

fn table(scene: &SceneFile) -> Option<&settings::Snow> {
    scene.table()
}

/// The materials of a scene's snow.
fn materials(scene: &SceneFile) -> &[NamedMaterial] {
    table(scene).map_or(&[], |snow| &snow.material)
}

impl Kind for Snow {
    fn table(&self) -> &'static OpenTable {
        &TABLE
    }

    fn derive(&self, scene: &mut SceneFile) {
        if let Some(snow) = scene.table_mut::<settings::Snow>() {
            snow.material = snow.material.drain(..).map(NamedMaterial::derived).collect();
        }
    }

    fn check(&self, c: &mut Checker<'_>) {
        if let Some(snow) = table(c.scene) {
            check::check(c, snow);
        }
        c.needs_fill_or_emitter("snow");
    }

    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError> {
        build::snow(site)
    }

    fn spacing(&self, scene: &SceneFile) -> f64 {
        table(scene).map_or(1.0, settings::Snow::spacing)
    }

    fn resolution(&self, scene: &SceneFile) -> String {
        format!("snow.cell = {}", table(scene).map_or(0.0, |snow| snow.cell))
    }

    fn coarser(&self, scene: &SceneFile, times: f64) -> Option<String> {
        Some(format!("snow.cell={}", written(table(scene)?.cell * times)))
    }

    fn carries_bodies(&self) -> bool {
        true
    }

    fn runs_on_gpu(&self) -> bool {
        true
    }

    fn look(&self, _scene: &SceneFile, _size: f64) -> Look {
        Look::plain(Color::hex(0xf4f8fc))
    }

    /// Particles melt into each other, so that one sees a soft surface instead of beads.
    fn sphere_size(&self) -> f64 {
        1.5
    }

    fn solver_columns(&self, scene: &SceneFile) -> &'static [&'static str] {
        match table(scene).map(|snow| snow.integrator) {
            Some(IntegratorKind::SemiImplicit) => &["iterations"],
            _ => &[],
        }
    }

    fn materials(&self, scene: &SceneFile) -> Vec<(String, &'static str)> {
        materials(scene).iter().map(|m| (m.name.clone(), m.law.word())).collect()
    }

    fn forget_materials(&self, scene: &mut SceneFile) {
        if let Some(snow) = scene.table_mut::<settings::Snow>() {
            snow.material.clear();
        }
    }

    fn elastic_materials(&self, scene: &SceneFile) -> Vec<ElasticMatter> {
        materials(scene).iter().filter_map(elastic).collect()
    }

    fn choices(&self, scene: &SceneFile) -> Vec<Choice> {
        let has_free_bodies = scene.body.iter().any(|body| body.free);
        table(scene).map_or_else(Vec::new, |snow| choices::choices(snow, has_free_bodies))
    }
}

/// What a material was computed with; none without a modulus.
fn elastic(material: &NamedMaterial) -> Option<ElasticMatter> {
    let (density, young, poisson) = match &material.law {
        Law::Snow(snow) => (snow.density?, snow.young?, snow.poisson?),
        Law::Elastic(law) => (law.density, law.elastic.young, law.elastic.poisson),
        Law::Sand(law) => (law.density, law.young, law.poisson),
        Law::Liquid(_) => return None,
    };
    let classes = match &material.law {
        Law::Snow(_) => SnowClass::of(density).map(|class| class.name().to_owned()).collect(),
        _ => Vec::new(),
    };
    let (name, law) = (material.name.clone(), material.law.word().to_owned());
    Some(ElasticMatter { name, law, classes, density, young, poisson })
}
