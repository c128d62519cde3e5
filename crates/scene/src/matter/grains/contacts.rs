//! Contacts and pours of grains from their tables.

use super::shapes::Shapes;
use crate::build::extent;
use crate::file::{Body, LoadedScene, MAX_PARTICLES, SceneError, SceneFile};
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::opening::{Pace, Pour};
use lawine_solvers::dem::contact::{Contacts, Materials, Pairing};
use lawine_solvers::dem::settings::ContactSettings;
use lawine_solvers::dem::{Grains, GrainsError};

/// The contacts of a scene; `of_shapes` names the material of each shape, `pairing` says how two bodies touch if one of
/// all is free.
pub(super) fn contacts(
    scene: &SceneFile,
    table: &ContactSettings,
    of_shapes: &[Option<String>],
    pairing: Option<impl Fn(usize, usize) -> Pairing>,
) -> Result<Contacts, GrainsError> {
    let names: Vec<&str> = table.materials().collect();
    // The first material is that of everything without a name; the last ones are those of bodies with a friction of
    // their own, or of all bodies if one is free.
    let index = |name: &Option<String>| {
        let place = name.as_ref().and_then(|name| names.iter().position(|n| n == name));
        place.map_or(0, |place| place + 1)
    };
    let has_own = |body: &&Body| body.friction.is_some() || pairing.is_some();
    let own_materials = scene.body.iter().filter(has_own).count();
    let general = table.pairing();
    let mut materials = Materials::new(1 + names.len() + own_materials, general);
    for pair in &table.pair {
        let [a, b] = [&pair.first, &pair.second].map(|name| index(&Some(name.clone())));
        materials.set(a, b, pair.pairing(general))?;
    }
    let mut of_bodies = Vec::with_capacity(scene.body.len());
    let mut own = names.len();
    for (k, body) in scene.body.iter().enumerate() {
        let like = index(&body.material);
        if !has_own(&body) {
            of_bodies.push(like);
            continue;
        }
        own += 1;
        for other in 0..=names.len() {
            let mut between = *materials.get(other, like);
            if let Some(friction) = body.friction {
                (between.friction, between.static_friction) = (friction, friction);
            }
            between.restitution = body.restitution.unwrap_or(between.restitution);
            materials.set(other, own, between)?;
        }
        of_bodies.push(own);
        for (earlier, &material) in of_bodies.iter().enumerate() {
            if let Some(pairing) = &pairing {
                materials.set(material, own, pairing(earlier, k))?;
            }
        }
    }
    Ok(Contacts {
        law: table.law,
        materials,
        of_shapes: of_shapes.iter().map(index).collect(),
        of_bodies,
        bridges: table.bridges,
    })
}

/// The pours of a scene; their shapes join the others.
pub(super) fn pours(
    loaded: &LoadedScene,
    shapes: &mut Shapes<'_>,
    random: &mut Random,
) -> Result<Vec<Pour>, SceneError> {
    let mut pours = Vec::with_capacity(loaded.scene.pour.len());
    for (index, pour) in loaded.scene.pour.iter().enumerate() {
        let key = format!("pour.{index}");
        let moulds = shapes.moulds(&pour.grains, &key, random)?;
        let pace = match (pour.rate, pour.slower_than) {
            (_, Some(speed)) => Pace::Slower(speed),
            (rate, None) => Pace::Rate(rate.unwrap_or(1.0)),
        };
        let mut made = Pour::new("grains", extent(&pour.region), moulds.shapes().collect(), pace)
            .map_err(|e| loaded.error(&key, e.to_string()))?;
        (made.start, made.stop) = (pour.start, pour.stop.unwrap_or(f64::INFINITY));
        made.max_grains = pour.count.map_or(MAX_PARTICLES as u64, u64::from);
        made.velocity = pour.velocity.get();
        made.seed = loaded.scene.seed.wrapping_add(index as u64);
        pours.push(made);
    }
    Ok(pours)
}

/// Mouths that no grain gets through, in scenes that let grains out.
pub(super) fn warnings(scene: &SceneFile, grains: &Grains, env: &Environment) -> Vec<String> {
    let gaps = if scene.outlet.is_empty() { Vec::new() } else { grains.narrow_gaps(env) };
    gaps.iter().map(ToString::to_string).collect()
}

/// What can only be known once all grains are in place: nothing overlaps, and a fixed step is short
/// enough.
pub(super) fn check(
    loaded: &LoadedScene,
    grains: &mut Grains,
    env: &Environment,
) -> Result<(), SceneError> {
    let bad = |key: &str, e: &GrainsError| loaded.error(key, e.to_string());
    let first = if loaded.scene.grain.is_empty() { "block" } else { "grain" };
    grains.check_overlaps(env).map_err(|e| bad(first, &e))?;
    // A step that is shared is divided.
    let alone = loaded.scene.matters().count() == 1;
    if let Some(dt) = loaded.scene.time.step.filter(|_| alone) {
        grains.check_step(dt).map_err(|e| match e {
            GrainsError::Step { limit, .. } => {
                let key = "time.step";
                let message = format!(
                    "{key} = {dt} is not allowed; allowed: at most {limit:.4e} s, so that contacts \
                     stay stable"
                );
                loaded.error(key, message)
            }
            other => bad("contact", &other),
        })?;
    }
    Ok(())
}
