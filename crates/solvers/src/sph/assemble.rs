//! The loops around a pressure system: what it is made of, and what walls get from it.

use super::boundary::Share;
use super::chunk::{ChunkReport, Scratch};
use super::no_slip::NoSlip;
use super::pairs::{ForceConstants, Own, Pairs, add, first_lanes};
use super::seen::WallPairs;
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
    pub(super) wall_rates: &'a [[f32; 2]],
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
            let mut weight = [zero; 3];
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
                rate = s.add(rate, s.mul(shape, s.load(&rates.map(|rate| rate[0]))));
                seen_speed = s.add(seen_speed, s.mul(shape, s.load(&rates.map(|rate| rate[1]))));

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
                let lift = s.mul(ratio, s.load(&shares.map(|share| share.lift)));
                for axis in 0..3 {
                    weight[axis] = s.add(weight[axis], s.mul(lift, g[axis]));
                    wall_total[axis] = s.add(wall_total[axis], s.mul(ratio, g[axis]));
                    itself[axis] = s.add(itself[axis], s.mul(image, g[axis]));
                }
                wall_drag = add(s, wall_drag, pairs.along(s, viscous));
                left = left.saturating_sub(LANES);
            }

            let count = self.wall_neighbors.count(k);
            let shapes = &self.blocks.shapes[self.wall_neighbors.block_span(k)];
            let reflection = Reflection {
                constants: c,
                record,
                wall_records: self.wall_records,
                wall_shares: self.wall_shares,
                walls: &self.wall_neighbors.blocks(k).as_flattened()[..count],
                shapes: shapes.as_flattened(),
            };
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
                let seen = reflection.slope::<S, K>(s, &lanes, mask);
                let e: [S::F; 3] = std::array::from_fn(|axis| s.sub(seen[axis], g[axis]));
                square = s.add(square, s.dot(&e, &e));
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
            // A particle is among its own neighbours, and sees itself in the walls.
            let itself = itself.map(|i| s.sum(i));
            let [x, y, z] = [0, 1, 2].map(|axis| total[axis] + itself[axis]);
            let [ex, ey, ez] = itself;
            let others = s.sum(square) - ((ex * ex + ey * ey) + ez * ez);
            let diagonal = ((x * x + y * y) + z * z) + others.max(0.0);
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

/// The walls around one particle, and what they see of others.
struct Reflection<'a> {
    constants: &'a ForceConstants,
    record: &'a Record,
    wall_records: &'a [Record],
    wall_shares: &'a [Share],
    walls: &'a [u32],
    /// μ_b W_ib.
    shapes: &'a [f32],
}

impl Reflection<'_> {
    /// Σ_b μ_b W_ib G_jb/σ_b for eight neighbours j.
    #[inline(always)]
    fn slope<S: Simd, K: LaneShape>(&self, s: S, lanes: &[S::I; LANES], mask: S::F) -> [S::F; 3] {
        let c = self.constants;
        let mut sum = [s.splat(0.0); 3];
        for (&b, &shape) in self.walls.iter().zip(self.shapes) {
            let factor = c.scale as f32 * shape * self.wall_shares[b as usize].inverse;
            let wall = c.image(self.record, &self.wall_records[b as usize]);
            let pairs = Pairs::ahead(s, &Own::<S>::new(s, &wall), lanes, c);
            let slope = s.mul(s.mul(mask, s.splat(-factor)), K::slope_over_q(s, pairs.q(s)));
            sum = add(s, sum, pairs.along(s, slope));
        }
        sum
    }
}

/// What solved pressures carry through the particles, and the forces on bodies.
pub(super) struct Carry<'a, K> {
    pub(super) constants: &'a ForceConstants,
    /// With κ as the pressure.
    pub(super) records: &'a [Record],
    pub(super) first: usize,
    pub(super) neighbors: &'a ChunkList,
    pub(super) walls: WallPairs<'a>,
    pub(super) positions: &'a [glam::DVec3],
    pub(super) rho: &'a [f32],
    pub(super) report: &'a mut ChunkReport,
    /// [Pa].
    pub(super) stress: &'a mut [f32],
    pub(super) shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Carry<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (c, one) = (self.constants, s.splat(1.0));
        for (k, stress) in self.stress.iter_mut().enumerate() {
            let record = &self.records[self.first + k];
            let own = Own::<S>::new(s, record);
            let (_, mut carried) = self.walls.push::<S, K>(s, k, record, |force, bodies| {
                self.report.push_bodies(s, force, bodies, self.positions[k]);
            });
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
        self.report.scale_forces(-c.scale * c.mass);
    }
}
