//! Boxes along the axes around polyhedra (Schinner 4.1.3).

use glam::DVec3;
use lawine_core::geometry::{Aabb, Polyhedron, Shape};

use crate::dem::narrow::Pose;

/// How the box around a grain is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, lawine_settings::Word)]
pub enum BoxMethod {
    /// The smallest box, from the extreme vertices (Schinner 4.2).
    MinMax,
    /// The box of the ellipsoid around the grain: faster, but larger.
    Ellipsoid,
    /// Whichever costs less, including the closest-feature queries it causes.
    #[default]
    Auto,
}

/// From this number of corners on the ellipsoid's box costs less. The example `bounding_boxes` finds
/// the two equal at twelve corners if every grain has one close neighbour, as the thesis assumes;
/// at twenty the ellipsoid still wins with two.
const AUTO_CORNERS: usize = 20;
/// An ellipsoid of more than this many times the grain's volume is too loose, whatever the corners
/// (long prisms, plates).
const AUTO_VOLUMES: f64 = 1.6;

/// The extreme corners of a grain in −x, x, −y, y, −z, z in the step before.
pub type Extremes = [u32; 6];

impl BoxMethod {
    /// The box around a shape in a pose.
    pub fn bounds(self, shape: &Shape, pose: &Pose, extremes: &mut Extremes) -> Aabb {
        if self.uses_ellipsoid(shape) {
            ellipsoid_box(shape, pose)
        } else {
            min_max_box(&shape.polyhedron, pose, extremes)
        }
    }

    /// Whether the ellipsoid's box is taken for the shape.
    #[must_use]
    pub fn uses_ellipsoid(self, shape: &Shape) -> bool {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * shape.ellipsoid.1.determinant().abs();
        match self {
            Self::MinMax => false,
            Self::Ellipsoid => true,
            Self::Auto => {
                let corners = shape.polyhedron.vertices().len();
                corners >= AUTO_CORNERS && volume <= AUTO_VOLUMES * shape.volume
            }
        }
    }
}

/// The smallest box (4.2), by walking from the extreme corners of the step before: constant time
/// instead of a look at every corner.
pub fn min_max_box(p: &Polyhedron, pose: &Pose, extremes: &mut Extremes) -> Aabb {
    let rows = pose.rotation.transpose();
    let corners = p.vertices().len() as u32;
    let mut bounds = Aabb { min: pose.position, max: pose.position };
    for k in 0..3 {
        let direction = rows.col(k);
        let mut extreme = |slot: usize, direction: DVec3| {
            let start = if extremes[slot] < corners { extremes[slot] } else { 0 };
            extremes[slot] = p.climb(direction, start);
            direction.dot(p.vertex(extremes[slot]))
        };
        bounds.min[k] -= extreme(2 * k, -direction);
        bounds.max[k] += extreme(2 * k + 1, direction);
    }
    bounds
}

/// The box of the ellipsoid: half extents e_k = √(Σ_m (a_m R_km)²), which replaces (4.4)–(4.11).
#[must_use]
pub fn ellipsoid_box(shape: &Shape, pose: &Pose) -> Aabb {
    let (center, axes) = shape.ellipsoid;
    let m = pose.rotation * axes;
    let square = m.x_axis * m.x_axis + m.y_axis * m.y_axis + m.z_axis * m.z_axis;
    let half = DVec3::new(square.x.sqrt(), square.y.sqrt(), square.z.sqrt());
    let center = pose.position + pose.rotation * center;
    Aabb { min: center - half, max: center + half }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use lawine_core::geometry::{EllipsoidGrain, Random, block};

    #[test]
    fn min_max_is_the_smallest_box_and_the_ellipsoid_holds_it() {
        let mut random = Random::new(1);
        for n in [4, 12, 42, 162] {
            let grain = EllipsoidGrain::new(DVec3::new(3.0, 2.0, 1.0), n);
            let (polyhedron, axes) = grain.make(&mut random).unwrap();
            let shape = Shape::from_polyhedron(&polyhedron).unwrap().with_ellipsoid(axes);
            let mut extremes = [u32::MAX; 6];
            for _ in 0..200 {
                let pose = Pose::new(random.direction(), random.orientation());
                let corners = shape.polyhedron.vertices().iter();
                let exact = Aabb::from_points(corners.map(|v| pose.position + pose.rotation * *v));
                let found = min_max_box(&shape.polyhedron, &pose, &mut extremes);
                assert!(found.min.distance(exact.min) + found.max.distance(exact.max) < 1e-13);
                let outer = ellipsoid_box(&shape, &pose).grow(1e-12);
                assert!(outer.contains(exact.min) && outer.contains(exact.max));
                // It is the box of the ellipsoid itself: no direction leads farther out.
                assert!(outer.size().max_element() <= 6.0 + 1e-9);
            }
        }
    }

    #[test]
    fn auto_takes_the_ellipsoid_for_round_grains_only() {
        let auto =
            |p: &Polyhedron| BoxMethod::Auto.uses_ellipsoid(&Shape::from_polyhedron(p).unwrap());
        let round = |n| EllipsoidGrain::new(DVec3::ONE, n).make(&mut Random::new(1)).unwrap().0;
        assert!(!auto(&round(4)) && auto(&round(20)) && auto(&round(162)));
        assert!(!auto(&lawine_core::geometry::prism(40, 1.0, 4.0).unwrap()));
        assert!(!auto(&block(DVec3::ONE).unwrap()));
    }

    #[test]
    fn closed_form_of_an_ellipsoid_turned_by_45_degrees() {
        let shape = Shape::from_polyhedron(&block(DVec3::ONE).unwrap()).unwrap();
        let shape = shape.with_ellipsoid(DVec3::new(4.0, 2.0, 1.0));
        let pose = Pose::new(DVec3::ZERO, DQuat::IDENTITY);
        let turn = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4));
        // The cube's principal axes are arbitrary; its ellipsoid is not.
        let turned =
            Pose { rotation: turn.rotation * glam::DMat3::from_quat(shape.rotation), ..pose };
        // It is scaled down to the cube's corners.
        let scale = (0.25_f64 * (1.0 / 16.0 + 1.0 / 4.0 + 1.0)).sqrt();
        let half = 0.5 * ellipsoid_box(&shape, &turned).size() / scale;
        assert!(half.distance(DVec3::new(10.0_f64.sqrt(), 10.0_f64.sqrt(), 1.0)) < 1e-9);
    }
}
