//! The core types of Lawine, shared by methods, output and viewer.
//!
//! No files, no GPU, no windows; builds for `wasm32-unknown-unknown`.

pub mod body;
pub mod columns;
pub mod eigen;
pub mod environment;
pub mod field;
pub mod fit;
pub mod geometry;
pub mod hash;
pub mod immersed;
pub mod kernel;
pub mod method;
pub mod neighbors;
pub mod opening;
pub mod phases;
#[cfg(test)]
mod puppets;
pub mod reduce;
pub mod rigid;
pub mod simd;
pub mod simulation;
pub mod space;
pub mod watchdog;

pub use field::{Field, FieldValues};
pub use glam;
