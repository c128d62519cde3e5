//! Rigid bodies by Gear's method.

use glam::{DQuat, DVec3, DVec4};

use super::gear::{Dependence, Gear, GearError};
use super::kinematics::{angular_acceleration, quaternion_second_rate};

/// A rigid body that moves by Gear's method: position and quaternion with their derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GearBody {
    x: Gear<DVec3>,
    q: Gear<DVec4>,
    moments: DVec3,
    dt: f64,
}

impl GearBody {
    /// A body at `x` with velocity `v` and acceleration `a`, orientation `q`, angular velocity `omega`
    /// in space and principal moments [kg m²]; every step is `dt` [s] long. `on` says what the
    /// acceleration depends on; that of the orientation always depends on its rate.
    ///
    /// # Errors
    /// When `values` is not 4 to 8.
    pub fn new(
        (values, on): (usize, Dependence),
        [x, v, a]: [DVec3; 3],
        (q, omega): (DQuat, DVec3),
        moments: DVec3,
        dt: f64,
    ) -> Result<Self, GearError> {
        // (2.27) depends on q̇: the velocity variant.
        let mut turn = Gear::new(values, Dependence::Velocity, [DVec4::ZERO; 3], dt)?;
        for (n, r) in free_rotation_series(moments, q, omega, dt).into_iter().enumerate() {
            turn.set_scaled(n, r);
        }
        let x = Gear::new(values, on, [x, v, a], dt)?;
        Ok(Self { x, q: turn, moments, dt })
    }

    /// One step: predict, ask for acceleration [m/s²] and torque [N m] there, correct.
    pub fn step(&mut self, load: impl FnOnce(&Self) -> (DVec3, DVec3)) {
        self.predict();
        let (acceleration, torque) = load(self);
        self.correct(acceleration, torque);
    }

    /// The first half of a step: position, velocity, orientation and angular velocity are then those
    /// to ask for forces with.
    pub fn predict(&mut self) {
        self.x.predict();
        self.q.predict();
    }

    /// The second half, with the acceleration [m/s²] and the torque [N m] there.
    pub fn correct(&mut self, acceleration: DVec3, torque: DVec3) {
        let (q, omega) = (self.orientation(), self.omega());
        let alpha = angular_acceleration(self.moments, q, omega, torque); // (2.26)
        let second = quaternion_second_rate(omega, alpha, q); // (2.27)
        self.x.correct(acceleration, self.dt);
        self.q.correct(DVec4::from(second), self.dt);
        // The unit length is kept for the quaternion itself.
        let length = self.q.value().length();
        self.q.set_value(self.q.value() / length);
    }

    /// Position [m].
    #[must_use]
    pub fn position(&self) -> DVec3 {
        self.x.value()
    }

    /// Velocity [m/s].
    #[must_use]
    pub fn velocity(&self) -> DVec3 {
        self.x.rate(self.dt)
    }

    /// Orientation, a unit quaternion.
    #[must_use]
    pub fn orientation(&self) -> DQuat {
        DQuat::from_vec4(self.q.value()).normalize()
    }

    /// Angular velocity in space [1/s]: ω = 2 q̇ q* (2.25).
    #[must_use]
    pub fn omega(&self) -> DVec3 {
        let rate = DQuat::from_vec4(self.q.rate(self.dt));
        let product = (rate * self.orientation().conjugate()) * 2.0;
        DVec3::new(product.x, product.y, product.z)
    }

    /// Makes the next steps `dt` [s] long.
    pub fn set_step(&mut self, dt: f64) {
        // Only a real change: scaling costs a rounding.
        if (dt - self.dt).abs() > 0.0 {
            self.x.rescale(dt / self.dt);
            self.q.rescale(dt / self.dt);
            self.dt = dt;
        }
    }

    /// Puts the body elsewhere [m], as at a periodic boundary.
    pub fn set_position(&mut self, x: DVec3) {
        self.x.set_value(x);
    }

    /// How many numbers [`Self::write`] writes for a number of values.
    #[must_use]
    pub fn numbers(values: usize) -> usize {
        7 * values + 1
    }

    /// Writes the step and all scaled derivatives, for a checkpoint.
    pub fn write(&self, out: &mut [f64]) {
        let x = self.x.scaled().iter().flat_map(|r| r.to_array());
        let q = self.q.scaled().iter().flat_map(|r| r.to_array());
        for (slot, number) in out.iter_mut().zip(std::iter::once(self.dt).chain(x).chain(q)) {
            *slot = number;
        }
    }

    /// A body from what [`Self::write`] wrote.
    ///
    /// # Errors
    /// When `values` is not 4 to 8, or there are not as many numbers as they take.
    pub fn read(
        (values, on): (usize, Dependence),
        moments: DVec3,
        from: &[f64],
    ) -> Result<Self, GearError> {
        let [dt, numbers @ ..] = from else { return Err(GearError(values)) };
        if from.len() != Self::numbers(values) {
            return Err(GearError(values));
        }
        let mut x = Gear::new(values, on, [DVec3::ZERO; 3], *dt)?;
        let mut q = Gear::new(values, Dependence::Velocity, [DVec4::ZERO; 3], *dt)?;
        let (first, second) = numbers.split_at(3 * values);
        for (n, r) in first.chunks_exact(3).enumerate() {
            x.set_scaled(n, DVec3::from_slice(r));
        }
        for (n, r) in second.chunks_exact(4).enumerate() {
            q.set_scaled(n, DVec4::from_slice(r));
        }
        Ok(Self { x, q, moments, dt: *dt })
    }
}

/// The first eight terms r_n of the orientation's Taylor series for a body without torque (3.24), so
/// that the method starts with its full order. In the body's frame q̇ = ½ q [0, w] and
/// I ẇ = I w × w; products of series are sums over products of terms.
fn free_rotation_series(moments: DVec3, q: DQuat, omega: DVec3, dt: f64) -> [DVec4; 8] {
    let pure = |w: DVec3| DQuat::from_xyzw(w.x, w.y, w.z, 0.0);
    let mut w = [q.conjugate() * omega * dt; 8];
    let mut r = [q; 8];
    for n in 0..7 {
        let next = 1.0 / (n + 1) as f64;
        let gyration: DVec3 = (0..=n).map(|k| (moments * w[k]).cross(w[n - k])).sum();
        w[n + 1] = next * gyration / moments;
        let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        r[n + 1] = (0..=n).fold(zero, |sum, k| sum + r[k] * pure(w[n - k])) * (0.5 * next);
    }
    r.map(DVec4::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Random;

    fn body(values: usize, dt: f64) -> GearBody {
        let mut random = Random::new(6);
        let motion = [random.direction(), random.direction(), DVec3::NEG_Y];
        let turn = (random.orientation(), 2.0 * random.direction());
        GearBody::new((values, Dependence::Position), motion, turn, DVec3::new(1.0, 2.0, 2.5), dt)
            .unwrap()
    }

    #[test]
    fn start_agrees_with_the_equations_of_motion() {
        use super::super::kinematics::quaternion_rate;
        let mut random = Random::new(7);
        let moments = DVec3::new(1.0, 2.0, 2.5);
        let (q, omega, dt) = (random.orientation(), random.direction(), 0.01);
        let series = free_rotation_series(moments, q, omega, dt);
        let alpha = angular_acceleration(moments, q, omega, DVec3::ZERO);
        let rate = DVec4::from(quaternion_rate(omega, q)) * dt; // (2.20)
        let second = DVec4::from(quaternion_second_rate(omega, alpha, q)) * (0.5 * dt * dt); // (2.22)
        assert!(series[1].distance(rate) < 1e-16 && series[2].distance(second) < 1e-17);
        // All terms together are the orientation after a step, by many small Runge–Kutta steps.
        let spin = q * (moments * (q.conjugate() * omega));
        let rate = |q: DQuat| {
            let unit = q.normalize();
            quaternion_rate(unit * ((unit.conjugate() * spin) / moments), q)
        };
        let (mut exact, h) = (q, dt / 100.0);
        for _ in 0..100 {
            let k1 = rate(exact);
            let k2 = rate(exact + k1 * (0.5 * h));
            let k3 = rate(exact + k2 * (0.5 * h));
            let k4 = rate(exact + k3 * h);
            exact += (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
        }
        let sum: DVec4 = series.iter().sum();
        assert!(sum.distance(DVec4::from(exact)) < 1e-15);
    }

    #[test]
    fn numbers_come_back_to_the_last_bit() {
        for values in 4..=8 {
            let mut one = body(values, 1e-3);
            one.step(|_| (DVec3::NEG_Y, DVec3::ZERO));
            let mut numbers = vec![0.0; GearBody::numbers(values)];
            one.write(&mut numbers);
            let kind = (values, Dependence::Position);
            let mut other = GearBody::read(kind, DVec3::new(1.0, 2.0, 2.5), &numbers).unwrap();
            assert_eq!(one, other);
            one.step(|_| (DVec3::NEG_Y, DVec3::X));
            other.step(|_| (DVec3::NEG_Y, DVec3::X));
            assert_eq!(one, other);
            assert!(GearBody::read(kind, DVec3::ONE, &numbers[1..]).is_err());
        }
    }

    #[test]
    fn falling_is_exact_also_when_the_step_changes() {
        let mut one = body(5, 1e-3);
        let (x, v) = (one.position(), one.velocity());
        let mut time = 0.0;
        for dt in [1e-3, 1e-3, 5e-4, 2e-3, 2e-3] {
            one.set_step(dt);
            one.step(|_| (DVec3::NEG_Y, DVec3::ZERO));
            time += dt;
        }
        let expected = x + time * v - 0.5 * time * time * DVec3::Y;
        assert!(one.position().distance(expected) < 1e-14);
        assert!(one.velocity().distance(v - time * DVec3::Y) < 1e-13);
        assert!((one.orientation().length() - 1.0).abs() < 1e-14);
    }
}
