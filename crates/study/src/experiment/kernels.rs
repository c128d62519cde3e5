//! The kernels and their slopes over the distance (Meiers, Figures 1 and 2).

use super::{Experiment, Measured, Parameter, Settings};
use lawine_core::kernel::{Kernel, KernelKind};
use std::f64::consts::PI;

/// Points of the curve.
const POINTS: usize = 401;

const NAMES: &[&str] = &["cubic-spline", "wendland-c2"];

pub(super) const KERNELS: Experiment = Experiment {
    name: "kernels",
    about: "a kernel and its derivative over the distance, and its integral",
    parameters: &[
        Parameter::word("kernel", NAMES, "which one"),
        Parameter::number("dimension", 2.0, "1, 2 or 3"),
    ],
    numbers: &[
        ("peak", "W(0) h^d"),
        ("integral", "integral over space, 1 by construction"),
        ("steepest", "largest −dW/dr h^(d+1)"),
        ("steepest_at", "its position, as r/h"),
    ],
    columns: &["q", "w", "slope"],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let dimension = settings.count("dimension");
    if !(1..=3).contains(&dimension) {
        return Err(format!("dimension = {dimension} is not allowed; allowed: 1, 2, 3"));
    }
    let kind = match settings.word("kernel") {
        "wendland-c2" => KernelKind::WendlandC2,
        _ => KernelKind::CubicSpline,
    };
    // h = 1: the support is 2.
    let kernel = Kernel::new(kind, 2.0, dimension as u32);
    let q = |k: usize| 2.2 * k as f64 / (POINTS - 1) as f64;
    let rows: Vec<Vec<f64>> =
        (0..POINTS).map(|k| vec![q(k), kernel.w(q(k)), kernel.dw_dr(q(k))]).collect();
    let shell = |r: f64| match dimension {
        1 => 2.0,
        2 => 2.0 * PI * r,
        _ => 4.0 * PI * r * r,
    };
    // The middle of 20,000 shells.
    let dr = 1e-4;
    let middle = |k: usize| (k as f64 + 0.5) * dr;
    let integral: f64 = (0..20_000).map(|k| shell(middle(k)) * kernel.w(middle(k)) * dr).sum();
    let steepest = rows.iter().min_by(|a, b| a[2].total_cmp(&b[2]));
    let (at, slope) = steepest.map_or((f64::NAN, f64::NAN), |row| (row[0], -row[2]));
    Ok(Measured { numbers: vec![kernel.w(0.0), integral, slope, at], rows })
}
