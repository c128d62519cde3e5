//! Rigid bodies, through which all methods are coupled.
//!
//! A body is a shape with a pose. Liquids sample it as boundary particles, snow
//! reads its signed distance, pictures draw its [`Surface`]; all add to its force and torque.
//!
//! A body is a shape in coordinates of its own and a pose. A scene file's `scale` goes into the lengths of the shape, its
//! `rotation` and `position` into the pose. Cylinders and cones are one shape, the frustum, with an exact distance in the
//! half plane through its axis; what grains touch is a polyhedron inside it, or around it if the body is hollow.

mod build;
mod free;
mod mass;
mod motion;
mod outline;
mod polyhedron;
mod revolved;
mod shape;
mod surface;
#[cfg(test)]
mod tests;

pub use build::BodyError;
pub(crate) use free::FREE_NUMBERS;
pub use free::{BodyContacts, Drive, Free, FreeMotion};
pub use motion::{Kinematics, Motion, MotionError, Pose, kinematics};
pub use polyhedron::ConvexPolyhedron;
pub use revolved::{Capsule, Frustum};
pub use shape::Shape;
pub use surface::Surface;

pub use crate::geometry::Distance;

use glam::DVec3;

use crate::geometry::Aabb;

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name in reports and series.
    pub name: String,
    /// Shape in local coordinates.
    pub shape: Shape,
    /// Exchanges solid and free space: matter is inside the shape. No effect on a container.
    pub hollow: bool,
    /// Pose now.
    pub pose: Pose,
    /// Velocity of the local origin [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
    /// What moves it.
    pub drive: Drive,
    /// The pose at the start, before all scripted motions.
    pub rest: Pose,
    /// When the body vanishes [s]; infinite for one that stays.
    pub until: f64,
    /// Whether it has vanished: nothing touches it any more.
    gone: bool,
    /// The identifier of the grain that it stands for, if it is none of the scene's: its method moves it, saves it and
    /// shows it.
    pub grain: Option<u32>,
    /// Force on the body [N] (in the plane per metre of depth), summed since the last clearing.
    pub force: DVec3,
    /// Torque on the body about its position [N m], summed since the last clearing.
    pub torque: DVec3,
}

impl Body {
    /// A body at rest with this shape and pose.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: Shape, pose: Pose) -> Self {
        Self {
            name: name.into(),
            shape,
            hollow: false,
            pose,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            drive: Drive::Fixed,
            rest: pose,
            until: f64::INFINITY,
            gone: false,
            grain: None,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        }
    }

    /// Signed distance of a point in the world to the surface; infinite once the body has vanished.
    #[must_use]
    pub fn signed_distance(&self, point: DVec3) -> Distance {
        self.settled_distance(point, 0.0)
    }

    /// Signed distance of a point in local coordinates, the normal local as well.
    #[must_use]
    pub fn local_distance(&self, local: DVec3) -> Distance {
        let distance = self.shape.signed_distance(local);
        if self.is_hollow() { distance.inverted() } else { distance }
    }

    /// As [`Self::signed_distance`], but where two faces are equally near up to `tie` [m], the first
    /// of them gives the normal: rounding does not decide about edges, in whatever precision.
    #[must_use]
    pub fn settled_distance(&self, point: DVec3, tie: f64) -> Distance {
        if self.gone {
            return Distance { distance: f64::INFINITY, normal: DVec3::Y };
        }
        let found = self.shape.settled_distance(self.pose.to_local(point), tie);
        let Distance { distance, normal } = if self.is_hollow() { found.inverted() } else { found };
        Distance { distance, normal: self.pose.rotation * normal }
    }

    /// Whether matter belongs inside: a container, or a shape that is turned inside out.
    pub fn holds_matter(&self) -> bool {
        self.hollow || matches!(self.shape, Shape::Container { .. })
    }

    /// Whether `hollow` turns the shape inside out.
    pub fn is_hollow(&self) -> bool {
        self.hollow && !matches!(self.shape, Shape::Container { .. })
    }

    /// The smallest box in the world around the shape now: for a hollow one around its inside.
    ///
    /// Infinite where the shape is: for planes, and in z for the shapes of the plane.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let local = self.shape.bounds();
        if let Shape::Sphere { radius } = self.shape {
            return Aabb::EMPTY.with_point(self.pose.position).grow(radius);
        }
        let along = |y: f64| self.pose.to_world(DVec3::new(0.0, y, 0.0));
        if let Shape::Capsule(Capsule { half, radius }) = self.shape {
            return Aabb::new(along(-half), along(half)).grow(radius);
        }
        if let Shape::Frustum(Frustum { y, radii }) = self.shape {
            let axis = self.pose.rotation * DVec3::Y;
            // How far a disc of radius one reaches across its axis.
            let disc = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
            let ends = [0, 1].map(|k| (along(y[k]), radii[k] * disc));
            return ends.into_iter().fold(Aabb::EMPTY, |all, (x, reach)| {
                all.union(Aabb { min: x - reach, max: x + reach })
            });
        }
        let columns = DVec3::AXES.map(|axis| self.pose.rotation * axis);
        let (mut min, mut max) = (self.pose.position, self.pose.position);
        for (i, column) in columns.iter().enumerate() {
            for k in 0..3 {
                // Zero times infinity is nothing here.
                if column[k] != 0.0 {
                    let (a, b) = (column[k] * local.min[i], column[k] * local.max[i]);
                    min[k] += a.min(b);
                    max[k] += a.max(b);
                }
            }
        }
        Aabb { min, max }
    }

    /// Whether the pose may change with time: by a script or by forces.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.is_free() || !self.motions().is_empty()
    }

    /// Its scripted motions.
    #[must_use]
    pub fn motions(&self) -> &[Motion] {
        match &self.drive {
            Drive::Scripted(motions) => motions,
            Drive::Fixed | Drive::Free(_) => &[],
        }
    }

    /// Adds a scripted motion; what was free follows the script from its present pose on.
    pub fn add_motion(&mut self, motion: Motion) {
        match &mut self.drive {
            Drive::Scripted(motions) => motions.push(motion),
            drive => {
                *drive = Drive::Scripted(vec![motion]);
                self.rest = self.pose;
            }
        }
    }

    /// Takes back the last motion that was added.
    pub fn drop_motion(&mut self) {
        if let Drive::Scripted(motions) = &mut self.drive {
            motions.pop();
        }
    }

    /// Whether it stays where it is for good.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        !self.is_moving() && self.until.is_infinite()
    }

    /// Velocity [m/s] of the body's matter at a point in the world.
    #[must_use]
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.pose.position)
    }

    /// Radius of a ball about its origin that holds it [m], in directions in which it has an end.
    #[must_use]
    pub fn radius(&self) -> f64 {
        let away = self.bounds().corners().map(|corner| {
            let offset = corner - self.pose.position;
            DVec3::select(offset.is_finite_mask(), offset, DVec3::ZERO).length()
        });
        away.into_iter().fold(0.0, f64::max)
    }

    /// Largest speed of its surface [m/s], as far as it has an end.
    #[must_use]
    pub fn top_speed(&self) -> f64 {
        self.velocity.length() + self.angular_velocity.length() * self.radius()
    }

    /// Moves the body to where its motions bring it at time `t` [s], see [`kinematics`]; a free one is where it is, and is
    /// released when its time has come.
    pub fn set_time(&mut self, t: f64) {
        if !self.is_free() {
            let now = kinematics(&self.rest, self.motions(), t);
            self.pose = now.pose;
            self.velocity = now.velocity;
            self.angular_velocity = now.angular_velocity;
        }
        self.release(t);
        self.gone = t >= self.until;
    }

    /// Whether the body has vanished by now.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Adds a force [N] that acts at a point in the world.
    pub fn add_force_at(&mut self, force: DVec3, point: DVec3) {
        self.force += force;
        self.torque += (point - self.pose.position).cross(force);
    }

    /// Adds a force [N] and a torque [N m] about the body's position.
    pub fn add_force_and_torque(&mut self, force: DVec3, torque: DVec3) {
        self.force += force;
        self.torque += torque;
    }

    /// Sets force and torque to zero.
    pub fn clear_forces(&mut self) {
        self.force = DVec3::ZERO;
        self.torque = DVec3::ZERO;
    }
}
