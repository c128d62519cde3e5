//! Four `f64` that are treated alike: three components and one number beside them.
//!
//! Plain arrays whose operations the compiler turns into one instruction each where the surrounding
//! function may use AVX2 (see [`lawine_core::simd::Level::run`]); the bits are the same everywhere.

use glam::DVec3;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A vector and a number, such as momentum and mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Quad(pub(super) [f64; 4]);

impl Quad {
    /// Nothing.
    pub(super) const ZERO: Self = Self([0.0; 4]);

    /// A vector and a number beside it.
    #[inline(always)]
    #[must_use]
    pub(super) fn new(v: DVec3, w: f64) -> Self {
        Self([v.x, v.y, v.z, w])
    }

    /// The vector.
    #[inline(always)]
    #[must_use]
    pub(super) fn xyz(self) -> DVec3 {
        DVec3::new(self.0[0], self.0[1], self.0[2])
    }

    /// The number beside it.
    #[inline(always)]
    #[must_use]
    pub(super) fn w(self) -> f64 {
        self.0[3]
    }
}

impl Add for Quad {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        let (a, b) = (self.0, b.0);
        Self([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]])
    }
}

impl AddAssign for Quad {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl Sub for Quad {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        let (a, b) = (self.0, b.0);
        Self([a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]])
    }
}

impl Mul<f64> for Quad {
    type Output = Self;
    #[inline(always)]
    fn mul(self, f: f64) -> Self {
        Self(self.0.map(|x| x * f))
    }
}
