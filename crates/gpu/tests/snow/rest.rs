//! Snow at rest for a long time: it must not inflate.

use crate::Gpu;
use crate::common::{gpu, matter, space};
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::method::Method;
use lawine_core::space::Dimension;
use lawine_gpu::Snow;
use lawine_solvers::mpm::{Config, NewMatter, SnowKind};

/// Largest change of the volume of a block of `side`³ particles on the ground, against that at the start
/// and that after a quarter of the time, when it has settled.
fn inflation(gpu: &Gpu, side: usize, cell: f64, end: f64, longest: f64) -> f64 {
    let d = 0.5 * cell;
    let new: Vec<NewMatter> = (0..side.pow(3))
        .map(|i| {
            let place = [i % side, i / side % side, i / side / side].map(|k| k as f64 + 0.5);
            let position = d * DVec3::from_array(place);
            NewMatter { position, velocity: DVec3::ZERO, volume: d.powi(3), material: 0 }
        })
        .collect();
    let mut env = space(Dimension::Full);
    env.bodies.push(Body::plane("ground", DVec3::ZERO, DVec3::Y).unwrap());
    let snow = matter(&Config::new(cell, SnowKind::Dry.material()), &env, &new);
    let mut volumes = vec![snow.volume()];
    let mut snow = Snow::new(gpu, snow, &env).unwrap();
    let (mut time, mut steps) = (0.0, 0);
    for until in [0.25 * end, 0.5 * end, 0.75 * end, end] {
        while time < until {
            let dt = snow.dt_limit(&env).dt.min(longest);
            snow.step(&mut env, dt).unwrap();
            time += dt;
            steps += 1;
        }
        volumes.push(snow.matter().unwrap().volume());
    }
    let change =
        |from: f64| volumes[2..].iter().map(|v| (v / from - 1.0).abs()).fold(0.0, f64::max);
    println!("at rest, {end} s in {steps} steps: volumes {volumes:.6?} m³");
    change(volumes[0]).max(change(volumes[1]))
}

#[test]
fn snow_at_rest_does_not_inflate_in_twenty_seconds() {
    let Some(gpu) = gpu() else { return };
    assert!(inflation(&gpu, 6, 0.1, 20.0, 1.0) < 0.005);
}

/// `cargo test --release -p lawine-gpu --test snow -- --ignored --nocapture`
#[test]
#[ignore = "two million steps, for a GPU that is one"]
fn snow_at_rest_does_not_inflate_with_tiny_steps() {
    let Some(gpu) = gpu() else { return };
    assert!(inflation(&gpu, 16, 0.05, 20.0, 1e-5) < 0.005);
}
