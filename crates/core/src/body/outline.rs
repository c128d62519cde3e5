//! Outlines of bodies in the plane, for drawing.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::{Body, Capsule, Shape};
use crate::geometry::Aabb;

/// Corners of the polygon that stands for a circle.
const CIRCLE_PARTS: usize = 96;

/// The boundary line of a body in the plane, counter-clockwise about the shape.
pub(super) struct Boundary {
    pub(super) corners: Vec<DVec2>,
    /// For each corner whether there is a wall from it to the next one.
    pub(super) closed: Vec<bool>,
    /// Whether the solid is inside of the line.
    pub(super) solid: bool,
}

impl Boundary {
    /// `None` for a mesh, and for a plane without a finite region.
    pub(super) fn of(body: &Body, region: Option<&Aabb>) -> Option<Self> {
        let closed = |corners: Vec<DVec2>| Self {
            closed: vec![true; corners.len()],
            corners,
            solid: !body.is_hollow(),
        };
        match &body.shape {
            Shape::Plane => {
                let [low, high] = body.line_ends(region?)?;
                let corners = vec![DVec2::new(low, 0.0), DVec2::new(high, 0.0)];
                Some(Self { corners, closed: vec![true, false], solid: false })
            }
            Shape::Cuboid { half } => Some(closed(rectangle(*half))),
            Shape::Container { half, open } => Some(Self {
                corners: rectangle(*half),
                closed: vec![!open[1][0], !open[0][1], !open[1][1], !open[0][0]],
                solid: false,
            }),
            Shape::Sphere { radius } => {
                let corner =
                    |i: usize| *radius * DVec2::from_angle(TAU * i as f64 / CIRCLE_PARTS as f64);
                Some(closed((0..CIRCLE_PARTS).map(corner).collect()))
            }
            Shape::Capsule(Capsule { half, radius }) => {
                let corner = |i: usize| {
                    // Half of the corners are on either end.
                    let last = CIRCLE_PARTS / 2;
                    let side = if i <= last { *half } else { -*half };
                    let step = if i <= last { i } else { i - 1 };
                    let angle = 0.5 * TAU * step as f64 / last as f64;
                    DVec2::new(0.0, side) + *radius * DVec2::from_angle(angle)
                };
                Some(closed((0..CIRCLE_PARTS + 2).map(corner).collect()))
            }
            Shape::Polyhedron(p) if p.is_planar() => Some(closed(p.polygon())),
            Shape::Frustum(_) | Shape::Polyhedron(_) | Shape::Mesh(_) => None,
        }
    }
}

impl Body {
    /// The solid in the plane as convex polygons, counter-clockwise, in local coordinates.
    ///
    /// A solid body is one polygon. A container or another hollow body is a frame of walls of the
    /// given thickness [m], one polygon for each side, mitred where walls meet. A plane is a strip
    /// of this thickness along the region (world coordinates), nothing without one. Shapes of
    /// space, polyhedra and meshes, have no outline.
    #[must_use]
    pub fn outline(&self, thickness: f64, region: Option<&Aabb>) -> Vec<Vec<DVec2>> {
        let Some(boundary) = Boundary::of(self, region) else { return Vec::new() };
        if matches!(self.shape, Shape::Plane) {
            let (a, b) = (boundary.corners[0], boundary.corners[1]);
            let other = DVec2::new(0.0, if self.hollow { thickness } else { -thickness });
            let (low, high) = if self.hollow { (DVec2::ZERO, other) } else { (other, DVec2::ZERO) };
            return vec![vec![a + low, b + low, b + high, a + high]];
        }
        if boundary.solid { vec![boundary.corners] } else { frame(&boundary, thickness) }
    }

    /// From where to where the line y = 0 of a plane goes through the region, in local x [m].
    fn line_ends(&self, region: &Aabb) -> Option<[f64; 2]> {
        let z = self.pose.position.z;
        let flat = Aabb { min: region.min.with_z(z), max: region.max.with_z(z) };
        let patch = self.patch(&flat)?;
        let x = || patch.iter().map(|p| p.x);
        Some([x().reduce(f64::min)?, x().reduce(f64::max)?])
    }
}

/// Corners of a rectangle, beginning with the bottom side.
fn rectangle(half: DVec3) -> Vec<DVec2> {
    let corner = |x: f64, y: f64| DVec2::new(x * half.x, y * half.y);
    vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
}

/// Walls outside of the line, one for each closed side.
fn frame(boundary: &Boundary, thickness: f64) -> Vec<Vec<DVec2>> {
    let corners = &boundary.corners;
    let n = corners.len();
    let outward = |i: usize| -(corners[(i + 1) % n] - corners[i % n]).normalize_or_zero().perp();
    // Where the wall of side `i` meets that of side `j`, or ends straight.
    let offset = |i: usize, j: usize| {
        let (a, b) = (outward(i), outward(j));
        let mitre = (a + b) / (1.0 + a.dot(b)).max(0.1);
        thickness * if boundary.closed[j] { mitre } else { a }
    };
    let wall = |i: usize| {
        let (a, b) = (corners[i], corners[(i + 1) % n]);
        vec![a + offset(i, (i + n - 1) % n), b + offset(i, (i + 1) % n), b, a]
    };
    (0..n).filter(|&i| boundary.closed[i]).map(wall).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::polygon_area;

    fn area(polygons: &[Vec<DVec2>]) -> f64 {
        polygons.iter().map(|p| polygon_area(p)).sum()
    }

    #[test]
    fn frames_have_the_area_of_their_walls() {
        let top = DVec3::new(2.0, 1.0, 0.0);
        let closed = Body::container("tank", DVec3::ZERO, top, [[false; 2]; 3]).unwrap();
        assert!((area(&closed.outline(0.1, None)) - (2.2 * 1.2 - 2.0)).abs() < 1e-12);
        let open = [[false, false], [false, true], [false, false]];
        let open = Body::container("tank", DVec3::ZERO, top, open).unwrap();
        let walls = open.outline(0.1, None);
        assert_eq!(walls.len(), 3);
        assert!((area(&walls) - (2.2 * 1.1 - 2.0)).abs() < 1e-12);
        let highest = walls.iter().flatten().map(|p| p.y).fold(f64::MIN, f64::max);
        assert!((highest - 0.5).abs() < 1e-12);
    }

    #[test]
    fn solids_are_one_polygon_and_planes_a_strip() {
        let ball = Body::sphere("ball", DVec3::ZERO, 1.0).unwrap();
        assert!((area(&ball.outline(0.1, None)) - 0.5 * TAU).abs() < 0.01);
        let drum = ball.into_hollow().outline(0.1, None);
        assert!((area(&drum) - 0.5 * TAU * 0.21).abs() < 0.01);
        let floor = Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap();
        let region = Aabb::new(DVec3::ZERO, DVec3::new(3.0, 1.0, 0.0));
        assert!((area(&floor.outline(0.1, Some(&region))) - 0.3).abs() < 1e-12);
        assert!(
            (area(&floor.clone().into_hollow().outline(0.1, Some(&region))) - 0.3).abs() < 1e-12
        );
        assert!(floor.outline(0.1, None).is_empty());
    }
}
