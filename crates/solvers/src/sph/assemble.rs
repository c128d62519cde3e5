//! The loop that makes a pressure system: neighbours, densities, gradients and sums.

use super::boundary::Share;
use super::chunk::Scratch;
use super::no_slip::NoSlip;
use super::pairs::{ForceConstants, Own, Pairs, add, first_lanes};
use super::seen::Rate;
use super::system::{Blocks, Sums};
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
    pub(super) wall_shares: &'a [Share],
    /// What boundary particles count, as mass ratios.
    pub(super) filled: &'a [f32],
    /// How fast the liquid that they see changes ([`super::seen::Seen::rates`]).
    pub(super) wall_rates: &'a [Rate],
    pub(super) constants: &'a ForceConstants,
    pub(super) range: Range<usize>,
    pub(super) neighbors: &'a mut ChunkList,
    pub(super) wall_neighbors: &'a mut ChunkList,
    pub(super) scratch: &'a mut Scratch,
    /// m times the kernel's factor over the lattice sum [kg/m^dim].
    pub(super) density_scale: f64,
    pub(super) rest_density: f32,
    pub(super) blocks: &'a mut Blocks,
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
        self.blocks.resize(self.neighbors.block_count(), self.wall_neighbors.block_count());
        for (k, sums) in self.sums.iter_mut().enumerate() {
            let record = &self.records[first + k];
            let own = Own::<S>::new(s, record);
            let (mut w, mut rate) = (zero, zero);

            let (mut wall_total, mut wall_drag, mut itself) = ([zero; 3], [zero; 3], [zero; 3]);
            let (mut wall_rate, mut wall_speed, mut seen_speed) = (zero, zero, zero);
            let (mut weight, mut wall_shape, mut seen_square) = ([zero; 3], zero, zero);
            let list = (&*self.wall_neighbors, k);
            let no_slip = NoSlip::new::<K>(s, c, record, self.wall_records, list);
            let mut left = self.wall_neighbors.count(k);
            let span = self.wall_neighbors.block_span(k);
            for (n, block) in span.zip(self.wall_neighbors.blocks(k)) {
                let lanes = c.gather(s, record, self.wall_records, block);
                let pairs = Pairs::new(s, &own, &lanes);
                let mask = s.load(first_lanes(left));
                let filled = s.load(&block.map(|b| self.filled[b as usize]));
                let ratio = s.mul(mask, filled);
                let shape = K::w(s, pairs.q(s));
                w = s.add(w, s.mul(ratio, shape));
                let shares = block.map(|b| self.wall_shares[b as usize]);
                let mass = s.mul(mask, s.as_float(lanes[3]));
                let seen = s.load(&shares.map(|share| share.inverse));
                let shape = s.mul(mass, shape);
                self.blocks.shapes[n] = s.store(shape);
                let rates = block.map(|b| self.wall_rates[b as usize]);
                rate = s.add(rate, s.mul(shape, s.load(&rates.map(|rate| rate.total))));
                seen_speed = s.add(seen_speed, s.mul(shape, s.load(&rates.map(|rate| rate.own))));

                let ahead = Pairs::ahead(s, &own, &lanes, c);
                let slope = s.mul(mask, s.mul(scale, K::slope_over_q(s, ahead.q(s))));
                let g = ahead.along(s, slope);
                self.blocks.walls[n] = g.map(|g| s.store(g));
                wall_rate = s.add(wall_rate, s.mul(s.mul(ratio, slope), ahead.approach));
                let v = [s.as_float(lanes[4]), s.as_float(lanes[5]), s.as_float(lanes[6])];
                wall_speed = s.add(wall_speed, s.mul(ratio, s.dot(&v, &g)));
                let mut viscous = s.mul(s.mul(mass, pairs.drag(s)), scale);
                viscous = s.mul(viscous, K::slope_over_q(s, pairs.q(s)));
                if let Some(no_slip) = &no_slip {
                    viscous = s.mul(viscous, no_slip.factor(s, &pairs));
                }
                let image = s.mul(shape, seen);
                let others = s.load(&rates.map(|rate| rate.square));
                let others = s.sub(others, s.mul(s.mul(seen, seen), s.dot(&g, &g)));
                wall_shape = s.add(wall_shape, shape);
                seen_square = s.add(seen_square, s.mul(shape, others));
                let lift = s.mul(ratio, s.load(&shares.map(|share| share.lift)));
                for axis in 0..3 {
                    weight[axis] = s.add(weight[axis], s.mul(lift, g[axis]));
                    wall_total[axis] = s.add(wall_total[axis], s.mul(ratio, g[axis]));
                    itself[axis] = s.add(itself[axis], s.mul(image, g[axis]));
                }
                wall_drag = add(s, wall_drag, pairs.along(s, viscous));
                left = left.saturating_sub(LANES);
            }

            let mut square = zero;
            let (mut total, mut drag) = ([zero; 3], [zero; 3]);
            let mut left = self.neighbors.count(k);
            let span = self.neighbors.block_span(k);
            for (n, block) in span.zip(self.neighbors.blocks(k)) {
                let lanes = c.gather(s, record, self.records, block);
                let pairs = Pairs::new(s, &own, &lanes);
                let mask = s.load(first_lanes(left));
                w = s.add(w, s.mul(mask, K::w(s, pairs.q(s))));
                let slope = s.mul(mask, s.mul(scale, pairs.slope::<K>(s, c)));
                let g = pairs.along(s, slope);
                rate = s.add(rate, s.mul(slope, pairs.approach));
                let viscous = pairs.drag(s);
                for axis in 0..3 {
                    total[axis] = s.add(total[axis], g[axis]);
                    drag[axis] = s.add(drag[axis], s.mul(viscous, g[axis]));
                }
                self.blocks.liquid[n] = g.map(|g| s.store(g));
                square = s.add(square, s.dot(&g, &g));
                left = left.saturating_sub(LANES);
            }
            let rho = (self.density_scale * f64::from(s.sum(w))) as f32;
            self.rho[k] = rho;
            let inverse_rho0 = 1.0 / self.rest_density;
            let wall_weight = c.wall_weight(rho);
            let (liquid, wall) = (total.map(|t| s.sum(t)), wall_total.map(|t| s.sum(t)));
            let other: [f32; 3] = std::array::from_fn(|axis| {
                (c.viscosity * s.sum(drag[axis]) + c.wall_viscosity * s.sum(wall_drag[axis]))
                    * inverse_rho0
                    - s.sum(weight[axis])
            });
            let total: [f32; 3] =
                std::array::from_fn(|axis| liquid[axis] + wall_weight * wall[axis]);
            // A particle sees itself in the walls, and its neighbours see it there.
            let itself = itself.map(|i| s.sum(i));
            let [x, y, z] = [0, 1, 2].map(|axis| total[axis] + itself[axis]);
            let seen = 2.0 * s.sum(wall_shape) * s.sum(seen_square).max(0.0);
            let diagonal = ((x * x + y * y) + z * z) + s.sum(square) + seen;
            *sums = Sums {
                s: total,
                inverse_diagonal: if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 },
                other,
                wall_rate: wall_weight * s.sum(wall_speed) + s.sum(seen_speed),
                rate: s.sum(rate) + wall_weight * s.sum(wall_rate),
                neighbors: (self.neighbors.count(k) + self.wall_neighbors.count(k)) as u32,
            };
        }
        *self.search_time = (found - start).as_secs_f64();
        *self.assemble_time = found.elapsed().as_secs_f64();
    }
}
