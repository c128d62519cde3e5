//! Measures snow on the GPU: `bench [count] [steps] [apic|flip] [bandwidth in bytes/s]`, one line of JSON.
#![expect(clippy::print_stdout, reason = "the result")]

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_gpu::{Gpu, Snow};
use lawine_solvers::mpm::{Config, Matter, NewMatter, SnowKind};
use std::error::Error;
use std::time::Instant;

const CELL: f64 = 0.01;

/// A ball of snow of about `count` particles in random order, 8 to a cell, just above the floor.
fn ball(count: usize) -> Vec<NewMatter> {
    let d = 0.5 * CELL;
    let radius = (count as f64 * d.powi(3) * 0.75 / std::f64::consts::PI).cbrt();
    let mut random = Random::new(1);
    let volume = d.powi(3);
    let mut uniform = move || 2.0 * random.unit() - 1.0;
    std::iter::repeat_with(|| radius * DVec3::new(uniform(), uniform(), uniform()))
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

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let number = |k: usize, default| args.get(k).map_or(Ok(default), |a| a.parse::<usize>());
    let (count, steps) = (number(1, 100_000)?, number(2, 100)?);
    let flip = args.get(3).is_some_and(|a| a == "flip");
    let snow = SnowKind::Dry.material();
    let config = if flip { Config::thesis(CELL, snow) } else { Config::new(CELL, snow) };
    let mut env = Environment::new(Space::unbounded(Dimension::Full), DVec3::new(0.0, -9.81, 0.0));
    env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y)?);
    let mut matter = Matter::new(config, &env)?;
    matter.add(&ball(count))?;
    let gpu = Gpu::open()?;
    let mut snow = Snow::new(&gpu, matter, &env)?;
    let mut run = |snow: &mut Snow, steps: usize| -> Result<f64, Box<dyn Error>> {
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
    let mut rounds = Vec::new();
    for _ in 0..3 {
        rounds.push(run(&mut snow, steps)?);
    }
    let best = rounds.iter().copied().fold(f64::INFINITY, f64::min);
    snow.start_clock();
    run(&mut snow, 32)?;
    // Bytes that a step must move for a particle: G2P 64 + 108, P2G 68, sort 36; FLIP reads its velocity.
    let moved = if flip { 292.0 } else { 276.0 };
    let bandwidth = args.get(4).map_or(Ok(3.7e12), |a| a.parse::<f64>())?;
    let passes = snow.pass_seconds();
    let total: f64 = passes.iter().map(|p| p.1).sum();
    let shares: Vec<String> =
        passes.iter().map(|(name, s)| format!("\"{name}\":{:.3}", s / total)).collect();
    let bytes = snow.gpu_bytes();
    println!(
        "{{\"adapter\":\"{}\",\"method\":\"{}\",\"particles\":{count},\"steps\":{steps},\
         \"particle_steps_per_second\":{:.4e},\"steps_per_second\":{:.1},\"rounds\":{rounds:.4?},\
         \"bandwidth_fraction\":{:.3},\
         \"ns_per_particle_by_timestamps\":{:.4},\"shares\":{{{}}},\"bytes_per_particle\":{:.1},\
         \"block_megabytes\":{:.1},\"blocks\":{:?}}}",
        gpu.name(),
        if flip { "cubic FLIP" } else { "quadratic APIC" },
        (count * steps) as f64 / best,
        steps as f64 / best,
        moved * (count * steps) as f64 / best / bandwidth,
        total / 32.0 / count as f64 * 1e9,
        shares.join(","),
        bytes[0] as f64 / count as f64,
        bytes[1] as f64 / 1e6,
        snow.blocks(),
    );
    Ok(())
}
