//! Descriptions of settings: what the derives make of structs and enums.

use crate::open::{OpenTable, Registered};
use crate::value::Value;
use crate::{Range, join};
use std::error::Error;
use std::fmt;

/// A table of settings.
#[derive(Debug)]
pub struct Table {
    /// The Rust type, which identifies the table.
    pub name: &'static str,
    /// A sentence on it.
    pub help: &'static str,
    /// Keys that may stand side by side.
    pub settings: &'static [Setting],
    /// The tables that are registered when a program starts, and how many of the other keys stand before them.
    pub open: Option<(usize, Registered)>,
    /// Keys of which there must be exactly one; empty for most tables.
    pub one_of: &'static [Setting],
}

/// A setting: everything that is known about a key.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key, without the tables it is in.
    pub name: &'static str,
    /// What kind of value it has.
    pub kind: Kind,
    /// The unit, for example `m/s²`; empty for pure numbers and for what is not a number.
    pub unit: &'static str,
    /// What holds when it is not given.
    pub default: Default,
    /// What its numbers may be.
    pub range: Range,
    /// A sentence on what it is, without the unit.
    pub help: &'static str,
    /// Whether it cannot change once a run has begun, and nothing in its table.
    pub fixed: bool,
    /// The kinds of matter it belongs to, separated by spaces; empty if to all.
    pub of: &'static str,
    /// The path it had in earlier versions; empty if it is as it was.
    pub was: &'static str,
}

/// What holds when a key is not given.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// It must be given.
    Needed,
    /// This value.
    Is(fn() -> Value),
    /// There is no single value; a text describes the default.
    Open(&'static str),
}

/// The kind of a value.
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
    Word(&'static [WordHelp]),
    /// Two or three numbers.
    Vector,
    /// A list of one kind, with the number of elements if that is fixed.
    List(&'static Kind, Option<usize>),
    /// Anything but a table.
    Any,
    /// A table.
    Table(&'static Table),
}

/// A word that a setting may be.
#[derive(Clone, Copy, Debug)]
pub struct WordHelp {
    /// The word.
    pub word: &'static str,
    /// A sentence on what it stands for.
    pub help: &'static str,
}

impl Kind {
    /// Whether a list or a value has only numbers.
    fn is_numeric(self) -> bool {
        match self {
            Self::Number | Self::Count(_) | Self::Vector => true,
            Self::List(of, _) => of.is_numeric(),
            _ => false,
        }
    }

    /// What is allowed, in words.
    pub fn allowed(self) -> String {
        match self {
            Self::Number => "a finite number".into(),
            Self::Count(max) if max >= i64::MAX as u64 => "a whole number, not negative".into(),
            Self::Count(max) => format!("a whole number from 0 to {max}"),
            Self::Flag => "true or false".into(),
            Self::Text => "text in quotes".into(),
            Self::Word(words) => quoted(words),
            Self::Vector => "a list of 2 or 3 finite numbers".into(),
            Self::Any => "a value".into(),
            Self::Table(table) => format!("a table with the keys {}", table.names()),
            Self::List(Self::Word(words), None) => format!("a list of any of {}", quoted(words)),
            Self::List(of, count) => {
                let many = match *of {
                    Self::Number => "finite numbers".into(),
                    Self::Count(_) => "whole numbers, not negative".into(),
                    Self::Flag => "true or false".into(),
                    Self::Text => "texts in quotes".into(),
                    Self::Word(words) => format!("the words {}", quoted(words)),
                    Self::Vector => "lists of 2 or 3 finite numbers".into(),
                    Self::List(..) => of.allowed().replacen("a list", "lists", 1),
                    Self::Any => "values".into(),
                    Self::Table(table) => format!("tables with the keys {}", table.names()),
                };
                match count {
                    Some(count) => format!("a list of {count} {many}"),
                    None => format!("a list of {many}"),
                }
            }
        }
    }

    /// The table that it is, or that the elements of the list are.
    pub fn table(self) -> Option<&'static Table> {
        match self {
            Self::Table(table) => Some(table),
            Self::List(of, _) => of.table(),
            _ => None,
        }
    }

    /// The words that it may be, or that the elements of the list may be.
    pub fn words(self) -> Option<&'static [WordHelp]> {
        match self {
            Self::Word(words) => Some(words),
            Self::List(of, _) => of.words(),
            _ => None,
        }
    }
}

fn quoted(words: &[WordHelp]) -> String {
    words.iter().map(|word| format!("{:?}", word.word)).collect::<Vec<_>>().join(", ")
}

impl Setting {
    const NONE: Self = Self {
        name: "",
        kind: Kind::Any,
        unit: "",
        default: Default::Needed,
        range: Range::ANY,
        help: "",
        fixed: false,
        of: "",
        was: "",
    };

    /// How many there are in several lists.
    pub const fn count(lists: &[&[Self]]) -> usize {
        let (mut count, mut i) = (0, 0);
        while i < lists.len() {
            count += lists[i].len();
            i += 1;
        }
        count
    }

    /// Several lists as one.
    pub const fn joined<const N: usize>(lists: &[&[Self]]) -> [Self; N] {
        let (mut all, mut at, mut i) = ([Self::NONE; N], 0, 0);
        while i < lists.len() {
            let mut k = 0;
            while k < lists[i].len() {
                all[at] = lists[i][k];
                (at, k) = (at + 1, k + 1);
            }
            i += 1;
        }
        all
    }

    /// Whether it must be given.
    pub fn is_needed(&self) -> bool {
        matches!(self.default, Default::Needed)
    }

    /// What numbers are allowed, in words; none if there are no bounds.
    pub fn bounds(&self) -> Option<String> {
        let whole = matches!(self.kind, Kind::Count(_));
        let words = self.range.words(self.unit, whole)?;
        let many = matches!(self.kind, Kind::Vector | Kind::List(..));
        Some(if many { format!("every number {words}") } else { words })
    }

    /// What is allowed, in words: the kind of value, and its bounds.
    pub fn allowed(&self) -> String {
        let kind = match (self.kind, self.bounds()) {
            (Kind::Count(_), Some(bounds)) => return format!("a whole number, {bounds}"),
            (kind, Some(bounds)) => return format!("{}, {bounds}", kind.allowed()),
            (kind, None) => kind.allowed(),
        };
        if self.range.filled { format!("{kind}, not empty") } else { kind }
    }

    /// The help sentence with the unit.
    pub fn help_with_unit(&self) -> String {
        if self.unit.is_empty() || !self.kind.is_numeric() {
            return self.help.to_owned();
        }
        format!("{} [{}]", self.help, self.unit)
    }
}

/// A number that its setting does not allow.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfRange {
    /// The key, without the tables it is in.
    pub key: &'static str,
    /// The number.
    pub value: f64,
    /// What is allowed, in words.
    pub allowed: String,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} is not allowed; allowed: {}", self.key, self.value, self.allowed)
    }
}

impl Error for OutOfRange {}

/// A value of a file with its description.
#[derive(Debug)]
pub struct Leaf<'a> {
    /// The path of the key, for example `body.0.shape.box.min`.
    pub key: String,
    /// Its description.
    pub setting: &'static Setting,
    /// The value.
    pub value: &'a Value,
    /// Whether the setting or a table around it is fixed.
    pub fixed: bool,
}

impl Table {
    /// Keys that may stand side by side, with the registered tables.
    pub fn side_by_side(&self) -> impl Iterator<Item = &'static Setting> + use<> {
        let (at, open): (_, &[&OpenTable]) = self.open.map_or((0, &[]), |(at, open)| (at, open()));
        let (before, after) = self.settings.split_at(at);
        before.iter().chain(open.iter().map(|table| &table.setting)).chain(after)
    }

    /// Every setting of this table.
    pub fn iter(&self) -> impl Iterator<Item = &'static Setting> + use<> {
        self.side_by_side().chain(self.one_of)
    }

    /// The description of a key of this table.
    pub fn get(&self, name: &str) -> Option<&'static Setting> {
        self.iter().find(|setting| setting.name == name)
    }

    /// Checks numbers that were given in code, by their keys.
    ///
    /// # Errors
    /// The first that its setting does not allow, or that is not finite.
    pub fn check<const N: usize>(&self, numbers: [(&str, f64); N]) -> Result<(), OutOfRange> {
        for (key, value) in numbers {
            if let Some(setting) = self.get(key)
                && !(value.is_finite() && setting.range.contains(value))
            {
                return Err(OutOfRange { key: setting.name, value, allowed: setting.allowed() });
            }
        }
        Ok(())
    }

    /// The keys, separated by commas.
    pub fn names(&self) -> String {
        self.iter().map(|setting| setting.name).collect::<Vec<_>>().join(", ")
    }

    /// The descriptions along a path like `body.0.shape.box.min`, outermost first, if there is such a key.
    /// Numbers of list entries may be left out.
    pub fn along<'a>(
        &'static self,
        path: impl IntoIterator<Item = &'a str>,
    ) -> Option<Vec<&'static Setting>> {
        let mut found: Vec<&'static Setting> = Vec::new();
        let mut table = Some(self);
        for part in path {
            let in_list = found.last().is_some_and(|s| matches!(s.kind, Kind::List(..)));
            if in_list && part.parse::<usize>().is_ok() {
                continue;
            }
            let setting = table?.get(part)?;
            table = setting.kind.table();
            found.push(setting);
        }
        Some(found)
    }

    /// The description of a key path; see [`Table::along`].
    pub fn find<'a>(
        &'static self,
        path: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'static Setting> {
        self.along(path)?.last().copied()
    }

    /// Every setting of this table and of those inside, with its path, in order.
    pub fn all(&'static self) -> Vec<(String, &'static Setting)> {
        let mut found = Vec::new();
        let mut todo: Vec<_> =
            self.iter().map(|setting| (setting.name.to_owned(), setting)).collect();
        todo.reverse();
        while let Some((path, setting)) = todo.pop() {
            if let Some(table) = setting.kind.table() {
                let inner: Vec<_> = table.iter().map(|s| (join(&path, s.name), s)).collect();
                todo.extend(inner.into_iter().rev());
            }
            found.push((path, setting));
        }
        found
    }

    /// The path of the key that had this path in earlier versions.
    pub fn renamed(&'static self, path: &str) -> Option<String> {
        self.all().into_iter().find(|(_, setting)| setting.was == path).map(|(now, _)| now)
    }

    /// Every value of a file that holds these settings, down to the innermost tables, in the order of the
    /// description.
    pub fn leaves<'a>(&'static self, value: &'a Value) -> Vec<Leaf<'a>> {
        let mut leaves = Vec::new();
        self.collect(value, "", false, &mut leaves);
        leaves
    }

    fn collect<'a>(&self, value: &'a Value, path: &str, fixed: bool, leaves: &mut Vec<Leaf<'a>>) {
        for setting in self.iter() {
            let Some(value) = value.get(setting.name) else { continue };
            let key = join(path, setting.name);
            let fixed = fixed || setting.fixed;
            match (setting.kind, value) {
                (Kind::Table(table), _) => table.collect(value, &key, fixed, leaves),
                (Kind::List(Kind::Table(table), _), Value::List(list)) => {
                    for (i, value) in list.iter().enumerate() {
                        table.collect(value, &join(&key, &i.to_string()), fixed, leaves);
                    }
                }
                _ => leaves.push(Leaf { key, setting, value, fixed }),
            }
        }
    }
}
