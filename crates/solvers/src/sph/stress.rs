//! The pressure field for output: the mean stress of a particle from the forces of the last step.
//!
//! Pressures of single particles may differ from neighbour to neighbour without any force; the mean of pairs, weighted by
//! the arm of their force, does not ([`super::pairs::Carried`]). An equation of state finds it on the way. After a pressure
//! system it takes a loop over all pairs of its own, which is computed on request: the lists and records of
//! a step are there until the next one.

use super::Liquid;
use super::pairs::{Chunk, Surroundings};
use lawine_core::kernel::{CubicSplineLanes, KernelKind, LaneShape, WendlandC2Lanes};
use lawine_core::neighbors::CHUNK;
use lawine_core::simd::{Simd, Work};
use rayon::prelude::*;
use std::marker::PhantomData;

impl Liquid {
    /// The mean normal stress at each particle [Pa].
    pub fn stress(&self) -> &[f32] {
        self.stress.get_or_init(|| match self.config.kernel {
            KernelKind::CubicSpline => self.carried::<CubicSplineLanes>(self.work.last_dt),
            KernelKind::WendlandC2 => self.carried::<WendlandC2Lanes>(self.work.last_dt),
        })
    }

    /// Changes the stresses together with the particles that they belong to.
    pub(super) fn edit_stress(&mut self, edit: impl FnOnce(&mut Vec<f32>)) {
        self.stress();
        if let Some(stress) = self.stress.get_mut() {
            edit(stress);
        }
    }

    /// After a step of length `dt`.
    pub(super) fn carried<K: LaneShape>(&self, dt: f64) -> Vec<f32> {
        let (work, constants) = (&self.work, self.force_constants(dt));
        let (records, boundary, coverage) = (&work.records[..], &self.boundary, &work.coverage);
        let all = Surroundings { constants: &constants, records, boundary, coverage };
        let rho = &self.particles.rho;
        let mut stress = vec![0.0; rho.len()];
        stress
            .par_chunks_mut(CHUNK)
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .enumerate()
            .for_each(|(chunk, ((stress, neighbors), wall_neighbors))| {
                let first = chunk * CHUNK;
                let chunk = Chunk { all, first, neighbors, wall_neighbors };
                let (rho, shape) = (&rho[first..], PhantomData);
                work.level.run(Carry::<K> { chunk, rho, stress, shape });
            });
        stress
    }
}

/// What solved pressures carry through the particles of a chunk.
struct Carry<'a, K> {
    /// With κ as the pressure.
    chunk: Chunk<'a>,
    rho: &'a [f32],
    /// [Pa].
    stress: &'a mut [f32],
    shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Carry<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (k, stress) in self.stress.iter_mut().enumerate() {
            let i = self.chunk.particle(s, k);
            let (_, mut carried) = self.chunk.push_of_walls::<S, K>(s, &i, k, |_, _| {});
            for (j, ij) in self.chunk.liquid(&i, k) {
                carried += ij.push::<K>(s, i.kappa + j.kappa(), s.splat(1.0)).1;
            }
            *stress = carried.mean() * self.rho[k] * self.rho[k];
        }
    }
}
