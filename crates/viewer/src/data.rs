//! Data over time: for the plots, and collected for a file.

use lawine_record::output::report::plot_title;
use lawine_record::run::Heading;
use lawine_scene::file::SceneFile;
use std::fmt::Write as _;

/// Rows that plots keep; then every second one is dropped. Odd, so that the last one stays.
const MOST_ROWS: usize = 3001;

/// The data of a scene since its start, thinned out evenly.
#[derive(Clone, Debug, Default)]
pub struct History {
    headings: Vec<Heading>,
    rows: Vec<Vec<f64>>,
    /// Interval of the rows that are kept.
    stride: usize,
    skipped: usize,
}

impl History {
    /// An empty history with these columns.
    pub fn new(headings: Vec<Heading>) -> Self {
        Self { headings, rows: Vec::new(), stride: 1, skipped: 0 }
    }

    /// The columns; the first is the time.
    pub fn headings(&self) -> &[Heading] {
        &self.headings
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<f64>) {
        self.skipped += 1;
        if row.len() != self.headings.len() || self.skipped < self.stride {
            return;
        }
        self.skipped = 0;
        self.rows.push(row);
        if self.rows.len() >= MOST_ROWS {
            let mut keep = false;
            self.rows.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
    }

    /// Time and value of a column.
    pub fn points(&self, column: usize) -> Vec<[f64; 2]> {
        let point = |row: &Vec<f64>| [row[0], row[column]];
        self.rows.iter().map(point).filter(|p| p[1].is_finite()).collect()
    }
}

/// A plot: a title and its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What is plotted.
    pub title: String,
    /// Numbers of its columns.
    pub columns: Vec<usize>,
}

/// The plots that a series of columns makes: those of every run together where they belong
/// together, then probes, then the forces on each body. What the matter of the scene does not have
/// is left out.
pub fn groups(headings: &[Heading], scene: &SceneFile) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let plotted = |(_, heading): &(usize, &Heading)| makes_sense(&heading.name, scene);
    for (column, heading) in headings.iter().enumerate().filter(plotted) {
        let words = plot_title(&heading.name);
        let unit = &heading.unit;
        let title = if unit.is_empty() { words } else { format!("{words} [{unit}]") };
        match groups.iter_mut().find(|group| group.title == title) {
            Some(group) => group.columns.push(column),
            None => groups.push(Group { title, columns: vec![column] }),
        }
    }
    groups
}

/// Titles of the plots to begin with, or how they begin.
pub const FIRST_PLOTS: [&str; 4] = ["energy [", "density error", "contacts", "time step"];

/// Whether a column is more than zeros in this scene.
fn makes_sense(column: &str, scene: &SceneFile) -> bool {
    match column {
        "time" => false,
        "mean_density_error" | "max_density_error" | "iterations" => {
            scene.has_solver_column(column)
        }
        _ => true,
    }
}

/// Every row since the user asked to collect, for a file.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    headings: Vec<Heading>,
    rows: Vec<Vec<f64>>,
    /// Whether rows are added.
    pub running: bool,
}

impl Collection {
    /// Starts or continues with these columns; what was collected with others is dropped.
    pub fn start(&mut self, headings: &[Heading]) {
        if self.headings != headings {
            self.headings = headings.to_vec();
            self.rows.clear();
        }
        self.running = true;
    }

    /// Adds a row, if collecting.
    pub fn push(&mut self, row: &[f64]) {
        if self.running && row.len() == self.headings.len() {
            self.rows.push(row.to_vec());
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing was collected.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All rows as the text of a CSV file, SI units in the names.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        let name = |h: &Heading| {
            if h.unit.is_empty() { h.name.clone() } else { format!("{} [{}]", h.name, h.unit) }
        };
        text.push_str(&self.headings.iter().map(name).collect::<Vec<_>>().join(","));
        for row in &self.rows {
            for (k, value) in row.iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = write!(text, "{}{value}", if k == 0 { "\n" } else { "," });
            }
        }
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings() -> Vec<Heading> {
        let heading = |(name, unit): (&str, &str)| Heading { name: name.into(), unit: unit.into() };
        [
            ("time", "s"),
            ("kinetic_energy", "J/m"),
            ("potential_energy", "J/m"),
            ("front", "m"),
            ("tank.force.x", "N/m"),
            ("tank.force.y", "N/m"),
        ]
        .map(heading)
        .to_vec()
    }

    fn scene(name: &str) -> SceneFile {
        let text = lawine_scene::builtin::get(name).unwrap();
        lawine_scene::file::parse_scene_text(text).unwrap()
    }

    #[test]
    fn only_plots_that_make_sense_are_offered() {
        use lawine_scene::build::build;
        use lawine_scene::file::{Source, load};
        let titles = |name: &str| -> Vec<String> {
            let loaded = load(&Source::BuiltIn(name.to_owned()), &[]).unwrap();
            let built = build(&loaded).unwrap();
            let (_, headings) = lawine_record::run::check(&loaded, &built).unwrap();
            groups(&headings, &loaded.scene).into_iter().map(|group| group.title).collect()
        };
        let has = |titles: &[String], title: &str| titles.iter().any(|t| t == title);
        let (liquid, snow, grains) = (titles("column"), titles("cantilever"), titles("sand-drum"));
        for everywhere in ["time step [s]", "largest speed [m/s]"] {
            assert!([&liquid, &snow, &grains].iter().all(|t| has(t, everywhere)), "{everywhere}");
        }
        assert!(has(&liquid, "density error") && !has(&snow, "density error"));
        assert!(!has(&grains, "density error") && !has(&grains, "solver iterations"));
        assert!(has(&grains, "contacts") && has(&grains, "energy [J]"), "{grains:?}");
        assert!(has(&grains, "energy lost [J]"), "{grains:?}");
    }

    #[test]
    fn columns_that_belong_together_share_a_plot() {
        let groups = groups(&headings(), &scene("dam-break"));
        let titles: Vec<&str> = groups.iter().map(|g| g.title.as_str()).collect();
        assert_eq!(titles, ["energy [J/m]", "front [m]", "tank, force [N/m]"]);
        assert_eq!(groups[0].columns, [1, 2]);
        assert_eq!(groups[2].columns, [4, 5]);
    }

    #[test]
    fn a_long_history_is_thinned_out_evenly() {
        let mut history = History::new(headings()[..2].to_vec());
        for k in 0..20_000 {
            history.push(vec![f64::from(k), 1.0]);
        }
        let points = history.points(1);
        assert!(points.len() < MOST_ROWS && points.len() > MOST_ROWS / 3, "{}", points.len());
        let steps: Vec<f64> = points.windows(2).map(|w| w[1][0] - w[0][0]).collect();
        assert!(steps.iter().all(|s| (s - steps[0]).abs() < 1e-9), "{:?}", &steps[..5]);
        assert!(points.last().unwrap()[0] > 19_900.0);
        history.push(vec![1.0]);
        assert_eq!(history.points(1).len(), points.len(), "a row of another scene");
    }

    #[test]
    fn collected_data_become_csv() {
        let mut collection = Collection::default();
        collection.push(&[0.0; 6]);
        assert!(collection.is_empty(), "not started yet");
        collection.start(&headings());
        collection.push(&[0.5, 1.0, 2.0, 3.0, 4.0, 5.25]);
        collection.running = false;
        collection.push(&[0.0; 6]);
        assert_eq!(collection.len(), 1);
        let csv = collection.csv();
        assert_eq!(csv.lines().next().unwrap().split(',').count(), 6);
        assert!(csv.starts_with("time [s],kinetic_energy [J/m],"), "{csv}");
        assert!(csv.ends_with("\n0.5,1,2,3,4,5.25\n"), "{csv}");
    }
}
