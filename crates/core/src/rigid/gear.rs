//! Gear's predictor–corrector with 4 to 8 values (Schinner 3.7; Gear 1971).

use lawine_settings::Word;
use std::ops::{Add, Mul, Sub};

/// The numbers of values there are coefficients for.
pub const GEAR_VALUES: std::ops::RangeInclusive<usize> = 4..=8;

/// What the second derivative depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Dependence {
    /// On positions only, r̈ = f(r): c0 as given by Gear.
    Position,
    /// Also on velocities, r̈ = f(r, ṙ): a larger c0 for five and six values (Allen and Tildesley 1987).
    ///
    /// It costs an order where f does not depend on ṙ. For 4, 7 and 8 values there is no second variant.
    Velocity,
}

/// A number of values that has no coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Gear's method is available with 4 to 8 values, not with {0}")]
pub struct GearError(
    /// How many were asked for.
    pub usize,
);

/// The corrector's coefficients c0, c1, … for r̈ = f (Schinner, Table 3.1, rows p = 2).
///
/// # Errors
/// When `values` is not 4 to 8.
pub fn gear_coefficients(values: usize, on: Dependence) -> Result<[f64; 8], GearError> {
    let velocity = on == Dependence::Velocity;
    let c: &[f64] = match (values, velocity) {
        (4, _) => &[1.0 / 6.0, 5.0 / 6.0, 1.0, 1.0 / 3.0],
        (5, false) => &[19.0 / 120.0, 3.0 / 4.0, 1.0, 1.0 / 2.0, 1.0 / 12.0],
        (5, true) => &[19.0 / 90.0, 3.0 / 4.0, 1.0, 1.0 / 2.0, 1.0 / 12.0],
        (6, false) => &[3.0 / 20.0, 251.0 / 360.0, 1.0, 11.0 / 18.0, 1.0 / 6.0, 1.0 / 60.0],
        (6, true) => &[3.0 / 16.0, 251.0 / 360.0, 1.0, 11.0 / 18.0, 1.0 / 6.0, 1.0 / 60.0],
        (7, _) => &[
            863.0 / 6048.0,
            665.0 / 1008.0,
            1.0,
            25.0 / 36.0,
            35.0 / 144.0,
            1.0 / 24.0,
            1.0 / 360.0,
        ],
        (8, _) => &[
            275.0 / 2016.0, // printed as 1925/14112, which is the same
            19087.0 / 30240.0,
            1.0,
            137.0 / 180.0,
            5.0 / 16.0,
            17.0 / 240.0,
            1.0 / 120.0,
            1.0 / 2520.0,
        ],
        _ => return Err(GearError(values)),
    };
    let mut all = [0.0; 8];
    all[..c.len()].copy_from_slice(c);
    Ok(all)
}

/// The corrector's coefficients c0, c1, … for ṙ = f (Schinner, Table 3.1, rows p = 1): c0 is the
/// coefficient of the newest rate in the Adams–Moulton formula of order `values`, the others those
/// of Σ c_n xⁿ with the derivative Π (1 + x/i), i from 1 to `values` − 2.
///
/// # Errors
/// When `values` is not 4 to 8.
pub fn gear_first_order_coefficients(values: usize) -> Result<[f64; 8], GearError> {
    const NEWEST: [f64; 5] =
        [3.0 / 8.0, 251.0 / 720.0, 95.0 / 288.0, 19087.0 / 60480.0, 5257.0 / 17280.0];
    if !GEAR_VALUES.contains(&values) {
        return Err(GearError(values));
    }
    let mut product = [0.0; 8];
    product[0] = 1.0;
    for i in 1..=values - 2 {
        for n in (1..=i).rev() {
            product[n] += product[n - 1] / i as f64;
        }
    }
    let mut all = [0.0; 8];
    all[0] = NEWEST[values - 4];
    for n in 1..values {
        all[n] = product[n - 1] / n as f64;
    }
    Ok(all)
}

/// A quantity with its scaled derivatives r_n = δtⁿ/n! dⁿr/dtⁿ (3.24).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gear<T> {
    r: [T; 8],
    values: usize,
    c: [f64; 8],
}

impl<T> Gear<T>
where
    T: Copy + Default + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    /// Starts with value, rate and second rate; higher derivatives are zero and come in within as
    /// many steps as there are values.
    ///
    /// # Errors
    /// When `values` is not 4 to 8.
    pub fn new(
        values: usize,
        on: Dependence,
        [r, rate, second]: [T; 3],
        dt: f64,
    ) -> Result<Self, GearError> {
        let c = gear_coefficients(values, on)?;
        let mut all = [T::default(); 8];
        (all[0], all[1], all[2]) = (r, rate * dt, second * (0.5 * dt * dt));
        Ok(Self { r: all, values, c })
    }

    /// Starts an equation of first order, ṙ = f, with value and rate.
    ///
    /// # Errors
    /// When `values` is not 4 to 8.
    pub fn first_order(values: usize, [r, rate]: [T; 2], dt: f64) -> Result<Self, GearError> {
        let c = gear_first_order_coefficients(values)?;
        let mut all = [T::default(); 8];
        (all[0], all[1]) = (r, rate * dt);
        Ok(Self { r: all, values, c })
    }

    /// Sets the derivative of order `n` at the present time, for a start with full order.
    pub fn set_derivative(&mut self, n: usize, derivative: T, dt: f64) {
        if n < self.values {
            let scale = (1..=n).fold(1.0, |s, k| s * dt / k as f64);
            self.r[n] = derivative * scale;
        }
    }

    /// The predictor: Pascal's triangle (3.25), (3.26), by sums only.
    pub fn predict(&mut self) {
        for first in (0..self.values - 1).rev() {
            for k in first..self.values - 1 {
                self.r[k] = self.r[k] + self.r[k + 1];
            }
        }
    }

    /// The corrector (3.30), with the second rate at the predicted values.
    pub fn correct(&mut self, second: T, dt: f64) {
        let delta = second * (0.5 * dt * dt) - self.r[2]; // (3.28), (3.29)
        for k in 0..self.values {
            self.r[k] = self.r[k] + delta * self.c[k];
        }
    }

    /// The corrector of an equation of first order (3.27), with the rate at the predicted values.
    pub fn correct_rate(&mut self, rate: T, dt: f64) {
        let delta = rate * dt - self.r[1];
        for k in 0..self.values {
            self.r[k] = self.r[k] + delta * self.c[k];
        }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> T {
        self.r[0]
    }

    /// Its rate.
    #[must_use]
    pub fn rate(&self, dt: f64) -> T {
        self.r[1] * (1.0 / dt)
    }

    /// Goes on with another step: r_n scales with δtⁿ.
    pub fn rescale(&mut self, ratio: f64) {
        let mut scale = 1.0;
        for r in &mut self.r[..self.values] {
            *r = *r * scale;
            scale *= ratio;
        }
    }

    /// Puts the value elsewhere, as at a periodic boundary, or makes it unit again.
    pub fn set_value(&mut self, value: T) {
        self.r[0] = value;
    }

    /// Takes over scaled derivatives, as [`Self::scaled`] gives them.
    pub fn set_scaled(&mut self, n: usize, value: T) {
        if n < self.values {
            self.r[n] = value;
        }
    }

    /// All scaled derivatives in use.
    #[must_use]
    pub fn scaled(&self) -> &[T] {
        &self.r[..self.values]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error at t = 1 of r̈ = −r + damping (ṙ − exact ṙ) from exact derivatives, r = cos t.
    fn error(values: usize, on: Dependence, damping: f64, steps: usize) -> f64 {
        let dt = 1.0 / steps as f64;
        let mut gear = Gear::new(values, on, [1.0, 0.0, -1.0], dt).unwrap();
        for n in 3..values {
            gear.set_derivative(n, [1.0, 0.0, -1.0, 0.0][n % 4], dt);
        }
        for k in 1..=steps {
            gear.predict();
            let rate = gear.rate(dt);
            let exact = -(k as f64 * dt).sin();
            let second = -gear.value() + damping * (rate - exact);
            gear.correct(second, dt);
        }
        (gear.value() - 1.0_f64.cos()).abs()
    }

    #[test]
    fn order_of_convergence_grows_with_the_values() {
        // (values, variant, damping, order at least): k values give order k − 1.
        let cases = [
            (4, Dependence::Position, 0.0, 2.9),
            (5, Dependence::Position, 0.0, 3.9),
            (6, Dependence::Position, 0.0, 4.9),
            (7, Dependence::Position, 0.0, 5.9),
            (8, Dependence::Position, 0.0, 6.9),
            (5, Dependence::Velocity, -0.5, 3.4),
            (6, Dependence::Velocity, -0.5, 4.4),
        ];
        for (values, on, damping, expected) in cases {
            let n = if values < 8 { 40 } else { 20 };
            let (coarse, fine) = (error(values, on, damping, n), error(values, on, damping, 2 * n));
            let order = (coarse / fine).log2();
            assert!(order > expected, "{values} {on:?}: order {order}, error {fine}");
        }
    }

    #[test]
    fn first_order_rows_are_the_printed_ones_and_converge() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} instead of {b}");
        let row = |values| gear_first_order_coefficients(values).unwrap();
        for (n, c) in [3.0 / 8.0, 1.0, 3.0 / 4.0, 1.0 / 6.0].into_iter().enumerate() {
            near(row(4)[n], c);
        }
        let six = [95.0 / 288.0, 1.0, 25.0 / 24.0, 35.0 / 72.0, 5.0 / 48.0, 1.0 / 120.0];
        for (n, c) in six.into_iter().enumerate() {
            near(row(6)[n], c);
        }
        let eight =
            [49.0 / 40.0, 203.0 / 270.0, 49.0 / 192.0, 7.0 / 144.0, 7.0 / 1440.0, 1.0 / 5040.0];
        for (n, c) in eight.into_iter().enumerate() {
            near(row(8)[n + 2], c);
        }
        // ṙ = −r from exact derivatives, r = e^−t: k values give order k.
        let error = |values: usize, steps: usize| {
            let dt = 1.0 / steps as f64;
            let mut gear = Gear::first_order(values, [1.0, -1.0], dt).unwrap();
            for n in 2..values {
                gear.set_derivative(n, if n % 2 == 0 { 1.0 } else { -1.0 }, dt);
            }
            for _ in 0..steps {
                gear.predict();
                gear.correct_rate(-gear.value(), dt);
            }
            (gear.value() - (-1.0_f64).exp()).abs()
        };
        for values in GEAR_VALUES {
            let order = (error(values, 20) / error(values, 40)).log2();
            assert!(order > values as f64 - 0.3, "{values} values: order {order}");
        }
    }

    #[test]
    fn predictor_is_exact_for_polynomials() {
        // r = t³ at t = 2 with step 0.5.
        let mut gear = Gear::new(5, Dependence::Position, [8.0, 12.0, 12.0], 0.5).unwrap();
        gear.set_derivative(3, 6.0, 0.5);
        gear.predict();
        assert!((gear.value() - 15.625).abs() < 1e-13 && (gear.rate(0.5) - 18.75).abs() < 1e-13);
    }

    #[test]
    fn only_four_to_eight_values() {
        for values in 0..12 {
            let fine = gear_coefficients(values, Dependence::Velocity).is_ok();
            assert_eq!(fine, GEAR_VALUES.contains(&values));
        }
        assert_eq!(
            GearError(9).to_string(),
            "Gear's method is available with 4 to 8 values, not with 9"
        );
    }
}
