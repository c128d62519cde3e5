//! Holds a document against the description of its keys: unknown keys, missing keys, values of
//! the wrong kind, unknown words. Finds everything at once, where serde stops at the first.

use toml_edit::{Item, TableLike, Value};

use super::error::{Place, Problem, did_you_mean};
use super::locations::Locations;
use super::reference::{Entry, Fields, Kind, join, names};
use super::suggest::closest;

/// Every problem of a document that shows without looking at the numbers.
pub(super) fn walk(
    root: &dyn TableLike,
    fields: &'static Fields,
    locations: &Locations,
) -> Vec<Problem> {
    let mut walker = Walker { root: fields, locations, problems: Vec::new() };
    walker.table(root, fields, "");
    walker.problems
}

struct Walker<'a> {
    /// The keys of the whole file.
    root: &'static Fields,
    locations: &'a Locations,
    problems: Vec<Problem>,
}

impl Walker<'_> {
    fn report(&mut self, key: &str, message: String) {
        self.problems.push(self.locations.problem(key, message));
    }

    /// A table: its keys, and those that are missing.
    fn table(&mut self, table: &dyn TableLike, fields: &'static Fields, path: &str) {
        for (name, item) in table.iter() {
            let key = join(path, name);
            match fields.get(name) {
                Some(entry) => self.item(item, entry, &key),
                None => self.unknown(name, fields, path, &key),
            }
        }
        for entry in fields.entries.iter().filter(|entry| entry.required) {
            if !table.contains_key(entry.name) {
                let key = join(path, entry.name);
                let unit = match entry.unit {
                    "" => String::new(),
                    unit => format!(" [{unit}]"),
                };
                let allowed = entry.kind.allowed();
                let message = format!("{key} is missing: {}{unit}; allowed: {allowed}", entry.help);
                self.report(&key, message);
            }
        }
        self.one_of(table, fields, path);
    }

    /// The keys of which there must be exactly one.
    fn one_of(&mut self, table: &dyn TableLike, fields: &Fields, path: &str) {
        if fields.one_of.is_empty() {
            return;
        }
        let allowed = fields.one_of.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
        let given: Vec<_> = fields
            .one_of
            .iter()
            .map(|entry| entry.name)
            .filter(|n| table.contains_key(n))
            .collect();
        match given[..] {
            [_] => {}
            [] => self.report(path, format!("{path} needs exactly one of the keys {allowed}")),
            [.., last] => {
                // Rather the one from the command line, where that is the one too many.
                let is_override = |name: &&str| {
                    matches!(self.locations.place(&join(path, name)), Place::Override(_))
                };
                let key = join(path, given.iter().copied().find(is_override).unwrap_or(last));
                let given = given.join(" and ");
                self.report(
                    &key,
                    format!("{path} has the keys {given}; allowed: exactly one of {allowed}"),
                );
            }
        }
    }

    /// A key that does not exist: the closest one here, or the table where it belongs.
    fn unknown(&mut self, name: &str, fields: &'static Fields, path: &str, key: &str) {
        let suggestion = closest(name, fields.iter().map(|entry| entry.name))
            .map(|word| join(path, word))
            .or_else(|| elsewhere(self.root, name));
        let message = format!(
            "{key} is not a key here{}; allowed: {}",
            did_you_mean(suggestion.as_deref()),
            names(fields)
        );
        self.report(key, message);
    }

    /// A value, by its kind.
    fn item(&mut self, item: &Item, entry: &Entry, key: &str) {
        match (entry.kind, item) {
            (Kind::Table(fields), _) => match item.as_table_like() {
                Some(table) => self.table(table, fields, key),
                None => self.wrong(item, entry.kind, key),
            },
            (Kind::Tables(fields), Item::ArrayOfTables(_) | Item::Value(Value::Array(_))) => {
                for (i, item) in (0..).map_while(|i| item.get(i).map(|inner| (i, inner))) {
                    let key = join(key, &i.to_string());
                    match item.as_table_like() {
                        Some(table) => self.table(table, fields, &key),
                        None => self.wrong(item, Kind::Table(fields), &key),
                    }
                }
            }
            (Kind::Word(words), Item::Value(Value::String(word))) => {
                self.word(word.value(), words, key);
            }
            (Kind::Words(words), Item::Value(Value::Array(array)))
                if array.iter().all(Value::is_str) =>
            {
                for (i, word) in array.iter().enumerate() {
                    let word = word.as_str().unwrap_or_default();
                    self.word(word, words, &join(key, &i.to_string()));
                }
            }
            (kind, Item::Value(value)) if fits(value, kind) => {}
            (kind, _) => self.wrong(item, kind, key),
        }
    }

    /// One of a few words.
    fn word(&mut self, word: &str, words: &'static [&'static str], key: &str) {
        if !words.contains(&word) {
            let suggestion = closest(word, words.iter().copied()).map(|word| format!("{word:?}"));
            let message = format!(
                "{key} = {} is not allowed{}; allowed: {}",
                shorten(&format!("{word:?}")),
                did_you_mean(suggestion.as_deref()),
                Kind::Word(words).allowed()
            );
            self.report(key, message);
        }
    }

    /// A value of the wrong kind.
    fn wrong(&mut self, item: &Item, kind: Kind, key: &str) {
        let value = match item {
            Item::Value(value) => shorten(value.to_string().trim()),
            Item::Table(_) => "a table".into(),
            _ => "a list of tables".into(),
        };
        self.report(key, format!("{key} = {value} is not allowed; allowed: {}", kind.allowed()));
    }
}

/// Whether a plain value is of a kind; words and tables are looked at elsewhere.
fn fits(value: &Value, kind: Kind) -> bool {
    let number = |value: &Value| value.is_integer() || value.as_float().is_some_and(f64::is_finite);
    let count = |value: &Value, max: u64| {
        value.as_integer().is_some_and(|n| u64::try_from(n).is_ok_and(|n| n <= max))
    };
    let vector = |value: &Value| {
        value.as_array().is_some_and(|a| matches!(a.len(), 2 | 3) && a.iter().all(number))
    };
    let array = value.as_array();
    match kind {
        Kind::Number => number(value),
        Kind::Count(max) => count(value, max),
        Kind::Flag => value.is_bool(),
        Kind::Text => value.is_str(),
        Kind::Vector => vector(value),
        Kind::Vectors => array.is_some_and(|a| a.iter().all(vector)),
        Kind::Numbers => array.is_some_and(|a| a.iter().all(number)),
        Kind::Texts => array.is_some_and(|a| a.iter().all(Value::is_str)),
        Kind::Values => array.is_some_and(|a| !a.iter().any(Value::is_inline_table)),
        Kind::Rows => array.is_some_and(|a| {
            a.iter().all(|row| row.as_array().is_some_and(|row| row.iter().all(number)))
        }),
        Kind::Pair => array.is_some_and(|a| a.len() == 2 && a.iter().all(number)),
        Kind::Size => {
            array.is_some_and(|a| a.len() == 2 && a.iter().all(|n| count(n, u64::from(u32::MAX))))
        }
        Kind::Word(_) | Kind::Words(_) | Kind::Table(_) | Kind::Tables(_) => false,
    }
}

/// The path of a key of that very name in a table at the top.
fn elsewhere(root: &'static Fields, name: &str) -> Option<String> {
    root.iter().find_map(|entry| match entry.kind {
        Kind::Table(fields) | Kind::Tables(fields) if fields.get(name).is_some() => {
            Some(join(entry.name, name))
        }
        _ if entry.name == name => Some(name.to_string()),
        _ => None,
    })
}

/// A text of at most some sixty letters, on one line.
fn shorten(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 {
        return line;
    }
    line.chars().take(57).chain("...".chars()).collect()
}
