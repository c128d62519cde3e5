//! One description for each setting: name, kind, unit, default, range and a help sentence stand once, on the
//! field of a struct, and whoever reads, checks, writes or explains settings asks that description.
//!
//! ```
//! use lawine_settings::{Settings, Value, Word, read};
//!
//! /// How neighbours are found.
//! #[derive(Clone, Copy, Debug, PartialEq, Word)]
//! enum Search {
//!     /// A uniform grid.
//!     Grid,
//!     /// Every pair is looked at.
//!     BruteForce,
//! }
//!
//! /// A liquid.
//! #[derive(Debug, PartialEq, Settings)]
//! struct Liquid {
//!     /// Distance between particles at rest [m].
//!     #[setting(above = 0)]
//!     spacing: f64,
//!     /// Rest density [kg/m³].
//!     #[setting(default = 1000.0, above = 0)]
//!     rest_density: f64,
//!     /// How neighbours are found.
//!     #[setting(default = Search::Grid)]
//!     search: Search,
//! }
//!
//! let file = Value::table([("spacing", 0.01.into()), ("search", "brute-froce".into())]);
//! let problems = read::<Liquid>(&file, &[]).unwrap_err();
//! assert_eq!(
//!     problems[0].message,
//!     "search = \"brute-froce\" is not allowed (did you mean \"brute-force\"?); \
//!      allowed: \"grid\", \"brute-force\""
//! );
//! ```
//!
//! The first paragraph of a field's documentation is the help sentence, and the unit in brackets in it is the
//! unit. `#[setting(…)]` takes:
//!
//! | | |
//! | --- | --- |
//! | `default = 0.5`, `default` | the value of a key that is not given; alone: that of [`Default`](trait@std::default::Default) |
//! | `without = "never"` | for an [`Option`]: what holds when the key is not given |
//! | `above`, `at_least`, `below`, `at_most` | bounds of a number, and of each number of a list |
//! | `filled` | a text or a list that must not be empty |
//! | `fixed` | the key cannot change once a run has begun, nor anything in its table |
//! | `of = "liquid snow"` | the kinds of matter that the key belongs to; all without it |
//! | `was = "solver.kernel"` | the path of the key in earlier versions, or its former name in this table: the error for it names the new key |
//! | `name = "v3/2"` | the key or word, where it is not the name of the field or variant |
//! | `one_of` | the field is an enum, and its keys stand beside those of the struct |
//! | `flatten` | the field is a struct of settings, and its keys stand beside those of this one |
//! | `open = tables` | the field is [`OpenTables`]: those of `tables()`, which are registered when the program starts |
//!
//! A key without `default` and `without` must be given. A struct whose keys may all be left out gets
//! [`Default`](trait@std::default::Default). An enum whose variants have one field each is a table with exactly one key.

extern crate self as lawine_settings;

mod data;
mod describe;
mod json;
mod open;
mod range;
mod reader;
mod samples;
mod suggest;
#[cfg(test)]
mod tests;
mod value;

pub use data::{Data, Settings, Word};
pub use describe::{Default, Kind, Leaf, OutOfRange, Setting, Table, WordHelp};
pub use json::schema;
pub use lawine_settings_derive::{Settings, Word};
pub use open::{AnySettings, OpenTable, OpenTables, Registered};
pub use range::{Bound, Magnitudes, Range};
pub use reader::{Keys, Problem, Reader, problems, read};
pub use samples::samples;
pub use suggest::{closest, did_you_mean};
pub use value::Value;

/// `path.name`, or `name` at the top.
pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
