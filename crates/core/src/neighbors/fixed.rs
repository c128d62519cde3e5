//! Positions in fixed point, for work on pairs.
//!
//! The unit is support/2²⁴, so that every difference between neighbours has the same accuracy
//! wherever in space they are, fits into the 24 bits of an `f32`, and can be taken with wrapping
//! 32-bit arithmetic: numbers that differ by less than 128 supports never alias.

use crate::simd::LANES;
use crate::space::Space;
use glam::DVec3;

/// Fixed-point units in one support radius.
pub const UNITS_PER_SUPPORT: i64 = 1 << 24;

/// Integer coordinates of a cell.
pub type Cell = [i32; 3];

/// A shift by whole periods, in fixed-point units, wrapping.
pub(super) type Shift = [i32; 3];

/// Positions in fixed point, one array for each axis, padded so that blocks of eight can be
/// loaded from every index.
#[derive(Clone, Debug, Default)]
pub struct FixedPositions {
    len: usize,
    axes: [Vec<i32>; 3],
}

impl FixedPositions {
    /// Makes room for `len` positions.
    pub(super) fn resize(&mut self, len: usize) {
        self.len = len;
        for axis in &mut self.axes {
            axis.resize(len + LANES, 0);
        }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Position `i`.
    #[inline(always)]
    pub fn at(&self, i: usize) -> [i32; 3] {
        [self.axes[0][i], self.axes[1][i], self.axes[2][i]]
    }

    /// The three arrays, each longer than [`Self::len`] by one block.
    #[inline(always)]
    pub fn axes(&self) -> [&[i32]; 3] {
        [&self.axes[0], &self.axes[1], &self.axes[2]]
    }

    /// The three arrays without padding.
    pub(super) fn axes_mut(&mut self) -> [&mut [i32]; 3] {
        let n = self.len;
        let [x, y, z] = &mut self.axes;
        [&mut x[..n], &mut y[..n], &mut z[..n]]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.axes.iter().map(|a| a.capacity() * size_of::<i32>()).sum()
    }
}

/// Squared distance in squared units, as every search computes it: the same bits for a pair from
/// either side.
#[inline(always)]
pub(super) fn distance_squared(a: [i32; 3], b: [i32; 3]) -> f32 {
    let d = |k: usize| a[k].wrapping_sub(b[k]) as f32;
    (d(0) * d(0) + d(1) * d(1)) + d(2) * d(2)
}

/// The squared support in squared units.
pub(super) const SUPPORT_SQUARED: f32 = (UNITS_PER_SUPPORT * UNITS_PER_SUPPORT) as f32;

/// Turns positions into fixed point and cells.
///
/// Cells are made from the fixed-point numbers, not from the doubles, so that two points within
/// the support are never more than one cell apart, to the last bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantizer {
    per_metre: f64,
    periodic: [Option<PeriodicAxis>; 3],
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct PeriodicAxis {
    /// Lower end in units.
    origin: i64,
    /// Period in units.
    length: i64,
    /// Cells in a period, at least three.
    cells: i32,
}

impl Quantizer {
    /// A quantizer for pairs within `support` [m]. A period shorter than three supports is given
    /// back as an error: axis and length.
    pub fn new(support: f64, space: &Space) -> Result<Self, (usize, f64)> {
        let per_metre = UNITS_PER_SUPPORT as f64 / support;
        let mut periodic = [None; 3];
        for (k, axis) in periodic.iter_mut().enumerate() {
            if let Some((min, length)) = space.period(k) {
                let units = round(length * per_metre);
                let cells = units / UNITS_PER_SUPPORT;
                if cells < 3 {
                    return Err((k, length));
                }
                let origin = round(min * per_metre);
                *axis = Some(PeriodicAxis { origin, length: units, cells: cells as i32 });
            }
        }
        Ok(Self { per_metre, periodic })
    }

    /// Fixed-point position and cell of `x`.
    #[inline(always)]
    pub fn quantize(&self, x: DVec3) -> ([i32; 3], Cell) {
        let wide = [x.x, x.y, x.z].map(|x| round(x * self.per_metre));
        let cell = std::array::from_fn(|k| match &self.periodic[k] {
            None => (wide[k] >> 24) as i32,
            Some(p) => {
                let cell = (wide[k] - p.origin) / (p.length / i64::from(p.cells));
                (cell as i32).clamp(0, p.cells - 1)
            }
        });
        (wide.map(|w| w as i32), cell)
    }

    /// The periods in units, wrapping; zero along axes without one.
    pub(super) fn periods(&self) -> [i32; 3] {
        self.periodic.map(|axis| axis.map_or(0, |p| p.length as i32))
    }

    /// Cells in a period of axis `k`, if it is periodic.
    pub(super) fn period_cells(&self, k: usize) -> Option<i32> {
        self.periodic[k].map(|p| p.cells)
    }

    /// Moves cell index `c` of axis `k` into its period; the shift is what to add to the
    /// positions found there.
    #[inline(always)]
    pub(super) fn wrap_cell(&self, k: usize, c: i32) -> (i32, i32) {
        match &self.periodic[k] {
            Some(p) if c < 0 => (c + p.cells, (p.length as i32).wrapping_neg()),
            Some(p) if c >= p.cells => (c - p.cells, p.length as i32),
            _ => (c, 0),
        }
    }
}

/// Nearest integer for |x| < 2⁵¹, ties to even: adding 1.5·2⁵² leaves it in the low bits of the
/// mantissa. The library's rounding is a function call on plain x86-64.
#[inline(always)]
fn round(x: f64) -> i64 {
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    ((x + MAGIC).to_bits() as i64).wrapping_sub(MAGIC.to_bits() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Aabb;
    use crate::space::Dimension;

    #[test]
    fn rounds_to_nearest() {
        for (x, n) in [(0.4, 0), (-0.6, -1), (2.5, 2), (1e12 + 0.25, 1_000_000_000_000), (-7.0, -7)]
        {
            assert_eq!(round(x), n);
        }
    }

    #[test]
    fn differences_are_exact_far_from_the_origin() {
        let quantizer = Quantizer::new(0.02, &Space::unbounded(Dimension::Full)).unwrap();
        let near = |x: f64| quantizer.quantize(DVec3::new(x, 0.0, 0.0)).0;
        for origin in [0.0, 10.0, -1234.5] {
            let r = distance_squared(near(origin), near(origin + 0.01)).sqrt();
            assert!((f64::from(r) / UNITS_PER_SUPPORT as f64 - 0.5).abs() < 1e-6);
        }
    }

    #[test]
    fn periods_shift_by_their_length() {
        let space = Space {
            domain: Some(Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 1.0, 1.0) }),
            periodic: [true, false, false],
            ..Space::unbounded(Dimension::Full)
        };
        let quantizer = Quantizer::new(0.1, &space).unwrap();
        assert_eq!(quantizer.period_cells(0), Some(10));
        let (left, cell) = quantizer.quantize(DVec3::new(0.01, 0.0, 0.0));
        let (right, _) = quantizer.quantize(DVec3::new(0.98, 0.0, 0.0));
        let (wrapped, shift) = quantizer.wrap_cell(0, cell[0] - 1);
        assert_eq!(wrapped, 9);
        let image = [right[0].wrapping_add(shift), right[1], right[2]];
        let r = f64::from(distance_squared(left, image).sqrt()) / UNITS_PER_SUPPORT as f64;
        assert!((r - 0.3).abs() < 1e-6);
        assert!(Quantizer::new(0.4, &space).is_err());
    }
}
