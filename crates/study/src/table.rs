//! The table of a study: a row for each setting, repetitions merged.

mod text;

use crate::engine::{Found, Study};
use crate::file::{LoadedStudy, Measure, Over};
use crate::folder::Folder;
use crate::matrix::{Run, Setting, plain};
use crate::outcome::{Outcome, Status};
use lawine_record::output::report::number;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A number of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Ours; NaN where there is none.
    pub value: f64,
    /// Standard deviation over repetitions; zero without.
    pub error: f64,
    /// The printed one, or that of a formula.
    pub reference: Option<f64>,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Number of the case.
    pub case: usize,
    /// A few words on it.
    pub label: String,
    /// What varies; what a search has found is among them.
    pub settings: Vec<Setting>,
    /// The measures, and what a search has found.
    pub cells: BTreeMap<String, Cell>,
    /// Why runs failed.
    pub failures: Vec<String>,
    /// Warnings of the runs.
    pub warnings: Vec<String>,
    /// The folder of the first run's series and pictures.
    pub data: PathBuf,
}

impl Row {
    /// A number of the row: a measure, or a key that varies.
    pub fn number(&self, name: &str) -> f64 {
        let setting = || self.settings.iter().find(|s| s.name == name)?.value.number();
        self.cells.get(name).map(|c| c.value).or_else(setting).unwrap_or(f64::NAN)
    }

    /// The value of a key that varies, as text.
    pub fn setting(&self, name: &str) -> Option<String> {
        self.settings.iter().find(|s| s.name == name).map(|s| match s.value.number() {
            Some(value) => number(value),
            None => plain(&s.value),
        })
    }

    /// The settings but one, as text, to distinguish curves.
    pub(crate) fn others(&self, x: &str) -> String {
        let others =
            self.settings.iter().filter(|s| s.name != x && !self.cells.contains_key(&s.name));
        let words = others.map(|s| format!("{} {}", s.name, plain(&s.value)));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// The table of a study.
#[derive(Clone, Debug)]
pub struct Table {
    /// Names and units of the keys that vary.
    pub keys: Vec<(String, String)>,
    /// The measures.
    pub measures: Vec<Measure>,
    /// The labels of the cases.
    pub cases: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The measures whose numbers to compare with come from a formula of the source and are not printed there.
    pub(crate) formulas: BTreeSet<String>,
}

impl Table {
    /// From all runs that have ended; returns also the number of those that have not.
    pub(crate) fn new(study: &Study, folder: &Folder) -> (Self, usize) {
        let file = &study.loaded.file;
        let mut open = 0;
        let mut rows: Vec<Row> = Vec::new();
        let mut together: Vec<(&Run, Vec<Outcome>)> = Vec::new();
        for run in &study.runs {
            let Found::Current(outcome) = study.result(folder, run) else {
                open += 1;
                continue;
            };
            let same = |(first, _): &&mut (&Run, Vec<Outcome>)| {
                first.case == run.case && first.settings == run.settings
            };
            match together.iter_mut().rev().find(same) {
                Some((_, outcomes)) => outcomes.push(outcome),
                None => together.push((run, vec![outcome])),
            }
        }
        for (run, outcomes) in together {
            rows.push(merge(&study.loaded, run, &outcomes, folder));
        }
        let measures = file.measure.clone();
        let cases = file.case.iter().map(|c| c.label().to_owned()).collect();
        let by_formula = file.reference.iter().filter(|reference| reference.formula);
        let formulas = by_formula.flat_map(|reference| reference.columns.iter().cloned()).collect();
        (Self { keys: keys(&study.loaded), measures, cases, rows, formulas }, open)
    }

    /// The rows of a case; all without one.
    pub fn of_case<'a>(
        &'a self,
        study: &'a LoadedStudy,
        case: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Row> {
        let name = |row: &Row| study.file.case[row.case].name.as_str();
        self.rows.iter().filter(move |row| case.is_none_or(|case| name(row) == case))
    }
}

/// The keys that vary or are searched for, in the order of the file.
fn keys(study: &LoadedStudy) -> Vec<(String, String)> {
    let mut keys: Vec<(String, String)> = Vec::new();
    for case in &study.file.case {
        let varied = case.vary.iter().map(|v| (v.name().to_owned(), v.unit.clone()));
        let found = case.search.iter().map(|s| (s.name().to_owned(), String::new()));
        for (name, unit) in varied.chain(found) {
            if keys.iter().all(|(known, _)| *known != name) {
                keys.push((name, unit));
            }
        }
    }
    keys
}

/// The row of all repetitions of a run.
fn merge(study: &LoadedStudy, run: &Run, outcomes: &[Outcome], folder: &Folder) -> Row {
    let mut cells = BTreeMap::new();
    for measure in &study.file.measure {
        let values: Vec<f64> = outcomes.iter().map(|o| o.measure(&measure.name)).collect();
        cells.insert(measure.name.clone(), merged(&values, measure.over));
    }
    let mut settings = run.settings.clone();
    let found: Vec<&(String, f64)> = outcomes.iter().filter_map(|o| o.found.as_ref()).collect();
    if let Some((name, _)) = found.first() {
        let values: Vec<f64> = found.iter().map(|(_, value)| *value).collect();
        let cell = merged(&values, Over::Mean);
        cells.insert(name.clone(), cell);
        let (key, value) = (name.clone(), cell.value.into());
        settings.push(Setting { key, name: name.clone(), value });
    }
    let failed = outcomes.iter().filter(|o| o.status == Status::Failed);
    Row {
        case: run.case,
        label: run.label(&study.file.case[run.case]),
        settings,
        cells,
        failures: failed.map(|o| o.reason.clone().unwrap_or_default()).collect(),
        warnings: outcomes.iter().flat_map(|o| o.warnings.clone()).collect(),
        data: folder.run(run).join(&outcomes[0].data),
    }
}

/// Repetitions as one number.
fn merged(values: &[f64], over: Over) -> Cell {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
    let error = if values.len() > 1 { (square / (n - 1.0)).sqrt() } else { 0.0 };
    let value = match over {
        Over::Mean => mean,
        Over::Min => values.iter().copied().reduce(f64::min).unwrap_or(f64::NAN),
        Over::Max => values.iter().copied().reduce(f64::max).unwrap_or(f64::NAN),
    };
    Cell { value, error, reference: None }
}
