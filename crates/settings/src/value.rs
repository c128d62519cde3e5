//! Values as any file format has them.

use std::fmt;

/// A value of a file: a plain tree, whatever the format.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Keys with their values, in order.
    Table(Vec<(String, Value)>),
    /// Something that no setting is, such as a date, as its file spells it.
    Other(String),
}

impl Value {
    /// A table of these keys.
    pub fn table<'a>(keys: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::Table(keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The value of a key, for a table.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Table(keys) => keys.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Integer(n) => Some(n as f64),
            Self::Number(x) => Some(x),
            _ => None,
        }
    }

    /// The elements, for a list.
    pub fn list(&self) -> Option<&[Value]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// On one line of at most about sixty characters, for messages.
    pub(crate) fn short(&self) -> String {
        const MOST: usize = 60;
        let text = self.to_string();
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() <= MOST {
            return line;
        }
        line.chars().take(MOST - 3).chain("...".chars()).collect()
    }
}

/// As TOML spells it; tables stand in braces.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Integer(n) => write!(f, "{n}"),
            Self::Number(x) if x.is_nan() => f.write_str("nan"),
            Self::Number(x) => write!(f, "{x:?}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Other(text) => f.write_str(text),
            Self::List(list) => {
                let elements: Vec<String> = list.iter().map(Self::to_string).collect();
                write!(f, "[{}]", elements.join(", "))
            }
            Self::Table(keys) if keys.is_empty() => f.write_str("{}"),
            Self::Table(keys) => {
                let keys: Vec<String> =
                    keys.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                write!(f, "{{ {} }}", keys.join(", "))
            }
        }
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Self {
        Self::Integer(n.into())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<Value>> for Value {
    fn from(list: Vec<Value>) -> Self {
        Self::List(list)
    }
}
