//! Implicit viscosity for thick liquids, after Weiler et al. 2018.
//!
//! Solves v − Δt L v = v* with the same L as the explicit term,
//!
//!   (L v)_i = 2(d+2)ν Σ_j m/ρ0 (v_ij·x_ij)/(x_ij² + 0.01h²) ∇W_ij,
//!
//! by conjugate gradients without a matrix: a product is one sweep over the neighbours. With equal
//! masses the matrix is symmetric and positive definite, so momentum is kept and any step is stable.
//! Walls are neighbours with a given velocity.

use super::chunk::ChunkReport;
use super::no_slip::NoSlip;
use super::pairs::{ForceConstants, Own, Pairs, add};
use super::step::FORCES;
use super::{Liquid, ViscositySolver};
use glam::DVec3;
use lawine_core::kernel::LaneShape;
use lawine_core::method::StepError;
use lawine_core::neighbors::{CHUNK, ChunkList};
use lawine_core::simd::{LANES, Record, Simd, Work};
use rayon::prelude::*;
use std::marker::PhantomData;
use web_time::Instant;

/// Residual at which the solve ends, over the size of the velocities.
const TOLERANCE: f64 = 1e-5;

/// More iterations are an error: the step is far too long.
const MAX_ITERATIONS: u32 = 1000;

/// Scratch of the solve.
#[derive(Debug, Default)]
pub(super) struct Viscous {
    /// What is left, r.
    rest: Vec<DVec3>,
    /// Where the next iteration goes, p.
    search: Vec<DVec3>,
    /// L p, or L v.
    product: Vec<DVec3>,
    /// Sums over chunks.
    parts: Vec<f64>,
}

impl Viscous {
    pub(super) fn bytes(&self) -> usize {
        let capacity = self.rest.capacity() + self.search.capacity() + self.product.capacity();
        capacity * size_of::<DVec3>() + self.parts.capacity() * size_of::<f64>()
    }
}

impl Liquid {
    /// Lets viscosity act on the velocities, if the implicit solver is chosen. Needs neighbours and
    /// the records of this step; afterwards these hold the new velocities.
    pub(super) fn apply_viscosity<K: LaneShape>(&mut self, dt: f64) -> Result<(), StepError> {
        if self.config.viscosity_solver == ViscositySolver::Explicit {
            return Ok(());
        }
        let start = Instant::now();
        let constants = self.viscous_constants();
        let n = self.particles.v.len();
        let mut scratch = std::mem::take(&mut self.work.viscous);
        let Viscous { rest, search, product, parts } = &mut scratch;
        parts.resize(n.div_ceil(CHUNK), 0.0);
        for column in [&mut *rest, &mut *search, &mut *product] {
            column.resize(n, DVec3::ZERO);
        }
        let mut v = std::mem::take(&mut self.particles.v);
        let size = sum(parts, n, |i| v[i].length_squared());
        let goal = TOLERANCE * TOLERANCE * size;

        // r = v* − (v − Δt L v) at v = v*, with moving walls; from here on they stand still.
        self.viscous_product::<K>(&constants, &v, product, true, false);
        each(rest, &*product, |r, product| *r = dt * product);
        search.copy_from_slice(rest);
        let mut square = sum(parts, n, |i| rest[i].length_squared());
        let mut iterations = 0;
        while square > goal && iterations < MAX_ITERATIONS {
            self.viscous_product::<K>(&constants, search, product, false, false);
            // p·(1 − Δt L)p.
            let curvature = sum(parts, n, |i| search[i].dot(search[i] - dt * product[i]));
            let alpha = square / curvature;
            each(&mut v, &*search, |v, p| *v += alpha * p);
            each(rest, &*search, |r, p| *r -= alpha * p);
            each(rest, &*product, |r, product| *r += alpha * dt * product);
            let next = sum(parts, n, |i| rest[i].length_squared());
            let beta = next / square;
            each(search, &*rest, |p, r| *p = r + beta * *p);
            square = next;
            iterations += 1;
        }
        // What walls get, and the records as others expect them.
        self.viscous_product::<K>(&constants, &v, product, true, true);
        self.particles.v = v;
        self.work.viscous = scratch;
        self.phases.lap(FORCES, start);
        if square > goal {
            let error = (square / size).sqrt();
            return Err(StepError::ViscosityNotConverged { iterations, error });
        }
        Ok(())
    }

    /// L times `vector`; walls move if `moving`, and get their forces if `measure`.
    fn viscous_product<K: LaneShape>(
        &mut self,
        constants: &ForceConstants,
        vector: &[DVec3],
        out: &mut [DVec3],
        moving: bool,
        measure: bool,
    ) {
        let (work, walls) = (&mut self.work, self.boundary.records());
        work.records.par_iter_mut().with_min_len(CHUNK).zip(vector).for_each(|(record, v)| {
            let [u, v, w] = v.to_array().map(|v| (v as f32).to_bits());
            (record[4], record[5], record[6]) = (u, v, w);
        });
        let (records, level) = (&work.records, work.level);
        out.par_chunks_mut(CHUNK)
            .zip(self.particles.x.par_chunks(CHUNK))
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .zip(&mut work.reports)
            .enumerate()
            .for_each(|(chunk, ((((out, positions), neighbors), wall_neighbors), report))| {
                level.run(Laplacian::<K> {
                    constants,
                    records,
                    wall_records: walls,
                    first: chunk * CHUNK,
                    neighbors,
                    wall_neighbors,
                    positions,
                    moving,
                    report: measure.then_some(report),
                    out,
                    shape: PhantomData,
                });
            });
    }
}

/// Σ over the particles by chunks, which are then added in order: the same bits for any number of
/// threads. `parts` has room for one number a chunk.
fn sum(parts: &mut [f64], n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    parts.par_iter_mut().enumerate().for_each(|(chunk, part)| {
        let first = chunk * CHUNK;
        *part = (first..(first + CHUNK).min(n)).map(&term).sum();
    });
    parts.iter().sum()
}

/// Changes every vector of `a` with the help of that of `b`.
fn each(a: &mut [DVec3], b: &[DVec3], change: impl Fn(&mut DVec3, DVec3) + Sync) {
    a.par_iter_mut().with_min_len(CHUNK).zip(b).for_each(|(a, b)| change(a, *b));
}

/// L times the velocities in the records, over one chunk.
struct Laplacian<'a, K> {
    constants: &'a ForceConstants,
    records: &'a [Record],
    wall_records: &'a [Record],
    first: usize,
    neighbors: &'a ChunkList,
    wall_neighbors: &'a ChunkList,
    positions: &'a [DVec3],
    moving: bool,
    report: Option<&'a mut ChunkReport>,
    out: &'a mut [DVec3],
    shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Laplacian<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let c = self.constants;
        let (zero, volume) = (s.splat(0.0), c.inverse_rest_density);
        let drag = s.splat(c.viscosity * volume);
        let wall_drag = s.splat(c.wall_viscosity * volume);
        for (k, out) in self.out.iter_mut().enumerate() {
            let record = &self.records[self.first + k];
            let own = Own::<S>::new(s, record);
            let mut sum = [zero; 3];
            let mut left = self.neighbors.count(k);
            for block in self.neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.records, block);
                let force = Pairs::new(s, &own, &lanes).friction::<K>(s, drag, left);
                sum = add(s, sum, force);
                left = left.saturating_sub(LANES);
            }
            let list = (self.wall_neighbors, k);
            let no_slip = NoSlip::new::<K>(s, c, record, self.wall_records, list);
            let mut left = self.wall_neighbors.count(k);
            for block in self.wall_neighbors.blocks(k) {
                let mut lanes = c.gather(s, record, self.wall_records, block);
                if !self.moving {
                    lanes[4..7].fill(s.splat_i(0));
                }
                let pairs = Pairs::new(s, &own, &lanes);
                let mut drag = s.mul(wall_drag, s.as_float(lanes[3]));
                if let Some(no_slip) = &no_slip {
                    drag = s.mul(drag, no_slip.factor(s, &pairs));
                }
                let force = pairs.friction::<K>(s, drag, left);
                sum = add(s, sum, force);
                if let Some(report) = &mut self.report {
                    let bodies = &s.store_i(lanes[7])[..left.min(LANES)];
                    report.push_bodies(s, force, bodies, self.positions[k]);
                }
                left = left.saturating_sub(LANES);
            }
            *out = DVec3::from_array(sum.map(|sum| c.scale * f64::from(s.sum(sum))));
        }
    }
}
