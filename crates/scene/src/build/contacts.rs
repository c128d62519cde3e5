//! How free bodies touch each other, and the others.

use crate::file::{LoadedScene, SceneError, SceneFile};
use lawine_core::body::BodyContacts;
use lawine_core::environment::Environment;
use lawine_solvers::dem::TouchingBodies;
use lawine_solvers::dem::contact::Pairing;

/// How the bodies of a scene touch, if one of them is free. `speed` is the largest one to expect [m/s].
pub(super) fn contacts(
    loaded: &LoadedScene,
    env: &Environment,
    speed: f64,
) -> Result<Option<Box<dyn BodyContacts>>, SceneError> {
    let Some(pairing) = pairing_of_bodies(&loaded.scene, env, speed) else { return Ok(None) };
    let touching =
        TouchingBodies::new(env, pairing).map_err(|e| loaded.error("body", e.to_string()))?;
    Ok(Some(Box::new(touching)))
}

/// How two bodies of a scene touch, by their numbers, if one of all is free.
pub(crate) fn pairing_of_bodies<'a>(
    scene: &'a SceneFile,
    env: &Environment,
    speed: f64,
) -> Option<impl Fn(usize, usize) -> Pairing + use<'a>> {
    let densities = env.bodies.iter().filter_map(|body| body.free_density(&env.space));
    let stiffness = STIFFNESS * densities.reduce(f64::max)? * speed * speed;
    let described = &scene.body;
    Some(move |a: usize, b: usize| {
        let friction = |k: usize| described[k].friction.unwrap_or(FRICTION);
        let mean = |a: f64, b: f64| (a * b).sqrt();
        let restitution = |k: usize| described[k].restitution.unwrap_or(RESTITUTION);
        let (e, mu) = (mean(restitution(a), restitution(b)), mean(friction(a), friction(b)));
        Pairing::new(stiffness, e, mu)
    })
}

/// Stiffness of contacts over ρ v². A ball that hits a wall with v gives way by 1 % of its diameter: the work of
/// Y V/l with l = 4 r and V = π r δ² is the energy of its motion at δ³ = 8 r³ ρ v²/Y, with ρ the density of the ball.
const STIFFNESS: f64 = 1e6;
/// Friction and restitution of bodies that say nothing.
const FRICTION: f64 = 0.3;
const RESTITUTION: f64 = 0.3;
