//! Files made from a description, for tests: every key has a value that is allowed.

use crate::describe::{Kind, Setting, Table};
use crate::value::Value;

/// Files that a table describes: together they have every key, every word, and each of the keys of which there
/// must be exactly one. Lists of no fixed length have one entry.
pub fn samples(table: &'static Table) -> impl Iterator<Item = Value> {
    (0..most_choices(table)).map(move |round| sample(table, round))
}

/// The largest number of words or of keys to choose from, in a table and those inside.
fn most_choices(table: &'static Table) -> usize {
    let inside = table.all().into_iter().map(|(_, setting)| {
        let choices = setting.kind.table().map_or(0, |table| table.one_of.len());
        choices.max(setting.kind.words().map_or(2, <[_]>::len))
    });
    inside.chain([table.one_of.len(), 1]).max().unwrap_or(1)
}

fn sample(table: &'static Table, round: usize) -> Value {
    let chosen = table.one_of.get(round % table.one_of.len().max(1));
    let settings = table.side_by_side().chain(chosen);
    Value::Table(settings.map(|s| (s.name.to_owned(), value(s, s.kind, round))).collect())
}

fn value(setting: &'static Setting, kind: Kind, round: usize) -> Value {
    match kind {
        Kind::Number => Value::Number(number(setting)),
        Kind::Count(max) => Value::Integer((number(setting).ceil() as i64).min(max as i64)),
        Kind::Flag => Value::Bool(round.is_multiple_of(2)),
        Kind::Text => Value::Text("text".to_owned()),
        Kind::Word(words) => words[round % words.len()].word.into(),
        Kind::Vector => vec![Value::Number(number(setting)); 3].into(),
        Kind::List(of, count) => {
            (0..count.unwrap_or(1)).map(|_| value(setting, *of, round)).collect::<Vec<_>>().into()
        }
        Kind::Any => Value::Integer(1),
        Kind::Table(table) => sample(table, round),
    }
}

/// A number within the bounds.
fn number(setting: &Setting) -> f64 {
    match (setting.range.low, setting.range.high) {
        (Some(low), Some(high)) => 0.5 * (low.value + high.value),
        (Some(low), None) => low.value + 1.0,
        (None, Some(high)) => high.value - 1.0,
        (None, None) => 1.5,
    }
}
