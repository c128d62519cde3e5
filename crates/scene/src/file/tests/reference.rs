//! The table of keys and the schema say the same.

use std::collections::BTreeSet;

use toml_edit::DocumentMut;

use super::{FULL, FULL_GRAINS, FULL_SNOW, SMALL, load_text};
use crate::file::{Fields, Kind, SceneFile, find, parameters, scene_fields};

/// Paths of all keys that hold values, with `#` for the number of an entry of a list.
fn described(fields: &'static Fields, path: &str, keys: &mut BTreeSet<String>) {
    for entry in fields.iter() {
        let key = format!("{path}{}", entry.name);
        match entry.kind {
            Kind::Table(inner) => described(inner, &format!("{key}."), keys),
            Kind::Tables(inner) => described(inner, &format!("{key}.#."), keys),
            _ => {
                assert!(!entry.help.is_empty(), "{key} has help");
                keys.insert(key);
            }
        }
    }
}

fn without_numbers(key: &str) -> String {
    let parts = key.split('.').map(|part| if part.parse::<usize>().is_ok() { "#" } else { part });
    parts.collect::<Vec<_>>().join(".")
}

#[test]
fn every_key_is_described_and_every_description_has_a_key() {
    let mut expected = BTreeSet::new();
    described(scene_fields(), "", &mut expected);
    let planar = load_text(SMALL, &["view.center=[0,0]", "view.width=1"]).unwrap().scene;
    let full = |text| load_text(text, &[]).unwrap_or_else(|e| panic!("{e}")).scene;
    let mut found = BTreeSet::new();
    for scene in [&planar, &full(FULL), &full(FULL_GRAINS), &full(FULL_SNOW)] {
        let listed = parameters(scene).unwrap();
        // The list leaves out what is not described: nothing may be lost on the way.
        let text: DocumentMut = scene.to_toml().unwrap().parse().unwrap();
        let keys: BTreeSet<_> = listed.iter().map(|parameter| parameter.key.clone()).collect();
        assert_eq!(keys, leaves(text.as_item(), "").into_iter().collect());
        for parameter in listed {
            let entry = find(parameter.key.split('.')).unwrap();
            assert_eq!(entry.help, parameter.help);
            found.insert(without_numbers(&parameter.key));
        }
    }
    assert_eq!(expected, found);
}

/// The paths of the values in a document; a list without tables is one value.
fn leaves(item: &toml_edit::Item, path: &str) -> Vec<String> {
    if let Some(table) = item.as_table_like() {
        let key = |name: &str| if path.is_empty() { name.into() } else { format!("{path}.{name}") };
        return table.iter().flat_map(|(name, inner)| leaves(inner, &key(name))).collect();
    }
    match find(path.split('.')).unwrap_or_else(|| panic!("{path} is described")).kind {
        Kind::Tables(_) => (0..)
            .map_while(|i| item.get(i).map(|inner| leaves(inner, &format!("{path}.{i}"))))
            .flatten()
            .collect(),
        _ => vec![path.into()],
    }
}

#[test]
fn serde_requires_what_the_table_requires() {
    let mut tried = 0;
    for text in [FULL, FULL_GRAINS, FULL_SNOW] {
        let document: DocumentMut = text.parse().unwrap();
        each_key(scene_fields(), &mut Vec::new(), &document, &mut |path, required| {
            let mut copy = document.clone();
            let (last, parents) = path.split_last().unwrap();
            let mut item = copy.as_item_mut();
            for part in parents {
                item = match part.parse::<usize>() {
                    Ok(number) => item.get_mut(number).unwrap(),
                    Err(_) => item.as_table_like_mut().unwrap().get_mut(part).unwrap(),
                };
            }
            assert!(item.as_table_like_mut().unwrap().remove(last).is_some());
            let result = toml_edit::de::from_str::<SceneFile>(&copy.to_string());
            assert_eq!(result.is_err(), required, "{path:?}: {result:?}");
            tried += 1;
        });
    }
    assert!(tried > 230, "only {tried} keys were tried");
}

/// Visits every key of a document that the table describes.
fn each_key(
    fields: &'static Fields,
    path: &mut Vec<String>,
    document: &DocumentMut,
    visit: &mut dyn FnMut(&[String], bool),
) {
    let at = |path: &[String]| {
        path.iter().try_fold(document.as_item(), |item, part| match part.parse::<usize>() {
            Ok(number) => item.get(number),
            Err(_) => item.get(part.as_str()),
        })
    };
    for entry in fields.iter() {
        path.push(entry.name.into());
        if let Some(item) = at(path) {
            let is_choice = fields.one_of.iter().any(|choice| choice.name == entry.name);
            visit(path, entry.required || is_choice);
            match entry.kind {
                Kind::Table(inner) => each_key(inner, path, document, visit),
                Kind::Tables(inner) => {
                    for i in (0..).take_while(|&i: &usize| item.get(i).is_some()) {
                        path.push(i.to_string());
                        each_key(inner, path, document, visit);
                        path.pop();
                    }
                }
                _ => {}
            }
        }
        path.pop();
    }
}
