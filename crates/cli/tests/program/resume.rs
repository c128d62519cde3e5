//! Going on with a run gives the same bits as never stopping.

use crate::common::{Folder, Run, TANK};
use lawine_record::output::Status;
use std::fs;

/// Runs to `first`, goes on to `end`, and compares with a run in one go.
#[track_caller]
fn assert_resumes(folder: &Folder, first: &str, end: &str) {
    folder.run_tank("parts", &format!("--end {first}"));
    folder.say(&format!("run --resume parts --quiet --end {end}")).succeeds();
    let straight = folder.run_tank("straight", &format!("--end {end}"));
    folder.run("parts").assert_same(&straight);
}

#[test]
fn at_a_frame() {
    assert_resumes(&Folder::with_tank(""), "0.03", "0.05");
}

#[test]
fn between_frames() {
    assert_resumes(&Folder::with_tank(""), "0.0234", "0.047");
}

#[test]
fn before_the_first_frame() {
    assert_resumes(&Folder::with_tank(""), "0.004", "0.02");
}

/// 3 × 0.1 is a little more than 0.3, and a sliver of a step was left in between.
#[test]
fn where_times_round_badly() {
    let folder = Folder::new();
    folder.write("tank.toml", &TANK.replace("every = 0.01", "every = 0.1"));
    assert_resumes(&folder, "0.3", "0.4");
}

#[test]
fn with_moving_bodies_and_other_outputs() {
    let more = r#"
        [[body]]
        name = "paddle"
        shape.box = { min = [0.5, 0.1], max = [0.6, 0.3] }
        [[body.motion]]
        vibration = { amplitude = 0.02, frequency = 20, direction = [1.0, 1.0], phase = 0.3 }
        [[body.motion]]
        rotation = { point = [0.55, 0.2], rate = 3.0, start = 0.01, stop = 0.04 }
        [[body]]
        name = "lift"
        shape.sphere = { center = [0.7, 0.2], radius = 0.05 }
        [[body.motion]]
        velocity = { velocity = [0.0, 0.5], start = 0.005 }
    "#;
    let folder = Folder::with_tank(more);
    folder.write(
        "tank.toml",
        &fs::read_to_string(folder.path("tank.toml"))
            .unwrap()
            .replace("every = 0.01", "every = 0.01\nseries_every = 7"),
    );
    assert_resumes(&folder, "0.027", "0.05");
}

/// Polyhedra drift through a periodic box; their surfaces, momenta and pictures are files, too.
#[test]
fn grains_with_either_integrator() {
    for integrator in ["symplectic", "gear"] {
        let folder = Folder::new();
        let scene = format!(
            r#"
            title = "Grains"
            start = 0.5
            end = 0.6
            [space]
            dimension = 3
            gravity = [0.0, 0.0, 0.0]
            domain = {{ min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1] }}
            periodic = ["x", "y", "z"]
            [time]
            step = 1e-3
            [grains]
            integrator = "{integrator}"
            [[grain]]
            name = "one"
            shape.prism = {{ sides = 5, radius = 0.01, height = 0.01 }}
            position = [0.09, 0.05, 0.05]
            velocity = [1.0, 0.0, 0.0]
            [[block]]
            shape.ellipsoid = {{ half_axes = [5e-3, 4e-3, 3e-3], vertices = 9, axis_variation = 0.2 }}
            origin = [0.0, 0.0, 0.0]
            size = [0.1, 0.1, 0.04]
            spacing = 0.02
            speed = 0.3
            spin = 20.0
            [[probe]]
            name = "x"
            grain = {{ name = "one", field = "position.x" }}
            [output]
            every_steps = 10
            movie = false
            [view]
            size = [96, 64]
            lines = "mixed"
            axes = {{}}
            "#
        );
        folder.write("tank.toml", &scene);
        assert_resumes(&folder, "0.523", "0.55");
        let run = folder.run("straight");
        for frame in 0..=5 {
            assert!(run.0.shapes(frame).exists() && run.0.picture(frame).exists());
        }
        let series = fs::read_to_string(run.0.series()).unwrap();
        assert!(
            series.lines().next().unwrap().ends_with("angular_momentum.z,step limit"),
            "{series}"
        );
        folder.say("render straight --field kinetic_energy --out again").succeeds();
    }
}

#[test]
fn in_three_dimensions_with_threads() {
    let folder = Folder::new();
    folder.write("tank.toml", crate::scenes::TANK_3D);
    folder.run_tank("parts", "--end 0.006 --threads 1");
    folder.say("run --resume parts --quiet --end 0.011 --threads 2").succeeds();
    folder.run("parts").assert_same(&folder.run_tank("straight", "--end 0.011 --threads 3"));
}

#[test]
fn a_finished_run_stays_as_it_is() {
    let folder = Folder::with_tank("");
    let before = folder.run_tank("out", "");
    let (summary, series) = (before.summary(), fs::read(before.0.series()).unwrap());
    folder.say("run --resume out --quiet").succeeds();
    let after = folder.run("out");
    assert_eq!(after.summary().state_hash, summary.state_hash);
    assert_eq!(after.summary().steps, summary.steps);
    assert!(fs::read(after.0.series()).unwrap() == series);
    assert_eq!(after.0.saved_pictures().unwrap().len(), 6);
}

#[test]
fn from_a_file_into_another_directory() {
    let folder = Folder::with_tank("");
    let first = folder.run_tank("first", "--end 0.03");
    let newest = first.checkpoints()[0].clone();
    let straight = folder.run_tank("straight", "");

    let file = newest.to_str().unwrap();
    folder.say(&format!("run --resume {file} --end 0.05 -q --out second")).succeeds();
    let second = folder.run("second");
    assert_eq!(second.summary().state_hash, straight.summary().state_hash);
    assert_eq!(second.summary().steps, straight.summary().steps);
    assert_eq!(second.0.saved_frames().unwrap(), [4, 5]);
    assert!(second.0.movie().is_file() && second.0.report().is_file());
    assert!(second.series().column("time").unwrap().iter().all(|&t| t > 0.03));
    // What was there is untouched, and can go on by itself.
    assert_eq!(first.0.saved_frames().unwrap(), [0, 1, 2, 3]);
    assert!((first.summary().simulated_time - 0.03).abs() < 1e-12);
    folder.say(&format!("run --resume {file} --end 0.05 -q")).succeeds();
    folder.run("first").assert_same(&straight);
    // The new one can go on as well.
    folder.say("run --resume second --end 0.06 -q").succeeds();
    assert_eq!(folder.run("second").0.saved_frames().unwrap(), [4, 5, 6]);
}

#[test]
fn into_the_same_directory_by_another_name() {
    let folder = Folder::with_tank("");
    folder.run_tank("out", "--end 0.02");
    folder.say("run --resume out --out ./out --end 0.03 -q").succeeds();
    let absolute = folder.path("out");
    let absolute = absolute.to_str().unwrap();
    folder.say(&format!("run --resume out --out {absolute} --end 0.04 -q")).succeeds();
    folder.run("out").assert_same(&folder.run_tank("straight", "--end 0.04"));
}

#[test]
fn into_a_used_directory_is_refused() {
    let folder = Folder::with_tank("");
    folder.run_tank("a", "--end 0.01");
    folder.run_tank("b", "--end 0.01");
    folder
        .say("run --resume a --out b --end 0.02")
        .fails(1, &["b already contains a run", "--out DIR"]);
}

#[test]
fn with_the_scene_named_again() {
    let folder = Folder::with_tank("");
    folder.run_tank("out", "--end 0.02");
    let call = folder.say("run tank.toml --resume out --end 0.03").succeeds();
    assert!(call.err.contains("tank.toml is not read again"), "{}", call.err);
    folder
        .say("run dam-break --resume out --end 0.04")
        .fails(1, &["is a run of the scene \"tank\"", "not of \"dam-break\""]);
    folder.say("run dam-brake --resume out").fails(1, &["dam-brake", "did you mean dam-break?"]);
}

#[test]
fn an_end_in_the_past_is_refused() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--end 0.03");
    let before = fs::read(run.0.series()).unwrap();
    folder.say("run --resume out --end 0.01").fails(1, &["0.01", "0.03"]);
    assert!(fs::read(run.0.series()).unwrap() == before);
}

/// A checkpoint holds particles of one size, and its frames are numbered in one rhythm.
#[test]
fn what_the_checkpoint_rests_on_cannot_change() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--end 0.03");
    let before = fs::read(run.0.series()).unwrap();
    for set in [
        "liquid.spacing=0.01",
        "liquid.rest_density=900",
        "output.every=0.001",
        "fill.0.velocity=[1,0]",
    ] {
        let key = set.split(['=', '.']).next().unwrap();
        folder
            .say(&format!("run --resume out --end 0.05 --set {set}"))
            .fails(1, &["cannot change", key]);
    }
    assert!(fs::read(run.0.series()).unwrap() == before);
    assert_eq!(run.0.saved_frames().unwrap().len(), 4);
    folder.say("run --resume out --end 0.05 -q --set time.cfl=0.2").succeeds();
}

/// The scene was overwritten before the columns were compared: after that nothing fitted any more.
#[test]
fn other_columns_are_refused_and_nothing_is_lost() {
    let folder = Folder::with_tank("");
    folder.run_tank("out", "--end 0.03");
    let probe = "probe=[{name='top',max={field='position.y'}}]";
    folder
        .say(&format!("run --resume out --end 0.05 -q --set {probe}"))
        .fails(1, &["out/series.csv", "top", "front"]);
    folder.say("run --resume out --end 0.05 -q").succeeds();
    folder.run("out").assert_same(&folder.run_tank("straight", ""));
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = Folder::with_tank("");
    fs::create_dir(folder.path("empty")).unwrap();
    folder.say("run --resume empty").fails(1, &["empty is not the directory of a run"]);
    folder.say("run --resume nowhere").fails(1, &["nowhere", "No such file"]);
    folder
        .say("run --resume nowhere/checkpoint/step-000000000001.lawine")
        .fails(1, &["step-000000000001.lawine", "No such file"]);
    folder.say("run --resume tank.toml").fails(1, &["tank.toml"]);
    let run = folder.run_tank("out", "--end 0.01");
    for path in run.checkpoints() {
        fs::remove_file(path).unwrap();
    }
    folder.say("run --resume out").fails(1, &["there is no checkpoint in", "out"]);
    folder.say("run").fails(2, &["SCENE", "Usage"]);
}

#[test]
fn a_damaged_checkpoint_is_refused_and_the_one_before_offered() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--end 0.02");
    folder.say("run --resume out --end 0.04 -q").succeeds();
    let checkpoints = run.checkpoints();
    assert_eq!(checkpoints.len(), 2, "{checkpoints:?}");
    let whole = fs::read(&checkpoints[0]).unwrap();
    let older = checkpoints[1].file_name().unwrap().to_str().unwrap();

    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x10;
    let damages: [(&[u8], &str); 4] = [
        (&flipped, "damaged: checksum"),
        (&whole[..whole.len() / 2], "truncated"),
        (b"", "truncated"),
        (b"something else, and long enough to be looked at", "not a Lawine checkpoint"),
    ];
    for (bytes, word) in damages {
        fs::write(&checkpoints[0], bytes).unwrap();
        let call = folder.say("run --resume out --end 0.05");
        call.fails(1, &[word, "the checkpoint before it is intact", "--resume", older]);
    }
    assert_eq!(run.0.saved_frames().unwrap().len(), 5, "something was lost");
    let call = folder.say(&format!("run --resume out/checkpoint/{older} --end 0.05 -q"));
    call.succeeds();
    run.assert_same(&folder.run_tank("straight", "--end 0.05"));

    for path in run.checkpoints() {
        fs::write(path, b"").unwrap();
    }
    folder.say("run --resume out --end 0.06").fails(1, &["no older intact checkpoint"]);
}

/// Pictures that a run does not keep were missing in the movie after a break.
#[test]
fn the_movie_is_complete_without_kept_pictures() {
    let folder = Folder::with_tank("");
    folder.run_tank("parts", "--end 0.03 --set output.pictures=false");
    folder.say("run --resume parts --end 0.05 -q").succeeds();
    let straight = folder.run_tank("straight", "--end 0.05 --set output.pictures=false");
    let parts = folder.run("parts");
    parts.assert_same(&straight);
    // The first pictures are drawn again from rounded positions: the sizes are close, not equal.
    let size = |run: &Run| fs::metadata(run.0.movie()).unwrap().len() as f64;
    let ratio = size(&parts) / size(&straight);
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
}

#[cfg(unix)]
#[test]
fn after_ctrl_c() {
    use crate::common::assert_calm;
    use std::io::Read;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let folder = Folder::with_tank("");
    let mut child = folder
        .command(&["run", "tank.toml", "--quiet", "--out", "parts", "--end", "60"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let picture = folder.path("parts/pictures/picture-000002.png");
    let start = Instant::now();
    while !picture.exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(status.code(), Some(130), "{err}");
    assert_calm(&err);
    assert!(err.contains("lawine run --resume parts"), "{err}");

    let parts = folder.run("parts");
    let summary = parts.summary();
    assert_eq!(summary.status, Status::Interrupted);
    assert!(!parts.checkpoints().is_empty());
    assert!(parts.0.movie().is_file() && parts.0.report().is_file());
    assert!(summary.simulated_time < 59.0);
    let end = 0.01 * ((summary.simulated_time / 0.01).floor() + 2.5);
    folder.say(&format!("run --resume parts --quiet --end {end}")).succeeds();
    folder.run("parts").assert_same(&folder.run_tank("straight", &format!("--end {end}")));
}

/// Not even time to write a summary: the last regular checkpoint counts.
#[test]
fn after_being_killed() {
    let folder = Folder::with_tank("");
    let set = "output.checkpoint_every=0.005";
    let arguments = ["run", "tank.toml", "--quiet", "--out", "parts", "--end", "60", "--set", set];
    let mut child = folder.command(&arguments).spawn().unwrap();
    while !folder.path("parts/pictures/picture-000004.png").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let parts = folder.run("parts");
    assert!(!parts.0.summary().exists());
    assert!(!parts.checkpoints().is_empty());
    let end = 0.01 * (parts.0.saved_frames().unwrap().len() + 1) as f64;
    folder.say(&format!("run --resume parts --quiet --end {end}")).succeeds();
    folder.run("parts").assert_same(&folder.run_tank("straight", &format!("--end {end}")));
}
