//! Lawine's scene crate.
