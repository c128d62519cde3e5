//! The free asymmetric top by Euler, Runge–Kutta, Gear and the symplectic splitting.

use super::integrators::{RotationState, euler_step, runge_kutta_step};
use super::orbit::{METHODS, gear_values};
use super::{Experiment, Measured, Parameter, Settings};
use glam::{DQuat, DVec3};
use lawine_core::rigid::{Dependence, GearBody, Inertia, RigidState};

/// Principal moments [kg m²] and angular velocity at the start [1/s].
const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 3.0);
const OMEGA: DVec3 = DVec3::new(0.8, 0.0, 1.2);
/// Rows of the curve.
const ROWS: usize = 400;

pub(super) const TOP: Experiment = Experiment {
    name: "top",
    about: "a free body with moments 1, 2, 3: energy and angular momentum over time",
    parameters: &[
        Parameter::word("method", METHODS, "integration method"),
        Parameter::number("time_step", 0.01, "[s]"),
        Parameter::number("end", 100.0, "[s]"),
    ],
    numbers: &[
        ("energy", "relative error of the final energy"),
        ("energy_max", "largest over the run"),
        ("momentum_max", "largest relative error of the angular momentum"),
    ],
    columns: &["time", "energy_error", "momentum_error"],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let dt = settings.number("time_step");
    let steps = (settings.number("end") / dt).round() as usize;
    let mut next = stepper(settings.word("method"), dt)?;
    let e0 = 0.5 * OMEGA.dot(MOMENTS * OMEGA);
    let l0 = MOMENTS * OMEGA;
    let errors = |(q, omega): (DQuat, DVec3)| {
        let w = q.conjugate() * omega;
        let energy = (0.5 * w.dot(MOMENTS * w) / e0 - 1.0).abs();
        (energy, (q * (MOMENTS * w) - l0).length() / l0.length())
    };
    let stride = steps.div_ceil(ROWS).max(1);
    let (mut worst, mut last) = ((0.0_f64, 0.0_f64), 0.0);
    let mut rows = Vec::new();
    for step in 1..=steps {
        let (energy, momentum) = errors(next());
        worst = (worst.0.max(energy), worst.1.max(momentum));
        last = energy;
        if step % stride == 0 || step == steps {
            rows.push(vec![step as f64 * dt, energy, momentum]);
        }
    }
    Ok(Measured { numbers: vec![last, worst.0, worst.1], rows })
}

/// Orientation and angular velocity, one step later.
type Stepper = Box<dyn FnMut() -> (DQuat, DVec3)>;

fn stepper(method: &str, dt: f64) -> Result<Stepper, String> {
    let zero = DVec3::ZERO;
    if let Some(values) = gear_values(method) {
        let start = (DQuat::IDENTITY, OMEGA);
        let mut body = GearBody::new((values, Dependence::Position), [zero; 3], start, MOMENTS, dt)
            .map_err(|e| e.to_string())?;
        return Ok(Box::new(move || {
            body.step(|_| (zero, zero));
            (body.orientation(), body.omega())
        }));
    }
    if method == "verlet" {
        let inertia = Inertia { mass: 1.0, moments: MOMENTS };
        let mut body = RigidState { x: zero, v: zero, q: DQuat::IDENTITY, l: MOMENTS * OMEGA };
        return Ok(Box::new(move || {
            body.drift(&inertia, dt);
            (body.q, body.omega(&inertia))
        }));
    }
    let step = if method == "euler" { euler_step } else { runge_kutta_step };
    let mut state = RotationState { q: DQuat::IDENTITY, omega: OMEGA };
    Ok(Box::new(move || {
        state = step(state, MOMENTS, dt);
        (state.q.normalize(), state.omega)
    }))
}
