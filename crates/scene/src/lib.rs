//! Scene files, and simulations built from them.

pub mod build;
pub mod builtin;
pub mod file;
pub mod grain_surface;
pub mod input;
pub mod matter;
pub mod mesh;
pub mod select;
