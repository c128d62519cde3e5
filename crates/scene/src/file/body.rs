//! Rigid bodies and their scripted motions.

use serde::{Deserialize, Serialize};

use super::shape::Shape;
use super::vector::Vector;

/// A rigid body: a wall, an obstacle, a piston.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name, different for every body.
    pub name: String,
    /// Shape.
    pub shape: Shape,
    /// Whether matter is inside the shape instead of outside; a container always is hollow.
    #[serde(default)]
    pub hollow: bool,
    /// Density, for its mass in the summary [kg/m³]; it moves as its script says all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// How many of its triangles are drawn, in space [1]; all if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible_triangles: Option<u32>,
    /// Coefficient of friction with it [1]; that of the matter if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Name of its material, as in the pairs of `contact`, in scenes with grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// When it vanishes [s]; never if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Whether snow sticks to it; as the matter says if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sticking: Option<bool>,
    /// Motions, added up; a body without any rests.
    #[serde(default)]
    pub motion: Vec<Motion>,
}

impl Body {
    /// Whether matter is inside the shape: asked for by `hollow`, or because it is a container.
    pub fn holds_matter(&self) -> bool {
        self.hollow || matches!(self.shape, Shape::Container(_))
    }

    /// See [`SceneFile::resolve`](super::SceneFile::resolve).
    pub(super) fn resolve(&mut self, dimension: u32) {
        self.shape.resolve(dimension);
        for motion in &mut self.motion {
            if let Motion::Rotation(rotation) = motion {
                rotation.point.resolve(dimension);
                if dimension == 2 && rotation.axis.is_none() {
                    rotation.axis = Some(Vector::full(0.0, 0.0, 1.0));
                }
            }
        }
    }
}

/// A scripted motion; in a scene file an entry of `[[body.motion]]` with one key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Constant velocity.
    Velocity(Velocity),
    /// Constant rotation about an axis.
    Rotation(Rotation),
    /// Sinusoidal vibration along a direction.
    Vibration(Vibration),
}

impl Motion {
    /// The key of this motion in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Velocity(_) => "velocity",
            Self::Rotation(_) => "rotation",
            Self::Vibration(_) => "vibration",
        }
    }

    /// When the motion begins [s].
    pub fn start(&self) -> f64 {
        match self {
            Self::Velocity(velocity) => velocity.start,
            Self::Rotation(rotation) => rotation.start,
            Self::Vibration(vibration) => vibration.start,
        }
    }

    /// When the motion ends [s], if it does.
    pub fn stop(&self) -> Option<f64> {
        match self {
            Self::Velocity(velocity) => velocity.stop,
            Self::Rotation(rotation) => rotation.stop,
            Self::Vibration(vibration) => vibration.stop,
        }
    }
}

/// Constant velocity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Velocity {
    /// Velocity [m/s].
    pub velocity: Vector,
    /// When the motion begins [s].
    #[serde(default)]
    pub start: f64,
    /// When the motion ends [s]; never if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
}

/// Constant rotation about an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// Direction of the axis [1]; its length does not matter. In a plane it is z and may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// A point of the axis [m]; the origin if not given.
    #[serde(default)]
    pub point: Vector,
    /// Angular velocity [rad/s].
    pub rate: f64,
    /// When the motion begins [s].
    #[serde(default)]
    pub start: f64,
    /// When the motion ends [s]; never if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
}

/// Sinusoidal vibration: the offset is A (sin(2 pi f (t - start) + phase) - sin(phase)), so that the
/// body starts where its shape says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vibration {
    /// Largest offset [m].
    pub amplitude: f64,
    /// Vibrations per second [1/s].
    pub frequency: f64,
    /// Direction [1]; its length does not matter.
    pub direction: Vector,
    /// Phase at the beginning [rad].
    #[serde(default)]
    pub phase: f64,
    /// When the motion begins [s].
    #[serde(default)]
    pub start: f64,
    /// When the motion ends [s]; never if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
}
