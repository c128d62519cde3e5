//! Materials: small types that define the admissible strains and the stress.
//!
//! All are isotropic, so principal strains are enough: d = s − 1 for the singular values s of the
//! elastic deformation F_E. Differences from one keep their digits in single precision.

mod elastic;
mod kinds;
mod liquid;
mod sand;
mod snow;

pub use elastic::Elastic;
pub use kinds::{SnowClass, SnowKind};
pub use liquid::Liquid;
pub use sand::Sand;
pub use snow::Snow;

use super::config::ConfigError;
use super::settings::ElasticLaw;
use lawine_core::simd::{F32x8, Simd};
use lawine_settings::Settings;

/// A material law on the principal strains of eight particles.
pub trait Law {
    /// The elastic strains that are left of the trial strains `d` after flow. `q` is J_P − 1, the
    /// plastic change of volume; what goes out of `d` goes into it.
    fn project<S: Simd>(&self, d: Principal<S>, q: F32x8<S>) -> Principal<S>;

    /// Principal Kirchhoff stresses and the modulus of longitudinal waves [Pa].
    fn stress<S: Simd>(&self, s: S, d: Principal<S>, q: F32x8<S>) -> (Principal<S>, F32x8<S>);

    /// First and second derivatives of the energy density by the singular values [Pa].
    fn tangent(&self, s: [f64; 3], q: f64) -> Tangent;
}

/// Three principal values of eight particles.
pub type Principal<S> = [F32x8<S>; 3];

/// Derivatives of the energy density ψ by the singular values s of F_E.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// P_i = ∂ψ/∂s_i [Pa].
    pub first: [f64; 3],
    /// ∂²ψ/∂s_i∂s_j [Pa].
    pub second: [[f64; 3]; 3],
}

/// A material with its density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Density at rest [kg/m³].
    pub density: f64,
    /// How it resists deformation.
    pub law: Laws,
}

/// The laws there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Laws {
    /// Snow of Stomakhin et al. 2013.
    Snow(Snow),
    /// Fixed-corotated elasticity.
    Elastic(Elastic),
    /// Drucker–Prager sand of Klár et al. 2016.
    Sand(Sand),
    /// A weakly compressible liquid.
    Liquid(Liquid),
}

impl Material {
    /// Checks all values.
    ///
    /// # Errors
    /// The first value out of its range.
    pub fn check(&self) -> Result<(), ConfigError> {
        ElasticLaw::TABLE.check([("density", self.density)])?;
        match self.law {
            Laws::Snow(snow) => snow.check(),
            Laws::Elastic(elastic) => elastic.check(),
            Laws::Sand(sand) => sand.check(),
            Laws::Liquid(liquid) => liquid.check(),
        }
    }

    /// Modulus of longitudinal waves in the undeformed material [Pa].
    pub(super) fn modulus(&self) -> f64 {
        match self.law {
            Laws::Snow(snow) => snow.elastic.modulus(),
            Laws::Elastic(elastic) => elastic.modulus(),
            Laws::Sand(sand) => sand.elastic.modulus(),
            Laws::Liquid(liquid) => liquid.bulk_modulus,
        }
    }

    /// A word for reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.law {
            Laws::Snow(_) => "snow",
            Laws::Elastic(_) => "elastic",
            Laws::Sand(_) => "sand",
            Laws::Liquid(_) => "liquid",
        }
    }
}

/// J − 1 of principal strains, without losing digits.
#[inline(always)]
pub(super) fn volume_change<S: Simd>([a, b, c]: Principal<S>) -> F32x8<S> {
    let ab = a + b + a * b;
    ab + c + ab * c
}
