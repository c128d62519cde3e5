//! Winding number of a triangle mesh that may have holes.

use glam::DVec3;

use super::TriangleMesh;
use super::shell::{Node, build_tree};

/// A group of triangles counts as one dipole from this many of its radii on. The error of the
/// winding number is then below 1e−2, far from the ½ that separates inside from outside.
const FAR: f64 = 4.0;

/// A mesh, closed or not, that knows what is inside: the generalised winding number (Jacobson et
/// al. 2013) is 1 inside a closed mesh and 0 outside, and changes smoothly across holes. Far groups
/// of triangles are taken together (Barill et al. 2018), so that a query costs O(log n).
#[derive(Clone, Debug)]
pub struct Winding {
    nodes: Vec<Node>,
    dipoles: Vec<Dipole>,
    /// Corners of the triangles in the order of the leaves.
    corners: Vec<[DVec3; 3]>,
}

/// What a group of triangles looks like from afar.
#[derive(Clone, Copy, Debug, Default)]
struct Dipole {
    /// Middle of the triangles, weighted by area [m].
    center: DVec3,
    /// Sum of the area vectors [m²].
    area: DVec3,
    /// Distance of the farthest corner from the middle [m].
    radius: f64,
}

impl Winding {
    /// Builds the tree of a mesh whose indices and vertices are sound; see
    /// [`TriangleMesh::check_triangles`].
    #[must_use]
    pub fn new(mesh: &TriangleMesh) -> Self {
        let (nodes, order) = build_tree(mesh);
        let corners: Vec<[DVec3; 3]> = order.iter().map(|&t| mesh.corners(t as usize)).collect();
        let mut dipoles = vec![Dipole::default(); nodes.len()];
        if !nodes.is_empty() {
            gather(&nodes, &corners, 0, &mut dipoles);
        }
        Self { nodes, dipoles, corners }
    }

    /// The winding number of `p`: more than ½ is inside.
    #[must_use]
    pub fn number(&self, p: DVec3) -> f64 {
        let mut sum = 0.0;
        // The tree is balanced, so its depth is below 32 for 32-bit indices.
        let mut stack = [0_u32; 64];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let index = stack[top];
            let (node, dipole) = (&self.nodes[index as usize], &self.dipoles[index as usize]);
            let r = dipole.center - p;
            let distance = r.length();
            if distance > FAR * dipole.radius {
                sum += dipole.area.dot(r) / distance.powi(3);
            } else if let Some(leaf) = node.leaf() {
                sum += self.corners[leaf].iter().map(|&c| solid_angle(p, c)).sum::<f64>();
            } else {
                stack[top] = index + 1;
                stack[top + 1] = node.second();
                top += 2;
            }
        }
        sum / (4.0 * std::f64::consts::PI)
    }
}

/// Fills in the dipole of node `index` and of all below; returns the triangles below.
fn gather(
    nodes: &[Node],
    corners: &[[DVec3; 3]],
    index: usize,
    dipoles: &mut [Dipole],
) -> std::ops::Range<usize> {
    let triangles = nodes[index].leaf().unwrap_or_else(|| {
        let low = gather(nodes, corners, index + 1, dipoles);
        let high = gather(nodes, corners, nodes[index].second() as usize, dipoles);
        low.start..high.end
    });
    let (mut area, mut moment, mut weight) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for &[a, b, c] in &corners[triangles.clone()] {
        let vector = 0.5 * (b - a).cross(c - a);
        area += vector;
        moment += vector.length() * (a + b + c) / 3.0;
        weight += vector.length();
    }
    let center = if weight > 0.0 { moment / weight } else { nodes[index].bounds.center() };
    let farthest = corners[triangles.clone()].iter().flatten().map(|v| v.distance_squared(center));
    let radius = farthest.fold(0.0, f64::max).sqrt();
    dipoles[index] = Dipole { center, area, radius };
    triangles
}

/// Solid angle of a triangle seen from `p`, positive from inside (Van Oosterom & Strackee 1983).
fn solid_angle(p: DVec3, corners: [DVec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|v| v - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let above = a.dot(b.cross(c));
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * above.atan2(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Aabb, convex_hull};

    /// A ball of many triangles, from points on a spiral.
    fn ball() -> TriangleMesh {
        let points: Vec<DVec3> = (0..400)
            .map(|i| {
                let y = 1.0 - (2.0 * f64::from(i) + 1.0) / 400.0;
                let (sin, cos) = (f64::from(i) * 2.399_963_229_728_653).sin_cos();
                let r = (1.0 - y * y).sqrt();
                DVec3::new(r * cos, y, r * sin)
            })
            .collect();
        convex_hull(&points).unwrap().mesh
    }

    #[test]
    fn closed_meshes_have_one_inside_and_zero_outside() {
        let cube = convex_hull(&Aabb::new(DVec3::ZERO, DVec3::ONE).corners()).unwrap().mesh;
        let winding = Winding::new(&cube);
        assert!((winding.number(DVec3::new(0.3, 0.6, 0.9)) - 1.0).abs() < 1e-12);
        assert!(winding.number(DVec3::new(1.3, 0.6, 0.9)).abs() < 1e-12);
        let winding = Winding::new(&ball());
        for i in 0..200 {
            let x = 0.01 * f64::from(i);
            let number = winding.number(DVec3::new(0.3 * x, x, -0.2 * x));
            let radius = x * 1.13_f64.sqrt();
            if !(0.98..1.02).contains(&radius) {
                let expected = if radius < 1.0 { 1.0 } else { 0.0 };
                assert!((number - expected).abs() < 1e-2, "{radius}: {number}");
            }
        }
    }

    #[test]
    fn a_hole_is_harmless() {
        let mut mesh = ball();
        mesh.triangles.truncate(mesh.triangles.len() - 12);
        assert!(mesh.check_closed().is_err());
        let winding = Winding::new(&mesh);
        assert!(winding.number(DVec3::ZERO) > 0.9);
        assert!(winding.number(DVec3::new(0.0, 1.5, 0.0)) < 0.1);
        assert!(winding.number(DVec3::new(0.0, 0.8, 0.0)) > 0.5);
        assert!(Winding::new(&TriangleMesh::default()).number(DVec3::ZERO).abs() <= 0.0);
    }
}
