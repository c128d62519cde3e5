//! Springs with a limit: friction that remembers (Cundall & Strack 1979).

use glam::DVec3;

/// A spring that slips when its force exceeds a limit. Sliding, twisting and rolling are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spring {
    /// How far it is stretched [m] or [rad].
    pub(super) stretch: DVec3,
    /// Its stiffness in the last step.
    pub(super) stiffness: f64,
    /// Whether it slipped in the last step.
    pub(super) slips: bool,
}

/// The load that a spring is put under in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strain {
    /// Velocity at which it is stretched [m/s] or [rad/s].
    pub(super) rate: DVec3,
    /// Length of the step [s].
    pub(super) dt: f64,
    /// Stiffness [N/m] or [N m].
    pub(super) stiffness: f64,
    /// Viscous damping [N s/m] or [N m s].
    pub(super) damping: f64,
    /// Largest force at rest and when slipping [N] or [N m].
    pub(super) limits: [f64; 2],
}

impl Spring {
    /// Energy in the spring [J].
    pub(super) fn energy(&self) -> f64 {
        0.5 * self.stiffness * self.stretch.length_squared()
    }

    /// Turns the spring from the old normal to the new one, and about it by an angle [rad].
    pub(super) fn turn(&mut self, old: DVec3, new: DVec3, about: f64) {
        let length = self.stretch.length();
        let w = old.cross(new);
        let c = old.dot(new);
        let s = self.stretch;
        let arced = if c > -0.5 { c * s + w.cross(s) + w * (w.dot(s) / (1.0 + c)) } else { s };
        let turned = arced + about * new.cross(arced);
        self.stretch = turned.try_normalize().map_or(DVec3::ZERO, |u| length * u);
    }

    /// Stretches the spring and gives its force, against the rate, and the energy that is lost [J].
    ///
    /// When the stiffness grows the force stays, when it falls the stretch does: either way no energy
    /// comes from nowhere (Thornton & Randall 1988).
    pub(super) fn strain(&mut self, strain: &Strain) -> (DVec3, f64) {
        let Strain { rate, dt, stiffness, damping, limits } = *strain;
        let before = self.energy();
        if stiffness > self.stiffness {
            self.stretch *= self.stiffness / stiffness;
        }
        self.stiffness = stiffness;
        self.stretch += rate * dt;
        let mut force = -stiffness * self.stretch - damping * rate;
        let limit = limits[usize::from(self.slips)];
        let size = force.length();
        self.slips = size > limit;
        if self.slips {
            force *= limits[1] / size;
            self.stretch = -force / stiffness;
        }
        let lost = -force.dot(rate) * dt - (self.energy() - before);
        (force, lost)
    }
}

/// What a contact remembers of its friction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct History {
    /// The normal in the last step, zero before the first.
    pub(super) normal: DVec3,
    pub(super) slide: Spring,
    pub(super) twist: Spring,
    pub(super) roll: Spring,
}

impl History {
    /// Turns everything with the contact plane; `spin` is the mean angle of both bodies about the
    /// normal [rad].
    pub(super) fn turn(&mut self, normal: DVec3, spin: f64) {
        for spring in [&mut self.slide, &mut self.twist, &mut self.roll] {
            if spring.stretch != DVec3::ZERO {
                spring.turn(self.normal, normal, spin);
            }
        }
        self.normal = normal;
        let tangential = |s: DVec3| s - normal * normal.dot(s);
        self.slide.stretch = tangential(self.slide.stretch);
        self.roll.stretch = tangential(self.roll.stretch);
        self.twist.stretch = normal * normal.dot(self.twist.stretch);
    }

    /// Energy in the springs [J].
    pub(super) fn energy(&self) -> f64 {
        self.slide.energy() + self.twist.energy() + self.roll.energy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strain(rate: f64, stiffness: f64) -> Strain {
        let limits = [2.0, 1.0];
        Strain { rate: DVec3::X * rate, dt: 0.1, stiffness, damping: 0.0, limits }
    }

    #[test]
    fn sticks_slips_and_sticks_again() {
        let mut spring = Spring::default();
        for k in 1..=19 {
            let (force, lost) = spring.strain(&strain(1.0, 1.0));
            assert!((force.x + 0.1 * f64::from(k)).abs() < 1e-12 && !spring.slips);
            // Euler's work differs by the square of the step.
            assert!(lost.abs() <= 0.006);
        }
        let (force, _) = spring.strain(&strain(2.0, 1.0));
        assert!(spring.slips && (force.x + 1.0).abs() < 1e-12);
        // Sliding goes on at the lower limit until the motion turns.
        let (force, lost) = spring.strain(&strain(0.5, 1.0));
        assert!(spring.slips && (force.x + 1.0).abs() < 1e-12 && lost > 0.049);
        let (force, _) = spring.strain(&strain(-0.5, 1.0));
        assert!(!spring.slips && (force.x + 0.95).abs() < 1e-12);
    }

    #[test]
    fn a_change_of_stiffness_makes_no_energy() {
        let mut spring = Spring::default();
        spring.strain(&strain(1.0, 1.0));
        let energy = spring.energy();
        for k in [3.0, 0.5, 2.0, 1.0] {
            let (_, lost) = spring.strain(&strain(0.0, k));
            assert!(lost >= 0.0);
        }
        assert!(spring.energy() <= energy);
    }

    #[test]
    fn turning_keeps_the_length_and_the_plane() {
        let mut spring = Spring { stretch: DVec3::X, stiffness: 1.0, slips: false };
        let new = DVec3::new(0.3, 0.9, -0.2).normalize();
        spring.turn(DVec3::Y, new, 0.01);
        assert!((spring.stretch.length() - 1.0).abs() < 1e-12);
        assert!(spring.stretch.dot(new).abs() < 1e-12);
    }
}
