//! Snow from its tables: `snow`, the materials and the fills.

use super::mixture::{Mixtures, WATER};
use super::scale::Scale;
use super::{Matter, fill, openings};
use crate::file::{
    self, Law, LoadedScene, MatterIntegrator, Placing, SceneError, SceneFile, SnowLaw,
};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::{Aabb, Random};
use lawine_solvers::mpm::{
    self, Blend, Config, ConfigError, Contact, Elastic, Implicit, Integrator, Laws, Material,
    NewMatter, Sand, Snow, SnowClass, SnowKind, Spline, Transfer, Volume,
};

/// How far a jittered particle lies from the middle of its share along each axis, at most, in
/// spacings: a little less than half, so that it stays clear of walls.
const JITTER: f64 = 0.4;

/// The snow of a scene, and what else deforms.
pub(super) fn snow(
    loaded: &LoadedScene,
    scene: &mut SceneFile,
    table: &file::Snow,
    env: &Environment,
) -> Result<Matter, SceneError> {
    scene.material = derived(&scene.material);
    let filled = fill::particles(loaded, env)?;
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
    let openings = openings::openings(loaded, env, &filled.particles)?;
    let expected = openings::expected(filled.particles, &openings);
    let scale = Scale::of(scene, env, &expected);
    let bounds = Aabb::from_points(expected.iter().map(|p| p.position)).grow(0.5 * d);
    Ok(Matter {
        boundary: 0,
        method: Box::new(method),
        openings,
        bounds,
        scale,
        looks: Vec::new(),
        warnings: Vec::new(),
    })
}

fn jitter(random: &mut Random, d: f64, planar: bool) -> DVec3 {
    let mut next = || d * random.range(-JITTER, JITTER);
    DVec3::new(next(), next(), if planar { 0.0 } else { next() })
}

/// The number of the material that a fill is made of.
fn material_of(scene: &SceneFile, fill: usize) -> usize {
    let name = scene.fill.get(fill).and_then(|fill| fill.material.as_ref());
    scene.material.iter().position(|m| Some(&m.name) == name).unwrap_or_default()
}

fn config(
    loaded: &LoadedScene,
    table: &file::Snow,
    mixtures: &Mixtures,
) -> Result<Config, SceneError> {
    let scene = &loaded.scene;
    let contact = Contact { friction: table.friction, sticking: table.sticking };
    let mut materials = Vec::new();
    for (number, described) in scene.material.iter().enumerate() {
        let key = format!("material.{number}.{}", described.law.word());
        materials.push(material(&described.law).map_err(|e| loaded.error(&key, e.to_string()))?);
    }
    if mixtures.have_water() {
        materials.push(WATER);
    }
    Ok(Config {
        cell: table.cell,
        spline: match table.spline {
            file::Spline::Quadratic => Spline::Quadratic,
            file::Spline::Cubic => Spline::Cubic,
        },
        transfer: match (table.transfer, table.flip_share) {
            (file::Transfer::Apic, _) => Transfer::Apic,
            (file::Transfer::Flip, Some(share)) => Transfer::Flip(Blend::PerStep(share)),
            (file::Transfer::Flip, None) => Transfer::Flip(Blend::PerTime(table.flip_damping)),
        },
        integrator: match table.integrator {
            MatterIntegrator::Explicit => Integrator::Explicit,
            MatterIntegrator::SemiImplicit => Integrator::SemiImplicit(Implicit {
                beta: table.beta,
                tolerance: table.tolerance,
                max_iterations: table.max_iterations,
                max_ratio: table.max_ratio,
            }),
        },
        volume: match table.volume {
            file::ParticleVolume::Given => Volume::Given,
            file::ParticleVolume::FromGrid => Volume::FromGrid,
        },
        materials,
        contact,
        contacts: scene
            .body
            .iter()
            .map(|body| Contact {
                friction: body.friction.unwrap_or(contact.friction),
                sticking: body.sticking.unwrap_or(contact.sticking),
            })
            .collect(),
        damping: table.damping,
        cfl: scene.solver.cfl,
        wave_cfl: table.wave_cfl,
    })
}

fn material(law: &Law) -> Result<Material, ConfigError> {
    Ok(match law {
        Law::Snow(snow) => snow_material(snow)?,
        Law::Elastic(law) => Material {
            density: law.density,
            law: Laws::Elastic(Elastic { young: law.young, poisson: law.poisson }),
        },
        Law::Sand(law) => Material {
            density: law.density,
            law: Laws::Sand(Sand {
                elastic: Elastic { young: law.young, poisson: law.poisson },
                friction_angle: law.friction_angle.to_radians(),
            }),
        },
        Law::Liquid(law) => Material {
            density: law.density,
            law: Laws::Liquid(mpm::Liquid { bulk_modulus: law.bulk_modulus }),
        },
    })
}

/// The kind that a word in the file means.
pub(super) fn kind(word: file::SnowKind) -> SnowKind {
    match word {
        file::SnowKind::Dry => SnowKind::Dry,
        file::SnowKind::Wet => SnowKind::Wet,
        file::SnowKind::Icy => SnowKind::Icy,
        file::SnowKind::Slushy => SnowKind::Slushy,
        file::SnowKind::Powder => SnowKind::Powder,
    }
}

/// The class that a word in the file means.
pub(crate) fn snow_class(word: file::SnowClass) -> SnowClass {
    match word {
        file::SnowClass::New => SnowClass::New,
        file::SnowClass::Powder => SnowClass::Powder,
        file::SnowClass::Granular => SnowClass::Granular,
        file::SnowClass::Settled => SnowClass::Settled,
        file::SnowClass::Firn => SnowClass::Firn,
        file::SnowClass::Glacier => SnowClass::Glacier,
    }
}

/// The materials with all numbers of snow, those of its kind and those that follow from its density among them.
pub(crate) fn derived(materials: &[file::Material]) -> Vec<file::Material> {
    let with_numbers = |material: &file::Material| {
        let mut material = material.clone();
        if let Law::Snow(law) = &mut material.law
            && let Ok(Material { density, law: Laws::Snow(snow) }) = snow_material(law)
        {
            law.density = Some(density);
            law.young = Some(snow.elastic.young);
            law.poisson = Some(snow.elastic.poisson);
            law.hardening = Some(snow.hardening);
            law.critical_compression = Some(snow.critical_compression);
            law.critical_stretch = Some(snow.critical_stretch);
            law.hardening_limit = Some(snow.hardening_limit);
            law.water = Some(law.water.unwrap_or(kind(law.kind).water()));
        }
        material
    };
    materials.iter().map(with_numbers).collect()
}

/// Snow of a kind with what the file gives in place of the kind's own values.
fn snow_material(given: &SnowLaw) -> Result<Material, ConfigError> {
    let preset = kind(given.kind).material();
    let Laws::Snow(mut snow) = preset.law else { return Ok(preset) };
    let middle = |class| {
        let (low, high) = snow_class(class).densities();
        0.5 * (low + high)
    };
    let density = given.density.or(given.class.map(middle)).unwrap_or(preset.density);
    if given.elasticity() == file::SnowElasticity::Density
        && let Laws::Snow(Snow { elastic, .. }) = Snow::of_density(density)?.law
    {
        snow.elastic = elastic;
    }
    let set = |value: &mut f64, given: Option<f64>| *value = given.unwrap_or(*value);
    set(&mut snow.elastic.young, given.young);
    set(&mut snow.elastic.poisson, given.poisson);
    set(&mut snow.hardening, given.hardening);
    set(&mut snow.critical_compression, given.critical_compression);
    set(&mut snow.critical_stretch, given.critical_stretch);
    set(&mut snow.hardening_limit, given.hardening_limit);
    Ok(Material { density, law: Laws::Snow(snow) })
}
