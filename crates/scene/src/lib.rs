//! Scene files become simulations.

pub mod build;
pub mod builtin;
pub mod file;
pub mod input;
pub mod look;
pub mod matter;
pub mod mesh;
pub mod select;
