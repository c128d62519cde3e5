//! Mass and inertia of bodies.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::{Body, Capsule, Shape};
use crate::geometry::MassProperties;
use crate::space::Space;

impl Body {
    /// Mass properties in world coordinates at the pose of now, with density `rho` [kg/m³].
    ///
    /// None for what has no finite volume: planes, hollow bodies and containers, which are solid
    /// outside, and shapes without end in z.
    #[must_use]
    pub fn mass_properties(&self, rho: f64) -> Option<MassProperties> {
        if self.is_hollow() {
            return None;
        }
        let about_origin = |volume: f64, squares: DVec3| {
            let s = squares * rho * volume;
            let moments = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y);
            let inertia = DMat3::from_diagonal(moments);
            MassProperties { volume, mass: rho * volume, center: DVec3::ZERO, inertia }
        };
        let local = match &self.shape {
            Shape::Cuboid { half } if half.is_finite() => {
                about_origin(8.0 * half.element_product(), *half * *half / 3.0)
            }
            Shape::Sphere { radius } => {
                about_origin(4.0 / 3.0 * PI * radius.powi(3), DVec3::splat(radius * radius / 5.0))
            }
            Shape::Frustum(f) => about_origin(f.volume(), f.mean_squares()),
            Shape::Capsule(c) => about_origin(c.volume(), c.mean_squares()),
            Shape::Polyhedron(p) if !p.is_planar() => MassProperties::of_mesh(p.mesh(), rho),
            Shape::Mesh(m) => MassProperties::of_mesh(m.mesh(), rho),
            _ => return None,
        };
        Some(self.in_world(local))
    }

    /// As [`Self::mass_properties`], but in the plane per metre of depth: the area stands for the volume, and
    /// the moment about z for every moment of inertia.
    #[must_use]
    pub fn mass_properties_in(&self, space: &Space, rho: f64) -> Option<MassProperties> {
        if !space.is_planar() {
            return self.mass_properties(rho);
        }
        if self.is_hollow() {
            return None;
        }
        // Area and mean square of the distance to the centre.
        let (area, square) = match &self.shape {
            Shape::Cuboid { half } => {
                (4.0 * half.x * half.y, half.truncate().length_squared() / 3.0)
            }
            Shape::Sphere { radius } => (PI * radius * radius, 0.5 * radius * radius),
            Shape::Capsule(Capsule { half, radius: r }) => {
                let (middle, ends) = (4.0 * half * r, PI * r * r);
                // The centroid of half a disc is 4r/(3π) from its diameter.
                let outwards = 2.0 * half * 4.0 * r / (3.0 * PI);
                let moment = middle * (r * r + half * half) / 3.0
                    + ends * (0.5 * r * r + half * half + outwards);
                (middle + ends, moment / (middle + ends))
            }
            Shape::Polyhedron(p) if p.is_planar() => {
                let corners = p.polygon();
                let sides = corners.iter().zip(corners.iter().cycle().skip(1));
                let triangles = sides.map(|(&a, &b)| {
                    let area = 0.5 * a.perp_dot(b);
                    [area, area / 6.0 * (a.dot(a) + a.dot(b) + b.dot(b))]
                });
                let [area, moment] =
                    triangles.fold([0.0; 2], |sum, t| [sum[0] + t[0], sum[1] + t[1]]);
                (area, moment / area)
            }
            _ => return None,
        };
        let inertia = DMat3::from_diagonal(DVec3::splat(rho * area * square));
        let local = MassProperties { volume: area, mass: rho * area, center: DVec3::ZERO, inertia };
        Some(self.in_world(local))
    }

    fn in_world(&self, local: MassProperties) -> MassProperties {
        let turn = DMat3::from_quat(self.pose.rotation);
        MassProperties {
            center: self.pose.to_world(local.center),
            inertia: turn * local.inertia * turn.transpose(),
            ..local
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Aabb, Polyhedron};
    use glam::DQuat;

    #[test]
    fn box_polyhedron_and_mesh_weigh_the_same() {
        let (low, high) = (DVec3::new(-0.1, 0.0, 0.3), DVec3::new(0.4, 0.2, 1.0));
        let corners = Aabb::new(low, high).corners();
        let bodies = [
            Body::cuboid("box", low, high).unwrap(),
            Body::polyhedron("hull", &corners).unwrap(),
            Body::mesh("mesh", Polyhedron::new(&corners).unwrap().mesh()).unwrap(),
        ];
        let turn = DQuat::from_rotation_x(0.4);
        let weighed = bodies.map(|body| body.rotated(turn).mass_properties(7800.0).unwrap());
        for one in weighed {
            assert!((one.mass / (7800.0 * 0.5 * 0.2 * 0.7) - 1.0).abs() < 1e-12);
            // The moment about the axis of the turn stays, the others mix.
            let expected = one.mass / 12.0 * (0.2 * 0.2 + 0.7 * 0.7);
            assert!((one.inertia.x_axis.x / expected - 1.0).abs() < 1e-12);
            assert!((one.inertia - weighed[0].inertia).abs_diff_eq(DMat3::ZERO, 1e-9));
        }
    }

    #[test]
    fn planar_moments_are_those_of_slices() {
        let plane = Space::unbounded(crate::space::Dimension::Planar);
        let weigh = |body: &Body| body.mass_properties_in(&plane, 2.0).unwrap();
        let rectangle = Body::cuboid("box", DVec3::ZERO, DVec3::new(0.4, 0.2, 0.0)).unwrap();
        let corners = [[0.0, 0.0], [0.4, 0.0], [0.4, 0.2], [0.0, 0.2]].map(glam::DVec2::from_array);
        let polygon = Body::polygon("polygon", &corners).unwrap();
        let moment = 0.16 / 12.0 * (0.16 + 0.04);
        for mass in [weigh(&rectangle), weigh(&polygon)] {
            assert!((mass.mass - 0.16).abs() < 1e-15);
            assert!((mass.inertia.z_axis.z / moment - 1.0).abs() < 1e-12);
        }
        // A stadium against a sum over a fine lattice.
        let pill = Body::capsule("pill", -0.3 * DVec3::X, 0.3 * DVec3::X, 0.2).unwrap();
        let (n, h) = (2000, 1.0 / 2000.0);
        let (mut area, mut second) = (0.0, 0.0);
        for k in 0..n * n {
            let unit = DVec3::new(f64::from(k % n) + 0.5, f64::from(k / n) + 0.5, 0.0) * h;
            let x = unit - DVec3::new(0.5, 0.5, 0.0);
            if pill.signed_distance(x).distance < 0.0 {
                (area, second) = (area + h * h, second + h * h * x.length_squared());
            }
        }
        let mass = weigh(&pill);
        assert!((mass.volume / area - 1.0).abs() < 1e-4);
        assert!((mass.inertia.z_axis.z / (2.0 * second) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn a_ball_is_two_fifths_and_walls_without_end_weigh_nothing_finite() {
        let ball = Body::sphere("ball", DVec3::Y, 0.5).unwrap();
        let weighed = ball.mass_properties(1000.0).unwrap();
        assert_eq!(weighed.center, DVec3::Y);
        assert!((weighed.mass - 1000.0 * PI / 6.0).abs() < 1e-9);
        assert!((weighed.inertia.z_axis.z / (0.4 * weighed.mass * 0.25) - 1.0).abs() < 1e-12);
        assert!(ball.into_hollow().mass_properties(1.0).is_none());
        let plane = Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap();
        assert!(plane.mass_properties(1.0).is_none());
    }
}
