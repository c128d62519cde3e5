//! Sand.

use super::super::config::ConfigError;
use super::super::settings::SandLaw;
use super::{Elastic, Law, Principal, Tangent};
use lawine_core::simd::{F32x8, Simd, Vec3x8};
use lawine_settings::Settings;

/// Dry sand by Drucker and Prager's law on logarithmic strains (Klár et al. 2016), which remembers
/// how far it has come apart (Tampubolon et al. 2017) and resists again when it is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sand {
    /// Elasticity of the packing; Hencky's law.
    pub elastic: Elastic,
    /// Angle of internal friction φ [rad].
    pub friction_angle: f64,
}

impl Sand {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.elastic.check()?;
        let angle = self.friction_angle.to_degrees();
        SandLaw::TABLE.check([("friction_angle", angle)])?;
        Ok(())
    }

    /// α of the yield surface ‖τ_dev‖ = −α tr τ (Klár 2016, section 5): √(2/3) · 2 sin φ / (3 − sin φ).
    fn slope(&self) -> f64 {
        let sin = self.friction_angle.sin();
        (2.0_f64 / 3.0).sqrt() * 2.0 * sin / (3.0 - sin)
    }
}

/// ln s of principal strains.
#[inline(always)]
fn logarithms<S: Simd>([x, y, z]: Principal<S>) -> Principal<S> {
    [x.map(f32::ln_1p), y.map(f32::ln_1p), z.map(f32::ln_1p)]
}

impl Law for Sand {
    #[inline(always)]
    fn project<S: Simd>(&self, d: Principal<S>, q: F32x8<S>) -> Principal<S> {
        let (mu, lambda) = self.elastic.lame();
        // Logarithmic strains; gaps that opened before close first.
        let gap = q.max(0.0).map(|q| q.ln_1p() / 3.0);
        let [x, y, z] = logarithms(d);
        let [x, y, z] = [x + gap, y + gap, z + gap];
        let trace = x + y + z;
        let mean = trace * (1.0 / 3.0);
        let dev = Vec3x8([x - mean, y - mean, z - mean]);
        let size = dev.dot(dev).sqrt();
        // Klár 2016, eq. 27: how far the strain lies outside the cone.
        let cone = ((3.0 * lambda + 2.0 * mu) / (2.0 * mu) * self.slope()) as f32;
        let excess = (size + cone * trace).max(0.0);
        let left = (size - excess) / size.max(1e-30);
        // In tension nothing is left.
        let left = (-trace).le(0.0).select(0.0, left);
        let mean = mean.min(0.0);
        // Elastic lanes keep their bits.
        let moved = excess + (gap + trace.max(0.0));
        let mut flowed = d;
        for (d, dev) in flowed.iter_mut().zip(dev.0) {
            *d = moved.le(0.0).select(*d, (mean + left * dev).map(f32::exp_m1));
        }
        flowed
    }

    #[inline(always)]
    fn stress<S: Simd>(&self, s: S, d: Principal<S>, _: F32x8<S>) -> (Principal<S>, F32x8<S>) {
        let (mu, lambda) = self.elastic.lame();
        let (two_mu, lambda) = (2.0 * mu as f32, lambda as f32);
        let [x, y, z] = logarithms(d);
        let volumetric = lambda * (x + y + z);
        let tau = [two_mu * x + volumetric, two_mu * y + volumetric, two_mu * z + volumetric];
        (tau, s.splat(lambda + two_mu))
    }

    fn tangent(&self, s: [f64; 3], _: f64) -> Tangent {
        let (mu, lambda) = self.elastic.lame();
        let trace: f64 = s.iter().map(|x| x.ln()).sum();
        let tau = s.map(|x| 2.0 * mu * x.ln() + lambda * trace);
        let second = |i: usize, k: usize| {
            let own = if i == k { 2.0 * mu - tau[i] } else { 0.0 };
            (lambda + own) / (s[i] * s[k])
        };
        Tangent {
            first: [0, 1, 2].map(|i| tau[i] / s[i]),
            second: [0, 1, 2].map(|i| [0, 1, 2].map(|k| second(i, k))),
        }
    }
}
