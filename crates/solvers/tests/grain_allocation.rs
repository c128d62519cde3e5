//! A warm step of the grains does not touch the heap.

#[path = "common/counting.rs"]
mod counting;

use counting::ALLOCATIONS;
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::{Aabb, EllipsoidGrain, Random, Shape};
use lawine_core::method::Method;
use lawine_core::opening::{Openings, Outlet, Pace, Pour, Region};
use lawine_core::rigid::Dependence;
use lawine_core::space::{Dimension, Space};
use lawine_solvers::dem::{Block, Config, Grain, Grains, Integrator};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A cloud that drifts through a periodic box.
fn cloud(integrator: Integrator) -> (Environment, Grains) {
    let domain = Some(Aabb::new(DVec3::ZERO, DVec3::splat(0.03)));
    let space = Space { domain, periodic: [true; 3], ..Space::unbounded(Dimension::Full) };
    let env = Environment::new(space, DVec3::ZERO);
    let mut random = Random::new(1);
    let axes = DVec3::new(1.2e-3, 1e-3, 0.8e-3);
    let (body, _) = EllipsoidGrain::new(axes, 12).make(&mut random).unwrap();
    let shape = Arc::new(Shape::from_polyhedron(&body).unwrap());
    let config = Config { integrator, ..Config::new(2650.0) };
    let mut grains = Grains::new(config, vec![shape], &env).unwrap();
    let block =
        Block { origin: DVec3::ZERO, size: DVec3::splat(0.03), spacing: DVec3::splat(3e-3) };
    for position in block.places(None, 2.4e-3).unwrap() {
        let (velocity, omega) = (0.2 * random.direction(), 100.0 * random.direction());
        let orientation = random.orientation();
        grains.add(&Grain { shape: 0, position, velocity, orientation, omega }).unwrap();
    }
    (env, grains)
}

#[test]
fn warm_steps_do_not_allocate() {
    for threads in [1, 2] {
        for integrator in
            [Integrator::Symplectic, Integrator::Gear { values: 5, on: Dependence::Position }]
        {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut env, mut grains) = cloud(integrator);
                let mut step = |n: usize| {
                    for _ in 0..n {
                        grains.step(&mut env, 1e-4).unwrap();
                    }
                };
                step(100);
                let before = ALLOCATIONS.load(Relaxed);
                step(20);
                assert_eq!(ALLOCATIONS.load(Relaxed) - before, 0, "{threads} {integrator:?}");
            });
        }
    }
    // Nor does it where openings wait.
    let (mut env, grains) = cloud(Integrator::Symplectic);
    let far = Aabb::new(DVec3::splat(1.0), DVec3::splat(2.0));
    let pour = |pace| Pour::new("grains", far, vec![0], pace).unwrap();
    let (mut late, mut slow) = (pour(Pace::Rate(1.0)), pour(Pace::Slower(1e-9)));
    (late.start, slow.max_grains) = (1.0, 2);
    let outlet = Outlet::new(Region::Box(far));
    let outlets = vec![outlet.returning(Some(far)), outlet];
    let mut openings = Openings { pours: vec![late, slow], outlets, ..Openings::default() };
    env.gravity = DVec3::NEG_Y;
    let mut methods: Vec<Box<dyn Method>> = vec![Box::new(grains)];
    let mut step = |steps: std::ops::Range<u32>| {
        for k in steps {
            let time = 1e-4 * f64::from(k);
            openings.pour(&env, &mut methods, time).unwrap();
            methods[0].step(&mut env, 1e-4).unwrap();
            openings.act(&env, &mut methods, time).unwrap();
        }
    };
    // In a pool, since handing work to one from outside allocates now and then.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        step(0..100);
        let before = ALLOCATIONS.load(Relaxed);
        step(100..120);
        assert_eq!(ALLOCATIONS.load(Relaxed) - before, 0, "openings");
    });
    // The counter itself works.
    let before = ALLOCATIONS.load(Relaxed);
    drop(cloud(Integrator::Symplectic));
    assert!(ALLOCATIONS.load(Relaxed) > before);
}
