//! A study file as Rust data.

use serde::Deserialize;
use serde_json::Value;

/// A whole study file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StudyFile {
    /// Title.
    pub title: String,
    /// What is studied, and what to see in the results; paragraphs are separated by empty lines.
    pub about: String,
    /// Where the printed numbers come from.
    pub source: String,
    /// Whether times are compared: runs then go one at a time.
    pub timing: bool,
    /// Threads of each run [1].
    pub threads: Option<u32>,
    /// How often each run is repeated [1].
    pub repeat: Option<u32>,
    /// A built-in scene or a file.
    pub scene: Option<String>,
    /// A built-in experiment.
    pub experiment: Option<String>,
    /// Settings of all runs, `KEY=VALUE`.
    pub set: Vec<String>,
    /// What differs in the short form.
    pub quick: Quick,
    /// The runs.
    pub case: Vec<Case>,
    /// What is measured.
    pub measure: Vec<Measure>,
    /// Printed numbers to compare with.
    pub reference: Vec<Reference>,
    /// What the table is asked.
    pub finding: Vec<Finding>,
    /// What is drawn.
    pub plot: Vec<Plot>,
    /// Pictures of the runs side by side.
    pub pictures: Option<Pictures>,
}

/// The short form of a study.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quick {
    /// Settings of all runs on top of the others.
    pub set: Vec<String>,
    /// How often each run is repeated [1].
    pub repeat: Option<u32>,
}

/// Runs of one kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Case {
    /// Short name.
    pub name: String,
    /// Name in tables and legends; the short one if not given.
    pub label: Option<String>,
    /// A scene instead of the study's.
    pub scene: Option<String>,
    /// An experiment instead of the study's.
    pub experiment: Option<String>,
    /// Settings on top of the study's.
    pub set: Vec<String>,
    /// What varies; all combinations are run.
    pub vary: Vec<Vary>,
    /// Looks for the largest value of a key for which the run is still good.
    pub search: Option<Search>,
    /// Whether a run that fails is a result like any other.
    pub may_fail: bool,
    /// Whether the short form leaves the case out.
    pub skip_quick: bool,
}

impl Case {
    /// Name in tables and legends.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// A key that varies.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Vary {
    /// Path of the key.
    pub key: String,
    /// Name in tables; the key if not given.
    pub name: Option<String>,
    /// Unit, for tables and axes.
    pub unit: String,
    /// Its values.
    pub values: Option<Vec<Value>>,
    /// Its values, evenly spread.
    pub range: Option<Range>,
    /// Its values, each the same factor above the last.
    pub log_range: Option<Range>,
    /// Its values in the short form.
    pub quick: Option<Vec<Value>>,
    /// Keys with the same word here change together instead of crosswise.
    pub zip: Option<String>,
}

impl Vary {
    /// Name in tables.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.key)
    }
}

/// Numbers from one to another.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// First.
    pub from: f64,
    /// Last.
    pub to: f64,
    /// How many.
    pub count: u32,
}

/// A search by bisection for the largest value of a key for which conditions hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// Path of the key.
    pub key: String,
    /// Name in tables; the key if not given.
    pub name: Option<String>,
    /// A value for which they hold.
    pub from: f64,
    /// A value for which they do not.
    pub to: f64,
    /// The last two values differ by this factor less one [1].
    pub tolerance: Option<f64>,
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Name of the measure.
    pub measure: String,
    /// Largest good value.
    pub limit: f64,
}

/// A number that is taken from each run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// Name.
    pub name: String,
    /// Heading in tables and at axes; the name if not given.
    pub label: Option<String>,
    /// Unit.
    pub unit: String,
    /// What is measured: `summary.KEY`, `phases.NAME`, `series.COLUMN` or `result.NAME`.
    pub of: String,
    /// How a column becomes a number.
    pub reduce: Reduction,
    /// The times that count [s].
    pub window: Option<[f64; 2]>,
    /// The frequencies between which a spectrum decays [1/s].
    pub fit: Option<[f64; 2]>,
    /// Subtracted first.
    pub minus: f64,
    /// Multiplied then.
    pub scale: Option<f64>,
    /// Divided by this measure.
    pub per: Option<String>,
    /// How repetitions become one number.
    pub over: Over,
    /// Whether it is left out of the printed table.
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

/// Declares an enum of words in lower case, with the list of them.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The words in the file.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }
    };
}

words! {
    /// How a column of a series becomes a number.
    Reduction {
        /// The last value.
        #[default]
        Last = "last",
        /// The first value.
        First = "first",
        /// The mean over time.
        Mean = "mean",
        /// The largest.
        Max = "max",
        /// The smallest.
        Min = "min",
        /// The standard deviation over time.
        Std = "std",
        /// The slope of the line of least squares over time.
        Slope = "slope",
        /// The exponent of the decay of its power spectrum between the frequencies of `fit`.
        Decay = "decay",
    }
}

words! {
    /// How repetitions become one number.
    Over {
        /// Their mean, with the standard deviation as error bar.
        #[default]
        Mean = "mean",
        /// The smallest: right for times on a busy machine.
        Min = "min",
        /// The largest.
        Max = "max",
    }
}

/// Printed numbers, or those of a formula.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reference {
    /// Where they come from, in a few words.
    pub label: String,
    /// The case they belong to; all if not given.
    pub case: Option<String>,
    /// What the columns are: names of keys that vary, and of measures.
    pub columns: Vec<String>,
    /// The numbers.
    pub rows: Vec<Vec<f64>>,
    /// Whether they are computed by a formula of the source, and not printed there.
    pub formula: bool,
}

/// A question to the table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Finding {
    /// What it tells, before the number.
    pub text: String,
    /// What is asked.
    pub kind: FindingKind,
    /// Along this key or measure.
    pub x: String,
    /// Of this measure.
    pub y: String,
    /// The measure that crosses it.
    pub other: Option<String>,
    /// Among the runs of this case; all if not given.
    pub case: Option<String>,
    /// The case that it is compared with.
    pub than: Option<String>,
    /// Among the rows whose x is between these, ends included; all if not given.
    pub within: Option<[f64; 2]>,
    /// From where to where the answer is as expected.
    pub expect: Option<[f64; 2]>,
    /// The same for the short form, if its runs are smaller.
    pub quick_expect: Option<[f64; 2]>,
    /// The answer that is printed in the source.
    pub reference: Option<f64>,
    /// Whether only the full form is asked: the short one is too short for it, or too quick for the clock.
    pub skip_quick: bool,
}

words! {
    /// What is asked.
    FindingKind {
        /// The exponent p of y ∝ xᵖ by least squares.
        #[default]
        Power = "power",
        /// Where y is smallest.
        Best = "best",
        /// The smallest y.
        Smallest = "smallest",
        /// The largest y.
        Largest = "largest",
        /// The largest y over the smallest.
        Spread = "spread",
        /// The x at which y and the other measure are equal.
        Crossing = "crossing",
        /// The share of runs that failed.
        Failed = "failed",
        /// The largest |y over the printed one − 1|.
        Deviation = "deviation",
        /// The smallest y over the smallest of the case `than`.
        Factor = "factor",
    }
}

/// A drawing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plot {
    /// Name of the file, without its ending.
    pub name: String,
    /// Title.
    pub title: String,
    /// What is drawn.
    pub kind: PlotKind,
    /// Along x: a key, a measure, or a column of the series.
    pub x: String,
    /// Along y: measures, or columns of the series.
    pub y: Vec<String>,
    /// At the x axis; from the measure if not given.
    pub x_label: Option<String>,
    /// At the y axis; from the measure if not given.
    pub y_label: Option<String>,
    /// Whether x is logarithmic.
    pub x_log: bool,
    /// Whether y is logarithmic.
    pub y_log: bool,
    /// The x axis, from and to.
    pub x_range: Option<[f64; 2]>,
    /// The y axis, from and to.
    pub y_range: Option<[f64; 2]>,
    /// Multiplies x.
    pub x_scale: Option<f64>,
    /// Multiplies y.
    pub y_scale: Option<f64>,
    /// Added to x after scaling.
    pub x_shift: f64,
    /// Added to y after scaling.
    pub y_shift: f64,
    /// Curves of series are means over this width along x, before scaling: for noisy columns.
    pub smooth: Option<f64>,
    /// The cases that are drawn; all if not given.
    pub cases: Vec<String>,
    /// Points without lines.
    pub points: bool,
    /// Printed curves.
    pub reference: Vec<PlotReference>,
}

words! {
    /// What is drawn.
    PlotKind {
        /// Columns of the table, a curve for each case.
        #[default]
        Table = "table",
        /// Columns of the series, a curve for each run.
        Series = "series",
        /// Power spectra of the columns of measures that `decay`, a curve for each run.
        Spectrum = "spectrum",
        /// Measures stacked, a bar for each run.
        Bars = "bars",
    }
}

/// A curve to compare with: of a file, or points.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlotReference {
    /// Name in the legend.
    pub label: String,
    /// A CSV file with a header row; lines with # are skipped.
    pub file: Option<String>,
    /// Column along x; the first if not given.
    pub x: Option<String>,
    /// Column along y; the second if not given.
    pub y: Option<String>,
    /// The points, without a file.
    pub points: Vec<[f64; 2]>,
    /// Multiplies x.
    pub x_scale: Option<f64>,
    /// Multiplies y.
    pub y_scale: Option<f64>,
    /// Whether it is drawn as a line, as theory is.
    pub line: bool,
}

/// Pictures of the runs side by side: the last of each.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pictures {
    /// The cases that are shown; all if not given.
    pub cases: Vec<String>,
    /// Pictures in a row [1].
    pub columns: Option<u32>,
}
