//! Eigenvalues of symmetric 3×3 matrices.

use glam::{DMat3, DVec3};

/// Eigenvalues in ascending order and the rotation whose columns are the eigenvectors, by Jacobi's
/// rotations (Golub and Van Loan, 8.5). Exact to rounding, also for equal eigenvalues.
#[must_use]
pub fn symmetric_eigen(matrix: DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut vectors = DMat3::IDENTITY.to_cols_array_2d();
    // Convergence is quadratic: after six sweeps nothing is left. The bound is for matrices that
    // are not finite.
    for _ in 0..12 {
        let off = a[1][0].abs() + a[2][0].abs() + a[2][1].abs();
        let diagonal = a[0][0].abs() + a[1][1].abs() + a[2][2].abs();
        if off <= 1e-17 * diagonal {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut vectors, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let values = DVec3::from_array(order.map(|i| a[i][i]));
    let [x, y, _] = order.map(|i| DVec3::from_array(vectors[i]).normalize());
    let y = (y - x * x.dot(y)).normalize();
    (values, DMat3::from_cols(x, y, x.cross(y)))
}

/// One rotation that makes a[p][q] zero; rows of `vectors` are the eigenvectors.
fn rotate(a: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q].abs() < f64::MIN_POSITIVE {
        return;
    }
    let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    let r = 3 - p - q;
    let (app, aqq, apq) = (a[p][p], a[q][q], a[p][q]);
    (a[p][p], a[q][q]) = (app - t * apq, aqq + t * apq);
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let (arp, arq) = (a[r][p], a[r][q]);
    a[r][p] = c * arp - s * arq;
    a[r][q] = s * arp + c * arq;
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    let (vp, vq) = (vectors[p], vectors[q]);
    vectors[p] = std::array::from_fn(|k| c * vp[k] - s * vq[k]);
    vectors[q] = std::array::from_fn(|k| s * vp[k] + c * vq[k]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Random;

    #[test]
    fn rebuilds_the_matrix_for_all_multiplicities() {
        let mut random = Random::new(2);
        let spectra =
            [[1.0, 2.0, 3.0], [1.0, 1.0, 3.0], [1.0, 3.0, 3.0], [2.0; 3], [1e-9, 1.0, 1e3]];
        for round in 0..500 {
            let values = DVec3::from_array(spectra[round % spectra.len()]);
            let q = DMat3::from_quat(random.orientation());
            let matrix = q * DMat3::from_diagonal(values) * q.transpose();
            let (found, axes) = symmetric_eigen(matrix);
            assert!(found.abs_diff_eq(values, 1e-13 * values.z));
            assert!((axes.determinant() - 1.0).abs() < 1e-13);
            let back = axes * DMat3::from_diagonal(found) * axes.transpose();
            assert!(back.abs_diff_eq(matrix, 1e-13 * values.z));
        }
        assert_eq!(symmetric_eigen(DMat3::ZERO).0, DVec3::ZERO);
    }
}
