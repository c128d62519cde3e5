//! Surfaces for pictures and files: triangles and feature edges.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};

use super::{Body, Shape, outline, revolved};
use crate::geometry::Aabb;

/// Where a mesh bends by more than this [rad], its edge is drawn.
const FEATURE_ANGLE: f64 = 0.5;

/// Parts of a sphere around its axis and along it: 960 triangles.
const SPHERE_PARTS: [u32; 2] = [32, 16];

/// Sides of a cylinder, a cone or a capsule, and parts of a capsule's round end.
const ROUND_PARTS: [u32; 2] = [64, 12];

/// A body's surface in local coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corner positions [m].
    pub vertices: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from the free space; in the plane they fill solid bodies.
    pub triangles: Vec<[u32; 3]>,
    /// Feature edges: creases in space, boundary lines in the plane.
    pub edges: Vec<[u32; 2]>,
}

impl Body {
    /// The surface in local coordinates.
    ///
    /// Of a plane the part in the region is shown (world coordinates); without a finite region, and if it
    /// does not pass through it, nothing is. Open sides of a container are left out, the others face
    /// inwards. In the plane, as for shapes without end in z, the boundary line is given, and the
    /// triangles that fill it if the body is solid; a mesh has no surface there.
    #[must_use]
    pub fn surface(&self, region: Option<&Aabb>, planar: bool) -> Surface {
        if planar || !self.shape_is_spatial() {
            return self.planar_surface(region);
        }
        let mut surface = match &self.shape {
            Shape::Plane => region.map_or_else(Surface::default, |r| self.plane_patch(r)),
            Shape::Cuboid { half } => box_surface(*half, [[false; 2]; 3], false),
            Shape::Container { half, open } => box_surface(*half, *open, true),
            Shape::Sphere { radius } => sphere_surface(*radius),
            Shape::Frustum(f) => {
                let corner = |k: usize| DVec2::new(f.radii[k], f.y[k]);
                let profile = [corner(0).with_x(0.0), corner(0), corner(1), corner(1).with_x(0.0)];
                let mut surface = revolve(&profile);
                surface.edges = rims(&profile, &surface.vertices);
                surface
            }
            Shape::Capsule(c) => revolve(&c.profile(ROUND_PARTS[1])),
            Shape::Polyhedron(p) => Surface {
                vertices: p.vertices().to_vec(),
                triangles: p.mesh().triangles.clone(),
                edges: p.edges().to_vec(),
            },
            Shape::Mesh(m) => Surface {
                vertices: m.mesh().vertices.clone(),
                triangles: m.mesh().triangles.clone(),
                edges: m.mesh().feature_edges(FEATURE_ANGLE),
            },
        };
        if self.is_hollow() {
            flip(&mut surface.triangles);
        }
        surface
    }

    /// Whether the shape has an end in z.
    fn shape_is_spatial(&self) -> bool {
        match &self.shape {
            Shape::Cuboid { half } | Shape::Container { half, .. } => half.z.is_finite(),
            Shape::Polyhedron(p) => !p.is_planar(),
            _ => true,
        }
    }

    /// The part of the local plane y = 0 in a region of the world.
    fn plane_patch(&self, region: &Aabb) -> Surface {
        let Some(vertices) = self.patch(region) else { return Surface::default() };
        let n = vertices.len() as u32;
        Surface {
            vertices,
            triangles: (2..n).map(|i| [0, i - 1, i]).collect(),
            edges: (0..n).map(|i| [i, (i + 1) % n]).collect(),
        }
    }

    /// The corners of the part of the local plane y = 0 in a region of the world, if there is one.
    pub(super) fn patch(&self, region: &Aabb) -> Option<Vec<DVec3>> {
        if !region.is_finite() || region.is_empty() {
            return None;
        }
        let local = Aabb::from_points(region.corners().map(|c| self.pose.to_local(c)));
        let (low, high) = (local.min, local.max);
        let corners = [(low.x, low.z), (low.x, high.z), (high.x, high.z), (high.x, low.z)];
        let mut corners = corners.map(|(x, z)| DVec3::new(x, 0.0, z)).to_vec();
        // A plane in a side of the region belongs to it, irrespective of rounding.
        let slack = 1e-9 * (1.0 + region.min.abs().max(region.max.abs()).max_element());
        for axis in 0..3 {
            for (sign, end) in [(1.0, region.max[axis]), (-1.0, region.min[axis])] {
                let beyond = |p: DVec3| sign * (self.pose.to_world(p)[axis] - end);
                corners = clipped(&corners, beyond, slack);
            }
        }
        (!corners.is_empty()).then_some(corners)
    }

    fn planar_surface(&self, region: Option<&Aabb>) -> Surface {
        let Some(boundary) = outline::Boundary::of(self, region) else {
            return Surface::default();
        };
        let n = boundary.corners.len() as u32;
        let sides = (0..n).filter(|&i| boundary.closed[i as usize]);
        let fill =
            if boundary.solid { (2..n).map(|i| [0, i - 1, i]).collect() } else { Vec::new() };
        Surface {
            vertices: boundary.corners.iter().map(|c| c.extend(0.0)).collect(),
            triangles: fill,
            edges: sides.map(|i| [i, (i + 1) % n]).collect(),
        }
    }
}

fn flip(triangles: &mut [[u32; 3]]) {
    for t in triangles {
        t.swap(1, 2);
    }
}

/// The closed sides of a box, facing outwards or inwards, and the edges of closed sides.
fn box_surface(half: DVec3, open: [[bool; 2]; 3], inwards: bool) -> Surface {
    let mut surface = Surface {
        vertices: Aabb { min: -half, max: half }.corners().to_vec(),
        ..Surface::default()
    };
    for (axis, sides) in open.iter().enumerate() {
        for (side, _) in sides.iter().enumerate().filter(|(_, open)| !**open) {
            // Corner indices have one bit for each axis; u × v points along the axis.
            let (u, v) = (1_u32 << ((axis + 1) % 3), 1_u32 << ((axis + 2) % 3));
            let base = (side as u32) << axis;
            let corners = [base, base | u, base | u | v, base | v];
            let [a, b, c, d] = corners;
            let mut faces = [[a, b, c], [a, c, d]];
            if (side == 0) != inwards {
                flip(&mut faces);
            }
            surface.triangles.extend(faces);
            for i in 0..4 {
                let (a, b) = (corners[i], corners[(i + 1) % 4]);
                surface.edges.push([a.min(b), a.max(b)]);
            }
        }
    }
    surface.edges.sort_unstable();
    surface.edges.dedup();
    surface
}

/// What is left of a convex polygon where `beyond` is not above `slack`.
fn clipped(corners: &[DVec3], beyond: impl Fn(DVec3) -> f64, slack: f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(corners.len() + 1);
    for (i, &p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % corners.len()];
        let (a, b) = (beyond(p), beyond(q));
        if a <= slack {
            kept.push(p);
        }
        if (a > slack) != (b > slack) {
            kept.push(p.lerp(q, (a / (a - b)).clamp(0.0, 1.0)));
        }
    }
    kept
}

/// The surface that a line makes when it turns about the y axis: radius and height of its corners, from
/// below. Its ends are on the axis.
fn revolve(profile: &[DVec2]) -> Surface {
    let around = ROUND_PARTS[0];
    let mut surface = Surface::default();
    // The first vertex of each ring, and whether it is one point on the axis.
    let mut below: Option<(u32, bool)> = None;
    for (i, corner) in profile.iter().enumerate() {
        // A cone begins or ends on the axis: its tip is no ring.
        if i > 0 && corner.distance(profile[i - 1]) <= 0.0 {
            continue;
        }
        let first = surface.vertices.len() as u32;
        let tip = corner.x <= 0.0;
        let sides = if tip { 1 } else { around };
        surface.vertices.extend(revolved::ring(corner.y, corner.x, sides));
        let at = |(first, tip): (u32, bool), i: u32| if tip { first } else { first + i % around };
        if let Some(below) = below {
            for i in 0..around {
                let (a, b) = (at(below, i), at(below, i + 1));
                let (c, d) = (at((first, tip), i), at((first, tip), i + 1));
                if a != b {
                    surface.triangles.push([a, b, d]);
                }
                if c != d {
                    surface.triangles.push([a, d, c]);
                }
            }
        }
        below = Some((first, tip));
    }
    surface
}

/// The circles around the ends of a revolved profile.
fn rims(profile: &[DVec2; 4], vertices: &[DVec3]) -> Vec<[u32; 2]> {
    let around = ROUND_PARTS[0];
    let ends = [profile[1], profile[2]].into_iter().filter(|end| end.x > 0.0);
    let circle = |end: DVec2| {
        let first =
            vertices.iter().position(|v| (v.y - end.y).abs() <= 0.0 && v.x > 0.0).unwrap_or(0)
                as u32;
        (0..around).map(move |i| [first + i, first + (i + 1) % around])
    };
    ends.flat_map(circle).collect()
}

fn sphere_surface(radius: f64) -> Surface {
    let [around, along] = SPHERE_PARTS;
    let mut surface = Surface::default();
    surface.vertices.push(DVec3::new(0.0, radius, 0.0));
    for j in 1..along {
        let (ring, y) = (PI * f64::from(j) / f64::from(along)).sin_cos();
        for i in 0..around {
            let (s, c) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
            surface.vertices.push(radius * DVec3::new(ring * c, y, -ring * s));
        }
    }
    surface.vertices.push(DVec3::new(0.0, -radius, 0.0));
    let last = surface.vertices.len() as u32 - 1;
    let vertex = |j: u32, i: u32| 1 + (j - 1) * around + i % around;
    for i in 0..around {
        surface.triangles.push([0, vertex(1, i), vertex(1, i + 1)]);
        for j in 1..along - 1 {
            let (a, b) = (vertex(j, i), vertex(j, i + 1));
            let (c, d) = (vertex(j + 1, i), vertex(j + 1, i + 1));
            surface.triangles.extend([[a, c, d], [a, d, b]]);
        }
        surface.triangles.push([vertex(along - 1, i), last, vertex(along - 1, i + 1)]);
    }
    surface
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::body::tests::l_mesh;
    use crate::geometry::TriangleMesh;

    fn assert_faces_free_space(body: &Body, region: Option<&Aabb>) -> Surface {
        let surface = body.surface(region, false);
        assert!(!surface.triangles.is_empty());
        for t in &surface.triangles {
            let [a, b, c] = t.map(|v| surface.vertices[v as usize]);
            let center = (a + b + c) / 3.0;
            let normal = (b - a).cross(c - a).normalize();
            let ahead = body.local_distance(center + 0.05 * normal).distance;
            assert!(ahead > 0.02, "{}: {center} {normal} {ahead}", body.name);
        }
        let n = surface.vertices.len() as u32;
        assert!(surface.edges.iter().flatten().all(|&v| v < n));
        surface
    }

    #[test]
    fn every_surface_faces_the_free_space() {
        let region = Aabb::new(-DVec3::ONE, DVec3::ONE);
        let points = l_mesh().vertices;
        for body in [
            Body::plane("plane", DVec3::ZERO, DVec3::new(1.0, -1.0, 0.3)).unwrap(),
            Body::cuboid("box", -DVec3::ONE, DVec3::ONE).unwrap(),
            Body::sphere("ball", DVec3::ZERO, 1.0).unwrap(),
            Body::cone("cylinder", -DVec3::Y, DVec3::Y, [1.0, 1.0]).unwrap(),
            Body::cone("cone", -DVec3::Y, DVec3::Y, [1.0, 0.0]).unwrap(),
            Body::cone("funnel", -DVec3::Y, DVec3::Y, [0.0, 1.0]).unwrap(),
            Body::capsule("capsule", -DVec3::Y, DVec3::Y, 0.7).unwrap(),
            Body::polyhedron("stone", &points).unwrap(),
            Body::mesh("mesh", l_mesh()).unwrap(),
        ] {
            let solid = assert_faces_free_space(&body, Some(&region));
            let hollow = assert_faces_free_space(&body.clone().into_hollow(), Some(&region));
            assert_eq!(solid.triangles.len(), hollow.triangles.len());
            if !matches!(body.shape, Shape::Plane) {
                let Surface { vertices, triangles, .. } = solid;
                TriangleMesh { vertices, triangles }.check_closed().unwrap();
            }
        }
    }

    #[test]
    fn container_leaves_its_openings_out() {
        let open = [[false, false], [false, true], [false, false]];
        let body = Body::container("tank", DVec3::ZERO, DVec3::ONE, open).unwrap();
        let surface = assert_faces_free_space(&body, None);
        assert_eq!((surface.triangles.len(), surface.edges.len()), (10, 12));
        let tunnel = [[true, true], [false, true], [true, true]];
        let body = Body::container("floor", DVec3::ZERO, DVec3::ONE, tunnel).unwrap();
        let surface = assert_faces_free_space(&body, None);
        assert_eq!((surface.triangles.len(), surface.edges.len()), (2, 4));
    }

    #[test]
    fn feature_edges_are_the_creases() {
        let half = DVec3::new(0.5, 0.6, 0.7);
        let points = Aabb::new(-half, half).corners();
        let stone = Body::polyhedron("stone", &points).unwrap();
        assert_eq!(stone.surface(None, false).edges.len(), 12);
        assert_eq!(Body::mesh("l", l_mesh()).unwrap().surface(None, false).edges.len(), 18);
    }

    #[test]
    fn planes_end_at_the_region() {
        let region = Aabb::new(-DVec3::ONE, DVec3::ONE);
        let slope = Body::plane("slope", DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0)).unwrap();
        let surface = slope.surface(Some(&region), false);
        assert_eq!((surface.vertices.len(), surface.triangles.len()), (4, 2));
        let around = region.grow(1e-9);
        assert!(surface.vertices.iter().all(|v| around.contains(slope.pose.to_world(*v))));
        let corner = Body::plane("corner", DVec3::ZERO, DVec3::ONE).unwrap();
        assert_eq!(corner.surface(Some(&region), false).vertices.len(), 6);
        let side = Body::plane("side", DVec3::X, -DVec3::X).unwrap();
        assert_eq!(side.surface(Some(&region), false).vertices.len(), 4);
        let far = Body::plane("far", 3.0 * DVec3::X, -DVec3::X).unwrap();
        assert_eq!(far.surface(Some(&region), false), Surface::default());
    }

    #[test]
    fn planar_bodies_have_lines_and_fill() {
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)].map(|(x, y)| DVec2::new(x, y));
        let body = Body::polygon("wedge", &corners).unwrap();
        let surface = body.surface(None, true);
        assert_eq!((surface.triangles.len(), surface.edges.len()), (1, 3));
        assert!(surface.vertices.iter().all(|v| v.z == 0.0));
        assert!(body.into_hollow().surface(None, true).triangles.is_empty());
        let floor = Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap();
        let region = Aabb::new(-DVec3::ONE, DVec3::new(2.0, 1.0, 0.0));
        assert_eq!(floor.surface(Some(&region), true).edges.len(), 1);
        assert_eq!(floor.surface(None, true), Surface::default());
    }
}
