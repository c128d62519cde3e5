//! Which checkpoints fit which scenes, and run directories that can be moved.

use crate::common::{Folder, Run, TANK};
use lawine_record::output::checkpoint::{self, Section};
use std::fs;

/// Stones of random shapes that fall onto a plate.
const STONES: &str = r#"
title = "Stones"
end = 0.04
seed = 3

[space]
dimension = 3
gravity = [0.0, -9.81, 0.0]

[grains]
density = 2650

[grains.contact]

[[block]]
shape.ellipsoid = { half_axes = [8e-3, 7e-3, 6e-3], vertices = 12, spread = "random", axis_variation = 0.2 }
origin = [0.0, 0.01, 0.0]
size = [0.04, 0.04, 0.04]
spacing = 0.02

[[body]]
name = "plate"
shape.box = { min = [-0.1, -0.02, -0.1], max = [0.1, 0.0, 0.1] }

[output]
every = 0.01
movie = false
pictures = false
"#;

/// Rewrites a file with one text for another, which it must have.
#[track_caller]
fn edit(path: &std::path::Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "no {from:?} in {text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// All grains changed their shapes, and the run went on.
#[test]
fn another_seed_is_refused() {
    let folder = Folder::new();
    folder.write("stones.toml", STONES);
    folder.say("run stones.toml -q --out out --end 0.02").succeeds();
    folder
        .say("run --resume out -q --end 0.04 --set seed=4")
        .fails(1, &["seed cannot change", "seed was 3 and is now 4", "new run"]);
    folder.say("run --resume out -q --end 0.04").succeeds();
}

/// What was edited in the directory itself was taken for what the run had begun with.
#[test]
fn an_edited_scene_is_refused_where_the_state_rests_on_it() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--end 0.02");
    let series = fs::read(run.0.series()).unwrap();
    let whole = fs::read_to_string(run.0.scene()).unwrap();
    for (from, to, words) in [
        ("spacing = 0.02", "spacing = 0.025", "liquid.spacing was 0.02 and is now 0.025"),
        ("seed = 1\n", "seed = 7\n", "seed was 1 and is now 7"),
        ("every = 0.01", "every = 0.02", "output.every was 0.01 and is now 0.02"),
        ("max = [0.3, 0.4]", "max = [0.3, 0.5]", "fill.0.shape.box.max was [0.3, 0.4]"),
    ] {
        edit(&run.0.scene(), from, to);
        let call = folder.say("run --resume out -q --end 0.03");
        call.fails(1, &["the checkpoint does not match the scene", words, "scene.toml"]);
        assert!(fs::read(run.0.series()).unwrap() == series, "something was changed");
        fs::write(run.0.scene(), &whole).unwrap();
    }
    // What may change with --set may be edited as well.
    edit(&run.0.scene(), "viscosity = 0.001", "viscosity = 0.002");
    folder.say("run --resume out -q --end 0.03").succeeds();
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let folder = Folder::with_tank("");
    let tank = folder.run_tank("tank", "--end 0.02");
    let fine = folder.run_tank("fine", "--end 0.02 --set liquid.spacing=0.016");
    folder.write("space.toml", crate::scenes::TANK_3D);
    folder.say("run space.toml -q --out space --end 0.003").succeeds();
    let put = |other: &Run| {
        let name = "step-000000999999.lawine";
        fs::copy(&other.checkpoints()[0], tank.0.checkpoints().directory().join(name)).unwrap();
    };
    put(&fine);
    folder
        .say("run --resume tank -q --end 0.04")
        .fails(1, &["does not match the scene", "liquid.spacing was 0.016 and is now 0.02"]);
    put(&folder.run("space"));
    folder
        .say("run --resume tank -q --end 0.04")
        .fails(1, &["does not match the scene", "space.dimension was 3 and is now 2"]);
}

#[test]
fn a_checkpoint_without_its_scene_is_refused() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "--end 0.02");
    let path = run.checkpoints()[0].clone();
    let found = checkpoint::read(&path).unwrap();
    let mut meta: serde_json::Value =
        serde_json::from_slice(found.section("run").unwrap()).unwrap();
    assert!(meta.as_object_mut().unwrap().remove("origin").is_some());
    let meta = serde_json::to_vec(&meta).unwrap();
    let state = found.section("state").unwrap();
    let sections =
        [Section { name: "run", payload: &meta }, Section { name: "state", payload: state }];
    checkpoint::write_atomic(&path, &sections).unwrap();
    let words = ["the checkpoint cannot be used", "older version"];
    folder.say("run --resume out -q --end 0.03").fails(1, &words);
}

#[test]
fn a_run_that_starts_before_zero_goes_on() {
    let folder = Folder::new();
    folder.write("tank.toml", &TANK.replace("end = 0.05", "start = -0.5\nend = -0.45"));
    folder.run_tank("parts", "--end=-0.477");
    folder.say("run --resume parts -q --end=-0.46").succeeds();
    folder.run("parts").assert_same(&folder.run_tank("straight", "--end=-0.46"));
}

/// A box with its corners at ±`half`.
fn cuboid(half: [f64; 3]) -> String {
    let corner = |i: usize| {
        let at = |k: usize| if i >> k & 1 == 1 { half[k] } else { -half[k] };
        format!("v {} {} {}\n", at(0), at(1), at(2))
    };
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    (0..8).map(corner).collect::<String>() + faces
}

/// Grains and bodies from meshes, two of them with the same name; some are poured while the run
/// goes on.
const MESHES: &str = r#"
title = "Meshes"
end = 0.04

[space]
dimension = 3
gravity = [0.0, -9.81, 0.0]

[grains]
density = 2650

[grains.contact]

[[grain]]
shape.mesh = { file = "shapes/stone.obj" }
position = [0.0, 0.02, 0.0]

[[block]]
shape.mesh = { file = "shapes/flat/stone.obj" }
origin = [-0.06, 0.05, 0.02]
size = [0.04, 0.02, 0.04]
spacing = 0.02

[[pour]]
shape.mesh = { file = "shapes/stone.obj" }
region = { min = [0.03, 0.1, -0.03], max = [0.06, 0.12, 0.03] }
rate = 200
count = 6

[[body]]
name = "plate"
shape.mesh = { file = "shapes/plate.obj", position = [0.0, -0.01, 0.0] }

[output]
every = 0.01

[view]
size = [96, 64]
"#;

/// Runs named absolute paths of meshes, and poured ones not even that.
#[test]
fn a_run_with_meshes_can_be_moved() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("scenes/shapes/flat")).unwrap();
    folder.write("scenes/meshes.toml", MESHES);
    folder.write("scenes/shapes/stone.obj", &cuboid([0.006, 0.005, 0.004]));
    folder.write("scenes/shapes/flat/stone.obj", &cuboid([0.007, 0.002, 0.005]));
    folder.write("scenes/shapes/plate.obj", &cuboid([0.1, 0.01, 0.1]));
    folder.say("run scenes/meshes.toml -q --out straight").succeeds();
    folder.say("run scenes/meshes.toml -q --out parts --end 0.02").succeeds();
    let scene = fs::read_to_string(folder.path("parts/scene.toml")).unwrap();
    let root = folder.path("").display().to_string();
    assert!(!scene.contains(&root), "an absolute path:\n{scene}");
    for name in ["meshes/stone.obj", "meshes/stone-2.obj", "meshes/plate.obj"] {
        assert!(scene.contains(name) && folder.path("parts").join(name).is_file(), "{scene}");
    }

    fs::create_dir(folder.path("elsewhere")).unwrap();
    fs::rename(folder.path("parts"), folder.path("elsewhere/moved")).unwrap();
    fs::remove_dir_all(folder.path("scenes")).unwrap();
    folder.say("run --resume elsewhere/moved -q --end 0.04").succeeds();
    let moved = folder.run("elsewhere/moved");
    moved.assert_same(&folder.run("straight"));
    folder.say("render elsewhere/moved -q --field id --out again").succeeds();
    folder.say("run --resume elsewhere/moved -q --end 0.05 --out third").succeeds();
    assert!(folder.path("third/meshes/stone-2.obj").is_file());

    // Another mesh under the same name is another scene.
    folder.write("third/meshes/stone.obj", &cuboid([0.006, 0.005, 0.005]));
    folder.say("run --resume third -q --end 0.06").fails(
        1,
        &["does not match the scene", "shape.mesh.file was a mesh of", "is now a mesh of"],
    );
}
