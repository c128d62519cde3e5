//! The pair loops of a step with an equation of state, over one chunk of particles.

use super::chunk::{ChunkReport, Scratch};
use super::no_slip::NoSlip;
use super::pairs::{ForceConstants, Own, Pairs, add};
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
    pub(super) wall_records: &'a [Record],
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
                let mass_ratio = b.map(|b| f32::from_bits(self.wall_records[b as usize][3]));
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
/// where 1/ρ_ij is the mean of 1/ρ_i and 1/ρ_j, so that momentum is conserved. Walls mirror the
/// pressure ([`super::WallPressure`]), ρ_b = ρ0, and drag as if the liquid's velocity went on
/// linearly behind their surface ([`NoSlip`]).
pub(super) struct Acceleration<'a, K> {
    pub(super) constants: &'a ForceConstants,
    pub(super) records: &'a [Record],
    pub(super) wall_records: &'a [Record],
    pub(super) first: usize,
    pub(super) neighbors: &'a ChunkList,
    pub(super) wall_neighbors: &'a ChunkList,
    /// Positions of the chunk's particles [m], for the moments on the bodies.
    pub(super) positions: &'a [glam::DVec3],
    pub(super) report: &'a mut ChunkReport,
    pub(super) out: &'a mut [[f64; 3]],
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
            let word = |w: usize| f32::from_bits(record[w]);
            let own = Own::<S>::new(s, record);
            let mut sum = [s.splat(0.0); 3];
            let mut left = self.neighbors.count(k);
            for block in self.neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.records, block);
                let pressure = s.add(own.pressure, s.as_float(lanes[3]));
                let drag = s.mul(viscosity, s.add(own.volume, s.as_float(lanes[7])));
                let force = Pairs::new(s, &own, &lanes).force::<K>(s, pressure, drag, left);
                sum = add(s, sum, force);
                left = left.saturating_sub(LANES);
            }
            let mut left = self.wall_neighbors.count(k);
            if left > 0 {
                // p_i/ρ0², and Hunkler's 1/ρ_i for the drag.
                let p_i = word(3) / (word(7) * word(7)) * c.inverse_rest_density_squared;
                let drag = s.mul(s.splat(c.wall_viscosity), own.volume);
                let weight = c.weight.map(|g| s.splat(g));
                let list = (self.wall_neighbors, k);
                let no_slip = NoSlip::new::<K>(s, c, record, self.wall_records, list);
                for block in self.wall_neighbors.blocks(k) {
                    let lanes = c.gather(s, record, self.wall_records, block);
                    let pairs = Pairs::new(s, &own, &lanes);
                    // p_b/ρ0² = max(0, p_i/ρ0² + g·(x_b − x_i)/ρ0).
                    let p_b = s.add(s.splat(p_i), pairs.weight(s, &weight, s.splat(p_i)));
                    let pressure = s.add(own.pressure, p_b);
                    let ratio = s.as_float(lanes[3]);
                    let (pressure, mut drag) = (s.mul(pressure, ratio), s.mul(drag, ratio));
                    if let Some(no_slip) = &no_slip {
                        drag = s.mul(drag, no_slip.factor(s, &pairs));
                    }
                    let force = pairs.force::<K>(s, pressure, drag, left);
                    sum = add(s, sum, force);
                    let bodies = &s.store_i(lanes[7])[..left.min(LANES)];
                    self.report.push_bodies(s, force, bodies, self.positions[k]);
                    left = left.saturating_sub(LANES);
                }
            }
            *out = sum.map(|sum| c.scale * f64::from(s.sum(sum)));
        }
        self.report.scale_forces(-c.scale * c.mass);
    }
}
