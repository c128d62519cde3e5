//! Small set-ups that several tests share.
#![allow(dead_code, reason = "every test binary uses another part")]

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::kernel::KernelKind;
use lawine_core::method::{Method, NewParticle};
use lawine_core::neighbors::SearchKind;
use lawine_core::simulation::{Simulation, TimeControl};
use lawine_core::space::{Dimension, Space};
use lawine_solvers::sph::{
    BoundaryMethod, Config, Equation, Iterations, LinearSolver, Liquid, PressureMethod,
    StateEquation, ViscositySolver, WallPressure,
};

/// Water at spacing d [m] with the speed of sound c [m/s] and a little viscosity.
pub(crate) fn water(d: f64, c: f64) -> Config {
    Config {
        spacing: d,
        support: 2.0 * d,
        kernel: KernelKind::CubicSpline,
        search: SearchKind::Grid,
        rest_density: 1000.0,
        viscosity: 0.01 * d * c,
        viscosity_solver: ViscositySolver::Explicit,
        xsph: 0.0,
        surface_tension: 0.0,
        wall_viscosity: 0.0,
        pressure: PressureMethod::StateEquation(StateEquation {
            equation: Equation::Linear,
            stiffness: 1000.0 * c * c,
            clamp: true,
        }),
        wall_pressure: WallPressure::Consistent,
        boundary: BoundaryMethod::Layers(3),
        cfl: 0.4,
    }
}

/// A tank from the origin to `size`, open at the top, with gravity along −y.
pub(crate) fn tank(dimension: Dimension, size: DVec3) -> Environment {
    let mut env = Environment::new(Space::unbounded(dimension), DVec3::new(0.0, -9.81, 0.0));
    let open = [[false; 2], [false, true], [false; 2]];
    env.bodies.push(Body::container("tank", DVec3::ZERO, size, open).unwrap());
    env
}

/// Particles on a lattice from `min`, `counts` along each axis.
pub(crate) fn block(min: DVec3, counts: [u32; 3], d: f64) -> Vec<NewParticle> {
    let mut particles = Vec::new();
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let half = |n: u32| f64::from(n) + 0.5;
                let z = if counts[2] == 1 { 0.0 } else { half(z) };
                let position = min + d * DVec3::new(half(x), half(y), z);
                particles.push(NewParticle { position, velocity: DVec3::ZERO });
            }
        }
    }
    particles
}

/// A liquid with these particles.
pub(crate) fn liquid(config: Config, env: &Environment, particles: &[NewParticle]) -> Liquid {
    let mut liquid = Liquid::new(config, env).unwrap();
    liquid.insert(particles).unwrap();
    liquid
}

/// A simulation of one method with adaptive steps.
pub(crate) fn simulation(env: Environment, method: impl Method + 'static) -> Simulation {
    let control = TimeControl { fixed: None, max: 0.01, growth: 1.1 };
    Simulation::new(env, vec![Box::new(method)], control)
}

/// All pressure methods, the systems with a tolerance of 0.1 %.
pub(crate) fn pressure_methods(c: f64) -> [PressureMethod; 4] {
    let jacobi = Iterations::default();
    let accelerated = Iterations { linear_solver: LinearSolver::Accelerated, ..jacobi };
    [
        water(0.05, c).pressure,
        PressureMethod::Iisph(jacobi),
        PressureMethod::Iisph(accelerated),
        PressureMethod::Dfsph(jacobi),
    ]
}

/// A small dam break in three dimensions.
pub(crate) fn small_dam(config: impl FnOnce(Config) -> Config) -> Simulation {
    let env = tank(Dimension::Full, DVec3::new(1.2, 1.0, 0.5));
    let d = 0.05;
    let liquid = liquid(config(water(d, 30.0)), &env, &block(DVec3::ZERO, [10, 14, 10], d));
    simulation(env, liquid)
}

/// Runs with a pool of `threads` threads.
pub(crate) fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// A column of the field `name` as numbers: scalars, or one component of a vector.
pub(crate) fn column(simulation: &Simulation, name: &str, component: usize) -> Vec<f64> {
    use lawine_core::FieldValues;
    let fields = simulation.methods[0].fields();
    let field = fields.iter().find(|f| f.name == name).unwrap();
    match field.values {
        FieldValues::F32(v) => v.iter().map(|&x| f64::from(x)).collect(),
        FieldValues::F64(v) => v.to_vec(),
        FieldValues::U32(v) => v.iter().map(|&x| f64::from(x)).collect(),
        FieldValues::Vec3(v) => v.iter().map(|x| x[component]).collect(),
        FieldValues::Quat(v) => v.iter().map(|q| q.to_array()[component]).collect(),
        FieldValues::Symmetric(v) => v.iter().map(|t| f64::from(t[component])).collect(),
    }
}
