//! The plots of a study as drawings.

use crate::StudyError;
use crate::file::{LoadedStudy, Measure, Plot, PlotKind, PlotReference};
use crate::measure::{rows, weights};
use crate::plot::{Axis, Bars, Curve, Drawing, Figure, LineStyle};
use crate::table::{Row, Table};
use lawine_record::measures::power;
use lawine_record::output::{Series, SeriesError};
use lawine_scene::input::{self, LARGEST_TEXT};
use std::path::Path;

/// Curves of more points are thinned out; no print shows more.
const MOST_POINTS: usize = 1500;

/// Draws a plot.
pub(crate) fn draw(study: &LoadedStudy, table: &Table, plot: &Plot) -> Result<Drawing, StudyError> {
    if plot.kind == PlotKind::Bars {
        return Ok(bars(study, table, plot).draw()?);
    }
    let mut curves = match plot.kind {
        PlotKind::Series => series_curves(study, table, plot),
        PlotKind::Spectrum => spectra(study, table, plot),
        _ => table_curves(study, table, plot),
    };
    for reference in &plot.reference {
        curves.push(reference_curve(study, reference)?);
    }
    let scale = [plot.x_scale.unwrap_or(1.0), plot.y_scale.unwrap_or(1.0)];
    let printed = plot.reference.len();
    let ours = curves.len() - printed;
    for curve in &mut curves[..ours] {
        for p in &mut curve.points {
            *p = [scale[0] * p[0] + plot.x_shift, scale[1] * p[1] + plot.y_shift];
        }
        curve.errors.iter_mut().for_each(|e| *e *= scale[1]);
    }
    let label = |given: &Option<String>, name: &str| {
        given.clone().unwrap_or_else(|| heading(study, table, name))
    };
    let first = plot.y.first().map_or("", String::as_str);
    let figure = Figure {
        title: plot.title.clone(),
        x: Axis { label: label(&plot.x_label, &plot.x), log: plot.x_log, range: plot.x_range },
        y: Axis { label: label(&plot.y_label, first), log: plot.y_log, range: plot.y_range },
        curves,
    };
    Ok(figure.draw()?)
}

/// A measure's or key's heading with its unit.
fn heading(study: &LoadedStudy, table: &Table, name: &str) -> String {
    let measure = |m: &&Measure| m.name == name;
    if let Some(measure) = study.file.measure.iter().find(measure) {
        return measure.heading();
    }
    let key = table.keys.iter().find(|(key, _)| key == name);
    key.map_or_else(|| name.replace('_', " "), |(key, unit)| crate::file::with_unit(key, unit))
}

/// The rows that a plot shows.
fn shown<'a>(study: &'a LoadedStudy, table: &'a Table, plot: &'a Plot) -> Vec<&'a Row> {
    let name = |row: &Row| &study.file.case[row.case].name;
    let wanted = |row: &&Row| plot.cases.is_empty() || plot.cases.contains(name(row));
    table.rows.iter().filter(wanted).collect()
}

/// Columns of the table: a curve for each case, each combination of the other keys (where x is a key)
/// and each y.
fn table_curves(study: &LoadedStudy, table: &Table, plot: &Plot) -> Vec<Curve> {
    let mut curves: Vec<(usize, String, Curve)> = Vec::new();
    let several = plot.y.len() > 1;
    // What a failed run has measured is not drawn.
    let mut rows = shown(study, table, plot);
    rows.retain(|row| row.failures.is_empty());
    let one_case = rows.iter().all(|row| row.case == rows[0].case);
    for y in &plot.y {
        for row in &rows {
            // Where x is measured, all runs of a case make one curve.
            let is_key = row.settings.iter().any(|s| s.name == plot.x);
            let others = if is_key { row.others(&plot.x) } else { String::new() };
            let case = &study.file.case[row.case];
            let what = if several { heading(study, table, y) } else { String::new() };
            let name = if one_case && (several || !others.is_empty()) { "" } else { case.label() };
            let words = [name, others.as_str(), what.as_str()];
            let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
            let label = words.join(", ");
            let color = curves.len();
            let known = curves.iter_mut().find(|(_, _, curve)| curve.label == label);
            let curve = match known {
                Some((_, _, curve)) => curve,
                None => {
                    let style = if plot.points { LineStyle::Points } else { LineStyle::Marked };
                    let curve = Curve { label, style, color: Some(color), ..Curve::default() };
                    curves.push((row.case, y.clone(), curve));
                    &mut curves[color].2
                }
            };
            let error = row.cells.get(y).map_or(0.0, |c| c.error);
            curve.points.push([row.number(&plot.x), row.number(y)]);
            curve.errors.push(error);
        }
    }
    for (_, _, curve) in &mut curves {
        let mut order: Vec<usize> = (0..curve.points.len()).collect();
        order.sort_by(|&a, &b| curve.points[a][0].total_cmp(&curve.points[b][0]));
        curve.points = order.iter().map(|&i| curve.points[i]).collect();
        curve.errors = order.iter().map(|&i| curve.errors[i]).collect();
        if curve.errors.iter().all(|&e| e <= 0.0) {
            curve.errors.clear();
        }
    }
    let printed = printed_curves(study, plot, &curves);
    curves.into_iter().map(|(_, _, curve)| curve).chain(printed).collect()
}

/// The printed numbers of the same columns, in the colour of ours.
fn printed_curves(study: &LoadedStudy, plot: &Plot, ours: &[(usize, String, Curve)]) -> Vec<Curve> {
    let mut printed = Vec::new();
    for reference in &study.file.reference {
        let column = |name: &str| reference.columns.iter().position(|c| c == name);
        let Some(x) = column(&plot.x) else { continue };
        for y in &plot.y {
            let Some(k) = column(y) else { continue };
            let of_case = |case: usize| {
                reference.case.as_ref().is_none_or(|name| *name == study.file.case[case].name)
            };
            let Some((case, _, mate)) = ours.iter().find(|(c, n, _)| of_case(*c) && n == y) else {
                continue;
            };
            let name = study.file.case[*case].label();
            let label = match reference.case {
                Some(_) if study.file.case.len() > 1 => format!("{name}, {}", reference.label),
                _ => reference.label.clone(),
            };
            let points = reference.rows.iter().map(|row| [row[x], row[k]]).collect();
            let (style, color) = (LineStyle::Reference, mate.color);
            printed.push(Curve { label, points, style, color, errors: Vec::new() });
        }
    }
    printed
}

/// Columns of the series: a curve for each run and each y; where a run failed, a cross at its end.
fn series_curves(study: &LoadedStudy, table: &Table, plot: &Plot) -> Vec<Curve> {
    let mut curves = Vec::new();
    let mut color = 0;
    let rows = shown(study, table, plot);
    let name_of = |row: &Row| row_name(study, row, &rows);
    for &row in &rows {
        let Ok(series) = Series::read(&row.data.join("series.csv")) else { continue };
        let first = series.columns.first().map(|c| c.name.clone()).unwrap_or_default();
        let x = if plot.x.is_empty() { &first } else { &plot.x };
        for y in &plot.y {
            let (Some(xs), Some(ys)) = (series.column(x), series.column(y)) else { continue };
            let ys = plot.smooth.map_or_else(|| ys.to_vec(), |width| means(xs, ys, width));
            let stride = xs.len().div_ceil(MOST_POINTS).max(1);
            let points: Vec<[f64; 2]> =
                xs.iter().zip(ys).step_by(stride).map(|(&x, y)| [x, y]).collect();
            let name = name_of(row);
            let name =
                if plot.y.len() > 1 { format!("{name}, {}", y.replace('_', " ")) } else { name };
            let failed = !row.failures.is_empty();
            let label = if failed { format!("{name} (fails)") } else { name };
            let inside = |value: f64, range: Option<[f64; 2]>| {
                range.is_none_or(|[from, to]| (from..=to).contains(&value))
            };
            let seen = |p: &&[f64; 2]| inside(p[0], plot.x_range) && inside(p[1], plot.y_range);
            if let (true, Some(&end)) = (failed, points.iter().rfind(seen)) {
                let (points, style) = (vec![end], LineStyle::Broken);
                let color = Some(color);
                curves.push(Curve { points, style, color, ..Curve::default() });
            }
            let style = if plot.points { LineStyle::Points } else { LineStyle::Line };
            curves.push(Curve { label, points, style, color: Some(color), errors: Vec::new() });
            color += 1;
        }
    }
    curves
}

/// Power spectra of the columns of measures, within their windows: a curve for each run and measure.
fn spectra(study: &LoadedStudy, table: &Table, plot: &Plot) -> Vec<Curve> {
    let mut curves = Vec::new();
    let shown = shown(study, table, plot);
    for &row in &shown {
        let Ok(series) = Series::read(&row.data.join("series.csv")) else { continue };
        for measure in study.file.measure.iter().filter(|m| plot.y.contains(&m.name)) {
            let column = measure.of.trim_start_matches("series.");
            let (f, p) = power(&rows(&series, column, measure.window));
            let points = f.into_iter().zip(p).map(|(f, p)| [f, p]).collect();
            let (label, color) = (row_name(study, row, &shown), Some(curves.len()));
            curves.push(Curve { label, points, color, ..Curve::default() });
        }
    }
    curves
}

/// The mean of those `ys` that are numbers within half a `width` of each of the rising `xs`, each weighed
/// with the stretch of x around it, so that adaptive steps do not matter; none where they do not rise.
fn means(xs: &[f64], ys: &[f64], width: f64) -> Vec<f64> {
    let points: Vec<(f64, f64)> = xs.iter().copied().zip(ys.iter().copied()).collect();
    let weights = weights(&points);
    let mean = |x: f64| {
        let from = xs.partition_point(|&other| other < x - 0.5 * width);
        let to = xs.partition_point(|&other| other <= x + 0.5 * width);
        let near = (from..to).filter(|&i| ys[i].is_finite());
        let (sum, total) =
            near.fold((0.0, 0.0), |(s, w), i| (s + weights[i] * ys[i], w + weights[i]));
        sum / total
    };
    xs.iter().map(|&x| mean(x)).collect()
}

/// What distinguishes a row from the others that are drawn: its case where there are several, and its
/// settings.
fn row_name(study: &LoadedStudy, row: &Row, rows: &[&Row]) -> String {
    let case = study.file.case[row.case].label();
    let one_case = rows.iter().all(|other| other.case == row.case);
    let alone = rows.iter().filter(|other| other.case == row.case).count() == 1;
    match row.others("") {
        others if others.is_empty() || (alone && !one_case) => case.to_owned(),
        others if one_case => others,
        others => format!("{case}, {others}"),
    }
}

/// Stacked bars, one for each row.
fn bars(study: &LoadedStudy, table: &Table, plot: &Plot) -> Bars {
    let scale = plot.y_scale.unwrap_or(1.0);
    let rows = shown(study, table, plot);
    let bar = |row: &&Row| {
        (row_name(study, row, &rows), plot.y.iter().map(|y| scale * row.number(y)).collect())
    };
    Bars {
        title: plot.title.clone(),
        y_label: plot.y_label.clone().unwrap_or_default(),
        parts: plot.y.iter().map(|y| heading(study, table, y)).collect(),
        bars: rows.iter().map(bar).collect(),
    }
}

/// A curve to compare with, from a file or from points.
fn reference_curve(study: &LoadedStudy, reference: &PlotReference) -> Result<Curve, StudyError> {
    let scale = [reference.x_scale.unwrap_or(1.0), reference.y_scale.unwrap_or(1.0)];
    let points = match &reference.file {
        None => reference.points.clone(),
        Some(file) => read_points(&study.folder.join(file), reference)?,
    };
    let points = points.into_iter().map(|[x, y]| [scale[0] * x, scale[1] * y]).collect();
    let style = if reference.line { LineStyle::Theory } else { LineStyle::Points };
    Ok(Curve { label: reference.label.clone(), points, style, ..Curve::default() })
}

/// Two columns of a CSV file.
fn read_points(path: &Path, reference: &PlotReference) -> Result<Vec<[f64; 2]>, StudyError> {
    let bad = |error: SeriesError| StudyError::io("read", path, std::io::Error::other(error));
    input::open(path, LARGEST_TEXT).map_err(|e| StudyError::io("read", path, e))?;
    let series = Series::read_with_comments(path).map_err(bad)?;
    let column = |name: &Option<String>, place: usize| {
        let by_name = name.as_ref().map(|name| series.column(name));
        let values = by_name.unwrap_or_else(|| series.columns.get(place).map(|c| &c.values[..]));
        values.ok_or_else(|| {
            let all: Vec<&str> = series.columns.iter().map(|c| c.name.as_str()).collect();
            let what = name.clone().unwrap_or_else(|| format!("index {}", place + 1));
            let reason = format!("there is no column {what}; there are: {}", all.join(", "));
            StudyError::io("read", path, std::io::Error::other(reason))
        })
    };
    let (xs, ys) = (column(&reference.x, 0)?, column(&reference.y, 1)?);
    Ok(xs.iter().zip(ys).map(|(&x, &y)| [x, y]).collect())
}
