//! Emitters and outlets: where liquid comes in and goes out during a run.

use serde::{Deserialize, Serialize};

use super::schema::Extent;
use super::shape::Sphere;
use super::vector::Vector;

/// A place where liquid comes in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitter {
    /// The mouth.
    pub shape: Mouth,
    /// Speed of the liquid [m/s].
    pub speed: f64,
    /// When the first layer comes out [s].
    #[serde(default)]
    pub start: f64,
    /// When it ends [s]; never if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
    /// Particles after which it is exhausted [1]; no number if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_particles: Option<u32>,
}

/// The mouth of an emitter; in a scene file a table with one key. In a plane both are lines across
/// the direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mouth {
    /// A rectangle.
    Rectangle(Rectangle),
    /// A disc.
    Disc(Disc),
}

impl Mouth {
    /// The key of this mouth in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Rectangle(_) => "rectangle",
            Self::Disc(_) => "disc",
        }
    }
}

/// A rectangle across a direction; in a plane a line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rectangle {
    /// Centre [m].
    pub center: Vector,
    /// Direction across it; its length does not matter.
    pub direction: Vector,
    /// Length across `up` and `direction`, or of the line in a plane [m].
    pub width: f64,
    /// Length along `up` [m]; only in space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Direction of the height; y if not given, or z where `direction` is along y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Vector>,
}

impl Rectangle {
    /// See [`SceneFile::resolve`](super::SceneFile::resolve).
    pub(super) fn resolve(&mut self, dimension: u32) {
        if dimension == 3 && self.up.is_none() {
            let direction = self.direction.get();
            let along_y = direction.x.hypot(direction.z) <= 1e-6 * direction.y.abs();
            let up = if along_y { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
            self.up = Some(Vector::full(up[0], up[1], up[2]));
        }
    }
}

/// A disc across a direction; in a plane a line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Centre [m].
    pub center: Vector,
    /// Direction across it; its length does not matter.
    pub direction: Vector,
    /// Radius [m].
    pub radius: f64,
}

/// A volume that removes the liquid or the grains inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outlet {
    /// Where it is.
    pub shape: Region,
    /// Where grains come back in, at rest and where there is room; they are removed if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<Extent>,
}

/// The shape of an outlet; in a scene file a table with one key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Region {
    /// An axis-aligned box (a rectangle in a plane).
    Box(Extent),
    /// A ball (a disc in a plane).
    Sphere(Sphere),
}

impl Region {
    /// The key of this shape in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Box(_) => "box",
            Self::Sphere(_) => "sphere",
        }
    }
}
