//! Measurements on a run that has ended: figures of the report.

use serde::{Deserialize, Serialize};

use super::schema::Extent;
use super::words::Axis;

/// A measurement: a name and one kind. Curves of the same name share a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MeasureTable", into = "MeasureTable")]
pub struct Measure {
    /// Title of the figure.
    pub name: String,
    /// What is measured.
    pub kind: MeasureKind,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasureKind {
    /// The power of a column of `series.csv` over the frequency, and the exponent of its decay.
    Spectrum(SpectrumMeasure),
    /// One column of `series.csv` over another, such as the path of a grain.
    Path(PathMeasure),
    /// The mean flow of the particles, cell by cell.
    FlowField(FlowFieldMeasure),
    /// Particles in layers, or the mean of a field there.
    Layers(LayersMeasure),
}

impl MeasureKind {
    /// The key of this kind in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Spectrum(_) => "spectrum",
            Self::Path(_) => "path",
            Self::FlowField(_) => "flow_field",
            Self::Layers(_) => "layers",
        }
    }

    /// The time that counts.
    pub fn span(&self) -> Span {
        match self {
            Self::Spectrum(SpectrumMeasure { span, .. })
            | Self::Path(PathMeasure { span, .. })
            | Self::FlowField(FlowFieldMeasure { span, .. })
            | Self::Layers(LayersMeasure { span, .. }) => span.unwrap_or_default(),
        }
    }
}

/// A time from and to which something counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// Beginning [s]; that of the run if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// End [s]; that of the run if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
}

impl Span {
    /// Whether a time counts [s].
    pub fn contains(&self, time: f64) -> bool {
        self.from.is_none_or(|from| time >= from) && self.to.is_none_or(|to| time <= to)
    }
}

/// The spectrum of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpectrumMeasure {
    /// Name of the column.
    pub column: String,
    /// The time that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The frequencies between which the exponent is fitted [1/s]; all if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<[f64; 2]>,
}

/// One column over another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathMeasure {
    /// Name of the column along the horizontal axis.
    pub x: String,
    /// Name of the column along the vertical axis.
    pub y: String,
    /// The time that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// The mean flow in a plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowFieldMeasure {
    /// The axes of the plane.
    pub axes: [Axis; 2],
    /// Edge of a cell [m].
    pub cell: f64,
    /// The box in which particles count; all if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Extent>,
    /// The time that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// Layers across an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayersMeasure {
    /// The axis.
    pub along: Axis,
    /// Thickness of a layer [m].
    pub thickness: f64,
    /// The field whose mean is taken; the number of particles if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The time that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// A measurement as the file has it; see [`Probe`](super::Probe) for why.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasureTable {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spectrum: Option<SpectrumMeasure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<PathMeasure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flow_field: Option<FlowFieldMeasure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    layers: Option<LayersMeasure>,
}

impl TryFrom<MeasureTable> for Measure {
    type Error = &'static str;

    fn try_from(table: MeasureTable) -> Result<Self, Self::Error> {
        let MeasureTable { name, spectrum, path, flow_field, layers } = table;
        let kinds = [
            spectrum.map(MeasureKind::Spectrum),
            path.map(MeasureKind::Path),
            flow_field.map(MeasureKind::FlowField),
            layers.map(MeasureKind::Layers),
        ];
        let mut kinds = kinds.into_iter().flatten();
        match (kinds.next(), kinds.next()) {
            (Some(kind), None) => Ok(Self { name, kind }),
            _ => Err("a measure has exactly one of: spectrum, path, flow_field, layers"),
        }
    }
}

impl From<Measure> for MeasureTable {
    fn from(measure: Measure) -> Self {
        let name = measure.name;
        let mut table = Self { name, spectrum: None, path: None, flow_field: None, layers: None };
        match measure.kind {
            MeasureKind::Spectrum(spectrum) => table.spectrum = Some(spectrum),
            MeasureKind::Path(path) => table.path = Some(path),
            MeasureKind::FlowField(flow) => table.flow_field = Some(flow),
            MeasureKind::Layers(layers) => table.layers = Some(layers),
        }
        table
    }
}
