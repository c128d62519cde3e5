//! Normal forces from the overlap.

/// Contact law: normal force as a function of the overlap.
///
/// The stiffness Y [Pa] of a pair belongs to the length l = 4 r₁ r₂/(r₁ + r₂) of its bodies [m],
/// r the radii of balls of the same volume; for equal bodies l is the diameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, lawine_settings::Word)]
pub enum Law {
    /// Energy U = κ V^{3/2} with κ = Y l^{−3/2}.
    #[default]
    #[setting(name = "v3/2")]
    ThreeHalves,
    /// Energy U = κ V² with κ = Y l^{−3}: a linear spring face on face.
    #[setting(name = "v2")]
    Square,
    /// F = Y V / l at the centroid (Matuttis & Chen 2014). It is not a gradient: energy drifts.
    Matuttis,
}

/// Result of a contact law for an overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Push {
    /// Force over area, U'(V) [Pa].
    pub(super) pressure: f64,
    /// Energy U(V) [J].
    pub(super) energy: f64,
    /// The stiffness that restitution belongs to [N/m].
    ///
    /// With F ∝ δ^p and a damping force 2ζ √(m K) δ̇, K = (p + 1)/2 F/δ, the substitution
    /// dy = δ^{(p−1)/2} dδ makes the collision a damped linear oscillator (Antypov & Elliott 2011).
    /// For V ∝ δ^q (faces 1, edges 2, corners 3) and U ∝ V^m, K = m/2 F S/V whatever q is.
    pub(super) stiffness: f64,
    /// Not less than dF/dδ [N/m]: V^{1/3} is a concave function of a shift (Brunn and Minkowski), so
    /// V d²V/dδ² ≤ ⅔ S² and dF/dδ ≤ (m − ⅓) F S/V.
    pub(super) bound: f64,
}

impl Law {
    /// For a stiffness [Pa], a length [m], a volume [m³] and an area [m²].
    #[inline]
    pub(super) fn push(self, y: f64, l: f64, volume: f64, area: f64) -> Push {
        let (pressure, energy, m) = match self {
            Self::ThreeHalves => {
                let root = (volume / l).sqrt() / l;
                (1.5 * y * root, y * volume * root, 1.5)
            }
            Self::Square => {
                let fraction = volume / (l * l * l);
                (2.0 * y * fraction, y * volume * fraction, 2.0)
            }
            Self::Matuttis => {
                let pressure = y * volume / (l * area);
                // What a linear spring would store.
                (pressure, 0.5 * pressure * volume, 2.0)
            }
        };
        let slope = pressure * area * area / volume;
        Push { pressure, energy, stiffness: 0.5 * m * slope, bound: (m - 1.0 / 3.0) * slope }
    }

    /// The volume at which a face of an area [m²] has a pressure [Pa].
    pub(super) fn volume(self, y: f64, l: f64, pressure: f64, area: f64) -> f64 {
        match self {
            Self::ThreeHalves => l * (pressure * l / (1.5 * y)).powi(2),
            Self::Square => pressure * l * l * l / (2.0 * y),
            Self::Matuttis => pressure * l * area / y,
        }
    }

    /// Whether the torque follows from the energy; otherwise the force acts at the centroid.
    pub(super) fn is_gradient(self) -> bool {
        self != Self::Matuttis
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_is_the_slope_of_the_energy() {
        for law in [Law::ThreeHalves, Law::Square] {
            let (y, l, v, h) = (1e6, 0.02, 3e-9, 1e-13);
            let at = |v: f64| law.push(y, l, v, 1e-6);
            let slope = (at(v + h).energy - at(v - h).energy) / (2.0 * h);
            assert!((at(v).pressure / slope - 1.0).abs() < 1e-6, "{law:?}");
            assert!((law.volume(y, l, at(v).pressure, 1e-6) / v - 1.0).abs() < 1e-12, "{law:?}");
        }
    }

    #[test]
    fn faces_edges_and_corners_have_the_stiffness_of_their_power() {
        // V = δ^q, S = q δ^{q−1}; F = U' S ∝ δ^{qm−1}.
        for (law, m) in [(Law::ThreeHalves, 1.5), (Law::Square, 2.0)] {
            for q in [1.0, 2.0, 3.0] {
                let force = |d: f64| {
                    let s = q * d.powf(q - 1.0);
                    law.push(1.0, 1.0, d.powf(q), s).pressure * s
                };
                let (d, h, p) = (0.01_f64, 1e-7, q * m - 1.0);
                let push = law.push(1.0, 1.0, d.powf(q), q * d.powf(q - 1.0));
                assert!((push.stiffness / (0.5 * (p + 1.0) * force(d) / d) - 1.0).abs() < 1e-12);
                let slope = (force(d + h) - force(d - h)) / (2.0 * h);
                assert!(push.bound > slope * (1.0 - 1e-6), "{law:?} {q}");
            }
        }
    }
}
