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
    /// 1/ρ0².
    pub(super) inverse_rest_density_squared: f32,
    /// Gravity over ρ0, times the length of a fixed-point unit; zero mirrors the pressure as it is.
    pub(super) weight: [f32; 3],
    pub(super) mass: f64,
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

    /// The weight, for a particle under the pressure `p`; zero for one without pressure, so that
    /// drops do not stick to walls.
    #[inline(always)]
    pub(super) fn weight_under(&self, p: f32) -> [f32; 3] {
        if p > 0.0 { self.weight } else { [0.0; 3] }
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

    /// The pressure of walls over ρ0² that the weight of the liquid in between adds to that of the
    /// particle, `p` (also over ρ0²); none where the particle is not under pressure.
    #[inline(always)]
    pub(super) fn weight(&self, s: S, weight: &[S::F; 3], p: S::F) -> S::F {
        // max(0, p + g·(x_b − x_i)/ρ0) − p.
        let zero = s.splat(0.0);
        s.sub(s.max(s.sub(p, s.dot(weight, &self.d)), zero), p)
    }

    /// How far apart they are along a direction, in fixed-point units.
    #[inline(always)]
    pub(super) fn depth(&self, s: S, normal: &[S::F; 3]) -> S::F {
        s.dot(normal, &self.d)
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

    /// (drag · v_ij·x_ij/(x_ij² + 0.01h²) − pressure) ∇W, without the constant scale; lanes from
    /// `left` on are zero.
    #[inline(always)]
    pub(super) fn force<K: LaneShape>(
        &self,
        s: S,
        pressure: S::F,
        drag: S::F,
        left: usize,
    ) -> [S::F; 3] {
        let strength = s.sub(s.mul(drag, self.drag(s)), pressure);
        let mut factor = s.mul(K::slope_over_q(s, self.q(s)), strength);
        if left < LANES {
            factor = s.mul(factor, s.load(first_lanes(left)));
        }
        self.along(s, factor)
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

/// a + b.
#[inline(always)]
pub(super) fn add<S: Simd>(s: S, a: [S::F; 3], b: [S::F; 3]) -> [S::F; 3] {
    std::array::from_fn(|k| s.add(a[k], b[k]))
}
