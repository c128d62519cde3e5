//! The vocabulary of Lawine: what every method, writer and window speaks.
//!
//! No files, no GPU, no windows; builds for `wasm32-unknown-unknown`.

pub mod body;
pub mod field;
pub mod geometry;

pub use field::{Field, FieldValues};
pub use glam;
