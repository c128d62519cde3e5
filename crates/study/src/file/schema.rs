//! A study file as Rust data.

use lawine_settings::{Settings, Value, Word};

/// A whole study file.
#[derive(Clone, Debug, Settings)]
pub struct StudyFile {
    /// Title.
    pub title: String,
    /// What is studied, and what to see in the results; paragraphs are separated by empty lines.
    #[setting(default)]
    pub about: String,
    /// Where the printed numbers come from.
    #[setting(default)]
    pub source: String,
    /// Whether times are compared: runs then go one at a time.
    #[setting(default)]
    pub timing: bool,
    /// Threads of each run [1].
    #[setting(without = "one", at_most = 1024)]
    pub threads: Option<u32>,
    /// How often each run is repeated [1].
    #[setting(without = "once")]
    pub repeat: Option<u32>,
    /// A built-in scene or a file.
    #[setting(without = "each case has its own")]
    pub scene: Option<String>,
    /// A built-in experiment.
    #[setting(without = "runs are of scenes")]
    pub experiment: Option<String>,
    /// Settings of all runs, `KEY=VALUE`.
    #[setting(default)]
    pub set: Vec<String>,
    /// What differs in the short form.
    #[setting(default)]
    pub quick: Quick,
    /// The runs.
    pub case: Vec<Case>,
    /// What is measured.
    pub measure: Vec<Measure>,
    /// Printed numbers to compare with.
    #[setting(default)]
    pub reference: Vec<Reference>,
    /// What the table is asked.
    #[setting(default)]
    pub finding: Vec<Finding>,
    /// What is drawn.
    #[setting(default)]
    pub plot: Vec<Plot>,
    /// Pictures of the runs side by side.
    #[setting(without = "none")]
    pub pictures: Option<Pictures>,
}

/// The short form of a study.
#[derive(Clone, Debug, Settings)]
pub struct Quick {
    /// Settings of all runs on top of the others.
    #[setting(default)]
    pub set: Vec<String>,
    /// How often each run is repeated [1].
    #[setting(without = "as in full")]
    pub repeat: Option<u32>,
}

/// Runs of one kind.
#[derive(Clone, Debug, Settings)]
pub struct Case {
    /// Short name.
    pub name: String,
    /// Name in tables and legends; the short one if not given.
    #[setting(without = "the short name")]
    pub label: Option<String>,
    /// A scene instead of the study's.
    #[setting(without = "the study's")]
    pub scene: Option<String>,
    /// An experiment instead of the study's.
    #[setting(without = "the study's")]
    pub experiment: Option<String>,
    /// Settings on top of the study's.
    #[setting(default)]
    pub set: Vec<String>,
    /// What varies; all combinations are run.
    #[setting(default)]
    pub vary: Vec<Vary>,
    /// Looks for the largest value of a key for which the run is still good.
    #[setting(without = "no search")]
    pub search: Option<Search>,
    /// Whether a run that fails is a result like any other.
    #[setting(default)]
    pub may_fail: bool,
    /// Whether the short form leaves the case out.
    #[setting(default)]
    pub skip_quick: bool,
}

impl Case {
    /// Name in tables and legends.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// A key that varies.
#[derive(Clone, Debug, Settings)]
pub struct Vary {
    /// Path of the key.
    pub key: String,
    /// Name in tables; the key if not given.
    #[setting(without = "the key")]
    pub name: Option<String>,
    /// Unit, for tables and axes.
    #[setting(default)]
    pub unit: String,
    /// Its values.
    #[setting(without = "`range` or `log_range`")]
    pub values: Option<Vec<Value>>,
    /// Its values, evenly spread.
    #[setting(without = "`values` or `log_range`")]
    pub range: Option<Range>,
    /// Its values, each the same factor above the last.
    #[setting(without = "`values` or `range`")]
    pub log_range: Option<Range>,
    /// Its values in the short form.
    #[setting(without = "as in full")]
    pub quick: Option<Vec<Value>>,
    /// Keys with the same word here change together instead of crosswise.
    #[setting(without = "crosswise")]
    pub zip: Option<String>,
}

impl Vary {
    /// Name in tables.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.key)
    }
}

/// Numbers from one to another.
#[derive(Clone, Copy, Debug, Settings)]
pub struct Range {
    /// First.
    pub from: f64,
    /// Last.
    pub to: f64,
    /// How many.
    pub count: u32,
}

/// A search by bisection for the largest value of a key for which conditions hold.
#[derive(Clone, Debug, Settings)]
pub struct Search {
    /// Path of the key.
    pub key: String,
    /// Name in tables; the key if not given.
    #[setting(without = "the key")]
    pub name: Option<String>,
    /// A value for which they hold.
    pub from: f64,
    /// A value for which they do not.
    pub to: f64,
    /// The last two values differ by this factor less one [1].
    #[setting(default = 0.05, at_least = 1e-4, at_most = 1)]
    pub tolerance: f64,
    /// The measures that must stay below a limit.
    pub below: Vec<Limit>,
}

impl Search {
    /// Name in tables.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.key)
    }
}

/// A measure and what it may be at most.
#[derive(Clone, Debug, Settings)]
pub struct Limit {
    /// Name of the measure.
    pub measure: String,
    /// Largest good value.
    pub limit: f64,
}

/// A number that is taken from each run.
#[derive(Clone, Debug, Settings)]
pub struct Measure {
    /// Name.
    pub name: String,
    /// Heading in tables and at axes; the name if not given.
    #[setting(without = "the name")]
    pub label: Option<String>,
    /// Unit.
    #[setting(default)]
    pub unit: String,
    /// What is measured: `summary.KEY`, `phases.NAME`, `series.COLUMN` or `result.NAME`.
    pub of: String,
    /// How a column becomes a number.
    #[setting(default)]
    pub reduce: Reduction,
    /// The times that count [s].
    #[setting(without = "the whole run")]
    pub window: Option<[f64; 2]>,
    /// The frequencies between which a spectrum decays [1/s].
    #[setting(without = "all")]
    pub fit: Option<[f64; 2]>,
    /// Subtracted first.
    #[setting(default)]
    pub minus: f64,
    /// Multiplied then.
    #[setting(without = "1")]
    pub scale: Option<f64>,
    /// Divided by this measure.
    #[setting(without = "not divided")]
    pub per: Option<String>,
    /// How repetitions become one number.
    #[setting(default)]
    pub over: Over,
    /// Whether it is left out of the printed table.
    #[setting(default)]
    pub hidden: bool,
}

impl Measure {
    /// Heading with the unit.
    pub fn heading(&self) -> String {
        with_unit(self.label.as_deref().unwrap_or(&self.name), &self.unit)
    }
}

/// A label with its unit in brackets.
pub(crate) fn with_unit(label: &str, unit: &str) -> String {
    if unit.is_empty() { label.to_owned() } else { format!("{label} [{unit}]") }
}

/// How a column of a series becomes a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Reduction {
    /// The last value.
    #[default]
    Last,
    /// The first value.
    First,
    /// The mean over time.
    Mean,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The standard deviation over time.
    Std,
    /// The slope of the line of least squares over time.
    Slope,
    /// The exponent of the decay of its power spectrum between the frequencies of `fit`.
    Decay,
}

/// How repetitions become one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Over {
    /// Their mean, with the standard deviation as error bar.
    #[default]
    Mean,
    /// The smallest: suitable for times on a busy machine.
    Min,
    /// The largest.
    Max,
}

/// Printed numbers, or those of a formula.
#[derive(Clone, Debug, Settings)]
pub struct Reference {
    /// Where they come from, in a few words.
    pub label: String,
    /// The case they belong to; all if not given.
    #[setting(without = "all")]
    pub case: Option<String>,
    /// What the columns are: names of keys that vary, and of measures.
    pub columns: Vec<String>,
    /// The numbers.
    pub rows: Vec<Vec<f64>>,
    /// Whether they are computed by a formula of the source, and not printed there.
    #[setting(default)]
    pub formula: bool,
}

/// A question to the table.
#[derive(Clone, Debug, Settings)]
pub struct Finding {
    /// Its text, before the value.
    pub text: String,
    /// What is asked.
    #[setting(default)]
    pub kind: FindingKind,
    /// Along this key or measure.
    #[setting(default)]
    pub x: String,
    /// Of this measure.
    #[setting(default)]
    pub y: String,
    /// The measure that crosses it.
    #[setting(without = "none")]
    pub other: Option<String>,
    /// Among the runs of this case; all if not given.
    #[setting(without = "all")]
    pub case: Option<String>,
    /// The case that it is compared with.
    #[setting(without = "none")]
    pub than: Option<String>,
    /// Among the rows whose x is between these, ends included; all if not given.
    #[setting(without = "all")]
    pub within: Option<[f64; 2]>,
    /// From where to where the answer is as expected.
    #[setting(without = "anything")]
    pub expect: Option<[f64; 2]>,
    /// The same for the short form, if its runs are smaller.
    #[setting(without = "as in full")]
    pub quick_expect: Option<[f64; 2]>,
    /// The answer that is printed in the source.
    #[setting(without = "none")]
    pub reference: Option<f64>,
    /// Whether only the full form is asked: the short one is too short for it, or too quick for the clock.
    #[setting(default)]
    pub skip_quick: bool,
}

/// What is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum FindingKind {
    /// The exponent p of y ∝ xᵖ by least squares.
    #[default]
    Power,
    /// Where y is smallest.
    Best,
    /// The smallest y.
    Smallest,
    /// The largest y.
    Largest,
    /// The largest y over the smallest.
    Spread,
    /// The x at which y and the other measure are equal.
    Crossing,
    /// The fraction of runs that failed.
    Failed,
    /// The largest |y over the printed one − 1|.
    Deviation,
    /// The smallest y over the smallest of the case `than`.
    Factor,
}

/// A drawing.
#[derive(Clone, Debug, Settings)]
pub struct Plot {
    /// Name of the file, without its ending.
    pub name: String,
    /// Title.
    #[setting(default)]
    pub title: String,
    /// What is drawn.
    #[setting(default)]
    pub kind: PlotKind,
    /// Along x: a key, a measure, or a column of the series.
    #[setting(default)]
    pub x: String,
    /// Along y: measures, or columns of the series.
    pub y: Vec<String>,
    /// At the x axis; from the measure if not given.
    #[setting(without = "from the measure")]
    pub x_label: Option<String>,
    /// At the y axis; from the measure if not given.
    #[setting(without = "from the measure")]
    pub y_label: Option<String>,
    /// Whether x is logarithmic.
    #[setting(default)]
    pub x_log: bool,
    /// Whether y is logarithmic.
    #[setting(default)]
    pub y_log: bool,
    /// The x axis, from and to.
    #[setting(without = "what there is")]
    pub x_range: Option<[f64; 2]>,
    /// The y axis, from and to.
    #[setting(without = "what there is")]
    pub y_range: Option<[f64; 2]>,
    /// Multiplies x.
    #[setting(without = "1")]
    pub x_scale: Option<f64>,
    /// Multiplies y.
    #[setting(without = "1")]
    pub y_scale: Option<f64>,
    /// Added to x after scaling.
    #[setting(default)]
    pub x_shift: f64,
    /// Added to y after scaling.
    #[setting(default)]
    pub y_shift: f64,
    /// Curves of series are means over this width along x, before scaling: for noisy columns.
    #[setting(without = "not smoothed", above = 0)]
    pub smooth: Option<f64>,
    /// The cases that are drawn; all if not given.
    #[setting(default)]
    pub cases: Vec<String>,
    /// Points without lines.
    #[setting(default)]
    pub points: bool,
    /// Printed curves.
    #[setting(default)]
    pub reference: Vec<PlotReference>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum PlotKind {
    /// Columns of the table, a curve for each case.
    #[default]
    Table,
    /// Columns of the series, a curve for each run.
    Series,
    /// Power spectra of the columns of measures that `decay`, a curve for each run.
    Spectrum,
    /// Measures stacked, a bar for each run.
    Bars,
}

/// A curve to compare with: of a file, or points.
#[derive(Clone, Debug, Settings)]
pub struct PlotReference {
    /// Name in the legend.
    pub label: String,
    /// A CSV file with a header row; lines with # are skipped.
    #[setting(without = "`points`")]
    pub file: Option<String>,
    /// Column along x; the first if not given.
    #[setting(without = "the first")]
    pub x: Option<String>,
    /// Column along y; the second if not given.
    #[setting(without = "the second")]
    pub y: Option<String>,
    /// The points, without a file.
    #[setting(default)]
    pub points: Vec<[f64; 2]>,
    /// Multiplies x.
    #[setting(without = "1")]
    pub x_scale: Option<f64>,
    /// Multiplies y.
    #[setting(without = "1")]
    pub y_scale: Option<f64>,
    /// Whether it is drawn as a line, as theory is.
    #[setting(default)]
    pub line: bool,
}

/// Pictures of the runs side by side: the last of each.
#[derive(Clone, Debug, Settings)]
pub struct Pictures {
    /// The cases that are shown; all if not given.
    #[setting(default)]
    pub cases: Vec<String>,
    /// Pictures in a row [1].
    #[setting(without = "as many as fit")]
    pub columns: Option<u32>,
}
