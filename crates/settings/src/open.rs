//! Tables whose types the file that holds them does not know: they are registered when a program starts.

use crate::data::Settings;
use crate::describe::{Default, Kind, Setting};
use crate::range::Range;
use crate::reader::{Keys, Reader};
use crate::value::Value;
use std::any::Any;
use std::fmt;

/// Settings of any type.
pub trait AnySettings: Any + fmt::Debug + Send + Sync {
    /// See [`Data::write`](crate::Data::write).
    fn to_value(&self) -> Option<Value>;

    /// A copy.
    fn boxed(&self) -> Box<dyn AnySettings>;

    /// Whether the other is of the same type and equal.
    fn is_same(&self, other: &dyn AnySettings) -> bool;
}

impl<T: Settings + Clone + PartialEq + fmt::Debug + Send + Sync + 'static> AnySettings for T {
    fn to_value(&self) -> Option<Value> {
        self.write()
    }

    fn boxed(&self) -> Box<dyn AnySettings> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn AnySettings) -> bool {
        (other as &dyn Any).downcast_ref::<T>() == Some(self)
    }
}

type Read =
    fn(&Keys<'_>, &mut Reader<'_>, &'static Setting) -> Option<Option<Box<dyn AnySettings>>>;

/// A table that a file may have, with its type.
#[derive(Debug)]
pub struct OpenTable {
    /// Its description.
    pub setting: Setting,
    read: Read,
}

impl OpenTable {
    /// A table of this type under this key.
    pub const fn of<T: Settings + AnySettings>(key: &'static str) -> Self {
        let setting = Setting {
            name: key,
            kind: Kind::Table(const { &T::TABLE }),
            unit: "",
            default: Default::Open("none"),
            range: Range::ANY,
            help: T::TABLE.help,
            fixed: false,
            of: "",
            was: "",
        };
        let read: Read = |keys, reader, setting| {
            let found: Option<T> = reader.key(keys, setting)?;
            Some(found.map(|table| Box::new(table) as Box<dyn AnySettings>))
        };
        Self { setting, read }
    }

    /// The same, but nothing in it can change once a run has begun.
    #[must_use]
    pub const fn fixed(mut self) -> Self {
        self.setting.fixed = true;
        self
    }
}

/// The function that knows what has been registered.
pub type Registered = fn() -> &'static [&'static OpenTable];

type Entry = (&'static str, Box<dyn AnySettings>);

/// Those of the registered tables that a file has, in the order in which they are registered.
#[derive(Debug, Default)]
pub struct OpenTables(Vec<Entry>);

impl OpenTables {
    /// Whether it has the table under this key.
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == key)
    }

    /// The table of this type.
    pub fn get<T: Settings + 'static>(&self) -> Option<&T> {
        self.0.iter().find_map(|(_, table)| (&**table as &dyn Any).downcast_ref())
    }

    /// The table of this type, to be changed.
    pub fn get_mut<T: Settings + 'static>(&mut self) -> Option<&mut T> {
        self.0.iter_mut().find_map(|(_, table)| (&mut **table as &mut dyn Any).downcast_mut())
    }

    /// Those of a file.
    pub fn read_keys(
        known: &'static [&'static OpenTable],
        keys: &Keys<'_>,
        reader: &mut Reader<'_>,
    ) -> Option<Self> {
        // All of them, so that every problem is found, before the first that is bad ends it.
        let read = |table: &&'static OpenTable| {
            Some((table.setting.name, (table.read)(keys, reader, &table.setting)?))
        };
        let all: Vec<_> = known.iter().map(read).collect();
        let all: Option<Vec<_>> = all.into_iter().collect();
        Some(Self(all?.into_iter().filter_map(|(key, table)| Some((key, table?))).collect()))
    }

    /// Adds its tables to that of the file.
    pub fn write_keys(&self, file: &mut Vec<(String, Value)>) {
        file.extend(self.0.iter().filter_map(|(key, t)| Some(((*key).to_owned(), t.to_value()?))));
    }
}

impl Clone for OpenTables {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|(key, table)| (*key, table.boxed())).collect())
    }
}

impl PartialEq for OpenTables {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Entry, &Entry)| a.0 == b.0 && a.1.is_same(&*b.1);
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}
