//! Eight lanes with operators, so that a pair loop reads like the sum it computes.
//!
//! Every operation acts lane by lane, as one IEEE operation each, in the order in which it is written.

use super::{LANES, Simd};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Eight `f32`.
#[derive(Clone, Copy)]
pub struct F32x8<S: Simd> {
    s: S,
    x: S::F,
}

/// Eight `i32`.
#[derive(Clone, Copy)]
pub struct I32x8<S: Simd> {
    s: S,
    x: S::I,
}

/// Eight vectors of three components.
#[derive(Clone, Copy)]
pub struct Vec3x8<S: Simd>(pub [F32x8<S>; 3]);

/// What [`F32x8::le`] found.
#[derive(Clone, Copy)]
pub struct Le<S: Simd> {
    s: S,
    a: S::F,
    b: S::F,
}

/// What stands beside lanes: other lanes, or a number that is the same in every lane.
pub trait Operand<S: Simd>: Copy {
    /// As lanes.
    fn lanes(self, s: S) -> F32x8<S>;
}

impl<S: Simd> Operand<S> for F32x8<S> {
    #[inline(always)]
    fn lanes(self, _: S) -> Self {
        self
    }
}

impl<S: Simd> Operand<S> for f32 {
    #[inline(always)]
    fn lanes(self, s: S) -> F32x8<S> {
        F32x8::new(s, s.broadcast(self))
    }
}

impl<S: Simd> F32x8<S> {
    #[inline(always)]
    pub(super) fn new(s: S, x: S::F) -> Self {
        Self { s, x }
    }

    /// The larger; `b` where either is not a number.
    #[inline(always)]
    pub fn max(self, b: impl Operand<S>) -> Self {
        Self::new(self.s, self.s.max(self.x, b.lanes(self.s).x))
    }

    /// The smaller; `b` where either is not a number.
    #[inline(always)]
    pub fn min(self, b: impl Operand<S>) -> Self {
        Self::new(self.s, self.s.min(self.x, b.lanes(self.s).x))
    }

    /// Square root.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self::new(self.s, self.s.sqrt(self.x))
    }

    /// Third power.
    #[inline(always)]
    pub fn cube(self) -> Self {
        self * self * self
    }

    /// Compares: less than or equal.
    #[inline(always)]
    pub fn le(self, b: impl Operand<S>) -> Le<S> {
        Le { s: self.s, a: self.x, b: b.lanes(self.s).x }
    }

    /// Moves the lanes whose bit is set in `mask` to the front, in order; the rest is undefined.
    #[inline(always)]
    pub fn compact(self, mask: u32) -> Self {
        Self::new(self.s, self.s.compact(mask, self.x))
    }

    /// A function of single lanes.
    #[inline(always)]
    pub fn map(self, f: impl Fn(f32) -> f32) -> Self {
        self.s.load(&self.to_array().map(f))
    }

    /// The lanes.
    #[inline(always)]
    pub fn to_array(self) -> [f32; LANES] {
        self.s.to_array(self.x)
    }

    /// Sum of the lanes, always as ((0+4)+(2+6)) + ((1+5)+(3+7)).
    #[inline(always)]
    pub fn sum(self) -> f32 {
        let x = self.to_array();
        ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
    }
}

impl<S: Simd> Le<S> {
    /// x where it holds, otherwise y.
    #[inline(always)]
    pub fn select(self, x: impl Operand<S>, y: impl Operand<S>) -> F32x8<S> {
        let (s, x, y) = (self.s, x.lanes(self.s).x, y.lanes(self.s).x);
        F32x8::new(s, s.select_le(self.a, self.b, x, y))
    }

    /// Bit k is set where it holds in lane k.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.s.mask_le(self.a, self.b)
    }
}

impl<S: Simd> I32x8<S> {
    #[inline(always)]
    pub(super) fn new(s: S, x: S::I) -> Self {
        Self { s, x }
    }

    /// Nearest `f32` of each lane.
    #[inline(always)]
    pub fn to_float(self) -> F32x8<S> {
        F32x8::new(self.s, self.s.to_float(self.x))
    }

    /// The same bits read as floats.
    #[inline(always)]
    pub fn as_float(self) -> F32x8<S> {
        F32x8::new(self.s, self.s.as_float(self.x))
    }

    /// As [`F32x8::compact`].
    #[inline(always)]
    pub fn compact(self, mask: u32) -> Self {
        Self::new(self.s, self.s.compact_i(mask, self.x))
    }

    /// The lanes.
    #[inline(always)]
    pub fn to_array(self) -> [i32; LANES] {
        self.s.to_array_i(self.x)
    }
}

/// Wraps around.
impl<S: Simd> Sub for I32x8<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.s, self.s.sub_i(self.x, b.x))
    }
}

macro_rules! operators {
    ($($Operator:ident $operator:ident)*) => {$(
        impl<S: Simd> $Operator for F32x8<S> {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, b: Self) -> Self {
                Self::new(self.s, self.s.$operator(self.x, b.x))
            }
        }

        impl<S: Simd> $Operator<f32> for F32x8<S> {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, b: f32) -> Self {
                $Operator::$operator(self, b.lanes(self.s))
            }
        }

        impl<S: Simd> $Operator<F32x8<S>> for f32 {
            type Output = F32x8<S>;
            #[inline(always)]
            fn $operator(self, b: F32x8<S>) -> F32x8<S> {
                $Operator::$operator(self.lanes(b.s), b)
            }
        }
    )*};
}

operators!(Add add Sub sub Mul mul Div div);

impl<S: Simd> Neg for F32x8<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // Not 0 − x, which has another sign for zero.
        -0.0 - self
    }
}

impl<S: Simd> AddAssign for F32x8<S> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<S: Simd> SubAssign for F32x8<S> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl<S: Simd> Vec3x8<S> {
    /// a·b, as (x + y) + z.
    #[inline(always)]
    pub fn dot(self, b: Self) -> F32x8<S> {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, b.0);
        a0 * b0 + a1 * b1 + a2 * b2
    }

    /// The lanes of each component.
    #[inline(always)]
    pub fn to_array(self) -> [[f32; LANES]; 3] {
        let [x, y, z] = self.0;
        [x.to_array(), y.to_array(), z.to_array()]
    }

    /// Sums of the lanes, as [`F32x8::sum`].
    #[inline(always)]
    pub fn sum(self) -> [f32; 3] {
        let [x, y, z] = self.0;
        [x.sum(), y.sum(), z.sum()]
    }
}

impl<S: Simd> Add for Vec3x8<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, b.0);
        Self([a0 + b0, a1 + b1, a2 + b2])
    }
}

impl<S: Simd> Sub for Vec3x8<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, b.0);
        Self([a0 - b0, a1 - b1, a2 - b2])
    }
}

impl<S: Simd> AddAssign for Vec3x8<S> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<S: Simd> Mul<Vec3x8<S>> for F32x8<S> {
    type Output = Vec3x8<S>;
    #[inline(always)]
    fn mul(self, b: Vec3x8<S>) -> Vec3x8<S> {
        let [x, y, z] = b.0;
        Vec3x8([self * x, self * y, self * z])
    }
}

impl<S: Simd> Mul<Vec3x8<S>> for f32 {
    type Output = Vec3x8<S>;
    #[inline(always)]
    fn mul(self, b: Vec3x8<S>) -> Vec3x8<S> {
        self.lanes(b.0[0].s) * b
    }
}
