//! Grains: rigid polyhedra, one by one, as blocks of sand, or poured during the run.

use crate::file::{AxisAngle, Extent, Polyhedron, Vector};
use lawine_core::geometry::{Platonic as PlatonicSolid, Spread};
use lawine_settings::{Settings, Word};

/// The most corners of a grain.
const MAX_CORNERS: u32 = 10_000;

/// A single grain.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Grain {
    /// Name, for probes.
    #[setting(without = "no name", filled)]
    pub name: Option<String>,
    /// Shape of the grain.
    pub shape: GrainShape,
    /// Centre of mass [m].
    pub position: Vector,
    /// Rotation of the shape.
    #[setting(without = "no rotation")]
    pub orientation: Option<AxisAngle>,
    /// Velocity [m/s].
    #[setting(default)]
    pub velocity: Vector,
    /// Angular velocity in the space frame [rad/s].
    #[setting(default)]
    pub angular_velocity: Vector,
    /// Density [kg/m³].
    #[setting(without = "`grains.density`", above = 0)]
    pub density: Option<f64>,
    /// Name of its material in `grains.contact.pair`.
    #[setting(without = "the first material")]
    pub material: Option<String>,
}

/// Grains that may differ from each other.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Assortment {
    /// Shape of the grains, before their sizes are applied.
    pub shape: GrainShape,
    /// Distribution of sizes, as factors of the shape.
    #[setting(without = "all the same")]
    pub sizes: Option<Sizes>,
    /// Number of distinct shapes that the grains share [1], for randomly varied shapes.
    #[setting(default = 32, at_least = 1, at_most = 10_000)]
    pub variety: u32,
    /// Density [kg/m³].
    #[setting(without = "`grains.density`", above = 0)]
    pub density: Option<f64>,
    /// Name of their material in `grains.contact.pair`.
    #[setting(without = "the first material")]
    pub material: Option<String>,
}

/// A block of sand: grains on a lattice (Schinner, Appendix D).
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Block {
    /// What the grains are like.
    #[setting(flatten)]
    pub grains: Assortment,
    /// Corner with the smallest coordinates [m].
    pub origin: Vector,
    /// Edge lengths [m].
    #[setting(above = 0)]
    pub size: Vector,
    /// Distance between neighbouring grains [m].
    #[setting(above = 0)]
    pub spacing: f64,
    /// Number of grains [1].
    #[setting(without = "as many as fit", at_least = 1)]
    pub count: Option<u32>,
    /// Whether the grains are rotated at random; otherwise they have the orientation of their
    /// shape.
    #[setting(default = true)]
    pub turned: bool,
    /// Common velocity [m/s].
    #[setting(default)]
    pub velocity: Vector,
    /// Speed in a random direction [m/s], in addition.
    #[setting(default = 0.0, at_least = 0)]
    pub speed: f64,
    /// Angular speed about a random axis [rad/s].
    #[setting(default = 0.0, at_least = 0)]
    pub spin: f64,
}

/// A region in which grains appear during the run, where there is room.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Pour {
    /// What the grains are like.
    #[setting(flatten)]
    pub grains: Assortment,
    /// Region in which their centres are placed.
    pub region: Extent,
    /// Grains per second [1/s].
    #[setting(without = "set by `slower_than`", above = 0)]
    pub rate: Option<f64>,
    /// Pour the next grain once all grains are slower than this [m/s].
    #[setting(without = "set by `rate`", above = 0)]
    pub slower_than: Option<f64>,
    /// Largest number of grains poured [1].
    #[setting(without = "50 million", at_least = 1)]
    pub count: Option<u32>,
    /// Velocity [m/s].
    #[setting(default)]
    pub velocity: Vector,
    /// Start time [s].
    #[setting(default = 0.0, at_least = 0)]
    pub start: f64,
    /// End time [s].
    #[setting(without = "never")]
    pub stop: Option<f64>,
}

/// A distribution of sizes: factors of the lengths of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub enum Sizes {
    /// The same size for all.
    Fixed(FixedSize),
    /// Uniform distribution between two sizes.
    Uniform(UniformSizes),
    /// Log-normal distribution.
    LogNormal(LogNormalSizes),
    /// Two sizes.
    TwoComponents(TwoSizes),
}

/// One size.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct FixedSize {
    /// The size [1].
    #[setting(above = 0)]
    pub size: f64,
}

/// Sizes between two.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct UniformSizes {
    /// Smallest size [1].
    #[setting(above = 0)]
    pub min: f64,
    /// Largest size, above `min` [1].
    #[setting(above = 0)]
    pub max: f64,
}

/// Sizes whose logarithm is normally distributed.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct LogNormalSizes {
    /// Median [1].
    #[setting(above = 0)]
    pub median: f64,
    /// Standard deviation of the logarithm [1].
    #[setting(at_least = 0, below = 3)]
    pub sigma: f64,
}

/// Two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct TwoSizes {
    /// Size of the first component [1].
    #[setting(above = 0)]
    pub first: f64,
    /// Size of the second component [1].
    #[setting(above = 0)]
    pub second: f64,
    /// Number fraction of the first component [1].
    #[setting(at_least = 0, at_most = 1, was = "share")]
    pub fraction: f64,
}

/// The shape of a grain; in a scene file a table with one key.
///
/// It stands around its centre of mass, wherever the origin of its numbers is.
#[derive(Clone, Debug, PartialEq, Settings)]
pub enum GrainShape {
    /// Polyhedron with vertices on an ellipsoid (Schinner 3.1).
    Ellipsoid(Ellipsoid),
    /// A Platonic solid.
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
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Ellipsoid {
    /// Semi-axes along x [m], y and z.
    #[setting(above = 0)]
    pub half_axes: Vector,
    /// Number of vertices [1].
    #[setting(at_least = 4, at_most = MAX_CORNERS)]
    pub vertices: u32,
    /// Distribution of the vertices.
    #[setting(default = Spread::Even)]
    pub spread: Spread,
    /// Largest random relative change of each semi-axis [1].
    #[setting(default = 0.0, at_least = 0, below = 1)]
    pub axis_variation: f64,
    /// Largest random displacement of a vertex along the surface [1], over the mean distance of
    /// vertices.
    #[setting(default = 0.0, at_least = 0, below = 0.5)]
    pub vertex_variation: f64,
}

/// A regular body.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Platonic {
    /// Which Platonic solid.
    pub solid: PlatonicSolid,
    /// Circumradius [m].
    #[setting(above = 0)]
    pub radius: f64,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct GrainBox {
    /// Edge lengths [m].
    #[setting(above = 0)]
    pub size: Vector,
}

/// A prism along z.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Prism {
    /// Number of sides of the base [1].
    #[setting(at_least = 3, at_most = MAX_CORNERS / 2)]
    pub sides: u32,
    /// Circumradius of the base [m].
    #[setting(above = 0)]
    pub radius: f64,
    /// Height [m].
    #[setting(above = 0)]
    pub height: f64,
}

/// A triangle mesh in a file.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct GrainMesh {
    /// Path of the OBJ, STL or PLY file, relative to the scene file.
    #[setting(filled)]
    pub file: String,
    /// Scale factor from the file's lengths to metres [1].
    #[setting(default = 1.0, above = 0)]
    pub scale: f64,
    /// How a concave mesh is represented.
    #[setting(default = Convex::Hull)]
    pub convex: Convex,
    /// Maximum number of convex parts [1].
    #[setting(default = 16, at_least = 1, at_most = 1024)]
    pub max_parts: u32,
}

/// What stands for a mesh that may be concave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Convex {
    /// Its convex hull.
    Hull,
    /// Several convex parts, as one rigid body.
    Parts,
}
