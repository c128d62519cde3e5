//! Snow.

use super::super::config::ConfigError;
use super::super::settings::SnowLaw;
use super::{Elastic, Law, Principal, Tangent};
use lawine_core::simd::{F32x8, Simd};
use lawine_settings::Settings;

/// Snow of Stomakhin et al. 2013: elastic within 1 − θ_c ≤ s ≤ 1 + θ_s, plastic beyond; compression
/// hardens and stretch weakens it by e^{ξ(1 − J_P)} (Meyer 22, 29, 30).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snow {
    /// Elasticity before any plastic flow.
    pub elastic: Elastic,
    /// Hardening coefficient ξ.
    pub hardening: f64,
    /// Critical compression θ_c.
    pub critical_compression: f64,
    /// Critical stretch θ_s.
    pub critical_stretch: f64,
    /// Upper limit of the hardening factor: a single crushed particle would otherwise dictate the
    /// time step (e⁴ = 55 at J_P = 0.6 and ξ = 10).
    pub hardening_limit: f64,
}

/// Softening ends at e^-12: what has come apart that far carries nothing.
const SOFTEST: f32 = -12.0;

impl Snow {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.elastic.check()?;
        SnowLaw::TABLE.check([
            ("critical_compression", self.critical_compression),
            ("critical_stretch", self.critical_stretch),
            ("hardening", self.hardening),
            ("hardening_limit", self.hardening_limit),
        ])?;
        Ok(())
    }

    /// e^{ξ(1 − J_P)} within its limits.
    #[inline(always)]
    fn factor<S: Simd>(&self, q: F32x8<S>) -> F32x8<S> {
        let exponent = -self.hardening as f32 * q;
        exp(exponent.min(self.hardening_limit.ln() as f32).max(SOFTEST))
    }
}

/// e^x for −14 < x < 14 to 4e−6 of its value: the series of e^{x/16}, squared four times.
#[inline(always)]
fn exp<S: Simd>(x: F32x8<S>) -> F32x8<S> {
    let x = x * (1.0 / 16.0);
    // The innermost bracket is 1 + x/9 · 1.
    let mut sum = 1.0 + x * (1.0 / 9.0);
    for n in [8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0_f32] {
        sum = 1.0 + x * (1.0 / n) * sum;
    }
    for _ in 0..4 {
        sum = sum * sum;
    }
    sum
}

impl Law for Snow {
    /// Clamps the singular values (Meyer 22).
    #[inline(always)]
    fn project<S: Simd>(&self, d: Principal<S>, _: F32x8<S>) -> Principal<S> {
        let (low, high) = (-self.critical_compression as f32, self.critical_stretch as f32);
        let [x, y, z] = d;
        [x.min(high).max(low), y.min(high).max(low), z.min(high).max(low)]
    }

    #[inline(always)]
    fn stress<S: Simd>(&self, s: S, d: Principal<S>, q: F32x8<S>) -> (Principal<S>, F32x8<S>) {
        let factor = self.factor(q);
        let ([x, y, z], modulus) = self.elastic.kirchhoff(s, d);
        ([x * factor, y * factor, z * factor], modulus * factor)
    }

    fn tangent(&self, s: [f64; 3], q: f64) -> Tangent {
        let most = self.hardening_limit.ln();
        let factor = (-self.hardening * q).clamp(f64::from(SOFTEST), most).exp();
        let Tangent { first, second } = self.elastic.tangent(s, q);
        Tangent {
            first: first.map(|p| p * factor),
            second: second.map(|row| row.map(|h| h * factor)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_core::simd::Portable;

    #[test]
    fn own_exponential_is_the_exponential() {
        for k in -120..=120 {
            let x = 0.1 * k as f32;
            let found = exp(Portable.splat(x)).to_array()[0];
            let error = f64::from(found) / f64::from(x).exp() - 1.0;
            assert!(error.abs() < 4e-6, "{x}: {error}");
        }
    }
}
