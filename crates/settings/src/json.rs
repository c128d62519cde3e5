//! Descriptions as a JSON schema, for editors.

use crate::describe::{Default, Kind, Setting, Table};
use crate::value::Value;
use std::fmt::Write as _;

/// The JSON schema of files whose keys a table describes.
pub fn schema(table: &'static Table, title: &str) -> String {
    let mut root = vec![
        ("$schema".to_owned(), "http://json-schema.org/draft-07/schema#".into()),
        ("title".to_owned(), title.into()),
    ];
    root.extend(object(table));
    let mut text = String::new();
    write(&Value::Table(root), 0, &mut text);
    text
}

fn entry(key: &str, value: impl Into<Value>) -> (String, Value) {
    (key.to_owned(), value.into())
}

/// A table with its keys.
fn object(table: &'static Table) -> Vec<(String, Value)> {
    let properties = table.iter().map(|s| (s.name.to_owned(), Value::Table(property(s)))).collect();
    let needed: Vec<Value> =
        table.settings.iter().filter(|s| s.is_needed()).map(|s| s.name.into()).collect();
    let mut object = vec![
        entry("type", "object"),
        entry("properties", Value::Table(properties)),
        entry("additionalProperties", false),
    ];
    if !needed.is_empty() {
        object.push(entry("required", needed));
    }
    if !table.one_of.is_empty() {
        let one = |s: &Setting| Value::table([("required", vec![s.name.into()].into())]);
        object.push(entry("oneOf", table.one_of.iter().map(one).collect::<Vec<_>>()));
    }
    object
}

/// A key: its kind, bounds, default and help.
fn property(setting: &'static Setting) -> Vec<(String, Value)> {
    let mut property = vec![entry("description", setting.help_with_unit().as_str())];
    property.extend(kind(setting, setting.kind));
    if let Default::Is(default) = setting.default {
        property.push(entry("default", default()));
    }
    property
}

fn kind(setting: &Setting, of: Kind) -> Vec<(String, Value)> {
    match of {
        Kind::Number => [vec![entry("type", "number")], bounds(setting)].concat(),
        Kind::Count(max) => {
            let mut whole = vec![entry("type", "integer")];
            whole.extend(bounds(setting));
            if setting.range.low.is_none() {
                whole.push(entry("minimum", 0));
            }
            if setting.range.high.is_none() && max < i64::MAX as u64 {
                whole.push(entry("maximum", Value::Integer(max as i64)));
            }
            whole
        }
        Kind::Flag => vec![entry("type", "boolean")],
        Kind::Text => vec![entry("type", "string")],
        Kind::Word(words) => {
            let list = |text: fn(&crate::WordHelp) -> &'static str| -> Vec<Value> {
                words.iter().map(|word| text(word).into()).collect()
            };
            // Editors of TOML show what each word stands for.
            let docs = Value::table([("enumValues", list(|word| word.help).into())]);
            vec![
                entry("enum", list(|word| word.word)),
                entry("x-taplo", Value::table([("docs", docs)])),
            ]
        }
        Kind::Vector => array(kind(setting, Kind::Number), Some((2, 3))),
        Kind::List(of, count) => array(kind(setting, *of), count.map(|n| (n as i64, n as i64))),
        Kind::Any => Vec::new(),
        Kind::Table(table) => object(table),
    }
}

fn array(items: Vec<(String, Value)>, count: Option<(i64, i64)>) -> Vec<(String, Value)> {
    let mut array = vec![entry("type", "array"), entry("items", Value::Table(items))];
    if let Some((least, most)) = count {
        array.push(entry("minItems", Value::Integer(least)));
        array.push(entry("maxItems", Value::Integer(most)));
    }
    array
}

fn bounds(setting: &Setting) -> Vec<(String, Value)> {
    let ends = [
        (setting.range.low, "minimum", "exclusiveMinimum"),
        (setting.range.high, "maximum", "exclusiveMaximum"),
    ];
    let bound = |(bound, inclusive, exclusive): (Option<crate::Bound>, &str, &str)| {
        let bound = bound?;
        let key = if bound.inclusive { inclusive } else { exclusive };
        // Whole numbers look like whole numbers, as far as a float distinguishes them.
        let whole = bound.value.fract().abs() <= 0.0 && bound.value.abs() < 1e15;
        let value =
            if whole { Value::Integer(bound.value as i64) } else { Value::Number(bound.value) };
        Some(entry(key, value))
    };
    ends.into_iter().filter_map(bound).collect()
}

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Self::Integer(n.into())
    }
}

/// Writes a value as JSON.
fn write(value: &Value, depth: usize, text: &mut String) {
    let line = |text: &mut String, depth: usize| {
        let _ = write!(text, "\n{:1$}", "", 2 * depth);
    };
    match value {
        Value::List(list) if list.is_empty() => text.push_str("[]"),
        Value::Table(keys) if keys.is_empty() => text.push_str("{}"),
        Value::List(list) => {
            for (i, value) in list.iter().enumerate() {
                text.push(if i == 0 { '[' } else { ',' });
                line(text, depth + 1);
                write(value, depth + 1, text);
            }
            line(text, depth);
            text.push(']');
        }
        Value::Table(keys) => {
            for (i, (key, value)) in keys.iter().enumerate() {
                text.push(if i == 0 { '{' } else { ',' });
                line(text, depth + 1);
                quote(key, text);
                text.push_str(": ");
                write(value, depth + 1, text);
            }
            line(text, depth);
            text.push('}');
        }
        Value::Text(word) | Value::Other(word) => quote(word, text),
        // JSON knows no numbers but finite ones.
        Value::Number(x) if !x.is_finite() => text.push_str("null"),
        Value::Number(x) => {
            let _ = write!(text, "{x:?}");
        }
        Value::Bool(_) | Value::Integer(_) => {
            let _ = write!(text, "{value}");
        }
    }
}

/// Writes a JSON string.
fn quote(word: &str, text: &mut String) {
    text.push('"');
    for letter in word.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(text, "\\u{:04x}", u32::from(letter));
            }
            letter => text.push(letter),
        }
    }
    text.push('"');
}
