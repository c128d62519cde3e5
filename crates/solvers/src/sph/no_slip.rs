//! Liquid sticks to walls: how fast a boundary particle seems to move (Takeda et al. 1994).

use super::pairs::{ForceConstants, Own, Pairs};
use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::ChunkList;
use lawine_core::simd::{LANES, Record, Simd};

/// The wall as one particle sees it: flat, in the direction `normal`.
///
/// A boundary particle lies behind the surface. Were it to drag with the velocity of the wall, the
/// liquid would stick to the boundary particles, half a spacing too late. It therefore drags with
/// the velocity that goes on linearly behind the surface: with the distances y_i and y_b to it,
/// v_i − v_b = (v_i − v_wall)(y_i + y_b)/y_i.
pub(super) struct NoSlip<S: Simd> {
    normal: [S::F; 3],
    /// 1/y_i in fixed-point units; never more than for half a spacing.
    inverse_distance: S::F,
}

impl<S: Simd> NoSlip<S> {
    /// For the particle `k` of a chunk, whose record is `record`; `None` where the wall slips.
    #[inline(always)]
    pub(super) fn new<K: LaneShape>(
        s: S,
        c: &ForceConstants,
        record: &Record,
        wall_records: &[Record],
        (wall_neighbors, k): (&ChunkList, usize),
    ) -> Option<Self> {
        if c.wall_viscosity == 0.0 || wall_neighbors.count(k) == 0 {
            return None;
        }
        let own = Own::<S>::new(s, record);
        let mut sum = [0.0; 3];
        let each = |visit: &mut dyn FnMut(&Pairs<S>, usize)| {
            let mut left = wall_neighbors.count(k);
            for block in wall_neighbors.blocks(k) {
                let lanes = c.gather(s, record, wall_records, block);
                visit(&Pairs::new(s, &own, &lanes), left.min(LANES));
                left = left.saturating_sub(LANES);
            }
        };
        each(&mut |pairs, left| {
            let slope = K::slope_over_q(s, pairs.q(s));
            for (sum, d) in sum.iter_mut().zip(pairs.along(s, slope)) {
                // The kernel falls with the distance: minus the gradient leads out of the wall.
                *sum -= s.store(d)[..left].iter().sum::<f32>();
            }
        });
        let length = ((sum[0] * sum[0] + sum[1] * sum[1]) + sum[2] * sum[2]).sqrt();
        if length == 0.0 {
            return None;
        }
        let normal = sum.map(|x| s.splat(x / length));
        let mut nearest = f32::INFINITY;
        each(&mut |pairs, left| {
            let depths = s.store(pairs.depth(s, &normal));
            nearest = depths[..left].iter().copied().fold(nearest, f32::min);
        });
        // The first layer is half a spacing behind the surface.
        let distance = (nearest - c.half_spacing).max(c.half_spacing);
        Some(Self { normal, inverse_distance: s.splat(1.0 / distance) })
    }

    /// (y_i + y_b)/y_i, at least one.
    #[inline(always)]
    pub(super) fn factor(&self, s: S, pairs: &Pairs<S>) -> S::F {
        s.max(s.mul(pairs.depth(s, &self.normal), self.inverse_distance), s.splat(1.0))
    }
}
