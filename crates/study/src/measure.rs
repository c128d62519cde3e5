//! Measures of a run: from its summary, its phases, its series or an experiment's numbers.

use crate::file::{LoadedStudy, Measure, Reduction};
use lawine_record::measures::decay;
use lawine_record::output::{Series, Summary};
use lawine_settings::{closest, did_you_mean};
use std::collections::BTreeMap;

/// Everything a run offers to be measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    /// `summary.KEY`, `phases.NAME` and `result.NAME`.
    pub(crate) numbers: BTreeMap<String, f64>,
    /// `series.COLUMN`; the first column is the time.
    pub(crate) series: Series,
    /// Warnings of the run.
    pub(crate) warnings: Vec<String>,
}

impl Data {
    /// The numbers of a summary. Phases are timed by the wall clock; with one thread they get their
    /// share of the processor time, which other programs do not stretch.
    pub(crate) fn of_summary(summary: &Summary) -> Self {
        let mut numbers = BTreeMap::new();
        if let Ok(serde_json::Value::Object(map)) = serde_json::to_value(summary) {
            for (key, value) in map {
                if let Some(value) = value.as_f64() {
                    numbers.insert(format!("summary.{key}"), value);
                }
            }
        }
        let stretch = match summary.wall_time {
            wall if summary.threads == 1 && wall > 0.0 => (summary.cpu_time / wall).min(1.0),
            _ => 1.0,
        };
        let mut total = 0.0;
        for (name, seconds) in &summary.phases {
            numbers.insert(format!("phases.{name}"), seconds * stretch);
            total += seconds * stretch;
        }
        numbers.insert("phases.total".to_owned(), total);
        Self { numbers, series: Series::default(), warnings: summary.warnings.clone() }
    }

    /// Every name that can be measured.
    pub(crate) fn names(&self) -> Vec<String> {
        let columns = self.series.columns.iter().map(|c| format!("series.{}", c.name));
        self.numbers.keys().cloned().chain(columns).collect()
    }

    /// All measures of a study.
    pub(crate) fn measure(&self, measures: &[Measure]) -> BTreeMap<String, Option<f64>> {
        let mut values: BTreeMap<String, Option<f64>> = BTreeMap::new();
        for measure in measures {
            let mut value = (self.raw(measure) - measure.minus) * measure.scale.unwrap_or(1.0);
            if let Some(per) = &measure.per {
                value /= values.get(per).copied().flatten().unwrap_or(f64::NAN);
            }
            values.insert(measure.name.clone(), Some(value).filter(|v| v.is_finite()));
        }
        values
    }

    fn raw(&self, measure: &Measure) -> f64 {
        match measure.of.strip_prefix("series.") {
            None => self.numbers.get(&measure.of).copied().unwrap_or(f64::NAN),
            Some(column) => {
                let inside = rows(&self.series, column, measure.window);
                reduce(&inside, measure.reduce, measure.fit.unwrap_or([0.0, f64::INFINITY]))
            }
        }
    }
}

/// The rows (t, y) of a column within a window of time.
pub(crate) fn rows(series: &Series, column: &str, window: Option<[f64; 2]>) -> Vec<(f64, f64)> {
    let times = series.columns.first().map_or(&[][..], |c| &c.values);
    let values = series.column(column).unwrap_or_default();
    let [from, to] = window.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let all = times.iter().copied().zip(values.iter().copied());
    // A probe that finds nothing, as no grain in its box, has no value then.
    all.filter(|(t, y)| (from..=to).contains(t) && y.is_finite()).collect()
}

/// A column over time as one number. Means weigh each value with the time around it, so that
/// adaptive steps do not matter.
fn reduce(points: &[(f64, f64)], how: Reduction, fit: [f64; 2]) -> f64 {
    let values = || points.iter().map(|&(_, y)| y);
    let first = values().next().unwrap_or(f64::NAN);
    let weights = weights(points);
    let mean = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (&(t, y), w) in points.iter().zip(&weights) {
            sum += w * f(t, y);
            total += w;
        }
        sum / total
    };
    match how {
        Reduction::Last => values().next_back().unwrap_or(f64::NAN),
        Reduction::First => first,
        Reduction::Max => values().reduce(f64::max).unwrap_or(f64::NAN),
        Reduction::Min => values().reduce(f64::min).unwrap_or(f64::NAN),
        Reduction::Mean => mean(&|_, y| y),
        Reduction::Std => {
            let center = mean(&|_, y| y);
            mean(&|_, y| (y - center) * (y - center)).sqrt()
        }
        Reduction::Slope => {
            // Above the first value, so that a column that stays the same has no slope at all.
            let (t0, y0) = (mean(&|t, _| t), mean(&|_, y| y - first));
            mean(&|t, y| (t - t0) * (y - first - y0)) / mean(&|t, _| (t - t0) * (t - t0))
        }
        Reduction::Decay => decay(points, fit),
    }
}

/// Half the time to the point before and after, of each point.
pub(crate) fn weights(points: &[(f64, f64)]) -> Vec<f64> {
    let n = points.len();
    if n < 2 {
        return vec![1.0; n];
    }
    (0..n).map(|i| 0.5 * (points[(i + 1).min(n - 1)].0 - points[i.saturating_sub(1)].0)).collect()
}

/// Problems with measures that a run does not offer, as key and message.
pub(crate) fn missing(study: &LoadedStudy, offered: &[String]) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    for (i, measure) in study.file.measure.iter().enumerate() {
        if !offered.contains(&measure.of) {
            let suggestion = closest(&measure.of, offered.iter().map(String::as_str));
            let message = format!(
                "measure.{i}.of = {:?} does not exist{}; allowed: {}",
                measure.of,
                did_you_mean(suggestion),
                offered.join(", ")
            );
            problems.push((format!("measure.{i}.of"), message));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [f64; 2] = [0.0, f64::INFINITY];

    #[test]
    fn reductions_weigh_by_time() {
        // y = 2 t with uneven steps.
        let points: Vec<(f64, f64)> = [0.0, 0.1, 0.5, 1.0].map(|t| (t, 2.0 * t)).to_vec();
        assert!((reduce(&points, Reduction::Slope, ALL) - 2.0).abs() < 1e-12);
        assert!((reduce(&points, Reduction::Mean, ALL) - 1.0).abs() < 1e-12);
        assert!((reduce(&points, Reduction::Last, ALL) - 2.0).abs() < 1e-12);
        assert!(reduce(&[], Reduction::Mean, ALL).is_nan());
        let level: Vec<(f64, f64)> = points.iter().map(|&(t, _)| (t, 39.1)).collect();
        assert_eq!(reduce(&level, Reduction::Slope, ALL).abs().to_bits(), 0);
    }
}
