//! TOML documents as plain values, and back.

use lawine_settings::Value;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table};

/// The most keys of a table that stands on one line.
const MOST_INLINE: usize = 3;

/// A value of a document.
pub(super) fn value_of(item: &Item) -> Value {
    match item {
        Item::Value(value) => plain(value),
        Item::Table(table) => {
            Value::Table(table.iter().map(|(key, item)| (key.to_owned(), value_of(item))).collect())
        }
        Item::ArrayOfTables(tables) => {
            let entries = tables.iter().map(|table| {
                Value::Table(table.iter().map(|(key, i)| (key.to_owned(), value_of(i))).collect())
            });
            Value::List(entries.collect())
        }
        Item::None => Value::Other(String::new()),
    }
}

fn plain(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::Text(text.value().clone()),
        toml_edit::Value::Integer(n) => Value::Integer(*n.value()),
        toml_edit::Value::Float(x) => Value::Number(*x.value()),
        toml_edit::Value::Boolean(flag) => Value::Bool(*flag.value()),
        toml_edit::Value::Datetime(date) => Value::Other(date.to_string()),
        toml_edit::Value::Array(array) => Value::List(array.iter().map(plain).collect()),
        toml_edit::Value::InlineTable(table) => {
            Value::Table(table.iter().map(|(key, value)| (key.to_owned(), plain(value))).collect())
        }
    }
}

/// A document with `[table]` and `[[list]]` at the top. Below, tables in tables have a head of their own, too;
/// what is deeper, and what is in lists, is inline.
pub(super) fn document(value: &Value) -> DocumentMut {
    let mut document = DocumentMut::new();
    let Value::Table(keys) = value else { return document };
    for (key, value) in keys {
        document.insert(key, item(value));
    }
    document
}

/// A value at the top of a document.
fn item(value: &Value) -> Item {
    match value {
        Value::Table(keys) => {
            Item::Table(keys.iter().map(|(key, value)| (key, inner(value))).collect())
        }
        Value::List(list) if !list.is_empty() => {
            let tables = list.iter().map(|value| match value {
                Value::Table(keys) => Some(table(keys)),
                _ => None,
            });
            match tables.collect::<Option<ArrayOfTables>>() {
                Some(tables) => Item::ArrayOfTables(tables),
                None => Item::Value(inline(value)),
            }
        }
        value => Item::Value(inline(value)),
    }
}

/// A value in a table at the top: its tables and lists of tables of several keys have heads of their own.
fn inner(value: &Value) -> Item {
    match value {
        Value::Table(keys) if keys.len() > MOST_INLINE => Item::Table(table(keys)),
        Value::List(list) if matches!(list.first(), Some(Value::Table(_))) => item(value),
        value => Item::Value(inline(value)),
    }
}

fn table(keys: &[(String, Value)]) -> Table {
    keys.iter().map(|(key, value)| (key, Item::Value(inline(value)))).collect()
}

/// A value as TOML, on one line.
pub(super) fn inline(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(flag) => (*flag).into(),
        Value::Integer(n) => (*n).into(),
        Value::Number(x) => (*x).into(),
        Value::Text(text) | Value::Other(text) => text.into(),
        Value::List(list) => list.iter().map(inline).collect::<Array>().into(),
        Value::Table(keys) => {
            keys.iter().map(|(key, value)| (key, inline(value))).collect::<InlineTable>().into()
        }
    }
}
