//! Bad scenes and bad calls: one clear message, the right exit code, and nothing left behind.

use crate::common::{Folder, TANK};
use crate::scenes::TANK_3D;
use std::fs;

/// Asserts that a changed scene is refused by `check` and by `run`, with all the words, and that
/// nothing was made.
#[track_caller]
fn assert_refused(text: &str, words: &[&str]) {
    let folder = Folder::new();
    folder.write("bad.toml", text);
    let words: Vec<&str> = ["bad.toml"].iter().chain(words).copied().collect();
    folder.say("check bad.toml").fails(1, &words);
    folder.say("run bad.toml --out out").fails(1, &words);
    folder.say("run bad.toml").fails(1, &words);
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 1, "something was made");
}

/// Asserts that the tank with one text replaced is refused.
#[track_caller]
fn assert_tank_refused(from: &str, to: &str, words: &[&str]) {
    let text = TANK.replace(from, to);
    assert_ne!(text, TANK);
    assert_refused(&text, words);
}

/// Asserts that the tank with one more body is refused.
#[track_caller]
fn assert_body_refused(shape: &str, words: &[&str]) {
    assert_refused(&format!("{TANK}\n[[body]]\nname = \"thing\"\n{shape}\n"), words);
}

/// Asserts that the tank in space with one more body is refused.
#[track_caller]
fn assert_body_3d_refused(shape: &str, words: &[&str]) {
    assert_refused(&format!("{TANK_3D}\n[[body]]\nname = \"thing\"\n{shape}\n"), words);
}

#[test]
fn unknown_scenes() {
    let folder = Folder::new();
    for words in ["run dam-brake", "scene dam-brake", "check dam-brake"] {
        folder.say(words).fails(1, &["dam-brake", "did you mean dam-break?", "column", "resting"]);
    }
    folder.say("run missing.toml").fails(1, &["missing.toml", "No such file"]);
    folder.say("run .").fails(1, &["."]);
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_directories_are_not_read() {
    let folder = Folder::new();
    for words in ["check /dev/zero", "run /dev/zero", "study /dev/zero", "check .", "study ./"] {
        folder.say(words).fails(1, &["allowed: a regular file"]);
    }
    std::os::unix::fs::symlink("/dev/zero", folder.path("zero.stl")).unwrap();
    let body = "[[body]]\nname = \"thing\"\nshape.mesh = { file = \"zero.stl\" }\n";
    folder.write("bad.toml", &format!("{TANK_3D}\n{body}"));
    let words = ["bad.toml", "zero.stl", "it is a device; allowed: a regular file"];
    folder.say("check bad.toml").fails(1, &words);
}

/// Its name without the ending is a way up.
#[test]
fn a_scene_called_by_dots_runs_in_a_directory_of_its_own() {
    let folder = Folder::new();
    folder.write("...toml", TANK);
    folder.say("run ...toml --end 0.001").succeeds();
    assert!(folder.path("runs/scene/report.html").is_file());
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 2, "only the scene and runs");
}

#[test]
fn misspelt_keys_and_words() {
    assert_tank_refused(
        "spacing",
        "spacign",
        &["bad.toml:10", "spacign", "did you mean liquid.spacing?"],
    );
    assert_tank_refused("[view]", "[veiw]", &["veiw", "view"]);
    assert_tank_refused("max = { field", "most = { field", &["most"]);
    assert_tank_refused("[view]", "[view]\ncolors = \"virids\"", &["virids", "viridis", "turbo"]);
    assert_tank_refused("[liquid]", "[liquid]\nkernel = \"cubic\"", &["cubic-spline"]);
    assert_tank_refused("shape.container", "shape.bottle", &["bottle", "container"]);
    assert_tank_refused("end = 0.05", "end = 'soon'", &["bad.toml:3", "end", "soon"]);
    assert_tank_refused("[space]", "[space", &["bad.toml:5", "not TOML"]);
}

#[test]
fn values_out_of_range() {
    assert_tank_refused("0.02", "-0.02", &["bad.toml:10", "liquid.spacing = -0.02", "0"]);
    assert_tank_refused("0.02", "0.0", &["liquid.spacing = 0"]);
    assert_tank_refused("0.02", "nan", &["liquid.spacing = nan", "finite"]);
    assert_tank_refused("0.02", "inf", &["liquid.spacing", "inf"]);
    assert_tank_refused("0.02", "1e-7", &["liquid.spacing", "particles", "at most"]);
    assert_tank_refused("viscosity = 1e-3", "viscosity = -1.0", &["liquid.viscosity = -1"]);
    assert_tank_refused("dimension = 2", "dimension = 4", &["space.dimension = 4", "2 or 3"]);
    assert_tank_refused("end = 0.05", "end = -1", &["end = -1"]);
    assert_tank_refused("every = 0.01", "every = 0", &["output.every = 0"]);
    assert_tank_refused("[160, 96]", "[161, 96]", &["view.size", "161", "even"]);
    assert_tank_refused("[160, 96]", "[8192, 96]", &["view.size", "8192", "3840", "output.movie"]);
    assert_tank_refused("[160, 96]", "[2162, 2162]", &["view.size", "2160", "output.movie"]);
    assert_tank_refused("[0.0, -9.81]", "[0.0, -9.81, 1.0]", &["space.gravity"]);
    assert_tank_refused("[liquid]", "[time]\ncfl = 1.5\n[liquid]", &["time.cfl = 1.5", "1"]);
    assert_tank_refused(
        "[liquid]",
        "[liquid.walls]\nlayers = 9\n[liquid]",
        &["liquid.walls.layers", "5"],
    );
    assert_tank_refused(
        "[liquid]",
        "[liquid.pressure]\nstiffness = 0\n[liquid]",
        &["liquid.pressure.stiffness"],
    );
    assert_tank_refused("[liquid]", "[liquid]\nsupport = 0.01", &["liquid.support", "0.02"]);
}

#[test]
fn liquids_that_cannot_be_solved() {
    let pressure = |line: &str| format!("[liquid.pressure]\nmethod = \"iisph\"\n{line}\n[liquid]");
    let refused = |line, words: &[&str]| assert_tank_refused("[liquid]", &pressure(line), words);
    refused("tolerance = 0.0", &["liquid.pressure.tolerance = 0", "above 0"]);
    refused("tolerance = -1e-3", &["liquid.pressure.tolerance = -0.001", "above 0"]);
    refused("relaxation = 0.0", &["liquid.pressure.relaxation = 0", "above 0 and at most 1"]);
    refused("relaxation = 1.2", &["liquid.pressure.relaxation = 1.2", "above 0 and at most 1"]);
    let thick = "viscosity = 0.0\nviscosity_solver = \"implicit\"";
    assert_tank_refused("viscosity = 1e-3", thick, &["liquid.viscosity = 0", "implicit"]);
    let emitter = |x: f64| {
        format!(
            "{TANK}\n[[emitter]]\nspeed = 1.0\nshape.rectangle = {{ center = [{x}, 0.5], \
             direction = [1.0, 0.0], width = 0.1 }}\n"
        )
    };
    assert_refused(&emitter(-0.02), &["emitter.0.shape.rectangle", "\"tank\""]);
    assert_refused(&emitter(0.79), &["emitter.0.shape.rectangle", "no room", "\"tank\""]);
}

#[test]
fn unknown_fields() {
    let fields = ["speed", "velocity.x", "density", "pressure"];
    let words = |first| [&[first], &fields[..]].concat();
    assert_tank_refused("[view]", "[view]\nfield = \"sped\"", &words("\"sped\" is not a field"));
    assert_tank_refused("position.x", "position.w", &words("\"position.w\" is not a field"));
    assert_tank_refused("position.x", "density.x", &words("\"density.x\" is not a field"));
}

#[test]
fn impossible_shapes_in_a_plane() {
    let fill = "min = [0.0, 0.0], max = [0.3, 0.4]";
    assert_tank_refused(fill, "min = [0.3, 0.0], max = [0.0, 0.4]", &["fill.0.shape.box", "0.3"]);
    assert_tank_refused(fill, "min = [0.0, 0.0], max = [0.3, 0.001]", &["holds no particle"]);
    assert_tank_refused("[0.8, 0.6]", "[0.0, 0.6]", &["body.0.shape.container"]);
    let radius = |r| format!("shape.sphere = {{ center = [0.5, 0.5], radius = {r} }}");
    assert_body_refused(&radius("0.0"), &["body.1.shape.sphere.radius = 0"]);
    assert_body_refused(&radius("-1.0"), &["body.1.shape.sphere.radius = -1"]);
    let hull = |v| format!("shape.polyhedron = {{ vertices = {v} }}");
    let line = hull("[[0.5, 0.5], [0.6, 0.6], [0.7, 0.7]]");
    assert_body_refused(&line, &["body.1.shape.polyhedron.vertices", "line"]);
    assert_body_refused(&hull("[[0.5, 0.5], [0.6, 0.6]]"), &["2 points", "3 or more"]);
    let plane = |n| format!("shape.plane = {{ point = [0.0, 0.0], normal = {n} }}");
    assert_body_refused(&plane("[0.0, 0.0]"), &["body.1.shape.plane.normal"]);
    assert_body_refused("shape.mesh = { file = 'a.obj' }", &["not allowed in a plane"]);
    let open =
        "shape.container = { min = [0.5, 0.5], max = [0.7, 0.6], open = ['+x', '-x', '+y', '-y'] }";
    assert_body_refused(open, &["every side"]);
    let name = "shape.sphere = { center = [0.6, 0.5], radius = 0.05 }\n[[body]]\nname = \"thing\"\n\
                shape.sphere = { center = [0.7, 0.5], radius = 0.05 }";
    assert_body_refused(name, &["thing"]);
}

#[test]
fn impossible_shapes_in_space() {
    let flat = "shape.polyhedron = { vertices = [[0.3, 0, 0], [0.4, 0, 0], [0.4, 0, 0.1], [0.3, 0, 0.1]] }";
    assert_body_3d_refused(flat, &["body.1.shape.polyhedron.vertices", "plane"]);
    let mesh = |file| format!("shape.mesh = {{ file = '{file}' }}");
    assert_body_3d_refused(&mesh("none.obj"), &["body.1.shape.mesh.file", "none.obj", "No such"]);
    assert_body_3d_refused(&mesh("shape.doc"), &["shape.doc", "obj"]);
}

#[test]
fn meshes_that_are_no_solids() {
    let folder = Folder::new();
    let tetrahedron = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let open = tetrahedron.replace("f 2 3 4\n", "");
    folder.write("open.obj", &open);
    folder.write("words.obj", "this is not a mesh\n");
    folder.write("empty.stl", "");
    folder.write("numbers.obj", &tetrahedron.replace("v .1 0 0", "v nan 0 0"));
    folder.write("faces.obj", &tetrahedron.replace("f 2 3 4", "f 2 3 9"));
    for (file, word) in [
        ("open.obj", "open"),
        ("words.obj", ""),
        ("empty.stl", ""),
        ("numbers.obj", ""),
        ("faces.obj", ""),
    ] {
        for key in ["body", "fill"] {
            let name = if key == "body" { "name = 'thing'" } else { "" };
            let scene =
                format!("{TANK_3D}\n[[{key}]]\n{name}\nshape.mesh = {{ file = '{file}' }}\n");
            folder.write("bad.toml", &scene);
            let place = format!("{key}.1.shape.mesh");
            folder.say("check bad.toml").fails(1, &["bad.toml", &place, word]);
            folder.say("run bad.toml --out out").fails(1, &["bad.toml", &place, word]);
            assert!(!folder.path("out").exists());
        }
    }
}

#[test]
fn liquid_in_walls_and_in_liquid() {
    let fill = "min = [0.0, 0.0], max = [0.3, 0.4]";
    assert_tank_refused(
        fill,
        "min = [-0.1, 0.0], max = [0.3, 0.4]",
        &["fill.0.shape", "outside the container \"tank\"", "open = [\"+y\"]", "carve"],
    );
    let ball = "shape.sphere = { center = [0.2, 0.2], radius = 0.05 }";
    assert_body_refused(ball, &["fill.0.shape", "the body \"thing\"", "carve = true"]);
    let second = "\n[[fill]]\nshape.box = { min = [0.2, 0.2], max = [0.5, 0.5] }\n";
    assert_refused(&format!("{TANK}{second}"), &["fill.1", "overlaps fill.0"]);
    let third =
        "\n[[fill]]\nshape.polyhedron = { vertices = [[0.2, 0.2], [0.5, 0.2], [0.5, 0.5]] }\n";
    assert_refused(&format!("{TANK}{third}"), &["fill.1", "overlaps fill.0"]);
    assert_tank_refused("[[fill]]", "[[drop]]", &["drop"]);
    let outside = "domain = { min = [0.0, 0.0], max = [0.2, 1.0] }\ngravity";
    assert_tank_refused("gravity", outside, &["fill.0.shape.box", "space.domain"]);
    let narrow = "domain = { min = [0.0, 0.0], max = [0.1, 1.0] }\nperiodic = ['x']\ngravity";
    assert_tank_refused("gravity", narrow, &["space.domain", "periodic"]);
    assert_tank_refused("gravity", "periodic = ['x']\ngravity", &["needs space.domain"]);
}

/// A mesh as a fill has no bounds before it is read; its scale was not checked.
#[test]
fn a_fill_of_too_many_particles_is_refused_before_memory_is_asked_for() {
    let folder = Folder::new();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    folder.write("large.obj", tetrahedron);
    let far = "allowed: at most";
    for (scale, word) in [("100.0", "at most 50000000"), ("1e9", far), ("1e300", "1e12")] {
        let fill = format!("[[fill]]\nshape.mesh = {{ file = 'large.obj', scale = {scale} }}\n");
        folder.write("bad.toml", &format!("{TANK_3D}\n{fill}"));
        folder.say("run bad.toml --out out").fails(1, &["bad.toml", "fill.1.shape.mesh", word]);
    }
    let body = "[[body]]\nname = 'large'\nshape.mesh = { file = 'large.obj', scale = 100.0 }\n";
    folder.write("bad.toml", &format!("{TANK_3D}\n{body}"));
    folder.say("run bad.toml --out out").fails(1, &["bad.toml", "boundary particles in total"]);
    assert!(!folder.path("out").exists());
}

#[test]
fn bad_overrides() {
    let folder = Folder::with_tank("");
    let set = |text: &str| folder.lawine(&["run", "tank.toml", "--out", "out", "--set", text]);
    set("liquid.spacing").fails(2, &["--set liquid.spacing", "KEY=VALUE"]);
    set("=3").fails(2, &["--set =3"]);
    set("end=").fails(2, &["--set end="]);
    set("liquid..spacing=1").fails(2, &["--set"]);
    set("liquid.spacign=1").fails(1, &["liquid.spacign", "did you mean"]);
    set("liquid.spacing=-1").fails(1, &["--set liquid.spacing=-1", "liquid.spacing = -1"]);
    set("fill.7.velocity=[0,0]").fails(1, &["--set fill.7.velocity", "allowed: 0"]);
    set("title.x=1").fails(1, &["--set title.x=1"]);
    set("end=[1").fails(1, &["end"]);
    set("view.field=sped").fails(1, &["--set view.field=sped", "\"sped\" is not a field"]);
    assert!(!folder.path("out").exists());
}

#[test]
fn bad_calls() {
    let folder = Folder::with_tank("");
    for words in [
        "",
        "fly",
        "run",
        "run tank.toml --fast",
        "run tank.toml --threads 0",
        "run tank.toml --threads two",
        "run tank.toml --end later",
        "run tank.toml second.toml",
        "scene",
        "check",
        "render",
        "bench no-such-benchmark",
        "bench --threads 0",
        "render out --size 12",
        "render out --range 1",
    ] {
        let call = folder.say(words);
        assert_eq!(call.code, Some(2), "{words}: {}", call.err);
        assert!(call.err.len() > 20 && call.out.is_empty(), "{words}: {}", call.err);
    }
    folder.say("run tank.toml --end=-1").fails(1, &["end = -1"]);
    folder.say("run tank.toml --end=nan").fails(1, &["end"]);
    folder.say("run tank.toml --end=inf").fails(1, &["end"]);
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 1);
}
