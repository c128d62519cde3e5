//! Probes: extra columns of `series.csv`.

use serde::{Deserialize, Serialize};

use super::opening::Rectangle;
use super::schema::Extent;
use super::vector::Vector;
use super::words::Axis;

/// A probe: a name and one measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ProbeTable", into = "ProbeTable")]
pub struct Probe {
    /// Name of the column.
    pub name: String,
    /// What is measured.
    pub kind: ProbeKind,
}

/// What a probe measures.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbeKind {
    /// The smallest value of a field.
    Min(FieldProbe),
    /// The mean of a field.
    Mean(FieldProbe),
    /// The largest value of a field.
    Max(FieldProbe),
    /// The standard deviation of a field.
    Deviation(FieldProbe),
    /// The pressure at a point, interpolated from the particles around it [Pa].
    Pressure(PointProbe),
    /// The height of the liquid over a place, in a column as wide as the support, along gravity [m].
    Height(PointProbe),
    /// The volume that flows through a rectangle along its direction [m³/s]; in a plane through a
    /// line, per metre of depth [m²/s].
    Flow(Rectangle),
    /// A component of the force on a body [N].
    Force(ForceProbe),
    /// The value of a field for one grain.
    Grain(GrainProbe),
    /// The slope of the surface along an axis [°].
    Slope(SlopeProbe),
    /// The number of particles in a box.
    Count(Extent),
    /// The share of a box that the grains whose centre is inside fill.
    Packing(Extent),
}

impl ProbeKind {
    /// The key of this kind in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Min(_) => "min",
            Self::Mean(_) => "mean",
            Self::Max(_) => "max",
            Self::Deviation(_) => "deviation",
            Self::Pressure(_) => "pressure",
            Self::Height(_) => "height",
            Self::Flow(_) => "flow",
            Self::Force(_) => "force",
            Self::Grain(_) => "grain",
            Self::Slope(_) => "slope",
            Self::Count(_) => "count",
            Self::Packing(_) => "packing",
        }
    }

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldProbe {
    /// Name of the field; a component by `.x`, `.y`, `.z`, otherwise the magnitude of a vector.
    pub field: String,
    /// The box in which particles count; all if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Extent>,
}

/// A point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointProbe {
    /// The point [m].
    pub at: Vector,
}

/// A force on a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForceProbe {
    /// Name of the body.
    pub body: String,
    /// The component of the force.
    pub component: Axis,
}

/// A field of one grain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrainProbe {
    /// Name of the grain.
    pub name: String,
    /// Name of the field; a component by `.x`, `.y`, `.z`, otherwise the magnitude of a vector.
    pub field: String,
}

/// The slope of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlopeProbe {
    /// The horizontal axis.
    pub along: Axis,
    /// Where the surface begins [m]; at the first particle if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Where it ends [m]; at the last particle if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// A probe as the file has it. The kind is not flattened into the table by serde, since that would
/// lose the refusal of unknown keys.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProbeTable {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<FieldProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mean: Option<FieldProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<FieldProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deviation: Option<FieldProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pressure: Option<PointProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    height: Option<PointProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flow: Option<Rectangle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    force: Option<ForceProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grain: Option<GrainProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slope: Option<SlopeProbe>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<Extent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    packing: Option<Extent>,
}

impl TryFrom<ProbeTable> for Probe {
    type Error = &'static str;

    fn try_from(table: ProbeTable) -> Result<Self, Self::Error> {
        let ProbeTable { name, min, mean, max, deviation, .. } = table;
        let ProbeTable { pressure, height, flow, force, grain, slope, count, packing, .. } = table;
        let mut kinds = [
            min.map(ProbeKind::Min),
            mean.map(ProbeKind::Mean),
            max.map(ProbeKind::Max),
            deviation.map(ProbeKind::Deviation),
            pressure.map(ProbeKind::Pressure),
            height.map(ProbeKind::Height),
            flow.map(ProbeKind::Flow),
            force.map(ProbeKind::Force),
            grain.map(ProbeKind::Grain),
            slope.map(ProbeKind::Slope),
            count.map(ProbeKind::Count),
            packing.map(ProbeKind::Packing),
        ]
        .into_iter()
        .flatten();
        match (kinds.next(), kinds.next()) {
            (Some(kind), None) => Ok(Self { name, kind }),
            _ => Err("a probe has exactly one of: min, mean, max, deviation, pressure, height, \
                      flow, force, grain, slope, count, packing"),
        }
    }
}

impl From<Probe> for ProbeTable {
    fn from(probe: Probe) -> Self {
        let mut table = Self {
            name: probe.name,
            min: None,
            mean: None,
            max: None,
            deviation: None,
            pressure: None,
            height: None,
            flow: None,
            force: None,
            grain: None,
            slope: None,
            count: None,
            packing: None,
        };
        match probe.kind {
            ProbeKind::Min(field) => table.min = Some(field),
            ProbeKind::Mean(field) => table.mean = Some(field),
            ProbeKind::Max(field) => table.max = Some(field),
            ProbeKind::Deviation(field) => table.deviation = Some(field),
            ProbeKind::Pressure(point) => table.pressure = Some(point),
            ProbeKind::Height(point) => table.height = Some(point),
            ProbeKind::Flow(rectangle) => table.flow = Some(rectangle),
            ProbeKind::Force(force) => table.force = Some(force),
            ProbeKind::Grain(grain) => table.grain = Some(grain),
            ProbeKind::Slope(slope) => table.slope = Some(slope),
            ProbeKind::Count(extent) => table.count = Some(extent),
            ProbeKind::Packing(extent) => table.packing = Some(extent),
        }
        table
    }
}
