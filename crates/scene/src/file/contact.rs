//! Forces between grains, and grains that come in during a run.

use serde::{Deserialize, Serialize};

use super::grains::{GrainShape, Sizes};
use super::schema::Extent;
use super::vector::Vector;
use super::words::ContactLaw;

/// How grains touch each other and the bodies. Without it they pass through everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Contact {
    /// How the overlap pushes bodies apart.
    pub law: ContactLaw,
    /// Stiffness Y [Pa].
    pub stiffness: f64,
    /// Speed after a collision over the speed before it [1].
    pub restitution: f64,
    /// Coefficient of sliding friction [1].
    pub friction: f64,
    /// Coefficient of static friction [1]; that of sliding friction if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Tangential over normal stiffness [1].
    pub tangential_ratio: f64,
    /// Coefficient of rolling resistance [1]; zero for none.
    pub rolling_friction: f64,
    /// Liquid bridges; dry if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bridges: Option<Bridges>,
    /// Pairs of materials that touch in another way.
    pub pair: Vec<MaterialPair>,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            law: ContactLaw::ThreeHalves,
            stiffness: 1e6,
            restitution: 0.5,
            friction: 0.5,
            static_friction: None,
            tangential_ratio: 0.5,
            rolling_friction: 0.0,
            bridges: None,
            pair: Vec::new(),
        }
    }
}

impl Contact {
    /// The names of all materials, in order of their first mention.
    pub fn materials(&self) -> impl Iterator<Item = &str> {
        let names = || self.pair.iter().flat_map(|pair| [pair.first.as_str(), &pair.second]);
        names().enumerate().filter(move |(i, n)| !names().take(*i).any(|m| m == *n)).map(|(_, n)| n)
    }
}

/// How two materials touch; what is not given is as for all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialPair {
    /// Name of a material.
    pub first: String,
    /// Name of the other, or the same.
    pub second: String,
    /// Stiffness Y [Pa].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Speed after a collision over the speed before it [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Coefficient of sliding friction [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of static friction [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Tangential over normal stiffness [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangential_ratio: Option<f64>,
    /// Coefficient of rolling resistance [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f64>,
}

/// Liquid between grains that have touched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bridges {
    /// Surface tension [N/m].
    pub surface_tension: f64,
    /// Contact angle [°].
    #[serde(default)]
    pub contact_angle: f64,
    /// Volume of the liquid in a bridge [m³].
    pub volume: f64,
}

/// A region in which grains appear during the run, where there is room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pour {
    /// The shape of the grains, before their sizes are applied.
    pub shape: GrainShape,
    /// Where their centres appear.
    pub region: Extent,
    /// Grains per second [1/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Instead of a rate: one grain whenever the fastest is slower than this [m/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slower_than: Option<f64>,
    /// Number of grains after which it ends [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Distribution of sizes, as factors of the shape; all alike if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// Number of different shapes that the grains share, for those that vary at random [1].
    #[serde(default = "super::grains::variety")]
    pub variety: u32,
    /// Their velocity [m/s].
    #[serde(default)]
    pub velocity: Vector,
    /// Density [kg/m³]; that of all grains if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Name of their material, as in the pairs of `contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// When it begins [s].
    #[serde(default)]
    pub start: f64,
    /// When it ends [s]; never if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
}
