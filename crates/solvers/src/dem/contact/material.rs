//! What materials do to each other.

use super::restitution::damping_ratio;
use crate::dem::GrainsError;
use crate::dem::settings::ContactSettings;
use lawine_settings::Settings;

/// How two materials touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairing {
    /// Stiffness Y [Pa], see [`super::Law`].
    pub stiffness: f64,
    /// Coefficient of restitution, in (0, 1].
    pub restitution: f64,
    /// Friction coefficient of sliding contacts.
    pub friction: f64,
    /// Friction coefficient of resting contacts, not less than that of sliding ones.
    pub static_friction: f64,
    /// Tangential over normal stiffness, in (0, 1].
    pub tangential_ratio: f64,
    /// Coefficient of rolling resistance, zero for none.
    pub rolling_friction: f64,
}

impl Pairing {
    /// Materials with the same friction at rest and in motion and without rolling resistance.
    #[must_use]
    pub fn new(stiffness: f64, restitution: f64, friction: f64) -> Self {
        Self {
            stiffness,
            restitution,
            friction,
            static_friction: friction,
            tangential_ratio: 0.5,
            rolling_friction: 0.0,
        }
    }

    /// Checks all values.
    ///
    /// # Errors
    /// The first value out of its range.
    pub fn check(&self) -> Result<(), GrainsError> {
        ContactSettings::TABLE.check([
            ("stiffness", self.stiffness),
            ("restitution", self.restitution),
            ("friction", self.friction),
            ("static_friction", self.static_friction),
            ("tangential_ratio", self.tangential_ratio),
            ("rolling_friction", self.rolling_friction),
        ])?;
        if self.static_friction < self.friction {
            let (key, value, allowed) =
                ("static_friction", self.static_friction, "not less than friction");
            return Err(GrainsError::Contact { key, value, allowed });
        }
        Ok(())
    }
}

/// A table of pairings, the same for (a, b) and (b, a).
#[derive(Clone, Debug, PartialEq)]
pub struct Materials {
    count: usize,
    pairs: Vec<Pairing>,
}

impl Materials {
    /// A number of materials that all touch in the same way.
    #[must_use]
    pub fn new(count: usize, pairing: Pairing) -> Self {
        let count = count.max(1);
        Self { count, pairs: vec![pairing; count * count] }
    }

    /// How many materials there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Says how materials `a` and `b`, numbered from 0, touch.
    ///
    /// # Errors
    /// When there is no such material.
    pub fn set(&mut self, a: usize, b: usize, pairing: Pairing) -> Result<(), GrainsError> {
        let count = self.count;
        if let Some(&material) = [a, b].iter().find(|m| **m >= count) {
            return Err(GrainsError::UnknownMaterial { material, count });
        }
        for k in [a * count + b, b * count + a] {
            self.pairs[k] = pairing;
        }
        Ok(())
    }

    /// How materials `a` and `b` touch.
    ///
    /// # Panics
    /// When there is no such material.
    #[must_use]
    pub fn get(&self, a: usize, b: usize) -> &Pairing {
        &self.pairs[a * self.count + b]
    }

    /// The table with the damping ratio of every pair.
    pub(super) fn prepared(&self) -> Result<Vec<(Pairing, f64)>, GrainsError> {
        let prepare = |p: &Pairing| p.check().map(|()| (*p, damping_ratio(p.restitution)));
        self.pairs.iter().map(prepare).collect()
    }
}
