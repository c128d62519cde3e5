//! Lawine's scene crate.

pub mod builtin;
pub mod file;
pub mod mesh;
