//! Every parameter of a scene, from the description of the scene file: key, unit, help and value.

use lawine_scene::file::{SceneFile, parameters, scene_table};
pub use lawine_scene::matter::choices::written;
use lawine_settings::{Kind, Setting, Table};

/// A parameter, given or not.
#[derive(Clone, Debug)]
pub struct Row {
    /// Path of the key, such as `liquid.spacing`.
    pub key: String,
    /// Its kind, unit and help.
    pub setting: &'static Setting,
    /// Its value as the file spells it; `None` where the scene leaves it open.
    pub value: Option<String>,
}

/// The parameters of a table of the scene, or of an entry of a list.
#[derive(Clone, Debug)]
pub struct Section {
    /// The table, such as `liquid` or `body.0`; empty for the top.
    pub table: String,
    /// A sentence on it.
    pub help: &'static str,
    /// Its parameters, those of tables below included.
    pub rows: Vec<Row>,
}

impl Row {
    /// The key without its table.
    pub fn name(&self, table: &str) -> &str {
        self.key.strip_prefix(table).map_or(&self.key, |rest| rest.trim_start_matches('.'))
    }

    /// The value as numbers, for numbers and vectors.
    pub fn numbers(&self) -> Vec<f64> {
        self.value.as_deref().map(numbers).unwrap_or_default()
    }
}

/// The numbers in the text of a number or of a list of numbers.
pub fn numbers(text: &str) -> Vec<f64> {
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    inner.split(',').filter_map(|x| x.trim().replace('_', "").parse().ok()).collect()
}

/// Numbers as a scene file spells them: one alone, or a list.
pub fn written_list(numbers: &[f64]) -> String {
    let written: Vec<String> = numbers.iter().map(|&x| written(x)).collect();
    format!("[{}]", written.join(", "))
}

/// Whether a key and the tables around it mean something for the matter of a scene.
fn belongs(key: &str, scene: &SceneFile) -> bool {
    let along = scene_table().along(key.split('.')).unwrap_or_default();
    along.iter().all(|setting| scene.has(setting))
}

/// All parameters of a scene that belong to its matter, table by table, in the order of the file.
pub fn sections(scene: &SceneFile) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for parameter in parameters(scene) {
        if !belongs(&parameter.key, scene) {
            continue;
        }
        let table = table_of(&parameter.key);
        if sections.last().is_none_or(|last| last.table != table) {
            sections.push(Section { help: help_of(&table), table, rows: Vec::new() });
        }
        if let Some(section) = sections.last_mut() {
            let (setting, value) = (parameter.setting, Some(parameter.value));
            section.rows.push(Row { key: parameter.key, setting, value });
        }
    }
    sections.iter_mut().for_each(|section| add_options(section, scene));
    sections
}

/// The table, or the entry of a list, that a key belongs to at the top of the file.
fn table_of(key: &str) -> String {
    let parts: Vec<&str> = key.split('.').collect();
    match parts[..] {
        [_] | [] => String::new(),
        [list, number, ..] if number.parse::<usize>().is_ok() => format!("{list}.{number}"),
        [table, ..] => table.to_owned(),
    }
}

fn help_of(table: &str) -> &'static str {
    scene_table().find(table.split('.').take(1)).map_or("the scene", |setting| setting.help)
}

/// Adds the keys that the scene leaves open, in each table that it has, behind those of the table that it gives.
fn add_options(section: &mut Section, scene: &SceneFile) {
    let mut tables = vec![section.table.clone()];
    for row in &section.rows {
        let dots = row.key.match_indices('.').map(|(i, _)| row.key[..i].to_owned());
        tables.extend(dots.filter(|table| table.len() > section.table.len()));
    }
    tables.sort();
    tables.dedup();
    for table in tables {
        let Some(known) = settings_of(&table) else { continue };
        let options = known.side_by_side().filter(|setting| setting.kind.table().is_none());
        for setting in options {
            let key = lawine_settings::join(&table, setting.name);
            if belongs(&key, scene) && section.rows.iter().all(|row| row.key != key) {
                let last = section.rows.iter().rposition(|row| parent(&row.key) == table);
                let place = last.map_or(section.rows.len(), |last| last + 1);
                section.rows.insert(place, Row { key, setting, value: None });
            }
        }
    }
}

/// The table that a key is in.
fn parent(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(table, _)| table)
}

/// What may stand in a table; nothing for a whole list.
fn settings_of(table: &str) -> Option<&'static Table> {
    if table.is_empty() {
        return Some(scene_table());
    }
    let setting = scene_table().find(table.split('.'))?;
    let is_entry = !parent(table).is_empty() && table.ends_with(|c: char| c.is_ascii_digit());
    match setting.kind {
        Kind::List(..) if !is_entry => None,
        kind => kind.table(),
    }
}

/// A value to begin with when a key that was left open is given.
pub fn first_value(kind: Kind, dimension: u32) -> String {
    let zeros = if dimension == 2 { "[0.0, 0.0]" } else { "[0.0, 0.0, 0.0]" };
    match kind {
        Kind::Number => "0.001".to_owned(),
        Kind::Count(_) => "1".to_owned(),
        Kind::Flag => "false".to_owned(),
        Kind::Word(words) => format!("{:?}", words.first().map_or("", |word| word.word)),
        Kind::Vector => zeros.to_owned(),
        Kind::List(Kind::Number, Some(2)) => "[0.0, 1.0]".to_owned(),
        _ => "\"\"".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_scene::builtin;
    use lawine_scene::file::{Source, load, parse_scene_text};

    fn dam() -> SceneFile {
        parse_scene_text(builtin::get("dam-break").unwrap()).unwrap()
    }

    fn find_row<'a>(sections: &'a [Section], key: &str) -> &'a Row {
        sections.iter().flat_map(|s| &s.rows).find(|row| row.key == key).unwrap()
    }

    #[test]
    fn every_parameter_has_unit_and_help() {
        let sections = sections(&dam());
        let spacing = find_row(&sections, "liquid.spacing");
        assert_eq!((spacing.setting.unit, spacing.numbers()), ("m", vec![0.005]));
        let gravity = find_row(&sections, "space.gravity");
        assert_eq!((gravity.setting.unit, gravity.numbers()), ("m/s²", vec![0.0, -9.81]));
        assert_eq!(gravity.name("space"), "gravity");
        for row in sections.iter().flat_map(|s| &s.rows) {
            assert!(!row.setting.help.is_empty(), "{}", row.key);
        }
    }

    #[test]
    fn keys_that_are_left_open_are_offered_and_can_be_given() {
        let sections = sections(&dam());
        assert_eq!(find_row(&sections, "liquid.pressure.stiffness").value, None);
        let row = find_row(&sections, "time.step");
        assert_eq!(row.value, None);
        let change = format!("{}={}", row.key, first_value(row.setting.kind, 2));
        let source = Source::BuiltIn("dam-break".to_owned());
        assert_eq!(load(&source, &[change]).unwrap().scene.time.step, Some(0.001));
    }

    #[test]
    fn values_can_be_written_back_as_they_are() {
        for name in builtin::names() {
            let scene = parse_scene_text(builtin::get(name).unwrap()).unwrap();
            let text = scene.to_toml();
            let changes: Vec<String> = sections(&scene)
                .iter()
                .flat_map(|section| &section.rows)
                .filter_map(|row| Some(format!("{}={}", row.key, row.value.as_ref()?)))
                .collect();
            let again = load(&Source::Text { name: name.to_owned(), text }, &changes).unwrap();
            assert_eq!(again.scene, scene, "{name}");
        }
    }

    #[test]
    fn numbers_are_read_and_written() {
        assert_eq!(numbers("[1.0, -2.5e3]"), [1.0, -2500.0]);
        assert_eq!(numbers("1_000"), [1000.0]);
        assert_eq!(written(0.1 + 0.2), "0.3");
        assert_eq!(written(2.0), "2.0");
        assert_eq!(written_list(&[1.0, 0.5]), "[1.0, 0.5]");
    }

    #[test]
    fn only_what_belongs_to_the_matter_is_shown() {
        let tables = |name: &str| {
            let scene = parse_scene_text(builtin::get(name).unwrap()).unwrap();
            let keys = |s: Section| s.rows.into_iter().map(|row| row.key);
            sections(&scene).into_iter().flat_map(keys).collect::<Vec<_>>()
        };
        let has = |keys: &[String], start: &str| keys.iter().any(|key| key.starts_with(start));
        let (liquid, snow, grains) = (tables("dam-break"), tables("hare"), tables("sand-drum"));
        for table in ["liquid.", "liquid.pressure.", "liquid.walls.", "liquid.kernel"] {
            assert!(has(&liquid, table), "{table}");
            assert!(!has(&snow, table) && !has(&grains, table), "{table}");
        }
        for table in ["snow.", "snow.material.0.", "fill.0.material", "body.0.sticking"] {
            assert!(has(&snow, table), "{table}");
            assert!(!has(&liquid, table) && !has(&grains, table), "{table}");
        }
        for table in ["grains.", "block.0.", "grains.contact.", "body.0.material"] {
            assert!(has(&grains, table), "{table}");
            assert!(!has(&liquid, table) && !has(&snow, table), "{table}");
        }
    }
}
