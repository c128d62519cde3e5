//! Grains from scene files: what is made, and what is refused in which words.

use crate::build::{Built, build};
use crate::file::{Source, load};
use crate::select::Selection;
use lawine_core::FieldValues;

fn scene(more: &str) -> String {
    format!(
        "title = 'Test'\nend = 1\nseed = 3\n[space]\ndimension = 3\ngravity = [0, 0, 0]\n\
         [time]\nstep = 1e-3\n[grains]\ndensity = 1000\n{more}"
    )
}

fn try_build(text: &str) -> Result<Built, String> {
    let source = Source::Text { name: "test.toml".into(), text: text.into() };
    load(&source, &[]).and_then(|loaded| build(&loaded)).map_err(|e| e.to_string())
}

#[track_caller]
fn refused(more: &str, expected: &[&str]) {
    let message = try_build(&scene(more)).map(|_| ()).unwrap_err();
    for text in expected {
        assert!(message.contains(text), "expected: {text}\nmessage:  {message}");
    }
}

fn values(built: &Built, field: &str) -> Vec<f64> {
    let fields = built.simulation.methods[0].fields();
    Selection::new(&fields, field).unwrap().iter().collect()
}

/// A block of 1,000 places, with more lines.
fn block(more: &str) -> String {
    format!("[[block]]\norigin = [0, 0, 0]\nsize = [1, 1, 1]\nspacing = 0.1\n{more}\n")
}

#[test]
fn a_block_holds_as_many_grains_as_fit_and_no_more() {
    let cubes = "shape.platonic = { solid = 'cube', radius = 0.05 }\n";
    let built = try_build(&scene(&block(cubes))).unwrap();
    assert_eq!((built.simulation.particle_count(), built.grain_surfaces.len()), (1000, 1));
    let some = try_build(&scene(&block(&format!("{cubes}count = 7")))).unwrap();
    assert_eq!(some.simulation.particle_count(), 7);
    refused(
        &block(&format!("{cubes}count = 1001")),
        &["test.toml:16: ", "block.0.count = 1001 is not allowed; allowed: at most 1000"],
    );
    let large = "shape.platonic = { solid = 'cube', radius = 0.06 }\n";
    refused(&block(large), &["block.0.spacing = 0.1 is not allowed; allowed: at least 1.2"]);
    // Boxes that stand in rows need only their edges' length.
    let boxes = "shape.box = { size = [0.1, 0.1, 0.1] }\nturned = false";
    assert_eq!(try_build(&scene(&block(boxes))).unwrap().simulation.particle_count(), 1000);
}

/// Random shapes may be longer than the spacing; whatever the seed, there is room for them.
#[test]
fn every_built_in_scene_with_grains_builds_for_every_seed() {
    for name in crate::builtin::names() {
        let text = crate::builtin::get(name).unwrap();
        if !text.contains("[grains]") || !text.contains("[[block]]") {
            continue;
        }
        for seed in 1..=12 {
            let source = Source::BuiltIn(name.into());
            let built = load(&source, &[format!("seed={seed}")]).and_then(|scene| build(&scene));
            assert!(built.is_ok(), "{name}, seed {seed}: {}", built.err().unwrap());
        }
    }
}

#[test]
fn random_grains_that_fit_in_no_way_are_refused() {
    let large =
        "shape.ellipsoid = { half_axes = [0.1, 0.1, 0.1], vertices = 30, spread = 'random' }";
    refused(&block(large), &["block.0.spacing = 0.1 is not allowed; allowed: at least 2.1"]);
}

#[test]
fn a_fill_holds_grains_of_all_shapes_where_there_is_room() {
    let grains = "[[grain]]\nshape.platonic = { solid = 'cube', radius = 0.05 }\n\
        position = [0.1, 0.1, 0.1]\n\
        [[grain]]\nshape.platonic = { solid = 'tetrahedron', radius = 0.03 }\n\
        position = [0.45, 0.45, 0.45]\n\
        [[body]]\nname = 'floor'\nshape.box = { min = [-1, -1, -1], max = [2, 0.3, 2] }\n";
    let fill = |max: f64| {
        format!(
            "{grains}[[fill]]\nshape.box = {{ min = [0, 0, 0], max = [{max}, {max}, {max}] }}\n\
             velocity = [1, 0, 0]\n"
        )
    };
    let built = try_build(&scene(&fill(1.0))).unwrap();
    // 9³ places, of which 3 layers lie in the floor, and one is the tetrahedron's.
    let count = built.simulation.particle_count();
    assert!((2 + 9 * 9 * 6 - 8..2 + 9 * 9 * 6).contains(&count), "{count}");
    let shapes = values(&built, "shape");
    assert!(shapes[2..].contains(&0.0) && shapes[2..].contains(&1.0));
    assert!(values(&built, "velocity.x")[2..].iter().all(|&v| (v - 1.0).abs() < 1e-12));
    refused(&fill(0.3), &["fill.0.shape", "has no room for a grain, which is up to 1.0"]);
}

#[test]
fn sizes_and_shapes_are_drawn_from_the_seed_and_shared() {
    let grains = |sizes: &str| {
        block(&format!(
            "shape.ellipsoid = {{ half_axes = [0.04, 0.03, 0.02], vertices = 12 }}\nsizes = {sizes}"
        ))
    };
    let count = |sizes: &str| try_build(&scene(&grains(sizes))).unwrap().grain_surfaces.len();
    assert_eq!(count("{ fixed = { size = 0.5 } }"), 1);
    assert_eq!(count("{ two-components = { first = 0.5, second = 1, fraction = 0.9 } }"), 2);
    assert_eq!(count("{ uniform = { min = 0.5, max = 1 } }"), 32);
    let text = scene(&grains("{ two-components = { first = 0.5, second = 1, fraction = 0.9 } }"));
    let (one, two) = (try_build(&text).unwrap(), try_build(&text).unwrap());
    let shapes = values(&one, "shape");
    assert_eq!(shapes, values(&two, "shape"));
    let small = shapes.iter().filter(|s| **s < 0.5).count();
    assert!((860..940).contains(&small), "{small}");
    assert_eq!(values(&one, "orientation.x"), values(&two, "orientation.x"));
}

#[test]
fn single_grains_stand_as_they_are_described() {
    let built = try_build(&scene(
        "[[grain]]\nshape.box = { size = [1, 2, 3] }\nposition = [1, 2, 3]\n\
         angular_velocity = [0, 0, 2]\norientation = { axis = [0, 0, 1], angle = 90 }\n\
         [[grain]]\nshape.box = { size = [1, 2, 3] }\nposition = [9, 2, 3]\ndensity = 500\n",
    ))
    .unwrap();
    // Turned by 90° about z, the box is 2 m wide and 1 m high, and turns about z with 13/12 m.
    let fields = built.simulation.methods[0].fields();
    let places = crate::grain_surface::GrainPoses::of(&fields).unwrap();
    let (_, surface, x, q) = places.each(&built.grain_surfaces).next().unwrap();
    let bounds = lawine_core::geometry::Aabb::from_points(surface.placed(x, q));
    assert!((bounds.size() - glam::DVec3::new(2.0, 1.0, 3.0)).length() < 1e-12);
    let energy = values(&built, "kinetic_energy");
    assert!((energy[0] - 0.5 * 6000.0 * 5.0 / 12.0 * 4.0).abs() < 1e-9, "{energy:?}");
    assert!(energy[1].abs() < 1e-12);
    let momentum = built.simulation.methods[0].momentum().unwrap();
    assert!((momentum.angular.z - 6000.0 * 5.0 / 12.0 * 2.0).abs() < 1e-9);
    let FieldValues::Quat(_) = fields.iter().find(|f| f.name == "orientation").unwrap().values
    else {
        panic!("orientations are quaternions")
    };
}

#[test]
fn meshes_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let good = write("good.obj", &format!("{corners}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
    let open = write("open.obj", &format!("{corners}f 1 3 2\nf 1 2 4\nf 1 4 3\n"));
    let inverted = write("inverted.obj", &format!("{corners}f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"));
    let grain = |file: &std::path::Path, convex: &str| {
        format!(
            "[[grain]]\nposition = [0, 0, 0]\nshape.mesh = {{ file = {file:?}, scale = 0.1, \
             convex = '{convex}' }}\n"
        )
    };
    for convex in ["hull", "parts"] {
        let built = try_build(&scene(&grain(&good, convex))).unwrap();
        assert_eq!(built.simulation.particle_count(), 1);
        refused(&grain(&open, convex), &["grain.0.shape.mesh.file", "not closed: 3 edges"]);
        refused(&grain(&inverted, convex), &["grain.0.shape.mesh.file", "face inwards"]);
    }
    refused(&grain(&folder.path().join("none.obj"), "hull"), &["grain.0.shape.mesh.file"]);
}

#[test]
fn a_period_must_hold_two_grains() {
    let text = scene("[[grain]]\nposition = [0, 0, 0]\nshape.box = { size = [1, 1, 1] }\n").replace(
        "gravity = [0, 0, 0]",
        "gravity = [0, 0, 0]\nperiodic = ['y']\ndomain = { min = [-9, -1, -9], max = [9, 1, 9] }",
    );
    let message = try_build(&text).map(|_| ()).unwrap_err();
    assert!(message.contains("space.domain = 2 m along y is not allowed"), "{message}");
}

#[test]
fn the_clock_starts_where_the_scene_says() {
    let text = scene("[[grain]]\nposition = [0, 0, 0]\nshape.box = { size = [1, 1, 1] }\n")
        .replace("end = 1\n", "start = 0.5\nend = 1\n");
    let mut built = try_build(&text).unwrap();
    assert!((built.simulation.time() - 0.5).abs() < 1e-15);
    built.simulation.advance_to(0.51, &mut []).unwrap();
    assert_eq!(built.simulation.steps(), 10);
}

#[test]
fn a_hopper_that_no_grain_gets_through_is_warned_of() {
    let hopper = |mouth: f64| {
        let wall = |name: &str, low: f64| {
            let high = low + 1.0;
            format!(
                "[[body]]\nname = '{name}'\nshape.box = {{ min = [{low}, 0, -1], max = [{high}, 1, 1] }}\n"
            )
        };
        let text = format!(
            "[grains.contact]\nstiffness = 1e3\n[[grain]]\nshape.box = {{ size = [0.4, 0.2, 0.3] }}\n\
             position = [0, 2, 0]\n{}{}[[outlet]]\nshape.box = {{ min = [-1, -2, -1], max = [1, -1, 1] }}\n",
            wall("left", -1.0 - 0.5 * mouth),
            wall("right", 0.5 * mouth)
        );
        try_build(&scene(&text)).unwrap().warnings
    };
    assert_eq!(hopper(0.21), Vec::<String>::new());
    let [warning] = &hopper(0.19)[..] else { panic!("one mouth, one warning") };
    assert!(warning.contains("between \"left\" and \"right\" is 1.9000e-1 m wide"), "{warning}");
    assert!(warning.contains("narrowest grain, 2.0000e-1 m"), "{warning}");
}

/// Two boxes of 1 m over a floor, the second on top of the first at a distance [m].
fn boxes(gap: f64, more: &str) -> String {
    let at =
        |y: f64| format!("[[grain]]\nshape.box = {{ size = [1, 1, 1] }}\nposition = [0, {y}, 0]\n");
    format!(
        "{}{}[[body]]\nname = 'floor'\nshape.box = {{ min = [-2, -1, -2], max = [2, 0, 2] }}\n{more}",
        at(0.5),
        at(1.5 + gap)
    )
}

#[test]
fn grains_that_overlap_and_steps_that_are_too_long_are_refused() {
    let contact = "[grains.contact]\nstiffness = 1e6\n";
    refused(&boxes(-0.1, contact), &["grain 0", "overlaps grain 1", "move them apart"]);
    assert!(try_build(&scene(&boxes(-0.1, ""))).is_ok(), "without contacts they may");
    let sunk = boxes(0.1, contact).replace("max = [2, 0, 2]", "max = [2, 0.2, 2]");
    refused(&sunk, &["grain 0", "the body \"floor\""]);
    let long = scene(&boxes(0.1, contact)).replace("step = 1e-3", "step = 0.5");
    let message = try_build(&long).map(|_| ()).unwrap_err();
    assert!(message.contains("time.step = 0.5 is not allowed; allowed: at most"), "{message}");
    let short = scene(&boxes(0.1, contact)).replace("step = 1e-3", "step = 3e-4");
    assert!(try_build(&short).is_ok());
}

#[test]
fn a_box_falls_on_another_and_the_energy_is_accounted_for() {
    let contact =
        "[grains.contact]\nlaw = 'v2'\nstiffness = 1e9\nrestitution = 0.3\nfriction = 0.5\n";
    let text = scene(&boxes(0.2, contact))
        .replace("[0, 0, 0]\n[time]", "[0, -10, 0]\n[time]")
        .replace("step = 1e-3", "step = 5e-5");
    let mut built = try_build(&text).unwrap();
    let simulation = &mut built.simulation;
    let balance = |simulation: &lawine_core::simulation::Simulation| {
        let accounts = simulation.methods[0].accounts(&simulation.env);
        let value = |name| accounts.iter().find(|a| a.name == name).unwrap().value;
        (value("energy_balance"), value("damping_loss"))
    };
    simulation.advance_to(1e-3, &mut []).unwrap();
    let (before, _) = balance(simulation);
    simulation.advance_to(1.5, &mut []).unwrap();
    let (after, damping) = balance(simulation);
    // One tonne falls by 0.2 m; the boxes give way by less than a millimetre.
    assert!((after - before).abs() < 0.01 * 2000.0, "{before} J, {after} J");
    assert!((damping - 2000.0).abs() < 200.0, "{damping} J");
    let floor = simulation.env.bodies[0].force.y;
    assert!((floor + 2e4).abs() < 500.0, "the floor carries two tonnes: {floor} N");
}
