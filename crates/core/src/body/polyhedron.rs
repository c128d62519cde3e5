//! Convex polyhedra, and convex polygons that are infinite in z.

use glam::{DVec2, DVec3};

use crate::geometry::{
    Aabb, Distance, HalfSpace, HullError, TriangleMesh, closest_point_on_segment,
    closest_point_on_triangle, convex_hull, convex_polygon, polygon_area,
};

/// A convex polyhedron, or in the plane a convex polygon extruded without end along z.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPolyhedron {
    mesh: TriangleMesh,
    planes: Vec<HalfSpace>,
    plane_of: Vec<u32>,
    edges: Vec<[u32; 2]>,
    planar: bool,
}

impl ConvexPolyhedron {
    /// The convex hull of points in space.
    ///
    /// # Errors
    /// When there are fewer than four points, one is not finite, or all lie in a plane.
    pub fn new(points: &[DVec3]) -> Result<Self, HullError> {
        let hull = convex_hull(points)?;
        // An edge is a crease when the triangles at its sides lie in different planes.
        let mut sides = Vec::new();
        for (t, corners) in hull.mesh.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], hull.plane_of[t]));
            }
        }
        sides.sort_unstable();
        let pairs = sides.chunk_by(|a, b| a.0 == b.0);
        let creases = pairs.filter(|p| p.iter().any(|side| side.1 != p[0].1));
        let edges = creases.map(|p| p[0].0).collect();
        let (mesh, planes, plane_of) = (hull.mesh, hull.planes, hull.plane_of);
        Ok(Self { mesh, planes, plane_of, edges, planar: false })
    }

    /// The convex hull of points in the plane, without end in z.
    ///
    /// # Errors
    /// When there are fewer than three points, one is not finite, or all lie on a line.
    pub fn new_planar(points: &[DVec2]) -> Result<Self, HullError> {
        let polygon = convex_polygon(points)?;
        let n = polygon.len();
        let planes = (0..n)
            .map(|i| {
                let along = (polygon[(i + 1) % n] - polygon[i]).normalize();
                let normal = DVec3::new(along.y, -along.x, 0.0);
                HalfSpace { normal, offset: normal.dot(polygon[i].extend(0.0)) }
            })
            .collect();
        let vertices = polygon.iter().map(|p| p.extend(0.0)).collect();
        let triangles = (1..n as u32 - 1).map(|i| [0, i, i + 1]).collect();
        let edges = (0..n as u32).map(|i| [i, (i + 1) % n as u32]).collect();
        let mesh = TriangleMesh { vertices, triangles };
        Ok(Self { mesh, planes, plane_of: Vec::new(), edges, planar: true })
    }

    /// Whether it is a polygon without end in z.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        self.planar
    }

    /// The corners [m]; counter-clockwise in the plane.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.mesh.vertices
    }

    /// The faces as triangles facing outwards; in the plane a fan that fills the polygon.
    #[must_use]
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// The planes of the faces.
    #[must_use]
    pub fn planes(&self) -> &[HalfSpace] {
        &self.planes
    }

    /// The edges between different faces; in the plane the sides of the polygon.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The corners in the plane, without z.
    #[must_use]
    pub fn polygon(&self) -> Vec<DVec2> {
        self.mesh.vertices.iter().map(|v| v.truncate()).collect()
    }

    /// Volume [m³]; in the plane the area [m²].
    #[must_use]
    pub fn volume(&self) -> f64 {
        if self.planar { polygon_area(&self.polygon()) } else { self.mesh.volume() }
    }

    /// Centre of the volume [m].
    #[must_use]
    pub fn centroid(&self) -> DVec3 {
        if !self.planar {
            return self.mesh.centroid();
        }
        let (mut area, mut moment) = (0.0, DVec3::ZERO);
        for t in 0..self.mesh.triangles.len() {
            let [a, b, c] = self.mesh.corners(t);
            let twice = (b - a).cross(c - a).z;
            area += twice;
            moment += twice / 3.0 * (a + b + c);
        }
        moment / area
    }

    /// The polyhedron moved by `offset` [m].
    #[must_use]
    pub fn translated(mut self, offset: DVec3) -> Self {
        self.mesh = self.mesh.translated(offset);
        for plane in &mut self.planes {
            plane.offset += plane.normal.dot(offset);
        }
        self
    }

    /// The smallest box around it; infinite in z for a polygon.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let mut bounds = self.mesh.bounds();
        if self.planar {
            (bounds.min.z, bounds.max.z) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        bounds
    }

    /// Signed distance of `p`, negative inside; exact everywhere.
    #[must_use]
    pub fn signed_distance(&self, p: DVec3) -> Distance {
        self.settled_distance(p, 0.0)
    }

    /// See [`super::Body::settled_distance`].
    pub(super) fn settled_distance(&self, p: DVec3, tie: f64) -> Distance {
        let p = if self.planar { p.with_z(0.0) } else { p };
        let mut distance = f64::NEG_INFINITY;
        let mut normal = DVec3::Y;
        for plane in &self.planes {
            let d = plane.distance(p);
            if d > distance + tie {
                (distance, normal) = (d, plane.normal);
            }
        }
        // Inside a convex solid the closest point of the surface lies in the closest plane.
        if distance <= tie {
            return Distance { distance, normal };
        }
        let r = p - self.closest_from_outside(p);
        let length = r.length();
        if length <= 1e-13 * (1.0 + p.abs().max_element()) {
            return Distance { distance, normal };
        }
        Distance { distance: length, normal: r / length }
    }

    /// The closest point of the surface, which lies on a face that sees `p`.
    fn closest_from_outside(&self, p: DVec3) -> DVec3 {
        let mut best = (f64::INFINITY, p);
        let mut offer = |q: DVec3| {
            let d2 = q.distance_squared(p);
            if d2 < best.0 {
                best = (d2, q);
            }
        };
        let sees = |plane: usize| self.planes[plane].distance(p) >= 0.0;
        if self.planar {
            let corner = |v: u32| self.mesh.vertices[v as usize];
            for (_, &[a, b]) in self.edges.iter().enumerate().filter(|(i, _)| sees(*i)) {
                offer(closest_point_on_segment(p, corner(a), corner(b)));
            }
        } else {
            for (t, _) in self.plane_of.iter().enumerate().filter(|(_, f)| sees(**f as usize)) {
                offer(closest_point_on_triangle(p, self.mesh.corners(t)).0);
            }
        }
        best.1
    }
}
