//! Volume, centre and inertia of a solid.

use glam::{DMat3, DQuat, DVec3};

use super::TriangleMesh;
use crate::eigen::symmetric_eigen;

/// Mass, centre and inertia of a body of constant density (Schinner 3.2–3.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume [m³].
    pub volume: f64,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass [m].
    pub center: DVec3,
    /// Inertia tensor about the centre of mass, along the axes of the input [kg m²].
    pub inertia: DMat3,
}

/// The axes along which the inertia tensor is diagonal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalAxes {
    /// Moments of inertia I1 ≤ I2 ≤ I3 [kg m²].
    pub moments: DVec3,
    /// Turns the principal axes into those of the input.
    pub rotation: DQuat,
}

impl MassProperties {
    /// Those of the solid that a closed mesh bounds, with density `rho` [kg/m³].
    ///
    /// Instead of the thesis' three right-angled pyramids for a triangle we take the whole pyramid
    /// over it: with signed volumes the foot of the perpendicular may lie anywhere, so it need not
    /// be computed. The apex lies near the middle, where the fewest digits are lost.
    #[must_use]
    pub fn of_mesh(mesh: &TriangleMesh, rho: f64) -> Self {
        let o = mesh.bounds().center();
        let pyramids = || {
            mesh.triangles.iter().map(|t| {
                let [a, b, c] = t.map(|v| mesh.vertices[v as usize] - o);
                (a, b, c, a.cross(b).dot(c) / 6.0) // Schinner (3.8), signed
            })
        };
        let volume: f64 = pyramids().map(|p| p.3).sum(); // (3.7)
        let moment: DVec3 = pyramids().map(|(a, b, c, v)| v / 4.0 * (a + b + c)).sum();
        let center = moment / volume; // (3.9), (3.11)
        // Second moments ∫ x xᵀ about the centre of mass: of a pyramid with apex 0 it is
        // V/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ), s = a + b + c. The apex is moved to the centre, so that
        // (3.15) is already about it and no Steiner term is added.
        let mut second = DMat3::ZERO;
        for (a, b, c, _) in pyramids() {
            let (a, b, c) = (a - center, b - center, c - center);
            let v = a.cross(b).dot(c) / 6.0;
            let sum = outer(a + b + c) + outer(a) + outer(b) + outer(c);
            second += (v / 20.0) * sum;
        }
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        // (3.12): I = ∫ ρ (x² 1 − x xᵀ)
        let inertia = rho * (DMat3::from_diagonal(DVec3::splat(trace)) - second);
        Self { volume, mass: rho * volume, center: o + center, inertia }
    }

    /// Those of the body that the parts form together: masses add, and inertias do after they are
    /// moved to the common centre (Steiner).
    #[must_use]
    pub fn of_parts(parts: &[Self]) -> Self {
        let mass: f64 = parts.iter().map(|p| p.mass).sum();
        let volume = parts.iter().map(|p| p.volume).sum();
        let center = parts.iter().map(|p| p.mass * p.center).sum::<DVec3>() / mass;
        let inertia = parts.iter().fold(DMat3::ZERO, |sum, p| sum + p.inertia_about(center));
        Self { volume, mass, center, inertia }
    }

    /// Inertia tensor about another point [kg m²] (Steiner; (3.16) with a_σ a_τ).
    #[must_use]
    pub fn inertia_about(&self, point: DVec3) -> DMat3 {
        let a = self.center - point;
        let square = DMat3::from_diagonal(DVec3::splat(a.length_squared()));
        self.inertia + self.mass * (square - outer(a))
    }

    /// The principal axes, right-handed, smallest moment first.
    #[must_use]
    pub fn principal_axes(&self) -> PrincipalAxes {
        let (moments, axes) = symmetric_eigen(self.inertia);
        PrincipalAxes { moments, rotation: DQuat::from_mat3(&axes).normalize() }
    }
}

/// a aᵀ.
fn outer(a: DVec3) -> DMat3 {
    DMat3::from_cols(a * a.x, a * a.y, a * a.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Aabb, Polyhedron, Random};

    fn assert_close(a: &MassProperties, b: &MassProperties, tolerance: f64) {
        let size = (a.inertia.x_axis.x + a.inertia.y_axis.y + a.inertia.z_axis.z) / a.mass;
        assert!((a.mass / b.mass - 1.0).abs() < tolerance);
        assert!((a.volume / b.volume - 1.0).abs() < tolerance);
        assert!(a.center.distance(b.center) < tolerance * size.sqrt());
        let d = a.inertia - b.inertia;
        for column in [d.x_axis, d.y_axis, d.z_axis] {
            assert!(column.length() < tolerance * a.mass * size, "{a:?}\n{b:?}");
        }
    }

    fn diagonal(volume: f64, rho: f64, center: DVec3, moments: DVec3) -> MassProperties {
        let inertia = DMat3::from_diagonal(moments);
        MassProperties { volume, mass: rho * volume, center, inertia }
    }

    #[test]
    fn box_and_cube_as_in_the_textbook() {
        for size in [DVec3::ONE, DVec3::new(0.3, 2.0, 5.0), DVec3::splat(1e-3)] {
            let corner = DVec3::new(0.7, -0.2, 0.4) * size;
            let mesh = Polyhedron::new(&Aabb::new(corner, corner + size).corners()).unwrap().mesh();
            let volume = size.x * size.y * size.z;
            let s = size * size;
            let moments = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (2650.0 * volume / 12.0);
            let expected = diagonal(volume, 2650.0, corner + 0.5 * size, moments);
            assert_close(&MassProperties::of_mesh(&mesh, 2650.0), &expected, 1e-12);
        }
    }

    #[test]
    fn regular_tetrahedron_has_m_edge_squared_over_20() {
        let points = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]];
        let points = points.map(|p| DVec3::from_array(p.map(f64::from)));
        let mesh = Polyhedron::new(&points).unwrap().mesh();
        let volume = 8.0 / 3.0;
        let moment = volume * 8.0 / 20.0;
        let expected = diagonal(volume, 1.0, DVec3::ZERO, DVec3::splat(moment));
        assert_close(&MassProperties::of_mesh(&mesh, 1.0), &expected, 1e-12);
    }

    #[test]
    fn parts_of_cut_bodies_sum_to_the_whole() {
        let mut random = Random::new(11);
        let mut cuts = 0;
        for _ in 0..200 {
            let n = 4 + random.below(60);
            let stretch = DVec3::new(random.range(0.2, 3.0), random.range(0.2, 3.0), 1.0);
            let shift = random.direction();
            let points: Vec<DVec3> = (0..n).map(|_| stretch * random.direction() + shift).collect();
            let Ok(body) = Polyhedron::new(&points) else { continue };
            let whole = MassProperties::of_mesh(&body.mesh(), 3.0);
            // Cut through a point near the centre: each part is the hull of its corners and of the
            // points where edges cross the plane.
            let normal = random.direction();
            let at = whole.center + 0.2 * random.direction();
            let height = |x: DVec3| normal.dot(x - at);
            let crossings: Vec<DVec3> = (0..body.edge_count())
                .filter_map(|e| {
                    let [a, b] = [2 * e, 2 * e + 1].map(|h| body.half_edges()[h].tail);
                    let (ha, hb) = (height(a), height(b));
                    (ha * hb < 0.0).then(|| a + ha / (ha - hb) * (b - a))
                })
                .collect();
            let part = |sign: f64| {
                let mut corners: Vec<DVec3> =
                    body.vertices().iter().copied().filter(|v| sign * height(*v) > 0.0).collect();
                corners.extend(&crossings);
                Polyhedron::new(&corners).map(|p| MassProperties::of_mesh(&p.mesh(), 3.0))
            };
            let (Ok(above), Ok(below)) = (part(1.0), part(-1.0)) else { continue };
            assert_close(&MassProperties::of_parts(&[above, below]), &whole, 1e-12);
            cuts += 1;
        }
        assert!(cuts > 150, "only {cuts} bodies were cut");
    }

    #[test]
    fn principal_axes_diagonalise() {
        let mut random = Random::new(5);
        for _ in 0..100 {
            let turn = random.orientation();
            let points: Vec<DVec3> =
                (0..30).map(|_| turn * (DVec3::new(1.0, 0.6, 0.2) * random.direction())).collect();
            let mass = MassProperties::of_mesh(&Polyhedron::new(&points).unwrap().mesh(), 1.0);
            let axes = mass.principal_axes();
            let r = DMat3::from_quat(axes.rotation);
            let back = r * DMat3::from_diagonal(axes.moments) * r.transpose();
            assert!(axes.moments.x <= axes.moments.y && axes.moments.y <= axes.moments.z);
            assert!(axes.moments.x + axes.moments.y >= axes.moments.z * (1.0 - 1e-12));
            assert!((back - mass.inertia).determinant().abs() < 1e-12);
            assert!(back.abs_diff_eq(mass.inertia, 1e-13 * axes.moments.z));
        }
    }
}
