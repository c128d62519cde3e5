//! A warm step of matter does not touch the heap.

#[path = "common/counting.rs"]
mod counting;

mod matter;

use counting::ALLOCATIONS;
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::method::Method;
use lawine_core::space::Dimension;
use lawine_solvers::mpm::Config;
use matter::{block, matter, snow, space};
use std::sync::atomic::Ordering::Relaxed;

#[test]
fn warm_steps_do_not_allocate() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for config in [Config::new(0.05, snow()), Config::thesis(0.05, snow())] {
            let mut env = space(Dimension::Full);
            env.gravity = DVec3::new(0.0, -9.81, 0.0);
            env.bodies.push(Body::plane("ground", DVec3::ZERO, DVec3::Y).unwrap());
            let brick = Body::cuboid("brick", DVec3::new(0.1, 0.3, 0.1), DVec3::new(0.2, 0.4, 0.2));
            let (space, none) = (env.space, DVec3::ZERO);
            env.bodies.push(brick.unwrap().into_free(&space, 300.0, none, none).unwrap());
            let new = block(DVec3::ZERO, [12, 12, 12], 0.025, |_| DVec3::ZERO);
            let mut snow = matter(config, &env, &new);
            let mut step = |n: usize| {
                for _ in 0..n {
                    let dt = snow.dt_limit(&env).dt;
                    env.clear_forces();
                    snow.step(&mut env, dt).unwrap();
                    env.advance(dt);
                }
            };
            step(40);
            let before = ALLOCATIONS.load(Relaxed);
            step(40);
            assert_eq!(ALLOCATIONS.load(Relaxed) - before, 0);
        }
    });
}
