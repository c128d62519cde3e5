//! Scenes of every kind run, give sensible numbers and can be drawn.

use crate::common::{Folder, TANK};
use lawine_scene::builtin;
use lawine_scene::file::{Source, load};
use lawine_settings::Value;
use serde_json::Value as Json;
use std::fs;

/// 8 × 10 × 5 = 400 particles in a tank in space.
pub(crate) const TANK_3D: &str = r#"
title = "Small tank in space"
end = 0.01

[space]
dimension = 3
gravity = [0.0, -9.81, 0.0]

[liquid]
spacing = 0.025
viscosity = 1e-3

[[fill]]
shape.box = { min = [0.0, 0.0, 0.0], max = [0.2, 0.25, 0.125] }

[[body]]
name = "tank"
shape.container = { min = [0.0, 0.0, 0.0], max = [0.5, 0.5, 0.125], open = ["+y"] }

[output]
every = 0.005

[view]
size = [160, 96]
"#;

/// Twenty steps of a scene, with pictures and without a movie; returns the number of particles.
#[track_caller]
fn run_20_steps(text: &str, files: &[(&str, &str)]) -> f64 {
    let folder = Folder::new();
    folder.write("scene.toml", text);
    for (name, text) in files {
        folder.write(name, text);
    }
    let set = "--set time.step=1e-4 --end 0.002 --set output.every=0.001";
    let call = folder.say(&format!("run scene.toml --out out {set} --set output.movie=false"));
    call.succeeds();
    let run = folder.run("out");
    assert_eq!(run.summary().steps, 20);
    assert_eq!(run.0.saved_pictures().unwrap().len(), 3);
    for picture in run.0.saved_pictures().unwrap() {
        assert!(fs::metadata(run.0.picture(picture)).unwrap().len() > 500);
    }
    // What it left can be checked, run and drawn again.
    folder.say("check out/scene.toml").succeeds();
    folder.say("render out --field density -q --out drawn --set output.movie=false").succeeds();
    run.summary().particles as f64
}

#[test]
fn every_shape_of_the_plane() {
    let particles = run_20_steps(
        r#"
        title = "Shapes"
        end = 1
        [space]
        dimension = 2
        gravity = [0.0, -9.81]
        domain = { min = [-1.0, -1.0], max = [1.0, 1.0] }
        [liquid]
        spacing = 0.05
        [[fill]]
        shape.box = { min = [-0.5, -0.4], max = [-0.3, -0.2] }
        [[fill]]
        shape.sphere = { center = [0.0, 0.2], radius = 0.12 }
        velocity = [0.0, -1.0]
        [[fill]]
        shape.polyhedron = { vertices = [[0.2, 0.1], [0.5, 0.1], [0.35, 0.4]] }
        [[body]]
        name = "plane"
        shape.plane = { point = [0.0, -0.6], normal = [0.1, 1.0] }
        [[body]]
        name = "box"
        shape.box = { min = [-0.1, -0.3], max = [0.1, -0.1] }
        [[body]]
        name = "disc"
        shape.sphere = { center = [0.35, -0.2], radius = 0.1 }
        [[body]]
        name = "wedge"
        shape.polyhedron = { vertices = [[0.6, -0.4], [0.8, -0.4], [0.8, 0.0]] }
        [[body]]
        name = "tank"
        shape.container = { min = [-0.9, -0.9], max = [0.9, 0.9], open = ["+y"] }
        [[body]]
        name = "hollow"
        shape.sphere = { center = [0.0, 0.0], radius = 1.3 }
        hollow = true
        [view]
        size = [64, 64]
        "#,
        &[],
    );
    // 4 × 4, about π 12²/25, and a triangle of 0.3 × 0.3/2.
    let expected = 16.0 + 18.1 + 18.0;
    assert!((particles - expected).abs() < 5.0, "{particles}");
}

/// A cube of 0.2 m, closed.
const CUBE: &str = "v 0 0 0\nv .2 0 0\nv .2 .2 0\nv 0 .2 0\nv 0 0 .2\nv .2 0 .2\nv .2 .2 .2\nv 0 .2 .2\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

#[test]
fn every_shape_of_space() {
    let particles = run_20_steps(
        r#"
        title = "Shapes"
        end = 1
        [space]
        dimension = 3
        gravity = [0.0, -9.81, 0.0]
        domain = { min = [-1.0, -1.0, -1.0], max = [1.0, 1.0, 1.0] }
        [liquid]
        spacing = 0.05
        [[fill]]
        shape.box = { min = [-0.5, 0.0, 0.0], max = [-0.3, 0.2, 0.2] }
        [[fill]]
        shape.sphere = { center = [0.0, 0.4, 0.0], radius = 0.12 }
        [[fill]]
        shape.polyhedron = { vertices = [[0.3, 0.3, 0], [0.6, 0.3, 0], [0.3, 0.6, 0], [0.3, 0.3, 0.3]] }
        [[fill]]
        shape.mesh = { file = "cube.obj", position = [-0.5, 0.4, -0.3] }
        [[body]]
        name = "plane"
        shape.plane = { point = [0.0, -0.6, 0.0], normal = [0.0, 1.0, 0.1] }
        [[body]]
        name = "box"
        shape.box = { min = [-0.1, -0.3, 0.0], max = [0.1, -0.1, 0.2] }
        [[body]]
        name = "ball"
        shape.sphere = { center = [0.35, -0.2, 0.0], radius = 0.1 }
        [[body]]
        name = "wedge"
        shape.polyhedron = { vertices = [[0.6, -0.4, 0], [0.8, -0.4, 0], [0.8, 0.0, 0], [0.7, -0.2, 0.3]] }
        [[body]]
        name = "cube"
        shape.mesh = { file = "cube.obj", scale = 0.5, position = [-0.5, -0.4, 0.0] }
        [[body.motion]]
        rotation = { axis = [0.0, 1.0, 0.0], point = [-0.5, 0.0, 0.0], rate = 2.0 }
        [[body]]
        name = "tank"
        shape.container = { min = [-0.9, -0.9, -0.9], max = [0.9, 0.9, 0.9], open = ["+y", "-z"] }
        [[body]]
        name = "hollow"
        shape.sphere = { center = [0.0, 0.0, 0.0], radius = 1.6 }
        hollow = true
        [view]
        size = [96, 64]
        turn = 90.0
        "#,
        &[("cube.obj", CUBE)],
    );
    let cubes = 2.0 * 64.0;
    let ball = 4.19 * 0.12_f64.powi(3) / 0.05_f64.powi(3);
    let corner = 0.3_f64.powi(3) / 6.0 / 0.05_f64.powi(3);
    assert!((particles - (cubes + ball + corner)).abs() < 20.0, "{particles}");
}

/// The ways to find neighbours give the same neighbours, in another order: sums differ by the
/// rounding of single precision, which grows a little in 70 steps.
#[test]
fn neighbor_searches_agree() {
    for (text, end) in [(TANK, "0.02"), (TANK_3D, "0.005")] {
        let folder = Folder::new();
        folder.write("tank.toml", text);
        let run = |search: &str| {
            let set = format!("--set liquid.neighbors={search} --set output.movie=false");
            let run = folder.run_tank(search, &format!("--end {end} {set}"));
            (run.summary().steps, run.last("kinetic_energy"), run.last("max_speed"))
        };
        let (grid, hash, brute) = (run("grid"), run("hash"), run("brute-force"));
        for other in [hash, brute] {
            assert_eq!(grid.0, other.0);
            assert!((grid.1 / other.1 - 1.0).abs() < 1e-4, "{grid:?} {other:?}");
            assert!((grid.2 / other.2 - 1.0).abs() < 1e-4, "{grid:?} {other:?}");
        }
    }
}

#[test]
fn kernels_equations_walls_and_a_periodic_axis() {
    let folder = Folder::with_tank("");
    let base = "--end 0.02 --set output.movie=false";
    let mut hashes = Vec::new();
    for (k, set) in [
        "liquid.kernel=wendland-c2",
        "liquid.pressure.equation=tait",
        "liquid.pressure.clamp=false",
        "liquid.walls.pressure=mirror",
        "liquid.walls.viscosity=0",
        "liquid.walls.layers=1",
        "liquid.viscosity=0",
        "time.step=2e-4",
        "liquid.support=0.05",
        "liquid.pressure.stiffness=1e5",
    ]
    .iter()
    .enumerate()
    {
        let run = folder.run_tank(&format!("out{k}"), &format!("{base} --set {set}"));
        let summary = run.summary();
        // Negative pressures draw the particles of the surface together.
        let (most, fastest) =
            if *set == "liquid.pressure.clamp=false" { (0.5, 10.0) } else { (0.1, 3.0) };
        let error = summary.max_density_error.unwrap();
        assert!(error < most, "{set}: {error}");
        assert!(run.last("max_speed") < fastest, "{set}");
        hashes.push(summary.state_hash);
    }
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 10, "a key has no effect");
}

#[test]
fn a_periodic_axis_lets_liquid_through() {
    let folder = Folder::new();
    let text = r#"
        title = "Channel"
        end = 0.5
        [space]
        dimension = 2
        gravity = [0.0, 0.0]
        domain = { min = [0.0, -1.0], max = [0.4, 1.0] }
        periodic = ["x"]
        [liquid]
        spacing = 0.02
        viscosity = 1e-3
        [[fill]]
        shape.box = { min = [0.0, 0.0], max = [0.4, 0.2] }
        velocity = [1.0, 0.0]
        [[body]]
        name = "floor"
        shape.plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }
        [[body]]
        name = "lid"
        shape.plane = { point = [0.0, 0.2], normal = [0.0, -1.0] }
        [[probe]]
        name = "left"
        min = { field = "position.x" }
        [[probe]]
        name = "right"
        max = { field = "position.x" }
        [[probe]]
        name = "speed"
        mean = { field = "velocity.x" }
        [output]
        every = 0.1
        movie = false
        [view]
        size = [64, 64]
    "#;
    folder.write("channel.toml", text);
    folder.say("run channel.toml -q --out out --set liquid.walls.viscosity=0").succeeds();
    let run = folder.run("out");
    assert_eq!(run.summary().particles, 200);
    // It went round more than once, and nothing has slowed it down.
    assert!(run.last("left") >= 0.0 && run.last("right") < 0.4);
    assert!((run.last("speed") - 1.0).abs() < 1e-3, "{}", run.last("speed"));
}

/// Liquid at rest: its probes show the filled height and the weight of the column.
#[test]
fn probes_of_a_resting_column() {
    let folder = Folder::new();
    let probes = r#"
        [[probe]]
        name = "level"
        height = { at = [0.1, 0.0] }
        [[probe]]
        name = "beside"
        height = { at = [5.0, 0.0] }
        [[probe]]
        name = "floor"
        pressure = { at = [0.1, 0.01] }
        [[probe]]
        name = "middle"
        pressure = { at = [0.1, 0.2] }
        [[probe]]
        name = "air"
        pressure = { at = [0.1, 0.55] }
        [[probe]]
        name = "top"
        max = { field = "position.y" }
        [[probe]]
        name = "bottom"
        min = { field = "position.y" }
        [[probe]]
        name = "density"
        mean = { field = "density" }
        [[probe]]
        name = "fastest"
        max = { field = "speed" }
    "#;
    let text = TANK.replace("max = [0.8, 0.6]", "max = [0.2, 0.6]");
    let text = text.replace("max = [0.3, 0.4]", "max = [0.2, 0.4]");
    folder.write("tank.toml", &format!("{text}\n{probes}"));
    let set = "--set liquid.viscosity=0.01 --set output.movie=false --set output.every=0.1";
    let run = folder.run_tank("out", &format!("--end 0.8 {set}"));
    let weight = |height: f64| 1000.0 * 9.81 * height;
    // Sound goes up and down for a while: the mean over the second half.
    let series = run.series();
    let near = |column: &str, expected: f64, tolerance: f64| {
        let values = series.column(column).unwrap();
        let values = &values[values.len() / 2..];
        let value = values.iter().sum::<f64>() / values.len() as f64;
        assert!((value - expected).abs() < tolerance, "{column}: {value} instead of {expected}");
    };
    near("level", 0.4, 0.015);
    near("beside", 0.0, 1e-12);
    near("floor", weight(0.39), 0.06 * weight(0.4));
    near("middle", weight(0.2), 0.06 * weight(0.4));
    near("air", 0.0, 1e-12);
    near("top", 0.39, 0.015);
    near("bottom", 0.01, 0.005);
    near("density", 1000.0, 20.0);
    assert!((run.last("fastest") - run.last("max_speed")).abs() < 1e-12);
    // The floor of the tank carries the liquid: 0.2 × 0.4 m² of it.
    near("tank.force.y", -weight(0.4) * 0.2, 0.05 * weight(0.4) * 0.2);
    near("tank.force.x", 0.0, 0.05 * weight(0.4) * 0.2);
}

/// Bodies of the plane did not count: a drop that falls far was far too soft.
#[test]
fn the_stiffness_knows_how_far_liquid_can_fall() {
    let folder = Folder::new();
    let stiffness = |dimension: usize, height: f64| {
        let vector = |x: f64, y: f64, z: f64| format!("{:?}", &[x, y, z][..dimension]);
        let text = format!(
            "title = 'Drop'\nend = 1\n[space]\ndimension = {dimension}\ngravity = {}\n\
             [liquid]\nspacing = 0.05\n[[fill]]\nshape.box = {{ min = {}, max = {} }}\n\
             [[body]]\nname = 'tank'\nshape.container = {{ min = {}, max = {} }}\n",
            vector(0.0, -10.0, 0.0),
            vector(0.0, height, 0.0),
            vector(0.2, height + 0.2, 0.2),
            vector(-1.0, 0.0, -1.0),
            vector(1.0, 10.0, 1.0),
        );
        folder.write("drop.toml", &text);
        let out = folder.say("check drop.toml").succeeds().out;
        let line = out.lines().find(|line| line.contains("stiffness")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
    };
    // c = 10 v, v² = 2 g h, so k = 100 · 1000 · 2 · 10 · h.
    for dimension in [2, 3] {
        let (low, high) = (stiffness(dimension, 0.0), stiffness(dimension, 4.8));
        assert!((low / 4e5 - 1.0).abs() < 0.01, "{low}");
        assert!((high / 1e7 - 1.0).abs() < 0.01, "{high}");
    }
}

/// Scenes that nothing moves have a scale, a time step and colours all the same.
#[test]
fn a_scene_where_nothing_happens() {
    let folder = Folder::new();
    folder.write("tank.toml", &TANK.replace("-9.81", "0.0"));
    let run = folder.run_tank("out", "");
    assert!(run.last("max_speed") < 1e-3);
    for field in ["pressure", "density", "id", "velocity.y", "position"] {
        folder.say(&format!("render out --field {field} -q --out {field}")).succeeds();
    }
}

/// A class of snow stands for a density and, by it, for an elasticity; scene.toml and summary.json say which.
#[test]
fn snow_of_a_class_writes_down_what_it_was_computed_with() {
    let text = "title = 'Firn'\nend = 4e-4\n[space]\ndimension = 2\ngravity = [0, -9.81]\n\
                [time]\nstep = 5e-6\n[snow]\ncell = 0.02\n\
                [[snow.material]]\nname = 'old'\nsnow = { class = 'firn' }\n\
                [[fill]]\nshape.box = { min = [0, 0.01], max = [0.1, 0.11] }\n\
                [output]\nevery = 2e-4\nmovie = false\n";
    let folder = Folder::new();
    folder.write("firn.toml", text);
    folder.say("run firn.toml -q --out out").succeeds();
    let run = folder.run("out");
    let scene = fs::read_to_string(run.0.scene()).unwrap();
    for key in ["class = \"firn\"", "density = 675", "young = 3932", "poisson = 0.3875"] {
        assert!(scene.contains(key), "{key}: {scene}");
    }
    let materials = run.summary().materials;
    let [old] = materials.as_slice() else { panic!("{materials:?}") };
    assert_eq!((old.name.as_str(), old.law.as_str()), ("old", "snow"));
    assert_eq!(old.classes, ["firn"]);
    assert!((old.density - 675.0).abs() < 1e-9 && (old.poisson - 0.3875).abs() < 1e-9);
    assert!((old.young / 393.2e6 - 1.0).abs() < 1e-3, "{}", old.young);
    // The numbers that were written down are the same matter: the run goes on.
    folder.say("run --resume out -q --end 6e-4").succeeds();
    folder
        .say("run --resume out -q --end 8e-4 --set snow.material.0.snow.young=1e6")
        .fails(1, &["young"]);
}

/// What a value has that a JSON schema does not allow.
fn violation(schema: &Json, value: &Value) -> Option<String> {
    let words = |key: &str| schema[key].as_array().into_iter().flatten().filter_map(Json::as_str);
    let of_type = |name: &str| schema["type"] == name;
    let right = match value {
        Value::Table(keys) => {
            let has = |key: &str| value.get(key).is_some();
            for (key, value) in keys {
                let inner = schema["properties"].get(key).map(|inner| violation(inner, value));
                if let Some(problem) = inner.unwrap_or_else(|| Some("is no key".into())) {
                    return Some(format!("{key}: {problem}"));
                }
            }
            let one_of = schema["oneOf"].as_array().map_or(1, |all| {
                all.iter().filter(|one| one["required"][0].as_str().is_some_and(has)).count()
            });
            of_type("object") && words("required").all(has) && one_of == 1
        }
        Value::List(list) => {
            let wrong = list.iter().find_map(|value| violation(&schema["items"], value));
            let count = list.len() as u64;
            let least = schema["minItems"].as_u64().is_none_or(|least| count >= least);
            let most = schema["maxItems"].as_u64().is_none_or(|most| count <= most);
            of_type("array") && wrong.is_none() && least && most
        }
        Value::Text(text) => of_type("string") || words("enum").any(|word| word == text),
        Value::Bool(_) => of_type("boolean"),
        Value::Integer(_) | Value::Number(_) => {
            let x = value.number().unwrap_or(f64::NAN);
            let bound = |key: &str| schema[key].as_f64();
            let inside = bound("minimum").is_none_or(|low| x >= low)
                && bound("maximum").is_none_or(|high| x <= high)
                && bound("exclusiveMinimum").is_none_or(|low| x > low)
                && bound("exclusiveMaximum").is_none_or(|high| x < high);
            (of_type("number") || of_type("integer") && x.fract().abs() <= 0.0) && inside
        }
        Value::Other(_) => false,
    };
    (!right).then(|| format!("{value} does not conform"))
}

#[test]
fn built_in_scenes_conform_to_the_schema() {
    let schema = Folder::new().say("schema").succeeds().out;
    let schema: Json = serde_json::from_str(&schema).unwrap();
    for name in builtin::names() {
        let file = load(&Source::BuiltIn(name.into()), &[]).unwrap().scene.to_value();
        assert_eq!(violation(&schema, &file), None, "{name}");
        let Value::Table(mut keys) = file else { panic!("{name} is a table") };
        keys.push(("colour".into(), Value::Bool(true)));
        assert_eq!(violation(&schema, &Value::Table(keys)), Some("colour: is no key".into()));
    }
}
