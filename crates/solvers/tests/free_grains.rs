//! Grains that drift without forces: momentum, pairs, and the same bits in every way.

use glam::{DQuat, DVec3};
use lawine_core::environment::Environment;
use lawine_core::geometry::{
    Aabb, EllipsoidGrain, Platonic, Random, Shape, SizeDistribution, Sizes, platonic,
};
use lawine_core::method::{EditError, Method, NewParticle};
use lawine_core::rigid::Dependence;
use lawine_core::space::{Dimension, Leaving, Space};
use lawine_solvers::dem::broad::{BoxMethod, Search};
use lawine_solvers::dem::narrow::Status;
use lawine_solvers::dem::{Block, Config, Grain, Grains, GrainsError, Integrator};
use std::sync::Arc;

const SIDE: f64 = 0.05;

fn periodic() -> Environment {
    let domain = Some(Aabb::new(DVec3::ZERO, DVec3::splat(SIDE)));
    let space = Space { domain, periodic: [true; 3], ..Space::unbounded(Dimension::Full) };
    Environment::new(space, DVec3::ZERO)
}

fn shapes() -> Vec<Arc<Shape>> {
    let mut random = Random::new(3);
    let sizes = Sizes::new(SizeDistribution::Uniform { min: 0.6, max: 1.0 }).unwrap();
    let mut shapes =
        vec![Shape::from_polyhedron(&platonic(Platonic::Cube, 1.2e-3).unwrap()).unwrap()];
    for n in [4, 12, 42] {
        let axes = DVec3::new(1.3, 1.0, 0.8) * 1e-3 * sizes.draw(&mut random);
        let (body, axes) = EllipsoidGrain::new(axes, n).make(&mut random).unwrap();
        shapes.push(Shape::from_polyhedron(&body).unwrap().with_ellipsoid(axes));
    }
    shapes.into_iter().map(Arc::new).collect()
}

/// A cloud of 1,000 grains.
fn cloud(search: Search, boxes: BoxMethod) -> (Environment, Grains) {
    filled(Config { search, boxes, ..Config::new(2650.0) })
}

fn filled(config: Config) -> (Environment, Grains) {
    let env = periodic();
    let mut grains = Grains::new(config, shapes(), &env).unwrap();
    let block =
        Block { origin: DVec3::ZERO, size: DVec3::splat(SIDE), spacing: DVec3::splat(SIDE / 10.0) };
    let mut random = Random::new(4);
    for position in block.places(Some(1000), 2.6e-3).unwrap() {
        let grain = Grain {
            shape: random.below(4) as u32,
            position,
            velocity: random.direction() * 0.5,
            orientation: random.orientation(),
            omega: random.direction() * 300.0,
        };
        grains.add(&grain).unwrap();
    }
    (env, grains)
}

fn steps(env: &mut Environment, grains: &mut Grains, n: usize) {
    for _ in 0..n {
        grains.step(env, 1e-4).unwrap();
    }
}

fn saved(grains: &Grains) -> Vec<u8> {
    let mut bytes = Vec::new();
    grains.save(&mut bytes).unwrap();
    bytes
}

#[test]
fn momentum_and_energy_are_kept() {
    let (mut env, mut grains) = cloud(Search::SortAndSweep, BoxMethod::Auto);
    let ((p, _), e) = (grains.momentum(), grains.energy(&env).kinetic);
    let l = grains.state().l.clone();
    steps(&mut env, &mut grains, 300);
    assert_eq!(grains.momentum().0, p);
    assert_eq!(grains.state().l, l);
    assert!((grains.energy(&env).kinetic / e - 1.0).abs() < 1e-6);
    let domain = env.space.domain.unwrap();
    assert!(grains.state().x.iter().all(|x| domain.contains(*x)));
}

#[test]
fn gears_method_is_saved_with_its_derivatives() {
    let config = Config {
        integrator: Integrator::Gear { values: 6, on: Dependence::Position },
        ..Config::new(2650.0)
    };
    let (mut env, mut grains) = filled(config);
    let e = grains.energy(&env).kinetic;
    steps(&mut env, &mut grains, 20);
    let half = saved(&grains);
    steps(&mut env, &mut grains, 20);
    let drift = grains.energy(&env).kinetic / e - 1.0;
    assert!(drift.abs() < 1e-6, "{drift}");
    let (_, mut other) = filled(config);
    other.load(&mut &half[..]).unwrap();
    steps(&mut env, &mut other, 20);
    assert!(saved(&other) == saved(&grains));
    // It agrees with the other integrator, and their checkpoints are told apart.
    let (_, mut symplectic) = cloud(Search::SortAndSweep, BoxMethod::Auto);
    assert!(symplectic.load(&mut &half[..]).is_err());
    steps(&mut env, &mut symplectic, 40);
    for (a, b) in symplectic.state().q.iter().zip(&grains.state().q) {
        assert!(a.dot(*b).abs() > 1.0 - 1e-5);
    }
    let removed = grains.remove(&|x| x.y < 0.02);
    assert!(removed > 100);
    steps(&mut env, &mut grains, 5);
    let wrong =
        Config { integrator: Integrator::Gear { values: 9, on: Dependence::Position }, ..config };
    let error = Grains::new(wrong, shapes(), &env).err().unwrap().to_string();
    assert_eq!(error, "Gear's method is available with 4 to 8 values, not with 9");
}

#[test]
fn all_searches_see_the_same_neighbours() {
    let run = |search, boxes| {
        let (mut env, mut grains) = cloud(search, boxes);
        steps(&mut env, &mut grains, 100);
        grains
    };
    let sweep = run(Search::SortAndSweep, BoxMethod::MinMax);
    let grid = run(Search::Grid { skin: 2e-4 }, BoxMethod::MinMax);
    let brute = run(Search::BruteForce, BoxMethod::MinMax);
    assert!(brute.neighbors().len() > 50);
    assert_eq!(sweep.neighbors(), brute.neighbors());
    assert_eq!(grid.neighbors(), brute.neighbors());
    // Larger boxes see more pairs, but the same that penetrate.
    let loose = run(Search::SortAndSweep, BoxMethod::Ellipsoid);
    let inside = |grains: &Grains| {
        let neighbors = grains.neighbors().iter();
        let inside = neighbors.filter(|n| n.closest.status == Status::Penetrating);
        inside.map(|n| n.pair).collect::<Vec<_>>()
    };
    assert!(loose.neighbors().len() > brute.neighbors().len());
    assert!(!inside(&brute).is_empty());
    assert_eq!(inside(&loose), inside(&brute));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut env, mut grains) = cloud(Search::SortAndSweep, BoxMethod::Auto);
            steps(&mut env, &mut grains, 40);
            (saved(&grains), grains.neighbors().to_vec(), grains.energy(&env))
        })
    };
    assert!(run(1) == run(3));
}

#[test]
fn saved_and_loaded_goes_on_with_the_same_bits() {
    let (mut env, mut grains) = cloud(Search::SortAndSweep, BoxMethod::Auto);
    steps(&mut env, &mut grains, 20);
    let half = saved(&grains);
    steps(&mut env, &mut grains, 20);
    let (_, mut other) = cloud(Search::SortAndSweep, BoxMethod::Auto);
    other.load(&mut &half[..]).unwrap();
    assert_eq!(saved(&other), half);
    steps(&mut env, &mut other, 20);
    assert!(saved(&other) == saved(&grains));
    assert_eq!(
        other.neighbors().iter().map(|n| n.pair).collect::<Vec<_>>(),
        grains.neighbors().iter().map(|n| n.pair).collect::<Vec<_>>()
    );
    // Torn files are refused, whatever is missing.
    for cut in [0, 1, half.len() / 2, half.len() - 1] {
        assert!(other.load(&mut &half[..cut]).is_err());
    }
}

#[test]
fn grains_fall_leave_and_are_inserted() {
    let mut env = periodic();
    env.space.periodic = [false; 3];
    env.space.leaving = Leaving::Remove;
    env.gravity = DVec3::new(0.0, -9.81, 0.0);
    let mut grains = Grains::new(Config::new(2650.0), shapes(), &env).unwrap();
    let velocity = DVec3::ZERO;
    let at = |y| NewParticle { position: DVec3::new(0.02, y, 0.02), velocity };
    grains.insert(&[at(0.04), at(0.001)]).unwrap();
    let broken = NewParticle { position: DVec3::NAN, velocity };
    assert_eq!(grains.insert(&[broken]), Err(EditError::NotFinite));
    steps(&mut env, &mut grains, 200);
    assert_eq!(grains.particle_count(), 1);
    // Free fall of 20 ms is exact with velocity Verlet.
    let fallen = 0.04 - grains.state().x[0].y;
    assert!((fallen - 0.5 * 9.81 * 0.02_f64.powi(2)).abs() < 1e-15);
    assert_eq!(grains.remove(&|_| true), 1);
    steps(&mut env, &mut grains, 1);
}

#[test]
fn bad_input_is_refused() {
    let env = periodic();
    let make = |config| Grains::new(config, shapes(), &env).err();
    assert!(matches!(make(Config::new(0.0)), Some(GrainsError::Setting(_))));
    assert!(make(Config { margin: f64::NAN, ..Config::new(1.0) }).is_some());
    assert_eq!(Grains::new(Config::new(1.0), vec![], &env).err(), Some(GrainsError::NoShapes));
    let planar = Environment::new(Space::unbounded(Dimension::Planar), DVec3::ZERO);
    assert_eq!(Grains::new(Config::new(1.0), shapes(), &planar).err(), Some(GrainsError::Planar));
    let mut grains = Grains::new(Config::new(1.0), shapes(), &env).unwrap();
    let mut grain = Grain {
        shape: 9,
        position: DVec3::ZERO,
        velocity: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
        omega: DVec3::ZERO,
    };
    assert_eq!(grains.add(&grain), Err(GrainsError::UnknownShape { shape: 9, count: 4 }));
    grain.shape = 0;
    grain.orientation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert_eq!(grains.add(&grain), Err(GrainsError::NotFinite));
}
