//! Grains: rigid polyhedra, one by one or as blocks of sand.

use serde::{Deserialize, Serialize};

use super::shape::Polyhedron;
use super::vector::Vector;
use super::words::{
    BoxMethod, BroadPhase, Convex, GearForces, GrainIntegrator, PlatonicSolid, Spread,
};

/// What all grains of a scene share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grains {
    /// Density of their material [kg/m³].
    pub density: f64,
    /// How they are moved.
    pub integrator: GrainIntegrator,
    /// Number of values of Gear's method [1].
    pub gear_values: u32,
    /// What forces depend on, which decides about c0 of Gear's method.
    pub gear_forces: GearForces,
    /// How the boxes around them are found.
    pub boxes: BoxMethod,
    /// How overlapping boxes are found.
    pub broad_phase: BroadPhase,
    /// How far a box may move before the grid is built anew [m]; a twentieth of the smallest grain
    /// if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<f64>,
}

impl Default for Grains {
    fn default() -> Self {
        Self {
            density: 2650.0,
            integrator: GrainIntegrator::Symplectic,
            gear_values: 5,
            gear_forces: GearForces::Position,
            boxes: BoxMethod::Auto,
            broad_phase: BroadPhase::Grid,
            skin: None,
        }
    }
}

/// A single grain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grain {
    /// Name, for probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its shape.
    pub shape: GrainShape,
    /// Where its centre of mass is [m].
    pub position: Vector,
    /// How the shape is turned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Turn>,
    /// Its velocity [m/s].
    #[serde(default)]
    pub velocity: Vector,
    /// Its angular velocity, in space [rad/s].
    #[serde(default)]
    pub angular_velocity: Vector,
    /// Density [kg/m³]; that of all grains if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Name of its material, as in the pairs of `contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
}

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Direction of the axis [1]; its length does not matter.
    pub axis: Vector,
    /// Angle, counter-clockwise seen from where the axis points [°].
    pub angle: f64,
}

/// A block of sand: grains on a lattice (Schinner, Appendix D).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// The shape of the grains, before their sizes are applied.
    pub shape: GrainShape,
    /// The corner with the smallest coordinates [m].
    pub origin: Vector,
    /// Edge lengths [m].
    pub size: Vector,
    /// Distance between neighbouring grains [m].
    pub spacing: f64,
    /// Number of grains [1]; as many as fit if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Distribution of sizes, as factors of the shape; all alike if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// Number of different shapes that the grains share, for those that vary at random [1].
    #[serde(default = "variety")]
    pub variety: u32,
    /// Whether the grains are turned at random; otherwise they stand as their shape does.
    #[serde(default = "yes")]
    pub turned: bool,
    /// Their common velocity [m/s].
    #[serde(default)]
    pub velocity: Vector,
    /// Speed in a random direction, on top [m/s].
    #[serde(default)]
    pub speed: f64,
    /// Angular speed about a random axis [rad/s].
    #[serde(default)]
    pub spin: f64,
    /// Density [kg/m³]; that of all grains if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Name of its material, as in the pairs of `contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
}

/// A distribution of sizes: factors of the lengths of a shape [1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// All the same.
    Fixed(FixedSize),
    /// Equally likely between two sizes.
    Uniform(UniformSizes),
    /// The logarithm is normally distributed.
    LogNormal(LogNormalSizes),
    /// Two sizes.
    TwoComponents(TwoSizes),
}

impl Sizes {
    /// The key of this distribution in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Fixed(_) => "fixed",
            Self::Uniform(_) => "uniform",
            Self::LogNormal(_) => "log-normal",
            Self::TwoComponents(_) => "two-components",
        }
    }
}

/// One size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedSize {
    /// The size [1].
    pub size: f64,
}

/// Sizes between two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UniformSizes {
    /// Smallest size [1].
    pub min: f64,
    /// Largest size [1].
    pub max: f64,
}

/// Sizes whose logarithm is normally distributed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogNormalSizes {
    /// Half of the grains are smaller [1].
    pub median: f64,
    /// Standard deviation of the logarithm [1].
    pub sigma: f64,
}

/// Two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoSizes {
    /// Size of the first component [1].
    pub first: f64,
    /// Size of the second component [1].
    pub second: f64,
    /// Share of the first by number [1].
    pub share: f64,
}

/// The shape of a grain; in a scene file a table with one key. It stands around its centre of mass,
/// wherever the origin of its numbers is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrainShape {
    /// Corners on an ellipsoid (Schinner 3.1).
    Ellipsoid(Ellipsoid),
    /// One of the five regular bodies.
    Platonic(Platonic),
    /// A box.
    Box(GrainBox),
    /// A prism along z over a regular polygon.
    Prism(Prism),
    /// The convex hull of points.
    Polyhedron(Polyhedron),
    /// A closed triangle mesh from a file.
    Mesh(GrainMesh),
}

impl GrainShape {
    /// The key of this shape in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ellipsoid(_) => "ellipsoid",
            Self::Platonic(_) => "platonic",
            Self::Box(_) => "box",
            Self::Prism(_) => "prism",
            Self::Polyhedron(_) => "polyhedron",
            Self::Mesh(_) => "mesh",
        }
    }

    /// About how far it is across [m], where that is known without reading files.
    pub fn diameter(&self) -> Option<f64> {
        match self {
            Self::Ellipsoid(e) => Some(2.0 * e.half_axes.get().max_element()),
            Self::Platonic(p) => Some(2.0 * p.radius),
            Self::Box(b) => Some(b.size.get().length()),
            Self::Prism(p) => Some(2.0 * p.radius.hypot(0.5 * p.height)),
            Self::Polyhedron(p) => {
                let points = || p.vertices.iter().map(|v| v.get());
                let (low, high) =
                    (points().reduce(|a, b| a.min(b)), points().reduce(|a, b| a.max(b)));
                low.zip(high).map(|(low, high)| (high - low).length())
            }
            Self::Mesh(_) => None,
        }
    }

    /// Whether no two grains made from it are alike.
    pub fn is_random(&self) -> bool {
        matches!(self, Self::Ellipsoid(e) if e.spread == Spread::Random
            || e.axis_variation > 0.0 || e.vertex_variation > 0.0)
    }
}

/// Corners on an ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ellipsoid {
    /// Half axes along x, y and z [m].
    pub half_axes: Vector,
    /// Number of corners [1].
    pub vertices: u32,
    /// How the corners are spread.
    #[serde(default = "even")]
    pub spread: Spread,
    /// Largest relative change of each half axis at random [1].
    #[serde(default)]
    pub axis_variation: f64,
    /// Largest way of a corner along the surface at random, over their mean distance [1].
    #[serde(default)]
    pub vertex_variation: f64,
}

/// A regular body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platonic {
    /// Which one.
    pub solid: PlatonicSolid,
    /// Distance of its corners from the middle [m].
    pub radius: f64,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrainBox {
    /// Edge lengths [m].
    pub size: Vector,
}

/// A prism along z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prism {
    /// Corners of its base [1].
    pub sides: u32,
    /// Their distance from the axis [m].
    pub radius: f64,
    /// Height [m].
    pub height: f64,
}

/// A triangle mesh in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrainMesh {
    /// Path of the OBJ, STL or PLY file, relative to the scene file.
    pub file: String,
    /// Factor from the file's lengths to metres [1].
    #[serde(default = "one")]
    pub scale: f64,
    /// What stands for a concave mesh.
    #[serde(default = "hull")]
    pub convex: Convex,
    /// Most convex parts [1].
    #[serde(default = "max_parts")]
    pub max_parts: u32,
}

pub(super) fn variety() -> u32 {
    32
}

fn yes() -> bool {
    true
}

fn even() -> Spread {
    Spread::Even
}

fn one() -> f64 {
    1.0
}

fn hull() -> Convex {
    Convex::Hull
}

fn max_parts() -> u32 {
    16
}
