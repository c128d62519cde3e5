//! The loop that makes a pressure system: neighbours, densities, gradients and sums.

use super::chunk::{ChunkReport, Search};
use super::no_slip::NoSlip;
use super::pairs::{Chunk, Own, Surroundings};
use super::system::{Blocks, Sums};
use lawine_core::kernel::LaneShape;
use lawine_core::simd::{F32x8, Simd, Vec3x8, Work};
use std::marker::PhantomData;
use web_time::Instant;

/// Finds the neighbours of a chunk and, in one pass over them, the density, the gradients and all
/// [`Sums`].
pub(super) struct Assemble<'a, K> {
    pub(super) search: Search<'a>,
    pub(super) all: Surroundings<'a>,
    pub(super) blocks: &'a mut Blocks,
    pub(super) sums: &'a mut [Sums],
    pub(super) rho: &'a mut [f32],
    pub(super) report: &'a mut ChunkReport,
    pub(super) shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Assemble<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let start = Instant::now();
        self.search.run(s);
        let found = Instant::now();
        let Search { neighbors, wall_neighbors, range, .. } = self.search;
        let (all, first) = (self.all, range.start);
        let chunk = Chunk { all, first, neighbors, wall_neighbors };
        self.blocks.resize(chunk.neighbors.block_count(), chunk.wall_neighbors.block_count());
        for (k, (sums, rho)) in self.sums.iter_mut().zip(self.rho).enumerate() {
            let i = chunk.particle(s, k);
            let walls = WallSums::new::<K>(s, &chunk, &i, k, self.blocks);
            let liquid = LiquidSums::new::<K>(s, &chunk, &i, k, &walls, self.blocks);
            *rho = (all.constants.density_scale * f64::from(liquid.w.sum())) as f32;
            let neighbors = chunk.neighbors.count(k) + chunk.wall_neighbors.count(k);
            *sums = Sums { neighbors: neighbors as u32, ..sums_of(all, *rho, &liquid, &walls) };
        }
        self.report.search_time = (found - start).as_secs_f64();
        self.report.density_time = found.elapsed().as_secs_f64();
    }
}

/// Sums of a particle over the walls, b. W is without its factor, G = m ∇W.
struct WallSums<S: Simd> {
    /// Σ μ (σ/σ⁰) W.
    w: F32x8<S>,
    /// Σ μ W.
    shape: F32x8<S>,
    /// Σ μ (σ/σ⁰) G.
    total: Vec3x8<S>,
    /// Σ μ W G/σ⁰: the particle sees itself in the walls.
    itself: Vec3x8<S>,
    /// Σ μ W Σ_j |G_jb|²/σ⁰², without the particle itself.
    seen_square: F32x8<S>,
    /// Σ lift μ (σ/σ⁰) G.
    weight: Vec3x8<S>,
    /// Σ μ times what viscosity does.
    drag: Vec3x8<S>,
    /// What v_ib does to the density, and what the change of σ does.
    rate: F32x8<S>,
    seen_rate: F32x8<S>,
    /// The parts of the walls' own motion in both.
    speed: F32x8<S>,
    seen_speed: F32x8<S>,
}

impl<S: Simd> WallSums<S> {
    #[inline(always)]
    fn new<'a, K: LaneShape>(
        s: S,
        chunk: &Chunk<'a>,
        i: &Own<'a, S>,
        k: usize,
        blocks: &mut Blocks,
    ) -> Self {
        let Surroundings { constants: c, boundary, coverage, .. } = chunk.all;
        let (zero, none, scale) = (s.splat(0.0), s.splat_vector([0.0; 3]), c.scale as f32);
        let mut sums = Self {
            w: zero,
            shape: zero,
            total: none,
            itself: none,
            seen_square: zero,
            weight: none,
            drag: none,
            rate: zero,
            seen_rate: zero,
            speed: zero,
            seen_speed: zero,
        };
        let no_slip = NoSlip::new::<K>(s, chunk, i, k);
        for (b, ib) in chunk.walls(i, k) {
            let mask = ib.mask(s);
            let mass = mask * b.mass_ratio();
            let filled = mask * b.each(|b| coverage.filled[b]);
            let w = K::w(ib.q());
            let shape = mass * w;
            blocks.shapes[b.block] = shape.to_array();
            sums.w += filled * w;
            sums.shape += shape;
            sums.seen_rate += shape * b.each(|b| coverage.rates[b].total);
            sums.seen_speed += shape * b.each(|b| coverage.rates[b].own);

            let ahead = ib.ahead(c);
            let slope = mask * (scale * K::slope_over_q(ahead.q()));
            let g = ahead.along(slope);
            blocks.walls[b.block] = g.to_array();
            sums.total += filled * g;
            sums.rate += filled * slope * ahead.approach;
            sums.speed += filled * b.v().dot(g);
            sums.weight += filled * b.each(|b| boundary.factors[b].lift) * g;
            let inverse = b.each(|b| boundary.factors[b].inverse);
            sums.itself += shape * inverse * g;
            let others = b.each(|b| coverage.rates[b].square) - inverse * inverse * g.dot(g);
            sums.seen_square += shape * others;

            let mut viscous = mass * ib.drag() * scale * K::slope_over_q(ib.q());
            if let Some(no_slip) = &no_slip {
                viscous = viscous * no_slip.factor(&ib);
            }
            sums.drag += ib.along(viscous);
        }
        sums
    }
}

/// Sums of a particle over the liquid.
struct LiquidSums<S: Simd> {
    /// Σ W, walls included.
    w: F32x8<S>,
    /// Σ G.
    total: Vec3x8<S>,
    /// Σ |G|².
    square: F32x8<S>,
    /// What viscosity does.
    drag: Vec3x8<S>,
    /// dρ/dt by the liquid's own motion, also by what walls see of it.
    rate: F32x8<S>,
}

impl<S: Simd> LiquidSums<S> {
    #[inline(always)]
    fn new<'a, K: LaneShape>(
        s: S,
        chunk: &Chunk<'a>,
        i: &Own<'a, S>,
        k: usize,
        walls: &WallSums<S>,
        blocks: &mut Blocks,
    ) -> Self {
        let (c, none) = (chunk.all.constants, s.splat_vector([0.0; 3]));
        let (w, rate, square) = (walls.w, walls.seen_rate, s.splat(0.0));
        let mut sums = Self { w, total: none, square, drag: none, rate };
        for (j, ij) in chunk.liquid(i, k) {
            let mask = ij.mask(s);
            let slope = mask * (c.scale as f32 * ij.slope::<K>(c));
            let g = ij.along(slope);
            blocks.liquid[j.block] = g.to_array();
            sums.w += mask * K::w(ij.q());
            sums.total += g;
            sums.square += g.dot(g);
            sums.drag += ij.drag() * g;
            sums.rate += slope * ij.approach;
        }
        sums
    }
}

/// What the system needs of the sums of a particle of the density `rho`.
#[inline(always)]
fn sums_of<S: Simd>(
    all: Surroundings<'_>,
    rho: f32,
    liquid: &LiquidSums<S>,
    walls: &WallSums<S>,
) -> Sums {
    let c = all.constants;
    let (inverse_rho0, wall_weight) = (1.0 / c.rest_density, c.wall_weight(rho));
    let (g, wall_g) = (liquid.total.sum(), walls.total.sum());
    let total: [f32; 3] = std::array::from_fn(|axis| g[axis] + wall_weight * wall_g[axis]);
    let (drag, wall_drag, weight) = (liquid.drag.sum(), walls.drag.sum(), walls.weight.sum());
    let other = std::array::from_fn(|axis| {
        (c.viscosity * drag[axis] + c.wall_viscosity * wall_drag[axis]) * inverse_rho0
            - weight[axis]
    });
    // A particle sees itself in the walls, and its neighbours see it there.
    let itself = walls.itself.sum();
    let [x, y, z] = [0, 1, 2].map(|axis| total[axis] + itself[axis]);
    let coverage = 2.0 * walls.shape.sum() * walls.seen_square.sum().max(0.0);
    let diagonal = ((x * x + y * y) + z * z) + liquid.square.sum() + coverage;
    Sums {
        s: total,
        inverse_diagonal: if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 },
        other,
        wall_rate: wall_weight * walls.speed.sum() + walls.seen_speed.sum(),
        rate: liquid.rate.sum() + wall_weight * walls.rate.sum(),
        neighbors: 0,
    }
}
