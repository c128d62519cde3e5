//! Constructors of bodies.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};

use super::{Body, Capsule, ConvexPolyhedron, Frustum, Motion, Pose, Shape};
use crate::geometry::{HullError, MeshDistance, MeshError, TriangleMesh};

/// Why a body cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// A coordinate is infinite or not a number.
    #[error("{what} must be finite, got {value}")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// What was given.
        value: DVec3,
    },
    /// A direction without length.
    #[error("{what} must not be zero")]
    ZeroDirection {
        /// Which direction.
        what: &'static str,
    },
    /// A box without volume.
    #[error(
        "the box from {min} to {max} has no volume; min must be below max in x, y and z (z may be equal in the plane)"
    )]
    EmptyBox {
        /// Lowest corner [m].
        min: DVec3,
        /// Highest corner [m].
        max: DVec3,
    },
    /// A radius that is zero, negative or not finite.
    #[error("the radius must be positive and finite, got {radius} m")]
    Radius {
        /// What was given [m].
        radius: f64,
    },
    /// An axis without length.
    #[error("the axis from {start} to {end} has no length; its ends must differ")]
    NoAxis {
        /// Where it starts [m].
        start: DVec3,
        /// Where it ends [m].
        end: DVec3,
    },
    /// A container without walls.
    #[error("all sides of the container are open")]
    NoWalls,
    /// A density that is zero, negative or not finite.
    #[error("the density must be positive and finite, got {density} kg/m³")]
    Density {
        /// What was given [kg/m³].
        density: f64,
    },
    /// It is to be moved by forces, but has no finite volume.
    #[error(
        "a free body must have a finite volume: a box, a sphere, a cylinder, a cone, a capsule, a \
         polyhedron or a closed mesh that is not hollow"
    )]
    NoVolume,
    /// It is to be moved both by forces and by a script.
    #[error("a free body moves as forces tell it, and cannot have a scripted motion as well")]
    ScriptedAndFree,
    /// The corners have no convex hull.
    #[error(transparent)]
    Hull(#[from] HullError),
    /// The mesh does not bound a solid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl Body {
    /// A half space with its surface through `point`; `normal` points into the free space.
    ///
    /// # Errors
    /// When the point is not finite or the normal has no direction.
    pub fn plane(name: impl Into<String>, point: DVec3, normal: DVec3) -> Result<Self, BodyError> {
        check_finite("the point of a plane", point)?;
        check_finite("the normal of a plane", normal)?;
        let normal = normal
            .try_normalize()
            .ok_or(BodyError::ZeroDirection { what: "the normal of a plane" })?;
        let rotation = rotation_from_y(normal);
        Ok(Self::new(name, Shape::Plane, Pose { position: point, rotation }))
    }

    /// A solid box. Equal z of both corners makes a rectangle of the plane, without end in z.
    ///
    /// # Errors
    /// When the box has no volume (in the plane: no area) or is not finite.
    pub fn cuboid(name: impl Into<String>, min: DVec3, max: DVec3) -> Result<Self, BodyError> {
        let (center, half) = center_and_half(min, max)?;
        Ok(Self::new(name, Shape::Cuboid { half }, Pose::at(center)))
    }

    /// A hollow box with the inside from `min` to `max`; for each axis `open` is whether the
    /// low and the high side are left out. Equal z of both corners makes a container of the plane.
    ///
    /// # Errors
    /// When the box has no volume (in the plane: no area), is not finite or has no wall.
    pub fn container(
        name: impl Into<String>,
        min: DVec3,
        max: DVec3,
        open: [[bool; 2]; 3],
    ) -> Result<Self, BodyError> {
        let (center, half) = center_and_half(min, max)?;
        let axes = if half.z.is_finite() { 3 } else { 2 };
        if open[..axes].iter().flatten().all(|&side| side) {
            return Err(BodyError::NoWalls);
        }
        Ok(Self::new(name, Shape::Container { half, open }, Pose::at(center)))
    }

    /// A ball, or a circle in the plane.
    ///
    /// # Errors
    /// When the radius is not positive or something is not finite.
    pub fn sphere(name: impl Into<String>, center: DVec3, radius: f64) -> Result<Self, BodyError> {
        check_finite("the centre of a sphere", center)?;
        check_radius(radius)?;
        Ok(Self::new(name, Shape::Sphere { radius }, Pose::at(center)))
    }

    /// A truncated cone between two discs about the axis from `start` to `end`, with their radii: equal
    /// ones make a cylinder, and one of them may be zero, which makes a cone. In space only.
    ///
    /// # Errors
    /// When the axis has no length, a radius is negative, both are zero, or something is not finite.
    pub fn cone(
        name: impl Into<String>,
        start: DVec3,
        end: DVec3,
        radii: [f64; 2],
    ) -> Result<Self, BodyError> {
        let (height, rotation) = axis(start, end)?;
        check_radius(radii[0].max(radii[1]))?;
        if let Some(&radius) = radii.iter().find(|r| r.is_nan() || **r < 0.0) {
            return Err(BodyError::Radius { radius });
        }
        let frustum = Frustum::new(height, radii);
        let position = start + (end - start) * (-frustum.y[0] / height);
        Ok(Self::new(name, Shape::Frustum(frustum), Pose { position, rotation }))
    }

    /// All points within a radius of the line from `start` to `end`; a stadium in the plane.
    ///
    /// # Errors
    /// When the line has no length, the radius is not positive or something is not finite.
    pub fn capsule(
        name: impl Into<String>,
        start: DVec3,
        end: DVec3,
        radius: f64,
    ) -> Result<Self, BodyError> {
        let (length, rotation) = axis(start, end)?;
        check_radius(radius)?;
        let shape = Shape::Capsule(Capsule { half: 0.5 * length, radius });
        Ok(Self::new(name, shape, Pose { position: 0.5 * (start + end), rotation }))
    }

    /// The convex hull of points in space, centred at its centroid.
    ///
    /// # Errors
    /// When the points have no hull.
    pub fn polyhedron(name: impl Into<String>, points: &[DVec3]) -> Result<Self, BodyError> {
        Ok(Self::from_polyhedron(name, ConvexPolyhedron::new(points)?))
    }

    /// The convex hull of points in the plane, centred at its centroid, without end in z.
    ///
    /// # Errors
    /// When the points have no hull.
    pub fn polygon(name: impl Into<String>, points: &[DVec2]) -> Result<Self, BodyError> {
        Ok(Self::from_polyhedron(name, ConvexPolyhedron::new_planar(points)?))
    }

    fn from_polyhedron(name: impl Into<String>, polyhedron: ConvexPolyhedron) -> Self {
        let center = polyhedron.centroid();
        Self::new(name, Shape::Polyhedron(polyhedron.translated(-center)), Pose::at(center))
    }

    /// The solid inside a closed mesh, centred at its centroid.
    ///
    /// # Errors
    /// When the mesh does not bound a solid.
    pub fn mesh(name: impl Into<String>, mesh: TriangleMesh) -> Result<Self, BodyError> {
        mesh.check_closed()?;
        let center = mesh.centroid();
        let distance = MeshDistance::new(mesh.translated(-center))?;
        Ok(Self::new(name, Shape::Mesh(Arc::new(distance)), Pose::at(center)))
    }

    /// The same body with matter inside instead of outside.
    #[must_use]
    pub fn into_hollow(mut self) -> Self {
        self.hollow = true;
        self
    }

    /// The same body with one more scripted motion.
    #[must_use]
    pub fn with_motion(mut self, motion: Motion) -> Self {
        self.add_motion(motion);
        self
    }

    /// The same body, which vanishes at a time [s].
    #[must_use]
    pub fn with_end(mut self, until: f64) -> Self {
        self.until = until;
        self
    }

    /// The same body, turned about the origin of the world and then moved, now and at rest.
    #[must_use]
    pub fn placed(mut self, placement: Pose) -> Self {
        for pose in [&mut self.pose, &mut self.rest] {
            pose.position = placement.to_world(pose.position);
            pose.rotation = placement.rotation * pose.rotation;
        }
        self
    }

    /// The same body turned about its position by `rotation`, now and at rest.
    #[must_use]
    pub fn rotated(mut self, rotation: DQuat) -> Self {
        self.pose.rotation = rotation * self.pose.rotation;
        self.rest.rotation = rotation * self.rest.rotation;
        self
    }
}

fn check_finite(what: &'static str, value: DVec3) -> Result<(), BodyError> {
    if value.is_finite() { Ok(()) } else { Err(BodyError::NotFinite { what, value }) }
}

fn check_radius(radius: f64) -> Result<(), BodyError> {
    let fine = radius > 0.0 && radius.is_finite();
    if fine { Ok(()) } else { Err(BodyError::Radius { radius }) }
}

/// The length of an axis [m] and the rotation that turns +y along it.
fn axis(start: DVec3, end: DVec3) -> Result<(f64, DQuat), BodyError> {
    check_finite("the start of an axis", start)?;
    check_finite("the end of an axis", end)?;
    let along = end - start;
    let direction = along.try_normalize().ok_or(BodyError::NoAxis { start, end })?;
    Ok((along.length(), rotation_from_y(direction)))
}

fn center_and_half(min: DVec3, max: DVec3) -> Result<(DVec3, DVec3), BodyError> {
    check_finite("the corner of a box", min)?;
    check_finite("the corner of a box", max)?;
    let mut half = 0.5 * (max - min);
    if half.z == 0.0 {
        half.z = f64::INFINITY;
    }
    if half.cmple(DVec3::ZERO).any() {
        return Err(BodyError::EmptyBox { min, max });
    }
    Ok((0.5 * (min + max), half))
}

/// The rotation that turns +y into the unit vector; about z whenever that is possible.
fn rotation_from_y(normal: DVec3) -> DQuat {
    if normal.y >= 0.0 {
        // Half the way from y to n: (y × n, 1 + y · n).
        return DQuat::from_xyzw(normal.z, 0.0, -normal.x, 1.0 + normal.y).normalize();
    }
    // Near -y the axis of the arc is lost, so half a turn about z comes first.
    let half_turn = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    let arc = DQuat::from_xyzw(-normal.z, 0.0, normal.x, 1.0 - normal.y).normalize();
    arc * half_turn
}
