//! Lattices for boxes and planes.

use glam::DVec3;

use super::Sample;
use lawine_core::body::{Body, Pose};
use lawine_core::geometry::Aabb;

/// The lattice of a box: all cells of an outer index range without an inner one.
pub(super) struct BoxLattice {
    origin: DVec3,
    spacing: DVec3,
    outer: [[i64; 2]; 3],
    /// Left out; nothing is when it is empty in one axis.
    inner: [[i64; 2]; 3],
    volume: f64,
}

impl BoxLattice {
    /// Layers inside a solid box (`open` is `None`) or around a hollow one.
    pub(super) fn new(
        half: DVec3,
        open: Option<[[bool; 2]; 3]>,
        spacing: f64,
        layers: usize,
        planar: bool,
    ) -> Self {
        let axes = if planar { 2 } else { 3 };
        let layers = layers as i64;
        let mut lattice = Self {
            origin: DVec3::ZERO,
            spacing: DVec3::ZERO,
            outer: [[0, 1]; 3],
            inner: [[0, 1]; 3],
            volume: 1.0,
        };
        for axis in 0..axes {
            // The lattice is fitted to the box, so that the samples at both ends are at half a
            // cell from the surface. The cap keeps the arithmetic in range; so many are refused.
            let length = 2.0 * half[axis];
            let n = (length / spacing).round().clamp(1.0, 1e12);
            let step = length / n;
            let n = n as i64;
            lattice.origin[axis] = -half[axis];
            lattice.spacing[axis] = step;
            lattice.volume *= step;
            if let Some(open) = open {
                let wall = |side: usize| if open[axis][side] { 0 } else { layers };
                lattice.outer[axis] = [-wall(0), n + wall(1)];
                lattice.inner[axis] = [0, n];
            } else {
                lattice.outer[axis] = [0, n];
                lattice.inner[axis] = [layers, n - layers];
            }
        }
        lattice
    }

    pub(super) fn count(&self) -> f64 {
        let cells = |ranges: &[[i64; 2]; 3]| {
            ranges.iter().map(|[low, high]| (high - low).max(0) as f64).product::<f64>()
        };
        cells(&self.outer) - cells(&self.inner)
    }

    pub(super) fn samples(&self) -> Vec<Sample> {
        let mut samples = Vec::with_capacity(self.count() as usize);
        let filled = self.inner.iter().any(|[low, high]| low >= high);
        let inside = |axis: usize, i: i64| {
            !filled && (self.inner[axis][0]..self.inner[axis][1]).contains(&i)
        };
        let [x, y, z] = self.outer;
        for k in z[0]..z[1] {
            for j in y[0]..y[1] {
                if inside(2, k) && inside(1, j) {
                    self.push_row(x[0], self.inner[0][0], j, k, &mut samples);
                    self.push_row(self.inner[0][1], x[1], j, k, &mut samples);
                } else {
                    self.push_row(x[0], x[1], j, k, &mut samples);
                }
            }
        }
        samples
    }

    fn push_row(&self, from: i64, to: i64, j: i64, k: i64, samples: &mut Vec<Sample>) {
        for i in from..to {
            let cell = DVec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5);
            let position = self.origin + cell * self.spacing;
            samples.push(Sample { position, volume: self.volume });
        }
    }
}

/// Whether a region is finite and not empty, in the plane regardless of z.
pub(super) fn is_usable(region: &Aabb, planar: bool) -> bool {
    let axes = if planar { 2 } else { 3 };
    (0..axes).all(|a| {
        let (low, high) = (region.min[a], region.max[a]);
        low.is_finite() && high.is_finite() && low <= high
    })
}

/// The lattice of a half space, where it meets a region.
pub(super) struct PlaneLattice {
    pose: Pose,
    /// +1 for a solid below y = 0, -1 for a hollow one.
    down: f64,
    spacing: f64,
    layers: usize,
    planar: bool,
    /// Where samples are wanted, in the world.
    region: Aabb,
    /// Index ranges in local x and z.
    x: [f64; 2],
    z: [f64; 2],
}

impl PlaneLattice {
    pub(super) fn new(
        body: &Body,
        spacing: f64,
        layers: usize,
        planar: bool,
        region: &Aabb,
    ) -> Self {
        let mut region = region.grow(layers as f64 * spacing);
        if planar {
            (region.min.z, region.max.z) = (body.pose.position.z, body.pose.position.z);
        }
        let local = Aabb::from_points(region.corners().map(|c| body.pose.to_local(c)));
        let range = |axis: usize| [local.min[axis], local.max[axis]].map(|v| (v / spacing).floor());
        let z = if planar { [0.0, 0.0] } else { range(2) };
        let down = if body.hollow { -1.0 } else { 1.0 };
        Self { pose: body.pose, down, spacing, layers, planar, region, x: range(0), z }
    }

    pub(super) fn count(&self) -> f64 {
        let cells = |[low, high]: [f64; 2]| high - low + 1.0;
        cells(self.x) * cells(self.z) * self.layers as f64
    }

    pub(super) fn samples(&self) -> Vec<Sample> {
        let d = self.spacing;
        // A sample on the rim of the region must not depend on rounding in the pose.
        let region = self.region.grow(1e-9 * d);
        let volume = if self.planar { d * d } else { d * d * d };
        let mut samples = Vec::new();
        for layer in 0..self.layers {
            let y = -self.down * (layer as f64 + 0.5) * d;
            for k in self.z[0] as i64..=self.z[1] as i64 {
                let z = if self.planar { 0.0 } else { (k as f64 + 0.5) * d };
                for i in self.x[0] as i64..=self.x[1] as i64 {
                    let position = DVec3::new((i as f64 + 0.5) * d, y, z);
                    if region.contains(self.pose.to_world(position)) {
                        samples.push(Sample { position, volume });
                    }
                }
            }
        }
        samples
    }
}
