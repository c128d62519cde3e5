//! The shape of grains for motion and collision detection, shared between grains.

use glam::{DMat3, DQuat, DVec3};

use super::{HullError, MassProperties, Polyhedron, ShapeError, TriangleMesh};

/// A body in its own frame: the origin is the centre of mass, the axes are the principal axes.
/// Grains of the same shape share one behind an `Arc`. Most are convex; see [`Shape::of_parts`] for
/// the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The surface [m]; the convex hull of a body of several parts.
    pub polyhedron: Polyhedron,
    /// The convex parts of a concave body; empty for a convex one, which is its own only part.
    pub parts: Vec<Polyhedron>,
    /// Volume [m³].
    pub volume: f64,
    /// Principal moments of inertia for density one, I1 ≤ I2 ≤ I3 [m⁵].
    pub moments: DVec3,
    /// Distance of the farthest corner from the centre [m].
    pub radius: f64,
    /// Where the centre of mass lies in the frame of the input [m].
    pub center: DVec3,
    /// Turns the shape's axes into those of the input.
    pub rotation: DQuat,
    /// An ellipsoid around the body: its centre [m] and its half axes as columns [m].
    pub ellipsoid: (DVec3, DMat3),
}

impl Shape {
    /// The convex hull of points.
    ///
    /// # Errors
    /// When there are fewer than four points, one is not finite, or all lie in a plane.
    pub fn new(points: &[DVec3]) -> Result<Self, HullError> {
        Self::from_polyhedron(&Polyhedron::new(points)?)
    }

    /// The convex hull of a closed mesh, and the fraction of its volume that the mesh fills: less than
    /// one for a concave mesh.
    ///
    /// # Errors
    /// When the mesh is open, inverted or otherwise not the surface of a solid, or too flat.
    pub fn of_mesh(mesh: &TriangleMesh) -> Result<(Self, f64), ShapeError> {
        let mesh = mesh.welded();
        mesh.check_closed()?;
        let shape = Self::new(&mesh.vertices)?;
        let fraction = mesh.volume() / shape.volume;
        Ok((shape, fraction))
    }

    /// A polyhedron, moved to its centre of mass and turned to its principal axes. The ellipsoid
    /// around it has the axes of its inertia.
    ///
    /// # Errors
    /// When the polyhedron is so flat that it falls below rounding.
    pub fn from_polyhedron(polyhedron: &Polyhedron) -> Result<Self, HullError> {
        Self::with_mass(polyhedron, &MassProperties::of_mesh(&polyhedron.mesh(), 1.0))
    }

    /// A polyhedron in the frame of the given mass properties, which are those for density one.
    pub(super) fn with_mass(
        polyhedron: &Polyhedron,
        mass: &MassProperties,
    ) -> Result<Self, HullError> {
        let axes = mass.principal_axes();
        let into = axes.rotation.inverse();
        let points: Vec<DVec3> =
            polyhedron.vertices().iter().map(|v| into * (*v - mass.center)).collect();
        let turned = Polyhedron::new(&points)?;
        // Half axes of the solid ellipsoid with the same volume and inertia.
        let m = axes.moments / mass.volume;
        let square = DVec3::new(m.y + m.z - m.x, m.z + m.x - m.y, m.x + m.y - m.z) * 2.5;
        let radius = turned.radius();
        let axes_of_inertia = square.max(DVec3::splat(1e-12 * radius * radius)).map(f64::sqrt);
        let mut shape = Self {
            polyhedron: turned,
            parts: Vec::new(),
            volume: mass.volume,
            moments: axes.moments,
            radius,
            center: mass.center,
            rotation: axes.rotation,
            ellipsoid: (DVec3::ZERO, DMat3::IDENTITY),
        };
        shape.ellipsoid = shape.enclosing(DVec3::ZERO, DMat3::from_diagonal(axes_of_inertia));
        Ok(shape)
    }

    /// The same shape with the ellipsoid that its corners were put on: half axes along the axes of
    /// the input and around its origin [m], scaled so that it just holds all corners.
    #[must_use]
    pub fn with_ellipsoid(mut self, half_axes: DVec3) -> Self {
        let into = self.rotation.inverse();
        let axes = DMat3::from_quat(into) * DMat3::from_diagonal(half_axes);
        self.ellipsoid = self.enclosing(into * -self.center, axes);
        self
    }

    /// The same body in another frame: its origin [m] and what turns its axes into those of the input.
    ///
    /// # Errors
    /// As [`Self::from_polyhedron`].
    pub fn in_frame(&self, center: DVec3, rotation: DQuat) -> Result<Self, HullError> {
        let turn = rotation.inverse() * self.rotation;
        let shift = rotation.inverse() * (self.center - center);
        let moved = |part: &Polyhedron| {
            let points: Vec<DVec3> = part.vertices().iter().map(|v| turn * *v + shift).collect();
            Polyhedron::new(&points)
        };
        let polyhedron = moved(&self.polyhedron)?;
        Ok(Self {
            radius: polyhedron.radius(),
            polyhedron,
            parts: self.parts.iter().map(moved).collect::<Result<_, _>>()?,
            center,
            rotation,
            ellipsoid: (turn * self.ellipsoid.0 + shift, DMat3::from_quat(turn) * self.ellipsoid.1),
            ..self.clone()
        })
    }

    /// The ellipsoid, scaled so that it just holds all corners.
    fn enclosing(&self, center: DVec3, axes: DMat3) -> (DVec3, DMat3) {
        let inverse = axes.inverse();
        let corners = self.polyhedron.vertices().iter();
        let scale = corners.map(|v| (inverse * (*v - center)).length()).fold(0.0, f64::max);
        (center, axes * (scale * (1.0 + 1e-12)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{EllipsoidGrain, MeshError, Random, Spread, block};

    #[test]
    fn own_frame_has_no_centre_and_no_deviation_moments() {
        let mut random = Random::new(8);
        for n in [4, 7, 20, 100] {
            let grain = EllipsoidGrain {
                spread: Spread::Random,
                ..EllipsoidGrain::new(DVec3::new(3.0, 2.0, 1.0), n)
            };
            let (polyhedron, axes) = grain.make(&mut random).unwrap();
            let shape = Shape::from_polyhedron(&polyhedron).unwrap().with_ellipsoid(axes);
            let mass = MassProperties::of_mesh(&shape.polyhedron.mesh(), 1.0);
            assert!(mass.center.length() < 1e-13);
            let expected = DMat3::from_diagonal(shape.moments);
            assert!(mass.inertia.abs_diff_eq(expected, 1e-12 * shape.moments.z));
            let (center, matrix) = shape.ellipsoid;
            for v in shape.polyhedron.vertices() {
                assert!((matrix.inverse() * (*v - center)).length() <= 1.0);
            }
            // Corners on the ellipsoid: it need not grow.
            assert!((matrix.determinant().abs() / 6.0 - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn meshes_are_checked_and_concave_ones_are_told() {
        let cube = block(DVec3::ONE).unwrap().mesh();
        let (shape, fraction) = Shape::of_mesh(&cube).unwrap();
        assert!((shape.volume - 1.0).abs() < 1e-12 && (fraction - 1.0).abs() < 1e-12);
        let mut open = cube.clone();
        open.triangles.pop();
        let error = Shape::of_mesh(&open).unwrap_err();
        assert_eq!(error, ShapeError::Mesh(MeshError::OpenEdges { count: 3 }));
        let error = Shape::of_mesh(&cube.clone().flipped()).unwrap_err().to_string();
        assert!(error.contains("face inwards"), "{error}");
        // A notch: the middle of a face is pushed in.
        let mut notched = cube;
        let [a, b, c] = notched.triangles[0];
        let middle = notched.corners(0).iter().sum::<DVec3>() / 3.0;
        let apex = notched.vertices.len() as u32;
        notched.vertices.push(0.2 * middle);
        notched.triangles.splice(0..1, [[a, b, apex], [b, c, apex], [c, a, apex]]);
        let (_, fraction) = Shape::of_mesh(&notched).unwrap();
        assert!(fraction < 0.95);
    }
}
