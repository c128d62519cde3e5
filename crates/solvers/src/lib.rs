//! Lawine's solvers crate.
