//! The pair loops of a step with an equation of state, over one chunk of particles.

use super::chunk::{ChunkReport, Search};
use super::pairs::{Chunk, Surroundings};
use lawine_core::kernel::LaneShape;
use lawine_core::simd::{F32x8, LANES, Simd, Work};
use std::marker::PhantomData;
use web_time::Instant;

/// Finds the neighbours of a chunk and sums ρ/m = Σ W: Hunkler (4.3), Algorithm 5.
pub(super) struct Density<'a, K> {
    pub(super) search: Search<'a>,
    pub(super) all: Surroundings<'a>,
    pub(super) rho: &'a mut [f32],
    pub(super) report: &'a mut ChunkReport,
    pub(super) shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Density<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let start = Instant::now();
        self.search.run(s);
        let found = Instant::now();
        let Search { neighbors, wall_neighbors, scratch, .. } = self.search;
        let (liquid, walls) = scratch.distances();
        for (k, rho) in self.rho.iter_mut().enumerate() {
            let mut sum = s.splat(0.0);
            for r2 in liquid[neighbors.span(k)].as_chunks().0 {
                sum += kernel_at::<S, K>(s, r2);
            }
            let wall_distances = walls[wall_neighbors.span(k)].as_chunks().0;
            for (r2, b) in wall_distances.iter().zip(wall_neighbors.blocks(k)) {
                let mass_ratio = b.map(|b| self.all.coverage.filled[b as usize]);
                sum += kernel_at::<S, K>(s, r2) * s.load(&mass_ratio);
            }
            *rho = (self.all.constants.density_scale * f64::from(sum.sum())) as f32;
        }
        self.report.search_time = (found - start).as_secs_f64();
        self.report.density_time = found.elapsed().as_secs_f64();
    }
}

/// W without its factor at eight (r/support)².
#[inline(always)]
pub(super) fn kernel_at<S: Simd, K: LaneShape>(s: S, r2: &[f32; LANES]) -> F32x8<S> {
    K::w(2.0 * s.load(r2).sqrt())
}

/// Pressure and viscosity: Hunkler (4.21), (4.24), Algorithms 7 and 8 with the errata.
///
/// a_i = −Σ_j m (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij
///       + 2(d+2)ν Σ_j m/ρ_ij (v_ij·x_ij)/(x_ij² + 0.01h²) ∇W_ij,
/// where 1/ρ_ij is the mean of 1/ρ_i and 1/ρ_j, so that momentum is conserved. Walls push as
/// [`super::coverage`] has it, and drag as if the liquid's velocity went on linearly behind their surface
/// ([`super::no_slip`]).
pub(super) struct Acceleration<'a, K> {
    pub(super) chunk: Chunk<'a>,
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
        let (chunk, c) = (self.chunk, self.chunk.all.constants);
        for (k, out) in self.out.iter_mut().enumerate() {
            let i = chunk.particle(s, k);
            let (mut sum, mut carried) = chunk.push_of_walls::<S, K>(s, &i, k, |force, bodies| {
                self.report.push_bodies(force, bodies, self.positions[k], chunk.all.boundary);
            });
            for (j, ij) in chunk.liquid(&i, k) {
                let pressure = i.kappa + j.kappa();
                let drag = 0.5 * c.viscosity * (i.volume + j.volume());
                let (force, fraction) = ij.force::<K>(s, c, pressure, drag);
                sum += force;
                carried += fraction;
            }
            *out = sum.sum().map(|sum| c.scale * f64::from(sum));
            let volume = f32::from_bits(i.record[7]);
            self.stress[k] = carried.mean() / (volume * volume);
        }
        self.report.scale_forces(-c.scale * c.mass);
    }
}
