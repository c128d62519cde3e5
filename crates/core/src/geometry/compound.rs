//! Rigid bodies of several convex parts.

use glam::DVec3;

use super::{MassProperties, Polyhedron, Shape, ShapeError, TriangleMesh};

impl Shape {
    /// A concave body: a closed mesh, whose mass properties count to rounding, and the corners of the
    /// convex parts that stand for it where bodies meet. One part makes it a convex body.
    ///
    /// # Errors
    /// When the mesh is open, inverted or otherwise not the surface of a solid, or a part is flat.
    pub fn of_parts(mesh: &TriangleMesh, parts: &[Vec<DVec3>]) -> Result<Self, ShapeError> {
        let mesh = mesh.welded();
        mesh.check_closed()?;
        let corners: Vec<DVec3> = parts.iter().flatten().copied().collect();
        let mass = MassProperties::of_mesh(&mesh, 1.0);
        let mut shape = Self::with_mass(&Polyhedron::new(&corners)?, &mass)?;
        if parts.len() > 1 {
            let into = shape.rotation.inverse();
            let own = |part: &Vec<DVec3>| {
                let points: Vec<DVec3> = part.iter().map(|v| into * (*v - mass.center)).collect();
                Polyhedron::new(&points)
            };
            shape.parts = parts.iter().map(own).collect::<Result<_, _>>()?;
        }
        Ok(shape)
    }

    /// The convex parts; a convex body is its own only part.
    #[must_use]
    pub fn convex_parts(&self) -> &[Polyhedron] {
        if self.parts.is_empty() { std::slice::from_ref(&self.polyhedron) } else { &self.parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Aabb, block};
    use glam::DMat3;

    /// An L of three unit cubes: the mesh of its surface and its two boxes.
    fn corner_piece() -> (TriangleMesh, Vec<Vec<DVec3>>) {
        let outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)];
        let at = |k: usize, z: f64| {
            let (x, y) = outline[k % 6];
            DVec3::new(f64::from(x), f64::from(y), z)
        };
        let mut vertices: Vec<DVec3> = (0..6).map(|k| at(k, 0.0)).collect();
        vertices.extend((0..6).map(|k| at(k, 1.0)));
        let mut triangles = vec![[0, 3, 1], [1, 3, 2], [0, 5, 3], [3, 5, 4]];
        let top: Vec<[u32; 3]> = triangles.iter().map(|t| [t[0] + 6, t[2] + 6, t[1] + 6]).collect();
        triangles.extend(top);
        for k in 0..6_u32 {
            let n = (k + 1) % 6;
            triangles.extend([[k, n, n + 6], [k, n + 6, k + 6]]);
        }
        let boxes = [([0.0, 0.0], [2.0, 1.0]), ([0.0, 1.0], [1.0, 2.0])];
        let corners = |(a, b): ([f64; 2], [f64; 2])| {
            let (low, high) = (DVec3::new(a[0], a[1], 0.0), DVec3::new(b[0], b[1], 1.0));
            Aabb::new(low, high).corners().to_vec()
        };
        (TriangleMesh { vertices, triangles }, boxes.map(corners).to_vec())
    }

    #[test]
    fn a_body_of_parts_has_the_mass_of_its_mesh() {
        let (mesh, parts) = corner_piece();
        let shape = Shape::of_parts(&mesh, &parts).unwrap();
        assert_eq!((shape.parts.len(), shape.convex_parts().len()), (2, 2));
        assert!((shape.volume - 3.0).abs() < 1e-12);
        let expected = DVec3::new(5.0 / 6.0, 5.0 / 6.0, 0.5);
        assert!(shape.center.distance(expected) < 1e-12);
        // The sum over its parts is the same body.
        let part = |p: &Polyhedron| MassProperties::of_mesh(&p.mesh(), 1.0);
        let parts: Vec<_> = shape.parts.iter().map(part).collect();
        let sum = MassProperties::of_parts(&parts);
        assert!((sum.volume - 3.0).abs() < 1e-12 && sum.center.length() < 1e-12);
        assert!(sum.inertia.abs_diff_eq(DMat3::from_diagonal(shape.moments), 1e-12));
        // The hull holds all parts.
        let corners = shape.parts.iter().flat_map(|p| p.vertices());
        assert!(corners.into_iter().all(|v| shape.polyhedron.outermost_face(*v).0 < 1e-12));
    }

    #[test]
    fn one_part_is_a_convex_body_and_bad_meshes_are_refused() {
        let cube = block(DVec3::ONE).unwrap();
        let parts = [cube.vertices().to_vec()];
        let shape = Shape::of_parts(&cube.mesh(), &parts).unwrap();
        assert!(shape.parts.is_empty() && shape.convex_parts().len() == 1);
        assert!(Shape::of_parts(&cube.mesh().flipped(), &parts).is_err());
        let flat = vec![vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE.with_z(0.0)]];
        assert!(Shape::of_parts(&cube.mesh(), &flat).is_err());
    }
}
