//! A turning tetrahedron by rotation matrices and by quaternions (Schinner 2.3.1, Figures 2.2–2.4).

use super::{Default, Experiment, Measured, Number, Parameter, Settings};
use glam::{DMat3, DQuat, DVec3};
use lawine_core::rigid::{euler_matrix, quaternion_rate};

pub(super) struct RotationDrift;

/// Rows of the curve.
const ROWS: usize = 400;

impl Experiment for RotationDrift {
    fn name(&self) -> &'static str {
        "rotation-drift"
    }

    fn about(&self) -> &'static str {
        "a tetrahedron turns about the axis through a corner: distances of its corners to the centre"
    }

    fn parameters(&self) -> &'static [Parameter] {
        const FORMS: &[&str] = &["matrix", "quaternion", "unit-quaternion"];
        &[
            Parameter {
                name: "form",
                default: Default::Word(FORMS),
                help: "what Euler's method moves",
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
            Number {
                name: "tip",
                help: "distance of the corner on the axis at the end, 1 at the start",
            },
            Number { name: "base", help: "distance of the other corners at the end" },
            Number { name: "log_base", help: "its decimal logarithm" },
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
        let form = settings.word("form");
        // The deviation grows as (1 + (ω dt)²)^(n/2) for matrices, and by its fourth root for
        // quaternions that are not made unit again: x = q x̄ q* takes the square of its length.
        let turned = |r: &DMat3, q: DQuat, x: DVec3| match form {
            "matrix" => (*r * x).length(),
            _ => rotate(q, x).length(),
        };
        let stride = steps.div_ceil(ROWS).max(1);
        let mut rows = Vec::new();
        for step in 0..=steps {
            if step % stride == 0 || step == steps {
                let time = step as f64 * dt;
                rows.push(vec![time, turned(&r, q, tip), turned(&r, q, base)]);
            }
            r = euler_matrix(&r, omega, dt);
            q = q + quaternion_rate(omega, q) * dt;
            if form == "unit-quaternion" {
                q = q.normalize();
            }
        }
        let last = rows.last().ok_or("there was no step")?;
        Ok(Measured { numbers: vec![last[1], last[2], last[2].log10()], rows })
    }
}

/// q x̄ q* (2.28) for any length of q: glam's product takes unit quaternions.
fn rotate(q: DQuat, x: DVec3) -> DVec3 {
    let product = q * DQuat::from_xyzw(x.x, x.y, x.z, 0.0) * q.conjugate();
    DVec3::new(product.x, product.y, product.z)
}
