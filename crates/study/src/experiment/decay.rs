//! A decay by Euler's method, with steps that are too long for it (Schinner 3.6, Figure 3.6 right).

use super::{Default, Experiment, Measured, Number, Parameter, Settings};

pub(super) struct Decay;

impl Experiment for Decay {
    fn name(&self) -> &'static str {
        "decay"
    }

    fn about(&self) -> &'static str {
        "ẋ = −x from x = 1 by Euler's method: stable up to a step of 2"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[
            Parameter { name: "time_step", default: Default::Number(0.5), help: "[s]" },
            Parameter { name: "count", default: Default::Number(12.0), help: "steps" },
        ]
    }

    fn numbers(&self) -> &'static [Number] {
        &[Number { name: "last", help: "|x| after the last step" }]
    }

    fn columns(&self) -> &'static [&'static str] {
        &["time", "x"]
    }

    fn run(&self, settings: &Settings) -> Result<Measured, String> {
        let dt = settings.number("time_step");
        let mut x: f64 = 1.0;
        let mut rows = vec![vec![0.0, x]];
        for step in 1..=settings.count("count") {
            x -= dt * x; // (3.18)
            rows.push(vec![step as f64 * dt, x]);
        }
        Ok(Measured { numbers: vec![x.abs()], rows })
    }
}
