//! Runs of scenes, and their output files.

pub mod draw;
pub mod measures;
pub mod output;
pub mod probes;
pub mod run;
pub mod surface;
