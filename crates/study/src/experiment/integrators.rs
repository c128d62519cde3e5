//! Methods that the thesis warns of: rotation matrices, Euler's method and Runge–Kutta (2.3.1, 3.6).
//!
//! Nothing here is used by a method; studies show with it why.

use glam::{DMat3, DQuat, DVec3};

use lawine_core::rigid::{angular_acceleration, quaternion_rate};

/// Orientation and angular velocity of a free body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RotationState {
    /// Orientation; its length drifts from 1, which is part of what is to be seen.
    pub(super) q: DQuat,
    /// Angular velocity in space [1/s].
    pub(super) omega: DVec3,
}

impl RotationState {
    fn rate(&self, moments: DVec3) -> (DQuat, DVec3) {
        let unit = self.q.normalize();
        (
            quaternion_rate(self.omega, self.q),
            angular_acceleration(moments, unit, self.omega, DVec3::ZERO),
        )
    }

    fn moved(&self, (q_rate, omega_rate): (DQuat, DVec3), dt: f64) -> Self {
        Self { q: self.q + q_rate * dt, omega: self.omega + omega_rate * dt }
    }
}

/// A rotation matrix after one Euler step of Ṙ = ω × R (2.13). It is no rotation any more: bodies
/// grow, and not equally in all directions (Figures 2.1 to 2.4).
#[must_use]
pub(super) fn euler_matrix(r: &DMat3, omega: DVec3, dt: f64) -> DMat3 {
    let column = |c: DVec3| c + dt * omega.cross(c);
    DMat3::from_cols(column(r.x_axis), column(r.y_axis), column(r.z_axis))
}

/// One step of Euler's method (3.18).
#[must_use]
pub(super) fn euler_step(state: RotationState, moments: DVec3, dt: f64) -> RotationState {
    state.moved(state.rate(moments), dt)
}

/// One step of Runge and Kutta's method of fourth order (3.19, with k3 from k2/2).
#[must_use]
pub(super) fn runge_kutta_step(state: RotationState, moments: DVec3, dt: f64) -> RotationState {
    let k1 = state.rate(moments);
    let k2 = state.moved(k1, 0.5 * dt).rate(moments);
    let k3 = state.moved(k2, 0.5 * dt).rate(moments);
    let k4 = state.moved(k3, dt).rate(moments);
    let q = (k1.0 + (k2.0 + k3.0) * 2.0 + k4.0) * (1.0 / 6.0);
    let omega = (k1.1 + 2.0 * (k2.1 + k3.1) + k4.1) / 6.0;
    state.moved((q, omega), dt)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 2.5);

    fn run(step: fn(RotationState, DVec3, f64) -> RotationState, steps: u32) -> RotationState {
        let start = RotationState { q: DQuat::IDENTITY, omega: DVec3::new(1.0, 0.5, 2.0) };
        (0..steps).fold(start, |state, _| step(state, MOMENTS, 1.0 / f64::from(steps)))
    }

    #[test]
    fn euler_is_of_first_and_runge_kutta_of_fourth_order() {
        let exact = run(runge_kutta_step, 2000).omega;
        let error = |step, n| run(step, n).omega.distance(exact);
        let euler = error(euler_step, 100) / error(euler_step, 200);
        let kutta = error(runge_kutta_step, 20) / error(runge_kutta_step, 40);
        assert!((euler.log2() - 1.0).abs() < 0.1 && (kutta.log2() - 4.0).abs() < 0.2);
    }

    #[test]
    fn matrices_grow_across_the_axis_and_quaternions_do_not_deform() {
        // A tetrahedron about the axis through a corner, step 0.1 s (Figure 2.4).
        let omega = DVec3::Z * 10.0;
        let mut r = DMat3::IDENTITY;
        for _ in 0..100 {
            r = euler_matrix(&r, omega, 0.1);
        }
        let growth = 2.0_f64.powf(50.0);
        assert!((r * DVec3::X).length() > 0.99 * growth, "√(1 + (ω dt)²) a step");
        assert!(((r * DVec3::Z).length() - 1.0).abs() < 1e-12);
    }
}
