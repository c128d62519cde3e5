//! Scripted motion in closed form: the pose is a function of time.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

/// Position and orientation of a body: `world = position + rotation · local`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where the local origin is [m].
    pub position: DVec3,
    /// Orientation, a unit quaternion.
    pub rotation: DQuat,
}

impl Pose {
    /// The pose in which local and world coordinates are the same.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A pose without rotation.
    #[must_use]
    pub const fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }

    /// World coordinates of a local point.
    #[must_use]
    pub fn to_world(&self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }

    /// Local coordinates of a point in the world.
    #[must_use]
    pub fn to_local(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world - self.position)
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// One scripted motion. It acts while `start <= t <= stop`; before it the body rests, after it the
/// body stays where the motion has brought it. `stop` may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Constant velocity.
    Velocity {
        /// Velocity [m/s].
        velocity: DVec3,
        /// Start time [s].
        start: f64,
        /// End time [s].
        stop: f64,
    },
    /// Rotation about an axis at a constant rate.
    Rotation {
        /// Direction of the axis, a unit vector; positive rates turn counter-clockwise about it.
        axis: DVec3,
        /// A point of the axis [m], in the world at rest: translations carry the axis along.
        point: DVec3,
        /// Angular velocity [rad/s].
        rate: f64,
        /// Start time [s].
        start: f64,
        /// End time [s].
        stop: f64,
    },
    /// Sinusoidal vibration with the displacement A (sin(2πf (t − start) + φ) − sin φ).
    Vibration {
        /// Amplitude A [m].
        amplitude: f64,
        /// Frequency f [Hz].
        frequency: f64,
        /// Direction, a unit vector.
        direction: DVec3,
        /// Phase φ [rad].
        phase: f64,
        /// Start time [s].
        start: f64,
        /// End time [s].
        stop: f64,
    },
}

/// Why a motion makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// A number is infinite or not a number.
    #[error("{what} of a motion must be finite, got {value}")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A direction without length.
    #[error("{what} of a motion must not be zero")]
    ZeroDirection {
        /// Which direction.
        what: &'static str,
    },
    /// It ends before it begins.
    #[error("a motion must not stop (at {stop} s) before it starts (at {start} s)")]
    Interval {
        /// Start time [s].
        start: f64,
        /// End time [s].
        stop: f64,
    },
    /// A negative frequency.
    #[error("the frequency of a vibration must not be negative, got {frequency} Hz")]
    Frequency {
        /// What was given [Hz].
        frequency: f64,
    },
}

impl Motion {
    /// The motion with its direction made a unit vector, if it makes sense.
    ///
    /// # Errors
    /// When a number is not finite (`stop` may be infinite), a direction is zero, the motion stops
    /// before it starts, or a frequency is negative.
    pub fn checked(mut self) -> Result<Self, MotionError> {
        let (start, stop) = self.interval();
        finite("the start", &[start])?;
        if stop.is_nan() || stop < start {
            return Err(MotionError::Interval { start, stop });
        }
        match &mut self {
            Self::Velocity { velocity, .. } => finite("the velocity", &velocity.to_array())?,
            Self::Rotation { axis, point, rate, .. } => {
                finite("the point", &point.to_array())?;
                finite("the rate", &[*rate])?;
                *axis = direction("the axis", *axis)?;
            }
            Self::Vibration { amplitude, frequency, direction: along, phase, .. } => {
                finite("the amplitude", &[*amplitude])?;
                finite("the frequency", &[*frequency])?;
                finite("the phase", &[*phase])?;
                *along = direction("the direction", *along)?;
                if *frequency < 0.0 {
                    return Err(MotionError::Frequency { frequency: *frequency });
                }
            }
        }
        Ok(self)
    }

    /// When it begins and ends [s].
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        match *self {
            Self::Velocity { start, stop, .. }
            | Self::Rotation { start, stop, .. }
            | Self::Vibration { start, stop, .. } => (start, stop),
        }
    }

    /// Whether it acts at time `t` [s].
    #[must_use]
    pub fn is_active(&self, t: f64) -> bool {
        let (start, stop) = self.interval();
        start <= t && t <= stop
    }

    /// How long it has acted until `t` [s].
    fn elapsed(&self, t: f64) -> f64 {
        let (start, stop) = self.interval();
        (t.min(stop) - start).max(0.0)
    }

    /// Displacement [m] and velocity [m/s] of a translation; zero for a rotation.
    #[must_use]
    pub fn translation(&self, t: f64) -> (DVec3, DVec3) {
        let tau = self.elapsed(t);
        let (displacement, rate) = match *self {
            Self::Rotation { .. } => return (DVec3::ZERO, DVec3::ZERO),
            Self::Velocity { velocity, .. } => (tau * velocity, velocity),
            Self::Vibration { amplitude, frequency, direction, phase, .. } => {
                let omega = TAU * frequency;
                let angle = omega * tau + phase;
                let displacement = amplitude * (angle.sin() - phase.sin());
                (displacement * direction, amplitude * omega * angle.cos() * direction)
            }
        };
        (displacement, if self.is_active(t) { rate } else { DVec3::ZERO })
    }
}

fn finite(what: &'static str, values: &[f64]) -> Result<(), MotionError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(&value) => Err(MotionError::NotFinite { what, value }),
        None => Ok(()),
    }
}

fn direction(what: &'static str, v: DVec3) -> Result<DVec3, MotionError> {
    finite(what, &v.to_array())?;
    v.try_normalize().ok_or(MotionError::ZeroDirection { what })
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kinematics {
    /// Position and orientation.
    pub pose: Pose,
    /// Velocity of the local origin [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
}

/// Pose and velocities at time `t` [s] of a body with the pose `rest` before all motions.
///
/// First the rotations turn the rest pose, in their order, each about its own fixed axis; then the
/// translations add. So a vibrating drum keeps turning about its own, vibrating axis. Nothing is
/// accumulated: the result depends on `t` alone.
#[must_use]
pub fn kinematics(rest: &Pose, motions: &[Motion], t: f64) -> Kinematics {
    let mut pose = *rest;
    let mut v = DVec3::ZERO;
    let mut omega = DVec3::ZERO;
    for motion in motions {
        let Motion::Rotation { axis, point, rate, .. } = *motion else { continue };
        // A whole number of turns changes nothing and would cost digits.
        let turn = DQuat::from_axis_angle(axis, (rate * motion.elapsed(t)) % TAU);
        pose.position = point + turn * (pose.position - point);
        pose.rotation = turn * pose.rotation;
        v = turn * v;
        omega = turn * omega;
        if motion.is_active(t) {
            v += rate * axis.cross(pose.position - point);
            omega += rate * axis;
        }
    }
    for motion in motions {
        let (displacement, rate) = motion.translation(t);
        pose.position += displacement;
        v += rate;
    }
    Kinematics { pose, velocity: v, angular_velocity: omega }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOREVER: f64 = f64::INFINITY;

    fn all_motions() -> Vec<Motion> {
        vec![
            Motion::Rotation {
                axis: DVec3::new(1.0, 2.0, -1.0).normalize(),
                point: DVec3::new(0.1, 0.2, 0.3),
                rate: 2.0,
                start: 0.2,
                stop: 3.0,
            },
            Motion::Vibration {
                amplitude: 0.1,
                frequency: 1.5,
                direction: DVec3::new(0.0, 0.6, 0.8),
                phase: 0.7,
                start: 0.5,
                stop: 2.25,
            },
            Motion::Rotation {
                axis: DVec3::Y,
                point: DVec3::ZERO,
                rate: -0.7,
                start: 0.0,
                stop: FOREVER,
            },
            Motion::Velocity { velocity: DVec3::new(0.3, -0.1, 0.2), start: 1.0, stop: 2.0 },
        ]
    }

    #[test]
    fn velocity_is_the_derivative_of_the_position() {
        let rest =
            Pose { position: DVec3::new(1.0, 0.5, -0.4), rotation: DQuat::from_rotation_x(0.4) };
        let motions = all_motions();
        let local = DVec3::new(0.3, -0.2, 0.5);
        let h = 1e-5;
        for t in [0.1, 0.3, 0.7, 1.5, 1.9, 2.1, 2.6, 3.5] {
            let now = kinematics(&rest, &motions, t);
            let at = |t: f64| kinematics(&rest, &motions, t).pose.to_world(local);
            let numeric = (at(t + h) - at(t - h)) / (2.0 * h);
            let arm = now.pose.rotation * local;
            let exact = now.velocity + now.angular_velocity.cross(arm);
            assert!(numeric.distance(exact) < 1e-8, "t = {t}: {numeric} {exact}");
        }
    }

    #[test]
    fn rests_before_the_start_and_keeps_its_place_after_the_stop() {
        let motions = [Motion::Vibration {
            amplitude: 2.0,
            frequency: 0.25,
            direction: DVec3::X,
            phase: 0.0,
            start: 1.0,
            stop: 2.0,
        }];
        let before = kinematics(&Pose::IDENTITY, &motions, 0.5);
        assert_eq!((before.pose, before.velocity), (Pose::IDENTITY, DVec3::ZERO));
        let after = kinematics(&Pose::IDENTITY, &motions, 7.0);
        assert!((after.pose.position.x - 2.0).abs() < 1e-14);
        assert_eq!(after.velocity, DVec3::ZERO);
    }

    #[test]
    fn checking_makes_unit_vectors_and_refuses_nonsense() {
        let spin =
            |axis, stop| Motion::Rotation { axis, point: DVec3::ZERO, rate: 1.0, start: 0.0, stop };
        let unit = spin(DVec3::Z, FOREVER);
        assert_eq!(spin(3.0 * DVec3::Z, FOREVER).checked(), Ok(unit));
        assert!(matches!(spin(DVec3::ZERO, 1.0).checked(), Err(MotionError::ZeroDirection { .. })));
        assert!(matches!(spin(DVec3::Z, -1.0).checked(), Err(MotionError::Interval { .. })));
        assert!(matches!(spin(DVec3::Z, f64::NAN).checked(), Err(MotionError::Interval { .. })));
        assert!(matches!(spin(DVec3::NAN, 1.0).checked(), Err(MotionError::NotFinite { .. })));
    }

    #[test]
    fn planar_motion_stays_planar_to_the_bit() {
        let rest =
            Pose { position: DVec3::new(0.3, 0.7, 0.0), rotation: DQuat::from_rotation_z(0.3) };
        let point = DVec3::new(0.1, -0.2, 0.0);
        let motions = [
            Motion::Rotation { axis: DVec3::Z, point, rate: 1.3, start: 0.0, stop: FOREVER },
            Motion::Rotation { axis: -DVec3::Z, point, rate: 0.4, start: 0.0, stop: FOREVER },
        ];
        for i in 0..100 {
            let k = kinematics(&rest, &motions, 0.37 * f64::from(i));
            assert!(k.pose.to_world(DVec3::new(0.2, 0.9, 0.0)).z == 0.0);
            assert_eq!((k.velocity.z, k.angular_velocity.x, k.angular_velocity.y), (0.0, 0.0, 0.0));
        }
    }
}
