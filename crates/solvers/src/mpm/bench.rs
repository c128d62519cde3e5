//! A fixed case for benchmarks: a cube of snow that is thrown and deforms, 8 particles in a cell.
//!
//! The clock is the caller's, in seconds: the time of the thread is fairest on a busy machine.

use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::{Method, StepError};
use lawine_core::space::{Dimension, Space};

use super::{Config, ConfigError, Matter, NewMatter, SnowKind};

/// Edge of a cell of the benchmark [m].
const CELL: f64 = 0.02;

/// What a step costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Number of particles.
    pub particles: usize,
    /// Seconds for a particle in a step [s]: the best of all rounds.
    pub seconds: f64,
    /// Bytes per particle of the compact cube, after its first steps.
    pub bytes: f64,
    /// The same seconds, by part of the step.
    pub phases: Vec<(&'static str, f64)>,
}

/// Why the benchmark failed.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The configuration is not fine.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// The thesis' or the default method for the cube of snow.
#[must_use]
pub fn config(thesis: bool) -> Config {
    let snow = SnowKind::Dry.material();
    if thesis { Config::thesis(CELL, snow) } else { Config::new(CELL, snow) }
}

/// A cube of about `count` particles of the first material, `spread` [m] apart in two halves, with
/// velocities that shear, squeeze and turn it, so that snow flows everywhere.
///
/// # Errors
/// When the configuration is not fine.
pub fn cube(
    config: Config,
    count: usize,
    spread: f64,
) -> Result<(Matter, Environment), ConfigError> {
    let env = Environment::new(Space::unbounded(Dimension::Full), DVec3::new(0.0, -9.81, 0.0));
    let side = (count as f64).cbrt().round() as usize;
    let d = 0.5 * config.cell;
    let mut random = Random::new(1);
    let mut new = Vec::with_capacity(side * side * side);
    for i in 0..side * side * side {
        let place = [i % side, i / side % side, i / side / side].map(|k| k as f64 + 0.5);
        let x = d * (DVec3::from_array(place) + 0.2 * random.direction());
        let middle = x - DVec3::splat(0.5 * d * side as f64);
        // The first node that a particle reaches lies up to two cells before it: blocks are then full.
        let x = x + DVec3::splat(1.15 * config.cell);
        let velocity = DVec3::new(1.0, 0.5, 0.0)
            + 4.0 * DVec3::new(middle.y - middle.x, -middle.x, middle.y - middle.z);
        let away = if middle.x > 0.0 { spread } else { 0.0 };
        let position = x + DVec3::X * away;
        new.push(NewMatter { position, velocity, volume: d.powi(3), material: 0 });
    }
    let mut matter = Matter::new(config, &env)?;
    matter.add(&new)?;
    Ok((matter, env))
}

/// Measures `rounds` of `steps` each.
///
/// # Errors
/// When the configuration is not fine or a step fails.
pub fn cost(
    config: Config,
    count: usize,
    spread: f64,
    [rounds, steps]: [usize; 2],
    clock: &dyn Fn() -> f64,
) -> Result<Cost, BenchError> {
    let (mut matter, mut env) = cube(config, count, spread)?;
    let mut step = |matter: &mut Matter| {
        let dt = matter.dt_limit(&env).dt;
        matter.step(&mut env, dt)
    };
    for _ in 0..3 {
        step(&mut matter)?;
    }
    let particles = matter.particle_count();
    let bytes = matter.bytes() as f64 / particles as f64;
    let mut best = Cost { particles, seconds: f64::INFINITY, bytes, phases: Vec::new() };
    for _ in 0..rounds {
        matter.reset_phases();
        let start = clock();
        for _ in 0..steps {
            step(&mut matter)?;
        }
        let per = 1.0 / (steps * particles) as f64;
        let seconds = (clock() - start) * per;
        if seconds < best.seconds {
            let phases = matter.phases().iter().map(|(name, s)| (name, s * per)).collect();
            best = Cost { seconds, phases, ..best };
        }
    }
    Ok(best)
}
