//! Shapes of liquid volumes and of bodies.

use serde::{Deserialize, Serialize};

use super::schema::Extent;
use super::vector::Vector;
use super::words::{Holes, Side};

/// A shape; in a scene file a table with one key, for example `shape.sphere = { … }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// An axis-aligned box (a rectangle in a plane).
    Box(Extent),
    /// A ball (a disc in a plane).
    Sphere(Sphere),
    /// The convex hull of points (a convex polygon in a plane).
    Polyhedron(Polyhedron),
    /// A closed triangle mesh from a file; not in a plane.
    Mesh(MeshFile),
    /// A hollow axis-aligned box with matter inside; only for bodies.
    Container(Container),
    /// The half-space behind a plane; only for bodies.
    Plane(Plane),
}

impl Shape {
    /// The key of this shape in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Box(_) => "box",
            Self::Sphere(_) => "sphere",
            Self::Polyhedron(_) => "polyhedron",
            Self::Mesh(_) => "mesh",
            Self::Container(_) => "container",
            Self::Plane(_) => "plane",
        }
    }

    /// See [`SceneFile::resolve`](super::SceneFile::resolve).
    pub(super) fn resolve(&mut self, dimension: u32) {
        if let Self::Mesh(mesh) = self {
            mesh.position.resolve(dimension);
        }
    }
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Centre [m].
    pub center: Vector,
    /// Radius [m].
    pub radius: f64,
}

/// The convex hull of points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polyhedron {
    /// The points [m], in any order.
    pub vertices: Vec<Vector>,
}

/// A triangle mesh in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// Path of the OBJ, STL or PLY file, relative to the scene file.
    pub file: String,
    /// Factor from the file's lengths to metres [1].
    #[serde(default = "one")]
    pub scale: f64,
    /// Where the file's origin comes to lie [m].
    #[serde(default)]
    pub position: Vector,
    /// What happens when the surface of a fill has holes: refused if not given. Bodies must be
    /// closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holes: Option<Holes>,
}

/// A hollow box: the walls of a tank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// The inner corner with the smallest coordinates [m].
    pub min: Vector,
    /// The inner corner with the largest coordinates [m].
    pub max: Vector,
    /// The sides without a wall.
    #[serde(default)]
    pub open: Vec<Side>,
}

/// A half-space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point of the surface [m].
    pub point: Vector,
    /// Direction out of the body, into the liquid [1]; its length does not matter.
    pub normal: Vector,
}

fn one() -> f64 {
    1.0
}
