//! Materials, methods, bodies, sizes and checkpoints.

use crate::common::{CELL, block, by_id, compare, dry, floor, gpu, matter, space};
use glam::{DQuat, DVec3};
use lawine_core::body::{Body, Motion};
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::Method;
use lawine_core::space::Dimension;
use lawine_gpu::{Gpu, GpuError, Snow, SnowError};
use lawine_solvers::mpm::{Config, Elastic, Laws, Liquid, Material, NewMatter, Sand, SnowKind};

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

/// A floor in the plane.
fn line() -> Environment {
    let mut env = space(Dimension::Planar);
    env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap());
    env
}

#[test]
fn the_plane_is_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let worst = compare(&gpu, &dry(), &line(), &block(16, Dimension::Planar, 1), 50);
    assert!(worst < 1e-3, "{worst}");
}

/// A box with all kinds of bodies at a time, one of which moves.
fn room() -> Environment {
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
    env.bodies[1].add_motion(Motion::Velocity {
        velocity: DVec3::new(0.0, 0.5, 0.0),
        start: 0.0,
        stop: f64::INFINITY,
    });
    env.bodies[2].rest.rotation = DQuat::from_rotation_z(0.2);
    env
}

#[test]
fn all_bodies_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let worst = compare(&gpu, &dry(), &room(), &block(9, Dimension::Full, 1), 40);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn bodies_that_vanish_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut env = room();
    env.bodies[2].until = 1e-3;
    env.bodies[3].until = 2e-3;
    let worst = compare(&gpu, &dry(), &env, &block(9, Dimension::Full, 1), 40);
    assert!(worst < 1e-3, "{worst}");
}

/// A box with a cylinder, a cone and a capsule on its floor.
fn round() -> Environment {
    let mut env = room();
    env.bodies.truncate(1);
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let lying = [at(0.02, 0.003, -0.05), at(0.031, 0.007, 0.061)];
    env.bodies.push(Body::cone("cylinder", lying[0], lying[1], [0.017; 2]).unwrap());
    let standing = [at(0.07, -0.013, 0.001), at(0.073, 0.027, 0.003)];
    env.bodies.push(Body::cone("cone", standing[0], standing[1], [0.021, 0.0]).unwrap());
    let slanting = [at(0.101, -0.009, -0.03), at(0.107, 0.013, 0.033)];
    env.bodies.push(Body::capsule("capsule", slanting[0], slanting[1], 0.011).unwrap());
    env
}

#[test]
fn round_bodies_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let worst = compare(&gpu, &dry(), &round(), &block(9, Dimension::Full, 1), 40);
    assert!(worst < 1e-3, "{worst}");
}

/// As millions of particles are.
#[test]
fn particles_may_be_moved_block_by_block() {
    let Some(gpu) = gpu() else { return };
    let by_blocks = gpu.clone().with_tiles_from(0);
    let thesis = Config::thesis(CELL, SnowKind::Dry.material());
    let [flat, full] = [(16, Dimension::Planar), (9, Dimension::Full)].map(|(n, d)| block(n, d, 1));
    let rows = by_blocks.clone().with_rows_of(3);
    for (gpu, config, env, new) in [
        (&by_blocks, &dry(), &room(), &full),
        (&by_blocks, &thesis, &floor(), &full),
        (&by_blocks, &dry(), &line(), &flat),
        (&rows, &dry(), &space(Dimension::Full), &full),
    ] {
        let worst = compare(gpu, config, env, new, 30);
        assert!(worst < 1e-3, "{worst}");
    }
    assert!(run(&gpu, 40) == run(&by_blocks, 40), "the same bits");
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

/// Runs with the steps that the GPU asks for; returns the state as bytes.
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
