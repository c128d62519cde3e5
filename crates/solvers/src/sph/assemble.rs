//! The loops around a pressure system: what it is made of, and what walls get from it.

use super::chunk::{ChunkReport, Scratch};
use super::no_slip::NoSlip;
use super::pairs::{ForceConstants, Own, Pairs, first_lanes};
use super::system::{GradientBlock, Sums};
use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::{ChunkList, PointIndex};
use lawine_core::simd::{LANES, Record, Simd, Work};
use std::marker::PhantomData;
use std::ops::Range;
use web_time::Instant;

/// Finds the neighbours of a chunk and, in one pass over them, the density, the gradients and all
/// [`Sums`].
pub(super) struct Assemble<'a, K> {
    pub(super) index: &'a PointIndex,
    pub(super) walls: &'a PointIndex,
    pub(super) records: &'a [Record],
    pub(super) wall_records: &'a [Record],
    pub(super) constants: &'a ForceConstants,
    pub(super) range: Range<usize>,
    pub(super) neighbors: &'a mut ChunkList,
    pub(super) wall_neighbors: &'a mut ChunkList,
    pub(super) scratch: &'a mut Scratch,
    /// m times the kernel's factor over the lattice sum [kg/m^dim].
    pub(super) density_scale: f64,
    pub(super) rest_density: f32,
    pub(super) gradients: &'a mut Vec<GradientBlock>,
    pub(super) sums: &'a mut [Sums],
    pub(super) rho: &'a mut [f32],
    /// Seconds in the search.
    pub(super) search_time: &'a mut f64,
    pub(super) assemble_time: &'a mut f64,
    pub(super) shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Assemble<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let start = Instant::now();
        let first = self.range.start;
        let (liquid, walls) = self.scratch.distances();
        self.index.collect(s, self.index, self.range.clone(), self.neighbors, liquid);
        self.walls.collect(s, self.index, self.range, self.wall_neighbors, walls);
        let found = Instant::now();

        let c = self.constants;
        let scale = s.splat(c.scale as f32);
        let zero = s.splat(0.0);
        self.gradients.resize(self.neighbors.block_count(), GradientBlock::default());
        for (k, sums) in self.sums.iter_mut().enumerate() {
            let record = &self.records[first + k];
            let own = Own::<S>::new(s, record);
            let (mut w, mut square, mut rate) = (zero, zero, zero);
            let (mut total, mut drag) = ([zero; 3], [zero; 3]);
            let mut left = self.neighbors.count(k);
            let gradients = &mut self.gradients[self.neighbors.block_span(k)];
            for (block, out) in self.neighbors.blocks(k).iter().zip(gradients) {
                let lanes = c.gather(s, record, self.records, block);
                let pairs = Pairs::new(s, &own, &lanes);
                let q = pairs.q(s);
                let mask = s.load(first_lanes(left));
                w = s.add(w, s.mul(mask, K::w(s, q)));
                let slope = s.mul(mask, s.mul(scale, K::slope_over_q(s, q)));
                let g = pairs.along(s, slope);
                rate = s.add(rate, s.mul(slope, pairs.approach));
                square = s.add(square, s.dot(&g, &g));
                let viscous = pairs.drag(s);
                for axis in 0..3 {
                    total[axis] = s.add(total[axis], g[axis]);
                    drag[axis] = s.add(drag[axis], s.mul(viscous, g[axis]));
                    out[axis] = s.store(g[axis]);
                }
                left = left.saturating_sub(LANES);
            }
            let (mut wall_total, mut wall_drag, mut wall_rate) = ([zero; 3], [zero; 3], zero);
            let (mut wall_speed, mut wall_weight) = (zero, [zero; 3]);
            let weight = c.weight_under(f32::from_bits(record[3]));
            let weight = weight.map(|w| s.splat(w));
            let list = (&*self.wall_neighbors, k);
            let no_slip = NoSlip::new::<K>(s, c, record, self.wall_records, list);
            let mut left = self.wall_neighbors.count(k);
            for block in self.wall_neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.wall_records, block);
                let pairs = Pairs::new(s, &own, &lanes);
                let q = pairs.q(s);
                let ratio = s.mul(s.load(first_lanes(left)), s.as_float(lanes[3]));
                w = s.add(w, s.mul(ratio, K::w(s, q)));
                let slope = s.mul(ratio, s.mul(scale, K::slope_over_q(s, q)));
                let g = pairs.along(s, slope);
                let v = [s.as_float(lanes[4]), s.as_float(lanes[5]), s.as_float(lanes[6])];
                wall_rate = s.add(wall_rate, s.mul(slope, pairs.approach));
                wall_speed = s.add(wall_speed, s.dot(&v, &g));
                let mut viscous = pairs.drag(s);
                if let Some(no_slip) = &no_slip {
                    viscous = s.mul(viscous, no_slip.factor(s, &pairs));
                }
                let extra = pairs.weight(s, &weight, own.pressure);
                for axis in 0..3 {
                    wall_weight[axis] = s.add(wall_weight[axis], s.mul(extra, g[axis]));
                    wall_total[axis] = s.add(wall_total[axis], g[axis]);
                    wall_drag[axis] = s.add(wall_drag[axis], s.mul(viscous, g[axis]));
                }
                left = left.saturating_sub(LANES);
            }
            let rho = (self.density_scale * f64::from(s.sum(w))) as f32;
            self.rho[k] = rho;
            let relative = rho / self.rest_density;
            let weight = 1.0 + relative * relative;
            let inverse_rho0 = 1.0 / self.rest_density;
            let (liquid, wall) = (total.map(|t| s.sum(t)), wall_total.map(|t| s.sum(t)));
            let other: [f32; 3] = std::array::from_fn(|axis| {
                (c.viscosity * s.sum(drag[axis]) + c.wall_viscosity * s.sum(wall_drag[axis]))
                    * inverse_rho0
                    - s.sum(wall_weight[axis])
            });
            let total: [f32; 3] = std::array::from_fn(|axis| liquid[axis] + weight * wall[axis]);
            let [x, y, z] = total;
            let diagonal = ((x * x + y * y) + z * z) + s.sum(square);
            *sums = Sums {
                s: total,
                inverse_diagonal: if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 },
                other,
                wall_rate: weight * s.sum(wall_speed),
                rate: s.sum(rate) + weight * s.sum(wall_rate),
                neighbors: (self.neighbors.count(k) + self.wall_neighbors.count(k)) as u32,
            };
        }
        *self.search_time = (found - start).as_secs_f64();
        *self.assemble_time = found.elapsed().as_secs_f64();
    }
}

/// Forces on bodies for the pressure system: κ_i w_i is the pressure of a wall
/// pair, and the weight of the liquid in between comes on top.
pub(super) struct WallForces<'a, K> {
    pub(super) constants: &'a ForceConstants,
    pub(super) records: &'a [Record],
    pub(super) wall_records: &'a [Record],
    pub(super) first: usize,
    pub(super) wall_neighbors: &'a ChunkList,
    pub(super) positions: &'a [glam::DVec3],
    /// κ_i w_i of the chunk's particles.
    pub(super) pressure: &'a dyn Fn(usize) -> f32,
    pub(super) report: &'a mut ChunkReport,
    pub(super) shape: PhantomData<K>,
}

impl<K: LaneShape> Work for WallForces<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let c = self.constants;
        let drag = s.splat(c.wall_viscosity * c.inverse_rest_density_squared.sqrt());
        for (k, &x) in self.positions.iter().enumerate() {
            let mut left = self.wall_neighbors.count(k);
            if left == 0 {
                continue;
            }
            let record = &self.records[self.first + k];
            let own = Own::<S>::new(s, record);
            let pressure = s.splat((self.pressure)(k));
            let weight = c.weight_under(f32::from_bits(record[3]));
            let list = (self.wall_neighbors, k);
            let no_slip = NoSlip::new::<K>(s, c, record, self.wall_records, list);
            for block in self.wall_neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.wall_records, block);
                let pairs = Pairs::new(s, &own, &lanes);
                let ratio = s.as_float(lanes[3]);
                let pressure =
                    s.add(pressure, pairs.weight(s, &weight.map(|w| s.splat(w)), own.pressure));
                let (pressure, mut drag) = (s.mul(pressure, ratio), s.mul(drag, ratio));
                if let Some(no_slip) = &no_slip {
                    drag = s.mul(drag, no_slip.factor(s, &pairs));
                }
                let force = pairs.force::<K>(s, pressure, drag, left);
                let bodies = &s.store_i(lanes[7])[..left.min(LANES)];
                self.report.push_bodies(s, force, bodies, x);
                left = left.saturating_sub(LANES);
            }
        }
        self.report.scale_forces(-c.scale * c.mass);
    }
}
