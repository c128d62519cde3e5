//! Checks of a study file beyond the types of its values.

use super::{LoadedStudy, Measure, Reduction, StudyFile, Vary};
use crate::StudyError;
use crate::matrix::{count_of_runs, count_of_values};
use lawine_scene::file::{Problem, SceneError};
use lawine_settings::{closest, did_you_mean};
use std::collections::BTreeSet;

/// The most runs of a study.
const MAX_RUNS: f64 = 1e5;

/// Finds everything that is wrong.
pub(super) fn check(study: &LoadedStudy) -> Result<(), StudyError> {
    let mut checker = Checker { study, problems: Vec::new() };
    checker.cases();
    checker.limits();
    checker.measures();
    checker.references();
    checker.findings();
    checker.plots();
    if checker.problems.is_empty() {
        Ok(())
    } else {
        Err(SceneError::Invalid(checker.problems).into())
    }
}

struct Checker<'a> {
    study: &'a LoadedStudy,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn file(&self) -> &StudyFile {
        &self.study.file
    }

    fn report(&mut self, key: &str, message: String) {
        self.problems.push(self.study.locations.problem(key, format!("{key} {message}")));
    }

    /// Reports a word that is not among the allowed ones.
    fn among(&mut self, key: &str, word: &str, allowed: &BTreeSet<String>) {
        if !allowed.contains(word) {
            let all: Vec<&str> = allowed.iter().map(String::as_str).collect();
            let suggestion = did_you_mean(closest(word, all.iter().copied()));
            let all = all.join(", ");
            self.report(key, format!("= {word:?} does not exist{suggestion}; allowed: {all}"));
        }
    }

    fn cases(&mut self) {
        let study = self.study;
        if study.file.case.is_empty() {
            self.report("case", "is empty: a study needs at least one case".to_owned());
        }
        let mut names = BTreeSet::new();
        for (i, case) in study.file.case.iter().enumerate() {
            let key = format!("case.{i}");
            if !names.insert(&case.name) {
                self.report(&format!("{key}.name"), format!("= {:?} is a duplicate", case.name));
            }
            for (k, vary) in case.vary.iter().enumerate() {
                self.vary(&format!("{key}.vary.{k}"), vary, &case.vary);
            }
            if let Some(search) = &case.search {
                let key = format!("{key}.search");
                if !(search.from > 0.0 && search.to > search.from) {
                    let (from, to) = (search.from, search.to);
                    self.report(
                        &format!("{key}.to"),
                        format!("= {to} with from = {from} is not allowed; allowed: 0 < from < to"),
                    );
                }
                let measures = self.measure_names();
                for (k, limit) in search.below.iter().enumerate() {
                    self.among(&format!("{key}.below.{k}.measure"), &limit.measure, &measures);
                }
            }
        }
    }

    /// The number of runs.
    fn limits(&mut self) {
        let study = &self.study.file;
        for quick in [false, true] {
            let counts: Vec<f64> =
                study.case.iter().map(|case| count_of_runs(study, case, quick)).collect();
            let all: f64 = counts.iter().sum();
            let most = (0..counts.len()).max_by(|&a, &b| counts[a].total_cmp(&counts[b]));
            if let (Some(i), true) = (most, all > MAX_RUNS) {
                let count = counts[i];
                let message = format!(
                    "needs {count:.0} runs, of {all:.0} in total; allowed: at most {MAX_RUNS:.0}"
                );
                return self.report(&format!("case.{i}"), message);
            }
        }
    }

    fn vary(&mut self, key: &str, vary: &Vary, all: &[Vary]) {
        let given = [vary.values.is_some(), vary.range.is_some(), vary.log_range.is_some()];
        if given.iter().filter(|&&g| g).count() != 1 {
            let message = "needs exactly one of the keys values, range, log_range".to_owned();
            return self.report(key, message);
        }
        if let Some(range) = &vary.log_range
            && !(range.from > 0.0 && range.to > 0.0)
        {
            let message = "is not allowed; allowed: from and to above zero".to_owned();
            self.report(&format!("{key}.log_range"), message);
        }
        for quick in [false, true] {
            let count = count_of_values(vary, quick);
            if count == 0 {
                return self.report(key, "is empty: the matrix has no runs".to_owned());
            }
            let mate = all.iter().find(|v| v.zip.is_some() && v.zip == vary.zip);
            if let Some(mate) = mate
                && count_of_values(mate, quick) != count
            {
                let other = count_of_values(mate, quick);
                let message = format!(
                    "has {count} values but {} has {other}; zipped keys need the same number of values",
                    mate.key
                );
                return self.report(key, message);
            }
        }
    }

    fn measure_names(&self) -> BTreeSet<String> {
        self.file().measure.iter().map(|m| m.name.clone()).collect()
    }

    /// Measures and the keys that vary or are searched for.
    fn column_names(&self) -> BTreeSet<String> {
        let mut names = self.measure_names();
        for case in &self.file().case {
            names.extend(case.vary.iter().map(|v| v.name().to_owned()));
            names.extend(case.search.iter().map(|s| s.name().to_owned()));
        }
        names
    }

    fn case_names(&self) -> BTreeSet<String> {
        self.file().case.iter().map(|c| c.name.clone()).collect()
    }

    fn measures(&mut self) {
        let study = self.study;
        let mut before = BTreeSet::new();
        for (i, measure) in study.file.measure.iter().enumerate() {
            if let Some(per) = &measure.per {
                self.among(&format!("measure.{i}.per"), per, &before);
            }
            if !before.insert(measure.name.clone()) {
                let message = format!("= {:?} is a duplicate", measure.name);
                self.report(&format!("measure.{i}.name"), message);
            }
            if measure.window.is_some_and(|[from, to]| from >= to) {
                let message = "is not allowed; allowed: an earlier and a later time".to_owned();
                self.report(&format!("measure.{i}.window"), message);
            }
        }
    }

    fn references(&mut self) {
        let study = self.study;
        let (columns, cases) = (self.column_names(), self.case_names());
        for (i, reference) in study.file.reference.iter().enumerate() {
            for (k, column) in reference.columns.iter().enumerate() {
                self.among(&format!("reference.{i}.columns.{k}"), column, &columns);
            }
            if let Some(case) = &reference.case {
                self.among(&format!("reference.{i}.case"), case, &cases);
            }
            let width = reference.columns.len();
            for (k, row) in reference.rows.iter().enumerate().filter(|(_, r)| r.len() != width) {
                let message = format!("has {} numbers for {width} columns", row.len());
                self.report(&format!("reference.{i}.rows.{k}"), message);
            }
        }
    }

    fn findings(&mut self) {
        let study = self.study;
        let (columns, cases) = (self.column_names(), self.case_names());
        for (i, finding) in study.file.finding.iter().enumerate() {
            let names = [
                ("x", Some(&finding.x)),
                ("y", Some(&finding.y)),
                ("other", finding.other.as_ref()),
            ];
            for (key, name) in names {
                if let Some(name) = name.filter(|name| !name.is_empty()) {
                    self.among(&format!("finding.{i}.{key}"), name, &columns);
                }
            }
            for (key, case) in [("case", &finding.case), ("than", &finding.than)] {
                if let Some(case) = case {
                    self.among(&format!("finding.{i}.{key}"), case, &cases);
                }
            }
        }
    }

    fn plots(&mut self) {
        use super::PlotKind::{Bars, Series, Spectrum, Table};
        let study = self.study;
        let (columns, cases) = (self.column_names(), self.case_names());
        for (i, plot) in study.file.plot.iter().enumerate() {
            let named = plot.name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
            if plot.name.is_empty() || !named {
                let message =
                    format!("= {:?} is not allowed; allowed: a-z, 0-9, - and _", plot.name);
                self.report(&format!("plot.{i}.name"), message);
            }
            if plot.kind == Table {
                self.among(&format!("plot.{i}.x"), &plot.x, &columns);
            }
            if matches!(plot.kind, Table | Bars) {
                for (k, y) in plot.y.iter().enumerate() {
                    self.among(&format!("plot.{i}.y.{k}"), y, &columns);
                }
            }
            if plot.kind == Spectrum {
                let decays = |m: &&Measure| m.reduce == Reduction::Decay;
                let measures = study.file.measure.iter().filter(decays);
                let names = measures.map(|m| m.name.clone()).collect();
                for (k, y) in plot.y.iter().enumerate() {
                    self.among(&format!("plot.{i}.y.{k}"), y, &names);
                }
            }
            if plot.kind != Series && plot.y.is_empty() {
                self.report(
                    &format!("plot.{i}.y"),
                    "is empty: there is nothing to draw".to_owned(),
                );
            }
            for (k, case) in plot.cases.iter().enumerate() {
                self.among(&format!("plot.{i}.cases.{k}"), case, &cases);
            }
        }
    }
}
