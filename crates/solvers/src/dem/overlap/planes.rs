//! The face planes of a convex body, column by column.

use glam::{DMat3, DVec3};
use lawine_core::geometry::{Aabb, HalfSpace, Polyhedron};

/// A convex body as an intersection of half spaces, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Planes {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    d: Vec<f64>,
    bounds: Aabb,
}

/// A cylinder that holds the rest of an overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cylinder {
    pub(super) center: DVec3,
    pub(super) axis: DVec3,
    pub(super) half_height: f64,
    pub(super) radius: f64,
}

impl Planes {
    /// The faces of a polyhedron.
    #[must_use]
    pub fn of(body: &Polyhedron) -> Self {
        let bounds = Aabb::from_points(body.vertices().iter().copied());
        Self::new(body.faces().iter().map(|f| f.plane), bounds)
    }

    /// A half space.
    #[must_use]
    pub fn half_space(plane: HalfSpace) -> Self {
        Self::new(std::iter::once(plane), Aabb::EVERYTHING)
    }

    fn new(planes: impl Iterator<Item = HalfSpace>, bounds: Aabb) -> Self {
        let mut this = Self { x: Vec::new(), y: Vec::new(), z: Vec::new(), d: Vec::new(), bounds };
        for HalfSpace { normal, offset } in planes {
            this.x.push(normal.x);
            this.y.push(normal.y);
            this.z.push(normal.z);
            this.d.push(offset);
        }
        this
    }

    /// How many planes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.d.len()
    }

    /// Plane `f`.
    #[inline]
    pub(super) fn plane(&self, f: usize) -> HalfSpace {
        let normal = DVec3::new(self.x[f], self.y[f], self.z[f]);
        HalfSpace { normal, offset: self.d[f] }
    }

    /// The box around the body in a frame in which its points are r x + t.
    pub(in crate::dem) fn bounds_in(&self, r: &DMat3, t: DVec3) -> Aabb {
        if !self.bounds.is_finite() {
            return Aabb::EVERYTHING;
        }
        let (center, half) = (self.bounds.center(), 0.5 * self.bounds.size());
        let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        let center = *r * center + t;
        Aabb { min: center - reach, max: center + reach }
    }

    /// The box in the body's own frame.
    pub(super) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The plane that `x` lies farthest beyond, and by how much.
    pub(super) fn outermost(&self, x: DVec3) -> (f64, usize) {
        let mut best = (f64::NEG_INFINITY, 0);
        for f in 0..self.count() {
            let s = self.x[f] * x.x + self.y[f] * x.y + self.z[f] * x.z - self.d[f];
            if s > best.0 {
                best = (s, f);
            }
        }
        best
    }

    /// Offers every plane that may cut the cylinder, with the height of the cylinder's centre over
    /// it; planes that pass it by less than `slack` count.
    #[inline]
    pub(super) fn near(&self, within: &Cylinder, slack: f64, mut offer: impl FnMut(f64, usize)) {
        let Cylinder { center: c, axis: a, half_height, radius } = *within;
        let n = self.count();
        let (x, y, z, d) = (&self.x[..n], &self.y[..n], &self.z[..n], &self.d[..n]);
        let square = radius * radius;
        for f in 0..n {
            let s = x[f] * c.x + y[f] * c.y + z[f] * c.z - d[f];
            let along = x[f] * a.x + y[f] * a.y + z[f] * a.z;
            // The cylinder reaches half_height |n·a| + radius √(1 − (n·a)²) towards the plane.
            let left = s + half_height * along.abs() + slack;
            if left > 0.0 || left * left < square * (1.0 - along * along) {
                offer(s, f);
            }
        }
    }
}
