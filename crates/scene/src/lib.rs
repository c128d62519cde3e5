//! Lawine's scene crate.

pub mod output;
