//! Eigenvalues of eight symmetric matrices at a time.

use crate::simd::Simd;

/// Eigenvalues and eigenvectors of eight symmetric matrices.
#[derive(Clone, Copy, Debug)]
pub struct EigenLanes<F> {
    /// Eigenvalues, in no order.
    pub values: [F; 3],
    /// `vectors[i]` is the unit eigenvector of `values[i]`.
    pub vectors: [[F; 3]; 3],
}

/// Sweeps of Jacobi's rotations, which converge quadratically: four leave rounding only.
const SWEEPS: usize = 4;

/// Eigenvalues of symmetric matrices given as xx, yy, zz, yz, xz, xy, by Jacobi's rotations.
///
/// Values below 1e−19 in size count as zero.
#[inline(always)]
pub fn symmetric_eigen_lanes<S: Simd>(s: S, m: [S::F; 6]) -> EigenLanes<S::F> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    // `off[k]` couples the other two axes than k.
    let mut values = [m[0], m[1], m[2]];
    let mut off = [m[3], m[4], m[5]];
    let mut vectors = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    for _ in 0..SWEEPS {
        rotate::<S, 0, 1, 2>(s, &mut values, &mut off, &mut vectors);
        rotate::<S, 0, 2, 1>(s, &mut values, &mut off, &mut vectors);
        rotate::<S, 1, 2, 0>(s, &mut values, &mut off, &mut vectors);
    }
    EigenLanes { values, vectors }
}

/// One rotation in the plane of the axes P and Q that uncouples them; R is the third axis.
#[inline(always)]
fn rotate<S: Simd, const P: usize, const Q: usize, const R: usize>(
    s: S,
    values: &mut [S::F; 3],
    off: &mut [S::F; 3],
    vectors: &mut [[S::F; 3]; 3],
) {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let twice = s.add(off[R], off[R]);
    let d = s.sub(values[Q], values[P]);
    let root = s.sqrt(s.add(s.mul(d, d), s.mul(twice, twice)));
    // tan of the angle: 2 a_pq / (d ± root) with the sign that does not cancel.
    let below = s.select_le(zero, d, s.add(d, root), s.sub(d, root));
    let tiny = s.select_le(root, s.splat(1e-19), one, below);
    let t = s.div(s.select_le(root, s.splat(1e-19), zero, twice), tiny);
    let cos = s.div(one, s.sqrt(s.add(one, s.mul(t, t))));
    let sin = s.mul(t, cos);
    let shift = s.mul(t, off[R]);
    values[P] = s.sub(values[P], shift);
    values[Q] = s.add(values[Q], shift);
    off[R] = zero;
    // a_rp is off[Q] and a_rq is off[P].
    let (arp, arq) = (off[Q], off[P]);
    off[Q] = s.sub(s.mul(cos, arp), s.mul(sin, arq));
    off[P] = s.add(s.mul(sin, arp), s.mul(cos, arq));
    let (p, q) = (vectors[P], vectors[Q]);
    for k in 0..3 {
        vectors[P][k] = s.sub(s.mul(cos, p[k]), s.mul(sin, q[k]));
        vectors[Q][k] = s.add(s.mul(sin, p[k]), s.mul(cos, q[k]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Random;
    use crate::simd::{LANES, Level, Work};
    use glam::DVec3;

    struct Solve([[f32; LANES]; 6]);

    impl Work for Solve {
        type Output = ([[f32; LANES]; 3], [[[f32; LANES]; 3]; 3]);

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let m = [0, 1, 2, 3, 4, 5].map(|k: usize| s.load(&self.0[k]));
            let found = symmetric_eigen_lanes(s, m);
            let vectors =
                [0, 1, 2].map(|i: usize| [0, 1, 2].map(|k: usize| s.store(found.vectors[i][k])));
            ([0, 1, 2].map(|i: usize| s.store(found.values[i])), vectors)
        }
    }

    #[test]
    fn lanes_rebuild_their_matrices() {
        let mut random = Random::new(5);
        let spectra = [
            [1.0, 2.0, 3.0],
            [-0.02, 0.01, 0.01],
            [1e-9, 1e-9, -1e-9],
            [0.0, 0.0, 0.0],
            [1e3, 1.0, 1.0],
            [5.0, 5.0, 5.0],
        ];
        let mut worst = 0.0_f64;
        for round in 0..400 {
            let mut m = [[0.0_f32; LANES]; 6];
            let scale = |lane: usize| spectra[(round + lane) % spectra.len()];
            (0..LANES).for_each(|lane| {
                let q = glam::DMat3::from_quat(random.orientation());
                let d = glam::DMat3::from_diagonal(DVec3::from_array(scale(lane)));
                let a = q * d * q.transpose();
                let six = [a.x_axis.x, a.y_axis.y, a.z_axis.z, a.z_axis.y, a.z_axis.x, a.y_axis.x];
                (0..6).for_each(|k| m[k][lane] = six[k] as f32);
            });
            let (values, vectors) = Level::detect().run(Solve(m));
            let portable = Level::Portable.run(Solve(m));
            assert_eq!((values, vectors), portable);
            (0..LANES).for_each(|lane| {
                let size = scale(lane).iter().fold(1e-30_f64, |m, x| m.max(x.abs()));
                for (k, (i, j)) in
                    [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].iter().enumerate()
                {
                    let rebuilt: f64 = (0..3)
                        .map(|e| {
                            let [l, a, b] = [values[e], vectors[e][*i], vectors[e][*j]];
                            f64::from(l[lane]) * f64::from(a[lane]) * f64::from(b[lane])
                        })
                        .sum();
                    worst = worst.max((rebuilt - f64::from(m[k][lane])).abs() / size);
                }
            });
        }
        assert!(worst < 2e-6, "{worst}");
    }
}
