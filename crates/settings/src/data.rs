//! Types that settings can have.

use crate::describe::{Kind, Table, WordHelp};
use crate::reader::{Keys, Reader};
use crate::value::Value;

/// A type that a setting can have.
pub trait Data: Sized {
    /// What its values look like in a file.
    const KIND: Kind;

    /// From a value. Values of the wrong kind give nothing: the [`Reader`] has reported them.
    fn read(value: &Value, reader: &mut Reader<'_>) -> Option<Self>;

    /// What a key that is not given stands for, if the type has something for it.
    fn absent() -> Option<Self> {
        None
    }

    /// As a value; nothing for what is not given.
    fn write(&self) -> Option<Value>;
}

/// A table of settings; derived.
pub trait Settings: Data {
    /// The description.
    const TABLE: Table;

    /// From the keys of a table.
    fn read_keys(keys: &Keys<'_>, reader: &mut Reader<'_>) -> Option<Self>;

    /// Adds its keys to a table.
    fn write_keys(&self, table: &mut Vec<(String, Value)>);
}

/// One of a few words; derived.
pub trait Word: Data + Copy {
    /// The words with a sentence on each, in the order of the variants.
    const HELP: &'static [WordHelp];
}

impl Data for f64 {
    const KIND: Kind = Kind::Number;

    fn read(value: &Value, _: &mut Reader<'_>) -> Option<Self> {
        value.number()
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Number(*self))
    }
}

impl Data for u32 {
    const KIND: Kind = Kind::Count(u32::MAX as u64);

    fn read(value: &Value, _: &mut Reader<'_>) -> Option<Self> {
        match value {
            Value::Integer(n) => (*n).try_into().ok(),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some((*self).into())
    }
}

/// Up to what a file can hold, 2⁶³ − 1.
impl Data for u64 {
    const KIND: Kind = Kind::Count(i64::MAX as u64);

    fn read(value: &Value, _: &mut Reader<'_>) -> Option<Self> {
        match value {
            Value::Integer(n) => (*n).try_into().ok(),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        let whole = i64::try_from(*self).map(Value::Integer);
        Some(whole.unwrap_or_else(|_| Value::Other(self.to_string())))
    }
}

impl Data for bool {
    const KIND: Kind = Kind::Flag;

    fn read(value: &Value, _: &mut Reader<'_>) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some((*self).into())
    }
}

impl Data for String {
    const KIND: Kind = Kind::Text;

    fn read(value: &Value, _: &mut Reader<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some(self.as_str().into())
    }
}

/// Anything but a table.
impl Data for Value {
    const KIND: Kind = Kind::Any;

    fn read(value: &Value, _: &mut Reader<'_>) -> Option<Self> {
        Some(value.clone())
    }

    fn write(&self) -> Option<Value> {
        Some(self.clone())
    }
}

impl<T: Data> Data for Option<T> {
    const KIND: Kind = T::KIND;

    fn read(value: &Value, reader: &mut Reader<'_>) -> Option<Self> {
        T::read(value, reader).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn write(&self) -> Option<Value> {
        self.as_ref()?.write()
    }
}

impl<T: Data> Data for Vec<T> {
    const KIND: Kind = Kind::List(&T::KIND, None);

    fn read(value: &Value, reader: &mut Reader<'_>) -> Option<Self> {
        // All of them, so that every problem is found, before the first that is bad ends it.
        let read = |(i, value)| reader.entry(i, |reader| T::read(value, reader));
        let all: Vec<Option<T>> = value.list()?.iter().enumerate().map(read).collect();
        all.into_iter().collect()
    }

    fn write(&self) -> Option<Value> {
        Some(Value::List(self.iter().filter_map(Data::write).collect()))
    }
}

impl<T: Data, const N: usize> Data for [T; N] {
    const KIND: Kind = Kind::List(&T::KIND, Some(N));

    fn read(value: &Value, reader: &mut Reader<'_>) -> Option<Self> {
        Vec::read(value, reader)?.try_into().ok()
    }

    fn write(&self) -> Option<Value> {
        Some(Value::List(self.iter().filter_map(Data::write).collect()))
    }
}
