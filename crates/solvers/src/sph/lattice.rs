//! Kernel sums over a perfect lattice.

use crate::sph::packing::lattice_around as points;
use glam::DVec3;
use lawine_core::kernel::Kernel;
use std::f64::consts::PI;

/// Σ d^dim W.
pub(super) fn sum(kernel: &Kernel, d: f64) -> f64 {
    points(kernel, d).map(|x| kernel.w(x.length())).sum::<f64>() * d.powi(kernel.dimension() as i32)
}

/// The mean of x²/h² over a kernel, on the lattice.
pub(super) fn second_moment(kernel: &Kernel, d: f64) -> f64 {
    let moment: f64 = points(kernel, d).map(|x| x.length_squared() * kernel.w(x.length())).sum();
    moment * d.powi(kernel.dimension() as i32) / (sum(kernel, d) * kernel.h().powi(2))
}

/// Σ W over the layer of the lattice that is k spacings away in y.
pub(super) fn layer(kernel: &Kernel, d: f64, k: i32) -> f64 {
    let near = |x: &DVec3| (x.y / d - f64::from(k)).abs() < 0.5;
    points(kernel, d).filter(near).map(|x| kernel.w(x.length())).sum()
}

/// The largest eigenvalue of the pressure system over its diagonal: max_k |Σ ∇W sin(k·x)|²/Σ|∇W|².
/// Waves along the diagonal of the lattice are the stiffest, to one percent for all kernels.
///
/// It is 2.2 in the plane and 2.8 in space for a cubic spline with a support of two spacings, 3.8
/// and 7.5 with three. Jacobi's iterations converge if the relaxation is below two over it.
pub(super) fn stiffest_wave(kernel: &Kernel, d: f64) -> f64 {
    let square: f64 = points(kernel, d).map(|x| kernel.gradient(x).length_squared()).sum();
    largest_response(kernel, d) / square
}

/// The largest wave number that sound sees [1/m]: max_k |Σ d^dim ∇W sin(k·x)|. It is 1.08 over the
/// smoothing length for a cubic spline with a support of 2.2 spacings in the plane.
pub(super) fn largest_wave_number(kernel: &Kernel, d: f64) -> f64 {
    largest_response(kernel, d).sqrt() * d.powi(kernel.dimension() as i32)
}

/// max_k |Σ ∇W sin(k·x)|².
fn largest_response(kernel: &Kernel, d: f64) -> f64 {
    const WAVES: u32 = 64;
    let response = |wave: u32| {
        let k = PI / d * f64::from(wave) / f64::from(WAVES);
        let sum: DVec3 =
            points(kernel, d).map(|x| kernel.gradient(x) * (k * x.element_sum()).sin()).sum();
        sum.length_squared()
    };
    (1..=WAVES).map(response).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_core::kernel::KernelKind::{CubicSpline, WendlandC2};

    #[test]
    fn sums_are_those_of_lattices() {
        let kernel = |kind, support, dimensions| Kernel::new(kind, support, dimensions);
        for (found, expected) in [
            (sum(&kernel(CubicSpline, 2.0, 2), 1.0), 1.0009),
            (sum(&kernel(CubicSpline, 0.2, 3), 0.1), 1.0000),
            (stiffest_wave(&kernel(CubicSpline, 2.0, 2), 1.0), 2.15),
            (stiffest_wave(&kernel(CubicSpline, 0.3, 3), 0.1), 7.47),
            (stiffest_wave(&kernel(WendlandC2, 3.0, 3), 1.0), 6.24),
            (1.1 * largest_wave_number(&kernel(CubicSpline, 2.2, 2), 1.0), 1.077),
            (layer(&kernel(CubicSpline, 2.0, 3), 1.0, 2), 0.0),
        ] {
            assert!((found - expected).abs() < 0.01, "{found} instead of {expected}");
        }
    }
}
