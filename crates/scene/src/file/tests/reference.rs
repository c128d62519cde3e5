//! What the descriptions say holds for every key.

use std::collections::BTreeSet;

use super::{FULL, FULL_GRAINS, FULL_SNOW, SMALL, load_text};
use crate::file::{MAGNITUDES, parameters, parse_scene_text, scene_table};
use lawine_settings::{Default, Kind};

fn without_numbers(key: &str) -> String {
    key.split('.').filter(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join(".")
}

/// The scenes of these tests have every key, so that what they test is tested for all.
#[test]
fn the_full_scenes_have_every_key() {
    let planar = load_text(SMALL, &["view.center=[0,0]", "view.width=1"]).unwrap().scene;
    let full = |text| load_text(text, &[]).unwrap_or_else(|e| panic!("{e}")).scene;
    let mut found = BTreeSet::new();
    for scene in [&planar, &full(FULL), &full(FULL_GRAINS), &full(FULL_SNOW)] {
        for parameter in parameters(scene) {
            let setting = scene_table().find(parameter.key.split('.')).unwrap();
            assert_eq!(setting.help, parameter.setting.help, "{}", parameter.key);
            found.insert(without_numbers(&parameter.key));
        }
    }
    let all = scene_table().all().into_iter();
    let plain = all.filter(|(_, setting)| setting.kind.table().is_none());
    assert_eq!(plain.map(|(key, _)| key).collect::<BTreeSet<_>>(), found);
}

#[test]
fn every_unit_of_a_number_has_magnitudes() {
    for (key, setting) in scene_table().all() {
        if matches!(setting.kind, Kind::Number | Kind::Vector | Kind::List(Kind::Vector, _)) {
            assert!(MAGNITUDES.iter().any(|m| m.unit == setting.unit), "{key} [{}]", setting.unit);
        }
    }
}

/// A default is what a scene without the key gets, and it is in its own range.
#[test]
fn defaults_are_allowed() {
    let scene = parse_scene_text(SMALL).unwrap().to_value();
    let leaves = scene_table().leaves(&scene);
    for key in ["time.growth", "liquid.rest_density", "view.fps", "output.checkpoint_every"] {
        let leaf = leaves.iter().find(|leaf| leaf.key == key).unwrap();
        let Default::Is(default) = leaf.setting.default else { panic!("{key} has a default") };
        assert_eq!(*leaf.value, default());
    }
    for (key, setting) in scene_table().all() {
        if let Default::Is(default) = setting.default
            && let Some(number) = default().number()
        {
            assert!(setting.range.contains(number), "{key}");
        }
    }
}
