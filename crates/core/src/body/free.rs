//! Bodies that move as forces tell them.

use std::io::{self, Read, Write};

use glam::{DQuat, DVec3};

use super::{Body, BodyError, Motion, Pose};
use crate::environment::Environment;
use crate::rigid::{Inertia, RigidState};
use crate::space::Space;

/// What moves a body.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "bodies are few, and those that are free are read all the time"
)]
pub enum Drive {
    /// Nothing: it rests.
    #[default]
    Fixed,
    /// Scripted motions, added up, relative to [`Body::rest`].
    Scripted(Vec<Motion>),
    /// The forces on it, and gravity.
    Free(Free),
}

/// Moves free bodies that touch each other and other bodies.
pub trait BodyContacts: Send {
    /// Moves the free bodies by a step `dt` [s] long, with gravity, the forces on them, which are held, and those of
    /// contacts; adds the latter to the forces on all bodies.
    fn advance(&mut self, env: &mut Environment, dt: f64);

    /// Writes what decides about the future beside the motion of the bodies.
    ///
    /// # Errors
    /// Those of writing.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Takes over what [`Self::save`] wrote.
    ///
    /// # Errors
    /// Those of reading, and when it cannot be.
    fn load(&mut self, from: &mut dyn Read) -> io::Result<()>;
}

/// The inertia and the rotation of a free body, whose local origin is its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Free {
    /// Mass [kg] and principal moments [kg m²]; in the plane both per metre of depth, and the moment about z in
    /// place of all three. Those of a wheel are infinite but for the one about its axle.
    pub inertia: Inertia,
    /// Turns the principal axes into local coordinates.
    axes: DQuat,
    /// In the world [kg m²/s].
    angular_momentum: DVec3,
    /// Mean force [N] and torque [N m] of the contacts in the last step, for who has to foresee the next.
    contact: [DVec3; 2],
    /// The direction of the axis through its centre of mass about which alone it turns, if it is a wheel.
    axle: Option<DVec3>,
    /// The same of matter that is stepped after the liquids, such as snow.
    load: [DVec3; 2],
    /// What it waits for; nothing once it moves.
    held: Option<Release>,
}

/// Where a free body is and how it moves: what a method needs to follow it through its sub-steps, and to put it back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeMotion {
    /// Pose.
    pub pose: Pose,
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Angular momentum about the centre of mass [kg m²/s].
    pub angular_momentum: DVec3,
}

/// A free body that is held until a time [s], and the velocity [m/s] and angular momentum [kg m²/s] it then has.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Release {
    time: f64,
    velocity: DVec3,
    angular_momentum: DVec3,
}

impl Free {
    /// Turns the principal axes into the world.
    fn orientation(&self, body: DQuat) -> DQuat {
        body * self.axes
    }

    /// Turns the principal axes into local coordinates.
    #[must_use]
    pub fn axes(&self) -> DQuat {
        self.axes
    }

    /// Angular momentum about the centre of mass, in the world [kg m²/s].
    #[must_use]
    pub fn angular_momentum(&self) -> DVec3 {
        self.angular_momentum
    }

    /// Mean force [N] and torque [N m] of the contacts in the last step.
    #[must_use]
    pub fn contact(&self) -> [DVec3; 2] {
        self.contact
    }

    /// Mean force [N] and torque [N m] in the last step of all that liquids do not know of when they are stepped: contacts
    /// and snow.
    #[must_use]
    pub fn expected(&self) -> [DVec3; 2] {
        [0, 1].map(|k| self.contact[k] + self.load[k])
    }

    /// The angular acceleration that a torque causes [1/s²], for a body with this rotation.
    #[must_use]
    pub fn turned_by(&self, rotation: DQuat, torque: DVec3) -> DVec3 {
        let q = self.orientation(rotation);
        q * ((q.conjugate() * torque) / self.inertia.moments)
    }

    /// The acceleration [m/s²] that a force [N] causes in a field of gravity [m/s²]: none of a wheel.
    #[must_use]
    pub fn pushed_by(&self, force: DVec3, gravity: DVec3) -> DVec3 {
        if self.axle.is_some() { DVec3::ZERO } else { force / self.inertia.mass + gravity }
    }

    /// The axis about which alone it turns, if it is a wheel.
    #[must_use]
    pub fn axle(&self) -> Option<DVec3> {
        self.axle
    }
}

impl Body {
    /// The same body, moved by forces from now on: of a density [kg/m³], with a velocity [m/s] and an angular
    /// velocity [1/s] to begin with.
    ///
    /// # Errors
    /// When it has no finite volume, moves by a script, the density is not positive or something is not finite.
    pub fn into_free(
        mut self,
        space: &Space,
        density: f64,
        velocity: DVec3,
        spin: DVec3,
    ) -> Result<Self, BodyError> {
        if self.is_moving() {
            return Err(BodyError::ScriptedAndFree);
        }
        for (what, value) in [("the velocity of a free body", velocity), ("its spin", spin)] {
            if !value.is_finite() {
                return Err(BodyError::NotFinite { what, value });
            }
        }
        if !(density > 0.0 && density.is_finite()) {
            return Err(BodyError::Density { density });
        }
        let local = Self { pose: super::Pose::IDENTITY, ..self.clone() };
        let mass = local.mass_properties_in(space, density).ok_or(BodyError::NoVolume)?;
        let positive = mass.mass > 0.0 && mass.mass.is_finite();
        let axes = mass.principal_axes();
        if !positive || axes.moments.cmple(DVec3::ZERO).any() {
            return Err(BodyError::NoVolume);
        }
        let rotation = if space.is_planar() { DQuat::IDENTITY } else { axes.rotation };
        let inertia = Inertia { mass: mass.mass, moments: axes.moments };
        let (angular_momentum, none) = (DVec3::ZERO, [DVec3::ZERO; 2]);
        let mut free = Free {
            inertia,
            axes: rotation,
            angular_momentum,
            contact: none,
            load: none,
            axle: None,
            held: None,
        };
        let q = free.orientation(self.pose.rotation);
        free.angular_momentum = q * (inertia.moments * (q.conjugate() * spin));
        (self.velocity, self.drive) = (velocity, Drive::Free(free));
        self.find_angular_velocity();
        Ok(self)
    }

    /// The same free body as a wheel: its centre of mass stays where it is, and it turns about an axis through it alone.
    ///
    /// # Errors
    /// When the axis has no direction.
    pub fn with_axle(mut self, axis: DVec3) -> Result<Self, BodyError> {
        let what = "the axle of a free body";
        let axis = axis.try_normalize().ok_or(BodyError::ZeroDirection { what })?;
        if let Drive::Free(free) = &mut self.drive {
            let local = free.orientation(self.pose.rotation).conjugate() * axis;
            let moment = (free.inertia.moments * local).dot(local);
            // No torque turns it about another axis: there its moments are infinite.
            free.axes = DQuat::from_rotation_arc(DVec3::Z, self.pose.rotation.inverse() * axis);
            free.inertia.moments = DVec3::new(f64::INFINITY, f64::INFINITY, moment);
            free.angular_momentum = axis * (moment * axis.dot(self.angular_velocity));
            free.axle = Some(axis);
            self.velocity = DVec3::ZERO;
            self.find_angular_velocity();
        }
        Ok(self)
    }

    /// The same free body, held where it is until a time [s]; it then begins with the velocities it was given.
    #[must_use]
    pub fn released_at(mut self, time: f64) -> Self {
        if let Drive::Free(free) = &mut self.drive {
            let velocity = std::mem::take(&mut self.velocity);
            let angular_momentum = std::mem::take(&mut free.angular_momentum);
            free.held = Some(Release { time, velocity, angular_momentum });
            self.find_angular_velocity();
        }
        self
    }

    /// Lets go of a body that is held until now, the time `t` [s].
    pub(super) fn release(&mut self, t: f64) {
        if let Drive::Free(free) = &mut self.drive
            && let Some(release) = free.held.take_if(|release| t >= release.time)
        {
            (self.velocity, free.angular_momentum) = (release.velocity, release.angular_momentum);
            self.find_angular_velocity();
        }
    }

    /// What moves with forces of the body, if they move it, now or once it is released.
    #[must_use]
    pub fn free(&self) -> Option<&Free> {
        match &self.drive {
            Drive::Free(free) => Some(free),
            _ => None,
        }
    }

    /// Density of a free body [kg/m³].
    #[must_use]
    pub fn free_density(&self, space: &Space) -> Option<f64> {
        Some(self.free()?.inertia.mass / self.mass_properties_in(space, 1.0)?.volume)
    }

    /// Whether forces move it, now or once it is released.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.free().is_some()
    }

    /// The same of a body that forces move now: it is not held.
    #[must_use]
    pub fn released(&self) -> Option<&Free> {
        self.free().filter(|free| free.held.is_none())
    }

    /// Moves a free body by a step `dt` [s] long with the force and torque on it and with gravity [m/s²]: first
    /// the momenta, then pose and orientation with the new ones (symplectic Euler, as particles of a liquid move).
    pub(crate) fn advance(&mut self, gravity: DVec3, dt: f64, space: &Space) {
        self.kick(self.force, self.torque, gravity, dt, space);
        self.drift(dt, space);
    }

    /// Takes note of the mean force [N] and torque [N m] of contacts in a step, and adds them to the forces on it.
    pub fn add_contact(&mut self, force: DVec3, torque: DVec3) {
        self.add_force_and_torque(force, torque);
        if let Drive::Free(free) = &mut self.drive {
            free.contact = [force, torque];
        }
    }

    /// Takes note of the mean force [N] and torque [N m] of snow in a step, and adds them to the forces on it.
    pub fn add_load(&mut self, force: DVec3, torque: DVec3) {
        self.add_force_and_torque(force, torque);
        if let Drive::Free(free) = &mut self.drive {
            free.load = [force, torque];
        }
    }

    /// Lets a force [N], a torque [N m] and gravity [m/s²] act on a free body for a time `dt` [s]: its momenta change
    /// by exactly what they say.
    pub fn kick(&mut self, force: DVec3, torque: DVec3, gravity: DVec3, dt: f64, space: &Space) {
        let Drive::Free(free) = &mut self.drive else { return };
        if free.held.is_some() {
            return;
        }
        let (mut a, mut torque) = (free.pushed_by(force, gravity), torque);
        if space.is_planar() {
            (a.z, torque.x, torque.y) = (0.0, 0.0, 0.0);
        }
        self.velocity += a * dt;
        free.angular_momentum += free.axle.map_or(torque, |axle| axle * axle.dot(torque)) * dt;
        self.find_angular_velocity();
    }

    /// Lets a free body move and turn for a time `dt` [s] without any force.
    pub fn drift(&mut self, dt: f64, space: &Space) {
        let Some((mut state, inertia)) = self.released().and_then(|_| self.rigid()) else { return };
        state.drift(&inertia, dt);
        self.set_rigid(&RigidState { x: space.wrap(state.x), ..state });
    }

    /// The motion of a free body, with the orientation of its principal axes, and its inertia.
    #[must_use]
    pub fn rigid(&self) -> Option<(RigidState, Inertia)> {
        let free = self.free()?;
        let (x, v, l) = (self.pose.position, self.velocity, free.angular_momentum);
        Some((RigidState { x, v, q: free.orientation(self.pose.rotation), l }, free.inertia))
    }

    /// Lets a free body move as [`Self::rigid`] gives it.
    pub fn set_rigid(&mut self, state: &RigidState) {
        let Drive::Free(free) = &mut self.drive else { return };
        free.angular_momentum = state.l;
        self.pose.rotation = (state.q * free.axes.conjugate()).normalize();
        (self.pose.position, self.velocity) = (state.x, state.v);
        self.find_angular_velocity();
    }

    /// Stands where another body does, moves as it does and feels its forces; the shape stays.
    pub fn follow(&mut self, other: &Self) {
        (self.pose, self.gone) = (other.pose, other.gone);
        (self.velocity, self.angular_velocity) = (other.velocity, other.angular_velocity);
        (self.force, self.torque) = (other.force, other.torque);
        if let Drive::Free(free) = other.drive {
            self.drive = Drive::Free(free);
        }
    }

    /// Where a body is that forces move now, and how it moves.
    #[must_use]
    pub fn free_motion(&self) -> Option<FreeMotion> {
        let angular_momentum = self.released()?.angular_momentum;
        Some(FreeMotion { pose: self.pose, velocity: self.velocity, angular_momentum })
    }

    /// Puts a free body back to where it was.
    pub fn set_free_motion(&mut self, motion: &FreeMotion) {
        let FreeMotion { pose, velocity, angular_momentum } = *motion;
        if let Drive::Free(free) = &mut self.drive {
            (self.pose, self.velocity) = (pose, velocity);
            free.angular_momentum = angular_momentum;
            self.find_angular_velocity();
        }
    }

    /// Kinetic energy of a free body, if it is held the one it will begin with, and its potential energy in a field of
    /// gravity [m/s²] [J].
    #[must_use]
    pub fn free_energy(&self, gravity: DVec3) -> [f64; 2] {
        self.free().map_or([0.0; 2], |free| {
            let mass = free.inertia.mass;
            let moving = (self.velocity, free.angular_momentum);
            let (v, l) = free.held.map_or(moving, |held| (held.velocity, held.angular_momentum));
            let turning = l.dot(free.turned_by(self.pose.rotation, l));
            let kinetic = 0.5 * (mass * v.length_squared() + turning);
            [kinetic, -mass * gravity.dot(self.pose.position)]
        })
    }

    /// The numbers of a free body's state: position, rotation, velocity, angular momentum, contacts, load.
    pub(crate) fn free_state(&self) -> Option<[f64; FREE_NUMBERS]> {
        let free = self.free()?;
        let [x, y, z] = self.pose.position.to_array();
        let [a, b, c, d] = self.pose.rotation.to_array();
        let [u, v, w] = self.velocity.to_array();
        let [l, m, n] = free.angular_momentum.to_array();
        let mut numbers = [0.0; FREE_NUMBERS];
        numbers[..13].copy_from_slice(&[x, y, z, a, b, c, d, u, v, w, l, m, n]);
        let forces = free.contact.into_iter().chain(free.load).flat_map(|force| force.to_array());
        numbers[13..].iter_mut().zip(forces).for_each(|(number, force)| *number = force);
        Some(numbers)
    }

    /// Takes over what [`Self::free_state`] gave at the time `t` [s]; false if that cannot be.
    pub(crate) fn set_free_state(&mut self, numbers: &[f64], t: f64) -> bool {
        let Some((&[x, y, z, a, b, c, d, u, v, w, l, m, n], forces)) = numbers.split_first_chunk()
        else {
            return false;
        };
        if numbers.len() != FREE_NUMBERS {
            return false;
        }
        let rotation = DQuat::from_array([a, b, c, d]);
        let finite = numbers.iter().all(|number| number.is_finite());
        let Drive::Free(free) = &mut self.drive else { return false };
        if !finite || (rotation.length_squared() - 1.0).abs() > 1e-6 {
            return false;
        }
        free.held = free.held.filter(|release| t < release.time);
        free.angular_momentum = DVec3::new(l, m, n);
        let force = |k: usize| DVec3::from_slice(&forces[3 * k..]);
        (free.contact, free.load) = ([force(0), force(1)], [force(2), force(3)]);
        (self.pose.position, self.pose.rotation) = (DVec3::new(x, y, z), rotation);
        self.velocity = DVec3::new(u, v, w);
        self.find_angular_velocity();
        true
    }

    /// The angular velocity that belongs to the angular momentum.
    fn find_angular_velocity(&mut self) {
        if let Drive::Free(free) = &self.drive {
            self.angular_velocity = free.turned_by(self.pose.rotation, free.angular_momentum);
        }
    }
}

/// Numbers of a free body's state.
pub(crate) const FREE_NUMBERS: usize = 25;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Aabb, Random};
    use crate::space::Dimension;

    fn full() -> Space {
        Space::unbounded(Dimension::Full)
    }

    #[test]
    fn a_free_body_falls_and_spins_with_its_momenta() {
        let mut random = Random::new(9);
        let turn = random.orientation();
        let corners = Aabb::new(DVec3::ZERO, DVec3::new(1.0, 0.4, 0.2)).corners();
        let body = Body::polyhedron("brick", &corners).unwrap().rotated(turn);
        let spin = DVec3::new(0.3, 2.0, -0.5);
        let mut body = body.into_free(&full(), 500.0, DVec3::X, spin).unwrap();
        assert!(body.angular_velocity.distance(spin) < 1e-12);
        let free = *body.free().unwrap();
        assert!((free.inertia.mass - 40.0).abs() < 1e-9);
        let start = body.pose.position;
        let kinetic = body.free_energy(DVec3::ZERO)[0];
        for _ in 0..1000 {
            body.advance(DVec3::ZERO, 1e-3, &full());
        }
        assert!(body.pose.position.distance(start + DVec3::X) < 1e-12);
        assert_eq!(body.free().unwrap().angular_momentum, free.angular_momentum);
        assert!((body.free_energy(DVec3::ZERO)[0] / kinetic - 1.0).abs() < 1e-4);
        body.add_force_and_torque(DVec3::new(0.0, 80.0, 0.0), DVec3::Z);
        body.advance(DVec3::new(0.0, -1.0, 0.0), 0.5, &full());
        assert!(body.velocity.distance(DVec3::new(1.0, 0.5, 0.0)) < 1e-12);
        let gained = body.free().unwrap().angular_momentum - free.angular_momentum;
        assert!(gained.distance(0.5 * DVec3::Z) < 1e-15);
    }

    #[test]
    fn in_the_plane_a_body_stays_there_to_the_bit() {
        let plane = Space::unbounded(Dimension::Planar);
        let bodies = [
            Body::cuboid("box", DVec3::ZERO, DVec3::new(0.2, 0.1, 0.0)).unwrap(),
            Body::sphere("disc", DVec3::ZERO, 0.3).unwrap(),
            Body::capsule("pill", DVec3::ZERO, DVec3::X, 0.1).unwrap(),
        ];
        for body in bodies {
            let spin = DVec3::new(0.0, 0.0, 3.0);
            let mut body = body.into_free(&plane, 300.0, DVec3::Y, spin).unwrap();
            for k in 0..200 {
                body.clear_forces();
                let force = DVec3::new(f64::from(k % 7), -1.0, 1e-9);
                body.add_force_and_torque(force, DVec3::new(1e-9, 1e-9, 0.2));
                body.advance(DVec3::new(0.0, -9.81, 0.0), 1e-2, &plane);
            }
            let (p, q, w) = (body.pose.position, body.pose.rotation, body.angular_velocity);
            assert!(p.z == 0.0 && q.x == 0.0 && q.y == 0.0 && w.x == 0.0 && w.y == 0.0, "{q} {w}");
            assert!(body.velocity.z == 0.0);
        }
    }

    #[test]
    fn a_body_that_is_held_stays_until_it_is_released() {
        let ball = Body::sphere("ball", DVec3::ZERO, 1.0).unwrap();
        let body = ball.into_free(&full(), 1000.0, DVec3::X, 2.0 * DVec3::Z).unwrap();
        let energy = body.free_energy(DVec3::ZERO);
        let mut held = body.clone().released_at(1.0);
        for t in [0.0, 0.5] {
            held.set_time(t);
            held.add_force_and_torque(DVec3::Y, DVec3::X);
            held.advance(DVec3::NEG_Y, 0.5, &full());
            assert!(held.released().is_none() && held.is_free());
            assert_eq!(
                [held.pose.position, held.velocity, held.angular_velocity],
                [DVec3::ZERO; 3]
            );
            assert!((held.free_energy(DVec3::ZERO)[0] / energy[0] - 1.0).abs() < 1e-12);
        }
        // A checkpoint of before and of after: the time says which it is.
        let before = held.free_state().unwrap();
        held.set_time(1.0);
        let mut second = body.clone().released_at(1.0);
        assert!(second.set_free_state(&before, 0.5) && second.released().is_none());
        assert!(second.set_free_state(&held.free_state().unwrap(), 1.0));
        for released in [&mut held, &mut second] {
            assert_eq!(released.velocity, DVec3::X);
            released.clear_forces();
            released.advance(DVec3::ZERO, 1.0, &full());
            assert_eq!(released.pose.position, DVec3::X);
            assert!(released.angular_velocity.distance(2.0 * DVec3::Z) < 1e-12);
        }
    }

    #[test]
    fn a_wheel_turns_about_its_axle_alone() {
        let mut random = Random::new(4);
        let (turn, axis) = (random.orientation(), random.direction());
        let brick = Body::cuboid("brick", DVec3::ZERO, DVec3::new(1.0, 0.4, 0.2)).unwrap();
        let body = brick.rotated(turn).into_free(&full(), 500.0, DVec3::X, 2.0 * axis).unwrap();
        let mut body = body.with_axle(axis).unwrap();
        let start = body.pose;
        assert!(body.angular_velocity.distance(2.0 * axis) < 1e-12);
        let (mut work, energy) = (0.0, body.free_energy(DVec3::ZERO)[0]);
        for k in 0..100 {
            let torque = DVec3::new(f64::from(k % 3), 4.0, -1.0);
            let before = body.angular_velocity;
            body.clear_forces();
            body.add_force_and_torque(DVec3::new(3.0, 1.0, 0.5), torque);
            body.advance(DVec3::NEG_Y, 1e-2, &full());
            work += 0.5e-2 * torque.dot(before + body.angular_velocity);
        }
        assert_eq!((body.pose.position, body.velocity), (start.position, DVec3::ZERO));
        assert!(body.angular_velocity.cross(axis).length() < 1e-12);
        let local = start.rotation.conjugate() * axis;
        assert!((body.pose.rotation * local).distance(axis) < 1e-12);
        assert!((body.free_energy(DVec3::ZERO)[0] - energy - work).abs() < 1e-12 * energy);
    }

    #[test]
    fn what_cannot_be_free_is_refused() {
        let free = |body: Body, density| body.into_free(&full(), density, DVec3::ZERO, DVec3::ZERO);
        let floor = Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap();
        assert_eq!(free(floor, 1.0).unwrap_err(), BodyError::NoVolume);
        let ball = Body::sphere("ball", DVec3::ZERO, 1.0).unwrap();
        assert_eq!(free(ball.clone().into_hollow(), 1.0).unwrap_err(), BodyError::NoVolume);
        assert_eq!(free(ball.clone(), 0.0).unwrap_err(), BodyError::Density { density: 0.0 });
        let moves = Motion::Velocity { velocity: DVec3::X, start: 0.0, stop: 1.0 };
        let scripted = ball.with_motion(moves);
        assert_eq!(free(scripted, 1.0).unwrap_err(), BodyError::ScriptedAndFree);
    }
}
