//! The commands beside `run`.

use crate::common::{Folder, TANK};
use crate::scenes::TANK_3D;
use lawine_record::output::RunDirectory;
use lawine_render::Image;
use lawine_scene::builtin;
use std::fs;
use std::path::Path;

#[test]
fn every_command_helps_with_an_example() {
    let folder = Folder::new();
    for command in [
        "", "run", "scenes", "scene", "check", "selftest", "render", "study", "studies", "view",
        "bench",
    ] {
        for flag in ["--help", "-h"] {
            let call = folder.say(&format!("{command} {flag}")).succeeds();
            assert!(call.out.contains("Example"), "{command}: {}", call.out);
            let example = format!("lawine {command}");
            assert!(call.out.matches(&example).count() > 1, "{command}: {}", call.out);
        }
    }
    let version = folder.say("--version").succeeds();
    assert!(version.out.starts_with("lawine "), "{}", version.out);
}

#[test]
fn without_the_viewer_the_command_that_builds_it_is_told() {
    // A link: a copy may still be open for writing in a process that another test has just forked.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let alone = folder.path().join("lawine");
    fs::hard_link(env!("CARGO_BIN_EXE_lawine"), &alone).unwrap();
    let told = std::process::Command::new(&alone).args(["view", "drop"]).output().unwrap();
    let text = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{text}");
    assert!(text.contains("cargo run --release -p lawine-viewer -- drop"), "{text}");
}

#[test]
fn scenes_are_listed_printed_and_checked() {
    let folder = Folder::new();
    let list = folder.say("scenes").succeeds().out;
    // Under the title of each group, a line a scene.
    let lines: Vec<&str> = list.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert_eq!(lines.len(), builtin::names().count());
    for (name, line) in builtin::names().zip(lines) {
        assert!(line.starts_with(name) && line.len() > name.len() + 20, "{line}");
        let text = folder.say(&format!("scene {name}")).succeeds().out;
        assert_eq!(text, builtin::get(name).unwrap());
        folder.write("copy.toml", &text);
        let check = folder.say("check copy.toml").succeeds();
        assert!(check.out.contains("copy.toml: fine"), "{}", check.out);
        let direct = folder.say(&format!("check {name}")).succeeds();
        for word in ["particles", "bodies", "time step", "end"] {
            assert!(direct.out.contains(word), "{}", direct.out);
        }
    }
    for name in ["dam-break", "dam-break-3d", "column", "resting"] {
        assert!(builtin::get(name).is_ok());
    }
}

#[test]
fn check_warns_of_a_long_step() {
    let folder = Folder::with_tank("");
    let call = folder.say("check tank.toml --set time.step=6e-4").succeeds();
    assert!(call.out.contains("longer than the adaptive 3."), "{}", call.out);
    for command in ["check tank.toml", "run tank.toml -q --out out"] {
        let call = folder.say(&format!("{command} --set time.step=0.01"));
        call.fails(1, &["time.step = 0.01 is not allowed", "at most 1.", "sound"]);
    }
    assert!(!folder.path("out").exists());
    let call = folder.say("check tank.toml --set time.step=1e-5").succeeds();
    assert!(call.out.contains("1.000e-5 s, fixed\n"), "{}", call.out);
}

/// A pressure system has no stiffness, and no step is longer than up to the first frame.
#[test]
fn check_tells_the_step_that_a_run_begins_with() {
    let folder = Folder::with_tank("");
    let system = "--set liquid.pressure.method=dfsph --set liquid.viscosity=0";
    let call = folder.say(&format!("check tank.toml {system}")).succeeds();
    assert!(!call.out.contains("stiffness"), "{}", call.out);
    assert!(call.out.contains("1.000e-2 s at the start (by time.max_step)"), "{}", call.out);
    let frames = "--set time.max_step=50 --set output.every=0.005";
    let call = folder.say(&format!("check tank.toml {system} {frames}")).succeeds();
    assert!(call.out.contains("5.000e-3 s at the start (by the next frame)"), "{}", call.out);
    folder.say(&format!("run tank.toml -q --end 0.01 {system} {frames} --out out")).succeeds();
    let first = folder.run("out").series().column("dt").unwrap()[1];
    assert!((first - 0.005).abs() < 1e-12, "{first}");
    let call = folder.say("check tank.toml").succeeds();
    assert!(call.out.contains("stiffness") && call.out.contains("(by sound)"), "{}", call.out);
}

/// Places where nothing can be measured are warned of, and emitters are not said to be where they
/// are not.
#[test]
fn probes_and_emitters_far_away_are_told() {
    let folder = Folder::with_tank(
        "[[probe]]\nname = \"far\"\npressure = { at = [100.0, 0.1] }\n\
         [[probe]]\nname = \"beside\"\nheight = { at = [3.0, 0.1] }\n\
         [[probe]]\nname = \"box\"\ncount = { min = [2.0, 0.0], max = [3.0, 1.0] }\n\
         [[probe]]\nname = \"wall\"\npressure = { at = [0.0, 0.1] }\n",
    );
    let call = folder.say("check tank.toml").succeeds();
    for name in ["far", "beside", "box"] {
        let words = format!("the probe \"{name}\" lies outside the body \"tank\"");
        assert!(call.err.contains(&words), "{}", call.err);
    }
    assert!(!call.err.contains("wall\""), "{}", call.err);
    let open =
        TANK.replace("shape.container", "shape.sphere = { center = [0, 0], radius = 0.01 } #");
    let probe = "[[probe]]\nname = \"far\"\npressure = { at = [100.0, 0.1] }\n";
    folder.write("open.toml", &format!("{open}\n{probe}"));
    let call = folder.say("check open.toml --set fill.0.carve=true").succeeds();
    assert!(call.err.contains("\"far\" lies 99."), "{}", call.err);
    let emitter = "[[emitter]]\nspeed = 1.0\n\
        shape.rectangle = { center = [50.0, 0.2], direction = [1.0, 0.0], width = 0.1 }\n";
    folder.write("far.toml", &format!("{TANK}\n{emitter}"));
    let call = folder.say("check far.toml");
    call.fails(1, &["emitter.0", "outside the container \"tank\"", "behind its wall"]);
}

/// Only a liquid has a density that it should keep.
#[test]
fn grains_and_snow_have_no_density_error() {
    let folder = Folder::with_tank("");
    let said = folder.say("run tank.toml --end 0.01 --out liquid").succeeds();
    assert!(said.err.contains("density error"), "{}", said.err);
    assert!(folder.run("liquid").summary().max_density_error.is_some());
    for scene in ["two-polyhedra", "elastic-bar"] {
        let words = format!("run {scene} --end 0.002 --set output.every=0.002 --out {scene}");
        let said = folder.say(&words).succeeds();
        assert!(!said.err.contains("density"), "{}", said.err);
        let run = folder.run(scene);
        assert!(run.summary().max_density_error.is_none());
        let html = fs::read_to_string(run.0.report()).unwrap();
        for words in ["Mean density error", "argest density error"] {
            assert!(!html.contains(words), "{scene}: {words}");
        }
    }
}

#[test]
fn the_selftest_passes() {
    let call = Folder::new().say("selftest").succeeds();
    assert!(call.out.contains("tests passed") && !call.out.contains("FAILED"), "{}", call.out);
    assert!(call.out.contains("13"), "{}", call.out);
}

fn picture_size(path: &Path) -> [u32; 2] {
    let bytes = fs::read(path).unwrap();
    [16, 20].map(|k| u32::from_be_bytes(bytes[k..k + 4].try_into().unwrap()))
}

#[test]
fn frames_can_be_drawn_again() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--end 0.02");
    let before = fs::read(run.0.picture(2)).unwrap();
    let words =
        "render out --field pressure --colors turbo --size 200x120 --gif --fps 10 --out new";
    let call = folder.say(words).succeeds();
    assert!(call.out.contains("3 pictures"), "{}", call.out);
    let pictures = folder.path("new/pictures");
    assert_eq!(fs::read_dir(&pictures).unwrap().count(), 3);
    assert_eq!(picture_size(&pictures.join("picture-000002.png")), [200, 120]);
    assert!(folder.path("new/movie.mp4").is_file() && folder.path("new/movie.gif").is_file());
    assert!(fs::read(run.0.picture(2)).unwrap() == before, "the run's own pictures changed");

    // The same view gives the same pictures, but for the rounding of frames to single precision.
    folder.say("render out --quiet --out same").succeeds();
    let same = Image::read_png(folder.path("same/pictures/picture-000002.png")).unwrap();
    let own = Image::read_png(run.0.picture(2)).unwrap();
    let differ = same.rgb().iter().zip(own.rgb()).filter(|(a, b)| a != b).count();
    assert!(differ < 200, "{differ} bytes differ");

    folder.say("render out --colors cfl --quiet").succeeds();
    assert!(fs::read(run.0.picture(2)).unwrap() != before);
    assert_eq!(run.0.saved_pictures().unwrap().len(), 3);
}

#[test]
fn frames_in_space_can_be_drawn_from_elsewhere() {
    let folder = Folder::new();
    folder.write("tank.toml", TANK_3D);
    folder.run_tank("out", "--set output.movie=false");
    let picture = |name: &str, words: &str| {
        folder.say(&format!("render out --quiet --out {name} {words}")).succeeds();
        fs::read(folder.path(format!("{name}/pictures/picture-000001.png"))).unwrap()
    };
    let views = [
        picture("own", ""),
        picture("eye", "--eye -1,1,2"),
        picture("target", "--target 0,0.1,0"),
        picture("turn", "--turn 9000"),
        picture("fov", "--set view.camera.fov=60"),
        picture("above", "--eye 0.25,3,0.06 --target 0.25,0,0.06"),
        picture("range", "--range=-1,1 --field velocity.y"),
    ];
    for (i, a) in views.iter().enumerate() {
        assert!(views[..i].iter().all(|b| a != b), "view {i} is like another");
    }
}

/// A mistake must not cost the pictures that are there, nor leave an empty directory.
#[test]
fn a_render_that_is_refused_changes_nothing() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--end 0.01");
    for words in [
        "--field sped",
        "--field sped --range 0,1",
        "--colors virids",
        "--size 201x100",
        "--size 12.5x100",
        "--range 1,0",
        "--fps 0",
        "--eye 1,1,1",
    ] {
        folder.say(&format!("render out --quiet {words} --out new")).fails(1, &["view."]);
        assert!(!folder.path("new").exists(), "{words}");
        folder.say(&format!("render out --quiet {words}")).fails(1, &["view."]);
        assert_eq!(run.0.saved_pictures().unwrap(), [0, 1], "{words}");
    }
    let call = folder.say("render out --field sped");
    assert!(!call.err.contains("--set"), "{}", call.err);
    call.fails(1, &["--field sped: view.field"]);
    folder.say("run tank.toml --end 0").fails(1, &["--end 0: end"]);
    folder.say("render out --eye 1,1").fails(2, &["--eye", "3 numbers"]);
    folder.say("render nowhere").fails(1, &["nowhere", "No such file"]);
    folder.say("render tank.toml").fails(1, &["tank.toml is not the directory of a run"]);
    fs::write(run.0.particles("liquid", 1), "no frame").unwrap();
    folder.say("render out -q --field density").fails(1, &["liquid-000001.vtp"]);
}

#[test]
fn a_render_does_not_mix_with_the_run_to_come() {
    let folder = Folder::with_tank("");
    folder.run_tank("out", "--end 0.02");
    folder.say("render out --field pressure --out new -q").succeeds();
    folder.say("render out --field density --out new -q").fails(1, &["new already contains"]);
    assert!(RunDirectory::open(folder.path("new")).is_err(), "it has no scene");
}

#[test]
fn bench_prints_what_was_measured() {
    let folder = Folder::new();
    let call = folder.say("bench --json dam-break --threads 2").succeeds();
    let all: serde_json::Value = serde_json::from_str(&call.out).unwrap();
    let [one] = &all.as_array().unwrap()[..] else { panic!("{}", call.out) };
    assert_eq!(one["name"], "dam-break");
    assert_eq!(one["threads"], 2);
    assert!(one["method"].is_string() && one["device"].is_string());
    for key in ["particles", "steps", "ns_per_particle_step", "bytes_per_particle"] {
        assert!(one[key].as_f64() > Some(0.0), "{key}: {}", call.out);
    }
    let phases = one["phases"].as_object().unwrap();
    assert!(phases.len() >= 4 && phases.values().all(|ns| ns.as_f64() >= Some(0.0)));
    folder.say("bench tank").fails(2, &["tank", "dam-break-3d"]);
}

/// The words of a scene may contain anything that TOML allows.
#[test]
fn titles_and_names_of_any_kind_survive() {
    let folder = Folder::new();
    let text = TANK
        .replace("Small tank", "</script> \\\"Ünïcode\\\" & <b>𝛑</b> 'x'")
        .replace("name = \"tank\"", "name = \"<i>täñk</i> & 'co'\"");
    folder.write("o'dd näme.toml", &text);
    let run = ["run", "o'dd näme.toml", "--quiet", "--end", "0.01", "--out", "my out"];
    folder.lawine(&run).succeeds();
    let run = folder.run("my out");
    assert!(run.series().column("<i>täñk</i> & 'co'.force.x").is_some());
    let html = fs::read_to_string(run.0.report()).unwrap();
    assert!(html.contains("'o'\\''dd näme.toml'") || html.contains("o&#39;"), "no command");
    assert!(!html.contains("</script> \"") && !html.contains("<i>täñk"), "not escaped");
    folder.lawine(&["run", "--resume", "my out", "-q", "--end", "0.02"]).succeeds();
}

/// Paths need not be text.
#[cfg(unix)]
#[test]
fn a_directory_may_have_any_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::with_tank("");
    let name = OsStr::from_bytes(b"out \xff");
    let arguments: Vec<&OsStr> =
        ["run", "tank.toml", "--quiet", "--end", "0.01", "--out"].map(OsStr::new).to_vec();
    folder.lawine(&[&arguments[..], &[name]].concat()).succeeds();
    assert!(folder.path(name).join("report.html").is_file());
    let call = folder.lawine(&[OsStr::new("run"), OsStr::from_bytes(b"\xff")]);
    assert_eq!(call.code, Some(2), "{}", call.err);
}
