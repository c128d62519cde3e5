//! Smoothing kernels W(r) with compact support, in one, two and three dimensions.
//!
//! A kernel is given by its shape over q = r/h, where h is half the support radius, and by the
//! factor that makes its integral one. The double-precision functions here define it; the pair
//! loops evaluate the same shapes eight lanes at a time in `f32` through [`LaneShape`].

use crate::simd::{F32x8, Simd};
use glam::DVec3;
use lawine_settings::Word;
use std::f64::consts::PI;

/// The shape of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum KernelKind {
    /// Cubic spline (Monaghan 1992; Hunkler 2.11).
    CubicSpline,
    /// Wendland's C2 function (1995), which resists the clumping of particles.
    WendlandC2,
}

/// A kernel of a certain shape, support and dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    kind: KernelKind,
    support: f64,
    dimension: u32,
    factor: f64,
}

impl Kernel {
    /// A kernel that vanishes at the distance `support` [m], for 1, 2 or 3 dimensions.
    pub fn new(kind: KernelKind, support: f64, dimension: u32) -> Self {
        let h = 0.5 * support;
        let unit = match (kind, dimension) {
            (KernelKind::CubicSpline, 1) => 1.0 / 6.0,
            (KernelKind::CubicSpline, 2) => 5.0 / (14.0 * PI),
            (KernelKind::CubicSpline, _) => 1.0 / (4.0 * PI),
            (KernelKind::WendlandC2, 1) => 5.0 / 8.0,
            (KernelKind::WendlandC2, 2) => 7.0 / (4.0 * PI),
            (KernelKind::WendlandC2, _) => 21.0 / (16.0 * PI),
        };
        Self { kind, support, dimension, factor: unit / h.powi(dimension as i32) }
    }

    /// The shape.
    pub fn kind(&self) -> KernelKind {
        self.kind
    }

    /// Number of dimensions.
    pub fn dimension(&self) -> u32 {
        self.dimension
    }

    /// Support radius [m]: the kernel is zero from here on.
    pub fn support(&self) -> f64 {
        self.support
    }

    /// Smoothing length h [m], half the support.
    pub fn h(&self) -> f64 {
        0.5 * self.support
    }

    /// The normalisation that multiplies the shape [1/m^dim].
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// W(r) [1/m^dim].
    pub fn w(&self, r: f64) -> f64 {
        let q = r / self.h();
        let shape = match self.kind {
            KernelKind::CubicSpline => {
                let t1 = (1.0 - q).max(0.0);
                let t2 = (2.0 - q).max(0.0);
                t2 * t2 * t2 - 4.0 * t1 * t1 * t1
            }
            KernelKind::WendlandC2 => {
                let t = (1.0 - 0.5 * q).max(0.0);
                if self.dimension == 1 {
                    t * t * t * (1.5 * q + 1.0)
                } else {
                    t * t * t * t * (2.0 * q + 1.0)
                }
            }
        };
        self.factor * shape
    }

    /// dW/dr [1/m^(dim+1)], never positive.
    pub fn dw_dr(&self, r: f64) -> f64 {
        let q = r / self.h();
        let slope = match self.kind {
            KernelKind::CubicSpline => {
                let t1 = (1.0 - q).max(0.0);
                let t2 = (2.0 - q).max(0.0);
                12.0 * t1 * t1 - 3.0 * t2 * t2
            }
            KernelKind::WendlandC2 => {
                let t = (1.0 - 0.5 * q).max(0.0);
                if self.dimension == 1 { -3.0 * q * t * t } else { -5.0 * q * t * t * t }
            }
        };
        self.factor * slope / self.h()
    }

    /// ∇_i W(x_i − x_j): along x_i − x_j with a negative factor, zero at the centre.
    pub fn gradient(&self, x_ij: DVec3) -> DVec3 {
        let r = x_ij.length();
        if r > 0.0 { x_ij * (self.dw_dr(r) / r) } else { DVec3::ZERO }
    }
}

/// A kernel's shape on lanes of q, without its factor, for the pair loops in two and three
/// dimensions.
pub trait LaneShape: Copy + Send + Sync {
    /// W/factor at q.
    fn w<S: Simd>(q: F32x8<S>) -> F32x8<S>;
    /// (dW/dq)/q divided by the factor: finite at q = 0, so that x_ij times it is the gradient.
    fn slope_over_q<S: Simd>(q: F32x8<S>) -> F32x8<S>;
}

/// [`KernelKind::CubicSpline`] on lanes.
#[derive(Clone, Copy, Debug)]
pub struct CubicSplineLanes;

impl LaneShape for CubicSplineLanes {
    #[inline(always)]
    fn w<S: Simd>(q: F32x8<S>) -> F32x8<S> {
        let (t1, t2) = ((1.0 - q).max(0.0), (2.0 - q).max(0.0));
        t2.cube() - 4.0 * t1.cube()
    }

    #[inline(always)]
    fn slope_over_q<S: Simd>(q: F32x8<S>) -> F32x8<S> {
        let (t1, t2) = ((1.0 - q).max(0.0), (2.0 - q).max(0.0));
        let slope = 12.0 * (t1 * t1) - 3.0 * (t2 * t2);
        // The quotient is bounded by 12 although its parts vanish: a tiny q avoids 0/0.
        slope / q.max(1e-6)
    }
}

/// [`KernelKind::WendlandC2`] on lanes, for two and three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct WendlandC2Lanes;

impl LaneShape for WendlandC2Lanes {
    #[inline(always)]
    fn w<S: Simd>(q: F32x8<S>) -> F32x8<S> {
        let t = (1.0 - 0.5 * q).max(0.0);
        let t2 = t * t;
        t2 * t2 * (2.0 * q + 1.0)
    }

    #[inline(always)]
    fn slope_over_q<S: Simd>(q: F32x8<S>) -> F32x8<S> {
        -5.0 * (1.0 - 0.5 * q).max(0.0).cube()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    const KINDS: [KernelKind; 2] = [KernelKind::CubicSpline, KernelKind::WendlandC2];

    #[test]
    fn integral_is_one_in_every_dimension() {
        for kind in KINDS {
            for dimension in 1..=3 {
                let kernel = Kernel::new(kind, 0.3, dimension);
                let n = 20_000;
                let dr = kernel.support() / f64::from(n);
                let integral: f64 = (0..n)
                    .map(|i| {
                        let r = (f64::from(i) + 0.5) * dr;
                        let shell = match dimension {
                            1 => 2.0,
                            2 => 2.0 * PI * r,
                            _ => 4.0 * PI * r * r,
                        };
                        kernel.w(r) * shell * dr
                    })
                    .sum();
                assert!((integral - 1.0).abs() < 1e-7, "{kind:?} {dimension}D: {integral}");
            }
        }
    }

    #[test]
    fn slope_is_the_derivative_and_vanishes_at_both_ends() {
        for kind in KINDS {
            for dimension in 1..=3 {
                let kernel = Kernel::new(kind, 0.3, dimension);
                for i in 1..100 {
                    let r = 0.3 * f64::from(i) / 100.0;
                    let e = 1e-7;
                    let difference = (kernel.w(r + e) - kernel.w(r - e)) / (2.0 * e);
                    let scale = kernel.w(0.0) / 0.3;
                    assert!((kernel.dw_dr(r) - difference).abs() < 1e-5 * scale);
                }
                assert!(kernel.dw_dr(0.0).abs() < 1e-12 && kernel.w(0.3).abs() < 1e-9);
                assert_eq!(kernel.gradient(DVec3::ZERO), DVec3::ZERO);
            }
        }
    }

    #[test]
    fn gradient_pushes_apart() {
        let kernel = Kernel::new(KernelKind::CubicSpline, 2.0, 3);
        let x_ij = DVec3::new(0.5, -0.2, 0.1);
        assert!(kernel.gradient(x_ij).dot(x_ij) < 0.0);
    }

    #[test]
    fn lanes_agree_with_double_precision() {
        fn compare<L: LaneShape>(kind: KernelKind) {
            for dimension in [2, 3] {
                let kernel = Kernel::new(kind, 2.0, dimension);
                for i in 0..250 {
                    let q = i as f32 * 0.01;
                    let w = L::w(Portable.splat(q)).to_array()[0];
                    let g = L::slope_over_q(Portable.splat(q)).to_array()[0] * q;
                    let (q, f) = (f64::from(q), kernel.factor());
                    assert!((f64::from(w) - kernel.w(q) / f).abs() < 3e-6, "{kind:?} W({q})");
                    assert!((f64::from(g) - kernel.dw_dr(q) / f).abs() < 6e-6, "{kind:?} W'({q})");
                }
            }
        }
        compare::<CubicSplineLanes>(KernelKind::CubicSpline);
        compare::<WendlandC2Lanes>(KernelKind::WendlandC2);
    }
}
