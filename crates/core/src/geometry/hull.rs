//! Convex hull in 3D.

use glam::DVec3;

use super::{Aabb, TriangleMesh};

/// The points below a plane: `normal · x <= offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Unit normal, out of the half space.
    pub normal: DVec3,
    /// Distance of the plane from the origin along the normal [m].
    pub offset: f64,
}

impl HalfSpace {
    /// Signed distance of the point to the plane [m], negative inside the half space.
    #[must_use]
    pub fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// A convex hull in space.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// The closed surface, facing outwards; only corners of the hull are vertices.
    pub mesh: TriangleMesh,
    /// The planes of the faces; triangles in one plane share it.
    pub planes: Vec<HalfSpace>,
    /// For each triangle the index of its plane.
    pub plane_of: Vec<u32>,
}

/// Why there is no convex hull.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HullError {
    /// Not enough points.
    #[error("a convex hull needs at least {needed} points, got {count}")]
    TooFewPoints {
        /// How many there are.
        count: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("point {index} of the hull is not finite")]
    NotFinite {
        /// The first such point.
        index: usize,
    },
    /// All points lie in a plane (on a line in the plane).
    #[error("the points of the hull are flat: they do not span {dimensions} dimensions")]
    Flat {
        /// How many dimensions they should span.
        dimensions: usize,
    },
    /// Rounding errors spoiled the hull.
    #[error("the points of the hull are too close to each other to be told apart")]
    IllConditioned,
}

/// Convex hull of a set of points by adding one point after the other.
///
/// Points within 10⁻¹⁰ of the set's size of the hull do not count, so coplanar points (a cube's
/// corners, points on its faces) are no trouble.
///
/// # Errors
/// When there are fewer than four points, one is not finite, or all lie in a plane.
pub fn convex_hull(points: &[DVec3]) -> Result<Hull, HullError> {
    if points.len() < 4 {
        return Err(HullError::TooFewPoints { count: points.len(), needed: 4 });
    }
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(HullError::NotFinite { index });
    }
    let tolerance = 1e-10 * Aabb::from_points(points.iter().copied()).size().length();
    let mut builder = Builder::tetrahedron(points, tolerance)?;
    // Far points first: corners come before points on faces, which then are inside.
    let center = points.iter().sum::<DVec3>() / points.len() as f64;
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let d = |i: usize| points[i].distance_squared(center);
        d(b).total_cmp(&d(a)).then(a.cmp(&b))
    });
    for i in order {
        builder.add(i)?;
    }
    builder.finish()
}

#[derive(Clone, Copy)]
struct Face {
    corners: [usize; 3],
    plane: HalfSpace,
}

struct Builder<'a> {
    points: &'a [DVec3],
    tolerance: f64,
    faces: Vec<Face>,
}

impl<'a> Builder<'a> {
    /// The first four corners: two far points, the farthest from their line, the farthest from
    /// the plane.
    fn tetrahedron(points: &'a [DVec3], tolerance: f64) -> Result<Self, HullError> {
        let flat = HullError::Flat { dimensions: 3 };
        let farthest = |measure: &dyn Fn(DVec3) -> f64| {
            let best = (0..points.len())
                .max_by(|&a, &b| measure(points[a]).total_cmp(&measure(points[b])))
                .unwrap_or(0);
            (best, measure(points[best]))
        };
        let (a, _) = farthest(&|p| p.distance_squared(points[0]));
        let (b, length_squared) = farthest(&|p| p.distance_squared(points[a]));
        if length_squared.sqrt() <= tolerance {
            return Err(flat);
        }
        let along = (points[b] - points[a]).normalize();
        let (c, height) = farthest(&|p| (p - points[a]).reject_from_normalized(along).length());
        if height <= tolerance {
            return Err(flat);
        }
        let normal = along.cross(points[c] - points[a]).normalize();
        let (d, depth) = farthest(&|p| normal.dot(p - points[a]).abs());
        if depth <= tolerance {
            return Err(flat);
        }
        let below = normal.dot(points[d] - points[a]) < 0.0;
        let [a, b, c] = if below { [a, b, c] } else { [a, c, b] };
        let mut builder = Self { points, tolerance, faces: Vec::new() };
        for corners in [[a, b, c], [b, a, d], [c, b, d], [a, c, d]] {
            builder.push(corners)?;
        }
        Ok(builder)
    }

    fn push(&mut self, corners: [usize; 3]) -> Result<(), HullError> {
        let [a, b, c] = corners.map(|i| self.points[i]);
        let normal = (b - a).cross(c - a).try_normalize().ok_or(HullError::IllConditioned)?;
        let offset = normal.dot(a + b + c) / 3.0;
        self.faces.push(Face { corners, plane: HalfSpace { normal, offset } });
        Ok(())
    }

    /// Replaces the faces that see the point by a fan from the point to their rim.
    fn add(&mut self, point: usize) -> Result<(), HullError> {
        let p = self.points[point];
        let sees: Vec<bool> =
            self.faces.iter().map(|f| f.plane.distance(p) > self.tolerance).collect();
        if !sees.contains(&true) {
            return Ok(());
        }
        let mut edges = Vec::new();
        for (face, _) in self.faces.iter().zip(&sees).filter(|(_, sees)| **sees) {
            let [a, b, c] = face.corners;
            edges.extend([[a, b], [b, c], [c, a]]);
        }
        edges.sort_unstable();
        let rim: Vec<[usize; 2]> =
            edges.iter().copied().filter(|&[a, b]| edges.binary_search(&[b, a]).is_err()).collect();
        let mut seen = sees.iter();
        self.faces.retain(|_| !seen.next().copied().unwrap_or(false));
        for [a, b] in rim {
            self.push([a, b, point])?;
        }
        Ok(())
    }

    /// Checks the hull, merges coplanar faces and drops unused points.
    fn finish(self) -> Result<Hull, HullError> {
        let slack = 100.0 * self.tolerance;
        let mut planes: Vec<HalfSpace> = Vec::new();
        let mut plane_of = Vec::with_capacity(self.faces.len());
        for face in &self.faces {
            let corners = face.corners.map(|i| self.points[i]);
            let same = |plane: &HalfSpace| {
                plane.normal.dot(face.plane.normal) > 0.9
                    && corners.iter().all(|&c| plane.distance(c).abs() <= slack)
            };
            let index = planes.iter().position(same).unwrap_or_else(|| {
                planes.push(face.plane);
                planes.len() - 1
            });
            plane_of.push(index as u32);
        }
        for plane in &planes {
            if self.points.iter().any(|&p| plane.distance(p) > slack) {
                return Err(HullError::IllConditioned);
            }
        }
        let mut new_index = vec![u32::MAX; self.points.len()];
        let mut mesh = TriangleMesh::default();
        for face in &self.faces {
            let named = face.corners.map(|i| {
                if new_index[i] == u32::MAX {
                    new_index[i] = mesh.vertices.len() as u32;
                    mesh.vertices.push(self.points[i]);
                }
                new_index[i]
            });
            mesh.triangles.push(named);
        }
        mesh.check_closed().map_err(|_| HullError::IllConditioned)?;
        Ok(Hull { mesh, planes, plane_of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points without a pattern, each coordinate in [-1, 1].
    fn scatter(n: usize) -> Vec<DVec3> {
        (0..n)
            .map(|i| {
                let f = i as f64 + 0.5;
                DVec3::new((f * 12.9898).sin(), (f * 78.233).sin(), (f * 37.719).sin())
            })
            .collect()
    }

    fn assert_is_hull(hull: &Hull, points: &[DVec3]) {
        for plane in &hull.planes {
            assert!(points.iter().all(|&p| plane.distance(p) < 1e-8));
        }
        let (v, f) = (hull.mesh.vertices.len(), hull.mesh.triangles.len());
        hull.mesh.check_closed().unwrap();
        // Euler: V - E + F = 2 with E = 3 F / 2.
        assert_eq!(2 * v, f + 4);
    }

    #[test]
    fn cube_has_six_planes() {
        let points = Aabb::new(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)).corners();
        let hull = convex_hull(&points).unwrap();
        assert_is_hull(&hull, &points);
        assert_eq!((hull.planes.len(), hull.mesh.vertices.len()), (6, 8));
        assert!((hull.mesh.volume() - 6.0).abs() < 1e-13);
    }

    #[test]
    fn rotated_lattice_has_six_planes_too() {
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -0.7);
        let mut points = Vec::new();
        for i in 0..216 {
            let p = DVec3::new(f64::from(i % 6), f64::from(i / 6 % 6), f64::from(i / 36));
            points.push(turn * (0.2 * p));
        }
        let hull = convex_hull(&points).unwrap();
        assert_is_hull(&hull, &points);
        assert_eq!(hull.planes.len(), 6);
        assert!((hull.mesh.volume() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn hull_of_random_points_is_closed_and_contains_them() {
        for n in [4, 5, 10, 100, 700] {
            let points = scatter(n);
            assert_is_hull(&convex_hull(&points).unwrap(), &points);
            let on_sphere: Vec<DVec3> = points.iter().map(|p| p.normalize()).collect();
            let hull = convex_hull(&on_sphere).unwrap();
            assert_is_hull(&hull, &on_sphere);
            assert_eq!(hull.mesh.vertices.len(), n);
        }
    }

    #[test]
    fn flat_and_small_sets_are_refused() {
        let points = scatter(30);
        assert!(matches!(convex_hull(&points[..3]), Err(HullError::TooFewPoints { .. })));
        let flat: Vec<DVec3> = points.iter().map(|p| DVec3::new(p.x, p.y, p.x + p.y)).collect();
        assert_eq!(convex_hull(&flat), Err(HullError::Flat { dimensions: 3 }));
        let line: Vec<DVec3> = points.iter().map(|p| DVec3::splat(p.x)).collect();
        assert_eq!(convex_hull(&line), Err(HullError::Flat { dimensions: 3 }));
        let mut broken = points;
        broken[7].x = f64::INFINITY;
        assert_eq!(convex_hull(&broken), Err(HullError::NotFinite { index: 7 }));
    }
}
