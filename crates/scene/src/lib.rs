//! Scene files become simulations, and simulations become files.

pub mod builtin;
pub mod file;
pub mod mesh;
pub mod output;
