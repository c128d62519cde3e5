//! Unit quaternions as orientations (Schinner 2.3 and Appendix A).
//!
//! `q` turns body vectors into space: x = q x̄ q* (2.28). Angular velocities are in space.

use glam::{DMat3, DQuat, DVec3};

/// The quaternion [0, ω].
fn pure(omega: DVec3) -> DQuat {
    DQuat::from_xyzw(omega.x, omega.y, omega.z, 0.0)
}

/// q̇ = ½ [0, ω] q (2.20).
#[must_use]
pub fn quaternion_rate(omega: DVec3, q: DQuat) -> DQuat {
    // glam's product is (A.4) with the cross product that the thesis lacks; it does not normalise.
    (pure(omega) * q) * 0.5
}

/// q̈ = ½ ([0, ω̇] q + ½ [0, ω] [0, ω] q) (2.22).
#[must_use]
pub fn quaternion_second_rate(omega: DVec3, omega_rate: DVec3, q: DQuat) -> DQuat {
    (pure(omega_rate) * q + (pure(omega) * (pure(omega) * q)) * 0.5) * 0.5
}

/// ω̇ = I⁻¹ (D + I ω × ω) (2.24), with the tensor turned into space by (2.29) and (2.30).
///
/// `moments` are the principal moments [kg m²], `torque` D [N m].
#[must_use]
pub fn angular_acceleration(moments: DVec3, q: DQuat, omega: DVec3, torque: DVec3) -> DVec3 {
    // In the body's frame the tensor is diagonal: turn there and back.
    let into = q.conjugate();
    let w = into * omega;
    q * ((into * torque + (moments * w).cross(w)) / moments)
}

/// R Ī Rᵀ for a diagonal tensor (2.29).
#[must_use]
pub fn rotate_tensor(q: DQuat, diagonal: DVec3) -> DMat3 {
    let r = DMat3::from_quat(q);
    r * DMat3::from_diagonal(diagonal) * r.transpose()
}

/// The unit quaternion of a rotation matrix, from the largest of its four components: (A.20) divides
/// by w, which may be zero.
#[must_use]
pub fn quaternion_from_matrix(r: &DMat3) -> DQuat {
    let m = |i: usize, j: usize| r.col(j)[i];
    let trace = m(0, 0) + m(1, 1) + m(2, 2);
    // 4 w², 4 x², 4 y², 4 z²
    let squares = [
        1.0 + trace,
        1.0 + 2.0 * m(0, 0) - trace,
        1.0 + 2.0 * m(1, 1) - trace,
        1.0 + 2.0 * m(2, 2) - trace,
    ];
    let mut largest = 0;
    for k in 1..4 {
        if squares[k] > squares[largest] {
            largest = k;
        }
    }
    // Four times the products of the largest component with all of them, (A.19).
    let wx = m(2, 1) - m(1, 2);
    let wy = m(0, 2) - m(2, 0);
    let wz = m(1, 0) - m(0, 1);
    let xy = m(1, 0) + m(0, 1);
    let xz = m(2, 0) + m(0, 2);
    let yz = m(2, 1) + m(1, 2);
    let [w, x, y, z] = match largest {
        0 => [squares[0], wx, wy, wz],
        1 => [wx, squares[1], xy, xz],
        2 => [wy, xy, squares[2], yz],
        _ => [wz, xz, yz, squares[3]],
    };
    DQuat::from_xyzw(x, y, z, w).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Random;

    #[test]
    fn product_has_the_cross_product() {
        let (i, j) = (pure(DVec3::X), pure(DVec3::Y));
        assert!((i * j).abs_diff_eq(pure(DVec3::Z), 1e-15));
        assert!((j * i).abs_diff_eq(pure(-DVec3::Z), 1e-15));
    }

    #[test]
    fn rates_agree_with_differences() {
        let mut random = Random::new(1);
        for _ in 0..100 {
            let (q, omega) = (random.orientation(), 3.0 * random.direction());
            // A rotation with constant acceleration about a fixed axis is known exactly.
            let alpha = 2.0 * omega;
            let at = |t: f64| DQuat::from_scaled_axis((t + t * t) * omega) * q;
            let h = 1e-4;
            let rate = (at(h) - at(-h)) * (0.5 / h);
            let second = (at(h) + at(-h) - q * 2.0) * (1.0 / (h * h));
            assert!(rate.abs_diff_eq(quaternion_rate(omega, q), 1e-6));
            assert!(second.abs_diff_eq(quaternion_second_rate(omega, alpha, q), 1e-5));
        }
    }

    #[test]
    fn eulers_equation_keeps_energy_and_momentum_to_first_order() {
        let mut random = Random::new(2);
        let moments = DVec3::new(1.0, 2.0, 2.5);
        for _ in 0..100 {
            let (q, omega) = (random.orientation(), random.direction());
            let rate = angular_acceleration(moments, q, omega, DVec3::ZERO);
            let tensor = rotate_tensor(q, moments);
            // d/dt (½ ω·L) = ω̇·L for a free body, and dL/dt = I ω̇ + ω × I ω = 0.
            assert!(rate.dot(tensor * omega).abs() < 1e-13);
            assert!((tensor * rate + omega.cross(tensor * omega)).length() < 1e-13);
            let torque = random.direction();
            let pushed = angular_acceleration(moments, q, omega, torque) - rate;
            assert!((tensor * pushed - torque).length() < 1e-13);
        }
    }

    #[test]
    fn matrices_come_back_also_for_half_turns() {
        let mut random = Random::new(3);
        let check = |q: DQuat| {
            let back = quaternion_from_matrix(&DMat3::from_quat(q));
            assert!((back.dot(q).abs() - 1.0).abs() < 1e-14, "{q} {back}");
        };
        for axis in DVec3::AXES {
            check(DQuat::from_axis_angle(axis, std::f64::consts::PI));
        }
        for _ in 0..1000 {
            check(random.orientation());
            check(DQuat::from_axis_angle(random.direction(), std::f64::consts::PI));
        }
    }
}
