//! Small set-ups that the tests of matter share.
#![allow(dead_code, reason = "every test binary uses another part")]

use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_solvers::mpm::{Config, Elastic, Laws, Material, Matter, NewMatter, SnowKind};

/// Elastic matter.
pub(crate) fn elastic(density: f64, young: f64, poisson: f64) -> Material {
    Material { density, law: Laws::Elastic(Elastic { young, poisson }) }
}

/// Dry snow with Stomakhin's numbers.
pub(crate) fn snow() -> Material {
    SnowKind::Dry.material()
}

/// Space without bounds and weight.
pub(crate) fn space(dimension: Dimension) -> Environment {
    Environment::new(Space::unbounded(dimension), DVec3::ZERO)
}

/// A block of particles, spacing `d`, `counts` along each axis (z = 1 in the plane), material 0.
pub(crate) fn block(
    min: DVec3,
    counts: [usize; 3],
    d: f64,
    velocity: impl Fn(DVec3) -> DVec3,
) -> Vec<NewMatter> {
    let planar = counts[2] == 1;
    let mut new = Vec::new();
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let half = |n: usize| n as f64 + 0.5;
                let depth = if planar { 0.0 } else { half(z) };
                let position = min + d * DVec3::new(half(x), half(y), depth);
                let volume = d.powi(if planar { 2 } else { 3 });
                new.push(NewMatter { position, velocity: velocity(position), volume, material: 0 });
            }
        }
    }
    new
}

/// Matter of these particles.
pub(crate) fn matter(config: Config, env: &Environment, new: &[NewMatter]) -> Matter {
    let mut matter = Matter::new(config, env).unwrap();
    matter.add(new).unwrap();
    matter
}

/// Steps until `end` [s] at a part of the limit, and calls `watch(time, matter)` after each; returns the
/// number of steps.
pub(crate) fn advance(
    matter: &mut Matter,
    env: &mut Environment,
    end: f64,
    longest: f64,
    mut watch: impl FnMut(f64, &Matter, &Environment),
) -> usize {
    let (mut time, mut steps) = (0.0, 0);
    while time < end {
        let dt = matter.dt_limit(env).dt.min(longest).min(end - time);
        env.clear_forces();
        matter.step(env, dt).unwrap();
        time = if dt >= end - time { end } else { time + dt };
        env.set_time(time);
        steps += 1;
        watch(time, matter, env);
    }
    steps
}

/// The state as bytes.
pub(crate) fn bytes(matter: &Matter) -> Vec<u8> {
    let mut out = Vec::new();
    matter.save(&mut out).unwrap();
    out
}
