//! One curve as an SVG path, thinned out to what can be seen.

use std::fmt::Write as _;

use super::axis::{Frame, Scaled};
use super::{Curve, colour, stroke};

/// Draws the curve number `i`.
pub(super) fn draw(
    svg: &mut String,
    curve: &Curve<'_>,
    i: usize,
    frame: &Frame,
    x: &Scaled,
    y: &Scaled,
) {
    let points = curve.x.iter().zip(curve.y).map(|(&a, &b)| {
        let place = [frame.x(x.place(a)), frame.y(y.place(b))];
        // An infinity or NaN, or a logarithm of what is not positive, is a gap.
        (place.iter().all(|v| v.is_finite()) && a.abs() < 1e300 && b.abs() < 1e300).then_some(place)
    });
    if curve.marks {
        for [x, y] in points.flatten() {
            let _ = write!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" \
                 style=\"fill:none;stroke:{};stroke-width:1.6\"/>",
                colour(i)
            );
        }
        return;
    }
    let mut path = String::new();
    let points: Vec<Option<[f64; 2]>> = points.collect();
    for run in points.split(Option::is_none) {
        let run: Vec<[f64; 2]> = thinned(run.iter().flatten().copied());
        for (k, [x, y]) in run.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
        }
        if run.len() == 1 {
            // A line of no length with round ends is a dot.
            path.push_str("h0");
        }
    }
    let _ =
        write!(svg, "<path d=\"{path}\" style=\"fill:none;stroke-linecap:round;{}\"/>", stroke(i));
}

/// Keeps the first, lowest, highest and last point of each half unit of width, so that a million
/// rows make a small file without losing a peak.
fn thinned(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let column = |p: &[f64; 2]| (2.0 * p[0]).floor() as i64;
    let mut kept: Vec<[f64; 2]> = Vec::new();
    let mut group: Vec<[f64; 2]> = Vec::new();
    for point in points {
        if group.first().is_some_and(|first| column(first) != column(&point)) {
            extremes(&group, &mut kept);
            group.clear();
        }
        group.push(point);
    }
    extremes(&group, &mut kept);
    kept
}

fn extremes(group: &[[f64; 2]], kept: &mut Vec<[f64; 2]>) {
    if group.len() <= 4 {
        kept.extend_from_slice(group);
        return;
    }
    let by_height = |a: &usize, b: &usize| group[*a][1].total_cmp(&group[*b][1]);
    let lowest = (0..group.len()).min_by(by_height).unwrap_or(0);
    let highest = (0..group.len()).max_by(by_height).unwrap_or(0);
    let mut wanted = [0, lowest.min(highest), lowest.max(highest), group.len() - 1].to_vec();
    wanted.dedup();
    kept.extend(wanted.into_iter().map(|i| group[i]));
}
