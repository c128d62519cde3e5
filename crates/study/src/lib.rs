//! Parameter studies: a matrix of runs, with tables, plots and a report.
//!
//! A study is a TOML file ([`mod@file`]): a scene or a built-in [`experiment`], settings that vary, what to
//! measure, what to draw and the printed numbers to compare with. [`Study`] expands it to runs, each
//! in a folder of its own, and collects whatever has finished.

pub mod batch;
pub mod builtin;
pub mod experiment;
pub mod file;

mod collect;
mod engine;
mod error;
mod execution;
mod figures;
mod finding;
mod folder;
mod matrix;
mod measure;
mod outcome;
mod page;
mod pictures;
mod reference;
mod report;
mod search;
mod table;

pub use collect::Collected;
pub use engine::{Listener, Study};
pub use error::StudyError;
pub use execution::Placement;
pub use finding::Answer;
pub use matrix::{Run, Setting};
pub use outcome::{Outcome, Status};
pub use table::{Cell, Row, Table};
