//! Errors of studies.

use crate::plot::PlotError;
use lawine_scene::file::SceneError;
use lawine_settings::did_you_mean;
use std::io;
use std::path::{Path, PathBuf};

/// Why a study could not be done.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file of the study, or of its scene, makes no sense.
    #[error(transparent)]
    File(#[from] SceneError),
    /// There is no such study.
    #[error(
        "there is no study {name:?}{}; built-in studies: {names}; or give the path of a study file",
        did_you_mean(suggestion.as_deref())
    )]
    Unknown {
        /// The name asked for.
        name: String,
        /// The closest name, if one is close.
        suggestion: Option<String>,
        /// All names.
        names: String,
    },
    /// The output folder holds something else.
    #[error("{} {reason}; nothing was changed there", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What it holds, and what to do.
        reason: String,
    },
    /// There is no run of that number.
    #[error("there is no run {index}; allowed: 0 to {last}")]
    NoRun {
        /// The number asked for.
        index: usize,
        /// The last there is.
        last: usize,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A drawing could not be made.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// Ctrl-C.
    #[error("stopped")]
    Stopped,
}

impl StudyError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}
