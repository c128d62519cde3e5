//! A planet's orbit by Euler, Runge–Kutta, Gear and Verlet (Schinner 3.6, Figures 3.5 and 3.6).

use super::{Experiment, Measured, Parameter, Settings};
use glam::{DQuat, DVec3};
use lawine_core::rigid::{Dependence, Gear, Inertia, RigidState};
use std::f64::consts::TAU;

/// Rows of the curve.
const ROWS: usize = 1200;
/// The methods, the first being the default.
pub(super) const METHODS: &[&str] =
    &["euler", "runge-kutta", "gear-4", "gear-5", "gear-6", "gear-7", "gear-8", "verlet"];

/// The number of values of a Gear method by its name.
pub(super) fn gear_values(method: &str) -> Option<usize> {
    method.strip_prefix("gear-").and_then(|values| values.parse().ok())
}

pub(super) const ORBIT: Experiment = Experiment {
    name: "orbit",
    about: "a planet about a fixed sun, G M = 1, semi-major axis 1: path and energy",
    parameters: &[
        Parameter::word("method", METHODS, "integration method"),
        Parameter::number("steps", 200.0, "steps per orbit"),
        Parameter::number("orbits", 10.0, "how many"),
        Parameter::number("eccentricity", 1e-9, "of the exact orbit, below 1"),
    ],
    numbers: &[
        ("energy", "relative error of the final energy"),
        ("energy_max", "largest over the run"),
        ("radius", "relative error of the final distance to the sun"),
    ],
    columns: &["time", "x", "y", "energy_error"],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let (n, orbits) = (settings.count("steps").max(1), settings.number("orbits"));
    let dt = TAU / n as f64;
    let e = settings.number("eccentricity").min(0.99);
    // From the point next to the sun.
    let start = [DVec3::X * (1.0 - e), DVec3::Y * ((1.0 + e) / (1.0 - e)).sqrt()];
    let mut next = stepper(settings.word("method"), start, dt)?;
    let energy = |[x, v]: [DVec3; 2]| 0.5 * v.length_squared() - 1.0 / x.length();
    let exact = energy(start);
    let steps = (orbits * n as f64).round() as usize;
    let stride = steps.div_ceil(ROWS).max(1);
    let (mut state, mut worst) = (start, 0.0_f64);
    let mut rows = Vec::new();
    for step in 0..=steps {
        let error = (energy(state) / exact - 1.0).abs();
        worst = worst.max(error);
        if step % stride == 0 || step == steps {
            rows.push(vec![step as f64 * dt, state[0].x, state[0].y, error]);
        }
        if step < steps {
            state = next(state);
        }
    }
    let radius = (state[0].length() / start[0].length() - 1.0).abs();
    let last = (energy(state) / exact - 1.0).abs();
    Ok(Measured { numbers: vec![last, worst, radius], rows })
}

fn gravity(x: DVec3) -> DVec3 {
    -x / x.length().powi(3)
}

/// The first eight terms of the orbit's Taylor series, so that Gear's methods start with their full
/// order: with u = x·x and w = u^(−3/2), ẍ = −w x and u ẇ = −3/2 w u̇.
fn taylor(x: DVec3, v: DVec3) -> [DVec3; 8] {
    let mut terms = [DVec3::ZERO; 8];
    (terms[0], terms[1]) = (x, v);
    let (mut u, mut w) = ([0.0; 8], [0.0; 8]);
    for n in 0..6 {
        u[n] = (0..=n).map(|k| terms[k].dot(terms[n - k])).sum();
        w[n] = match n {
            0 => u[0].powf(-1.5),
            _ => {
                let sum: f64 =
                    (1..=n).map(|k| (-0.5 * k as f64 - n as f64) * u[k] * w[n - k]).sum();
                sum / (n as f64 * u[0])
            }
        };
        let pull: DVec3 = (0..=n).map(|k| w[k] * terms[n - k]).sum();
        terms[n + 2] = -pull / ((n + 1) * (n + 2)) as f64;
    }
    terms
}

/// Position and velocity, one step later.
type Stepper = Box<dyn FnMut([DVec3; 2]) -> [DVec3; 2]>;

fn stepper(method: &str, [x, v]: [DVec3; 2], dt: f64) -> Result<Stepper, String> {
    if let Some(values) = gear_values(method) {
        let mut gear = Gear::new(values, Dependence::Position, [x, v, gravity(x)], dt)
            .map_err(|e| e.to_string())?;
        let mut scale = 1.0;
        for (n, term) in taylor(x, v).into_iter().enumerate() {
            gear.set_scaled(n, term * scale);
            scale *= dt;
        }
        return Ok(Box::new(move |_| {
            gear.predict();
            gear.correct(gravity(gear.value()), dt);
            [gear.value(), gear.rate(dt)]
        }));
    }
    Ok(match method {
        "verlet" => {
            let inertia = Inertia { mass: 1.0, moments: DVec3::ONE };
            let (q, l) = (DQuat::IDENTITY, DVec3::ZERO);
            Box::new(move |[x, v]| {
                let mut body = RigidState { x, v, q, l };
                body.kick(&inertia, gravity(body.x), DVec3::ZERO, dt);
                body.drift(&inertia, dt);
                body.kick(&inertia, gravity(body.x), DVec3::ZERO, dt);
                [body.x, body.v]
            })
        }
        "runge-kutta" => Box::new(move |[x, v]| {
            let moved = |[dx, dv]: [DVec3; 2], t: f64| [x + dx * t, v + dv * t];
            let rate = |[x, v]: [DVec3; 2]| [v, gravity(x)];
            let k1 = rate([x, v]);
            let k2 = rate(moved(k1, 0.5 * dt));
            let k3 = rate(moved(k2, 0.5 * dt)); // (3.19) with k2/2
            let k4 = rate(moved(k3, dt));
            let sum = [0, 1].map(|i| (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0);
            moved(sum, dt)
        }),
        _ => Box::new(move |[x, v]| [x + v * dt, v + gravity(x) * dt]), // (3.18)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_of_a_circle_is_that_of_cosine() {
        let terms = taylor(DVec3::X, DVec3::Y);
        let expected = [1.0, 0.0, -1.0 / 2.0, 0.0, 1.0 / 24.0, 0.0, -1.0 / 720.0, 0.0];
        for (term, x) in terms.iter().zip(expected) {
            assert!((term.x - x).abs() < 1e-15, "{term}");
        }
        assert!((terms[7].y + 1.0 / 5040.0).abs() < 1e-15);
    }
}
