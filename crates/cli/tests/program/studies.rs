//! Studies from outside: lists, one command, batch systems and mistakes.

use crate::common::{Folder, TANK};
use std::fs;

/// Three runs of an experiment that takes no time.
const SMALL: &str = r#"
title = "Small study"
experiment = "rotation-drift"
set = ["end=0.1"]

[[case]]
name = "matrix"
[[case.vary]]
key = "time_step"
name = "dt"
unit = "s"
values = [1e-2, 1e-3, 1e-4]

[[measure]]
name = "growth"
of = "result.base"

[[plot]]
name = "growth"
x = "dt"
y = ["growth"]
x_log = true
"#;

#[test]
fn studies_are_listed_and_done() {
    let folder = Folder::new();
    let list = folder.say("studies").succeeds().out;
    for name in ["hunkler-5-1", "meiers-column-k", "schinner-4-4"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
    }
    // Title and source are two sentences.
    assert!(list.contains("of 0.1 %. Hunkler (2022), Table 5.1."), "{list}");
    let done = folder.say("study schinner-2-2 --quick").succeeds();
    assert!(done.out.contains("corner on the axis"), "{}", done.out);
    assert!(done.out.contains("as expected") && !done.out.contains("not as"), "{}", done.out);
    for file in ["report.html", "table.csv", "table.md", "plots/steps.svg", "plots/steps.png"] {
        assert!(folder.path("runs/schinner-2-2").join(file).is_file(), "{file}");
    }
}

#[test]
fn a_study_goes_on_only_when_asked_to() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    let first = folder.say("study small.toml --out s --jobs 2").succeeds();
    assert_eq!(first.err.matches("done in").count(), 3, "{}", first.err);
    folder.say("study small.toml --out s").fails(1, &["s is not empty", "--resume"]);
    let again = folder.say("study small.toml --out s --resume").succeeds();
    assert!(!again.err.contains("done in") && again.out == first.out, "{}", again.err);
    folder.say("study small.toml --quick --out s --resume").fails(1, &["results of another study"]);
    folder.say("study schinner-2-2 --out s --resume").fails(1, &["nothing was changed"]);
}

#[test]
fn a_finding_that_is_not_as_expected_fails() {
    let folder = Folder::new();
    let asked = |to: &str| {
        let finding = "[[finding]]\ntext = \"growth\"\nkind = \"largest\"\ny = \"growth\"\n";
        format!("{SMALL}\n{finding}expect = [1.0, {to}]\n")
    };
    folder.write("good.toml", &asked("2.0"));
    folder.say("study good.toml --out good").succeeds();
    folder.write("bad.toml", &asked("1.0001"));
    for call in ["study bad.toml --out bad", "study bad.toml --out bad --collect -q"] {
        let call = folder.say(call);
        assert_eq!(call.code, Some(1), "{}", call.err);
        assert!(call.err.contains("growth: 1.045, not as expected (1 to "), "{}", call.err);
    }
}

#[test]
fn mistakes_in_studies_are_told() {
    let folder = Folder::new();
    folder.say("study hunkler-5-11").fails(1, &["did you mean hunkler-5-1", "schinner-4-4"]);
    for (from, to, word) in [
        ("unit = ", "unitt = ", "did you mean case.0.vary.0.unit"),
        ("[1e-2, 1e-3, 1e-4]", "[]", "the matrix has no runs"),
        ("set = [", "repeat = 4000000000\nset = [", "needs 12000000000 runs"),
        ("result.base", "result.bas", "did you mean result.base"),
        ("name = \"growth\"\nx", "name = \"a/b\"\nx", "plot.0.name"),
    ] {
        folder.write("bad.toml", &SMALL.replace(from, to));
        folder.say("study bad.toml --out bad").fails(1, &[word, "bad.toml:"]);
        assert!(!folder.path("bad").exists());
    }
}

/// Runs of the scene `tank.toml`; the first two settle its viscosity themselves.
const TANKS: &str = r#"
title = "Tanks"
scene = "tank.toml"
set = ["output.movie=false", "output.pictures=false"]

[[case]]
name = "viscous"
[[case.vary]]
key = "liquid.viscosity"
name = "viscosity"
values = [0.01, 0.02]

[[case]]
name = "as it is"

[[measure]]
name = "energy"
of = "summary.energy_final"
"#;

/// Results of the old scene stood beside those of the new one.
#[test]
fn an_edited_scene_is_run_again() {
    let folder = Folder::new();
    folder.write("tank.toml", &TANK.replace("end = 0.05", "end = 0.01"));
    folder.write("tanks.toml", TANKS);
    let first = folder.say("study tanks.toml --out s --jobs 1").succeeds();
    assert_eq!(first.err.matches("done in").count(), 3, "{}", first.err);
    let again = folder.say("study tanks.toml --out s --jobs 1 --resume").succeeds();
    assert!(!again.err.contains("done in"), "{}", again.err);

    let edited = TANK.replace("end = 0.05", "end = 0.01").replace("1e-3", "5e-3");
    folder.write("tank.toml", &edited);
    let collected = folder.say("study tanks.toml --out s --collect").succeeds();
    assert!(collected.err.contains("1 runs have not been done yet"), "{}", collected.err);
    let again = folder.say("study tanks.toml --out s --jobs 1 --resume").succeeds();
    assert_eq!(again.err.matches("its scene has changed").count(), 1, "{}", again.err);
    assert_eq!(again.err.matches("done in").count(), 1, "{}", again.err);

    let edited = edited.replace("-9.81", "-1.62");
    folder.write("tank.toml", &edited);
    let again = folder.say("study tanks.toml --out s --jobs 1 --resume").succeeds();
    assert_eq!(again.err.matches("its scene has changed").count(), 3, "{}", again.err);
    assert_ne!(again.out, first.out);
    let straight = folder.say("study tanks.toml --out straight --jobs 1 -q").succeeds();
    assert!(again.out.starts_with(&straight.out), "{}\n{}", again.out, straight.out);
}

#[test]
fn two_programs_cannot_do_the_same_study() {
    let folder = Folder::new();
    folder.write("tank.toml", &TANK.replace("end = 0.05", "end = 600"));
    folder.write("tanks.toml", TANKS);
    let mut child = folder.command(&["study", "tanks.toml", "--out", "s", "-q"]).spawn().unwrap();
    while !folder.path("s/runs/000/series.csv").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let words = ["s is in use", "nothing was changed there"];
    folder.say("study tanks.toml --out s --resume").fails(1, &words);
    folder.say("study tanks.toml --out s --run 2").fails(1, &words);
    // What is there may be looked at.
    folder.say("study tanks.toml --out s --collect").succeeds();
    child.kill().unwrap();
    child.wait().unwrap();
    folder.write("tank.toml", &TANK.replace("end = 0.05", "end = 0.01"));
    folder.say("study tanks.toml --out s --run 0").succeeds();
    folder.say("study tanks.toml --out s --resume").succeeds();
}

#[test]
fn the_report_asks_nobody_for_anything() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    folder.say("study small.toml --out s -q").succeeds();
    let html = fs::read_to_string(folder.path("s/report.html")).unwrap();
    let head = html.split("</head>").next().unwrap();
    assert!(head.contains("Content-Security-Policy\" content=\"default-src 'none'"), "{head}");
    for place in html.split("src=\"").skip(1) {
        assert!(place.starts_with("data:"), "{}", place.chars().take(60).collect::<String>());
    }
}

/// Scripts for batch systems name every run, and a task that is repeated does nothing.
#[test]
fn scripts_for_batch_systems_do_all_runs() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    let told = folder.say("study small.toml --array").succeeds().out;
    assert!(told.contains("3 runs") && told.contains("sbatch runs/small/array.sbatch"), "{told}");
    let slurm = fs::read_to_string(folder.path("runs/small/array.sbatch")).unwrap();
    assert!(slurm.contains("#SBATCH --array=0-2\n"), "{slurm}");
    // What Slurm does: the script itself with an index in the environment.
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_lawine")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let task = |index: &str| {
        let output = std::process::Command::new("bash")
            .arg("runs/small/array.sbatch")
            .current_dir(folder.path(""))
            .env("PATH", &path)
            .env("SLURM_ARRAY_TASK_ID", index)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(["0", "1", "2"].iter().all(|index| task(index).contains("done in")));
    assert!(!task("1").contains("done in"), "it has been done");
    let collected = folder.say("study small.toml --collect").succeeds();
    assert!(!collected.err.contains("not been done"), "{}", collected.err);
    let snakemake = fs::read_to_string(folder.path("runs/small/Snakefile")).unwrap();
    for line in ["\"runs/small/runs/{run}/result.json\"", "range(3)", "--run {wildcards.run}"] {
        assert!(snakemake.contains(line), "{snakemake}");
    }
    folder.say("study schinner-2-2 --out runs/small --array").fails(1, &["another study"]);
}

/// The search of grains has a skin that is decided when the scene is built: a checkpoint has it, the study does not.
#[test]
fn a_run_continues_whose_scene_leaves_keys_open() {
    let folder = Folder::new();
    let study = "title = 'sand'\nscene = 'settling-sand'\nset = ['end=0.01', 'output.frames=false', \
                 'output.movie=false', 'output.every=0.01']\n[[case]]\nname = 'one'\n[[measure]]\n\
                 name = 'steps'\nof = 'summary.steps'\n";
    folder.write("sand.toml", study);
    folder.say("study sand.toml --out s --jobs 1").succeeds();
    folder.write("s/runs/000/witness", "a run that begins anew empties its folder");
    fs::remove_file(folder.path("s/runs/000/result.json")).unwrap();
    folder.say("study sand.toml --out s --jobs 1 --resume").succeeds();
    assert!(folder.path("s/runs/000/witness").exists());
}

/// A run that was killed continues from its checkpoint, with the results of one in a single go.
#[test]
fn a_killed_study_continues_where_it_was() {
    let folder = Folder::new();
    folder.write("tank.toml", &TANK.replace("end = 0.05", "end = 3"));
    let more = "\"output.checkpoint_every=0.02\", \"output.frames=false\"]";
    let tanks =
        TANKS.replace("\"output.pictures=false\"]", &format!("\"output.pictures=false\", {more}"));
    folder.write("tanks.toml", &tanks);
    let mut child =
        folder.command(&["study", "tanks.toml", "--out", "s", "--jobs", "1"]).spawn().unwrap();
    let checkpoints =
        || fs::read_dir(folder.path("s/runs/000/checkpoint")).map_or(0, Iterator::count);
    while checkpoints() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.path("s/runs/000/result.json").exists(), "killed before its end");
    folder.write("s/runs/000/witness", "a run that begins anew empties its folder");
    let resumed = folder.say("study tanks.toml --out s --jobs 1 --resume").succeeds();
    assert!(folder.path("s/runs/000/witness").exists());
    let straight = folder.say("study tanks.toml --out straight --jobs 1").succeeds();
    let table = |call: &str| {
        call.lines().take_while(|l| !l.starts_with("files")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(table(&resumed.out), table(&straight.out));
    let series =
        |out: &str| fs::read_to_string(folder.path(format!("{out}/runs/000/series.csv"))).unwrap();
    assert!(series("s") == series("straight"));
    // Another scene begins anew, whatever lies there.
    fs::remove_file(folder.path("s/runs/000/result.json")).unwrap();
    folder.write("tank.toml", &TANK.replace("end = 0.05", "end = 0.02"));
    folder.say("study tanks.toml --out s --jobs 1 --resume").succeeds();
    assert!(!folder.path("s/runs/000/witness").exists());
}
