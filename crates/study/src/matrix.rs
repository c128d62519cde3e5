//! The matrix of settings, run by run.

use crate::file::{Case, LoadedStudy, Range, StudyFile, Vary};
use lawine_settings::Value;

/// A key and its value in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Path of the key.
    pub key: String,
    /// Name in tables.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// One run of a study.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its index, from 0.
    pub index: usize,
    /// Number of its case.
    pub case: usize,
    /// Which of the repetitions it is, from 0.
    pub repetition: u32,
    /// What varies.
    pub settings: Vec<Setting>,
    /// The settings that all runs of the case share, `KEY=VALUE`.
    pub fixed: Vec<String>,
}

impl Run {
    /// All settings as `KEY=VALUE`, later ones win.
    pub fn overrides(&self) -> Vec<String> {
        let varied = self.settings.iter().map(|s| format!("{}={}", s.key, s.value));
        self.fixed.iter().cloned().chain(varied).collect()
    }

    /// A few words: the case and what varies.
    pub fn label(&self, case: &Case) -> String {
        let settings = self.settings.iter().map(|s| format!("{} {}", s.name, plain(&s.value)));
        std::iter::once(case.label().to_owned()).chain(settings).collect::<Vec<_>>().join(", ")
    }
}

/// A value without quotes.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        value => value.to_string(),
    }
}

/// All runs of a study, in the order of the file; the last key varies fastest.
pub(crate) fn runs(study: &LoadedStudy, quick: bool) -> Vec<Run> {
    let file = &study.file;
    let repeat = if quick { file.quick.repeat.or(file.repeat) } else { file.repeat };
    let mut runs = Vec::new();
    for (case, spec) in file.case.iter().enumerate().filter(|(_, c)| !(quick && c.skip_quick)) {
        let quick_set: &[String] = if quick { &file.quick.set } else { &[] };
        let fixed: Vec<String> =
            file.set.iter().chain(&spec.set).chain(quick_set).cloned().collect();
        for settings in combinations(spec, quick) {
            for repetition in 0..repeat.unwrap_or(1).max(1) {
                let (settings, fixed) = (settings.clone(), fixed.clone());
                runs.push(Run { index: runs.len(), case, repetition, settings, fixed });
            }
        }
    }
    runs
}

/// The number of runs that a case has, without making them.
pub(crate) fn count_of_runs(study: &StudyFile, case: &Case, quick: bool) -> f64 {
    let repeat = if quick { study.quick.repeat.or(study.repeat) } else { study.repeat };
    let each = groups(case).into_iter().map(|group| {
        group.iter().map(|vary| count_of_values(vary, quick)).min().unwrap_or(0) as f64
    });
    each.product::<f64>() * f64::from(repeat.unwrap_or(1).max(1))
}

/// Keys that vary crosswise; those within a zip side by side.
fn groups(case: &Case) -> Vec<Vec<&Vary>> {
    let mut groups: Vec<Vec<&Vary>> = Vec::new();
    for vary in &case.vary {
        let mate = |group: &&mut Vec<&Vary>| vary.zip.is_some() && group[0].zip == vary.zip;
        match groups.iter_mut().find(mate) {
            Some(group) => group.push(vary),
            None => groups.push(vec![vary]),
        }
    }
    groups
}

/// All combinations of the values of a case.
fn combinations(case: &Case, quick: bool) -> Vec<Vec<Setting>> {
    let mut all = vec![Vec::new()];
    for group in groups(case) {
        let columns: Vec<(&Vary, Vec<Value>)> =
            group.iter().map(|vary| (*vary, values(vary, quick))).collect();
        let length = columns.iter().map(|(_, values)| values.len()).min().unwrap_or(0);
        let row = |i: usize| {
            columns.iter().map(move |(vary, values)| Setting {
                key: vary.key.clone(),
                name: vary.name().to_owned(),
                value: values[i].clone(),
            })
        };
        all = all
            .iter()
            .flat_map(|before| {
                (0..length).map(move |i| before.iter().cloned().chain(row(i)).collect())
            })
            .collect::<Vec<Vec<Setting>>>();
    }
    all
}

/// How many values a key has.
pub(crate) fn count_of_values(vary: &Vary, quick: bool) -> usize {
    if let (true, Some(values)) = (quick, &vary.quick) {
        return values.len();
    }
    let range = vary.range.as_ref().or(vary.log_range.as_ref());
    let listed = || vary.values.as_ref().map_or(0, Vec::len);
    range.map_or_else(listed, |range| range.count as usize)
}

/// The values of a key.
fn values(vary: &Vary, quick: bool) -> Vec<Value> {
    if let (true, Some(values)) = (quick, &vary.quick) {
        return values.clone();
    }
    let spread = |range: &Range, at: &dyn Fn(f64) -> f64| -> Vec<Value> {
        let last = f64::from(range.count.saturating_sub(1)).max(1.0);
        (0..range.count).map(|i| Value::from(short(at(f64::from(i) / last)))).collect()
    };
    if let Some(range) = &vary.range {
        return spread(range, &|fraction| range.from + fraction * (range.to - range.from));
    }
    if let Some(range) = &vary.log_range {
        return spread(range, &|fraction| range.from * (range.to / range.from).powf(fraction));
    }
    vary.values.clone().unwrap_or_default()
}

/// A number with twelve digits: without the last bits of rounding.
pub(crate) fn short(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}
