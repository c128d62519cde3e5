//! The overlap of bodies of several convex parts.

use glam::DVec3;

use super::{Clipper, Overlap, Planes, Spread, Warm, overlap};
use crate::dem::narrow::Pose;

/// The overlap of two bodies: that of their parts, summed up, because an energy κ V^m belongs to the
/// whole volume. The parts of a body must not overlap each other. Convex bodies start from `warm`, the
/// parts of others always cold.
pub fn overlap_parts(
    (a, pose_a): (&[Planes], &Pose),
    (b, pose_b): (&[Planes], &Pose),
    warm: &mut Warm,
    clipper: &mut Clipper,
) -> Option<Overlap> {
    if let ([a], [b]) = (a, b) {
        return overlap((a, pose_a), (b, pose_b), warm, clipper);
    }
    let mut sum: Option<Overlap> = None;
    for p in a {
        for q in b {
            let found = overlap((p, pose_a), (q, pose_b), &mut Warm::default(), clipper);
            sum = match (sum, found) {
                (Some(one), Some(two)) => Some(one.and(&two)),
                (one, two) => one.or(two),
            };
        }
    }
    sum
}

impl Overlap {
    /// The middle of the patch: S × G/S² across the area, and the centroid's height along it [m].
    #[must_use]
    pub fn middle(&self) -> DVec3 {
        let (s, square) = (self.area, self.area.length_squared());
        if square > 0.0 {
            (s.cross(self.moment) + s * s.dot(self.centroid)) / square
        } else {
            self.centroid
        }
    }

    /// Both together.
    fn and(&self, other: &Self) -> Self {
        let volume = self.volume + other.volume;
        let centroid = (self.volume * self.centroid + other.volume * other.centroid) / volume;
        let (area, moment) = (self.area + other.area, self.moment + other.moment);
        let spread = Spread::default();
        let mut both = Self { volume, centroid, area, moment, spread };
        let Some(normal) = area.try_normalize() else { return both };
        let (e, f) = normal.any_orthonormal_pair();
        let (middle, mut squares) = (both.middle(), [0.0; 3]);
        let weights = [self, other].map(|part| part.area.length());
        for (part, weight) in [self, other].into_iter().zip(weights) {
            let off = part.middle() - middle;
            let fraction = weight / (weights[0] + weights[1]);
            let of = |u: DVec3, v: DVec3| {
                fraction * (u.dot(part.spread.times(v)) + off.dot(u) * off.dot(v))
            };
            for (square, more) in squares.iter_mut().zip([of(e, e), of(f, f), of(e, f)]) {
                *square += more;
            }
        }
        both.spread = Spread { axes: [e, f], squares };
        both
    }
}
