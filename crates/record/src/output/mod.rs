//! Output of a run: frames, series, summary, checkpoints and the report.
//!
//! Every file but the growing `series.csv` and `frames.pvd` is written under a temporary name and then renamed, so
//! that an interrupted run leaves whole files or none. [`RunDirectory`] knows where each one lies:
//!
//! | file | module |
//! | --- | --- |
//! | `frames/*.vtp`, `frames.pvd` | [`vtk`] |
//! | `checkpoint/step-*.lawine` | [`checkpoint`] |
//! | `series.csv` | [`series`] |
//! | `summary.json` | [`summary`] |
//! | `report.html` | [`report`], with drawings of [`crate::plot`] |

pub mod checkpoint;
pub mod convergence;
pub mod directory;
mod frames;
pub mod lock;
pub mod report;
pub mod series;
pub mod summary;
pub mod vtk;

pub use checkpoint::{Checkpoint, CheckpointError, CheckpointStore, Section};
pub use convergence::{ConvergenceRecord, UnconvergedStep};
pub use directory::{DirectoryError, RunDirectory};
pub use frames::SavedFrame;
pub use lawine_render::atomic::{atomic_write, atomic_write_named, atomic_write_unsynced};
pub use lock::Lock;
pub use report::Report;
pub use series::{LIMIT, Series, SeriesError, SeriesWriter};
pub use summary::{Status, Summary, SummaryError, WeighedBody};
pub use vtk::{Collection, CollectionWriter, ParticleFrame, Surface, VtkError};
