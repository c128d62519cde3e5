//! Fixed-corotated elasticity.

use super::super::config::ConfigError;
use super::{Law, Principal, Tangent, volume_change};
use lawine_core::simd::{F32x8, Simd};
use lawine_settings::Settings;

/// Fixed-corotated elasticity (Stomakhin et al. 2012):
/// ψ = μ Σ (s_i − 1)² + λ/2 (J − 1)².
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Elastic {
    /// Young's modulus E [Pa].
    #[setting(above = 0)]
    pub young: f64,
    /// Poisson's ratio ν [1].
    #[setting(at_least = 0, below = 0.5)]
    pub poisson: f64,
}

impl Elastic {
    /// Lamé's μ = E / 2(1 + ν) and λ = E ν / (1 + ν)(1 − 2ν) [Pa] (Meyer 31).
    #[must_use]
    pub fn lame(&self) -> (f64, f64) {
        let Self { young, poisson } = *self;
        (
            young / (2.0 * (1.0 + poisson)),
            young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        )
    }

    /// λ + 2μ [Pa].
    pub(super) fn modulus(&self) -> f64 {
        let (mu, lambda) = self.lame();
        lambda + 2.0 * mu
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        Self::TABLE.check([("young", self.young), ("poisson", self.poisson)])?;
        Ok(())
    }

    /// Principal Kirchhoff stresses τ_i = 2μ (s_i − 1) s_i + λ J (J − 1), and λ + 2μ.
    #[inline(always)]
    pub(super) fn kirchhoff<S: Simd>(&self, s: S, d: Principal<S>) -> (Principal<S>, F32x8<S>) {
        let (mu, lambda) = self.lame();
        let (two_mu, lambda) = (2.0 * mu as f32, lambda as f32);
        let change = volume_change(d);
        let volumetric = lambda * (change + change * change);
        let mut tau = d;
        for x in &mut tau {
            *x = two_mu * (*x + *x * *x) + volumetric;
        }
        (tau, s.splat(lambda + two_mu))
    }
}

impl Law for Elastic {
    #[inline(always)]
    fn project<S: Simd>(&self, d: Principal<S>, _: F32x8<S>) -> Principal<S> {
        d
    }

    #[inline(always)]
    fn stress<S: Simd>(&self, s: S, d: Principal<S>, _: F32x8<S>) -> (Principal<S>, F32x8<S>) {
        self.kirchhoff(s, d)
    }

    fn tangent(&self, s: [f64; 3], _: f64) -> Tangent {
        let (mu, lambda) = self.lame();
        let j = s[0] * s[1] * s[2];
        let first = s.map(|x| 2.0 * mu * (x - 1.0) + lambda * (j - 1.0) * j / x);
        let second = |i: usize, k: usize| {
            if i == k {
                2.0 * mu + lambda * (j / s[i]) * (j / s[i])
            } else {
                lambda * (2.0 * j - 1.0) * s[3 - i - k]
            }
        };
        Tangent { first, second: [0, 1, 2].map(|i| [0, 1, 2].map(|k| second(i, k))) }
    }
}
