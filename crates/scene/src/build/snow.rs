//! Snow from its table, `snow`, and the fills.

use super::mixture::{Mixtures, WATER};
use super::scale::Scale;
use super::{Matter, Site, fill, openings};
use crate::file::{self, LoadedScene, SceneError, SceneFile};
use glam::DVec3;
use lawine_core::geometry::{Aabb, Random};
use lawine_core::opening::Openings;
use lawine_solvers::mpm::settings::{self, Placing, Snow};
use lawine_solvers::mpm::{self, Config, ConfigError, Contact, NewMatter};

/// How far a jittered particle lies from the middle of its share along each axis, at most, in
/// spacings: a little less than half, so that it stays clear of walls.
const JITTER: f64 = 0.4;

/// The snow of a scene, and what else deforms.
pub(crate) fn snow(site: &mut Site<'_>) -> Result<Matter, SceneError> {
    let Site { loaded, scene, env } = site;
    let table = loaded.scene.snow.as_ref().ok_or_else(|| loaded.error("snow", "is missing"))?;
    if let Some(Snow { material, .. }) = &mut scene.snow {
        *material = material.drain(..).map(settings::NamedMaterial::derived).collect();
    }
    let filled = fill::particles(loaded, env, "snow")?;
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
    super::check_time_step(loaded, &method, env)?;
    let emitters = openings::emitters(loaded, env, "snow", &filled.particles)?;
    let expected = openings::expected(filled.particles, &emitters);
    let scale = Scale::of(env, &expected, d);
    let bounds = Aabb::from_points(expected.iter().map(|p| p.position)).grow(0.5 * d);
    let openings = Openings { emitters, ..Openings::default() };
    let (method, looks, warnings) = (Box::new(method), Vec::new(), Vec::new());
    Ok(Matter { method, openings, boundary: 0, bounds, scale, looks, warnings })
}

fn jitter(random: &mut Random, d: f64, planar: bool) -> DVec3 {
    let mut next = || d * random.range(-JITTER, JITTER);
    DVec3::new(next(), next(), if planar { 0.0 } else { next() })
}

/// The number of the material that a fill is made of.
fn material_of(scene: &SceneFile, fill: usize) -> usize {
    let name = scene.fill.get(fill).and_then(|fill| fill.material.as_ref());
    scene.materials().iter().position(|m| Some(&m.name) == name).unwrap_or_default()
}

fn config(loaded: &LoadedScene, table: &Snow, mixtures: &Mixtures) -> Result<Config, SceneError> {
    let scene = &loaded.scene;
    let mut materials = Vec::new();
    for (number, described) in scene.materials().iter().enumerate() {
        let key = format!("snow.material.{number}.{}", described.law.word());
        let made = described.law.material().map_err(|e| loaded.error(&key, e.to_string()))?;
        materials.push(made);
    }
    if mixtures.have_water() {
        materials.push(WATER);
    }
    let contact = |body: &file::Body| Contact {
        friction: body.friction.unwrap_or(table.friction),
        sticking: body.sticking.unwrap_or(table.sticking),
    };
    let contacts = scene.body.iter().map(contact).collect();
    Ok(Config::of(table, materials, contacts, scene.time.cfl))
}
