//! The face planes of a convex body, column by column.

use glam::{DMat3, DVec3};
use lawine_core::geometry::{Aabb, HalfSpace, Polyhedron};
use lawine_core::simd::{LANES, Level, Simd, Vec3x8, Work};

/// Heights over planes in single precision are this exact, of the lengths that they are made from.
const ROUNDING: f64 = 1e-6;

/// A convex body as an intersection of half spaces, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Planes {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    d: Vec<f64>,
    bounds: Aabb,
    /// Normals and offsets of eight planes at a time, the last block filled up with planes that
    /// nothing is near.
    blocks: Vec<[[f32; LANES]; 4]>,
    /// The largest offset [m].
    farthest: f64,
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
        let (x, y, z, d) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut this = Self { x, y, z, d, bounds, blocks: Vec::new(), farthest: 0.0 };
        for (f, HalfSpace { normal, offset }) in planes.enumerate() {
            this.x.push(normal.x);
            this.y.push(normal.y);
            this.z.push(normal.z);
            this.d.push(offset);
            this.farthest = this.farthest.max(offset.abs());
            if f % LANES == 0 {
                let nothing = [0.0; LANES];
                this.blocks.push([nothing, nothing, nothing, [f32::INFINITY; LANES]]);
            }
            if let Some(block) = this.blocks.last_mut() {
                let numbers = [normal.x, normal.y, normal.z, offset];
                for (column, number) in block.iter_mut().zip(numbers) {
                    column[f % LANES] = number as f32;
                }
            }
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
    /// it; planes that pass it by less than `slack` count. Eight planes at a time are sieved in single
    /// precision, with room for its rounding; those that stay are looked at in double.
    #[inline]
    pub(super) fn near(
        &self,
        within: &Cylinder,
        slack: f64,
        level: Level,
        mut offer: impl FnMut(f64, usize),
    ) {
        let Cylinder { center: c, axis: a, half_height, radius } = *within;
        let square = radius * radius;
        let look = |f: usize| {
            let s = self.x[f] * c.x + self.y[f] * c.y + self.z[f] * c.z - self.d[f];
            let along = self.x[f] * a.x + self.y[f] * a.y + self.z[f] * a.z;
            // The cylinder reaches half_height |n·a| + radius √(1 − (n·a)²) towards the plane.
            let left = s + half_height * along.abs() + slack;
            if left > 0.0 || left * left < square * (1.0 - along * along) {
                offer(s, f);
            }
        };
        let rounding = ROUNDING * (self.farthest + c.abs().element_sum());
        level.run(Sieve { blocks: &self.blocks, within, slack: slack + rounding, look });
    }
}

/// Eight planes at a time against a cylinder.
struct Sieve<'a, F> {
    blocks: &'a [[[f32; LANES]; 4]],
    within: &'a Cylinder,
    slack: f64,
    look: F,
}

impl<F: FnMut(usize)> Work for Sieve<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let Cylinder { center, axis, half_height, radius } = *self.within;
        let lanes = |v: DVec3| s.splat_vector(v.to_array().map(|k| k as f32));
        let (center, axis) = (lanes(center), lanes(axis));
        let [half_height, radius, slack] = [half_height, radius, self.slack].map(|k| k as f32);
        for (k, [x, y, z, d]) in self.blocks.iter().enumerate() {
            let n = Vec3x8([s.load(x), s.load(y), s.load(z)]);
            let along = n.dot(axis);
            // √(1 − x²) near x = 1 is known to a thousandth only.
            let across = (1.0 + 1e-6 - along * along).max(0.0).sqrt();
            let reach = half_height * along.max(-along) + radius * across;
            let below = s.load(d) - n.dot(center);
            let mut mask = below.le(reach + slack).bits();
            while mask != 0 {
                (self.look)(k * LANES + mask.trailing_zeros() as usize);
                mask &= mask - 1;
            }
        }
    }
}
