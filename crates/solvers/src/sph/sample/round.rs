//! Shells of spheres and circles.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::Sample;

/// The angle of the golden section [rad].
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// One layer: between two radii, with its points on a third.
struct Shell {
    radius: f64,
    volume: f64,
    count: f64,
}

/// The layers of a ball or circle; the innermost of a small one is its core.
fn shells(
    radius: f64,
    hollow: bool,
    d: f64,
    layers: usize,
    planar: bool,
) -> impl Iterator<Item = Shell> {
    let ball = move |r: f64| if planar { PI * r * r } else { 4.0 / 3.0 * PI * r * r * r };
    let cell = if planar { d * d } else { d * d * d };
    (0..layers).map_while(move |k| {
        let k = k as f64;
        let (inner, outer) = if hollow {
            (radius + k * d, radius + (k + 1.0) * d)
        } else {
            ((radius - (k + 1.0) * d).max(0.0), radius - k * d)
        };
        // Less than a thousandth of a layer is rounding, not matter.
        if outer <= 1e-3 * d {
            return None;
        }
        let volume = ball(outer) - ball(inner);
        let count = (volume / cell).round().max(1.0);
        let middle = if hollow { radius + (k + 0.5) * d } else { radius - (k + 0.5) * d };
        // A core too small for a shell is one sample in the centre; a larger core has its points
        // where half of its volume is inside.
        let radius = if count <= 1.0 {
            0.0
        } else if middle < 0.25 * d {
            outer * if planar { 0.5_f64.sqrt() } else { 0.5_f64.cbrt() }
        } else {
            middle
        };
        Some(Shell { radius, volume, count })
    })
}

pub(super) fn count(radius: f64, hollow: bool, d: f64, layers: usize, planar: bool) -> f64 {
    shells(radius, hollow, d, layers, planar).map(|s| s.count).sum()
}

pub(super) fn samples(
    radius: f64,
    hollow: bool,
    d: f64,
    layers: usize,
    planar: bool,
) -> Vec<Sample> {
    let mut samples = Vec::new();
    for shell in shells(radius, hollow, d, layers, planar) {
        let n = shell.count;
        for i in 0..n as usize {
            let i = i as f64 + 0.5;
            let direction = if planar {
                let (s, c) = (TAU * i / n).sin_cos();
                DVec3::new(c, s, 0.0)
            } else {
                // Fibonacci spiral: equal areas along the axis, the golden angle around it.
                let y = 1.0 - 2.0 * i / n;
                let (s, c) = (GOLDEN_ANGLE * i).sin_cos();
                let r = (1.0 - y * y).sqrt();
                DVec3::new(r * c, y, r * s)
            };
            samples.push(Sample { position: shell.radius * direction, volume: shell.volume / n });
        }
    }
    samples
}
