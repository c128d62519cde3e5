//! Several matters in one scene: files, bits and messages.

use crate::common::Folder;
use lawine_record::output::Series;
use std::fs;

/// A short and coarse run of the scene with liquid, gravel and snow.
const SHORT: &str = "run three-matters --quiet --set liquid.spacing=0.03 --set snow.cell=0.06 \
                     --set view.size=[160,90] --set output.movie=false";

#[test]
fn each_has_its_frames_columns_and_forces() {
    let folder = Folder::new();
    folder.say(&format!("{SHORT} --end 0.04 --out one --threads 1")).succeeds();
    let one = folder.run("one");
    for matter in ["liquid", "snow", "grains"] {
        assert!(one.0.particles(matter, 2).exists(), "{matter}");
    }
    let collection = fs::read_to_string(one.0.collection()).unwrap();
    for block in ["liquid", "snow", "grains", "shapes", "bodies"] {
        assert!(collection.contains(&format!("name=\"{block}\"")), "{block}: {collection}");
    }
    let series = fs::read_to_string(one.0.series()).unwrap();
    let header: Vec<&str> = series.lines().next().unwrap().split(',').collect();
    for column in [
        "liquid.particles",
        "snow.kinetic_energy",
        "grains.potential_energy",
        "grains.momentum.x",
        "grains.friction_loss",
        "level",
    ] {
        assert!(header.contains(&column), "{column}: {header:?}");
    }
    assert_eq!(header.last(), Some(&"step limit"));
    let named = |row: &str| ["liquid: ", "snow: ", "grains: "].iter().any(|m| row.contains(m));
    assert!(series.lines().any(named), "{series}");
    assert!(!header.contains(&"momentum.x") && !header.contains(&"friction_loss"));
    let summary = fs::read_to_string(one.0.summary()).unwrap();
    for phase in ["liquid.forces", "grains.forces"] {
        assert!(summary.contains(&format!("\"{phase}\"")), "{phase}: {summary}");
    }
    let resolved = fs::read_to_string(one.0.scene()).unwrap();
    assert!(resolved.contains("of = \"liquid\"") && resolved.contains("[grains.contact]"));
    folder.say("render one -q --field snow.speed").succeeds();
    folder.say("render one -q --field liquid.sped").fails(1, &["view.field", "of liquid: speed"]);
}

#[test]
fn the_bits_do_not_depend_on_threads_or_interruptions() {
    let folder = Folder::new();
    for threads in [1, 2, 3] {
        let run = format!("{SHORT} --end 0.04 --out {threads} --threads {threads}");
        folder.say(&run).succeeds();
    }
    let one = folder.run("1");
    for threads in ["2", "3"] {
        one.assert_same(&folder.run(threads));
    }
    folder.say(&format!("{SHORT} --end 0.015 --out parts --threads 2")).succeeds();
    folder.say("run --resume parts --quiet --end 0.04 --threads 1").succeeds();
    one.assert_same(&folder.run("parts"));
}

#[test]
fn matter_must_be_named_where_there_are_several() {
    let folder = Folder::new();
    let scene = folder.say("scene three-matters").succeeds().out;
    let change = |from: &str, to: &str| {
        assert!(scene.contains(from), "{from}");
        folder.write("changed.toml", &scene.replacen(from, to, 1));
        folder.say("check changed.toml")
    };
    let which = ["fill.0.of is missing", "\"liquid\", \"snow\" or \"grains\""];
    change("of = \"liquid\"\nshape.box", "shape.box").fails(1, &which);
    change("of = \"liquid\"\nshape.box", "of = \"honey\"\nshape.box")
        .fails(1, &["fill.0.of = \"honey\" is not allowed", "\"liquid\", \"snow\" or \"grains\""]);
    change("of = \"liquid\"\nheight", "height")
        .fails(1, &["is ambiguous: liquid and snow and grains have it"]);
    change("grains.position.y", "position.y").fails(1, &["probe.1", "set the key `of`"]);
    let force = "force = { body = \"tank\", component = \"x\" }";
    change("height = { at = [0.36, 0.0, 0.12] }", force)
        .fails(1, &["probe.0.of is not allowed: probe.0.force is of all matter"]);
    let path =
        "[[measure]]\nname = \"m\"\nof = \"snow\"\npath = { x = \"time\", y = \"dt\" }\n[output]";
    change("[output]", path).fails(1, &["measure.0.of is not allowed: measure.0.path is of all"]);
    change("[output]", &path.replace("snow", "honey")).fails(1, &["measure.0.of"]);
    change("material = \"snow\"", "material = \"ice\"").fails(1, &["fill.1.material", "\"ice\""]);
}

/// The liquid and the snow come from emitters and go out below, each within its own limits.
const OPENINGS: &str = r#"
title = "Two jets and a heap"
end = 0.1
seed = 1
[space]
dimension = 3
gravity = [0.0, -9.81, 0.0]
domain = { min = [-0.5, -0.5, -0.5], max = [1.5, 1.0, 0.5] }
[liquid]
spacing = 0.04
max_particles = 12
[snow]
cell = 0.08
[[snow.material]]
name = "wet"
snow = { kind = "wet" }
[grains]
density = 2650
[grains.contact]
stiffness = 1e5
[[emitter]]
of = "liquid"
shape.disc = { center = [0.0, 0.5, 0.0], direction = [0, -1, 0], radius = 0.06 }
speed = 3
[[emitter]]
of = "snow"
shape.disc = { center = [1.0, 0.5, 0.0], direction = [0, -1, 0], radius = 0.06 }
speed = 3
[[block]]
shape.box = { size = [0.02, 0.02, 0.02] }
origin = [0.45, 0.02, -0.05]
size = [0.1, 0.1, 0.1]
spacing = 0.05
[[outlet]]
of = "snow"
shape.box = { min = [-0.5, -0.5, -0.5], max = [1.5, 0.35, 0.5] }
[[body]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[measure]]
name = "where the grains are"
of = "grains"
layers = { along = "y", thickness = 0.05 }
[output]
every = 0.05
movie = false
[surface]
of = "liquid"
save = "vtk"
[view]
size = [160, 90]
"#;

#[test]
fn openings_layers_and_surfaces_are_of_the_matter_they_name() {
    let folder = Folder::new();
    folder.write("jets.toml", OPENINGS);
    folder.say("run jets.toml --quiet --out jets").succeeds();
    let jets = folder.run("jets");
    let series = Series::read(&jets.0.series()).unwrap();
    let last = |name: &str| {
        let column = series.columns.iter().find(|column| column.name == name);
        *column.unwrap_or_else(|| panic!("no {name}")).values.last().unwrap() as u64
    };
    // The limit of the liquid is not one of snow, and the outlet of snow lets the others be.
    assert_eq!(last("liquid.particles"), 12);
    assert!(last("snow.particles") > 12 && last("grains.particles") == 8);
    assert!(jets.0.surface(2, "vtp").exists());
    let layers = fs::read_to_string(jets.0.measures()).unwrap();
    let counts =
        layers.lines().skip(1).filter_map(|line| line.split(',').nth(2)?.parse::<f64>().ok());
    assert!((counts.sum::<f64>() - 8.0).abs() < 1e-9, "{layers}");
}
