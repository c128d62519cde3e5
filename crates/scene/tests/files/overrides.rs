//! Overrides of single keys.

use super::{FULL, SMALL, load_text, message};
use lawine_core::neighbors::SearchKind;
use lawine_scene::file::{Motion, Vector};
use lawine_solvers::sph::settings::{EquationKind, Liquid};

#[test]
fn overrides_reach_every_kind_of_key() {
    let sets = [
        "time.step=0.002",
        "liquid.pressure.equation=tait",
        "liquid.neighbors=\"brute-force\"",
        "space.gravity = [0, -1.6]",
        "fill.0.velocity=[1,0]",
        "title=3 drops",
        "view.fps=24",
        "view.range=[0,1]",
        "output.gif=true",
        "body.0.name=12",
        "end=2",
        "end=3",
    ];
    let scene = load_text(SMALL, &sets).unwrap().scene;
    assert_eq!(scene.time.step, Some(0.002));
    assert_eq!(scene.table::<Liquid>().unwrap().pressure.equation, EquationKind::Tait);
    assert_eq!(scene.table::<Liquid>().unwrap().neighbors, SearchKind::BruteForce);
    assert_eq!(scene.space.gravity, Vector::planar(0.0, -1.6));
    assert_eq!(scene.fill[0].velocity, Vector::planar(1.0, 0.0));
    assert_eq!(scene.title, "3 drops");
    assert_eq!(scene.view.fps, 24);
    assert_eq!(scene.view.range, Some([0.0, 1.0]));
    assert!(scene.output.gif);
    assert_eq!(scene.body[0].name, "12");
    assert_eq!(scene.end.to_bits(), 3.0_f64.to_bits());
}

#[test]
fn overrides_reach_into_lists_and_inline_tables() {
    let sets = [
        "body.1.motion.2.vibration.frequency=3",
        "fill.1.shape.sphere.radius=0.25",
        "fill.2.shape.polyhedron.vertices.0.1=-1",
        "view.camera.fov=50",
        "body.0={ name = \"floor\", shape = { sphere = { center = [0, 0, 0], radius = 1 } } }",
    ];
    let scene = load_text(FULL, &sets).unwrap_or_else(|e| panic!("{e}")).scene;
    let Motion::Vibration(vibration) = &scene.body[1].motion[2] else { panic!("a vibration") };
    assert_eq!(vibration.frequency.to_bits(), 3.0_f64.to_bits());
    assert_eq!(scene.body[0].shape.word(), "sphere");
    assert_eq!(scene.view.camera.unwrap().fov, Some(50.0));
    // Also where the table is not in the file yet.
    let scene = load_text(SMALL, &["liquid.walls.layers=1", "view.size.0=64"]);
    assert!(scene.unwrap_err().to_string().contains("view.size"), "there is no list yet");
}

#[test]
fn bad_overrides_say_so() {
    let starts = |set: &str, expected: &str| {
        let message = message(SMALL, &[set]);
        assert!(message.starts_with(expected), "expected: {expected}\nmessage:  {message}");
    };
    starts("time.clf=1", "--set time.clf=1: time.clf is not a key here (did you mean time.cfl?)");
    starts("tiem.cfl=1", "--set tiem.cfl=1: tiem is not a key here (did you mean time?)");
    starts(
        "liquid.pressure.method=pcisph",
        "--set liquid.pressure.method=pcisph: liquid.pressure.method = \"pcisph\" is not allowed",
    );
    starts(
        "time.cfl=3",
        "--set time.cfl=3: time.cfl = 3 is not allowed; allowed: above 0 and at most 1",
    );
    starts("time.cfl=[1", "--set time.cfl=[1: time.cfl = \"[1\" is not allowed");
    starts(
        "fill.1.carve=true",
        "--set fill.1.carve=true: fill is a list with no entry 1; allowed: 0",
    );
    starts("fill.x=1", "--set fill.x=1: fill is a list with no entry x");
    starts("fill.0=1", "--set fill.0=1: fill.0 = 1 is not allowed; allowed: a table");
    starts("title.x=1", "--set title.x=1: title is a value and has no keys");
    starts(
        "liquid.support=0.005",
        "--set liquid.support=0.005: liquid.support = 0.005 is not allowed",
    );
    starts("probe.0.min={field='x'}", "--set probe.0.min={field='x'}: probe.0 has the keys");
}

#[test]
fn malformed_overrides_are_errors_of_usage() {
    for set in ["", "time.cfl", "=1", "time..cfl=1", "time.cfl=", ".a=1", "a. =1"] {
        let error = load_text(SMALL, &[set]).map(|_| ()).unwrap_err();
        assert!(error.is_usage(), "{set}: {error}");
        assert!(error.to_string().contains("expected KEY=VALUE"), "{error}");
    }
}

/// The CFL meter kept the range of the scene's own colours.
#[test]
fn the_cfl_meter_has_a_range_of_its_own() {
    let text = format!("{SMALL}range = [0.0, 30.0]\n");
    let range = |sets: &[&str]| load_text(&text, sets).unwrap().scene.view.range;
    assert_eq!(range(&["view.colors=turbo"]), Some([0.0, 30.0]));
    assert_eq!(range(&["view.colors=cfl"]), None);
    assert_eq!(range(&["view.colors=cfl", "view.range=[0, 5]"]), Some([0.0, 5.0]));
}
