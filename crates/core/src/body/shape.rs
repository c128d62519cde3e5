//! Shapes in body-local coordinates and their signed distance.

use std::sync::Arc;

use glam::DVec3;

use super::{Capsule, ConvexPolyhedron, Frustum};
use crate::geometry::{Aabb, Distance, MeshDistance};

/// The shape of a body in its own coordinates.
///
/// The plane is space with every z = 0. There a cuboid is a rectangle without end in z
/// (`half.z` infinite), a sphere stands for a circle, a capsule for a stadium, and a polyhedron is an
/// extruded polygon.
#[derive(Clone, Debug)]
pub enum Shape {
    /// The half space below the local plane y = 0; matter is at y > 0.
    Plane,
    /// A solid box around the local origin.
    Cuboid {
        /// Half the edge lengths [m]; infinite in z for a rectangle in the plane.
        half: DVec3,
    },
    /// A hollow box around the local origin: matter is inside, some sides may be open.
    ///
    /// Its walls are the half spaces behind the inner planes of the closed sides, so a wall goes
    /// on beyond the rim of an opening. A container is hollow by itself; [`super::Body::hollow`]
    /// has no effect on it.
    Container {
        /// Half the inner edge lengths [m]; infinite in z for a rectangle in the plane.
        half: DVec3,
        /// For each axis whether the low and the high side are open.
        open: [[bool; 2]; 3],
    },
    /// A ball around the local origin, a circle in the plane.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A cylinder, a cone or a truncated cone; in space only.
    Frustum(Frustum),
    /// A cylinder with round ends; a stadium in the plane.
    Capsule(Capsule),
    /// A convex polyhedron; a convex polygon in the plane.
    Polyhedron(ConvexPolyhedron),
    /// A solid bounded by a closed mesh.
    Mesh(Arc<MeshDistance>),
}

impl Shape {
    /// A word for messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Cuboid { .. } => "cuboid",
            Self::Container { .. } => "container",
            Self::Sphere { .. } => "sphere",
            Self::Frustum(_) => "cone or cylinder",
            Self::Capsule(_) => "capsule",
            Self::Polyhedron(_) => "polyhedron",
            Self::Mesh(_) => "mesh",
        }
    }

    /// Signed distance of a local point: negative inside the solid, for a container in its walls.
    ///
    /// Exact, but for a point behind two or three walls of a container, where the deepest counts.
    #[must_use]
    pub fn signed_distance(&self, p: DVec3) -> Distance {
        self.settled_distance(p, 0.0)
    }

    /// See [`super::Body::settled_distance`]. Ties of meshes are left to rounding.
    pub(super) fn settled_distance(&self, p: DVec3, tie: f64) -> Distance {
        match self {
            Self::Plane => Distance { distance: p.y, normal: DVec3::Y },
            Self::Cuboid { half } => cuboid_distance(p, *half, tie),
            Self::Container { half, open } => container_distance(p, *half, *open, tie),
            Self::Sphere { radius } => {
                let length = p.length();
                let normal = if length > 0.0 { p / length } else { DVec3::Y };
                Distance { distance: length - radius, normal }
            }
            Self::Frustum(frustum) => frustum.settled_distance(p, tie),
            Self::Capsule(capsule) => capsule.distance(p),
            Self::Polyhedron(polyhedron) => polyhedron.settled_distance(p, tie),
            Self::Mesh(mesh) => mesh.signed_distance(p),
        }
    }

    /// The smallest local box around the surface: for a hollow shape around its inside.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Plane => {
                let mut below = Aabb::EVERYTHING;
                below.max.y = 0.0;
                below
            }
            Self::Cuboid { half } | Self::Container { half, .. } => {
                Aabb { min: -*half, max: *half }
            }
            Self::Sphere { radius } => Aabb::EMPTY.with_point(DVec3::ZERO).grow(*radius),
            Self::Frustum(Frustum { y, radii }) => {
                let reach = radii[0].max(radii[1]);
                Aabb { min: DVec3::new(-reach, y[0], -reach), max: DVec3::new(reach, y[1], reach) }
            }
            Self::Capsule(Capsule { half, radius }) => {
                let end = DVec3::new(0.0, *half, 0.0);
                Aabb::new(-end, end).grow(*radius)
            }
            Self::Polyhedron(polyhedron) => polyhedron.bounds(),
            Self::Mesh(mesh) => mesh.bounds(),
        }
    }
}

/// Distance to a solid box.
fn cuboid_distance(p: DVec3, half: DVec3, tie: f64) -> Distance {
    let sign = DVec3::new(1.0_f64.copysign(p.x), 1.0_f64.copysign(p.y), 1.0_f64.copysign(p.z));
    let q = p.abs() - half;
    let outside = DVec3::select(q.cmpgt(DVec3::splat(tie)), q, DVec3::ZERO);
    let length = outside.length();
    if length > 0.0 {
        return Distance { distance: length, normal: sign * outside / length };
    }
    let deepest = q.max_element();
    let axis = (0..3).find(|&axis| q[axis] >= deepest - tie).unwrap_or(0);
    Distance { distance: deepest, normal: DVec3::AXES[axis] * sign[axis] }
}

/// Distance to the closest of the closed walls of a hollow box.
fn container_distance(p: DVec3, half: DVec3, open: [[bool; 2]; 3], tie: f64) -> Distance {
    let mut nearest = Distance { distance: f64::INFINITY, normal: DVec3::Y };
    for axis in 0..3 {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let distance = half[axis] + sign * p[axis];
            if !open[axis][side] && distance < nearest.distance - tie {
                nearest = Distance { distance, normal: DVec3::AXES[axis] * sign };
            }
        }
    }
    nearest
}
