//! Small cases, and the CPU and the GPU side by side.

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_gpu::{Gpu, Snow};
use lawine_solvers::mpm::{Config, Matter, NewMatter, SnowKind};

pub(crate) const CELL: f64 = 0.02;

/// The GPU of the tests, if there is one, with shaders that check their bounds or do not.
pub(crate) fn gpu() -> Option<Gpu> {
    crate::driver::gpu().map(|gpu| gpu.with_checks(crate::CHECKED))
}

pub(crate) fn space(dimension: Dimension) -> Environment {
    Environment::new(Space::unbounded(dimension), DVec3::new(0.0, -9.81, 0.0))
}

pub(crate) fn floor() -> Environment {
    let mut env = space(Dimension::Full);
    env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap());
    env
}

/// A block of `side`³ particles (`side`² in the plane), two to a cell along each axis, on its way down.
pub(crate) fn block(side: usize, dimension: Dimension, materials: u32) -> Vec<NewMatter> {
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

pub(crate) fn dry() -> Config {
    Config::new(CELL, SnowKind::Dry.material())
}

pub(crate) fn matter(config: &Config, env: &Environment, new: &[NewMatter]) -> Matter {
    let mut matter = Matter::new(config.clone(), env).unwrap();
    matter.add(new).unwrap();
    matter
}

/// The places of the CPU's particles, by identifier.
pub(crate) fn by_id(matter: &Matter) -> Vec<usize> {
    let mut order: Vec<usize> = (0..matter.particles().len()).collect();
    order.sort_by_key(|&i| matter.particles().id[i]);
    order
}

/// The same snow on both, after the same steps, and its bodies.
pub(crate) struct Both {
    pub(crate) cpu: Matter,
    pub(crate) gpu: Matter,
    env_cpu: Environment,
    env_gpu: Environment,
}

impl Both {
    /// The last step is half as long, as before a frame: the GPU then tells the forces of that step.
    pub(crate) fn after(
        gpu: &Gpu,
        config: &Config,
        env: &Environment,
        new: &[NewMatter],
        steps: usize,
        dt: f64,
    ) -> Self {
        let mut cpu = matter(config, env, new);
        let mut snow = Snow::new(gpu, matter(config, env, new), env).unwrap();
        let (mut env_cpu, mut env_gpu) = (env.clone(), env.clone());
        for step in 1..=steps {
            let dt = if step == steps { 0.5 * dt } else { dt };
            for env in [&mut env_cpu, &mut env_gpu] {
                env.clear_forces();
                env.set_time(step as f64 * dt);
            }
            cpu.step(&mut env_cpu, dt).unwrap();
            snow.step(&mut env_gpu, dt).unwrap();
        }
        let mut bytes = Vec::new();
        snow.save(&mut bytes).unwrap();
        let mut gpu = matter(config, env, &[]);
        gpu.load(&mut &bytes[..]).unwrap();
        Self { cpu, gpu, env_cpu, env_gpu }
    }

    /// How far a particle on the GPU is from where it is on the CPU, at most, in cells.
    pub(crate) fn furthest(&self) -> f64 {
        let (p, found) = (self.cpu.particles(), self.gpu.particles());
        let space = &self.env_cpu.space;
        let pairs = by_id(&self.cpu).into_iter().zip(by_id(&self.gpu));
        pairs.fold(0.0_f64, |worst, (i, k)| {
            assert_eq!(found.id[k], p.id[i]);
            worst.max(space.difference(found.x[k], p.x[i]).length() / self.cpu.config().cell)
        })
    }
}

/// Steps both at half their limit and compares positions, sums and forces; returns the worst difference
/// in cells.
pub(crate) fn compare(
    gpu: &Gpu,
    config: &Config,
    env: &Environment,
    new: &[NewMatter],
    steps: usize,
) -> f64 {
    let dt = 0.5 * matter(config, env, new).dt_limit(env).dt;
    let both = Both::after(gpu, config, env, new, steps, dt);
    let worst = both.furthest();
    let Both { cpu, gpu: found, env_cpu, env_gpu } = both;
    let p = cpu.particles();
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
