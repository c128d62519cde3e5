//! Several matters in one scene: files, bits and messages.

use crate::common::Folder;
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
    let header = series.lines().next().unwrap();
    for column in ["liquid.particles", "snow.kinetic_energy", "grains.potential_energy", "level"] {
        assert!(header.split(',').any(|name| name == column), "{column}: {header}");
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
    change("material = \"snow\"", "material = \"ice\"").fails(1, &["fill.1.material", "\"ice\""]);
}
