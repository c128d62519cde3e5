//! Studies from the file to the report.
#![allow(clippy::print_stdout, reason = "tests that print what they measured")]

use lawine_study::file::LoadedStudy;
use lawine_study::{Collected, Listener, Outcome, Run, Study, StudyError, builtin};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Counts the runs that were done.
#[derive(Default)]
struct Count(AtomicUsize);

impl Listener for Count {
    fn begins(&self, _: &Run, _: &str) {}
    fn changed(&self, _: &Run, _: &str) {}
    fn ended(&self, _: &Run, _: &str, _: &Outcome) {
        self.0.fetch_add(1, Relaxed);
    }
}

fn from_text(folder: &Path, text: &str) -> Result<Study, StudyError> {
    let path = folder.join("mine.toml");
    fs::write(&path, text).unwrap();
    LoadedStudy::load(path.to_str().unwrap()).and_then(|loaded| Study::new(loaded, false))
}

/// Does all runs and collects them; returns also how many were done.
fn complete(study: &Study, out: &Path, jobs: usize) -> (Collected, usize) {
    let count = Count::default();
    study.run_all(out, jobs, &AtomicBool::new(false), &count).unwrap();
    (study.collect(out).unwrap(), count.0.into_inner())
}

fn quick(name: &str) -> Study {
    Study::new(LoadedStudy::load(name).unwrap(), true).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The growth of a turning matrix after a second: (1 + (ω Δt)²)^(1/2Δt), whose measure is known.
const DRIFT: &str = r#"
title = "Drift"
experiment = "rotation-drift"
set = ["end=1", "form=matrix"]
[[measure]]
name = "growth"
of = "result.base"
"#;

#[test]
fn every_built_in_study_is_fine_in_both_forms() {
    for name in builtin::names() {
        for short in [false, true] {
            let loaded = LoadedStudy::load(name).unwrap_or_else(|e| panic!("{e}"));
            assert!(loaded.file.about.len() > 100, "{name} says what to see");
            assert!(!loaded.file.plot.is_empty(), "{name} draws something");
            let study = Study::new(loaded, short).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(!study.runs().is_empty());
        }
    }
}

#[test]
fn closest_features_end_in_one_cycle_nearly_always() {
    let out = tempfile::tempdir().unwrap();
    let (found, _) = complete(&quick("schinner-4-4"), &out.path().join("s"), 2);
    println!("{}", found.table.aligned());
    assert_eq!(found.answers[0].expected, Some(true), "{}", found.answers[0].sentence());
    // Edges and faces are those of the printed bodies: 3n − 6 and 2n − 4.
    for row in &found.table.rows {
        for name in ["edges", "faces"] {
            assert!((row.cells[name].ratio().unwrap() - 1.0).abs() < 1e-12);
        }
    }
    let page = fs::read_to_string(out.path().join("s/report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("97.66") && page.contains("ratio"));
    assert!(!page.contains("src=\"http") && !page.contains("@font-face"));
    for file in ["table.csv", "table.md", "results.md", "plots/time.svg", "plots/time.png"] {
        assert!(fs::metadata(out.path().join("s").join(file)).unwrap().len() > 100, "{file}");
    }
}

#[test]
fn density_error_of_a_column_falls_as_one_over_k() {
    let out = tempfile::tempdir().unwrap();
    let (found, _) = complete(&quick("meiers-column-k"), &out.path().join("s"), 2);
    println!("{}", found.table.aligned());
    assert_eq!(found.answers[0].expected, Some(true), "{}", found.answers[0].sentence());
}

#[test]
fn finished_runs_are_not_run_again_and_one_by_one_is_the_same() {
    let out = tempfile::tempdir().unwrap();
    let text = format!(
        "{DRIFT}\n[[case]]\nname = \"a\"\n[[case.vary]]\nkey = \"time_step\"\nname = \"dt\"\n\
         log_range = {{ from = 0.001, to = 0.1, count = 3 }}\n"
    );
    let study = from_text(out.path(), &text).unwrap();
    let (all, one) = (out.path().join("all"), out.path().join("one"));
    let (found, runs) = complete(&study, &all, 3);
    assert_eq!((runs, found.table.rows.len(), found.open), (3, 3, 0));
    assert_eq!(complete(&study, &all, 1).1, 0);
    fs::remove_file(all.join("runs/001/result.json")).unwrap();
    assert_eq!(complete(&study, &all, 1).1, 1);
    let stop = AtomicBool::new(false);
    for (index, open) in [(2, 2), (0, 1), (1, 0)] {
        study.run_one(&one, index, false, &stop, &Count::default()).unwrap();
        assert_eq!(study.collect(&one).unwrap().open, open);
    }
    let table = |path: &Path| fs::read(path.join("table.csv")).unwrap();
    assert_eq!(table(&one), table(&all));
    let error = study.run_one(&one, 3, false, &stop, &Count::default()).unwrap_err().to_string();
    assert_eq!(error, "there is no run 3; allowed: 0 to 2");
    // √(1 + (ω Δt)²) a step, for the corners off the axis at height −1/3.
    let growth = |dt: f64| {
        let across = (8.0_f64 / 9.0) * (1.0 + 100.0 * dt * dt).powf(1.0 / dt);
        (across + 1.0 / 9.0).sqrt()
    };
    for row in &found.table.rows {
        let expected = growth(row.number("dt"));
        assert!((row.number("growth") / expected - 1.0).abs() < 1e-9, "{expected}");
    }
}

#[test]
fn bisection_finds_the_largest_good_value() {
    let out = tempfile::tempdir().unwrap();
    let text = format!(
        "{DRIFT}\n[[case]]\nname = \"a\"\n[case.search]\nkey = \"time_step\"\nname = \"dt\"\n\
         from = 1e-4\nto = 0.1\ntolerance = 0.01\nbelow = [{{ measure = \"growth\", limit = 1.1 }}]\n"
    );
    let study = from_text(out.path(), &text).unwrap();
    let (found, _) = complete(&study, &out.path().join("s"), 1);
    let dt = found.table.rows[0].number("dt");
    // ln of the growth is about 8/9 · 50 Δt for small steps.
    println!("largest step {dt}");
    assert!((1.9e-3..2.4e-3).contains(&dt) && found.table.rows[0].number("growth") <= 1.1);
}

#[test]
fn a_failed_run_is_recorded_and_the_rest_goes_on() {
    let out = tempfile::tempdir().unwrap();
    let text = r#"
title = "Failing"
scene = "column"
set = [
    "end=0.1", "output.every=0.1", "output.frames=false", "output.pictures=false",
    "output.movie=false", "liquid.pressure.stiffness=1e6",
]
[[case]]
name = "a"
[[case.vary]]
key = "time.step"
name = "dt"
values = [0.001, 1e-4, -1.0]
[[measure]]
name = "top"
of = "series.top"
[[plot]]
name = "top"
kind = "series"
x = "time"
y = ["top"]
"#;
    let study = from_text(out.path(), text).unwrap();
    let (found, runs) = complete(&study, &out.path().join("s"), 1);
    assert_eq!((runs, found.failed), (3, 2));
    let failure = |i: usize| found.table.rows[i].failures.join(" ");
    assert!(!failure(0).is_empty() && failure(1).is_empty());
    assert!(failure(2).contains("time.step"), "{}", failure(2));
    let csv = fs::read_to_string(out.path().join("s/table.csv")).unwrap();
    assert_eq!(csv.lines().count(), 4);
    // What went wrong stands under the table, with a mark in it.
    let markdown = found.table.markdown();
    let (table, notes) = markdown.split_once("\n\n").unwrap();
    let (before, _) = notes.split_once(&failure(2)).unwrap_or_else(|| panic!("{notes}"));
    let mark = before[before.rfind('[').unwrap()..].trim();
    assert!(table.contains(&format!("| {mark} |")) && !table.contains(&failure(2)), "{table}");
    let html = fs::read_to_string(out.path().join("s/report.html")).unwrap();
    assert!(html.contains(&format!(">{mark}</td>")), "{html}");
}

/// Findings: printed numbers, deviations from them, factors between cases, and what the short form leaves out.
#[test]
fn findings_compare_with_what_is_printed() {
    let out = tempfile::tempdir().unwrap();
    let text = r#"
title = "Decay"
experiment = "decay"
[quick]
[[case]]
name = "euler"
[[case.vary]]
key = "time_step"
name = "dt"
values = [0.5, 1.5]
[[case]]
name = "grows"
set = ["time_step=3"]
[[measure]]
name = "last"
of = "result.last"
[[reference]]
label = "by hand"
case = "euler"
columns = ["dt", "last"]
rows = [[0.5, 2e-4], [1.5, 2.44140625e-4]]
[[finding]]
text = "all"
kind = "deviation"
case = "euler"
x = "dt"
y = "last"
expect = [0.2, 0.25]
[[finding]]
text = "one"
kind = "deviation"
case = "euler"
x = "dt"
y = "last"
within = [1, 2]
expect = [0, 1e-12]
[[finding]]
text = "factor"
kind = "factor"
case = "grows"
than = "euler"
y = "last"
expect = [0, 1]
quick_expect = [1.6e7, 1.7e7]
[[finding]]
text = "smallest"
kind = "smallest"
case = "euler"
y = "last"
skip_quick = true
"#;
    let study = from_text(out.path(), text).unwrap();
    let (found, _) = complete(&study, &out.path().join("s"), 1);
    let values: Vec<f64> = found.answers.iter().map(|a| a.value).collect();
    let expected = [0.220_703_125, 0.0, 4096.0 * 4096.0, 2.441_406_25e-4];
    for (value, expected) in values.iter().zip(expected) {
        assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1e-3), "{values:?}");
    }
    let words: Vec<&str> = found.unexpected().map(|a| a.text.as_str()).collect();
    assert_eq!(words, ["factor"]);
    assert_eq!(
        found.answers[3].sentence(),
        "smallest: 2.441 × 10⁻⁴ (from the printed numbers: 2 × 10⁻⁴)"
    );
    let page = fs::read_to_string(out.path().join("s/results.md")).unwrap();
    assert!(page.contains("- **factor"), "{page}");

    let loaded = LoadedStudy::load(out.path().join("mine.toml").to_str().unwrap()).unwrap();
    let (found, _) = complete(&Study::new(loaded, true).unwrap(), &out.path().join("q"), 1);
    assert_eq!(
        (found.unexpected().count(), found.skipped_findings.as_slice()),
        (0, &["smallest".to_owned()][..])
    );
}

/// Liquid that is too soft runs through the floor: the row says so, whatever was measured.
#[test]
fn a_run_with_a_warning_is_marked() {
    let out = tempfile::tempdir().unwrap();
    let text = r#"
title = "Soft"
scene = "dam-break"
set = [
    "end=0.2", "output.every=0.1", "output.frames=false", "output.pictures=false",
    "output.movie=false", "liquid.spacing=0.04",
]
[[case]]
name = "a"
[[case.vary]]
key = "liquid.pressure.method"
name = "method"
values = ["eos", "iisph"]
[[case.vary]]
key = "liquid.pressure.stiffness"
name = "k"
values = [100.0]
[[measure]]
name = "front"
of = "series.front"
"#;
    let study = from_text(out.path(), text).unwrap();
    let (found, runs) = complete(&study, &out.path().join("s"), 1);
    assert_eq!((runs, found.failed), (2, 0));
    let warnings = |i: usize| found.table.rows[i].warnings.join(" ");
    assert!(warnings(0).contains("the liquid was compressed by up to"), "{}", warnings(0));
    assert_eq!(warnings(1), "");
    for file in ["s/table.csv", "s/table.md", "s/report.html"] {
        let text = fs::read_to_string(out.path().join(file)).unwrap();
        assert!(text.contains("warning") && text.contains("the liquid was compressed"), "{file}");
    }
}

#[test]
fn mistakes_are_told_with_line_and_suggestion_and_change_nothing() {
    let out = tempfile::tempdir().unwrap();
    let case = "[[case]]\nname = \"a\"\n";
    let cases = [
        (
            format!("titel = 1\n{DRIFT}{case}"),
            "mine.toml:1: titel is not a key here (did you mean title?)",
        ),
        (
            format!("{DRIFT}{case}[[case.vary]]\nkey = \"time_step\"\nvalues = []\n"),
            "the matrix has no runs",
        ),
        (
            format!("{}{case}", DRIFT.replace("result.base", "result.bass")),
            "(did you mean result.base?)",
        ),
        (format!("{DRIFT}{case}set = [\"time_stp=1\"]\n"), "(did you mean time_step?)"),
        (
            format!("{DRIFT}{case}[[plot]]\nname = \"p\"\nx = \"dt\"\ny = [\"growth\"]\n"),
            "plot.0.x = \"dt\" does not exist",
        ),
        (DRIFT.replace("rotation-drift", "rotation-drif") + case, "(did you mean rotation-drift?)"),
        (format!("{DRIFT}case = []\n"), "case"),
    ];
    for (text, expected) in cases {
        let error = from_text(out.path(), &text).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        println!("{error}");
    }
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1);
}

#[test]
fn folders_of_others_are_left_alone() {
    let out = tempfile::tempdir().unwrap();
    let study = from_text(out.path(), &format!("{DRIFT}[[case]]\nname = \"a\"\n")).unwrap();
    let stop = AtomicBool::new(false);
    let (mine, foreign) = (out.path().join("s"), out.path().join("f"));
    complete(&study, &mine, 1);
    let before = fs::read(mine.join("table.csv")).unwrap();
    let other = from_text(out.path(), &format!("{DRIFT}[[case]]\nname = \"b\"\n")).unwrap();
    let error = other.run_all(&mine, 1, &stop, &Count::default()).unwrap_err().to_string();
    assert!(
        error.contains("results of another study") && error.contains("nothing was changed"),
        "{error}"
    );
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.tex"), "important").unwrap();
    let error = study.run_all(&foreign, 1, &stop, &Count::default()).unwrap_err().to_string();
    assert!(error.contains("not empty"), "{error}");
    assert_eq!(fs::read(mine.join("table.csv")).unwrap(), before);
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1);
}

#[test]
fn a_series_is_drawn_beside_a_reference_file() {
    let out = tempfile::tempdir().unwrap();
    fs::write(out.path().join("printed.csv"), "# by hand\nt,d\n0,1\n500,1.1\n1000,1.2\n").unwrap();
    let plot = "[[plot]]\nname = \"drift\"\nkind = \"series\"\nx = \"time\"\ny = [\"base\"]\n\
        x_scale = 1000\n[[plot.reference]]\nlabel = \"by hand\"\nfile = \"printed.csv\"\ny = \"d\"\n";
    let text = format!("{DRIFT}[[case]]\nname = \"a\"\n{plot}");
    let study = from_text(out.path(), &text).unwrap();
    let (found, _) = complete(&study, &out.path().join("s"), 1);
    assert!(found.missing_plots.is_empty());
    let svg = fs::read_to_string(out.path().join("s/plots/drift.svg")).unwrap();
    assert!(svg.contains("by hand") && svg.len() < 300_000);
}

#[test]
fn another_device_takes_the_scenes_over_or_fails_their_runs() {
    let text = r#"
title = "Cube"
scene = "bench-cube"
set = ["end=4e-3", "output.every=2e-3", "output.frames=false", "output.pictures=false", "output.movie=false"]
[[case]]
name = "cube"
[[measure]]
name = "steps"
of = "summary.steps"
[[plot]]
name = "steps"
x = "steps"
y = ["steps"]
"#;
    let folder = tempfile::tempdir().unwrap();
    let placed = from_text(folder.path(), text).unwrap().placed(|simulation, [start, every]| {
        assert!(start.abs() < 1e-12 && (every - 2e-3).abs() < 1e-12);
        Ok(format!("a device for {}", simulation.methods[0].name()))
    });
    let out = folder.path().join("placed");
    let (found, _) = complete(&placed, &out, 1);
    assert_eq!(found.failed, 0);
    let summary = fs::read_to_string(out.join("runs/000/summary.json")).unwrap();
    assert!(summary.contains("\"device\": \"a device for "), "{summary}");

    let refused = from_text(folder.path(), text).unwrap().placed(|_, _| Err("no such card".into()));
    let out = folder.path().join("refused");
    let (found, _) = complete(&refused, &out, 1);
    assert_eq!(found.failed, 1);
    let result = fs::read_to_string(out.join("runs/000/result.json")).unwrap();
    assert!(result.contains("no such card"), "{result}");
}

#[test]
fn keys_of_each_of_several_matters_can_be_varied() {
    let folder = tempfile::tempdir().unwrap();
    let study = r#"
title = "Three matters"
scene = "three-matters"
set = ["end=0.002", "liquid.spacing=0.03", "output.pictures=false", "output.movie=false"]
[[case]]
name = "a"
[[case.vary]]
key = "snow.cell"
name = "h"
values = [0.05, 0.06]
[[measure]]
name = "snow"
of = "series.snow.particles"
[[measure]]
name = "water"
of = "series.liquid.particles"
"#;
    let study = from_text(folder.path(), study).unwrap();
    let (found, runs) = complete(&study, &folder.path().join("s"), 1);
    let numbers = |name: &str| [0, 1].map(|row: usize| found.table.rows[row].number(name));
    let ([fine, coarse], [water, same]) = (numbers("snow"), numbers("water"));
    assert!(runs == 2 && fine > 1.5 * coarse && coarse > 50.0, "{fine} {coarse}");
    assert!(water > 50.0 && (water - same).abs() < 0.5, "{water} {same}");
}
