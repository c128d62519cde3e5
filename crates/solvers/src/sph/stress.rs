//! The pressure that is shown: what the forces of the last step carry through a particle.
//!
//! Pressures of single particles may differ from neighbour to neighbour without any force; the mean of pairs, weighted by
//! the arm of their force, does not ([`Carried`]). An equation of state finds it on the way. After a pressure
//! system it takes a loop over all pairs of its own, which is made when somebody asks: the lists and records of
//! a step are there until the next one.

use super::Liquid;
use super::pairs::{Carried, ForceConstants, Own, Pairs};
use super::seen::WallPairs;
use lawine_core::kernel::{CubicSplineLanes, KernelKind, LaneShape, WendlandC2Lanes};
use lawine_core::neighbors::{CHUNK, ChunkList};
use lawine_core::simd::{LANES, Record, Simd, Work};
use rayon::prelude::*;
use std::marker::PhantomData;

impl Liquid {
    /// The mean normal stress at each particle [Pa].
    pub fn stress(&self) -> &[f32] {
        self.stress.get_or_init(|| match self.config.kernel {
            KernelKind::CubicSpline => self.carried::<CubicSplineLanes>(),
            KernelKind::WendlandC2 => self.carried::<WendlandC2Lanes>(),
        })
    }

    /// Changes the stresses together with the particles that they belong to.
    pub(super) fn edit_stress(&mut self, edit: impl FnOnce(&mut Vec<f32>)) {
        self.stress();
        if let Some(stress) = self.stress.get_mut() {
            edit(stress);
        }
    }

    fn carried<K: LaneShape>(&self) -> Vec<f32> {
        let (work, constants) = (&self.work, self.force_constants(self.work.last_dt));
        let rho = &self.particles.rho;
        let mut stress = vec![0.0; rho.len()];
        stress
            .par_chunks_mut(CHUNK)
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .enumerate()
            .for_each(|(chunk, ((stress, neighbors), walls))| {
                let first = chunk * CHUNK;
                work.level.run(Carry::<K> {
                    constants: &constants,
                    records: &work.records,
                    first,
                    neighbors,
                    walls: WallPairs::new(&constants, (&self.boundary, &work.seen), walls),
                    rho: &rho[first..],
                    stress,
                    shape: PhantomData,
                });
            });
        stress
    }
}

/// What solved pressures carry through the particles of a chunk.
struct Carry<'a, K> {
    constants: &'a ForceConstants,
    /// With κ as the pressure.
    records: &'a [Record],
    first: usize,
    neighbors: &'a ChunkList,
    walls: WallPairs<'a>,
    rho: &'a [f32],
    /// [Pa].
    stress: &'a mut [f32],
    shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Carry<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (c, one) = (self.constants, s.splat(1.0));
        for (k, stress) in self.stress.iter_mut().enumerate() {
            let record = &self.records[self.first + k];
            let own = Own::<S>::new(s, record);
            let (_, mut carried): (_, Carried<S>) =
                self.walls.push::<S, K>(s, k, record, |_, _| {});
            let mut left = self.neighbors.count(k);
            for block in self.neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.records, block);
                let pressure = s.add(own.pressure, s.as_float(lanes[3]));
                let pairs = Pairs::new(s, &own, &lanes);
                let (_, share) = pairs.push::<K>(s, pressure, one, left);
                carried = carried.add(s, share);
                left = left.saturating_sub(LANES);
            }
            *stress = carried.mean(s) * self.rho[k] * self.rho[k];
        }
    }
}
