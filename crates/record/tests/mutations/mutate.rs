//! Changes to scene files that are likely to hurt.

use lawine_core::geometry::Random;
use lawine_scene::file::scene_table;
use toml_edit::{Array, DocumentMut, Item, Value};

/// Numbers that were never meant.
const EXTREMES: &[f64] = &[
    0.0,
    -1.0,
    1.0,
    2.0,
    20.0,
    100.0,
    1e3,
    1e5,
    1e6,
    -1e6,
    1e7,
    1e10,
    -1e10,
    1e17,
    -1e17,
    1e100,
    -1e100,
    1e300,
    -1e300,
    1.7e308,
    1e-3,
    1e-9,
    1e-12,
    1e-40,
    1e-150,
    1e-300,
    5e-324,
    f64::NAN,
    f64::INFINITY,
];

/// Factors that leave a number near where it was, or nearly so.
const FACTORS: &[f64] = &[-1.0, 0.1, 0.5, 0.999, 1.001, 2.0, 10.0, 1e3, 1e-3, 1e6, 1e-6];

/// Whole numbers that were never meant.
const WHOLE: &[i64] =
    &[0, 1, 2, 3, 7, 100, 10_000, 1_000_000, 4_294_967_295, 4_294_967_296, i64::MAX, -1, i64::MIN];

/// Words of scenes, wherever they belong, and texts that are none.
const WORDS: &[&str] = &[
    "",
    " ",
    "x",
    "z",
    "+y",
    "iisph",
    "dfsph",
    "eos",
    "tait",
    "volumes",
    "hash",
    "brute-force",
    "grid",
    "hexagonal",
    "remove",
    "gear",
    "sweep",
    "flip",
    "semi-implicit",
    "builtin:hare",
    "builtin:no",
    "no.obj",
    "/",
    ".",
    "speed",
    "velocity.x",
    "a,b",
    "\"",
    "\u{0}",
    "e\u{301}",
];

/// A step on the way to a value.
#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

/// A scene with one to three changes.
pub(crate) fn mutate(text: &str, random: &mut Random) -> String {
    let mut document: DocumentMut = text.parse().expect("a built-in scene is TOML");
    for _ in 0..1 + random.below(6) / 4 + random.below(6) / 5 {
        change(&mut document, random);
    }
    let mut text = document.to_string();
    if random.below(40) == 0 {
        let lines: Vec<&str> = text.lines().collect();
        let (from, to) = (random.below(lines.len()), random.below(lines.len()));
        let mut lines: Vec<&str> = lines.clone();
        lines.insert(to, lines[from]);
        text = lines.join("\n");
    }
    text
}

fn change(document: &mut DocumentMut, random: &mut Random) {
    let places = places(document.as_item());
    if places.is_empty() {
        return;
    }
    let path = &places[random.below(places.len())];
    match random.below(20) {
        0 => remove(document, path),
        1 => repeat(document, path, random),
        2 => resize(document, path, random),
        3 => replace(document, path, odd(random)),
        _ => {
            let Some(item) = at(document, path) else { return };
            let new = other(item, path, random);
            replace(document, path, new);
        }
    }
}

/// The paths of all values that are neither tables nor lists of tables, and of all lists.
fn places(root: &Item) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    let mut todo = vec![(Vec::new(), root)];
    while let Some((path, item)) = todo.pop() {
        let with = |step: Step| path.iter().cloned().chain([step]).collect::<Vec<Step>>();
        if let Some(table) = item.as_table_like() {
            todo.extend(table.iter().map(|(name, item)| (with(Step::Key(name.into())), item)));
        } else {
            let list = (0..).map_while(|i| item.get(i).map(|inner| (i, inner)));
            todo.extend(list.map(|(i, item)| (with(Step::Index(i)), item)));
        }
        if !item.is_table() && !item.is_inline_table() {
            found.push(path);
        }
    }
    found
}

fn at<'a>(document: &'a mut DocumentMut, path: &[Step]) -> Option<&'a mut Item> {
    path.iter().try_fold(document.as_item_mut(), |item, step| match step {
        Step::Key(name) => item.get_mut(name.as_str()),
        Step::Index(i) => item.get_mut(*i),
    })
}

/// Another value of the same kind.
fn other(item: &Item, path: &[Step], random: &mut Random) -> Value {
    match item {
        Item::Value(Value::Float(number)) => float(*number.value(), random),
        Item::Value(Value::Integer(number)) => match random.below(3) {
            0 => float(*number.value() as f64, random),
            _ => Value::from(WHOLE[random.below(WHOLE.len())]),
        },
        Item::Value(Value::Boolean(flag)) => Value::from(!flag.value()),
        Item::Value(Value::String(_)) => Value::from(word(path, random)),
        _ => odd(random),
    }
}

fn float(number: f64, random: &mut Random) -> Value {
    Value::from(match random.below(2) {
        0 => number * FACTORS[random.below(FACTORS.len())],
        _ => EXTREMES[random.below(EXTREMES.len())],
    })
}

/// A word that the key allows, mostly.
fn word(path: &[Step], random: &mut Random) -> &'static str {
    let names: Vec<String> = path
        .iter()
        .map(|step| match step {
            Step::Key(name) => name.clone(),
            Step::Index(i) => i.to_string(),
        })
        .collect();
    let setting = scene_table().find(names.iter().map(String::as_str));
    match setting.and_then(|setting| setting.kind.words()) {
        Some(words) if random.below(4) > 0 => words[random.below(words.len())].word,
        _ => WORDS[random.below(WORDS.len())],
    }
}

/// A value of any kind.
fn odd(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::from(WORDS[random.below(WORDS.len())]),
        1 => Value::from(true),
        2 => Value::from(WHOLE[random.below(WHOLE.len())]),
        3 => Value::Array(Array::new()),
        4 => Value::Array((0..random.below(5)).map(|k| k as f64).collect()),
        _ => Value::InlineTable(toml_edit::InlineTable::new()),
    }
}

fn replace(document: &mut DocumentMut, path: &[Step], value: Value) {
    if let Some(item) = at(document, path) {
        *item = Item::Value(value);
    }
}

fn remove(document: &mut DocumentMut, path: &[Step]) {
    let Some((Step::Key(name), table)) = path.split_last() else { return };
    if let Some(table) = at(document, table).and_then(Item::as_table_like_mut) {
        table.remove(name);
    }
}

/// Another entry of a list, the same as one that is there.
fn repeat(document: &mut DocumentMut, path: &[Step], random: &mut Random) {
    let end = path.iter().position(|step| matches!(step, Step::Index(_)));
    match at(document, &path[..end.unwrap_or(path.len())]) {
        Some(Item::ArrayOfTables(tables)) if !tables.is_empty() => {
            if let Some(table) = tables.get(random.below(tables.len())).cloned() {
                tables.push(table);
            }
        }
        Some(Item::Value(Value::Array(array))) if !array.is_empty() => {
            if let Some(value) = array.get(random.below(array.len())).cloned() {
                array.push(value);
            }
        }
        _ => {}
    }
}

/// A list of another length.
fn resize(document: &mut DocumentMut, path: &[Step], random: &mut Random) {
    let end = path.iter().rposition(|step| matches!(step, Step::Index(_)));
    if let Some(Item::Value(Value::Array(array))) = at(document, &path[..end.unwrap_or(path.len())])
    {
        match random.below(3) {
            0 => array.push(1.0),
            1 => array.clear(),
            _ if !array.is_empty() => {
                array.remove(array.len() - 1);
            }
            _ => {}
        }
    }
}
