//! The free asymmetric top: period, energy and angular momentum against theory.
#![allow(clippy::print_stdout, reason = "a test that prints what it measured")]

use glam::{DQuat, DVec3};

use super::*;

/// Moments I1 < I2 < I3 [kg m²], and a start with L² > 2 E I2: a turn about the third axis.
const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 3.0);
const OMEGA: DVec3 = DVec3::new(0.8, 0.0, 1.2);

/// Complete elliptic integral of the first kind by the arithmetic–geometric mean.
fn elliptic_k(k_squared: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k_squared).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    0.5 * std::f64::consts::PI / a
}

/// Period of the angular velocity in the body's frame (Landau and Lifshitz, Mechanics, § 37).
fn period() -> f64 {
    let l2 = (MOMENTS * OMEGA).length_squared();
    let e2 = OMEGA.dot(MOMENTS * OMEGA);
    let [i1, i2, i3] = MOMENTS.to_array();
    assert!(l2 > e2 * i2);
    let rate = ((i3 - i2) * (l2 - e2 * i1) / (i1 * i2 * i3)).sqrt();
    let k2 = (i2 - i1) * (e2 * i3 - l2) / ((i3 - i2) * (l2 - e2 * i1));
    4.0 * elliptic_k(k2) / rate
}

/// Follows a top for `periods` and gives the mean period from the upward zeros of ω2, and the
/// largest relative deviations of energy and of angular momentum.
fn follow(periods: usize, dt: f64, mut next: impl FnMut() -> (DQuat, DVec3)) -> (f64, f64, f64) {
    let e0 = 0.5 * OMEGA.dot(MOMENTS * OMEGA);
    let l0 = MOMENTS * OMEGA;
    let (mut energy, mut momentum) = (0.0_f64, 0.0_f64);
    let mut crossings = Vec::new();
    let (mut before, mut n) = (0.0, 0);
    while crossings.len() <= periods {
        let (q, omega) = next();
        n += 1;
        let w = q.conjugate() * omega;
        energy = energy.max((0.5 * w.dot(MOMENTS * w) / e0 - 1.0).abs());
        momentum = momentum.max((q * (MOMENTS * w) - l0).length() / l0.length());
        if before < 0.0 && w.y >= 0.0 {
            crossings.push(dt * (f64::from(n) - w.y / (w.y - before)));
        }
        before = w.y;
    }
    ((crossings[periods] - crossings[0]) / periods as f64, energy, momentum)
}

#[test]
fn symplectic_top_keeps_period_energy_and_momentum_over_100_periods() {
    let theory = period();
    let dt = theory / 4000.0;
    let inertia = Inertia { mass: 1.0, moments: MOMENTS };
    let zero = DVec3::ZERO;
    let mut body = RigidState { x: zero, v: zero, q: DQuat::IDENTITY, l: MOMENTS * OMEGA };
    let (found, energy, momentum) = follow(100, dt, || {
        body.kick(&inertia, zero, zero, dt);
        body.drift(&inertia, dt);
        body.kick(&inertia, zero, zero, dt);
        (body.q, body.omega(&inertia))
    });
    println!("symplectic: period {:.2e}, E {energy:.2e}, L {momentum:.2e}", found / theory - 1.0);
    assert!((found / theory - 1.0).abs() < 1e-3);
    assert!(energy < 1e-6 && momentum < 1e-6);
}

#[test]
fn gears_drift_is_measured() {
    let theory = period();
    for (values, limit) in [(4, 1e-3), (5, 1e-3), (6, 1e-7), (7, 1e-7), (8, 1e-9)] {
        let dt = theory / 1000.0;
        let start = (DQuat::IDENTITY, OMEGA);
        let kind = (values, Dependence::Position);
        let mut body = GearBody::new(kind, [DVec3::ZERO; 3], start, MOMENTS, dt).unwrap();
        let (found, energy, momentum) = follow(100, dt, || {
            body.step(|_| (DVec3::ZERO, DVec3::ZERO));
            (body.orientation(), body.omega())
        });
        let period = found / theory - 1.0;
        println!(
            "Gear {values} values, T/1000: period {period:.2e}, E {energy:.2e}, L {momentum:.2e}"
        );
        assert!(energy < limit && momentum < limit && period.abs() < 1e-3);
    }
}
