//! Shows how to simulate a liquid without a scene file: a tank, a block of water, and the one loop.
//! `cargo run --release -p lawine-solvers --example dam`
#![allow(clippy::print_stdout, reason = "an example that prints")]

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::field::positions;
use lawine_core::kernel::KernelKind;
use lawine_core::method::{Method, NewParticle};
use lawine_core::neighbors::SearchKind;
use lawine_core::simulation::{Simulation, TimeControl};
use lawine_core::space::{Dimension, Space};
use lawine_solvers::sph::{
    BoundaryMethod, Config, Iterations, Liquid, PressureMethod, ViscositySolver, WallPressure,
};

const SPACING: f64 = 0.02;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut env = Environment::new(Space::unbounded(Dimension::Planar), DVec3::Y * -9.81);
    let open = [[false; 2], [false, true], [false; 2]];
    env.bodies.push(Body::container("tank", DVec3::ZERO, DVec3::new(2.0, 1.0, 0.0), open)?);
    let water = Config {
        spacing: SPACING,
        support: 2.0 * SPACING,
        kernel: KernelKind::CubicSpline,
        search: SearchKind::Grid,
        rest_density: 1000.0,
        viscosity: 1e-3,
        viscosity_solver: ViscositySolver::Explicit,
        xsph: 0.0,
        surface_tension: 0.0,
        wall_viscosity: 0.0,
        pressure: PressureMethod::Iisph(Iterations::default()),
        wall_pressure: WallPressure::Consistent,
        boundary: BoundaryMethod::Layers(3),
        cfl: 0.4,
    };
    let mut liquid = Liquid::new(water, &env)?;
    let place = |i: i32| DVec3::new(f64::from(i % 25) + 0.5, f64::from(i / 25) + 0.5, 0.0);
    let block: Vec<NewParticle> = (0..25 * 30)
        .map(|i| NewParticle { position: SPACING * place(i), velocity: DVec3::ZERO })
        .collect();
    liquid.insert(&block)?;
    let control = TimeControl { fixed: None, max: 5e-3, growth: 1.1 };
    let mut simulation = Simulation::new(env, vec![Box::new(liquid)], control);
    for tenth in 1..=5 {
        simulation.advance_to(0.1 * f64::from(tenth), &mut [])?;
        let fields = simulation.methods[0].fields();
        let front = positions(&fields).unwrap_or_default().iter().map(|x| x.x).fold(0.0, f64::max);
        println!("{:.1} s, {} steps: front at {front:.3} m", simulation.time(), simulation.steps());
    }
    Ok(())
}
