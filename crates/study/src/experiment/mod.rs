//! Built-in experiments: what is not a scene but a loop around a part of the libraries.

mod boxes;
mod closest_features;
mod decay;
mod hunkler;
mod insertion_sort;
mod integrators;
mod kernels;
mod neighbors;
mod orbit;
mod rotation;
mod sand_pile;
mod snow_elasticity;
mod snow_steps;
mod top;

use lawine_settings::{closest, did_you_mean};
use std::collections::BTreeMap;

/// A small piece of work with parameters, numbers as its result, and perhaps a curve.
#[derive(Debug)]
pub struct Experiment {
    /// Its name in study files.
    pub name: &'static str,
    /// A sentence on what it does.
    pub about: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// What it gives: names, and a few words on each with its unit.
    pub numbers: &'static [(&'static str, &'static str)],
    /// The columns of its curve; none if there is no curve.
    pub columns: &'static [&'static str],
    /// Does it; the error is a sentence, when the settings make no sense together.
    pub run: fn(&Settings) -> Result<Measured, String>,
}

/// Something that can be set.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is if not set.
    pub default: Default,
    /// A sentence on what it is, with its unit.
    pub help: &'static str,
}

impl Parameter {
    const fn number(name: &'static str, default: f64, help: &'static str) -> Self {
        Self { name, default: Default::Number(default), help }
    }

    const fn word(name: &'static str, words: &'static [&'static str], help: &'static str) -> Self {
        Self { name, default: Default::Word(words), help }
    }
}

/// The value of a parameter that is not set, and what is allowed.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// A positive number.
    Number(f64),
    /// One of these words; the first if not set.
    Word(&'static [&'static str]),
}

/// What an experiment found.
#[derive(Clone, Debug, std::default::Default)]
pub struct Measured {
    /// In the order of [`Experiment::numbers`].
    pub numbers: Vec<f64>,
    /// Rows of the curve, in the order of [`Experiment::columns`].
    pub rows: Vec<Vec<f64>>,
}

/// The settings of an experiment, checked.
#[derive(Clone, Debug)]
pub struct Settings {
    numbers: BTreeMap<&'static str, f64>,
    words: BTreeMap<&'static str, &'static str>,
}

impl Settings {
    /// A number; the parameter must be one.
    pub fn number(&self, name: &str) -> f64 {
        self.numbers.get(name).copied().unwrap_or(f64::NAN)
    }

    /// A number of things.
    pub fn count(&self, name: &str) -> usize {
        self.number(name).round().max(0.0) as usize
    }

    /// A word.
    pub fn word(&self, name: &str) -> &'static str {
        self.words.get(name).copied().unwrap_or_default()
    }
}

/// All experiments.
pub const EXPERIMENTS: &[Experiment] = &[
    kernels::KERNELS,
    neighbors::NEIGHBORS,
    hunkler::HUNKLER,
    rotation::ROTATION_DRIFT,
    orbit::ORBIT,
    decay::DECAY,
    top::TOP,
    boxes::BOXES,
    closest_features::CLOSEST_FEATURES,
    insertion_sort::INSERTION_SORT,
    sand_pile::SAND_PILE,
    snow_steps::SNOW_STEPS,
    snow_elasticity::SNOW_ELASTICITY,
];

/// An experiment by its name.
pub(crate) fn get(name: &str) -> Result<&'static Experiment, String> {
    let names = || EXPERIMENTS.iter().map(|e| e.name);
    EXPERIMENTS.iter().find(|e| e.name == name).ok_or_else(|| {
        let suggestion = did_you_mean(closest(name, names()));
        let all = names().collect::<Vec<_>>().join(", ");
        format!("experiment = {name:?} does not exist{suggestion}; allowed: {all}")
    })
}

/// Settings from `KEY=VALUE`, later ones win.
pub(crate) fn settings(experiment: &Experiment, set: &[String]) -> Result<Settings, String> {
    let parameters = experiment.parameters;
    let mut settings = Settings { numbers: BTreeMap::new(), words: BTreeMap::new() };
    for parameter in parameters {
        match parameter.default {
            Default::Number(value) => drop(settings.numbers.insert(parameter.name, value)),
            Default::Word(words) => drop(settings.words.insert(parameter.name, words[0])),
        }
    }
    for text in set {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("{text:?}: it has no `=`; expected KEY=VALUE"))?;
        let (key, value) = (key.trim(), value.trim().trim_matches('"'));
        let Some(parameter) = parameters.iter().find(|p| p.name == key) else {
            let names: Vec<&str> = parameters.iter().map(|p| p.name).collect();
            let suggestion = did_you_mean(closest(key, names.iter().copied()));
            let (name, all) = (experiment.name, names.join(", "));
            return Err(format!("{key} is not a parameter of {name}{suggestion}; allowed: {all}"));
        };
        match parameter.default {
            Default::Number(_) => {
                let number = value.parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
                let number = number.ok_or_else(|| {
                    format!("{key} = {value} is not allowed; allowed: a positive number")
                })?;
                settings.numbers.insert(parameter.name, number);
            }
            Default::Word(words) => {
                let word = words.iter().find(|&&w| w == value).ok_or_else(|| {
                    let suggestion = did_you_mean(closest(value, words.iter().copied()));
                    let all = words.join(", ");
                    format!("{key} = {value} is not allowed{suggestion}; allowed: {all}")
                })?;
                settings.words.insert(parameter.name, word);
            }
        }
    }
    Ok(settings)
}

/// Processor time of this thread [s].
pub(crate) fn thread_time() -> f64 {
    cpu_time::ThreadTime::now().as_duration().as_secs_f64()
}
