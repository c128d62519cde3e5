//! One particle and eight of its neighbours: the arithmetic that all pair loops share.
//!
//! Sums over neighbours are in `f32` on exact fixed-point differences; the results go back into
//! `f64`. A record is what a loop gathers of a neighbour: x, y, z (fixed point), a pressure,
//! velocity u, v, w, and 1/ρ.

use super::boundary::Boundary;
use super::coverage::Coverage;
use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::{ChunkList, UNITS_PER_SUPPORT};
use lawine_core::simd::{F32x8, I32x8, LANES, Record, Simd, Vec3x8};
use std::ops::AddAssign;

/// A fixed-point unit in smoothing lengths.
const Q: f32 = 2.0 / UNITS_PER_SUPPORT as f32;

/// What all pair loops of a step need to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForceConstants {
    /// m times the kernel's factor, over h², times the length of a fixed-point unit.
    pub(super) scale: f64,
    /// 2(dim + 2)ν over the length of a fixed-point unit.
    pub(super) viscosity: f32,
    pub(super) wall_viscosity: f32,
    /// m times the kernel's factor over the lattice sum [kg/m^dim].
    pub(super) density_scale: f64,
    pub(super) rest_density: f32,
    /// 1/ρ0.
    pub(super) inverse_rest_density: f32,
    /// Whether walls mirror the pressure: [`super::WallPressure::Mirror`].
    pub(super) mirror: bool,
    pub(super) mass: f64,
    /// How far ahead in time slopes of the kernel are taken, over the length of a fixed-point unit [s/m].
    pub(super) ahead: f32,
    /// 1/q0², where q0 is the distance at which the sign of looking ahead changes.
    pub(super) unsheared: f32,
    /// Half a spacing in fixed-point units.
    pub(super) half_spacing: f32,
    /// Periods in fixed-point units; zero along axes without one.
    pub(super) periods: [i32; 3],
}

impl ForceConstants {
    /// The image of a neighbour that is within the support of the particle `own`.
    #[inline(always)]
    fn image(&self, own: &Record, other: &Record) -> Record {
        let mut image = *other;
        for (k, &period) in self.periods.iter().enumerate() {
            let x = other[k] as i32;
            let distance = |x: i32| (own[k] as i32).wrapping_sub(x).unsigned_abs();
            let images = [x, x.wrapping_add(period), x.wrapping_sub(period)];
            if let Some(nearest) = images.into_iter().min_by_key(|&x| distance(x)) {
                image[k] = nearest as u32;
            }
        }
        image
    }

    /// What a wall counts in the force over what it counts in the density, for a particle of the density ρ.
    #[inline(always)]
    pub(super) fn wall_weight(&self, rho: f32) -> f32 {
        let relative = rho * self.inverse_rest_density;
        if self.mirror { 1.0 + relative * relative } else { 1.0 }
    }
}

/// What all pair loops of a step read.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) constants: &'a ForceConstants,
    /// Of all particles of the liquid.
    pub(super) records: &'a [Record],
    pub(super) boundary: &'a Boundary,
    pub(super) coverage: &'a Coverage,
}

/// A chunk of the liquid and what is around its particles.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub(super) all: Surroundings<'a>,
    /// Index of its first particle.
    pub(super) first: usize,
    /// In the liquid.
    pub(super) neighbors: &'a ChunkList,
    /// In the walls.
    pub(super) wall_neighbors: &'a ChunkList,
}

impl<'a> Chunk<'a> {
    /// The particle `k` of the chunk.
    #[inline(always)]
    pub(super) fn particle<S: Simd>(&self, s: S, k: usize) -> Own<'a, S> {
        Own::new(s, &self.all.records[self.first + k])
    }

    /// Pairs of its particle `k` with liquid.
    #[inline(always)]
    pub(super) fn liquid<S: Simd>(&self, i: &Own<'a, S>, k: usize) -> Around<'a, S> {
        Around::new(i, self.all.constants, self.all.records, self.neighbors, k)
    }

    /// Pairs of its particle `k` with walls.
    #[inline(always)]
    pub(super) fn walls<S: Simd>(&self, i: &Own<'a, S>, k: usize) -> Around<'a, S> {
        Around::new(i, self.all.constants, self.all.boundary.records(), self.wall_neighbors, k)
    }
}

/// A particle: the same in every lane.
#[derive(Clone, Copy)]
pub(super) struct Own<'a, S: Simd> {
    s: S,
    pub(super) record: &'a Record,
    x: [I32x8<S>; 3],
    pub(super) v: Vec3x8<S>,
    /// κ = p/ρ².
    pub(super) kappa: F32x8<S>,
    /// 1/ρ.
    pub(super) volume: F32x8<S>,
}

impl<'a, S: Simd> Own<'a, S> {
    #[inline(always)]
    pub(super) fn new(s: S, record: &'a Record) -> Self {
        let [x, y, z, kappa, u, v, w, volume] = *record;
        let float = f32::from_bits;
        Self {
            s,
            record,
            x: [s.splat_i(x as i32), s.splat_i(y as i32), s.splat_i(z as i32)],
            v: s.splat_vector([float(u), float(v), float(w)]),
            kappa: s.splat(float(kappa)),
            volume: s.splat(float(volume)),
        }
    }
}

/// Eight neighbours.
#[derive(Clone, Copy)]
pub(super) struct Others<'a, S: Simd> {
    s: S,
    lanes: [I32x8<S>; LANES],
    indices: &'a [u32; LANES],
    /// Of this block among all blocks of the list.
    pub(super) block: usize,
}

impl<S: Simd> Others<'_, S> {
    #[inline(always)]
    pub(super) fn v(&self) -> Vec3x8<S> {
        let [.., u, v, w, _] = self.lanes;
        Vec3x8([u.as_float(), v.as_float(), w.as_float()])
    }

    /// κ of liquid.
    #[inline(always)]
    pub(super) fn kappa(&self) -> F32x8<S> {
        self.lanes[3].as_float()
    }

    /// 1/ρ of liquid.
    #[inline(always)]
    pub(super) fn volume(&self) -> F32x8<S> {
        self.lanes[7].as_float()
    }

    /// μ of boundary particles.
    #[inline(always)]
    pub(super) fn mass_ratio(&self) -> F32x8<S> {
        self.lanes[3].as_float()
    }

    /// The bodies of boundary particles.
    #[inline(always)]
    pub(super) fn bodies(&self) -> [i32; LANES] {
        self.lanes[7].to_array()
    }

    /// A value of each.
    #[inline(always)]
    pub(super) fn each(&self, value: impl Fn(usize) -> f32) -> F32x8<S> {
        self.s.load(&self.indices.map(|j| value(j as usize)))
    }

    /// Records of each, transposed.
    #[inline(always)]
    pub(super) fn transpose(&self, records: &[Record]) -> [I32x8<S>; LANES] {
        self.s.transpose(self.indices.map(|j| &records[j as usize]))
    }
}

/// Goes through the neighbours of a particle, eight at a time.
pub(super) struct Around<'a, S: Simd> {
    i: Own<'a, S>,
    constants: &'a ForceConstants,
    records: &'a [Record],
    blocks: std::slice::Iter<'a, [u32; LANES]>,
    block: usize,
    left: usize,
}

impl<'a, S: Simd> Around<'a, S> {
    /// Of the particle `i`, which is the entry `k` of the list.
    #[inline(always)]
    pub(super) fn new(
        i: &Own<'a, S>,
        constants: &'a ForceConstants,
        records: &'a [Record],
        list: &'a ChunkList,
        k: usize,
    ) -> Self {
        let (blocks, block, left) =
            (list.blocks(k).iter(), list.block_span(k).start, list.count(k));
        Self { i: *i, constants, records, blocks, block, left }
    }
}

impl<'a, S: Simd> Iterator for Around<'a, S> {
    type Item = (Others<'a, S>, Pairs<S>);

    // Not an adaptor of the standard library: all that touches lanes must be inlined.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (i, s) = (&self.i, self.i.s);
        let indices = self.blocks.next()?;
        let others = indices.map(|j| &self.records[j as usize]);
        let lanes = if self.constants.periods == [0; 3] {
            s.transpose(others)
        } else {
            let images = others.map(|other| self.constants.image(i.record, other));
            s.transpose(images.each_ref())
        };
        let j = Others { s, lanes, indices, block: self.block };
        let x = |k: usize| (i.x[k] - lanes[k]).to_float();
        let pairs = Pairs::new(Vec3x8([x(0), x(1), x(2)]), i.v - j.v(), self.left);
        self.block += 1;
        self.left = self.left.saturating_sub(LANES);
        Some((j, pairs))
    }
}

/// A particle and eight neighbours.
#[derive(Clone, Copy)]
pub(super) struct Pairs<S: Simd> {
    /// x_ij in fixed-point units.
    x: Vec3x8<S>,
    /// v_ij.
    v: Vec3x8<S>,
    /// x_ij².
    r2: F32x8<S>,
    /// v_ij·x_ij, in fixed-point units.
    pub(super) approach: F32x8<S>,
    /// So many of the lanes, or all, are neighbours; the others are padding.
    left: usize,
}

impl<S: Simd> Pairs<S> {
    #[inline(always)]
    fn new(x: Vec3x8<S>, v: Vec3x8<S>, left: usize) -> Self {
        Self { x, v, r2: x.dot(x), approach: v.dot(x), left }
    }

    /// The same pairs with another v_ij.
    #[inline(always)]
    pub(super) fn with_velocity(&self, v: Vec3x8<S>) -> Self {
        Self { v, approach: v.dot(self.x), ..*self }
    }

    /// The same pairs a little ahead in time, for walls.
    #[inline(always)]
    pub(super) fn ahead(&self, c: &ForceConstants) -> Self {
        Self::new(self.x + c.ahead * self.v, self.v, self.left)
    }

    /// Number of neighbours: the first lanes.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.left.min(LANES)
    }

    /// One for neighbours, zero for padding.
    #[inline(always)]
    pub(super) fn mask(&self, s: S) -> F32x8<S> {
        s.load(first_lanes(self.left))
    }

    /// The lanes of `x` that are neighbours, zero in the others.
    #[inline(always)]
    fn masked(&self, s: S, x: F32x8<S>) -> F32x8<S> {
        if self.left < LANES { x * self.mask(s) } else { x }
    }

    /// q = r/h.
    #[inline(always)]
    pub(super) fn q(&self) -> F32x8<S> {
        Q * self.r2.sqrt()
    }

    /// v_ij·x_ij/(x_ij² + 0.01h²).
    #[inline(always)]
    pub(super) fn drag(&self) -> F32x8<S> {
        // In squared units, h being half a support.
        const EPSILON: f32 = 0.01 * 0.25 * (UNITS_PER_SUPPORT * UNITS_PER_SUPPORT) as f32;
        self.approach / (self.r2 + EPSILON)
    }

    /// How far apart they are along a direction, in fixed-point units.
    #[inline(always)]
    pub(super) fn depth(&self, normal: Vec3x8<S>) -> F32x8<S> {
        normal.dot(self.x)
    }

    /// W'/q of two liquid particles, a little ahead in time: at q + (1 − q²/q0²) τ dq/dt. See [`super::noise`].
    #[inline(always)]
    pub(super) fn slope<K: LaneShape>(&self, c: &ForceConstants) -> F32x8<S> {
        let r = self.r2.sqrt();
        let q = Q * r;
        let speed = self.approach / r.max(1.0);
        let change = (1.0 - c.unsheared * (q * q)) * (Q * c.ahead * speed);
        K::slope_over_q((q + change).max(0.5 * q))
    }

    /// x_ij times a factor.
    #[inline(always)]
    pub(super) fn along(&self, factor: F32x8<S>) -> Vec3x8<S> {
        factor * self.x
    }

    /// x_ij/|x_ij| times a factor; zero for a particle and itself.
    #[inline(always)]
    pub(super) fn toward(&self, factor: F32x8<S>) -> Vec3x8<S> {
        self.along(factor / self.r2.sqrt().max(1.0))
    }

    /// (drag · v_ij·x_ij/(x_ij² + 0.01h²) − pressure) ∇W between liquid particles, without the constant
    /// scale, and its part of the pressure that is shown.
    #[inline(always)]
    pub(super) fn force<K: LaneShape>(
        &self,
        s: S,
        c: &ForceConstants,
        pressure: F32x8<S>,
        drag: F32x8<S>,
    ) -> (Vec3x8<S>, Carried<S>) {
        let slope = self.masked(s, self.slope::<K>(c));
        let moment = slope * self.r2;
        let force = self.along(slope * (drag * self.drag() - pressure));
        (force, Carried { pressure: pressure * moment, moment })
    }

    /// drag · v_ij·x_ij/(x_ij² + 0.01h²) ∇W.
    #[inline(always)]
    pub(super) fn friction<K: LaneShape>(&self, s: S, drag: F32x8<S>) -> Vec3x8<S> {
        let factor = K::slope_over_q(self.q()) * (drag * self.drag());
        self.along(self.masked(s, factor))
    }

    /// −pressure ∇W for walls of the mass ratio `mass`, and its part of the pressure that is shown.
    #[inline(always)]
    pub(super) fn push<K: LaneShape>(
        &self,
        s: S,
        pressure: F32x8<S>,
        mass: F32x8<S>,
    ) -> (Vec3x8<S>, Carried<S>) {
        let slope = self.masked(s, K::slope_over_q(self.q()));
        let moment = slope * self.r2;
        let carried = Carried { pressure: pressure * moment, moment: mass * moment };
        (self.along(slope * -pressure), carried)
    }
}

/// Sums for the pressure at a particle: the mean of (κ_i + κ_j)/2 over its pairs, weighted by x_ij·∇W_ij, the
/// arm of their force. Pressures of single particles may differ from neighbour to neighbour without
/// any force; what they carry together does not.
#[derive(Clone, Copy)]
pub(super) struct Carried<S: Simd> {
    pressure: F32x8<S>,
    moment: F32x8<S>,
}

impl<S: Simd> Carried<S> {
    #[inline(always)]
    pub(super) fn zero(s: S) -> Self {
        Self { pressure: s.splat(0.0), moment: s.splat(0.0) }
    }

    /// κ.
    #[inline(always)]
    pub(super) fn mean(self) -> f32 {
        let moment = self.moment.sum();
        if moment < 0.0 { 0.5 * self.pressure.sum() / moment } else { 0.0 }
    }
}

impl<S: Simd> AddAssign for Carried<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.pressure += other.pressure;
        self.moment += other.moment;
    }
}

/// One in the first `n` lanes (at most all), zero in the others.
#[inline(always)]
pub(super) fn first_lanes(n: usize) -> &'static [f32; LANES] {
    static TABLE: [[f32; LANES]; LANES + 1] = {
        let mut table = [[0.0; LANES]; LANES + 1];
        let mut n = 0;
        while n <= LANES {
            let mut lane = 0;
            while lane < n {
                table[n][lane] = 1.0;
                lane += 1;
            }
            n += 1;
        }
        table
    };
    &TABLE[n.min(LANES)]
}
