//! Emitters and outlets: where matter comes in and goes out during a run.

use super::placement::Placement;
use super::schema::Extent;
use super::shape::{Capsule, Cone, Cylinder, Shape, Sphere};
use super::vector::Vector;
use lawine_settings::Settings;

/// A place where liquid or snow comes in.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Emitter {
    /// Its matter: `liquid` or `snow`.
    #[setting(without = "the only matter of the scene")]
    pub of: Option<String>,
    /// Shape of the inlet.
    pub shape: Mouth,
    /// Inflow speed [m/s].
    #[setting(above = 0)]
    pub speed: f64,
    /// Start time [s].
    #[setting(default = 0.0, at_least = 0)]
    pub start: f64,
    /// End time [s].
    #[setting(without = "never")]
    pub stop: Option<f64>,
    /// Largest number of particles emitted [1].
    #[setting(without = "no limit", at_least = 1)]
    pub max_particles: Option<u32>,
}

/// The mouth of an emitter; in a scene file a table with one key.
///
/// In a plane both are lines across the direction.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub enum Mouth {
    /// A rectangle perpendicular to the direction; a line in a plane.
    Rectangle(Rectangle),
    /// A disc perpendicular to the direction; a line in a plane.
    Disc(Disc),
}

/// A rectangle perpendicular to the direction; a line in a plane.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Rectangle {
    /// Centre [m].
    pub center: Vector,
    /// Normal direction [1], of any length.
    pub direction: Vector,
    /// Length perpendicular to `up` and `direction` [m], or of the line in a plane.
    #[setting(above = 0)]
    pub width: f64,
    /// Length along `up` [m]; only in 3D.
    #[setting(without = "required in 3D", above = 0)]
    pub height: Option<f64>,
    /// Direction of the height [1]; only in 3D.
    #[setting(without = "y, or z where `direction` is y")]
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

/// A disc perpendicular to the direction; a line in a plane.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Disc {
    /// Centre [m].
    pub center: Vector,
    /// Normal direction [1], of any length.
    pub direction: Vector,
    /// Radius [m].
    #[setting(above = 0)]
    pub radius: f64,
}

/// A volume that removes the matter inside.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Outlet {
    /// Its matter: `liquid`, `grains` or `snow`.
    #[setting(without = "all matter")]
    pub of: Option<String>,
    /// Region in which matter is removed.
    pub shape: Region,
    /// What is done to the shape.
    #[setting(flatten)]
    pub placement: Placement,
    /// Box in which removed grains are inserted again, at rest and where there is room.
    #[setting(without = "they do not return", of = "grains")]
    pub returns: Option<Extent>,
}

/// The shape of an outlet; in a scene file a table with one key.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub enum Region {
    /// An axis-aligned box; a rectangle in a plane.
    Box(Extent),
    /// A ball; a disc in a plane.
    Sphere(Sphere),
    /// A cylinder; not in a plane.
    Cylinder(Cylinder),
    /// A cylinder with round ends; a stadium in a plane.
    Capsule(Capsule),
    /// A cone, also a truncated one; not in a plane.
    Cone(Cone),
}

/// A region is the inside of a body.
impl From<Region> for Shape {
    fn from(region: Region) -> Self {
        match region {
            Region::Box(extent) => Self::Box(extent),
            Region::Sphere(sphere) => Self::Sphere(sphere),
            Region::Cylinder(cylinder) => Self::Cylinder(cylinder),
            Region::Capsule(capsule) => Self::Capsule(capsule),
            Region::Cone(cone) => Self::Cone(cone),
        }
    }
}
