//! Singular values of 3×3 matrices, and the polar decomposition that follows from them.

use glam::{DMat3, DVec3};

/// A = U Σ Vᵀ with U and V rotations.
///
/// |σ| descends; where det A < 0 the last σ is negative, so that U and V need no reflection and the
/// polar rotation U Vᵀ is one (Irving et al. 2004).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Svd {
    /// Left rotation.
    pub(crate) u: DMat3,
    /// Singular values, the last with the sign of the determinant.
    pub(crate) sigma: DVec3,
    /// Right rotation.
    pub(crate) v: DMat3,
}

impl Svd {
    /// U Σ Vᵀ.
    #[must_use]
    pub(crate) fn matrix(&self) -> DMat3 {
        self.u * DMat3::from_diagonal(self.sigma) * self.v.transpose()
    }
}

/// Singular value decomposition by one-sided Jacobi rotations (Golub and Van Loan, 8.6.3): columns
/// are turned until they are orthogonal. Small singular values keep their digits, singular and zero
/// matrices get complete rotations, and the size of the matrix does not matter.
#[must_use]
pub(crate) fn svd(matrix: DMat3) -> Svd {
    let scale = matrix.to_cols_array().iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    if !(scale > 0.0 && scale.is_finite()) {
        let sigma = DVec3::splat(if scale > 0.0 { f64::NAN } else { 0.0 });
        return Svd { u: DMat3::IDENTITY, sigma, v: DMat3::IDENTITY };
    }
    // Two factors: 1/scale would overflow for the smallest numbers.
    let half = scale.sqrt().recip();
    let mut a = [0, 1, 2].map(|k| matrix.col(k) * half * half);
    let mut v = DMat3::IDENTITY.to_cols_array_2d().map(DVec3::from_array);
    // Convergence is quadratic; the bound is for what is not a number.
    for _ in 0..16 {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            turned |= orthogonalize(&mut a, &mut v, p, q);
        }
        if !turned {
            break;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j].length_squared().total_cmp(&a[i].length_squared()));
    let [a, v] = [a, v].map(|columns| order.map(|k| columns[k]));
    let v2 = v[0].cross(v[1]);
    // The last column of V may point the other way now, and so does that of A V.
    let last = if v2.dot(v[2]) < 0.0 { -a[2] } else { a[2] };
    let u0 = a[0].normalize();
    let u1 = (a[1] - u0 * u0.dot(a[1])).try_normalize().unwrap_or(u0.any_orthonormal_vector());
    let u2 = u0.cross(u1);
    let sigma = DVec3::new(a[0].length(), u1.dot(a[1]), u2.dot(last)) * scale;
    Svd { u: DMat3::from_cols(u0, u1, u2), sigma, v: DMat3::from_cols(v[0], v[1], v2) }
}

/// Turns columns p and q of A and V until those of A are orthogonal; false if they are already.
fn orthogonalize(a: &mut [DVec3; 3], v: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let (app, aqq, apq) = (a[p].length_squared(), a[q].length_squared(), a[p].dot(a[q]));
    if apq * apq <= 1e-32 * app * aqq || apq.abs() < f64::MIN_POSITIVE {
        return false;
    }
    let tau = (aqq - app) / (2.0 * apq);
    let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    for columns in [a, v] {
        let (x, y) = (columns[p], columns[q]);
        columns[p] = c * (x - t * y);
        columns[q] = c * (t * x + y);
    }
    true
}

/// A = R S with a rotation R and a symmetric S: R = U Vᵀ, S = V Σ Vᵀ.
///
/// det R = +1 always; where det A < 0, S has one negative eigenvalue.
#[must_use]
pub(crate) fn polar(matrix: DMat3) -> (DMat3, DMat3) {
    let Svd { u, sigma, v } = svd(matrix);
    (u * v.transpose(), v * DMat3::from_diagonal(sigma) * v.transpose())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_core::geometry::Random;

    fn check(matrix: DMat3) {
        let scale = matrix.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let found = svd(matrix);
        for q in [found.u, found.v] {
            assert!((q.transpose() * q).abs_diff_eq(DMat3::IDENTITY, 1e-14), "{matrix} {q}");
            assert!((q.determinant() - 1.0).abs() < 1e-14, "{matrix} {q}");
        }
        // Smallest numbers have few digits.
        let tolerance = (4e-15 * scale).max(1e-323);
        assert!(found.matrix().abs_diff_eq(matrix, tolerance), "{matrix} {found:?}");
        let s = found.sigma;
        assert!(
            s.x >= s.y - tolerance && s.y >= s.z.abs() - tolerance && s.y >= 0.0,
            "{matrix} {s}"
        );
        let (r, stretch) = polar(matrix);
        assert!((r.determinant() - 1.0).abs() < 1e-14);
        assert!((r * stretch).abs_diff_eq(matrix, tolerance), "{matrix} {r} {stretch}");
        assert!((stretch - stretch.transpose()).abs_diff_eq(DMat3::ZERO, tolerance));
    }

    fn random_matrix(random: &mut Random) -> DMat3 {
        DMat3::from_cols(random.direction(), random.direction(), random.direction())
    }

    #[test]
    fn random_inverted_huge_and_tiny_matrices() {
        let mut random = Random::new(7);
        for round in 0..4000 {
            let matrix = random_matrix(&mut random);
            check(matrix);
            let sign = if svd(matrix).sigma.z < 0.0 { -1.0 } else { 1.0 };
            assert!(sign * matrix.determinant() > -1e-14);
            check(matrix * 10.0_f64.powi(round % 600 - 300));
            check(DMat3::IDENTITY + 1e-9 * matrix);
        }
    }

    #[test]
    fn singular_matrices() {
        let mut random = Random::new(8);
        for _ in 0..1000 {
            let [a, b, c] = std::array::from_fn(|_| random.direction());
            check(DMat3::from_cols(a, b, 0.3 * a - 2.0 * b));
            check(DMat3::from_cols(a, 2.0 * a, -a));
            check(DMat3::from_cols(DVec3::ZERO, c, DVec3::ZERO));
            let (u, v) = (random.orientation(), random.orientation());
            for sigma in [[1.0, 1.0, 0.0], [1.0, 1e-8, 1e-16], [3.0, 3.0, -3.0], [1e8, 1.0, -1e-8]]
            {
                let middle = DMat3::from_diagonal(DVec3::from_array(sigma));
                check(DMat3::from_quat(u) * middle * DMat3::from_quat(v));
            }
        }
        for matrix in [DMat3::ZERO, DMat3::IDENTITY, -DMat3::IDENTITY] {
            check(matrix);
        }
    }

    #[test]
    fn values_are_those_of_the_factors() {
        let mut random = Random::new(9);
        for _ in 0..500 {
            let sigma = DVec3::new(1.5, 1.02, 0.3);
            let [u, v] = std::array::from_fn(|_| DMat3::from_quat(random.orientation()));
            let found = svd(u * DMat3::from_diagonal(sigma) * v.transpose());
            assert!(found.sigma.abs_diff_eq(sigma, 1e-14));
            let (r, _) = polar(u * DMat3::from_diagonal(sigma) * v.transpose());
            assert!(r.abs_diff_eq(u * v.transpose(), 1e-13));
        }
    }

    #[test]
    fn what_is_not_finite_does_not_hang() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut matrix = DMat3::IDENTITY;
            matrix.y_axis.z = bad;
            assert!(svd(matrix).sigma.is_nan());
        }
    }
}
