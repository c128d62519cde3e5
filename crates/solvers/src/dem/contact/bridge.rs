//! Liquid bridges between grains: wet granular media.

use crate::dem::GrainsError;
use lawine_settings::Settings;

/// Liquid that makes bridges between grains that have touched, until they tear.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Bridges {
    /// Surface tension [N/m].
    #[setting(at_least = 0)]
    pub surface_tension: f64,
    /// Contact angle [°].
    #[setting(default = 0.0, at_least = 0, below = 90)]
    pub contact_angle: f64,
    /// Volume of the liquid in a bridge [m³].
    #[setting(above = 0)]
    pub volume: f64,
}

impl Bridges {
    /// Checks all values.
    ///
    /// # Errors
    /// The first value out of its range.
    pub fn check(&self) -> Result<(), GrainsError> {
        Self::TABLE.check([
            ("surface_tension", self.surface_tension),
            ("contact_angle", self.contact_angle),
            ("volume", self.volume),
        ])?;
        Ok(())
    }

    /// The distance at which a bridge tears [m]: (1 + θ/2) V^{1/3} (Lian, Thornton & Adams 1993).
    #[must_use]
    pub fn rupture_distance(&self) -> f64 {
        (1.0 + 0.5 * self.contact_angle.to_radians()) * self.volume.cbrt()
    }

    /// The force at a distance s [m], zero for touching bodies, and radius R [m]:
    /// 2πRγ cos θ/(1 + 1.05 ŝ + 2.5 ŝ²) with ŝ = s √(R/V) (Willett et al. 2000).
    #[must_use]
    pub fn force(&self, distance: f64, radius: f64) -> f64 {
        let s = distance.max(0.0) * (radius / self.volume).sqrt();
        let angle = self.contact_angle.to_radians();
        let touching = std::f64::consts::TAU * radius * self.surface_tension * angle.cos();
        touching / (1.0 + 1.05 * s + 2.5 * s * s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bridges_pull_less_with_distance_and_tear() {
        let water = Bridges { surface_tension: 0.072, contact_angle: 0.0, volume: 1e-12 };
        assert!(water.check().is_ok());
        // Two balls of 1 mm: 2πRγ = 0.45 mN.
        assert!((water.force(0.0, 1e-3) - 4.524e-4).abs() < 1e-7);
        assert!(water.force(5e-5, 1e-3) < 0.5 * water.force(0.0, 1e-3));
        assert!((water.rupture_distance() - 1e-4).abs() < 1e-12);
        let wrong = Bridges { volume: 0.0, ..water }.check().unwrap_err().to_string();
        assert!(wrong.contains("volume") && wrong.contains("above 0 m³"), "{wrong}");
    }
}
