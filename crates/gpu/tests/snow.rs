//! Snow on the GPU against snow on the CPU. Runs on any GPU, in CI on Mesa's software Vulkan; where there
//! is none, the tests say so and pass.

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_gpu::{Gpu, Snow};
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

fn floor() -> Environment {
    let mut env = Environment::new(Space::unbounded(Dimension::Full), DVec3::new(0.0, -9.81, 0.0));
    env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap());
    env
}

/// A block of snow of `side`³ particles, two to a cell along each axis, that hits the floor.
fn block(side: usize, materials: u32) -> Vec<NewMatter> {
    let mut random = Random::new(3);
    let d = 0.5 * CELL;
    (0..side * side * side)
        .map(|i| {
            let place = [i % side, i / side % side, i / side / side].map(|k| k as f64 + 0.5);
            let x = d * (DVec3::from_array(place) + 0.2 * random.direction());
            NewMatter {
                position: x + DVec3::new(0.013, 0.004, -0.05),
                velocity: DVec3::new(0.3, -2.0, 0.1) + 3.0 * DVec3::new(x.y, -x.x, 0.0),
                volume: d.powi(3),
                material: i as u32 % materials,
            }
        })
        .collect()
}

fn matter(config: &Config, env: &Environment, new: &[NewMatter]) -> Matter {
    let mut matter = Matter::new(config.clone(), env).unwrap();
    matter.add(new).unwrap();
    matter
}

/// Positions of both after `steps`, by identifier; and the worst difference in cells.
fn compare(config: &Config, env: &Environment, new: &[NewMatter], steps: usize) -> f64 {
    let Some(gpu) = gpu() else { return 0.0 };
    let mut cpu = matter(config, env, new);
    let mut snow = Snow::new(&gpu, matter(config, env, new), env).unwrap();
    let (mut env_cpu, mut env_gpu) = (env.clone(), env.clone());
    let dt = 0.5 * cpu.dt_limit(env).dt;
    for _ in 0..steps {
        env_cpu.clear_forces();
        env_gpu.clear_forces();
        cpu.step(&mut env_cpu, dt).unwrap();
        snow.step(&mut env_gpu, dt).unwrap();
    }
    let found = snow.matter().unwrap();
    let p = cpu.particles();
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by_key(|&i| p.id[i]);
    let mut worst = 0.0_f64;
    for (k, &i) in order.iter().enumerate() {
        assert_eq!(found.particles().id[k], p.id[i]);
        worst = worst.max((found.particles().x[k] - p.x[i]).length() / config.cell);
    }
    let (mass, momentum, spin) = cpu.totals();
    let (mass_gpu, momentum_gpu, spin_gpu) = found.totals();
    let speed: f64 = p.v.iter().map(|v| v.length()).sum::<f64>() / p.len() as f64;
    println!(
        "{} particles, {steps} steps: positions within {worst:.1e} cells, momentum {:.1e}, spin {:.1e}",
        p.len(),
        (momentum - momentum_gpu).length() / (mass * speed),
        (spin - spin_gpu).length() / (mass * speed * 0.1),
    );
    assert!((mass / mass_gpu - 1.0).abs() < 1e-12);
    assert!((momentum - momentum_gpu).length() < 1e-5 * mass * speed);
    assert!((cpu.volume() / found.volume() - 1.0).abs() < 1e-5);
    worst
}

#[test]
fn snow_on_a_floor_is_as_on_the_cpu() {
    let config = Config::new(CELL, SnowKind::Dry.material());
    let worst = compare(&config, &floor(), &block(16, 1), 100);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn the_method_of_the_thesis_is_as_on_the_cpu() {
    let config = Config::thesis(CELL, SnowKind::Dry.material());
    let worst = compare(&config, &floor(), &block(12, 1), 100);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn all_materials_are_as_on_the_cpu() {
    let elastic = Elastic { young: 1e5, poisson: 0.3 };
    let of = |law| Material { density: 800.0, law };
    let mut config = Config::new(CELL, SnowKind::Icy.material());
    config.materials.push(of(Laws::Elastic(elastic)));
    config.materials.push(of(Laws::Sand(Sand { elastic, friction_angle: 0.6 })));
    config.materials.push(of(Laws::Liquid(Liquid { bulk_modulus: 1e5 })));
    let worst = compare(&config, &floor(), &block(12, 4), 100);
    assert!(worst < 1e-3, "{worst}");
}
