//! The plots that every run has, made from its series by the names of the columns.

use crate::output::series::{Column, Series};
use crate::plot::{Axis, Curve, Plot};

/// What columns belong together: the title of their plot and their names, without the matter that they are of. In
/// the order of the report.
const TOGETHER: [(&str, &[&str]); 7] = [
    ("energy", &["kinetic_energy", "potential_energy", "elastic_energy"]),
    ("energy lost", &["damping_loss", "friction_loss", "cohesion_loss"]),
    ("energy balance", &["work_of_bodies", "energy_added", "energy_balance"]),
    ("density error", &["mean_density_error", "max_density_error"]),
    ("time step", &["dt"]),
    ("solver iterations", &["iterations"]),
    ("largest speed", &["max_speed"]),
];

/// The title of the plot that a column of `series.csv` belongs to: with others, with the components of its vector, or
/// alone.
pub fn plot_title(column: &str) -> String {
    let name = column.rsplit_once('.').map_or(column, |(_, name)| name);
    if let Some((title, _)) = TOGETHER.iter().find(|(_, names)| names.contains(&name)) {
        return (*title).to_owned();
    }
    let vector = [".x", ".y", ".z"].iter().find_map(|k| column.strip_suffix(k));
    vector.unwrap_or(column).replace('.', ", ").replace('_', " ")
}

/// Plots over the first column, by [`plot_title`].
///
/// An axis is logarithmic when its values are positive and span more than three decades.
pub fn standard_plots(series: &Series) -> Vec<Plot> {
    let Some((time, columns)) = series.columns.split_first() else {
        return Vec::new();
    };
    let mut groups: Vec<(String, Vec<&Column>)> =
        TOGETHER.iter().map(|(title, _)| ((*title).to_owned(), Vec::new())).collect();
    for column in columns {
        let title = plot_title(&Axis::from_column(&column.name).label.replace(' ', "_"));
        match groups.iter_mut().find(|(other, _)| *other == title) {
            Some((_, group)) => group.push(column),
            None => groups.push((title, vec![column])),
        }
    }
    let used = groups.into_iter().filter(|(_, columns)| !columns.is_empty());
    used.flat_map(|(title, columns)| by_unit(&capitalised(&title), time, &columns)).collect()
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
        let mut series = series(&["time [s]", "kinetic energy [J]", "potential energy [J/m]"]);
        series.columns[1].values = vec![1e-6, 1.0];
        let plots = standard_plots(&series);
        assert_eq!(plots.len(), 2);
        assert!(plots[0].y.log && !plots[1].y.log);
        assert_eq!(standard_plots(&Series::default()), []);
    }
}
