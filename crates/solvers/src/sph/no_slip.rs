//! No-slip condition: extrapolated velocity of boundary particles (Takeda et al. 1994).

use super::pairs::{Chunk, Own, Pairs};
use lawine_core::kernel::LaneShape;
use lawine_core::simd::{F32x8, Simd, Vec3x8};

/// The wall as one particle sees it: flat, in the direction `normal`.
///
/// A boundary particle lies behind the surface. Were it to drag with the velocity of the wall, the
/// liquid would stick to the boundary particles, half a spacing too late. It therefore drags with
/// the velocity extrapolated linearly behind the surface: with the distances y_i and y_b to it,
/// v_i − v_b = (v_i − v_wall)(y_i + y_b)/y_i.
pub(super) struct NoSlip<S: Simd> {
    normal: Vec3x8<S>,
    /// 1/y_i in fixed-point units; never more than for half a spacing.
    inverse_distance: f32,
}

impl<S: Simd> NoSlip<S> {
    /// For the particle `k` of a chunk, which is `i`; `None` where the wall slips.
    #[inline(always)]
    pub(super) fn new<'a, K: LaneShape>(
        s: S,
        chunk: &Chunk<'a>,
        i: &Own<'a, S>,
        k: usize,
    ) -> Option<Self> {
        let c = chunk.all.constants;
        if c.wall_viscosity == 0.0 || chunk.wall_neighbors.count(k) == 0 {
            return None;
        }
        let mut sum = [0.0; 3];
        for (_, ib) in chunk.walls(i, k) {
            let slopes = ib.along(K::slope_over_q(ib.q())).to_array();
            for (sum, slopes) in sum.iter_mut().zip(&slopes) {
                // The kernel falls with the distance: minus the gradient leads out of the wall.
                *sum -= slopes[..ib.count()].iter().sum::<f32>();
            }
        }
        let length = ((sum[0] * sum[0] + sum[1] * sum[1]) + sum[2] * sum[2]).sqrt();
        if length == 0.0 {
            return None;
        }
        let normal = s.splat_vector(sum.map(|x| x / length));
        let mut nearest = f32::INFINITY;
        for (_, ib) in chunk.walls(i, k) {
            let depths = ib.depth(normal).to_array();
            nearest = depths[..ib.count()].iter().copied().fold(nearest, f32::min);
        }
        // The first layer is half a spacing behind the surface.
        let distance = (nearest - c.half_spacing).max(c.half_spacing);
        Some(Self { normal, inverse_distance: 1.0 / distance })
    }

    /// (y_i + y_b)/y_i, at least one.
    #[inline(always)]
    pub(super) fn factor(&self, ib: &Pairs<S>) -> F32x8<S> {
        (ib.depth(self.normal) * self.inverse_distance).max(1.0)
    }
}
