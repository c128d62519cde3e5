//! Probes: extra columns of `series.csv`.

use super::opening::Rectangle;
use super::schema::Extent;
use super::vector::Vector;
use super::words::Axis;
use lawine_settings::Settings;

/// A probe: a name and one measurement.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Probe {
    /// Name of the column in `series.csv`.
    pub name: String,
    /// Its matter: `liquid`, `grains` or `snow`.
    #[setting(without = "the only matter of the scene, or the one that has the field")]
    pub of: Option<String>,
    /// What is measured.
    #[setting(one_of)]
    pub kind: ProbeKind,
}

/// What a probe measures.
#[derive(Clone, Debug, PartialEq, Settings)]
pub enum ProbeKind {
    /// Smallest value of a field.
    Min(FieldProbe),
    /// Mean of a field.
    Mean(FieldProbe),
    /// Largest value of a field.
    Max(FieldProbe),
    /// Standard deviation of a field.
    Deviation(FieldProbe),
    /// Pressure at a point, interpolated from the particles around it, in Pa.
    Pressure(PointProbe),
    /// Height of the liquid at a point, in a column as wide as the support, along gravity, in m.
    Height(PointProbe),
    /// Volume flow rate through a rectangle along its direction, in m³/s; in a plane through a
    /// line, per metre of depth, in m²/s.
    Flow(Rectangle),
    /// Component of the force on a body, in N.
    Force(ForceProbe),
    /// Value of a field for one grain.
    #[setting(of = "grains")]
    Grain(GrainProbe),
    /// Angle between the surface and the horizontal, in degrees.
    Slope(SlopeProbe),
    /// Number of particles in a box.
    Count(Extent),
    /// Packing fraction of a box: volume of the grains whose centre is inside over that of the box.
    #[setting(of = "grains")]
    Packing(Extent),
}

impl ProbeKind {
    /// The field that is measured, if it is one.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Min(f) | Self::Mean(f) | Self::Max(f) | Self::Deviation(f) => Some(&f.field),
            Self::Grain(g) => Some(&g.field),
            Self::Pressure(_)
            | Self::Height(_)
            | Self::Flow(_)
            | Self::Force(_)
            | Self::Slope(_)
            | Self::Count(_)
            | Self::Packing(_) => None,
        }
    }
}

/// A field of the particles.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct FieldProbe {
    /// Name of the field; with `.x`, `.y` or `.z` a component of a vector, otherwise its magnitude.
    #[setting(filled)]
    pub field: String,
    /// Box of the particles to include.
    #[setting(without = "all particles")]
    pub within: Option<Extent>,
}

/// A point.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct PointProbe {
    /// Point of the measurement [m].
    pub at: Vector,
}

/// A force on a body.
#[derive(Clone, Debug, PartialEq, Eq, Settings)]
pub struct ForceProbe {
    /// Name of the body.
    pub body: String,
    /// Component of the force.
    pub component: Axis,
}

/// A field of one grain.
#[derive(Clone, Debug, PartialEq, Eq, Settings)]
pub struct GrainProbe {
    /// Name of the grain.
    pub name: String,
    /// Name of the field; with `.x`, `.y` or `.z` a component of a vector, otherwise its magnitude.
    pub field: String,
}

/// The slope of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct SlopeProbe {
    /// Horizontal axis.
    pub along: Axis,
    /// Start of the surface [m].
    #[setting(without = "at the first particle")]
    pub min: Option<f64>,
    /// End of the surface [m].
    #[setting(without = "at the last particle")]
    pub max: Option<f64>,
}
