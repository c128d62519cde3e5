//! One particle and eight of its neighbours: the arithmetic that all pair loops share.
//!
//! Sums over neighbours are in `f32` on exact fixed-point differences; the results go back into
//! `f64`. A record is what a loop gathers of a neighbour: x, y, z (fixed point), a pressure,
//! velocity u, v, w, and 1/ρ.

use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::UNITS_PER_SUPPORT;
use lawine_core::simd::{LANES, Record, Simd};

/// What all pair loops of a step need to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForceConstants {
    /// m times the kernel's factor, over h², times the length of a fixed-point unit.
    pub(super) scale: f64,
    /// 2(dim + 2)ν over the length of a fixed-point unit.
    pub(super) viscosity: f32,
    pub(super) wall_viscosity: f32,
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
    pub(super) fn image(&self, own: &Record, other: &Record) -> Record {
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

    /// Eight neighbours of `own`, transposed, where they are nearest.
    #[inline(always)]
    pub(super) fn gather<S: Simd>(
        &self,
        s: S,
        own: &Record,
        records: &[Record],
        block: &[u32; LANES],
    ) -> [S::I; LANES] {
        let others = block.map(|j| &records[j as usize]);
        if self.periods == [0; 3] {
            return s.transpose(others);
        }
        let images = others.map(|other| self.image(own, other));
        s.transpose(images.each_ref())
    }

    /// What a wall counts in the force over what it counts in the density, for a particle of the density ρ.
    #[inline(always)]
    pub(super) fn wall_weight(&self, rho: f32) -> f32 {
        let relative = rho * self.inverse_rest_density;
        if self.mirror { 1.0 + relative * relative } else { 1.0 }
    }
}

/// A particle's own values in every lane.
pub(super) struct Own<S: Simd> {
    x: [S::I; 3],
    v: [S::F; 3],
    /// p/ρ².
    pub(super) pressure: S::F,
    /// 1/ρ.
    pub(super) volume: S::F,
}

impl<S: Simd> Own<S> {
    #[inline(always)]
    pub(super) fn new(s: S, record: &Record) -> Self {
        let word = |w: usize| s.splat(f32::from_bits(record[w]));
        Self {
            x: [
                s.splat_i(record[0] as i32),
                s.splat_i(record[1] as i32),
                s.splat_i(record[2] as i32),
            ],
            v: [word(4), word(5), word(6)],
            pressure: word(3),
            volume: word(7),
        }
    }
}

/// A particle and eight neighbours.
pub(super) struct Pairs<S: Simd> {
    /// x_ij in fixed-point units.
    d: [S::F; 3],
    /// x_ij².
    r2: S::F,
    /// v_ij·x_ij, in fixed-point units.
    pub(super) approach: S::F,
}

impl<S: Simd> Pairs<S> {
    #[inline(always)]
    pub(super) fn new(s: S, own: &Own<S>, lanes: &[S::I; LANES]) -> Self {
        let d = std::array::from_fn(|k| s.to_float(s.sub_i(own.x[k], lanes[k])));
        let dv = std::array::from_fn(|k| s.sub(own.v[k], s.as_float(lanes[4 + k])));
        Self { d, r2: s.dot(&d, &d), approach: s.dot(&dv, &d) }
    }

    /// q = r/h.
    #[inline(always)]
    pub(super) fn q(&self, s: S) -> S::F {
        s.mul(s.splat(2.0 / UNITS_PER_SUPPORT as f32), s.sqrt(self.r2))
    }

    /// v_ij·x_ij/(x_ij² + 0.01h²).
    #[inline(always)]
    pub(super) fn drag(&self, s: S) -> S::F {
        // In squared units, h being half a support.
        const EPSILON: f32 = 0.01 * 0.25 * (UNITS_PER_SUPPORT * UNITS_PER_SUPPORT) as f32;
        s.div(self.approach, s.add(self.r2, s.splat(EPSILON)))
    }

    /// How far apart they are along a direction, in fixed-point units.
    #[inline(always)]
    pub(super) fn depth(&self, s: S, normal: &[S::F; 3]) -> S::F {
        s.dot(normal, &self.d)
    }

    /// W'/q of two liquid particles, a little ahead in time: at q + (1 − q²/q0²) τ dq/dt. See [`super::ahead`].
    #[inline(always)]
    pub(super) fn slope<K: LaneShape>(&self, s: S, c: &ForceConstants) -> S::F {
        const Q: f32 = 2.0 / UNITS_PER_SUPPORT as f32;
        let r = s.sqrt(self.r2);
        let q = s.mul(s.splat(Q), r);
        let speed = s.div(self.approach, s.max(r, s.splat(1.0)));
        let share = s.sub(s.splat(1.0), s.mul(s.splat(c.unsheared), s.mul(q, q)));
        let change = s.mul(share, s.mul(s.splat(Q * c.ahead), speed));
        K::slope_over_q(s, s.max(s.add(q, change), s.mul(s.splat(0.5), q)))
    }

    /// The same pairs a little ahead in time, for walls.
    #[inline(always)]
    pub(super) fn ahead(s: S, own: &Own<S>, lanes: &[S::I; LANES], c: &ForceConstants) -> Self {
        let Self { d, .. } = Self::new(s, own, lanes);
        let ahead = s.splat(c.ahead);
        let dv: [S::F; 3] = std::array::from_fn(|k| s.sub(own.v[k], s.as_float(lanes[4 + k])));
        let d = std::array::from_fn(|k| s.add(d[k], s.mul(ahead, dv[k])));
        Self { d, r2: s.dot(&d, &d), approach: s.dot(&dv, &d) }
    }

    /// x_ij times a factor.
    #[inline(always)]
    pub(super) fn along(&self, s: S, factor: S::F) -> [S::F; 3] {
        self.d.map(|d| s.mul(factor, d))
    }

    /// x_ij/|x_ij| times a factor; zero for a particle and itself.
    #[inline(always)]
    pub(super) fn toward(&self, s: S, factor: S::F) -> [S::F; 3] {
        let r = s.max(s.sqrt(self.r2), s.splat(1.0));
        self.along(s, s.div(factor, r))
    }

    /// (drag · v_ij·x_ij/(x_ij² + 0.01h²) − pressure) ∇W between liquid particles, without the constant
    /// scale, and its part of the pressure that is shown; lanes from `left` on are zero.
    #[inline(always)]
    pub(super) fn force<K: LaneShape>(
        &self,
        s: S,
        c: &ForceConstants,
        pressure: S::F,
        drag: S::F,
        left: usize,
    ) -> ([S::F; 3], Carried<S>) {
        let slope = first(s, self.slope::<K>(s, c), left);
        let strength = s.sub(s.mul(drag, self.drag(s)), pressure);
        (self.along(s, s.mul(slope, strength)), self.carried(s, pressure, slope))
    }

    /// What pairs under a pressure carry, for the slope W'/q of their kernel.
    #[inline(always)]
    fn carried(&self, s: S, pressure: S::F, slope: S::F) -> Carried<S> {
        let moment = s.mul(slope, self.r2);
        Carried { pressure: s.mul(pressure, moment), moment }
    }

    /// drag · v_ij·x_ij/(x_ij² + 0.01h²) ∇W.
    #[inline(always)]
    pub(super) fn friction<K: LaneShape>(&self, s: S, drag: S::F, left: usize) -> [S::F; 3] {
        let factor = s.mul(K::slope_over_q(s, self.q(s)), s.mul(drag, self.drag(s)));
        self.along(s, first(s, factor, left))
    }

    /// −pressure ∇W for walls of the mass ratio `mass`, and its part of the pressure that is shown.
    #[inline(always)]
    pub(super) fn push<K: LaneShape>(
        &self,
        s: S,
        pressure: S::F,
        mass: S::F,
        left: usize,
    ) -> ([S::F; 3], Carried<S>) {
        let slope = first(s, K::slope_over_q(s, self.q(s)), left);
        let factor = s.mul(slope, s.sub(s.splat(0.0), pressure));
        let moment = s.mul(slope, self.r2);
        let carried = Carried { pressure: s.mul(pressure, moment), moment: s.mul(mass, moment) };
        (self.along(s, factor), carried)
    }
}

/// Sums for the pressure at a particle: the mean of (κ_i + κ_j)/2 over its pairs, weighted by x_ij·∇W_ij, the
/// arm of their force. Pressures of single particles may differ from neighbour to neighbour without
/// any force; what they carry together does not.
#[derive(Clone, Copy)]
pub(super) struct Carried<S: Simd> {
    pressure: S::F,
    moment: S::F,
}

impl<S: Simd> Carried<S> {
    #[inline(always)]
    pub(super) fn zero(s: S) -> Self {
        Self { pressure: s.splat(0.0), moment: s.splat(0.0) }
    }

    #[inline(always)]
    pub(super) fn add(self, s: S, other: Self) -> Self {
        Self {
            pressure: s.add(self.pressure, other.pressure),
            moment: s.add(self.moment, other.moment),
        }
    }

    /// κ.
    #[inline(always)]
    pub(super) fn mean(self, s: S) -> f32 {
        let moment = s.sum(self.moment);
        if moment < 0.0 { 0.5 * s.sum(self.pressure) / moment } else { 0.0 }
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

/// The first `left` lanes of `x`, zero in the others.
#[inline(always)]
fn first<S: Simd>(s: S, x: S::F, left: usize) -> S::F {
    if left < LANES { s.mul(x, s.load(first_lanes(left))) } else { x }
}

/// a + b.
#[inline(always)]
pub(super) fn add<S: Simd>(s: S, a: [S::F; 3], b: [S::F; 3]) -> [S::F; 3] {
    std::array::from_fn(|k| s.add(a[k], b[k]))
}
