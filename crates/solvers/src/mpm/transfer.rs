//! Interpolation between a particle and the nodes around it.
//!
//! Weights are products of one-dimensional B-splines, so sums over nodes are made row by row. With the
//! weights w along each axis goes a second set g, which stands for the gradient: either the
//! derivative w′ (thesis) or w·(x_node − x), the moment that APIC and MLS-MPM use. One loop serves both.
//! Next to walls on nodes splines end ([`super::walls`]).

use crate::mpm::quad::Quad;
use glam::DVec3;

use super::config::{Config, Spline, Transfer};
use super::grid::Geometry;
use super::walls::ended;

/// What kind of second weights a transfer uses.
pub(super) const MOMENTS: bool = false;
pub(super) const GRADIENTS: bool = true;

/// Work that depends on the number of nodes along an axis (`N`), along z (`NZ`, 1 in the plane) and on
/// the second weights.
pub(super) trait Kernel {
    type Output;
    fn run<const N: usize, const NZ: usize, const G: bool>(self) -> Self::Output;
}

/// Runs a kernel with the constants that fit the configuration.
pub(super) fn dispatch<K: Kernel>(config: &Config, planar: bool, kernel: K) -> K::Output {
    match (config.spline, planar, config.transfer) {
        (Spline::Quadratic, false, Transfer::Apic) => kernel.run::<3, 3, MOMENTS>(),
        (Spline::Quadratic, true, Transfer::Apic) => kernel.run::<3, 1, MOMENTS>(),
        (Spline::Cubic, false, Transfer::Apic) => kernel.run::<4, 4, MOMENTS>(),
        (Spline::Cubic, true, Transfer::Apic) => kernel.run::<4, 1, MOMENTS>(),
        (Spline::Quadratic, false, Transfer::Flip(_)) => kernel.run::<3, 3, GRADIENTS>(),
        (Spline::Quadratic, true, Transfer::Flip(_)) => kernel.run::<3, 1, GRADIENTS>(),
        (Spline::Cubic, false, Transfer::Flip(_)) => kernel.run::<4, 4, GRADIENTS>(),
        (Spline::Cubic, true, Transfer::Flip(_)) => kernel.run::<4, 1, GRADIENTS>(),
    }
}

/// D⁻¹ h² of APIC: the inverse second moment of the spline (Jiang et al. 2015).
pub(super) const fn inverse_moment<const N: usize>() -> f64 {
    if N == 3 { 4.0 } else { 3.0 }
}

/// A particle's weights.
#[derive(Clone, Copy)]
pub(super) struct Stencil<const N: usize> {
    /// The first node along each axis.
    pub(super) base: [i32; 3],
    /// Weights along each axis.
    w: [[f64; N]; 3],
    /// Second weights: [1/m] or [m].
    g: [[f64; N]; 3],
    /// The second moment along each axis over that of a spline that ends at no wall.
    pub(super) spread: [f64; 3],
}

impl<const N: usize> Stencil<N> {
    #[inline(always)]
    pub(super) fn new<const NZ: usize, const G: bool>(grid: &Geometry, x: DVec3) -> Self {
        let mut stencil =
            Self { base: [0; 3], w: [[0.0; N]; 3], g: [[0.0; N]; 3], spread: [1.0; 3] };
        stencil.w[2][0] = 1.0;
        let scaled = (x - grid.origin) * grid.inverse;
        for k in 0..if NZ == 1 { 2 } else { 3 } {
            let (base, f) = split::<N>(scaled[k]);
            stencil.base[k] = base;
            let (w, slope) = spline::<N>(f);
            stencil.w[k] = w;
            for i in 0..N {
                stencil.g[k][i] =
                    if G { slope[i] * grid.inverse } else { w[i] * (i as f64 - f) * grid.h };
            }
        }
        stencil
    }

    /// As [`Self::new`], in a block next to a wall if `E`: there splines may end.
    #[inline(always)]
    pub(super) fn near<const NZ: usize, const G: bool, const E: bool>(
        grid: &Geometry,
        x: DVec3,
    ) -> Self {
        let mut stencil = Self::new::<NZ, G>(grid, x);
        if E {
            let scaled = (x - grid.origin) * grid.inverse;
            for k in 0..if NZ == 1 { 2 } else { 3 } {
                let (base, f) = split::<N>(scaled[k]);
                if let Some(wall) = grid.walls.behind(k, base, N as i32, f) {
                    stencil.end::<G>(grid, k, wall);
                }
            }
        }
        stencil
    }

    /// Ends the spline along an axis at a wall; see [`super::walls::Walls::behind`]. Within the wall everything is at its
    /// node.
    fn end<const G: bool>(&mut self, grid: &Geometry, axis: usize, wall: (i32, f64, bool)) {
        let (behind, y, upper) = wall;
        let behind = behind as usize;
        if behind >= N {
            return;
        }
        let found = ended::<N>(y.max(0.0));
        let second = if G { found.slope } else { found.moment };
        let scale = if G { grid.inverse } else { grid.h } * if upper { -1.0 } else { 1.0 };
        (self.w[axis], self.g[axis]) = ([0.0; N], [0.0; N]);
        for (i, (w, g)) in found.w.into_iter().zip(second).enumerate().take(N - behind) {
            let at = if upper { N - 1 - behind - i } else { behind + i };
            self.w[axis][at] = w;
            // One node alone has no gradient.
            self.g[axis][at] = if behind == 1 { g * scale } else { 0.0 };
        }
        self.spread[axis] = found.spread;
    }

    /// Place of the first node in the tile of the particle's block.
    #[inline(always)]
    fn corner<const NZ: usize>(&self) -> usize {
        let [x, y, z] = self.base.map(|b| (b & 3) as usize);
        (if NZ == 1 { 0 } else { z * (N + 3) } + y) * (N + 3) + x
    }

    /// Adds w·value + Σ g_k·slope_k to the nodes of a tile.
    #[inline(always)]
    pub(super) fn scatter<const NZ: usize>(
        &self,
        tile: &mut [Quad],
        value: Quad,
        slopes: [Quad; 3],
    ) {
        let first = self.corner::<NZ>();
        let [w, g] = [&self.w, &self.g];
        for k in 0..NZ {
            for j in 0..N {
                let ww = w[1][j] * w[2][k];
                let row =
                    value * ww + slopes[1] * (g[1][j] * w[2][k]) + slopes[2] * (w[1][j] * g[2][k]);
                let along = slopes[0] * ww;
                let at = first + (k * (N + 3) + j) * (N + 3);
                let Some(nodes) = tile.get_mut(at..).and_then(|t| t.first_chunk_mut::<N>()) else {
                    return;
                };
                for i in 0..N {
                    nodes[i] += row * w[0][i] + along * g[0][i];
                }
            }
        }
    }

    /// Adds w·value to the nodes of a tile.
    #[inline(always)]
    pub(super) fn spread<const NZ: usize>(&self, tile: &mut [Quad], value: Quad) {
        let first = self.corner::<NZ>();
        let w = &self.w;
        for k in 0..NZ {
            for j in 0..N {
                let row = value * (w[1][j] * w[2][k]);
                let at = first + (k * (N + 3) + j) * (N + 3);
                let Some(nodes) = tile.get_mut(at..).and_then(|t| t.first_chunk_mut::<N>()) else {
                    return;
                };
                for i in 0..N {
                    nodes[i] += row * w[0][i];
                }
            }
        }
    }

    /// Σ w·node and Σ g_k·node for the three axes.
    #[inline(always)]
    pub(super) fn gather<const NZ: usize>(&self, tile: &[Quad]) -> (Quad, [Quad; 3]) {
        let first = self.corner::<NZ>();
        let [w, g] = [&self.w, &self.g];
        let (mut value, mut slopes) = (Quad::ZERO, [Quad::ZERO; 3]);
        for k in 0..NZ {
            for j in 0..N {
                let at = first + (k * (N + 3) + j) * (N + 3);
                let Some(nodes) = tile.get(at..).and_then(|t| t.first_chunk::<N>()) else {
                    return (value, slopes);
                };
                let (mut row, mut along) = (Quad::ZERO, Quad::ZERO);
                for i in 0..N {
                    row += nodes[i] * w[0][i];
                    along += nodes[i] * g[0][i];
                }
                let ww = w[1][j] * w[2][k];
                value += row * ww;
                slopes[0] += along * ww;
                slopes[1] += row * (g[1][j] * w[2][k]);
                slopes[2] += row * (w[1][j] * g[2][k]);
            }
        }
        (value, slopes)
    }

    /// Σ w·node only.
    #[inline(always)]
    pub(super) fn interpolate<const NZ: usize>(&self, tile: &[Quad]) -> Quad {
        let first = self.corner::<NZ>();
        let w = &self.w;
        let mut value = Quad::ZERO;
        for k in 0..NZ {
            for j in 0..N {
                let at = first + (k * (N + 3) + j) * (N + 3);
                let Some(nodes) = tile.get(at..).and_then(|t| t.first_chunk::<N>()) else {
                    return value;
                };
                let mut row = Quad::ZERO;
                for i in 0..N {
                    row += nodes[i] * w[0][i];
                }
                value += row * (w[1][j] * w[2][k]);
            }
        }
        value
    }
}

/// The first node that a position in cells reaches, and the position relative to it.
#[inline(always)]
pub(super) fn split<const N: usize>(x: f64) -> (i32, f64) {
    let base = (x - if N == 3 { 0.5 } else { 1.0 }).floor();
    (base as i32, x - base)
}

/// Values and derivatives of the B-spline at N nodes, for a position f relative to the first.
#[inline(always)]
pub(super) fn spline<const N: usize>(f: f64) -> ([f64; N], [f64; N]) {
    let (mut w, mut slope) = ([0.0; N], [0.0; N]);
    if N == 3 {
        let (a, b, c) = (1.5 - f, f - 1.0, f - 0.5);
        (w[0], w[1], w[2]) = (0.5 * a * a, 0.75 - b * b, 0.5 * c * c);
        (slope[0], slope[1], slope[2]) = (-a, -2.0 * b, c);
    } else {
        // Meyer 18 and 20, with t the distance to the second node.
        let t = f - 1.0;
        let r = 1.0 - t;
        w[0] = r * r * r / 6.0;
        w[1] = t * t * (0.5 * t - 1.0) + 2.0 / 3.0;
        w[2] = r * r * (0.5 * r - 1.0) + 2.0 / 3.0;
        w[3] = t * t * t / 6.0;
        slope[0] = -0.5 * r * r;
        slope[1] = t * (1.5 * t - 2.0);
        slope[2] = -r * (1.5 * r - 2.0);
        slope[3] = 0.5 * t * t;
    }
    (w, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const N: usize>() {
        for k in 0..100 {
            let f = if N == 3 { 0.5 } else { 1.0 } + 0.01 * f64::from(k);
            let (w, slope) = spline::<N>(f);
            let moment = |p: i32| -> f64 {
                w.iter().enumerate().map(|(i, w)| w * (i as f64 - f).powi(p)).sum()
            };
            assert!((moment(0) - 1.0).abs() < 1e-15);
            assert!(moment(1).abs() < 1e-15);
            assert!((moment(2) - 1.0 / inverse_moment::<N>()).abs() < 1e-15);
            let d = 1e-6;
            let (high, low) = (spline::<N>(f + d).0, spline::<N>(f - d).0);
            for i in 0..N {
                assert!(((high[i] - low[i]) / (2.0 * d) - slope[i]).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn splines_have_their_moments_and_derivatives() {
        check::<3>();
        check::<4>();
    }
}
