//! Implicit viscosity for highly viscous liquids, after Weiler et al. 2018.
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
use super::pairs::{Chunk, ForceConstants, Surroundings};
use super::step::FORCES;
use super::{Liquid, ViscositySolver};
use glam::DVec3;
use lawine_core::kernel::LaneShape;
use lawine_core::method::StepError;
use lawine_core::neighbors::CHUNK;
use lawine_core::simd::{Simd, Work};
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
    pub(super) fn viscous_product<K: LaneShape>(
        &mut self,
        constants: &ForceConstants,
        vector: &[DVec3],
        out: &mut [DVec3],
        moving: bool,
        measure: bool,
    ) {
        let work = &mut self.work;
        work.records.par_iter_mut().with_min_len(CHUNK).zip(vector).for_each(|(record, v)| {
            let [u, v, w] = v.to_array().map(|v| (v as f32).to_bits());
            (record[4], record[5], record[6]) = (u, v, w);
        });
        let (level, records) = (work.level, &work.records[..]);
        let all =
            Surroundings { constants, records, boundary: &self.boundary, coverage: &work.coverage };
        out.par_chunks_mut(CHUNK)
            .zip(self.particles.x.par_chunks(CHUNK))
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .zip(&mut work.reports)
            .enumerate()
            .for_each(|(chunk, ((((out, positions), neighbors), wall_neighbors), report))| {
                level.run(Laplacian::<K> {
                    chunk: Chunk { all, first: chunk * CHUNK, neighbors, wall_neighbors },
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
    chunk: Chunk<'a>,
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
        let (chunk, c) = (self.chunk, self.chunk.all.constants);
        let volume = c.inverse_rest_density;
        let drag = s.splat(c.viscosity * volume);
        for (k, out) in self.out.iter_mut().enumerate() {
            let i = chunk.particle(s, k);
            let mut sum = s.splat_vector([0.0; 3]);
            for (_, ij) in chunk.liquid(&i, k) {
                sum += ij.friction::<K>(s, drag);
            }
            let no_slip = NoSlip::new::<K>(s, &chunk, &i, k);
            for (b, ib) in chunk.walls(&i, k) {
                let ib = if self.moving { ib } else { ib.with_velocity(i.v) };
                let mut drag = c.wall_viscosity * volume * b.mass_ratio();
                if let Some(no_slip) = &no_slip {
                    drag = drag * no_slip.factor(&ib);
                }
                let force = ib.friction::<K>(s, drag);
                sum += force;
                if let Some(report) = &mut self.report {
                    let bodies = &b.bodies()[..ib.count()];
                    report.push_bodies(force, bodies, self.positions[k], chunk.all.boundary);
                }
            }
            *out = DVec3::from_array(sum.sum().map(|sum| c.scale * f64::from(sum)));
        }
    }
}
