//! Pressure from density by an equation of state: Hunkler 3.1, Meiers 3.5.2.

/// The law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Equation {
    /// p = k (ρ/ρ0 − 1), Hunkler (3.1).
    Linear,
    /// p = k/γ ((ρ/ρ0)^γ − 1), Cole 1948, Monaghan 1994: the same stiffness at rest, stiffer when
    /// compressed.
    Tait {
        /// γ, 7 for water.
        exponent: f64,
    },
}

/// An equation of state with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateEquation {
    /// The law.
    pub equation: Equation,
    /// Stiffness k [Pa]: the bulk modulus ρ0 c² at rest.
    pub stiffness: f64,
    /// True: no negative pressures. Particles at the surface lack neighbours, and a negative
    /// pressure would pull them together.
    pub clamp: bool,
}

impl StateEquation {
    /// Pressure [Pa] at ρ/ρ0.
    #[inline(always)]
    pub fn pressure(&self, relative_density: f64) -> f64 {
        let p = match self.equation {
            Equation::Linear => self.stiffness * (relative_density - 1.0),
            Equation::Tait { exponent } => {
                self.stiffness / exponent * (relative_density.powf(exponent) - 1.0)
            }
        };
        if self.clamp { p.max(0.0) } else { p }
    }

    /// Speed of sound at rest [m/s].
    pub fn sound_speed(&self, rest_density: f64) -> f64 {
        (self.stiffness / rest_density).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_agree_near_rest_and_clamp() {
        let law = |equation, clamp| StateEquation { equation, stiffness: 2e5, clamp };
        let linear = law(Equation::Linear, true);
        let tait = law(Equation::Tait { exponent: 7.0 }, false);
        assert!((linear.pressure(1.01) - 2e3).abs() < 1e-9);
        assert!((tait.pressure(1.0001) / linear.pressure(1.0001) - 1.0).abs() < 1e-3);
        assert!(tait.pressure(1.05) > 1.1 * linear.pressure(1.05));
        assert!(linear.pressure(0.9).abs() < 1e-12);
        assert!(law(Equation::Linear, false).pressure(0.9) < -1e4);
        assert!((linear.sound_speed(1000.0) - 200.0_f64.sqrt()).abs() < 1e-12);
    }
}
