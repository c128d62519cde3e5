//! Contacts and pours of grains from their tables.

use super::shapes::Shapes;
use crate::build::extent;
use crate::file::{LoadedScene, MAX_PARTICLES, SceneError, SceneFile};
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::opening::{Pace, Pour};
use lawine_solvers::dem::contact::{Contacts, Materials, Pairing};
use lawine_solvers::dem::settings::ContactSettings;
use lawine_solvers::dem::{Grains, GrainsError};

/// The contacts of a scene; `of_shapes` names the material of each shape.
pub(super) fn contacts(
    scene: &SceneFile,
    table: &ContactSettings,
    of_shapes: &[Option<String>],
) -> Result<Contacts, GrainsError> {
    let names: Vec<&str> = table.materials().collect();
    // The first material is that of everything without a name; the last ones are those of bodies
    // with a friction of their own.
    let index = |name: &Option<String>| {
        let place = name.as_ref().and_then(|name| names.iter().position(|n| n == name));
        place.map_or(0, |place| place + 1)
    };
    let rubbed = scene.body.iter().filter(|body| body.friction.is_some()).count();
    let general = table.pairing();
    let mut materials = Materials::new(1 + names.len() + rubbed, general);
    for pair in &table.pair {
        let [a, b] = [&pair.first, &pair.second].map(|name| index(&Some(name.clone())));
        materials.set(a, b, pair.pairing(general))?;
    }
    let mut of_bodies = Vec::with_capacity(scene.body.len());
    let mut own = names.len();
    for body in &scene.body {
        let like = index(&body.material);
        let Some(friction) = body.friction else {
            of_bodies.push(like);
            continue;
        };
        own += 1;
        for other in 0..=names.len() {
            let pairing = *materials.get(other, like);
            let pairing = Pairing { friction, static_friction: friction, ..pairing };
            materials.set(other, own, pairing)?;
        }
        of_bodies.push(own);
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
    if let Some(dt) = loaded.scene.time.step {
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
