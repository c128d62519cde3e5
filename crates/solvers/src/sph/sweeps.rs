//! The pair loops of a step with an equation of state, over one chunk of particles.

use super::chunk::{ChunkReport, Scratch};
use super::pairs::{ForceConstants, Own, Pairs, add};
use super::seen::WallPairs;
use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::{ChunkList, PointIndex};
use lawine_core::simd::{LANES, Record, Simd, Work};
use std::marker::PhantomData;
use std::ops::Range;
use web_time::Instant;

/// Finds the neighbours of a chunk and sums ρ/m = Σ W: Hunkler (4.3), Algorithm 5.
pub(super) struct Density<'a, K> {
    pub(super) index: &'a PointIndex,
    pub(super) walls: &'a PointIndex,
    /// What boundary particles count, as mass ratios.
    pub(super) filled: &'a [f32],
    pub(super) range: Range<usize>,
    pub(super) neighbors: &'a mut ChunkList,
    pub(super) wall_neighbors: &'a mut ChunkList,
    pub(super) scratch: &'a mut Scratch,
    /// m times the kernel's factor [kg/m^dim].
    pub(super) scale: f64,
    pub(super) rho: &'a mut [f32],
    pub(super) report: &'a mut ChunkReport,
    pub(super) shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Density<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let start = Instant::now();
        let (liquid, walls) = self.scratch.distances();
        self.index.collect(s, self.index, self.range.clone(), self.neighbors, liquid);
        self.walls.collect(s, self.index, self.range, self.wall_neighbors, walls);
        let found = Instant::now();
        for (k, rho) in self.rho.iter_mut().enumerate() {
            let mut sum = s.splat(0.0);
            for r2 in liquid[self.neighbors.span(k)].as_chunks().0 {
                sum = s.add(sum, kernel_at::<S, K>(s, r2));
            }
            let wall_distances = walls[self.wall_neighbors.span(k)].as_chunks().0;
            for (r2, b) in wall_distances.iter().zip(self.wall_neighbors.blocks(k)) {
                let mass_ratio = b.map(|b| self.filled[b as usize]);
                sum = s.add(sum, s.mul(kernel_at::<S, K>(s, r2), s.load(&mass_ratio)));
            }
            *rho = (self.scale * f64::from(s.sum(sum))) as f32;
        }
        self.report.search_time = (found - start).as_secs_f64();
        self.report.density_time = found.elapsed().as_secs_f64();
    }
}

/// W without its factor at eight (r/support)².
#[inline(always)]
fn kernel_at<S: Simd, K: LaneShape>(s: S, r2: &[f32; LANES]) -> S::F {
    K::w(s, s.mul(s.splat(2.0), s.sqrt(s.load(r2))))
}

/// Pressure and viscosity: Hunkler (4.21), (4.24), Algorithms 7 and 8 with the errata.
///
/// a_i = −Σ_j m (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij
///       + 2(d+2)ν Σ_j m/ρ_ij (v_ij·x_ij)/(x_ij² + 0.01h²) ∇W_ij,
/// where 1/ρ_ij is the mean of 1/ρ_i and 1/ρ_j, so that momentum is conserved. Walls push as
/// [`super::seen`] has it, and drag as if the liquid's velocity went on linearly behind their surface
/// ([`super::no_slip`]).
pub(super) struct Acceleration<'a, K> {
    pub(super) constants: &'a ForceConstants,
    pub(super) records: &'a [Record],
    pub(super) first: usize,
    pub(super) neighbors: &'a ChunkList,
    pub(super) walls: WallPairs<'a>,
    /// Positions of the chunk's particles [m], for the moments on the bodies.
    pub(super) positions: &'a [glam::DVec3],
    pub(super) report: &'a mut ChunkReport,
    pub(super) out: &'a mut [[f64; 3]],
    /// What the pressures carry [Pa].
    pub(super) stress: &'a mut [f32],
    pub(super) shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Acceleration<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let c = self.constants;
        let viscosity = s.splat(0.5 * c.viscosity);
        for (k, out) in self.out.iter_mut().enumerate() {
            let record = &self.records[self.first + k];
            let own = Own::<S>::new(s, record);
            let (mut sum, mut carried) = self.walls.push::<S, K>(s, k, record, |force, bodies| {
                self.report.push_bodies(s, force, bodies, self.positions[k]);
            });
            let mut left = self.neighbors.count(k);
            for block in self.neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.records, block);
                let pressure = s.add(own.pressure, s.as_float(lanes[3]));
                let drag = s.mul(viscosity, s.add(own.volume, s.as_float(lanes[7])));
                let pairs = Pairs::new(s, &own, &lanes);
                let (force, share) = pairs.force::<K>(s, c, pressure, drag, left);
                (sum, carried) = (add(s, sum, force), carried.add(s, share));
                left = left.saturating_sub(LANES);
            }
            *out = sum.map(|sum| c.scale * f64::from(s.sum(sum)));
            let volume = f32::from_bits(record[7]);
            self.stress[k] = carried.mean(s) / (volume * volume);
        }
        self.report.scale_forces(-c.scale * c.mass);
    }
}
