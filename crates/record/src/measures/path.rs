//! One column over another.

use super::Record;
use crate::plot::{Axis, Curve, Plot};
use lawine_scene::file::PathMeasure;
use std::io;

/// The path with gaps where it jumps by more than half its extent: there a grain left a periodic
/// domain at one side and came in at the other.
pub(super) fn path(asked: &PathMeasure, record: &Record<'_>) -> io::Result<Plot> {
    let (across, up) = (record.column(&asked.x)?, record.column(&asked.y)?);
    let span = asked.span.unwrap_or_default();
    let inside = record.times().iter().zip(across.iter().zip(up));
    let points: Vec<(f64, f64)> =
        inside.filter(|(t, _)| span.contains(**t)).map(|(_, (x, y))| (*x, *y)).collect();
    let extent = |of: fn(&(f64, f64)) -> f64| {
        let values = || points.iter().map(of);
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    let (width, height) = (extent(|p| p.0), extent(|p| p.1));
    let mut line = Vec::new();
    for (i, &(a, b)) in points.iter().enumerate() {
        let (c, d) = points[i.saturating_sub(1)];
        if (a - c).abs() > 0.5 * width || (b - d).abs() > 0.5 * height {
            line.push([f64::NAN; 2]);
        }
        line.push([a, b]);
    }
    let label = asked.y.strip_suffix(".y").unwrap_or(&asked.y).to_owned();
    let axis = |name: &str| {
        let label = ["x", "y", "z"].into_iter().find(|k| name.ends_with(&format!(".{k}")));
        Axis::new(label.unwrap_or(name), record.unit(name))
    };
    let (x, y) = (axis(&asked.x), axis(&asked.y));
    Ok(Plot { title: String::new(), x, y, curves: vec![Curve::line(label, line)] })
}
