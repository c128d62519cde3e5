//! Where a shape is: its scale, rotation and position.

use super::shape::Shape;
use super::vector::Vector;
use glam::{DQuat, DVec3};
use lawine_core::body::Pose;
use lawine_settings::Settings;

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct AxisAngle {
    /// Direction of the axis [1], of any length.
    #[setting(without = "z in a plane, required in 3D")]
    pub axis: Option<Vector>,
    /// Angle [°], counter-clockwise about the axis.
    pub angle: f64,
}

impl AxisAngle {
    /// As a quaternion.
    pub fn quaternion(&self) -> DQuat {
        let axis = self.axis.map_or(DVec3::Z, Vector::get).normalize_or(DVec3::Z);
        DQuat::from_axis_angle(axis, self.angle.to_radians())
    }

    /// See [`SceneFile::resolve`](super::SceneFile::resolve).
    pub(super) fn resolve(&mut self, dimension: u32) {
        if dimension == 2 && self.axis.is_none() {
            self.axis = Some(Vector::full(0.0, 0.0, 1.0));
        }
    }
}

/// What is done to a shape: first it is scaled about the origin, then turned about it, then moved.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Placement {
    /// Translation of the shape [m], after scale and rotation.
    #[setting(default)]
    pub position: Vector,
    /// Rotation of the shape about its origin, after the scale.
    #[setting(without = "no rotation")]
    pub rotation: Option<AxisAngle>,
    /// Scale factor of the shape about its origin [1].
    #[setting(default = 1.0, above = 0)]
    pub scale: f64,
}

impl Placement {
    /// The same without rotation and position.
    pub fn scale_only(&self) -> Self {
        Self { scale: self.scale, ..Self::default() }
    }

    /// See [`SceneFile::resolve`](super::SceneFile::resolve).
    pub(super) fn resolve(&mut self, dimension: u32) {
        self.position.resolve(dimension);
        if let Some(turn) = &mut self.rotation {
            turn.resolve(dimension);
        }
    }

    /// Rotation and position, unless both leave everything where it is.
    pub fn pose(&self) -> Option<Pose> {
        let (position, turned) = (self.position.get(), self.rotation.is_some());
        let rotation = self.rotation.map_or(DQuat::IDENTITY, |turn| turn.quaternion());
        (turned || position != DVec3::ZERO).then_some(Pose { position, rotation })
    }

    /// A point of the shape where it comes to lie [m].
    pub fn place(&self, x: DVec3) -> DVec3 {
        let x = self.scale * x;
        self.pose().map_or(x, |pose| pose.to_world(x))
    }

    /// The shape with its own lengths scaled.
    pub fn scaled(&self, shape: &Shape) -> Shape {
        let mut shape = shape.clone();
        let s = self.scale;
        if (s - 1.0).abs() <= 0.0 {
            return shape;
        }
        let scale = |v: &mut Vector| *v = v.map(|x| s * x);
        match &mut shape {
            Shape::Box(b) => [&mut b.min, &mut b.max].into_iter().for_each(scale),
            Shape::Container(c) => [&mut c.min, &mut c.max].into_iter().for_each(scale),
            Shape::Sphere(ball) => {
                scale(&mut ball.center);
                ball.radius *= s;
            }
            Shape::Cylinder(c) => {
                [&mut c.start, &mut c.end].into_iter().for_each(scale);
                c.radius *= s;
            }
            Shape::Capsule(c) => {
                [&mut c.start, &mut c.end].into_iter().for_each(scale);
                c.radius *= s;
            }
            Shape::Cone(c) => {
                [&mut c.start, &mut c.end].into_iter().for_each(scale);
                c.radius *= s;
                c.end_radius *= s;
            }
            Shape::Polyhedron(hull) => hull.vertices.iter_mut().for_each(scale),
            Shape::Plane(plane) => scale(&mut plane.point),
            Shape::Mesh(mesh) => {
                scale(&mut mesh.position);
                mesh.scale *= s;
            }
        }
        shape
    }
}
