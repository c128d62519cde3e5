//! Axis-aligned bounding boxes.

use glam::DVec3;

/// A box along the axes, `min <= max` in every component unless it is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner [m].
    pub min: DVec3,
    /// Highest corner [m].
    pub max: DVec3,
}

impl Aabb {
    /// The box that holds nothing; the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box that holds everything.
    pub const EVERYTHING: Self = Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The box between two opposite corners, in any order.
    #[must_use]
    pub fn new(a: DVec3, b: DVec3) -> Self {
        Self { min: a.min(b), max: a.max(b) }
    }

    /// The smallest box around the points; [`Aabb::EMPTY`] when there are none.
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with_point)
    }

    /// The smallest box around this one and a point.
    #[must_use]
    pub fn with_point(self, point: DVec3) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// What both have in common; may be empty.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// The box with every side moved outwards by `margin` [m].
    #[must_use]
    pub fn grow(self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Whether it holds no point at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Whether all corners are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Whether the point lies in the box or on its surface.
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Whether the boxes share a point.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Middle of the box [m].
    #[must_use]
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Edge lengths [m].
    #[must_use]
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// Square of the distance from the point to the box [m²], zero inside.
    #[must_use]
    pub fn distance_squared(&self, point: DVec3) -> f64 {
        (point - point.clamp(self.min, self.max)).length_squared()
    }

    /// The eight corners; bit 0, 1, 2 of the index chooses the high side in x, y, z.
    #[must_use]
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            DVec3::new(
                if i & 1 == 0 { self.min.x } else { self.max.x },
                if i & 2 == 0 { self.min.y } else { self.max.y },
                if i & 4 == 0 { self.min.z } else { self.max.z },
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn union_intersection_and_containment_agree() {
        let a = Aabb::new(DVec3::ZERO, DVec3::ONE);
        let b = Aabb::new(DVec3::splat(2.0), DVec3::splat(0.5));
        assert!(a.overlaps(&b) && !a.intersection(b).is_empty());
        assert_eq!(a.union(b), Aabb::new(DVec3::ZERO, DVec3::splat(2.0)));
        assert_eq!(Aabb::EMPTY.union(a), a);
        assert!(Aabb::EMPTY.is_empty() && !Aabb::EVERYTHING.is_finite());
        assert!(a.corners().iter().all(|&c| a.contains(c) && !a.grow(-0.1).contains(c)));
        assert_eq!(a.size(), DVec3::ONE);
    }

    #[test]
    fn distance_is_zero_inside_and_euclidean_outside() {
        let a = Aabb::new(DVec3::ZERO, DVec3::ONE);
        assert!(a.distance_squared(a.center()) == 0.0);
        assert!((a.distance_squared(DVec3::new(4.0, 5.0, 0.5)) - 25.0).abs() < 1e-12);
    }
}
