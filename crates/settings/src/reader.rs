//! Reading settings from values. Finds every problem at once: unknown keys, missing keys, values of the wrong
//! kind, unknown words, numbers out of their range.

use crate::data::Settings;
use crate::describe::{Default, Kind, Setting, Table, WordHelp};
use crate::range::Magnitudes;
use crate::suggest::{closest, did_you_mean};
use crate::value::Value;
use crate::{Data, join};

/// What is wrong with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path of the key, for example `fill.0.shape.box.min`.
    pub key: String,
    /// What is wrong and what is allowed; names the key.
    pub message: String,
}

/// Reads a file. Numbers must have a magnitude that their unit allows.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read<T: Settings>(file: &Value, units: &[Magnitudes]) -> Result<T, Vec<Problem>> {
    let table = const { &T::TABLE };
    let mut reader = Reader { root: table, units, path: String::new(), problems: Vec::new() };
    let found = T::read(file, &mut reader);
    match found {
        Some(found) if reader.problems.is_empty() => Ok(found),
        _ => Err(reader.problems),
    }
}

/// Everything that is wrong with settings that were made in code.
pub fn problems<T: Settings>(settings: &T, units: &[Magnitudes]) -> Vec<Problem> {
    let file = settings.write().unwrap_or(Value::Table(Vec::new()));
    read::<T>(&file, units).err().unwrap_or_default()
}

/// Collects problems while settings are read.
pub struct Reader<'a> {
    /// The keys of the whole file.
    root: &'static Table,
    units: &'a [Magnitudes],
    /// Of the value that is being read.
    path: String,
    problems: Vec<Problem>,
}

/// The keys of a table that is being read.
pub struct Keys<'a>(&'a [(String, Value)]);

impl<'a> Keys<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Whether a key is given.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

impl Reader<'_> {
    fn report(&mut self, key: &str, message: String) {
        self.problems.push(Problem { key: key.to_owned(), message });
    }

    fn refuse(&mut self, key: &str, value: &str, allowed: &str) {
        self.report(key, format!("{key} = {value} is not allowed; allowed: {allowed}"));
    }

    /// Does something one level deeper.
    fn inside<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path = join(&self.path, name);
        let result = read(self);
        self.path.truncate(length);
        result
    }

    /// Reads an element of a list.
    pub(crate) fn entry<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.inside(&index.to_string(), read)
    }

    /// The keys of a table, after a look at their names. Nothing if it is no table.
    pub fn open<'v>(&mut self, value: &'v Value, table: &'static Table) -> Option<Keys<'v>> {
        let Value::Table(keys) = value else { return None };
        for (name, value) in keys.iter().filter(|(name, _)| table.get(name).is_none()) {
            self.unknown(name, value, table);
        }
        self.one_of(keys, table);
        Some(Keys(keys))
    }

    /// Reads a key, or what holds without it.
    pub fn key<T: Data>(&mut self, keys: &Keys<'_>, setting: &'static Setting) -> Option<T> {
        match (keys.get(setting.name), setting.default) {
            (Some(value), _) => self.inside(setting.name, |reader| {
                reader.check(setting, setting.kind, value);
                T::read(value, reader)
            }),
            (None, Default::Is(default)) => T::read(&default(), self),
            (None, Default::Open(_)) => T::absent(),
            (None, Default::Needed) => {
                let key = join(&self.path, setting.name);
                let (help, allowed) = (setting.help_with_unit(), setting.allowed());
                self.report(&key, format!("{key} is missing: {help}; allowed: {allowed}"));
                None
            }
        }
    }

    /// The keys of which there must be exactly one.
    fn one_of(&mut self, keys: &[(String, Value)], table: &'static Table) {
        let is_one = |name: &str| table.one_of.iter().any(|setting| setting.name == name);
        let given: Vec<&str> =
            keys.iter().map(|(name, _)| name.as_str()).filter(|name| is_one(name)).collect();
        if table.one_of.is_empty() || given.len() == 1 {
            return;
        }
        let path = self.path.clone();
        let allowed = table.one_of.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
        match given.last() {
            None => self.report(&path, format!("{path} needs exactly one of the keys {allowed}")),
            // What was added last, such as by the command line, is the one too many.
            Some(last) => {
                let given = given.join(" and ");
                let message =
                    format!("{path} has the keys {given}; allowed: exactly one of {allowed}");
                self.report(&join(&path, last), message);
            }
        }
    }

    /// A key that does not exist: where it is now, the closest one here, or the table where it belongs.
    fn unknown(&mut self, name: &str, value: &Value, table: &'static Table) {
        let key = join(&self.path, name);
        if let Some(now) = table.iter().find(|setting| setting.was == name) {
            return self.report(&key, format!("{key} is now {}", join(&self.path, now.name)));
        }
        if let Some(now) = self.root.renamed(&key) {
            return self.report(&key, format!("{key} is now {now}"));
        }
        if let Value::Table(inner) = value {
            let now = inner.iter().filter_map(|(name, _)| {
                let key = join(&key, name);
                Some((self.root.renamed(&key)?, key))
            });
            let moved: Vec<_> = now.collect();
            if !moved.is_empty() {
                for (now, key) in moved {
                    self.report(&key, format!("{key} is now {now}"));
                }
                return;
            }
        }
        let suggestion = closest(name, table.iter().map(|setting| setting.name))
            .map(|word| join(&self.path, word))
            .or_else(|| elsewhere(self.root, name));
        let hint = did_you_mean(suggestion.as_deref());
        self.report(&key, format!("{key} is not a key here{hint}; allowed: {}", table.names()));
    }

    /// Checks a value against the description of its key; tables are checked when they are read.
    fn check(&mut self, setting: &'static Setting, kind: Kind, value: &Value) {
        match (kind, value) {
            (Kind::Table(_), Value::Table(_)) => {}
            (Kind::List(of @ (Kind::Word(_) | Kind::Table(_)), count), Value::List(list))
                if count.is_none_or(|count| count == list.len())
                    && (matches!(of, Kind::Table(_)) || list.iter().all(is_text)) =>
            {
                for (i, value) in list.iter().enumerate() {
                    self.entry(i, |reader| reader.check(setting, *of, value));
                }
                self.check_filled(setting, list.is_empty());
            }
            (Kind::Word(words), Value::Text(word)) => self.check_word(word, words),
            (kind, value) if fits(kind, value) => {
                match value {
                    Value::Text(text) => self.check_filled(setting, text.trim().is_empty()),
                    Value::List(list) => self.check_filled(setting, list.is_empty()),
                    _ => {}
                }
                if !matches!(kind, Kind::Any) {
                    self.check_numbers(setting, value);
                }
            }
            (Kind::Table(_), _) => {
                let key = self.path.clone();
                self.refuse(&key, &value.short(), &kind.allowed());
            }
            _ => {
                let key = self.path.clone();
                self.refuse(&key, &value.short(), &setting.allowed());
            }
        }
    }

    fn check_filled(&mut self, setting: &Setting, empty: bool) {
        if empty && setting.range.filled {
            let key = self.path.clone();
            let text = matches!(setting.kind, Kind::Text);
            let (value, what) = if text { ("\"\"", "text") } else { ("[]", "a list") };
            self.refuse(&key, value, &format!("{what} that is not empty"));
        }
    }

    fn check_word(&mut self, word: &str, words: &'static [WordHelp]) {
        if words.iter().any(|known| known.word == word) {
            return;
        }
        let suggestion = closest(word, words.iter().map(|known| known.word));
        let hint = did_you_mean(suggestion.map(|word| format!("{word:?}")).as_deref());
        let (key, allowed) = (self.path.clone(), Kind::Word(words).allowed());
        let value = Value::from(word).short();
        self.report(&key, format!("{key} = {value} is not allowed{hint}; allowed: {allowed}"));
    }

    /// The range of a number, or of those in a list, and their magnitudes.
    fn check_numbers(&mut self, setting: &'static Setting, value: &Value) {
        let before = self.problems.len();
        if let Some(units) = self.units.iter().find(|range| range.unit == setting.unit) {
            self.check_magnitudes(units, value, matches!(setting.kind, Kind::Number));
        }
        if self.problems.len() == before
            && !within(setting, value)
            && let Some(bounds) = setting.bounds()
        {
            let key = self.path.clone();
            self.refuse(&key, &value.short(), &bounds);
        }
    }

    fn check_magnitudes(&mut self, units: &Magnitudes, value: &Value, single: bool) {
        match value {
            Value::List(list) => {
                for (i, value) in list.iter().enumerate() {
                    self.entry(i, |reader| reader.check_magnitudes(units, value, false));
                }
            }
            // Whole numbers are counts, but for those that stand where a number may.
            Value::Integer(_) if !single => {}
            _ => {
                let refusal = value.number().and_then(|x| Some((x, units.refusal(x, single)?)));
                if let Some((x, allowed)) = refusal {
                    let key = self.path.clone();
                    self.refuse(&key, &format!("{x:e}"), &allowed);
                }
            }
        }
    }
}

fn is_text(value: &Value) -> bool {
    matches!(value, Value::Text(_))
}

/// Whether a plain value is of a kind; words that stand alone and tables are looked at elsewhere.
fn fits(kind: Kind, value: &Value) -> bool {
    match (kind, value) {
        (Kind::Number, value) => value.number().is_some_and(f64::is_finite),
        (Kind::Count(max), Value::Integer(n)) => u64::try_from(*n).is_ok_and(|n| n <= max),
        (Kind::Flag, Value::Bool(_)) | (Kind::Text, Value::Text(_)) => true,
        (Kind::Vector, Value::List(list)) => {
            matches!(list.len(), 2 | 3) && list.iter().all(|x| fits(Kind::Number, x))
        }
        (Kind::List(of, count), Value::List(list)) => {
            count.is_none_or(|count| count == list.len()) && list.iter().all(|x| fits(*of, x))
        }
        (Kind::Any, Value::List(list)) => list.iter().all(|x| fits(kind, x)),
        (Kind::Any, value) => !matches!(value, Value::Table(_)),
        _ => false,
    }
}

/// Whether all numbers of a value are in the range of a setting.
fn within(setting: &Setting, value: &Value) -> bool {
    match value {
        Value::List(list) => list.iter().all(|value| within(setting, value)),
        value => value.number().is_none_or(|x| setting.range.contains(x)),
    }
}

/// The path of a key of that very name at the top, or in a table there.
fn elsewhere(root: &'static Table, name: &str) -> Option<String> {
    root.iter().find_map(|setting| match setting.kind.table() {
        Some(table) if table.get(name).is_some() => Some(join(setting.name, name)),
        _ if setting.name == name => Some(name.to_owned()),
        _ => None,
    })
}
