//! Mass and inertia of bodies.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::{Body, Shape};
use crate::geometry::MassProperties;

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
        let turn = DMat3::from_quat(self.pose.rotation);
        Some(MassProperties {
            center: self.pose.to_world(local.center),
            inertia: turn * local.inertia * turn.transpose(),
            ..local
        })
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
