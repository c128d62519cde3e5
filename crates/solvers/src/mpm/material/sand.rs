//! Sand.

use super::super::config::ConfigError;
use super::super::settings::SandLaw;
use super::{Elastic, Law, Principal, Tangent, map_lanes};
use lawine_core::simd::Simd;
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

impl Law for Sand {
    #[inline(always)]
    fn project<S: Simd>(&self, s: S, d: [S::F; 3], q: S::F) -> [S::F; 3] {
        let (mu, lambda) = self.elastic.lame();
        let zero = s.splat(0.0);
        // Logarithmic strains; gaps that opened before close first.
        let gap = map_lanes(s, s.max(q, zero), |q| q.ln_1p() / 3.0);
        let (mut dev, mut trace) = (d, zero);
        for x in &mut dev {
            *x = s.add(map_lanes(s, *x, f32::ln_1p), gap);
            trace = s.add(trace, *x);
        }
        let mean = s.mul(trace, s.splat(1.0 / 3.0));
        for x in &mut dev {
            *x = s.sub(*x, mean);
        }
        let size = s.sqrt(s.dot(&dev, &dev));
        // Klár 2016, eq. 27: how far the strain lies outside the cone.
        let cone = s.splat(((3.0 * lambda + 2.0 * mu) / (2.0 * mu) * self.slope()) as f32);
        let excess = s.max(s.add(size, s.mul(cone, trace)), zero);
        let share = s.div(s.sub(size, excess), s.max(size, s.splat(1e-30)));
        // In tension nothing is left.
        let share = s.select_le(zero, trace, zero, share);
        let mean = s.min(mean, zero);
        // Elastic lanes keep their bits.
        let moved = s.add(excess, s.add(gap, s.max(trace, zero)));
        let mut flowed = d;
        for k in 0..3 {
            let strain = s.add(mean, s.mul(share, dev[k]));
            let stretched = map_lanes(s, strain, f32::exp_m1);
            flowed[k] = s.select_le(moved, zero, d[k], stretched);
        }
        flowed
    }

    #[inline(always)]
    fn stress<S: Simd>(&self, s: S, d: [S::F; 3], _: S::F) -> (Principal<S>, S::F) {
        let (mu, lambda) = self.elastic.lame();
        let (two_mu, lambda) = (s.splat(2.0 * mu as f32), s.splat(lambda as f32));
        let (mut tau, mut trace) = (d, s.splat(0.0));
        for x in &mut tau {
            *x = map_lanes(s, *x, f32::ln_1p);
            trace = s.add(trace, *x);
        }
        for x in &mut tau {
            *x = s.add(s.mul(two_mu, *x), s.mul(lambda, trace));
        }
        (tau, s.add(lambda, two_mu))
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
