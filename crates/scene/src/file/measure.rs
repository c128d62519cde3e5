//! Measurements on a run that has ended: figures of the report.

use super::schema::Extent;
use super::words::Axis;
use lawine_settings::Settings;

/// A measurement: a name and one kind. Curves of the same name share a figure.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Measure {
    /// Title of the figure; curves of the same name share a figure.
    #[setting(filled)]
    pub name: String,
    /// Its matter: `liquid`, `grains` or `snow`.
    #[setting(without = "the only matter of the scene, or the one that has the field")]
    pub of: Option<String>,
    /// What is measured.
    #[setting(one_of)]
    pub kind: MeasureKind,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Settings)]
pub enum MeasureKind {
    /// Power spectrum of a column of `series.csv`, and the exponent of its decay.
    Spectrum(SpectrumMeasure),
    /// One column of `series.csv` over another, such as the path of a grain.
    Path(PathMeasure),
    /// Mean velocity of the particles in each cell.
    #[setting(name = "flow_field")]
    FlowField(FlowFieldMeasure),
    /// Number of particles per layer, or the mean of a field.
    Layers(LayersMeasure),
}

impl MeasureKind {
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
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Span {
    /// Start [s].
    #[setting(without = "of the run")]
    pub from: Option<f64>,
    /// End [s].
    #[setting(without = "of the run")]
    pub to: Option<f64>,
}

impl Span {
    /// Whether a time counts [s].
    pub fn contains(&self, time: f64) -> bool {
        self.from.is_none_or(|from| time >= from) && self.to.is_none_or(|to| time <= to)
    }
}

/// The spectrum of a column.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct SpectrumMeasure {
    /// Column of `series.csv`.
    pub column: String,
    /// Time interval to include.
    #[setting(without = "the whole run")]
    pub span: Option<Span>,
    /// Frequency range for the fit of the exponent [1/s].
    #[setting(without = "all", above = 0)]
    pub fit: Option<[f64; 2]>,
}

/// One column over another.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct PathMeasure {
    /// Column of `series.csv` along the horizontal axis.
    pub x: String,
    /// Column of `series.csv` along the vertical axis.
    pub y: String,
    /// Time interval to include.
    #[setting(without = "the whole run")]
    pub span: Option<Span>,
}

/// The mean flow in a plane.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct FlowFieldMeasure {
    /// The two axes of the plotted plane.
    pub axes: [Axis; 2],
    /// Edge of a cell [m].
    #[setting(above = 0)]
    pub cell: f64,
    /// Box of the particles to include.
    #[setting(without = "all particles")]
    pub within: Option<Extent>,
    /// Time interval to include.
    #[setting(without = "the whole run")]
    pub span: Option<Span>,
}

/// Layers across an axis.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct LayersMeasure {
    /// Axis perpendicular to the layers.
    pub along: Axis,
    /// Thickness of a layer [m].
    #[setting(above = 0)]
    pub thickness: f64,
    /// Field to average.
    #[setting(without = "the number of particles")]
    pub field: Option<String>,
    /// Time interval to include.
    #[setting(without = "the whole run")]
    pub span: Option<Span>,
}
