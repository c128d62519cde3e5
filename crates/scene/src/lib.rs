//! Scene files become simulations, and simulations become files.

pub mod build;
pub mod builtin;
pub mod draw;
pub mod file;
pub mod input;
pub mod matter;
pub mod measures;
pub mod mesh;
pub mod output;
pub mod probes;
pub mod run;
pub mod select;
pub mod surface;
