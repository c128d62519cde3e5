//! A fixed case for benchmarks: a ball of snow that hits the floor, 8 particles in a cell, in random order.

use crate::device::Gpu;
use crate::error::GpuError;
use crate::snow::{Snow, SnowError};
use glam::DVec3;
use lawine_core::body::{Body, BodyError};
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::{Method, StepError};
use lawine_core::space::{Dimension, Space};
use lawine_solvers::mpm::{Config, ConfigError, Matter, NewMatter, SnowKind};
use web_time::Instant;

/// Edge of a cell of the benchmark [m].
const CELL: f64 = 0.01;
/// Number of rounds, of which the best counts.
const ROUNDS: usize = 3;
/// Steps with a clock at every pass.
const CLOCKED: usize = 32;

/// What a step costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Number of particles.
    pub particles: usize,
    /// Steps of a round.
    pub steps: usize,
    /// Seconds of the best round, by the wall clock [s].
    pub seconds: f64,
    /// Part of each pass in the time of a step, by the GPU's clock; empty if it has none.
    pub fractions: Vec<(&'static str, f64)>,
    /// Bytes on the GPU for a particle.
    pub bytes: f64,
    /// Bytes on the GPU for blocks of cells.
    pub block_bytes: u64,
    /// Blocks with particles, and blocks with nodes.
    pub blocks: [u32; 2],
    /// Bytes that a step must move for a particle, if nothing is moved twice.
    pub traffic: f64,
}

impl Cost {
    /// Particles that make a step in a second.
    #[must_use]
    pub fn particle_steps_per_second(&self) -> f64 {
        (self.particles * self.steps) as f64 / self.seconds
    }

    /// The speed over the one at which memory would be the only limit, given its bandwidth [bytes/s].
    #[must_use]
    pub fn bandwidth_fraction(&self, bandwidth: f64) -> f64 {
        self.particle_steps_per_second() * self.traffic / bandwidth
    }
}

/// Why the benchmark failed.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The GPU cannot do it.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The snow cannot be put on the GPU.
    #[error(transparent)]
    Snow(#[from] SnowError),
    /// The snow is not fine.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The floor is not fine.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// About `count` particles just above the floor.
fn ball(count: usize) -> Vec<NewMatter> {
    let d = 0.5 * CELL;
    let volume = d.powi(3);
    let radius = (count as f64 * volume * 0.75 / std::f64::consts::PI).cbrt();
    let mut random = Random::new(1);
    std::iter::repeat_with(|| DVec3::from_array([0; 3].map(|_| random.range(-radius, radius))))
        .filter(|x| x.length() < radius)
        .take(count)
        .map(|x| NewMatter {
            position: x + DVec3::Y * (radius + CELL),
            velocity: DVec3::new(0.5, -5.0, 0.0),
            volume,
            material: 0,
        })
        .collect()
}

/// Measures whole steps, sorting included: the default method, or that of the thesis.
///
/// # Errors
/// When the GPU cannot do it.
pub fn measure(gpu: &Gpu, thesis: bool, count: usize, steps: usize) -> Result<Cost, BenchError> {
    let material = SnowKind::Dry.material();
    let config = if thesis { Config::thesis(CELL, material) } else { Config::new(CELL, material) };
    let mut env = Environment::new(Space::unbounded(Dimension::Full), DVec3::new(0.0, -9.81, 0.0));
    env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y)?);
    let mut matter = Matter::new(config, &env)?;
    matter.add(&ball(count))?;
    let mut snow = Snow::new(gpu, matter, &env)?;
    let mut run = |snow: &mut Snow, steps: usize| -> Result<f64, StepError> {
        let start = Instant::now();
        for _ in 0..steps {
            env.clear_forces();
            let dt = snow.dt_limit(&env).dt;
            snow.step(&mut env, dt)?;
        }
        snow.finish()?;
        Ok(start.elapsed().as_secs_f64())
    };
    run(&mut snow, steps / 4 + 1)?;
    let mut seconds = f64::INFINITY;
    for _ in 0..ROUNDS {
        seconds = seconds.min(run(&mut snow, steps)?);
    }
    snow.start_clock();
    run(&mut snow, CLOCKED)?;
    let passes = snow.pass_seconds();
    let total: f64 = passes.iter().map(|pass| pass.1).sum();
    let [particle_bytes, block_bytes] = snow.gpu_bytes();
    Ok(Cost {
        particles: count,
        steps,
        seconds,
        fractions: passes.into_iter().map(|(name, s)| (name, s / total)).collect(),
        bytes: particle_bytes as f64 / count as f64,
        block_bytes,
        blocks: snow.blocks(),
        // Grid to particles 64 + 108, particles to grid 68, sort 36; FLIP reads velocities as well.
        traffic: if thesis { 292.0 } else { 276.0 },
    })
}
