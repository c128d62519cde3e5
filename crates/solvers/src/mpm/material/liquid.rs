//! A weakly compressible liquid.

use super::super::config::ConfigError;
use super::{Law, Principal, Tangent, volume_change};
use lawine_core::simd::{F32x8, Simd};
use lawine_settings::Settings;

/// A liquid without viscosity: p = K/7 (J⁻⁷ − 1) (Tait). It keeps no shear and carries no tension: what
/// has come apart must close before it resists again.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Liquid {
    /// Bulk modulus K [Pa].
    ///
    /// Far less than that of water will do, as long as √(K/ρ) is ten times the speed of the flow.
    #[setting(above = 0)]
    pub bulk_modulus: f64,
}

impl Liquid {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        Self::TABLE.check([("bulk_modulus", self.bulk_modulus)])?;
        Ok(())
    }
}

/// (1 + x)⁷ − 1, without losing digits.
#[inline(always)]
fn seventh_power_less_one<S: Simd>(x: F32x8<S>) -> F32x8<S> {
    let mut sum = 7.0 + x;
    for binomial in [21.0, 35.0, 35.0, 21.0, 7.0] {
        sum = binomial + x * sum;
    }
    x * sum
}

impl Law for Liquid {
    #[inline(always)]
    fn project<S: Simd>(&self, d: Principal<S>, q: F32x8<S>) -> Principal<S> {
        let change = volume_change(d);
        // The whole volume, gaps included; only what is compressed stays elastic.
        let total = change + q + change * q;
        [total.min(0.0).map(|x| ((1.0 + f64::from(x)).cbrt() - 1.0) as f32); 3]
    }

    #[inline(always)]
    fn stress<S: Simd>(&self, _: S, d: Principal<S>, _: F32x8<S>) -> (Principal<S>, F32x8<S>) {
        let change = volume_change(d);
        let power = seventh_power_less_one(change);
        // τ = −J p, with J⁻⁷ − 1 = −power / (1 + power).
        let per = self.bulk_modulus as f32 * (1.0 + change) / (1.0 + power);
        ([per * power * (1.0 / 7.0); 3], per)
    }

    fn tangent(&self, s: [f64; 3], _: f64) -> Tangent {
        let j = s[0] * s[1] * s[2];
        // ψ' = −p and ψ'' = K J⁻⁸.
        let slope = -self.bulk_modulus / 7.0 * (j.powi(-7) - 1.0);
        let curve = self.bulk_modulus * j.powi(-8);
        let second = |i: usize, k: usize| {
            let product = curve * (j / s[i]) * (j / s[k]);
            if i == k { product } else { product + slope * s[3 - i - k] }
        };
        Tangent {
            first: s.map(|x| slope * j / x),
            second: [0, 1, 2].map(|i| [0, 1, 2].map(|k| second(i, k))),
        }
    }
}
