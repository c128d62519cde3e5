//! Snow from its table, `snow`, and the fills.

use super::materials;
use super::mixture::{Mixtures, WATER};
use crate::build::{Matter, Site};
use crate::file::{self, LoadedScene, SceneError, SceneFile};
use glam::DVec3;
use lawine_core::geometry::Random;
use lawine_solvers::mpm::settings::{Placing, Snow};
use lawine_solvers::mpm::{self, BodyContact, Config, ConfigError, NewMatter};

/// How far a jittered particle lies from the centre of its part of the cell along each axis, at most, in
/// spacings: a little less than half, so that it stays clear of walls.
const JITTER: f64 = 0.4;

/// The snow of a scene, and what else deforms.
pub(super) fn snow(site: &mut Site<'_>) -> Result<Matter, SceneError> {
    let (loaded, env) = (site.loaded, site.env);
    let scene = &*site.scene;
    let table = loaded.scene.table::<Snow>();
    let table = table.ok_or_else(|| loaded.error("snow", "is missing"))?;
    let filled = site.filled("snow")?;
    let bad = |e: ConfigError| loaded.error("snow", e.to_string());
    let mixtures = Mixtures::new(scene, env.space.is_planar());
    let mut method = mpm::Matter::new(config(loaded, table, &mixtures)?, env).map_err(bad)?;
    let d = table.spacing();
    let volume = if env.space.is_planar() { d * d } else { d * d * d };
    let mut random = Random::new(scene.seed);
    let mut matter = Vec::with_capacity(filled.particles.len());
    for (i, particle) in filled.particles.iter().enumerate() {
        let offset = match table.placing {
            Placing::Regular => DVec3::ZERO,
            Placing::Jittered => jitter(&mut random, d, env.space.is_planar()),
        };
        let position = particle.position + offset;
        let material = mixtures.at(material_of(scene, filled.fill_of(i)), position, &mut random);
        let material = material as u32;
        matter.push(NewMatter { position, velocity: particle.velocity, volume, material });
    }
    method.add(&matter).map_err(|e| loaded.error("fill", e.to_string()))?;
    method.check_bodies(env).map_err(|e| loaded.error("body", e.to_string()))?;
    let expected = site.expected("snow", filled.particles)?;
    site.matter(Box::new(method), expected)
}

fn jitter(random: &mut Random, d: f64, planar: bool) -> DVec3 {
    let mut next = || d * random.range(-JITTER, JITTER);
    DVec3::new(next(), next(), if planar { 0.0 } else { next() })
}

/// The index of the material of a fill.
fn material_of(scene: &SceneFile, fill: usize) -> usize {
    let name = scene.fill.get(fill).and_then(|fill| fill.material.as_ref());
    materials(scene).iter().position(|m| Some(&m.name) == name).unwrap_or_default()
}

fn config(loaded: &LoadedScene, table: &Snow, mixtures: &Mixtures) -> Result<Config, SceneError> {
    let scene = &loaded.scene;
    let mut materials = Vec::new();
    for (index, described) in super::materials(scene).iter().enumerate() {
        let key = format!("snow.material.{index}.{}", described.law.word());
        let made = described.law.material().map_err(|e| loaded.error(&key, e.to_string()))?;
        materials.push(made);
    }
    if mixtures.have_water() {
        materials.push(WATER);
    }
    let contact = |body: &file::Body| BodyContact {
        friction: body.friction.unwrap_or(table.friction),
        sticking: body.sticking.unwrap_or(table.sticking),
    };
    let contacts = scene.body.iter().map(contact).collect();
    Ok(Config::of(table, materials, contacts, scene.time.cfl))
}
