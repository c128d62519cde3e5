//! The tables of a scene file about grains and their contacts, and the configuration they make.

use super::broad::{BoxMethod, Search};
use super::config::{Config, Integrator};
use super::contact::{Bridges, Law, Pairing};
use lawine_core::rigid::Dependence;
use lawine_settings::{Settings, Word};

/// Properties common to all grains.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Grains {
    /// Density of the material [kg/m³].
    #[setting(default = 2650.0, above = 0)]
    pub density: f64,
    /// Time integrator.
    #[setting(default = IntegratorKind::Symplectic)]
    pub integrator: IntegratorKind,
    /// Number of values (order + 1) of Gear's method [1].
    #[setting(default = 5, at_least = 4, at_most = 8)]
    pub gear_values: u32,
    /// What forces depend on, which determines c0 of Gear's method.
    #[setting(default = Dependence::Position)]
    pub gear_forces: Dependence,
    /// How bounding boxes of grains are computed.
    #[setting(default = BoxMethod::Auto)]
    pub boxes: BoxMethod,
    /// Broad-phase collision detection.
    #[setting(default = BroadPhaseKind::Grid)]
    pub broad_phase: BroadPhaseKind,
    /// Displacement of a box after which the grid is rebuilt [m].
    #[setting(without = "1/20 of the smallest grain", above = 0)]
    pub skin: Option<f64>,
    /// Contact forces between grains and with bodies.
    #[setting(without = "no forces", was = "contact")]
    pub contact: Option<ContactSettings>,
}

/// Time integrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum IntegratorKind {
    /// Velocity Verlet with a symplectic rotation: conserves energy and angular momentum.
    Symplectic,
    /// Gear's predictor–corrector (Schinner 3.7).
    Gear,
}

/// Broad-phase collision detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum BroadPhaseKind {
    /// Sort-and-sweep: three sorted lists, updated in every step.
    Sweep,
    /// A uniform grid with a skin, rebuilt when needed.
    Grid,
}

/// How grains touch each other and the bodies; without it they pass through everything.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct ContactSettings {
    /// Contact law: normal force as a function of the overlap.
    #[setting(default = Law::ThreeHalves)]
    pub law: Law,
    /// Stiffness Y of contacts [Pa].
    #[setting(default = 1e6, above = 0)]
    pub stiffness: f64,
    /// Coefficient of restitution [1].
    #[setting(default = 0.5, above = 0, at_most = 1)]
    pub restitution: f64,
    /// Coefficient of sliding friction [1].
    #[setting(default = 0.5, at_least = 0)]
    pub friction: f64,
    /// Coefficient of static friction [1], not below that of sliding friction.
    #[setting(without = "`friction`", at_least = 0)]
    pub static_friction: Option<f64>,
    /// Ratio of tangential to normal stiffness [1].
    #[setting(default = 0.5, above = 0, at_most = 1)]
    pub tangential_ratio: f64,
    /// Coefficient of rolling resistance [1].
    #[setting(default = 0.0, at_least = 0)]
    pub rolling_friction: f64,
    /// Liquid bridges between grains that have been in contact.
    #[setting(without = "dry")]
    pub bridges: Option<Bridges>,
    /// Pairs of materials with other contact parameters.
    #[setting(default)]
    pub pair: Vec<MaterialPair>,
}

/// How two materials touch; what is not given is as for all others.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct MaterialPair {
    /// Name of a material.
    #[setting(filled)]
    pub first: String,
    /// Name of the other, or the same.
    #[setting(filled)]
    pub second: String,
    /// Stiffness Y [Pa].
    #[setting(without = "`grains.contact.stiffness`", above = 0)]
    pub stiffness: Option<f64>,
    /// Coefficient of restitution [1].
    #[setting(without = "`grains.contact.restitution`", above = 0, at_most = 1)]
    pub restitution: Option<f64>,
    /// Coefficient of sliding friction [1].
    #[setting(without = "`grains.contact.friction`", at_least = 0)]
    pub friction: Option<f64>,
    /// Coefficient of static friction [1], not below that of sliding friction.
    #[setting(without = "`friction`", at_least = 0)]
    pub static_friction: Option<f64>,
    /// Ratio of tangential to normal stiffness [1].
    #[setting(without = "`grains.contact.tangential_ratio`", above = 0, at_most = 1)]
    pub tangential_ratio: Option<f64>,
    /// Coefficient of rolling resistance [1].
    #[setting(without = "`grains.contact.rolling_friction`", at_least = 0)]
    pub rolling_friction: Option<f64>,
}

impl Config {
    /// The configuration that the table of a scene asks for, with the skin of the grid [m].
    pub fn of(grains: &Grains, skin: f64) -> Self {
        Self {
            integrator: match grains.integrator {
                IntegratorKind::Symplectic => Integrator::Symplectic,
                IntegratorKind::Gear => {
                    Integrator::Gear { values: grains.gear_values as usize, on: grains.gear_forces }
                }
            },
            boxes: grains.boxes,
            search: match grains.broad_phase {
                BroadPhaseKind::Sweep => Search::SortAndSweep,
                BroadPhaseKind::Grid => Search::Grid { skin },
            },
            ..Self::new(grains.density)
        }
    }
}

impl ContactSettings {
    /// The names of all materials, in order of their first mention.
    pub fn materials(&self) -> impl Iterator<Item = &str> {
        let names = || self.pair.iter().flat_map(|pair| [pair.first.as_str(), &pair.second]);
        names().enumerate().filter(move |(i, n)| !names().take(*i).any(|m| m == *n)).map(|(_, n)| n)
    }

    /// Contact parameters of materials without a pair of their own.
    pub fn pairing(&self) -> Pairing {
        Pairing {
            stiffness: self.stiffness,
            restitution: self.restitution,
            friction: self.friction,
            static_friction: self.static_friction.unwrap_or(self.friction),
            tangential_ratio: self.tangential_ratio,
            rolling_friction: self.rolling_friction,
        }
    }
}

impl MaterialPair {
    /// Parameters of the pair, with the general ones as defaults.
    pub fn pairing(&self, general: Pairing) -> Pairing {
        let friction = self.friction.unwrap_or(general.friction);
        let at_rest = if self.friction.is_some() { friction } else { general.static_friction };
        Pairing {
            stiffness: self.stiffness.unwrap_or(general.stiffness),
            restitution: self.restitution.unwrap_or(general.restitution),
            friction,
            static_friction: self.static_friction.unwrap_or(at_rest),
            tangential_ratio: self.tangential_ratio.unwrap_or(general.tangential_ratio),
            rolling_friction: self.rolling_friction.unwrap_or(general.rolling_friction),
        }
    }
}
