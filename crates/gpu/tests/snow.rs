//! Snow on the GPU against snow on the CPU. Runs on any GPU, in CI on Mesa's software Vulkan; where there
//! is none, the tests say so and pass.
#![expect(clippy::print_stdout, reason = "tests show what they measure")]

use glam::{DQuat, DVec3};
use lawine_core::body::{Body, Motion};
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_gpu::{Gpu, GpuError, Snow, SnowError};
use lawine_solvers::mpm::{
    Config, Elastic, Laws, Liquid, Material, Matter, NewMatter, Sand, SnowKind,
};

const CELL: f64 = 0.02;

fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

fn space(dimension: Dimension) -> Environment {
    Environment::new(Space::unbounded(dimension), DVec3::new(0.0, -9.81, 0.0))
}

fn floor() -> Environment {
    let mut env = space(Dimension::Full);
    env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap());
    env
}

/// A block of `side`³ particles (`side`² in the plane), two to a cell along each axis, on its way down.
fn block(side: usize, dimension: Dimension, materials: u32) -> Vec<NewMatter> {
    let mut random = Random::new(3);
    let d = 0.5 * CELL;
    let planar = dimension == Dimension::Planar;
    (0..side * side * if planar { 1 } else { side })
        .map(|i| {
            let place = [i % side, i / side % side, i / side / side].map(|k| k as f64 + 0.5);
            let x = d * (DVec3::from_array(place) + 0.2 * random.direction());
            let mut position = x + DVec3::new(0.013, 0.004, -0.05);
            let mut velocity = DVec3::new(0.3, -2.0, 0.1) + 3.0 * DVec3::new(x.y, -x.x, 0.0);
            if planar {
                (position.z, velocity.z) = (0.0, 0.0);
            }
            let volume = d.powi(if planar { 2 } else { 3 });
            NewMatter { position, velocity, volume, material: i as u32 % materials }
        })
        .collect()
}

fn dry() -> Config {
    Config::new(CELL, SnowKind::Dry.material())
}

fn matter(config: &Config, env: &Environment, new: &[NewMatter]) -> Matter {
    let mut matter = Matter::new(config.clone(), env).unwrap();
    matter.add(new).unwrap();
    matter
}

/// The places of the CPU's particles, by identifier.
fn by_id(matter: &Matter) -> Vec<usize> {
    let mut order: Vec<usize> = (0..matter.particles().len()).collect();
    order.sort_by_key(|&i| matter.particles().id[i]);
    order
}

/// Steps both and compares positions, sums and forces; gives the worst difference in cells.
fn compare(gpu: &Gpu, config: &Config, env: &Environment, new: &[NewMatter], steps: usize) -> f64 {
    let mut cpu = matter(config, env, new);
    let mut snow = Snow::new(gpu, matter(config, env, new), env).unwrap();
    let (mut env_cpu, mut env_gpu) = (env.clone(), env.clone());
    let dt = 0.5 * cpu.dt_limit(env).dt;
    for step in 1..=steps {
        // The last step is shorter, as before a frame: the GPU then tells the forces of that step.
        let dt = if step == steps { 0.5 * dt } else { dt };
        for env in [&mut env_cpu, &mut env_gpu] {
            env.clear_forces();
            env.set_time(step as f64 * dt);
        }
        cpu.step(&mut env_cpu, dt).unwrap();
        snow.step(&mut env_gpu, dt).unwrap();
    }
    let (p, found) = (cpu.particles(), snow.matter().unwrap());
    let mut worst = 0.0_f64;
    for (k, i) in by_id(&cpu).into_iter().enumerate() {
        assert_eq!(found.particles().id[k], p.id[i]);
        worst = worst.max((found.particles().x[k] - p.x[i]).length() / config.cell);
    }
    let (mass, momentum, spin) = cpu.totals();
    let (mass_gpu, momentum_gpu, spin_gpu) = found.totals();
    let speed: f64 = p.v.iter().map(|v| v.length()).sum::<f64>() / p.len() as f64;
    let momentum_error = (momentum - momentum_gpu).length() / (mass * speed);
    let spin_error = (spin - spin_gpu).length() / (mass * speed * 0.1);
    println!(
        "{} particles, {steps} steps: positions within {worst:.1e} cells, momentum {momentum_error:.1e}, \
         spin {spin_error:.1e}",
        p.len()
    );
    assert!((mass / mass_gpu - 1.0).abs() < 1e-12);
    assert!(momentum_error < 1e-5 && spin_error < 1e-5);
    assert!((cpu.volume() / found.volume() - 1.0).abs() < 1e-5);
    for (a, b) in env_cpu.bodies.iter().zip(&env_gpu.bodies) {
        println!("  {}: {:.4} N and {:.4} N", a.name, a.force, b.force);
        // Positions have 24 bits in a cell when they meet a body, which is a force of m h 2⁻²⁴ / Δt².
        let rounding = mass * config.cell * 6e-8 / (0.5 * dt).powi(2);
        let most = 1e-3 * a.force.length() + rounding;
        assert!((a.force - b.force).length() < most, "{}", a.name);
        assert!((a.torque - b.torque).length() < most, "{}", a.name);
    }
    worst
}

#[test]
fn snow_on_a_floor_is_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let worst = compare(&gpu, &dry(), &floor(), &block(11, Dimension::Full, 1), 100);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn the_method_of_the_thesis_is_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let config = Config::thesis(CELL, SnowKind::Dry.material());
    let worst = compare(&gpu, &config, &floor(), &block(9, Dimension::Full, 1), 100);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn all_materials_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let elastic = Elastic { young: 1e5, poisson: 0.3 };
    let of = |law| Material { density: 800.0, law };
    let mut config = Config::new(CELL, SnowKind::Icy.material());
    config.materials.push(of(Laws::Elastic(elastic)));
    config.materials.push(of(Laws::Sand(Sand { elastic, friction_angle: 0.6 })));
    config.materials.push(of(Laws::Liquid(Liquid { bulk_modulus: 1e5 })));
    let worst = compare(&gpu, &config, &floor(), &block(9, Dimension::Full, 4), 100);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn the_plane_is_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut env = space(Dimension::Planar);
    env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap());
    let worst = compare(&gpu, &dry(), &env, &block(16, Dimension::Planar, 1), 50);
    assert!(worst < 1e-3, "{worst}");
}

/// Snow in a box, on all kinds of bodies at a time, one of which moves.
#[test]
fn all_bodies_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut env = space(Dimension::Full);
    // No face goes through nodes, where rounding would decide.
    let (low, high) = (DVec3::new(-0.011, 0.001, -0.063), DVec3::new(0.131, 0.4, 0.079));
    let open = [[false; 2], [false, true], [false; 2]];
    env.bodies.push(Body::container("box", low, high, open).unwrap());
    env.bodies.push(Body::sphere("ball", DVec3::new(0.06, -0.01, 0.0), 0.025).unwrap());
    let (low, high) = (DVec3::new(0.083, -0.05, -0.031), DVec3::new(0.117, 0.017, 0.023));
    env.bodies.push(Body::cuboid("step", low, high).unwrap());
    let corners: Vec<DVec3> = [[0, 0, 0], [4, 0, 0], [0, 3, 0], [0, 0, 4]]
        .map(|c| DVec3::from_array(c.map(f64::from)) * 0.01 + DVec3::new(0.003, 0.003, -0.051))
        .to_vec();
    env.bodies.push(Body::polyhedron("wedge", &corners).unwrap());
    env.bodies[1].motion = vec![Motion::Velocity {
        velocity: DVec3::new(0.0, 0.5, 0.0),
        start: 0.0,
        stop: f64::INFINITY,
    }];
    env.bodies[2].rest.rotation = DQuat::from_rotation_z(0.2);
    let worst = compare(&gpu, &dry(), &env, &block(9, Dimension::Full, 1), 40);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn split_buffers_change_nothing_and_small_ones_are_refused() {
    let Some(gpu) = gpu() else { return };
    let new = block(9, Dimension::Full, 1);
    // 512 particles fit into a part, so that there are two.
    let worst = compare(&gpu.clone().restricted(150_000), &dry(), &floor(), &new, 8);
    assert!(worst < 1e-3, "{worst}");
    let refused = Snow::new(&gpu.restricted(2048), matter(&dry(), &floor(), &new), &floor());
    let error = refused.err().unwrap();
    assert!(matches!(error, SnowError::Gpu(GpuError::TooLarge { .. })), "{error}");
    println!("{error}");
}

/// Runs with the steps that the GPU asks for; gives the state as bytes.
fn run(gpu: &Gpu, steps: usize) -> Vec<u8> {
    let mut env = floor();
    let mut snow =
        Snow::new(gpu, matter(&dry(), &env, &block(9, Dimension::Full, 1)), &env).unwrap();
    for _ in 0..steps {
        let dt = snow.dt_limit(&env).dt;
        snow.step(&mut env, dt).unwrap();
    }
    let mut bytes = Vec::new();
    snow.save(&mut bytes).unwrap();
    bytes
}

#[test]
fn two_runs_give_the_same_bits() {
    let Some(gpu) = gpu() else { return };
    assert!(run(&gpu, 40) == run(&gpu, 40));
}

#[test]
fn checkpoints_go_both_ways() {
    let Some(gpu) = gpu() else { return };
    let mut env = floor();
    let new = block(7, Dimension::Full, 1);
    let mut snow = Snow::new(&gpu, matter(&dry(), &env, &new), &env).unwrap();
    let dt = 0.5 * snow.dt_limit(&env).dt;
    for _ in 0..10 {
        snow.step(&mut env, dt).unwrap();
    }
    let mut bytes = Vec::new();
    snow.save(&mut bytes).unwrap();
    // GPU to CPU and to another GPU run.
    let mut cpu = matter(&dry(), &env, &[]);
    cpu.load(&mut &bytes[..]).unwrap();
    let mut again = Snow::new(&gpu, matter(&dry(), &env, &[]), &env).unwrap();
    again.load(&mut &bytes[..]).unwrap();
    for method in [&mut snow as &mut dyn Method, &mut again, &mut cpu] {
        for _ in 0..10 {
            method.step(&mut env, dt).unwrap();
        }
    }
    let saved = |method: &dyn Method| {
        let mut bytes = Vec::new();
        method.save(&mut bytes).unwrap();
        bytes
    };
    assert!(saved(&snow) == saved(&again), "a resumed run has the bits of the other");
    let found = snow.matter().unwrap().particles();
    for (k, i) in by_id(&cpu).into_iter().enumerate() {
        assert!((found.x[k] - cpu.particles().x[i]).length() < 1e-5 * CELL);
    }
    // CPU to GPU.
    again.load(&mut &saved(&cpu)[..]).unwrap();
    assert_eq!(again.particle_count(), new.len());
    again.step(&mut env, dt).unwrap();
}

#[test]
fn odd_numbers_of_particles_are_fine() {
    let Some(gpu) = gpu() else { return };
    let at = |position| NewMatter { position, velocity: DVec3::X, volume: 1e-6, material: 0 };
    let free = space(Dimension::Full);
    let mut random = Random::new(9);
    let crowd: Vec<NewMatter> = (0..300).map(|_| at(0.1 * CELL * random.direction())).collect();
    let far = 1e6 * CELL;
    let pair = [at(DVec3::new(-0.5 * far, 0.0, far)), at(DVec3::new(0.5 * far, 0.3, -far))];
    for new in [&[at(DVec3::ONE)][..], &crowd, &pair] {
        let worst = compare(&gpu, &dry(), &free, new, 20);
        assert!(worst < 1e-3, "{worst}");
    }
    let mut none = Snow::new(&gpu, matter(&dry(), &free, &[]), &free).unwrap();
    none.step(&mut free.clone(), 1e-3).unwrap();
    assert_eq!(none.matter().unwrap().particles().len(), 0);
}
