//! Tangent stiffness: change of a particle's stress with a small deformation.

use glam::{DMat3, DVec3};
use lawine_core::eigen::symmetric_eigen;

use super::material::{Law, Laws, Tangent};
use super::state::{Point, symmetric};

/// ∂²ψ/∂F² in the principal frame of the left stretch, made positive semi-definite
/// (Stomakhin et al. 2012; Smith et al. 2019).
#[derive(Clone, Copy, Debug)]
pub(super) struct PointTangent {
    /// Principal axes, by columns.
    axes: [f32; 9],
    /// Singular values of F_E.
    s: [f32; 3],
    /// Second derivatives by the singular values, by rows [Pa].
    second: [[f32; 3]; 3],
    /// Stiffness against symmetric and skew changes in the plane of the other two axes [Pa].
    shear: [[f32; 2]; 3],
}

impl PointTangent {
    pub(super) fn new(point: &Point, law: Laws, q: f64) -> Self {
        let (values, axes) = symmetric_eigen(symmetric(point.e));
        let s = values.map(|x| (1.0 + x).max(0.01).sqrt()).to_array();
        let Tangent { first, second } = match law {
            Laws::Snow(law) => law.tangent(s, q),
            Laws::Elastic(law) => law.tangent(s, q),
            Laws::Sand(law) => law.tangent(s, q),
            Laws::Liquid(law) => law.tangent(s, q),
        };
        let shear = [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let gap = s[i] - s[j];
            // The quotient becomes a derivative where two singular values meet.
            let symmetric = if gap.abs() > 1e-5 {
                (first[i] - first[j]) / gap
            } else {
                0.5 * (second[i][i] + second[j][j]) - second[i][j]
            };
            let skew = (first[i] + first[j]) / (s[i] + s[j]);
            [symmetric.max(0.0) as f32, skew.max(0.0) as f32]
        });
        let rows = positive(second).map(|row| row.map(|h| h as f32));
        Self {
            axes: axes.to_cols_array().map(|x| x as f32),
            s: s.map(|x| x as f32),
            second: rows,
            shear,
        }
    }

    /// δP F_Eᵀ for δF = L F_E.
    #[inline(always)]
    pub(super) fn apply(&self, l: DMat3) -> DMat3 {
        let u = DMat3::from_cols_array(&self.axes.map(f64::from));
        let s = self.s.map(f64::from);
        // Columns of Uᵀ L U S.
        let f = (u.transpose() * l * u).to_cols_array_2d();
        let f = [f[0].map(|x| x * s[0]), f[1].map(|x| x * s[1]), f[2].map(|x| x * s[2])];
        let mut p = [[0.0; 3]; 3];
        for i in 0..3 {
            let row = self.second[i].map(f64::from);
            p[i][i] = row[0] * f[0][0] + row[1] * f[1][1] + row[2] * f[2][2];
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let [symmetric, skew] = self.shear[i].map(f64::from);
            let (a, b) = (0.5 * (f[k][j] + f[j][k]), 0.5 * (f[k][j] - f[j][k]));
            p[k][j] = symmetric * a + skew * b;
            p[j][k] = symmetric * a - skew * b;
        }
        let column = |k: usize| DVec3::from_array(p[k]) * s[k];
        u * DMat3::from_cols(column(0), column(1), column(2)) * u.transpose()
    }
}

/// A symmetric matrix without its negative part.
fn positive(matrix: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let (values, axes) = symmetric_eigen(DMat3::from_cols_array_2d(&matrix));
    if values.min_element() >= 0.0 {
        return matrix;
    }
    let kept = DMat3::from_diagonal(values.max(DVec3::ZERO));
    (axes * kept * axes.transpose()).to_cols_array_2d()
}

#[cfg(test)]
#[path = "../../tests/svd/mod.rs"]
mod svd;

#[cfg(test)]
mod tests {
    use super::svd::svd;
    use super::*;
    use crate::mpm::{Elastic, Liquid, Sand};
    use lawine_core::geometry::Random;

    /// P = U diag(ψ′) Vᵀ of a deformation.
    fn stress(law: &impl Law, f: DMat3) -> DMat3 {
        let found = svd(f);
        let first = law.tangent(found.sigma.to_array(), 0.0).first;
        found.u * DMat3::from_diagonal(DVec3::from_array(first)) * found.v.transpose()
    }

    fn check(law: impl Law, wrapped: Laws, size: f64) {
        let mut random = Random::new(4);
        for _ in 0..50 {
            let u = DMat3::from_quat(random.orientation());
            let v = DMat3::from_quat(random.orientation());
            // Stretched, so that nothing has to be made positive; a liquid only is so at rest.
            let s = match wrapped {
                Laws::Liquid(_) => DVec3::ONE,
                _ => DVec3::new(1.02, 1.01, 1.0),
            };
            let f = u * DMat3::from_diagonal(s) * v.transpose();
            let e = f * f.transpose() - DMat3::IDENTITY;
            let six = [e.x_axis.x, e.y_axis.y, e.z_axis.z, e.y_axis.z, e.x_axis.z, e.x_axis.y];
            let point = Point { e: six.map(|x| x as f32), ..Point::default() };
            let tangent = PointTangent::new(&point, wrapped, 0.0);
            let l = DMat3::from_cols(random.direction(), random.direction(), random.direction());
            let d = 1e-5;
            let plus = stress(&law, (DMat3::IDENTITY + l * d) * f);
            let minus = stress(&law, (DMat3::IDENTITY - l * d) * f);
            let expected = (plus - minus) * f.transpose() * (0.5 / d);
            let found = tangent.apply(l);
            let worst =
                (found - expected).to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(worst < 1e-3 * size, "{found} {expected}");
        }
    }

    #[test]
    fn tangents_are_the_derivatives_of_the_stress() {
        let elastic = Elastic { young: 1.0, poisson: 0.3 };
        check(elastic, Laws::Elastic(elastic), 1.0);
        let sand = Sand { elastic, friction_angle: 0.5 };
        check(sand, Laws::Sand(sand), 1.0);
        let liquid = Liquid { bulk_modulus: 1.0 };
        check(liquid, Laws::Liquid(liquid), 1.0);
    }
}
