//! A scene that is written and read again is the same scene.

use proptest::prelude::*;

use super::{FULL, FULL_GRAINS, SMALL, load_text};
use lawine_scene::builtin;
use lawine_scene::file::{SceneFile, Vector, parse_scene_text};
use lawine_solvers::sph::settings::Liquid;

#[track_caller]
fn assert_round_trip(scene: &SceneFile) {
    let text = scene.to_toml();
    let again = parse_scene_text(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(scene, &again, "{text}");
    assert_eq!(text, again.to_toml());
}

#[test]
fn scenes_survive_writing_and_reading() {
    for name in builtin::names() {
        assert_round_trip(&parse_scene_text(builtin::get(name).unwrap()).unwrap());
    }
    assert_round_trip(&parse_scene_text(FULL).unwrap());
    assert_round_trip(&parse_scene_text(FULL_GRAINS).unwrap());
    assert_round_trip(&load_text(SMALL, &["view.width=1", "view.center=[0,1]"]).unwrap().scene);
}

#[test]
fn written_scenes_spell_out_defaults() {
    let text = parse_scene_text(SMALL).unwrap().to_toml();
    for line in [
        "seed = 1",
        "leaving = \"error\"",
        "support = 0.02",
        "exponent = 7.0",
        "layers = 3",
        "velocity = [0.0, 0.0]",
        "fps = 30",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn vectors_keep_their_count() {
    let text = SMALL.replace("gravity = [0.0, -9.81]", "gravity = [0, -9.81, 0]");
    let scene = parse_scene_text(&text).unwrap();
    assert_eq!(scene.space.gravity, Vector::full(0.0, -9.81, 0.0));
    assert_round_trip(&scene);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_numbers_survive(
        spacing in 1e-3..1e3_f64,
        end in 1e-3..1e6_f64,
        viscosity in 0.0..1e-3_f64,
        seed in 0..i64::MAX as u64,
        x in -1e6..1e6_f64,
        title in "\\PC{0,20}[a-z]",
        watch in any::<String>(),
    ) {
        let mut scene = parse_scene_text(SMALL).unwrap();
        let liquid = scene.table_mut::<Liquid>().unwrap();
        liquid.spacing = spacing;
        liquid.support = None;
        liquid.viscosity = viscosity;
        scene.end = end;
        scene.output.every = end / 10.0;
        scene.seed = seed;
        scene.space.gravity = Vector::planar(x, -x / 3.0);
        scene.title = title;
        scene.watch = watch;
        scene.resolve();
        assert_round_trip(&scene);
    }
}
