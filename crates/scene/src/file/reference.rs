//! The description of every key of a scene file: its kind, its unit, a sentence of help.
//!
//! The tables in [`super::tables`] hold the description; a test holds them against the schema, so
//! that neither can change without the other. Error messages take allowed keys and words from
//! here, and reports take units and help.

use toml_edit::{Item, Value};

use super::error::SceneError;
use super::schema::SceneFile;
use super::tables::SCENE;
use super::write::document;

/// The keys of a table.
#[derive(Debug)]
pub struct Fields {
    /// Keys that may stand side by side.
    pub entries: &'static [Entry],
    /// Keys of which there must be exactly one; empty for most tables.
    pub one_of: &'static [Entry],
}

impl Fields {
    /// The description of a key of this table.
    pub fn get(&self, name: &str) -> Option<&'static Entry> {
        self.iter().find(|entry| entry.name == name)
    }

    /// Every key of this table.
    pub fn iter(&self) -> impl Iterator<Item = &'static Entry> + use<> {
        self.entries.iter().chain(self.one_of)
    }
}

/// The description of a key.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The key, without the tables it is in.
    pub name: &'static str,
    /// Whether a scene without it is refused.
    pub required: bool,
    /// What kind of value it has.
    pub kind: Kind,
    /// The unit, for example `m/s²`; empty for pure numbers and for what is not a number.
    pub unit: &'static str,
    /// A sentence on what it is, without the unit.
    pub help: &'static str,
}

impl Entry {
    /// The magnitudes that its numbers may have, by their unit; none for a unit without numbers.
    pub fn magnitudes(&self) -> Option<&'static Magnitudes> {
        MAGNITUDES.iter().find(|range| range.unit == self.unit)
    }
}

/// How small and how large the numbers of a unit may be. Zero is no magnitude: whether it is allowed,
/// and which sign, is up to the key.
#[derive(Clone, Copy, Debug)]
pub struct Magnitudes {
    /// The unit, as in [`Entry::unit`].
    pub unit: &'static str,
    /// The smallest magnitude of a single number; those of vectors may be smaller.
    pub least: f64,
    /// The largest magnitude.
    pub most: f64,
}

/// The magnitudes of every unit: far beyond what anybody simulates, and near enough that sums, squares
/// and products of a few such numbers neither overflow nor vanish.
pub const MAGNITUDES: &[Magnitudes] = &[
    Magnitudes { unit: "", least: 1e-12, most: 1e12 },
    Magnitudes { unit: "m", least: 1e-9, most: 1e6 },
    Magnitudes { unit: "m³", least: 1e-27, most: 1e6 },
    Magnitudes { unit: "s", least: 1e-12, most: 1e9 },
    Magnitudes { unit: "1/s", least: 1e-9, most: 1e9 },
    Magnitudes { unit: "m/s", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "m/s²", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "m²/s", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "rad", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "rad/s", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "°", least: 1e-9, most: 1e6 },
    Magnitudes { unit: "°/s", least: 1e-9, most: 1e6 },
    Magnitudes { unit: "kg/m³", least: 1e-6, most: 1e6 },
    Magnitudes { unit: "N/m", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "Pa", least: 1e-9, most: 1e15 },
];

/// The kind of value of a key.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number.
    Number,
    /// A whole number from zero to the given one.
    Count(u64),
    /// `true` or `false`.
    Flag,
    /// Text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of some of these words.
    Words(&'static [&'static str]),
    /// Two or three numbers.
    Vector,
    /// A list of vectors.
    Vectors,
    /// A list of numbers.
    Numbers,
    /// A list of texts.
    Texts,
    /// A list of values of any kind but tables.
    Values,
    /// A list of lists of numbers.
    Rows,
    /// Exactly two numbers.
    Pair,
    /// Exactly two whole numbers.
    Size,
    /// A table.
    Table(&'static Fields),
    /// A list of tables.
    Tables(&'static Fields),
}

impl Kind {
    /// What is allowed, in words.
    pub fn allowed(self) -> String {
        let quoted = |words: &[&str]| {
            words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Number => "a finite number".into(),
            Self::Count(max) if max >= i64::MAX as u64 => "a whole number, not negative".into(),
            Self::Count(max) => format!("a whole number from 0 to {max}"),
            Self::Flag => "true or false".into(),
            Self::Text => "text in quotes".into(),
            Self::Word(words) => quoted(words),
            Self::Words(words) => format!("a list of any of {}", quoted(words)),
            Self::Vector => "a list of 2 or 3 finite numbers".into(),
            Self::Vectors => "a list of lists of 2 or 3 finite numbers".into(),
            Self::Numbers => "a list of finite numbers".into(),
            Self::Texts => "a list of texts in quotes".into(),
            Self::Values => "a list of values".into(),
            Self::Rows => "a list of lists of finite numbers".into(),
            Self::Pair => "a list of 2 finite numbers".into(),
            Self::Size => "a list of 2 whole numbers, not negative".into(),
            Self::Table(fields) => format!("a table with the keys {}", names(fields)),
            Self::Tables(fields) => format!("a list of tables with the keys {}", names(fields)),
        }
    }
}

/// A key that must be given.
pub const fn must(name: &'static str, unit: &'static str, kind: Kind, help: &'static str) -> Entry {
    Entry { name, required: true, kind, unit, help }
}

/// A key that may be left out.
pub const fn may(name: &'static str, unit: &'static str, kind: Kind, help: &'static str) -> Entry {
    Entry { name, required: false, kind, unit, help }
}

/// A table of keys side by side.
pub const fn all(entries: &'static [Entry]) -> Fields {
    Fields { entries, one_of: &[] }
}

/// A table with exactly one of the keys.
pub const fn one_of(one_of: &'static [Entry]) -> Fields {
    Fields { entries: &[], one_of }
}

/// The keys of a table, separated by commas.
pub(super) fn names(fields: &Fields) -> String {
    fields.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

/// The keys of a whole scene file.
pub fn scene_fields() -> &'static Fields {
    SCENE
}

/// The description of a key path like `body.0.shape.box.min`, if there is such a key.
pub fn find<'a>(path: impl IntoIterator<Item = &'a str>) -> Option<&'static Entry> {
    let mut fields = SCENE;
    let mut found = None;
    let mut in_list = false;
    for segment in path {
        if in_list {
            segment.parse::<usize>().ok()?;
            in_list = false;
            continue;
        }
        let entry = fields.get(segment)?;
        found = Some(entry);
        match entry.kind {
            Kind::Table(inner) => fields = inner,
            Kind::Tables(inner) => {
                fields = inner;
                in_list = true;
            }
            _ => fields = &Fields { entries: &[], one_of: &[] },
        }
    }
    found
}

/// A parameter of a scene, for the table of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Path of the key, for example `body.0.motion.0.vibration.amplitude`; `--set` takes the same.
    pub key: String,
    /// The value as a scene file spells it.
    pub value: String,
    /// The unit; empty for pure numbers and for what is not a number.
    pub unit: &'static str,
    /// A sentence on what it is.
    pub help: &'static str,
}

/// Every parameter of a scene, defaults included, in the order of the file.
pub fn parameters(scene: &SceneFile) -> Result<Vec<Parameter>, SceneError> {
    let document = document(scene)?;
    let mut parameters = Vec::new();
    collect(document.as_item(), SCENE, "", &mut parameters);
    Ok(parameters)
}

/// Adds the parameters of a table.
fn collect(item: &Item, fields: &Fields, path: &str, parameters: &mut Vec<Parameter>) {
    let Some(table) = item.as_table_like() else { return };
    for entry in fields.iter() {
        let Some(item) = table.get(entry.name) else { continue };
        let key = join(path, entry.name);
        match entry.kind {
            Kind::Table(inner) => collect(item, inner, &key, parameters),
            Kind::Tables(inner) => {
                for (i, item) in elements(item).into_iter().enumerate() {
                    collect(&item, inner, &join(&key, &i.to_string()), parameters);
                }
            }
            _ => parameters.push(Parameter {
                key,
                value: item.to_string().trim().to_string(),
                unit: entry.unit,
                help: entry.help,
            }),
        }
    }
}

/// The elements of a list, whichever way it is written.
fn elements(item: &Item) -> Vec<Item> {
    match item {
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|table| Item::Table(table.clone())).collect()
        }
        Item::Value(Value::Array(array)) => array.iter().cloned().map(Item::Value).collect(),
        _ => Vec::new(),
    }
}

/// `path.name`, or `name` at the top.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}
