//! Shows how to move snow to a graphics card, step it there and fetch it back:
//! `cargo run --release -p lawine-gpu --example snow`
#![allow(clippy::print_stdout, reason = "an example that prints")]

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_gpu::{Gpu, Snow};
use lawine_solvers::mpm::{Config, Matter, NewMatter, SnowKind};

const CELL: f64 = 0.04;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = match Gpu::open() {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("there is no graphics card to show it on: {error}");
            return Ok(());
        }
    };
    let mut env = Environment::new(Space::unbounded(Dimension::Full), DVec3::Y * -9.81);
    env.bodies.push(Body::plane("ground", DVec3::ZERO, DVec3::Y)?);
    let mut matter = Matter::new(Config::new(CELL, SnowKind::Dry.material()), &env)?;
    let d = 0.5 * CELL;
    let particle = |i: u32| NewMatter {
        position: d * DVec3::from_array([i % 16, 6 + i / 16 % 16, i / 256].map(f64::from)),
        velocity: DVec3::ZERO,
        volume: d.powi(3),
        material: 0,
    };
    matter.add(&(0..4096).map(particle).collect::<Vec<_>>())?;
    let mut snow = Snow::new(&gpu, matter, &env)?;
    let mut time = 0.0;
    while time < 0.2 {
        let dt = snow.dt_limit(&env).dt.min(2e-3);
        snow.step(&mut env, dt)?;
        time += dt;
    }
    let volume = snow.matter()?.volume();
    println!("{}: after {time:.2} s, {volume:.5} m³ of snow", gpu.name());
    Ok(())
}
