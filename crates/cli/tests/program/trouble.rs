//! What can go wrong while a run is on its way, and outside the program.

use crate::common::{Folder, TANK};
use lawine_record::output::Status;
use std::fs;

/// A drop that flies out of its domain through the open top.
const LEAVING: &str = r#"
title = "Leaving"
end = 0.05

[space]
dimension = 2
gravity = [0.0, -9.81]
domain = { min = [-0.5, -0.5], max = [0.5, 0.5] }

[liquid]
spacing = 0.02

[[fill]]
shape.box = { min = [0.0, 0.3], max = [0.2, 0.5] }
velocity = [0.0, 3.0]

[output]
every = 0.01

[view]
size = [64, 64]
"#;

#[test]
fn a_step_that_is_too_long_stops_the_run() {
    let folder = Folder::with_tank("");
    let call = folder.say(
        "run tank.toml -q --out out --end 1e9 --set time.step=1e9 --set output.every=1e9 \
         --set liquid.pressure.method=dfsph --set liquid.walls.pressure=mirror",
    );
    let words = ["no matter is left", "t = 1000000000 s", "the last checkpoint is", "--resume out"];
    let call = call.fails(1, &words);
    // A smaller cfl would not change a fixed step.
    assert!(call.err.contains("--set time.step="), "{}", call.err);
    let out = folder.run("out");
    let summary = out.summary();
    assert_eq!(summary.status, Status::Failed);
    assert!(summary.message.unwrap().contains("no matter is left"));
    assert!(out.0.report().is_file() && out.0.movie().is_file());
    assert!(!out.checkpoints().is_empty());
}

/// A step that is too long for the viscosity throws the liquid out of the tank. The advice
/// helps.
#[test]
fn a_liquid_that_bursts_stops_the_run() {
    let folder = Folder::with_tank("");
    let call = folder.say(
        "run tank.toml -q --out out --end 2 --set liquid.viscosity=0.2 --set time.step=0.0004",
    );
    let words = ["step ", "t = ", "the energy grew", "without a source", "shorter steps"];
    let call = call.fails(1, &words);
    let summary = folder.run("out").summary();
    assert_eq!(summary.status, Status::Failed);
    assert!(summary.message.unwrap().contains("without a source"));
    assert!(summary.simulated_time < 0.1, "stopped at {} s", summary.simulated_time);
    let advice = call.err.lines().last().unwrap().trim().strip_prefix("lawine ").unwrap();
    assert!(advice.ends_with("--resume out --set time.step=4e-5"), "{advice}");
    folder.say(&format!("{advice} -q --end 0.02")).succeeds();
    assert_eq!(folder.run("out").summary().status, Status::Finished);
}

/// The last checkpoint was up to a minute old.
#[test]
fn a_run_that_fails_saves_its_last_good_step() {
    let folder = Folder::new();
    folder.write("leaving.toml", LEAVING);
    let set = "--set time.step=0.0005";
    let call = folder.say(&format!("run leaving.toml -q --out out {set}"));
    call.fails(1, &["left the domain", "the last checkpoint is"]);
    let run = folder.run("out");
    let checkpoints = run.0.checkpoints().list().unwrap();
    let summary = run.summary();
    assert!(summary.steps > 3, "{} steps", summary.steps);
    assert_eq!(checkpoints[0].step, summary.steps);
    assert_eq!(checkpoints[1].step, 0);
    assert_eq!(run.last("time").to_bits(), summary.simulated_time.to_bits());
    assert!(summary.energy_final.unwrap().is_finite());
    // It has the bits of a run that ends there, and of one that goes on from it.
    let end = summary.simulated_time;
    folder.say(&format!("run leaving.toml -q --out until --end {end} {set}")).succeeds();
    let until = folder.run("until").summary();
    assert_eq!((until.steps, &until.state_hash), (summary.steps, &summary.state_hash));
    folder.say("run --resume out -q").fails(1, &["left the domain"]);
    assert_eq!(folder.run("out").summary().state_hash, summary.state_hash);
}

#[test]
fn a_particle_that_leaves_the_domain_stops_the_run() {
    let folder = Folder::new();
    folder.write("leaving.toml", LEAVING);
    let call = folder.say("run leaving.toml -q --out out");
    call.fails(1, &["particle", "left the domain at (", "space.leaving = \"remove\"", "t = "]);
    let run = folder.run("out");
    assert_eq!(run.summary().status, Status::Failed);
    assert_eq!(run.summary().particles, 100);
    assert_eq!(run.0.checkpoints().list().unwrap()[0].step, run.summary().steps);
    folder.say("run --resume out -q --set space.leaving=remove").succeeds();
    assert!(folder.run("out").summary().particles < 100);
}

#[test]
fn particles_that_leave_can_be_removed() {
    let folder = Folder::new();
    folder.write("leaving.toml", LEAVING);
    folder.say("run leaving.toml -q --out out --set space.leaving=remove").succeeds();
    let run = folder.run("out");
    let series = run.series();
    let particles = series.column("particles").unwrap();
    assert_eq!(particles[0] as u64, 100);
    assert!(particles.is_sorted_by(|a, b| a >= b));
    let left = *particles.last().unwrap();
    assert!(left < 100.0 && left > 0.0, "{left} left");
    let note = format!("{} of 100 particles left the domain", 100.0 - left);
    let [said] = &run.summary().notes[..] else { panic!("not one note") };
    assert!(said.starts_with(&note), "{said}");
    assert!(fs::read_to_string(run.0.report()).unwrap().contains(&note));
    assert_eq!(run.summary().particles, left as u64);

    // Even when none remains.
    let all = "run leaving.toml -q --out none --end 0.2 --gif --set space.leaving=remove \
               --set fill.0.velocity=[0,50] --set probe=[{name='mean',mean={field='density'}}]";
    folder.say(all).succeeds();
    let none = folder.run("none");
    assert_eq!(none.summary().particles, 0);
    let [said] = &none.summary().warnings[..] else { panic!("not one warning") };
    assert!(said.starts_with("100 of 100 particles left the domain"), "{said}");
    assert_eq!(none.0.saved_frames().unwrap().len(), 21);
    folder.say("render none --colors cfl --out again -q").succeeds();
    folder.say("run --resume none -q --end 0.21").succeeds();
}

/// Liquid so soft that it runs through the mirroring walls of a closed tank, and one iteration of a
/// pressure solver, which cannot hold it either.
#[test]
fn a_run_that_loses_all_its_matter_has_failed() {
    let folder = Folder::with_tank("");
    let soft = "--set liquid.pressure.stiffness=100";
    let one = "--set liquid.pressure.method=iisph --set liquid.pressure.max_iterations=1 \
               --set liquid.pressure.min_iterations=1";
    for (out, set) in [("soft", soft), ("one", one)] {
        let call = folder.say(&format!(
            "run tank.toml -q --out {out} --end 1 --set liquid.walls.pressure=mirror {set}"
        ));
        let words = ["no matter is left: 300 of 300 particles", "behind \"tank\"", "since t = 0."];
        call.fails(1, &words);
        assert_eq!(folder.run(out).summary().status, Status::Failed);
    }
}

/// Matter that goes through walls is a warning before all of it is lost: in the last words, the summary
/// and the report, the same after a resume.
#[test]
fn losses_are_told() {
    let folder = Folder::with_tank("");
    let set = "--set liquid.pressure.stiffness=100 --set liquid.walls.pressure=mirror";
    let straight = folder.run_tank("straight", &format!("--end 0.2 {set}")).summary().warnings;
    folder.run_tank("out", &format!("--end 0.1 {set}"));
    let call = folder.say("run --resume out -q --end 0.2").succeeds();
    let run = folder.run("out");
    let summary = run.summary();
    assert_eq!(summary.status, Status::Finished);
    assert_eq!(summary.warnings, straight);
    let lost = |w: &&String| w.contains(" of 300 particles are inside or behind \"tank\"");
    let said = summary.warnings.iter().find(lost).unwrap_or_else(|| panic!("{straight:?}"));
    assert!(call.err.contains(&format!("warning: {said}")), "{}", call.err);
    let report = fs::read_to_string(run.0.report()).unwrap();
    assert!(report.contains("of 300 particles are inside or behind"));
}

/// What other walls hold is told too: liquid that is far too dense.
#[test]
fn walls_hold_liquid_that_is_too_soft() {
    let folder = Folder::with_tank("");
    let summary = folder.run_tank("out", "--end 0.5 --set liquid.pressure.stiffness=100").summary();
    assert_eq!(summary.particles, 300);
    let [said] = &summary.warnings[..] else { panic!("not one warning: {:?}", summary.warnings) };
    assert!(said.contains("the liquid was compressed by up to"), "{said}");
}

#[test]
fn steps_that_miss_the_tolerance_are_counted() {
    let folder = Folder::with_tank("");
    let set = "--set liquid.pressure.method=iisph --set time.step=0.01 --set liquid.pressure.max_iterations=3";
    let call = folder.say(&format!("run tank.toml -q --out out --end 0.2 {set}")).succeeds();
    let words = "the pressure solver did not converge to a mean density error of 0.1 % in 20 of 20";
    assert!(call.err.contains(words), "{}", call.err);
    let run = folder.run("out");
    assert!(run.summary().warnings.iter().any(|w| w.contains(words)));
    assert!(fs::read_to_string(run.0.report()).unwrap().contains(words));
}

/// Grains that are too soft fall through the floor and leave the domain.
#[test]
fn grains_that_fall_through_the_floor() {
    let folder = Folder::new();
    let call = folder.say(
        "run sand-pile -q --out out --end 1 --set grains.contact.stiffness=1e3 --set output.movie=false \
         --set output.pictures=false --set output.frames=false",
    );
    call.fails(
        1,
        &["no matter is left", "of 480 particles", "behind \"floor\"", "left the domain"],
    );
    assert_eq!(folder.run("out").summary().status, Status::Failed);
}

#[test]
fn a_used_directory_is_left_alone() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--end 0.01");
    let before = fs::read(run.0.summary()).unwrap();
    let call = folder.say("run tank.toml --out out");
    call.fails(1, &["out already contains a run", "--out DIR", "--resume out"]);
    assert!(fs::read(run.0.summary()).unwrap() == before);

    fs::create_dir(folder.path("mine")).unwrap();
    folder.write("mine/diary.txt", "dear diary");
    folder.say("run tank.toml --out mine").fails(1, &["mine is not empty", "diary.txt"]);
    assert_eq!(fs::read_dir(folder.path("mine")).unwrap().count(), 1);
}

/// Two of them wrote into each other's files.
#[test]
fn two_programs_cannot_run_in_one_directory() {
    let folder = Folder::with_tank("");
    let set = "output.checkpoint_every=0.005";
    let arguments = ["run", "tank.toml", "-q", "--out", "out", "--end", "60", "--set", set];
    let mut child = folder.command(&arguments).spawn().unwrap();
    while !folder.path("out/pictures/picture-000004.png").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    folder.say("run --resume out").fails(1, &["out is in use", "--out DIR"]);
    folder.say("run --resume out/checkpoint/../../out").fails(1, &["out is in use"]);
    folder.say("run tank.toml --out out").fails(1, &["out already contains a run"]);
    folder.say("render out --field density").fails(1, &["out is in use"]);
    // To read is allowed.
    folder.say("render out -q --field density --out density").succeeds();
    // A killed program locks nothing.
    child.kill().unwrap();
    child.wait().unwrap();
    let run = folder.run("out");
    let end = 0.01 * (run.0.saved_frames().unwrap().len() + 1) as f64;
    folder.say(&format!("run --resume out -q --end {end}")).succeeds();
    run.assert_same(&folder.run_tank("straight", &format!("--end {end}")));
}

#[test]
fn a_directory_that_cannot_be_written() {
    let folder = Folder::with_tank("");
    folder.write("file", "in the way");
    folder.say("run tank.toml --out file").fails(1, &["file is a file", "--out DIR"]);
    folder.say("run tank.toml --out file/below").fails(1, &["file/below", "--out DIR"]);
    folder.say("run tank.toml --out tank.toml/x").fails(1, &["cannot write into"]);
    // Not even root can write there.
    #[cfg(target_os = "linux")]
    folder.say("run tank.toml --out /proc/lawine").fails(1, &["cannot write into /proc/lawine"]);
    assert_eq!(fs::read_to_string(folder.path("file")).unwrap(), "in the way");
}

/// A disk that fills up, as far as a user without privileges can have one: no file may grow beyond
/// a limit. The series is the first to reach it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    use crate::common::call;
    let folder = Folder::with_tank("");
    let program = env!("CARGO_BIN_EXE_lawine");
    let limited = format!(
        "trap '' XFSZ; ulimit -f 64; exec {program} run tank.toml --out out -q --end 0.1 --set output.movie=false"
    );
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(folder.path("")).args(["-c", &limited]);
    let failed =
        call(&mut shell).fails(1, &["out/series.csv", "too large", "--resume out", "t = "]);
    assert!(!failed.err.contains("--set"), "{}", failed.err);
    let run = folder.run("out");
    assert_eq!(run.summary().status, Status::Failed);
    assert!(!run.checkpoints().is_empty());
    // Nothing is lost: with room it goes on as if nothing had happened.
    folder.say("run --resume out -q").succeeds();
    run.assert_same(&folder.run_tank("straight", "--end 0.1 --set output.movie=false"));
}

/// The run said that it had finished, and that a file was too large, but not which.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_for_movie_or_report_fails_the_run() {
    use crate::common::call;
    let program = env!("CARGO_BIN_EXE_lawine");
    for (end, file) in [("0.05", "out/report.html"), ("0.3", "out/movie.mp4")] {
        let folder = Folder::with_tank("");
        let limited = format!(
            "trap '' XFSZ; ulimit -f 80; exec {program} run tank.toml --out out -q --end {end} \
             --set output.series_every=100 --set view.size=[320,192] --set surface.draw=false"
        );
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(folder.path("")).args(["-c", &limited]);
        call(&mut shell).fails(1, &[file, "too large", "--resume out"]);
        let run = folder.run("out");
        let summary = run.summary();
        assert_eq!(summary.status, Status::Failed, "{file}");
        assert!(summary.message.unwrap().contains(file), "{file}");
        // With room again there is little left to do.
        folder.say("run --resume out -q").succeeds();
        assert_eq!(run.summary().status, Status::Finished);
        assert!(run.0.movie().is_file() && run.0.report().is_file());
    }
}

#[test]
fn a_folder_that_vanishes_is_an_error_that_names_the_file() {
    use std::process::Stdio;
    let folder = Folder::with_tank("");
    let child = folder
        .command(&["run", "tank.toml", "--quiet", "--out", "out", "--end", "60"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.path("out/pictures/picture-000001.png").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    fs::rename(folder.path("out/frames"), folder.path("away")).unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("out/frames/liquid-0") && err.contains("No such file"), "{err}");
    assert_eq!(folder.run("out").summary().status, Status::Failed);
}

/// Output into a full disk, or into a pipe that nobody reads, is no reason to panic.
#[cfg(target_os = "linux")]
#[test]
fn words_that_cannot_be_written() {
    use crate::common::assert_calm;
    let folder = Folder::with_tank("");
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for words in ["scenes", "scene dam-break", "check tank.toml", "selftest"] {
        let arguments: Vec<&str> = words.split(' ').collect();
        let output = folder.command(&arguments).stdout(full()).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_calm(&err);
        assert_eq!(output.status.code(), Some(1), "{words}: {err}");
        assert!(err.contains("No space left"), "{words}: {err}");
    }
    // The run itself is worth more than the words about it.
    let status = folder
        .command(&["run", "tank.toml", "--out", "out", "--end", "0.01"])
        .stderr(full())
        .stdout(full())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(folder.run("out").summary().status, Status::Finished);
}

#[cfg(unix)]
#[test]
fn a_reader_that_went_away() {
    use std::process::Stdio;
    let folder = Folder::with_tank("");
    for (words, code) in [("scene dam-break", 0), ("run tank.toml --end 0.02 --out out", 0)] {
        let arguments: Vec<&str> = words.split(' ').collect();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let again = writer.try_clone().unwrap();
        let mut child =
            folder.command(&arguments).stdout(writer).stderr(Stdio::from(again)).spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{words}");
    }
    assert_eq!(folder.run("out").summary().status, Status::Finished);
}

/// A program that was killed leaves half-written files; going on takes them away.
#[test]
fn leftovers_of_a_killed_program_are_cleaned_up() {
    let folder = Folder::with_tank("");
    folder.run_tank("out", "--end 0.02");
    for name in [
        "out/frames/.liquid-000003.vtp.77-5.lawine-tmp",
        "out/pictures/.picture-000003.png.77-5.lawine-tmp",
        "out/.movie.mp4.77-6.lawine-tmp",
        "out/.summary.json.77-6.lawine-tmp",
    ] {
        folder.write(name, "half");
    }
    // And a row without its end.
    let series = folder.path("out/series.csv");
    let rows = fs::read_to_string(&series).unwrap();
    fs::write(&series, format!("{rows}0.02000")).unwrap();
    folder.say("run --resume out --end 0.03 -q").succeeds();
    folder.run("out").assert_same(&folder.run_tank("straight", "--end 0.03"));
    for place in ["out", "out/frames", "out/pictures"] {
        for entry in fs::read_dir(folder.path(place)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.starts_with('.'), "{place}/{name}");
        }
    }
}

/// A press that leaves the liquid no room.
#[test]
fn a_liquid_without_room_stops_the_run() {
    let folder = Folder::new();
    let piston = "[[body]]\nname = \"press\"\nshape.box = { min = [-0.1, 0.42], max = [0.9, 0.5] }\n\
                  [[body.motion]]\nvelocity = { velocity = [0.0, -30.0] }\n";
    folder.write("press.toml", &format!("{TANK}\n{piston}"));
    let call = folder.say("run press.toml -q --out out --end 0.03");
    call.fails(1, &["no matter is left: 300 of 300 particles", "the last checkpoint is"]);
    assert_eq!(folder.run("out").summary().status, Status::Failed);
}
