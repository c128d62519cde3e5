//! Velocity Verlet with an exact-to-rounding momentum and a symplectic rotation.

use glam::{DQuat, DVec3};

/// Mass and principal moments of a body, with what the rotation needs of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass [kg].
    pub mass: f64,
    /// Principal moments I1, I2, I3 in any order [kg m²].
    pub moments: DVec3,
}

/// Where a rigid body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidState {
    /// Centre of mass [m].
    pub x: DVec3,
    /// Velocity [m/s].
    pub v: DVec3,
    /// Orientation: turns body vectors into space.
    pub q: DQuat,
    /// Angular momentum in space [kg m²/s].
    pub l: DVec3,
}

impl RigidState {
    /// Half a step of forces: v += F/m dt/2, L += D dt/2. `force` [N] and `torque` [N m] are in
    /// space, `dt` [s] is the whole step.
    pub fn kick(&mut self, inertia: &Inertia, force: DVec3, torque: DVec3, dt: f64) {
        self.v += force * (0.5 * dt / inertia.mass);
        self.l += torque * (0.5 * dt);
    }

    /// A whole step of free motion, `dt` [s] long.
    pub fn drift(&mut self, inertia: &Inertia, dt: f64) {
        self.x += self.v * dt;
        self.q = free_rotation(inertia.moments, self.q, self.l, dt);
    }

    /// Angular velocity in space [1/s].
    #[must_use]
    pub fn omega(&self, inertia: &Inertia) -> DVec3 {
        let pi = self.q.conjugate() * self.l;
        self.q * (pi / inertia.moments)
    }

    /// Kinetic energy of motion and rotation [J].
    #[must_use]
    pub fn kinetic_energy(&self, inertia: &Inertia) -> f64 {
        let pi = self.q.conjugate() * self.l;
        0.5 * (inertia.mass * self.v.length_squared() + pi.dot(pi / inertia.moments))
    }
}

/// The orientation after `dt` of free rotation with angular momentum `l` in space.
///
/// The energy is split in three, T = ½ L²/I_m + ½ Σ_k (1/I_k − 1/I_m) π_k² with m the middle moment
/// and k the other two; each part is a rotation that is known exactly. The first turns the body
/// about L and commutes with the others (L² is a Casimir of the rotation group), so the error comes
/// from the two small rests alone: symmetric and spherical tops are exact. Like the five rotations of
/// Dullweber, Leimkuhler and McLachlan (1997) it is symplectic, reversible and of second order, and
/// L stays the same to the last bit, because it is never touched.
fn free_rotation(moments: DVec3, q: DQuat, l: DVec3, dt: f64) -> DQuat {
    let (low, middle, high) = order(moments);
    let rest = |k: usize| 1.0 / moments[k] - 1.0 / moments[middle];
    let mut pi = q.conjugate() * l;
    let mut turn = DQuat::IDENTITY;
    for (k, fraction) in [(low, 0.5), (high, 1.0), (low, 0.5)] {
        let angle = fraction * dt * rest(k) * pi[k];
        let axis = DVec3::AXES[k];
        let by = DQuat::from_axis_angle(axis, angle);
        turn *= by;
        pi = by.conjugate() * pi;
    }
    (DQuat::from_scaled_axis(l * (dt / moments[middle])) * q * turn).normalize()
}

/// Axes of the smallest, the middle and the largest moment.
fn order(moments: DVec3) -> (usize, usize, usize) {
    let (mut low, mut high) = (0, 0);
    for k in 1..3 {
        if moments[k] < moments[low] {
            low = k;
        }
        if moments[k] >= moments[high] {
            high = k;
        }
    }
    if low == high { (0, 1, 2) } else { (low, 3 - low - high, high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Random;

    #[test]
    fn symmetric_tops_are_exact() {
        let mut random = Random::new(4);
        for moments in [[2.0, 2.0, 3.0], [3.0, 1.0, 3.0], [1.5; 3]] {
            let moments = DVec3::from_array(moments);
            let (q, l) = (random.orientation(), random.direction());
            let one = free_rotation(moments, q, l, 2.0);
            let mut many = q;
            for _ in 0..1000 {
                many = free_rotation(moments, many, l, 0.002);
            }
            assert!((one.dot(many).abs() - 1.0).abs() < 1e-12, "{moments}");
        }
    }

    #[test]
    fn second_order_and_reversible_for_any_order_of_moments() {
        let mut random = Random::new(5);
        for moments in [[1.0, 2.0, 2.5], [2.5, 1.0, 2.0], [2.0, 2.5, 1.0]] {
            let moments = DVec3::from_array(moments);
            let (q, l) = (random.orientation(), 2.0 * random.direction());
            let run = |steps: u32| {
                let dt = 1.0 / f64::from(steps);
                (0..steps).fold(q, |q, _| free_rotation(moments, q, l, dt))
            };
            let exact = run(4096);
            let angle = |a: DQuat| (a * exact.conjugate()).xyz().length();
            let order = (angle(run(16)) / angle(run(32))).log2();
            assert!((order - 2.0).abs() < 0.1, "{order}");
            let back = free_rotation(moments, free_rotation(moments, q, l, 0.3), l, -0.3);
            assert!((back.dot(q).abs() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn a_kick_is_half_a_step() {
        let inertia = Inertia { mass: 2.0, moments: DVec3::ONE };
        let zero = DVec3::ZERO;
        let mut body = RigidState { x: zero, v: zero, q: DQuat::IDENTITY, l: zero };
        body.kick(&inertia, DVec3::X, DVec3::Y, 0.5);
        assert_eq!((body.v, body.l), (DVec3::X * 0.125, DVec3::Y * 0.25));
        body.drift(&inertia, 0.5);
        assert!((body.x.x - 0.0625).abs() < 1e-15 && body.kinetic_energy(&inertia) > 0.0);
        assert!(body.omega(&inertia).distance(DVec3::Y * 0.25) < 1e-15);
    }
}
