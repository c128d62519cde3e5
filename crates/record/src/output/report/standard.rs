//! The plots that every run has, made from its series by the names of the columns.

use crate::output::series::{Column, Series};
use crate::plot::{Axis, Curve, Plot};

/// What columns belong together, by the words in their names, in the order of the report.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Energy", &["energy"]),
    ("Density error", &["density error", "density_error"]),
    ("Time step", &["time step", "time_step", "dt"]),
    ("Solver iterations", &["iterations"]),
    ("Largest speed", &["max speed", "max_speed", "largest speed"]),
];

/// Plots over the first column: energies, density errors, time step, iterations and speed
/// together as their names say, one plot for the components of a vector, and one for each other
/// column, such as a probe.
///
/// An axis is logarithmic when its values are positive and span more than three decades.
pub fn standard_plots(series: &Series) -> Vec<Plot> {
    let Some((time, columns)) = series.columns.split_first() else {
        return Vec::new();
    };
    let mut groups: Vec<(String, Vec<&Column>)> =
        GROUPS.iter().map(|(title, _)| ((*title).to_owned(), Vec::new())).collect();
    for column in columns {
        let title = own_title(&column.name);
        let group = group_of(&column.name)
            .or_else(|| groups.iter().rposition(|(other, _)| *other == title));
        match group {
            Some(i) => groups[i].1.push(column),
            None => groups.push((title, vec![column])),
        }
    }
    let used = groups.into_iter().filter(|(_, columns)| !columns.is_empty());
    used.flat_map(|(title, columns)| by_unit(&title, time, &columns)).collect()
}

/// The title of a column that is in no group; the components `.x`, `.y`, `.z` share one.
fn own_title(name: &str) -> String {
    let label = Axis::from_column(name).label;
    let vector = [".x", ".y", ".z"].iter().find_map(|k| label.strip_suffix(k));
    capitalised(&vector.unwrap_or(&label).replace('.', ", "))
}

fn group_of(name: &str) -> Option<usize> {
    let label = Axis::from_column(name).label.to_lowercase();
    // `dt` is a word, the others may be parts of one.
    let fits = |word: &&str| if *word == "dt" { label == "dt" } else { label.contains(*word) };
    GROUPS.iter().position(|(_, words)| words.iter().any(fits))
}

/// One plot for each unit, as one axis has one unit.
fn by_unit(title: &str, time: &Column, columns: &[&Column]) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    for column in columns {
        let axis = Axis::from_column(&column.name);
        let points = time.values.iter().zip(&column.values).map(|(&t, &y)| [t, y]).collect();
        let curve = Curve::line(axis.label.clone(), points);
        match plots.iter_mut().find(|plot| plot.y.unit == axis.unit) {
            Some(plot) => plot.curves.push(curve),
            None => plots.push(Plot {
                title: title.to_owned(),
                x: Axis::from_column(&time.name),
                y: axis,
                curves: vec![curve],
            }),
        }
    }
    for plot in &mut plots {
        if plot.curves.len() > 1 {
            plot.y.label = title.to_lowercase();
        }
        plot.y.log = spans_decades(&plot.curves);
    }
    plots
}

fn spans_decades(curves: &[Curve]) -> bool {
    let values = || curves.iter().flat_map(|c| &c.points).map(|p| p[1]).filter(|v| v.is_finite());
    let (lowest, highest) =
        values().fold((f64::INFINITY, 0.0), |(lo, hi), v| (f64::min(lo, v), f64::max(hi, v)));
    lowest > 0.0 && highest > 1e3 * lowest
}

fn capitalised(label: &str) -> String {
    let mut characters = label.chars();
    let first = characters.next().map(|c| c.to_uppercase().collect::<String>());
    first.unwrap_or_default() + characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(names: &[&str]) -> Series {
        let values = vec![1.0, 2.0];
        let column = |name: &&str| Column { name: (*name).to_owned(), values: values.clone() };
        Series { columns: names.iter().map(column).collect() }
    }

    #[test]
    fn columns_find_their_plots() {
        let series = series(&[
            "time [s]",
            "dt [s]",
            "kinetic energy [J]",
            "potential energy [J]",
            "mean density error [%]",
            "max density error [%]",
            "iterations",
            "max speed [m/s]",
            "front [m]",
            "width dt [m]",
            "tank.force.x [N]",
            "tank.force.y [N]",
        ]);
        let plots = standard_plots(&series);
        let titles: Vec<_> = plots.iter().map(|p| (p.title.as_str(), p.curves.len())).collect();
        let expected = [
            ("Energy", 2),
            ("Density error", 2),
            ("Time step", 1),
            ("Solver iterations", 1),
            ("Largest speed", 1),
            ("Front", 1),
            ("Width dt", 1),
            ("Tank, force", 2),
        ];
        assert_eq!(titles, expected);
        assert_eq!(plots[0].y, Axis::new("energy", "J"));
        assert_eq!(plots[0].x, Axis::new("time", "s"));
    }

    #[test]
    fn units_are_not_mixed_and_wide_ranges_are_logarithmic() {
        let mut series = series(&["time [s]", "energy a [J]", "energy b [J/m]"]);
        series.columns[1].values = vec![1e-6, 1.0];
        let plots = standard_plots(&series);
        assert_eq!(plots.len(), 2);
        assert!(plots[0].y.log && !plots[1].y.log);
        assert_eq!(standard_plots(&Series::default()), []);
    }
}
