//! Runs the cases of `validation/` and reads their reference numbers.

use lawine_core::fit::Verdict;
use lawine_core::simulation::{Flow, Moment, Observer};
use lawine_record::output::Series;
use lawine_record::probes::Probes;
use lawine_record::run::{check, row};
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use std::io;
use std::path::PathBuf;

/// The series of a run, with a row for every step.
pub(crate) struct Measured {
    names: Vec<String>,
    /// Time and length of the step come first.
    rows: Vec<Vec<f64>>,
}

impl Measured {
    /// Times [s], lengths of steps [s] and values of a column.
    pub(crate) fn column(&self, name: &str) -> impl Iterator<Item = (f64, f64, f64)> + Clone {
        let k = self.names.iter().position(|n| n == name).expect("a column of the series");
        self.rows.iter().map(move |row| (row[0], row[1], row[k]))
    }

    /// The value of a probe at a time, between two steps as a straight line.
    pub(crate) fn at(&self, name: &str, time: f64) -> f64 {
        let mut before = (0.0, f64::NAN);
        for (t, _, value) in self.column(name) {
            if t >= time && before.1.is_nan() {
                return value;
            }
            if t >= time {
                let part = if t > before.0 { (time - before.0) / (t - before.0) } else { 1.0 };
                return if part < 1.0 { before.1 + part * (value - before.1) } else { value };
            }
            before = (t, value);
        }
        before.1
    }

    /// The mean of a probe over a time, steps weighing as much as they are long.
    pub(crate) fn mean(&self, name: &str, times: std::ops::Range<f64>) -> f64 {
        let inside = self.column(name).filter(|(t, _, _)| times.contains(t));
        let (sum, whole) = inside.fold((0.0, 0.0), |(s, w), (_, dt, x)| (s + dt * x, w + dt));
        sum / whole
    }

    /// When the run ended [s].
    pub(crate) fn end(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row[0])
    }

    /// When a probe first exceeds a value [s].
    pub(crate) fn passes(&self, name: &str, value: f64) -> f64 {
        let first = self.column(name).find(|(_, _, x)| *x > value);
        first.map_or(f64::INFINITY, |(t, _, _)| t)
    }

    /// When a front arrives at a probe [s]: the probe exceeds a value for more than half of the 5 ms around that
    /// time. A drop that flies ahead of the front hits a sensor for a step or two.
    pub(crate) fn arrives(&self, name: &str, value: f64) -> f64 {
        let rows: Vec<_> = self.column(name).collect();
        let is_there = |(now, _, _): &&(f64, f64, f64)| {
            let around = rows.iter().filter(|(t, _, _)| (t - now).abs() <= 2.5e-3);
            around.map(|(_, dt, x)| if *x > value { *dt } else { -dt }).sum::<f64>() > 0.0
        };
        rows.iter().find(is_there).map_or(f64::INFINITY, |(t, _, _)| *t)
    }
}

struct Recorder {
    probes: Probes,
    rows: Vec<Vec<f64>>,
}

impl Observer for Recorder {
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        let mut values = Vec::new();
        row(now, &self.probes, &mut values);
        self.rows.push(values);
        Ok(Flow::Continue)
    }
}

/// A file of a case.
fn path(case: &str, file: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../validation", case, file].iter().collect()
}

/// Runs `scene.toml` of a case with some keys changed.
pub(crate) fn run(case: &str, set: &[&str]) -> Measured {
    run_file(case, "scene.toml", set)
}

/// Runs a scene file of a case with some keys changed.
pub(crate) fn run_file(case: &str, file: &str, set: &[&str]) -> Measured {
    let set: Vec<String> = set.iter().map(|&s| s.to_owned()).collect();
    let loaded = load(&Source::File(path(case, file)), &set).unwrap();
    let mut built = build(&loaded).unwrap();
    let (probes, headings) = check(&loaded, &built).unwrap();
    let names = headings.into_iter().map(|heading| heading.name).collect();
    let mut recorder = Recorder { probes, rows: Vec::new() };
    let end = built.scene.end;
    let result = built.simulation.advance_to(end, &mut [&mut recorder]);
    result.unwrap_or_else(|e| panic!("{case}, {set:?}: {e}"));
    Measured { names, rows: recorder.rows }
}

/// Reference numbers of a case: the first column, mostly the time, and another.
pub(crate) fn reference(case: &str, file: &str, name: &str) -> Vec<(f64, f64)> {
    let series = Series::read(&path(case, file)).unwrap();
    let first = &series.columns[0].values;
    let values = series.column(name).expect("a column of the reference");
    first.iter().copied().zip(values.iter().copied()).collect()
}

/// Tells what was measured, and whether it is as it should be.
pub(crate) fn holds(name: &str, value: f64, expected: f64, tolerance: f64) -> bool {
    let verdict = Verdict { name, value, expected, tolerance };
    println!("{verdict}");
    verdict.holds()
}
