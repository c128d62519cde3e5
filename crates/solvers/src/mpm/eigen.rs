//! Eigenvalues of eight symmetric matrices at a time.

use lawine_core::simd::{F32x8, Simd, Vec3x8};

/// Eigenvalues and eigenvectors of eight symmetric matrices.
#[derive(Clone, Copy)]
pub(super) struct EigenLanes<S: Simd> {
    /// Eigenvalues, in no order.
    pub(super) values: [F32x8<S>; 3],
    /// `vectors[i]` is the unit eigenvector of `values[i]`.
    pub(super) vectors: [Vec3x8<S>; 3],
}

/// Sweeps of Jacobi's rotations, which converge quadratically: four leave rounding only.
const SWEEPS: usize = 4;

/// Eigenvalues of symmetric matrices given as xx, yy, zz, yz, xz, xy, by Jacobi's rotations.
///
/// Values below 1e−19 in size count as zero.
#[inline(always)]
pub(super) fn symmetric_eigen_lanes<S: Simd>(s: S, m: [F32x8<S>; 6]) -> EigenLanes<S> {
    let [xx, yy, zz, yz, xz, xy] = m;
    let axis = |x, y, z| s.splat_vector([x, y, z]);
    let vectors = [axis(1.0, 0.0, 0.0), axis(0.0, 1.0, 0.0), axis(0.0, 0.0, 1.0)];
    let mut eigen = EigenLanes { values: [xx, yy, zz], vectors };
    // `off[k]` couples the other two axes than k.
    let mut off = [yz, xz, xy];
    for _ in 0..SWEEPS {
        eigen.rotate::<0, 1, 2>(s, &mut off);
        eigen.rotate::<0, 2, 1>(s, &mut off);
        eigen.rotate::<1, 2, 0>(s, &mut off);
    }
    eigen
}

impl<S: Simd> EigenLanes<S> {
    /// One rotation in the plane of the axes P and Q that uncouples them; R is the third axis.
    #[inline(always)]
    fn rotate<const P: usize, const Q: usize, const R: usize>(
        &mut self,
        s: S,
        off: &mut [F32x8<S>; 3],
    ) {
        let Self { values, vectors } = self;
        let twice = off[R] + off[R];
        let d = values[Q] - values[P];
        let root = (d * d + twice * twice).sqrt();
        // tan of the angle: 2 a_pq / (d ± root) with the sign that does not cancel.
        let below = s.splat(0.0).le(d).select(d + root, d - root);
        let vanishes = root.le(1e-19);
        let t = vanishes.select(0.0, twice) / vanishes.select(1.0, below);
        let cos = 1.0 / (1.0 + t * t).sqrt();
        let sin = t * cos;
        let shift = t * off[R];
        values[P] -= shift;
        values[Q] += shift;
        off[R] = s.splat(0.0);
        // a_rp is off[Q] and a_rq is off[P].
        (off[Q], off[P]) = (cos * off[Q] - sin * off[P], sin * off[Q] + cos * off[P]);
        let (p, q) = (vectors[P], vectors[Q]);
        (vectors[P], vectors[Q]) = (cos * p - sin * q, sin * p + cos * q);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use lawine_core::geometry::Random;
    use lawine_core::simd::{LANES, Level, Work};

    struct Solve([[f32; LANES]; 6]);

    impl Work for Solve {
        type Output = ([[f32; LANES]; 3], [[[f32; LANES]; 3]; 3]);

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let m = [0, 1, 2, 3, 4, 5].map(|k: usize| s.load(&self.0[k]));
            let found = symmetric_eigen_lanes(s, m);
            (found.values.map(|x| x.to_array()), found.vectors.map(|v| v.to_array()))
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
