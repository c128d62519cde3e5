//! Boxes on a circle: intervals whose ends are wrapped into the period.

use glam::DVec3;
use lawine_core::geometry::Aabb;
use lawine_core::space::Space;

/// A box with its ends wrapped along periodic axes. An interval that crosses the seam begins after
/// it ends; one that is as long as the period reaches from −∞ to ∞.
///
/// All decisions about pairs are comparisons of these numbers, so they agree with the order that
/// sorting finds, to the last bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wrapped {
    pub(super) begin: DVec3,
    pub(super) end: DVec3,
}

impl Wrapped {
    pub(super) fn new(bounds: &Aabb, space: &Space) -> Self {
        let (mut begin, mut end) = (space.wrap(bounds.min), space.wrap(bounds.max));
        for k in 0..3 {
            if let Some((_, length)) = space.period(k)
                && bounds.max[k] - bounds.min[k] > length * (1.0 - 1e-9)
            {
                (begin[k], end[k]) = (f64::NEG_INFINITY, f64::INFINITY);
            }
        }
        // No negative zeros: sorting would tell them apart from zeros, comparing does not.
        Self { begin: begin + 0.0, end: end + 0.0 }
    }

    /// Whether the boxes share a point, or their images do.
    #[inline]
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| {
            let (b1, e1, b2, e2) = (self.begin[k], self.end[k], other.begin[k], other.end[k]);
            holds(b1, e1, b2) || holds(b2, e2, b1)
        })
    }
}

/// Whether the interval from b to e on the circle holds x.
#[inline]
fn holds(b: f64, e: f64, x: f64) -> bool {
    if b <= e { b <= x && x <= e } else { x >= b || x <= e }
}
