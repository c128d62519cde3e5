//! A decay by Euler's method, with steps that are too long for it (Schinner 3.6, Figure 3.6 right).

use super::{Experiment, Measured, Parameter, Settings};

pub(super) const DECAY: Experiment = Experiment {
    name: "decay",
    about: "ẋ = −x from x = 1 by Euler's method: stable up to a step of 2",
    parameters: &[
        Parameter::number("time_step", 0.5, "[s]"),
        Parameter::number("count", 12.0, "steps"),
    ],
    numbers: &[("last", "|x| after the last step")],
    columns: &["time", "x"],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let dt = settings.number("time_step");
    let mut x: f64 = 1.0;
    let mut rows = vec![vec![0.0, x]];
    for step in 1..=settings.count("count") {
        x -= dt * x; // (3.18)
        rows.push(vec![step as f64 * dt, x]);
    }
    Ok(Measured { numbers: vec![x.abs()], rows })
}
