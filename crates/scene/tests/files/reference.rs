//! What the descriptions say holds for every key.

use super::SMALL;
use lawine_scene::builtin;
use lawine_scene::file::{MAGNITUDES, SceneFile, parse_scene_text, scene_table};
use lawine_settings::{Data, Default, Kind, Value, read, samples};
use std::collections::{BTreeMap, BTreeSet};

/// The leaves of a file.
fn leaves(file: &Value) -> BTreeMap<String, Value> {
    let leaves = scene_table().leaves(file).into_iter();
    leaves.map(|leaf| (leaf.key, leaf.value.clone())).collect()
}

fn without_numbers(key: &str) -> String {
    key.split('.').filter(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join(".")
}

#[test]
fn every_key_and_every_word_is_read_and_written() {
    let mut found = BTreeSet::new();
    for file in samples(scene_table()) {
        let scene: SceneFile = read(&file, MAGNITUDES).unwrap_or_else(|e| panic!("{e:?}\n{file}"));
        let written = scene.write().unwrap();
        assert_eq!(leaves(&file), leaves(&written));
        found.extend(leaves(&file).keys().map(|key| without_numbers(key)));
    }
    let all = scene_table().all().into_iter();
    let plain = all.filter(|(_, setting)| setting.kind.table().is_none());
    assert_eq!(plain.map(|(key, _)| key).collect::<BTreeSet<_>>(), found);
}

/// Replaces the value at a path.
fn put(file: &mut Value, path: &str, new: Value) {
    let mut place = file;
    for part in path.split('.') {
        place = match place {
            Value::Table(keys) => {
                let found = keys.iter_mut().find(|(name, _)| name == part);
                &mut found.unwrap_or_else(|| panic!("{path}")).1
            }
            Value::List(list) => &mut list[part.parse::<usize>().unwrap()],
            _ => panic!("{path}"),
        };
    }
    *place = new;
}

/// The end of a range is allowed where it belongs to it, and a number beyond is refused by its key.
#[test]
fn every_range_is_true() {
    let mut ends = BTreeSet::new();
    for file in samples(scene_table()) {
        for leaf in scene_table().leaves(&file) {
            let whole = match leaf.setting.kind {
                Kind::Number => false,
                Kind::Count(_) => true,
                _ => continue,
            };
            let bounds = [(leaf.setting.range.low, -1.0), (leaf.setting.range.high, 1.0)];
            for (bound, beyond) in bounds {
                let Some(bound) = bound else { continue };
                if !ends.insert((leaf.key.clone(), beyond > 0.0)) {
                    continue;
                }
                let refused = |x: f64| {
                    let mut file = file.clone();
                    let value = if whole { Value::Integer(x as i64) } else { Value::Number(x) };
                    put(&mut file, &leaf.key, value);
                    let found = read::<SceneFile>(&file, MAGNITUDES).err().unwrap_or_default();
                    found.into_iter().map(|problem| problem.key).collect::<Vec<_>>()
                };
                let is_allowed = refused(bound.value).is_empty();
                assert_eq!(is_allowed, bound.inclusive, "{} = {}", leaf.key, bound.value);
                assert_eq!(refused(bound.value + beyond), [leaf.key.as_str()]);
            }
        }
    }
    assert!(ends.len() > 100, "{} ends of ranges", ends.len());
}

/// The reference says of every key what it is, and what holds without it.
#[test]
fn every_key_has_a_default_or_must_be_given() {
    let all = scene_table().all();
    let tables =
        all.iter().filter_map(|(path, setting)| Some((path.as_str(), setting.kind.table()?)));
    for (path, table) in tables.chain([("", scene_table())]) {
        for setting in table.side_by_side() {
            let is_told = !matches!(setting.default, Default::Open(""));
            assert!(is_told && !setting.help.is_empty(), "{path}.{}", setting.name);
        }
    }
}

#[test]
fn no_built_in_scene_has_a_key_of_other_matter() {
    for name in builtin::names() {
        let scene = parse_scene_text(builtin::get(name).unwrap()).unwrap();
        let value = scene.to_value();
        for leaf in scene_table().leaves(&value) {
            let along = scene_table().along(leaf.key.split('.')).unwrap();
            assert!(along.iter().all(|setting| scene.has(setting)), "{name}: {}", leaf.key);
        }
    }
    let grains = parse_scene_text(builtin::get("sand-drum").unwrap()).unwrap();
    assert!(!grains.to_toml().contains("cfl"));
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
