//! Shapes of volumes of matter and of bodies.

use super::schema::Extent;
use super::vector::Vector;
use super::words::{Holes, Side};
use lawine_settings::Settings;

/// The shape of a volume of matter; in a scene file a table with one key, for example `shape.sphere = { … }`.
#[derive(Clone, Debug, PartialEq, Settings)]
pub enum Solid {
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
    /// The convex hull of points; a convex polygon in a plane.
    Polyhedron(Polyhedron),
    /// A triangle mesh from a file; not in a plane.
    Mesh(FillMesh),
}

/// The shape of a body; in a scene file a table with one key.
#[derive(Clone, Debug, PartialEq, Settings)]
pub enum Shape {
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
    /// The convex hull of points; a convex polygon in a plane.
    Polyhedron(Polyhedron),
    /// A closed triangle mesh from a file; not in a plane.
    Mesh(MeshFile),
    /// A hollow axis-aligned box with matter inside.
    Container(Container),
    /// The half-space behind an infinite plane; needs no `space.domain`.
    Plane(Plane),
}

/// A volume of matter is a body, too, whose mesh is closed.
impl From<Solid> for Shape {
    fn from(solid: Solid) -> Self {
        match solid {
            Solid::Box(extent) => Self::Box(extent),
            Solid::Sphere(sphere) => Self::Sphere(sphere),
            Solid::Cylinder(cylinder) => Self::Cylinder(cylinder),
            Solid::Capsule(capsule) => Self::Capsule(capsule),
            Solid::Cone(cone) => Self::Cone(cone),
            Solid::Polyhedron(hull) => Self::Polyhedron(hull),
            Solid::Mesh(filled) => Self::Mesh(filled.mesh),
        }
    }
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Sphere {
    /// Centre [m].
    pub center: Vector,
    /// Radius [m].
    #[setting(above = 0)]
    pub radius: f64,
}

/// A cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Cylinder {
    /// Centre of the start disc [m].
    pub start: Vector,
    /// Centre of the end disc [m].
    pub end: Vector,
    /// Radius [m].
    #[setting(above = 0)]
    pub radius: f64,
}

/// A cylinder with round ends: all points within a radius of a line.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Capsule {
    /// Start of the axis [m], the centre of a hemisphere.
    pub start: Vector,
    /// End of the axis [m], the centre of the other hemisphere.
    pub end: Vector,
    /// Radius [m].
    #[setting(above = 0)]
    pub radius: f64,
}

/// A cone, also a truncated one.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Cone {
    /// Centre of the base [m].
    pub start: Vector,
    /// Tip [m], or the centre of the end disc of a truncated cone.
    pub end: Vector,
    /// Radius of the base [m].
    #[setting(above = 0)]
    pub radius: f64,
    /// Radius at the end [m]; positive for a truncated cone.
    #[setting(default = 0.0, at_least = 0)]
    pub end_radius: f64,
}

/// The convex hull of points.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Polyhedron {
    /// Points of the convex hull, in any order [m].
    pub vertices: Vec<Vector>,
}

/// A triangle mesh in a file.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct MeshFile {
    /// Path of the OBJ, STL or PLY file, relative to the scene file, or `builtin:hare`.
    #[setting(filled)]
    pub file: String,
    /// Scale factor from the file's lengths to metres [1].
    #[setting(default = 1.0, above = 0)]
    pub scale: f64,
    /// Translation of the mesh [m].
    #[setting(default)]
    pub position: Vector,
}

/// A triangle mesh in a file that matter fills.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct FillMesh {
    /// The mesh.
    #[setting(flatten)]
    pub mesh: MeshFile,
    /// What to do if the surface has holes.
    #[setting(without = "`refuse`")]
    pub holes: Option<Holes>,
}

/// A hollow box: the walls of a tank.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Container {
    /// Inner corner with the smallest coordinates [m].
    pub min: Vector,
    /// Inner corner with the largest coordinates [m].
    pub max: Vector,
    /// Sides without a wall.
    #[setting(default)]
    pub open: Vec<Side>,
}

/// A half-space.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Plane {
    /// Point of the surface [m].
    pub point: Vector,
    /// Outward direction [1], into the matter, of any length.
    pub normal: Vector,
}
