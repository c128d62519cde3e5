//! What a run leaves in its directory.

use crate::common::{Folder, TANK};
use lawine_record::output::{Collection, vtk};
use lawine_scene::file::{Source, load};
use lawine_solvers::sph::settings::Liquid;
use std::fs;

#[test]
fn a_run_leaves_every_file_well_formed() {
    let folder = Folder::with_tank("");
    let call = folder.say("run tank.toml --out out --gif").succeeds();
    assert!(call.out.contains("report.html") && call.out.contains("300 particles"), "{}", call.out);
    assert!(call.err.contains("density error"), "no progress:\n{}", call.err);
    let run = folder.run("out");

    let text = fs::read_to_string(run.0.summary()).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in [
        "scene",
        "method",
        "device",
        "particles",
        "steps",
        "simulated_time",
        "wall_time",
        "cpu_time",
        "threads",
        "ns_per_particle_step",
        "mean_iterations",
        "mean_density_error",
        "max_density_error",
        "state_hash",
        "phases",
    ] {
        assert!(!summary[key].is_null(), "no {key} in {text}");
    }
    assert_eq!(summary["scene"], "tank");
    assert_eq!(summary["status"], "finished");
    assert_eq!(summary["particles"], 300);
    assert!(summary["phases"].as_object().unwrap().len() >= 4, "{text}");
    assert!(summary["phases"].as_object().unwrap().values().all(|s| s.as_f64() > Some(0.0)));

    let series = run.series();
    for column in [
        "time",
        "dt",
        "kinetic_energy",
        "potential_energy",
        "mean_density_error",
        "max_density_error",
        "iterations",
        "max_speed",
        "particles",
        "front",
        "tank.force.x",
        "tank.force.y",
        "tank.torque.z",
    ] {
        let values = series.column(column).unwrap_or_else(|| panic!("no column {column}"));
        assert!(values.iter().all(|x| x.is_finite()), "{column}");
    }
    let times = series.column("time").unwrap();
    assert!(times.is_sorted_by(|a, b| a < b));
    assert_eq!(times.len() as u64, run.summary().steps + 1);
    assert_eq!((times[0], times[times.len() - 1]), (0.0, 0.05));

    let collection = Collection::read(&run.0.collection()).unwrap();
    assert_eq!(collection.entries.len(), 2 * 6);
    for entry in &collection.entries {
        assert!(run.0.root().join(&entry.file).is_file(), "{}", entry.file);
    }
    assert_eq!(run.0.saved_frames().unwrap(), [0, 1, 2, 3, 4, 5]);
    for frame in run.0.saved_frames().unwrap() {
        let saved = vtk::read_particles(&run.0.particles("liquid", frame)).unwrap();
        assert_eq!(saved.len(), 300);
        assert!((saved.time - 0.01 * frame as f64).abs() < 1e-15);
        for field in ["position", "velocity", "density", "pressure", "id"] {
            assert!(saved.field(field).is_some(), "no {field}");
        }
    }

    assert_eq!(run.0.saved_pictures().unwrap(), [0, 1, 2, 3, 4, 5]);
    for picture in run.0.saved_pictures().unwrap() {
        let bytes = fs::read(run.0.picture(picture)).unwrap();
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        // Width and height stand at a fixed place of the first chunk.
        assert_eq!(&bytes[16..24], [0, 0, 0, 160, 0, 0, 0, 96]);
    }
    let movie = fs::read(run.0.movie()).unwrap();
    assert_eq!(&movie[4..8], b"ftyp");
    assert!(movie.windows(4).any(|w| w == b"moov") && movie.windows(4).any(|w| w == b"avcC"));
    assert_eq!(&fs::read(run.0.movie_gif()).unwrap()[..6], b"GIF89a");
    assert!(!run.checkpoints().is_empty());
}

#[test]
fn the_report_is_one_file_that_says_everything() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "");
    let html = fs::read_to_string(run.0.report()).unwrap();
    for attribute in ["src=", "href=", "url("] {
        for place in html.split(attribute).skip(1) {
            let value = place.trim_start_matches(['"', '\'']);
            let inside = value.starts_with("data:") || value.starts_with('#');
            assert!(inside, "{attribute}{}", value.chars().take(60).collect::<String>());
        }
    }
    for words in [
        "<svg",
        "<video",
        "data:image/png;base64",
        "lawine run tank.toml",
        "spacing",
        "m²/s",
        &run.summary().state_hash,
        "Small tank",
        "neighbors",
    ] {
        assert!(html.contains(words), "no {words} in the report");
    }
}

#[test]
fn the_scene_that_is_left_gives_the_same_scene_and_run() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--set time.cfl=0.3");
    let check = folder.say("check out/scene.toml").succeeds();
    assert!(check.out.contains("fine") && check.out.contains("300"), "{}", check.out);
    let again = load(&Source::File(run.0.scene()), &[]).unwrap();
    assert_eq!(again.scene.to_toml(), fs::read_to_string(run.0.scene()).unwrap());
    assert!(
        again.scene.table::<Liquid>().unwrap().pressure.stiffness.is_some(),
        "the stiffness is not resolved"
    );
    assert!((again.scene.time.cfl - 0.3).abs() < 1e-15);
    folder.say("run out/scene.toml --quiet --out again").succeeds();
    run.assert_same(&folder.run("again"));
}

#[test]
fn threads_and_repetition_change_nothing() {
    let folder = Folder::with_tank("");
    let one = folder.run_tank("one", "--threads 1");
    let two = folder.run_tank("two", "--threads 2");
    let three = folder.run_tank("three", "--threads 3");
    assert_eq!(one.summary().threads, 1);
    assert_eq!(two.summary().threads, 2);
    one.assert_same(&two);
    one.assert_same(&three);
    one.assert_same(&folder.run_tank("again", "--threads 1"));
}

#[test]
fn the_default_directory_is_the_next_free_one() {
    let folder = Folder::with_tank("");
    let words = "run tank.toml -q --end 0.001 --set output.movie=false";
    for _ in 0..2 {
        folder.say(words).succeeds();
    }
    assert!(folder.path("runs/tank/report.html").is_file());
    assert!(folder.path("runs/tank-2/report.html").is_file());
}

#[test]
fn outputs_can_be_switched_off() {
    let folder = Folder::with_tank("");
    let set = "--set output.frames=false --set output.pictures=false --set output.movie=false";
    let run = folder.run_tank("out", set);
    assert!(run.0.saved_frames().unwrap().is_empty());
    assert!(run.0.saved_pictures().unwrap().is_empty());
    assert!(!run.0.movie().exists() && run.0.report().is_file());
    folder
        .say("render out --colors turbo")
        .fails(1, &["out has no frames", "output.frames = false"]);

    let run = folder.run_tank("movie", "--set output.pictures=false");
    assert!(run.0.saved_pictures().unwrap().is_empty() && run.0.movie().is_file());
}

#[test]
fn quiet_is_silent_and_rows_can_be_rare() {
    let folder = Folder::with_tank("");
    let call =
        folder.say("run tank.toml --out out --quiet --set output.series_every=10").succeeds();
    assert_eq!((call.out.as_str(), call.err.as_str()), ("", ""));
    let run = folder.run("out");
    let (rows, steps) = (run.series().rows() as u64, run.summary().steps);
    assert!(rows > steps / 10 && rows <= steps / 10 + 7, "{rows} rows for {steps} steps");
}

/// A machine that does other things made steps look expensive.
#[cfg(unix)]
#[test]
fn the_cost_of_a_step_is_processor_time() {
    let folder = Folder::with_tank("");
    let mut child = folder
        .command(&["run", "tank.toml", "-q", "--out", "out", "--end", "0.2", "--threads", "1"])
        .spawn()
        .unwrap();
    while !folder.path("out/pictures/picture-000002.png").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    for (signal, milliseconds) in [("-STOP", 3000), ("-CONT", 0)] {
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
    }
    assert!(child.wait().unwrap().success());
    let summary = folder.run("out").summary();
    let steps = 1e-9 * summary.ns_per_particle_step * 300.0 * summary.steps as f64;
    assert!(summary.wall_time > 3.0, "{} s", summary.wall_time);
    assert!(steps > 0.0 && steps <= summary.cpu_time, "{steps} of {} s", summary.cpu_time);
    assert!(summary.cpu_time < summary.wall_time - 2.0, "{} s", summary.cpu_time);
}

/// 3 × 0.1 is a little more than 0.3: the last frame was lost.
#[test]
fn the_last_frame_is_there_in_spite_of_rounding() {
    let folder = Folder::new();
    folder.write("tank.toml", &TANK.replace("every = 0.01", "every = 0.001"));
    let run = folder.run_tank("out", "--end 0.003 --set output.movie=false");
    assert_eq!(run.0.saved_frames().unwrap(), [0, 1, 2, 3]);
    let run =
        folder.run_tank("tenths", "--set output.every=0.1 --end 0.3 --set output.movie=false");
    assert_eq!(run.0.saved_frames().unwrap(), [0, 1, 2, 3]);
    assert_eq!(run.summary().simulated_time.to_bits(), 0.3_f64.to_bits());
    assert_eq!(run.0.saved_pictures().unwrap(), [0, 1, 2, 3]);
}

/// A block of liquid in space, two frames.
const BLOCK: &str = r#"
title = "Block"
end = 0.02

[space]
dimension = 3
gravity = [0.0, -9.81, 0.0]

[liquid]
spacing = 0.02

[[fill]]
shape.box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.12, 0.1] }

[[body]]
name = "tank"
shape.container = { min = [0.0, 0.0, 0.0], max = [0.3, 0.2, 0.1] }

[output]
every = 0.01
movie = false

[view]
field = "speed"
size = [96, 64]
"#;

#[test]
fn surfaces_are_drawn_and_saved_by_run_and_render() {
    let folder = Folder::new();
    folder.write("block.toml", BLOCK);
    folder.say("run block.toml -q --out plain").succeeds();
    folder.say("run block.toml -q --out run --surface ply").succeeds();
    let picture = |name: &str| std::fs::read(folder.run(name).0.picture(2)).unwrap();
    assert_ne!(picture("plain"), picture("run"), "the surface looks like the particles");
    for frame in 0..3 {
        let path = folder.run("run").0.surface(frame, "ply");
        let mesh = lawine_scene::mesh::load_mesh(&path).unwrap();
        mesh.check_closed().unwrap();
        assert!((mesh.volume() / 0.0012 - 1.0).abs() < 0.15, "{}", mesh.volume());
    }
    folder.say("render plain -q --out again --surface obj").succeeds();
    lawine_scene::mesh::load_mesh(&folder.path("again/frames/surface-000001.obj")).unwrap();
    folder.say("run block.toml -q --out vtk --surface vtk").succeeds();
    let collection = std::fs::read_to_string(folder.path("vtk/frames.pvd")).unwrap();
    assert!(collection.contains("surface-000002.vtp"), "{collection}");
    let call = folder.say("run block.toml -q --out no --surface stl");
    call.fails(1, &["surface.save", "stl", "\"ply\", \"obj\", \"vtk\""]);
    folder.write("tank.toml", crate::common::TANK);
    let call = folder.say("run tank.toml -q --out no --surface ply");
    call.fails(1, &["surface.save", "only in 3D"]);
    assert!(!folder.path("no").exists());
    folder.say("run tank.toml -q --out area --surface").succeeds();
    folder.say("run tank.toml -q --out discs --set surface.draw=false").succeeds();
    assert_ne!(picture("area"), picture("discs"), "the area looks like the discs");
}
