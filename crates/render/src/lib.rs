//! Lawine's render crate.
