//! Snow with non-blocking calls to the GPU, as in a browser.

use crate::common::{block, dry, floor, gpu, matter, space};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::method::{Method, NewParticle};
use lawine_core::space::{Dimension, Leaving};
use lawine_gpu::{Gpu, GpuError, Snow};
use std::time::{Duration, Instant};

/// Asks again and again, as a page does in its turns.
fn until(mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < Duration::from_secs(60), "no answer");
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn step(snow: &mut Snow, env: &mut Environment, dt: f64) -> usize {
    if !snow.has_room() {
        until(|| snow.poll(env).unwrap());
    }
    env.clear_forces();
    snow.step(env, dt).unwrap().removed
}

fn saved(snow: &mut Snow) -> Vec<u8> {
    until(|| snow.fetch().unwrap());
    let mut bytes = Vec::new();
    snow.save(&mut bytes).unwrap();
    bytes
}

/// The same steps give the same bits, also around a copy and an edit.
#[test]
fn who_does_not_wait_gets_the_same_bits() {
    let Some(gpu) = gpu() else { return };
    let (mut env, new) = (floor(), block(7, Dimension::Full, 1));
    let snow = |gpu: &Gpu| Snow::new(gpu, matter(&dry(), &floor(), &new), &floor()).unwrap();
    let dt = 0.5 * snow(&gpu).dt_limit(&env).dt;
    let mut states = Vec::new();
    for gpu in [gpu.clone(), gpu.non_blocking()] {
        let mut snow = snow(&gpu);
        // Shorter steps are those that one would wait for.
        (0..45).for_each(|k| _ = step(&mut snow, &mut env, dt * (1.0 - 1e-3 * f64::from(k / 10))));
        let first = saved(&mut snow);
        let placed = NewParticle { position: DVec3::Y, velocity: DVec3::X };
        snow.insert(&[placed]).unwrap();
        (0..20).for_each(|_| _ = step(&mut snow, &mut env, dt));
        assert_eq!(snow.particle_count(), new.len() + 1);
        let last = saved(&mut snow);
        let pressure = snow.matter().unwrap().particles().pressure.clone();
        assert!(pressure.iter().any(|&p| p > 1.0));
        states.push((first, last, pressure));
    }
    assert!(states[0] == states[1]);
}

/// Particles that are in flight are not there yet, and a step makes them worthless.
#[test]
fn nobody_gets_particles_of_another_time() {
    let Some(gpu) = gpu() else { return };
    let mut env = space(Dimension::Full);
    let new = block(5, Dimension::Full, 1);
    let gpu = gpu.non_blocking();
    let mut snow = Snow::new(&gpu, matter(&dry(), &env, &new), &env).unwrap();
    let height = |snow: &Snow| snow.matter().unwrap().particles().x[0].y;
    let before = height(&snow);
    step(&mut snow, &mut env, 1e-4);
    assert_eq!(snow.matter().err(), Some(GpuError::NotReadBack));
    assert!(!snow.is_ready());
    // They may be quick.
    let _ = snow.fetch().unwrap();
    step(&mut snow, &mut env, 1e-4);
    assert_eq!(snow.matter().err(), Some(GpuError::NotReadBack));
    until(|| snow.fetch().unwrap());
    assert!((before - height(&snow) - 4e-4).abs() < 1e-5, "two steps at 2 m/s");
}

/// The step adapts to what the GPU tells, and snow that leaves the domain is removed.
#[test]
fn chores_are_done_when_the_particles_are_here() {
    let Some(gpu) = gpu() else { return };
    let gpu = gpu.non_blocking();
    let mut env = floor();
    env.space.domain = Some(Aabb { min: DVec3::splat(-0.3), max: DVec3::splat(0.3) });
    env.space.leaving = Leaving::Remove;
    let mut new = block(8, Dimension::Full, 1);
    let middle = new.iter().map(|p| p.position).sum::<DVec3>() / new.len() as f64;
    new.iter_mut().for_each(|p| p.velocity = (p.position - middle) * 900.0);
    let mut snow = Snow::new(&gpu, matter(&dry(), &env, &new), &env).unwrap();
    let (mut removed, mut shortest, mut steps) = (0, f64::INFINITY, 0);
    // The later the answers of the GPU, the more and the shorter the steps: now and then it waits for them.
    while steps < 150 || removed == 0 && steps < 10_000 {
        if steps % 50 == 49 {
            until(|| snow.fetch().unwrap());
        }
        let dt = snow.dt_limit(&env).dt.min(1e-3);
        shortest = dt.min(shortest);
        removed += step(&mut snow, &mut env, dt);
        steps += 1;
    }
    until(|| snow.fetch().unwrap());
    let left = snow.particle_count();
    println!("{removed} removed, {left} left, {steps} steps, the shortest {shortest:.1e} s");
    assert!(removed > 0 && left > 0 && removed + left == new.len(), "{removed} and {left}");
    assert!(snow.matter().unwrap().particles().x.iter().all(|x| x.is_finite()));
}
