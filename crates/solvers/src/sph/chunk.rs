//! Scratch of a thread for a chunk of particles, and the report of the chunk.

use super::boundary::Boundary;
use super::momentum::Balance;
use lawine_core::neighbors::{CHUNK, ChunkList, PointIndex};
use lawine_core::simd::{Simd, Vec3x8};
use std::ops::Range;
use std::sync::Mutex;

/// What one thread needs while it works on a chunk.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Squared distances of the neighbours: written by the search, read by the density.
    liquid: Vec<f32>,
    walls: Vec<f32>,
    accelerations: Vec<[f64; 3]>,
}

impl Scratch {
    /// Room for the squared distances to liquid and walls.
    pub(super) fn distances(&mut self) -> (&mut Vec<f32>, &mut Vec<f32>) {
        (&mut self.liquid, &mut self.walls)
    }

    pub(super) fn accelerations(&mut self, n: usize) -> &mut [[f64; 3]] {
        self.accelerations.resize(n, [0.0; 3]);
        &mut self.accelerations
    }

    /// Resizes the scratch of every thread to the largest, so that it does not matter which
    /// thread works on what.
    pub(super) fn level(all: &mut [Mutex<Self>]) {
        let sizes = |s: &Mutex<Self>| with(s, |s| (s.liquid.len(), s.walls.len()));
        let max = |a: (usize, usize), b: (usize, usize)| (a.0.max(b.0), a.1.max(b.1));
        let (liquid, walls) = all.iter().map(sizes).fold((0, 0), max);
        for scratch in all {
            with(scratch, |s| {
                s.liquid.resize(liquid, 0.0);
                s.walls.resize(walls, 0.0);
                s.accelerations(CHUNK);
            });
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.liquid.capacity() + self.walls.capacity()) * size_of::<f32>()
            + self.accelerations.capacity() * size_of::<[f64; 3]>()
    }
}

/// Works with a scratch; a thread that panicked left nothing in it that matters.
pub(super) fn with<T>(scratch: &Mutex<Scratch>, work: impl FnOnce(&mut Scratch) -> T) -> T {
    work(&mut scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// Where a chunk looks for neighbours, and where they go.
pub(super) struct Search<'a> {
    pub(super) liquid: &'a PointIndex,
    pub(super) walls: &'a PointIndex,
    /// The particles of the chunk.
    pub(super) range: Range<usize>,
    pub(super) neighbors: &'a mut ChunkList,
    pub(super) wall_neighbors: &'a mut ChunkList,
    /// For the distances.
    pub(super) scratch: &'a mut Scratch,
}

impl Search<'_> {
    #[inline(always)]
    pub(super) fn run<S: Simd>(&mut self, s: S) {
        let Scratch { liquid, walls, .. } = self.scratch;
        self.liquid.collect(s, self.liquid, self.range.clone(), self.neighbors, liquid);
        self.walls.collect(s, self.liquid, self.range.clone(), self.wall_neighbors, walls);
    }
}

/// Report of a chunk after its loops; all are combined in order.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkReport {
    /// Seconds in the search and in the density sums.
    pub(super) search_time: f64,
    pub(super) density_time: f64,
    /// Particles under pressure, the sum of their |ρ/ρ0 − 1| and the largest.
    pub(super) pressed: u32,
    pub(super) error_sum: f64,
    pub(super) error_max: f64,
    /// Squares of the largest speed and acceleration.
    pub(super) speed_squared: f64,
    pub(super) acceleration_squared: f64,
    /// The first particle whose velocity or position is not finite.
    pub(super) not_finite: Option<usize>,
    /// The first particle outside the domain.
    pub(super) outside: Option<usize>,
    /// Force and torque about its position on each body [N], [N m].
    pub(super) forces: Vec<[f64; 6]>,
    pub(super) balance: Balance,
}

impl ChunkReport {
    /// Adds what eight wall particles do to the particle at `x` to the forces of their bodies, for now
    /// with the particle's sign and scale. All terms point along x_ij, so the particle's own position
    /// gives the same moment as the wall particles' would.
    #[inline(always)]
    pub(super) fn push_bodies<S: Simd>(
        &mut self,
        pairs: Vec3x8<S>,
        bodies: &[i32],
        x: glam::DVec3,
        boundary: &Boundary,
    ) {
        let mut push = |body: i32, force: [f32; 3]| {
            let force = glam::DVec3::from_array(force.map(f64::from));
            let moment = boundary.arm(body as usize, x).cross(force);
            let total = &mut self.forces[body as usize];
            for k in 0..3 {
                total[k] += force[k];
                total[3 + k] += moment[k];
            }
        };
        if bodies.iter().all(|&body| body == bodies[0]) {
            push(bodies[0], pairs.sum());
        } else {
            let lanes = pairs.to_array();
            for (lane, &body) in bodies.iter().enumerate() {
                push(body, [lanes[0][lane], lanes[1][lane], lanes[2][lane]]);
            }
        }
    }

    /// Turns what [`Self::push_bodies`] added up into newtons.
    pub(super) fn scale_forces(&mut self, factor: f64) {
        self.forces.iter_mut().flatten().for_each(|f| *f *= factor);
    }
}
