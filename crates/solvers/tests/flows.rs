//! A flow with a known solution, compared as a field: `validation/taylor-green`.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

mod common;

use common::{column, liquid, simulation, water};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::kernel::KernelKind;
use lawine_core::method::NewParticle;
use lawine_core::space::{Dimension, Space};
use lawine_solvers::sph::{Config, Equation, PressureMethod, StateEquation};
use std::f64::consts::{PI, TAU};

#[test]
fn taylor_green_vortices_decay_as_they_should() {
    // Vortices need less pressure inside than outside, so the equation of state is not clamped here;
    // the systems, which have no negative pressures, would open holes instead. Negative pressures
    // make particles clump with a cubic spline: Wendland's kernel with many neighbours does not.
    // It starts on hexagons: the viscosity of a lattice of squares depends on the direction.
    let (columns, rows, exponent) = (52_u32, 60_u32, -8.0 * PI * PI * 0.01);
    let d = 1.0 / f64::from(columns * rows).sqrt();
    let space = Space {
        domain: Some(Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 1.0, 0.0) }),
        periodic: [true, true, false],
        ..Space::unbounded(Dimension::Planar)
    };
    let env = Environment::new(space, DVec3::ZERO);
    let exact = |x: DVec3, t: f64| {
        let ((sx, cx), (sy, cy)) = ((TAU * x.x).sin_cos(), (TAU * x.y).sin_cos());
        (exponent * t).exp() * DVec3::new(-cx * sy, sx * cy, 0.0)
    };
    let particle = |k: u32| {
        let (row, column) = (k / columns, k % columns);
        let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
        let x = (f64::from(column) + shift) / f64::from(columns);
        let position = DVec3::new(x, (f64::from(row) + 0.5) / f64::from(rows), 0.0);
        NewParticle { position, velocity: exact(position, 0.0) }
    };
    let particles: Vec<NewParticle> = (0..columns * rows).map(particle).collect();
    let law = StateEquation { equation: Equation::Linear, stiffness: 49e3, clamp: false };
    let config = Config {
        support: 5.0 * d,
        kernel: KernelKind::WendlandC2,
        viscosity: 0.01,
        pressure: PressureMethod::StateEquation(law),
        ..water(d, 7.0)
    };
    let liquid = liquid(config, &env, &particles);
    let mut flow = simulation(env, liquid);
    for (t, largest) in [(0.5, 0.67383), (1.0, 0.45404), (2.0, 0.20615)] {
        flow.advance_to(t, &mut []).unwrap();
        let get = |name| [0, 1].map(|k| column(&flow, name, k));
        let ([x, y], [u, v]) = (get("position"), get("velocity"));
        let (mut speed, mut off, mut whole) = (0.0_f64, 0.0, 0.0);
        for i in 0..x.len() {
            let (v, exact) = (DVec3::new(u[i], v[i], 0.0), exact(DVec3::new(x[i], y[i], 0.0), t));
            speed = speed.max(v.length());
            (off, whole) = (off + (v - exact).length(), whole + exact.length());
        }
        let (speed, off) = (speed / largest, off / whole);
        println!("t = {t}: largest speed {speed:.4} of the exact one, L1 of the field {off:.4}");
        assert!((speed - 1.0).abs() < 0.05, "t = {t}: {speed}");
        assert!(off < 0.05, "t = {t}: {off}");
    }
}
