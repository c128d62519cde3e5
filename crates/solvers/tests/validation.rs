//! Theory and experiment, each with its tolerance: `validation/README.md`.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

mod common;

use common::{block, column, liquid, simulation, tank, water};
use glam::DVec3;
use lawine_core::fit::Line;
use lawine_core::kernel::{Kernel, KernelKind};
use lawine_core::simulation::Simulation;
use lawine_core::space::Dimension;
use lawine_solvers::sph::{
    Config, Equation, Iterations, LinearSolver, PressureMethod, StateEquation,
};

const RHO_G: f64 = 1000.0 * 9.81;

/// Spacing and width of the settled column [m].
const D: f64 = 0.05;
const WIDTH: f64 = 0.5;

/// A column of water, one metre high, settled.
fn settled_column(dimension: Dimension, config: impl FnOnce(Config) -> Config) -> Simulation {
    let planar = dimension == Dimension::Planar;
    let (depth, layers) = if planar { (0.0, 1) } else { (WIDTH, 10) };
    let env = tank(dimension, DVec3::new(WIDTH, 1.5, depth));
    // Thick, so that the sound waves of the fall die out; the state of rest does not depend on it.
    let config = config(Config { viscosity: 1.0, ..water(D, 45.0) });
    let liquid = liquid(config, &env, &block(DVec3::ZERO, [10, 20, layers], D));
    let mut column = simulation(env, liquid);
    column.advance_to(2.5, &mut []).unwrap();
    column
}

/// Heights and values of a field below the surface: the surface layer has fewer neighbours and,
/// clamped, no pressure.
fn below_surface(settled: &Simulation, field: &str) -> Vec<(f64, f64)> {
    let (y, value) = (column(settled, "position", 1), column(settled, field, 0));
    y.into_iter().zip(value).filter(|(y, _)| *y < 0.9).collect()
}

#[test]
fn hydrostatic_column_has_the_right_slope() {
    let settled = settled_column(Dimension::Planar, |c| c);
    let points = below_surface(&settled, "pressure");
    let line = Line::through(&points);
    let (slope, rest) = (line.slope, line.residual(&points));
    let energy = settled.methods[0].energy(&settled.env);
    let top = column(&settled, "position", 1).into_iter().fold(0.0, f64::max);
    println!(
        "slope {:.4} of ρg, residual {:.4} of ρgH, top {top:.4}, kinetic {:.2e} J",
        slope / -RHO_G,
        rest / RHO_G,
        energy.kinetic
    );
    assert!((slope / -RHO_G - 1.0).abs() < 0.01, "slope {slope}");
    assert!(rest < 0.02 * RHO_G, "residual {rest}");
    assert!((top - (1.0 - 0.5 * D)).abs() < 0.5 * D, "surface at {top}");
    assert!(energy.kinetic < 1e-4 * energy.potential);
}

#[test]
fn slope_in_space_is_that_of_the_lattice() {
    // The forces balance exactly, so the slope is one over the discrete moment Σ V x ∂W/∂x, which
    // is 1.020 for a cubic spline with a support of 2 d on a lattice of cubes: the 2 % belong to
    // the kernel, not to the solver.
    let kernel = Kernel::new(KernelKind::CubicSpline, 2.0 * D, 3);
    let lattice = (0..125).map(|k| DVec3::new((k % 5).into(), (k / 5 % 5).into(), (k / 25).into()));
    let moment: f64 =
        lattice.map(|n| D * (n - 2.0)).map(|x| -x.y * kernel.gradient(x).y * D.powi(3)).sum();
    let settled = settled_column(Dimension::Full, |c| c);
    let slope = Line::through(&below_surface(&settled, "pressure")).slope / -RHO_G;
    println!("slope {slope:.4} of ρg, moment {moment:.4}");
    assert!((moment - 1.020).abs() < 1e-3);
    assert!((slope * moment - 1.0).abs() < 0.01, "slope {slope}, moment {moment}");
}

#[test]
fn walls_carry_the_weight() {
    let settled = settled_column(Dimension::Full, |c| c);
    let weight = WIDTH * WIDTH * RHO_G;
    let tank = &settled.env.bodies[0];
    println!("force {} of weight {weight}, torque {}", tank.force, tank.torque);
    assert!((tank.force.y / -weight - 1.0).abs() < 0.01, "{}", tank.force);
    assert!(tank.force.x.abs() < 0.01 * weight && tank.force.z.abs() < 0.01 * weight);
    // The weight acts in the middle, where the tank's own origin is.
    assert!(tank.torque.length() < 0.01 * weight * WIDTH);
}

#[test]
fn compression_follows_the_equation_of_state() {
    for stiffness in [1e6, 2e6, 4e6] {
        for equation in [Equation::Linear, Equation::Tait { exponent: 7.0 }] {
            let law = StateEquation { equation, stiffness, clamp: true };
            let pressure = PressureMethod::StateEquation(law);
            let settled = settled_column(Dimension::Planar, |c| Config { pressure, ..c });
            let points = below_surface(&settled, "density");
            // dρ/dh = ρ0² g/k, taken as a slope: it does not matter where the surface is.
            let slope = Line::through(&points).slope;
            let expected = -1000.0 * RHO_G / stiffness;
            println!("k = {stiffness:e}, {equation:?}: {:.4}", slope / expected);
            assert!((slope / expected - 1.0).abs() < 0.05, "k = {stiffness}, {equation:?}");
        }
    }
}

/// IISPH and DFSPH with a tolerance of 0.001 %.
fn systems() -> [PressureMethod; 2] {
    let tight = Iterations {
        tolerance: 1e-5,
        linear_solver: LinearSolver::Accelerated,
        ..Iterations::default()
    };
    [PressureMethod::Iisph(tight), PressureMethod::Dfsph(tight)]
}

/// Columns of water with its own viscosity, in three widths.
///
/// A square lattice of particles falls into hexagons, which do not fit between two walls: in a settled column they stay
/// strained, and the pressure, a mean over directions, is up to 2 % off the stress that carries the weight. That is
/// different in every column, and the mean over them is within 1 %.
#[test]
fn pressure_systems_carry_columns() {
    let mut slopes = Vec::new();
    for (columns, d) in [(10, 0.05), (20, 0.05), (50, 0.02)] {
        for pressure in systems() {
            let (width, height) = (f64::from(columns) * d, 20.0 * d);
            let env = tank(Dimension::Planar, DVec3::new(width, 1.5 * height, 0.0));
            let config = Config { viscosity: 1e-6, support: 2.2 * d, pressure, ..water(d, 45.0) };
            let liquid = liquid(config, &env, &block(DVec3::ZERO, [columns, 20, 1], d));
            let mut settled = simulation(env, liquid);
            settled.advance_to(2.0, &mut []).unwrap();
            // Pressures differ from step to step by what the tolerance allows: take many.
            let (mut points, mut force) = (vec![], 0.0);
            for k in 1..=250 {
                settled.advance_to(2.0 + 0.004 * f64::from(k), &mut []).unwrap();
                let (y, p) = (column(&settled, "position", 1), column(&settled, "pressure", 0));
                points.extend(y.into_iter().zip(p).filter(|(y, _)| *y < 0.9 * height));
                force -= settled.env.bodies[0].force.y / (250.0 * width * height * RHO_G);
            }
            let line = Line::through(&points);
            let (slope, rest) = (line.slope / -RHO_G, line.residual(&points) / (RHO_G * height));
            let name = format!("{columns} columns, {}", settled.methods[0].name());
            println!("{name}: slope {slope:.4} of ρg, residual {rest:.4}, force {force:.4}");
            assert!((slope - 1.0).abs() < 0.02, "{name}: slope {slope}");
            assert!(rest < 0.02, "{name}: residual {rest}");
            assert!((force - 1.0).abs() < 0.01, "{name}: force {force}");
            slopes.push(slope);
        }
    }
    let mean = slopes.iter().sum::<f64>() / slopes.len() as f64;
    println!("mean slope {mean:.4} of ρg");
    assert!((mean - 1.0).abs() < 0.01, "{slopes:?}");
}
