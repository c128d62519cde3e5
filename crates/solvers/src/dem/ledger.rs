//! Where the energy is, and where it went.

use lawine_core::environment::Environment;
use lawine_core::method::Method;
use lawine_core::reduce;

use super::Grains;

/// Energy gained and lost since the start [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Lost by damping.
    pub damping: f64,
    /// Lost by friction.
    pub friction: f64,
    /// Lost to liquid bridges; what they give back when they pull grains together is taken off.
    pub cohesion: f64,
    /// Work of the bodies on the grains.
    pub bodies: f64,
    /// Brought by grains that came in, less what others took away.
    pub added: f64,
}

/// The balance of the grains' energy [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Motion and rotation.
    pub kinetic: f64,
    /// −Σ m g·x.
    pub potential: f64,
    /// In contacts and friction springs.
    pub elastic: f64,
    /// Energy gained and lost.
    pub ledger: Ledger,
}

impl Balance {
    /// What stays the same: all energy there is, less what came in, and what was lost [J].
    #[must_use]
    pub fn total(&self) -> f64 {
        let Ledger { damping, friction, cohesion, bodies, added } = self.ledger;
        self.kinetic + self.potential + self.elastic + damping + friction + cohesion
            - bodies
            - added
    }
}

impl Grains {
    /// The balance of the energy now. Its total is that of the grains added before the first step.
    pub fn balance(&self, env: &Environment) -> Balance {
        let energy = self.energy(env);
        let contacts = &self.state.contacts;
        let elastic = reduce::sum(contacts.len(), |k| contacts[k].load().elastic);
        let (kinetic, potential) = (energy.kinetic, energy.potential);
        Balance { kinetic, potential, elastic, ledger: self.state.ledger }
    }

    /// Kinetic and potential energy of the grain at place `i` [J].
    pub(super) fn energy_of(&self, i: usize) -> f64 {
        let inertia = &self.inertias[self.state.shape[i] as usize];
        let rigid = self.state.rigid(i);
        rigid.kinetic_energy(inertia) - inertia.mass * self.gravity.dot(rigid.x)
    }
}
