//! A warm step does not touch the heap.

#[path = "common/counting.rs"]
mod counting;

mod common;

use common::{block, liquid, pressure_methods, simulation, tank, water, with_threads};
use counting::ALLOCATIONS;
use glam::DVec3;
use lawine_core::method::Method;
use lawine_core::space::Dimension;
use lawine_solvers::sph::{Config, ViscositySolver};
use std::sync::atomic::Ordering::Relaxed;

#[test]
fn warm_steps_do_not_allocate() {
    let all = [1, 2].into_iter().flat_map(|t| pressure_methods(30.0).map(|p| (t, p)));
    for (threads, pressure) in all {
        with_threads(threads, || {
            let mut env = tank(Dimension::Full, DVec3::new(0.6, 1.0, 0.6));
            let particles = block(DVec3::ZERO, [12, 12, 12], 0.05);
            let config = Config {
                xsph: 0.1,
                surface_tension: 1.0,
                viscosity_solver: ViscositySolver::Implicit,
                ..water(0.05, 30.0)
            };
            let mut water = liquid(Config { pressure, ..config }, &env, &particles);
            let mut step = |n: usize| {
                for _ in 0..n {
                    let dt = water.dt_limit(&env).dt.min(1e-3);
                    water.step(&mut env, dt).unwrap();
                }
            };
            step(20);
            let before = ALLOCATIONS.load(Relaxed);
            step(20);
            assert_eq!(ALLOCATIONS.load(Relaxed) - before, 0, "{threads} threads, {pressure:?}");
        });
    }
    // The counter itself works.
    let before = ALLOCATIONS.load(Relaxed);
    let env = tank(Dimension::Planar, DVec3::ONE);
    drop(simulation(env.clone(), liquid(water(0.1, 30.0), &env, &[])));
    assert!(ALLOCATIONS.load(Relaxed) > before);
}
