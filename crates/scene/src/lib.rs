//! Lawine's scene crate.

pub mod file;
