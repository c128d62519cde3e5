//! A rotating tetrahedron by rotation matrices and by quaternions (Schinner 2.3.1, Figures 2.2–2.4).

use super::integrators::euler_matrix;
use super::{Default, Experiment, Measured, Number, Parameter, Settings};
use glam::{DMat3, DQuat, DVec3};
use lawine_core::rigid::quaternion_rate;

pub(super) struct RotationDrift;

/// Rows of the curve.
const ROWS: usize = 400;

impl Experiment for RotationDrift {
    fn name(&self) -> &'static str {
        "rotation-drift"
    }

    fn about(&self) -> &'static str {
        "a tetrahedron rotates about the axis through a vertex: distances of its vertices to the centre"
    }

    fn parameters(&self) -> &'static [Parameter] {
        const FORMS: &[&str] = &["matrix", "matrix-and-rate", "quaternion", "unit-quaternion"];
        &[
            Parameter {
                name: "form",
                default: Default::Word(FORMS),
                help: "what Euler's method integrates; `rate`: the angular velocity is computed from the matrix and its rate",
            },
            Parameter { name: "time_step", default: Default::Number(1e-3), help: "[s]" },
            Parameter { name: "end", default: Default::Number(10.0), help: "[s]" },
            Parameter {
                name: "omega",
                default: Default::Number(10.0),
                help: "angular velocity [1/s]",
            },
        ]
    }

    fn numbers(&self) -> &'static [Number] {
        &[
            Number { name: "tip", help: "final distance of the vertex on the axis, initially 1" },
            Number { name: "base", help: "final distance of the other vertices" },
            Number { name: "log_base", help: "its decimal logarithm" },
            Number { name: "last", help: "end time, or the last time with a finite distance [s]" },
        ]
    }

    fn columns(&self) -> &'static [&'static str] {
        &["time", "tip", "base"]
    }

    fn run(&self, settings: &Settings) -> Result<Measured, String> {
        let (dt, end) = (settings.number("time_step"), settings.number("end"));
        let steps = (end / dt).round() as usize;
        let omega = DVec3::Z * settings.number("omega");
        let tip = DVec3::Z;
        let base = DVec3::new(8.0_f64.sqrt() / 3.0, 0.0, -1.0 / 3.0);
        let (mut r, mut q) = (DMat3::IDENTITY, DQuat::IDENTITY);
        let mut r_rate =
            DMat3::from_cols(omega.cross(r.x_axis), omega.cross(r.y_axis), DVec3::ZERO);
        let form = settings.word("form");
        // The deviation grows as (1 + (ω dt)²)^(n/2) for matrices, and by its fourth root for
        // quaternions that are not made unit again: x = q x̄ q* takes the square of its length.
        let turned = |r: &DMat3, q: DQuat, x: DVec3| match form {
            "matrix" | "matrix-and-rate" => (*r * x).length(),
            _ => rotate(q, x).length(),
        };
        let stride = steps.div_ceil(ROWS).max(1);
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut now = vec![0.0, 1.0, 1.0];
        for step in 0..=steps {
            let next = vec![step as f64 * dt, turned(&r, q, tip), turned(&r, q, base)];
            let is_over = next.iter().any(|x| !x.is_finite());
            if !is_over {
                now = next;
            }
            if (step % stride == 0 || step == steps) && !is_over {
                rows.push(now.clone());
            }
            if is_over {
                break;
            }
            if form == "matrix-and-rate" {
                // The twin of (2.25) to (2.27): ω̂ = Ṙ Rᵀ, R̈ = ω̂ ω̂ R, as no torque acts about the axis.
                let omega_hat = r_rate * r.transpose();
                let acceleration = omega_hat * omega_hat * r;
                r += r_rate * dt;
                r_rate += acceleration * dt;
            } else {
                r = euler_matrix(&r, omega, dt);
            }
            q = q + quaternion_rate(omega, q) * dt;
            if form == "unit-quaternion" {
                q = q.normalize();
            }
        }
        if rows.last() != Some(&now) {
            rows.push(now.clone());
        }
        Ok(Measured { numbers: vec![now[1], now[2], now[2].log10(), now[0]], rows })
    }
}

/// q x̄ q* (2.28) for any length of q: glam's product takes unit quaternions.
fn rotate(q: DQuat, x: DVec3) -> DVec3 {
    let product = q * DQuat::from_xyzw(x.x, x.y, x.z, 0.0) * q.conjugate();
    DVec3::new(product.x, product.y, product.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::settings;

    /// With the angular velocity from the matrix and its rate the size is cubed from step to step.
    #[test]
    fn a_matrix_and_its_rate_burst_within_ten_steps() {
        let set = ["form=matrix-and-rate", "time_step=0.1", "omega=6.283185307179586"];
        let set = set.map(str::to_owned);
        let found = RotationDrift.run(&settings(&RotationDrift, &set).unwrap()).unwrap();
        let [tip, _, power, last] = found.numbers[..] else { panic!("four numbers") };
        assert!((power - 119.0).abs() < 0.05 && (last - 0.9).abs() < 1e-9, "{:?}", found.numbers);
        assert!((tip - 1.0).abs() < 1e-12, "{tip}");
    }
}
