//! The `checkpoint/` directory of a run: the newest few checkpoints, by step.

use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Checkpoint, CheckpointError, Section, read, write_atomic};

const PREFIX: &str = "step-";
const SUFFIX: &str = ".lawine";

/// Keeps the newest checkpoints of a run in one directory.
#[derive(Clone, Debug)]
pub struct CheckpointStore {
    directory: PathBuf,
    keep: usize,
}

/// A checkpoint file in a [`CheckpointStore`], not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// Number of steps done when it was written.
    pub step: u64,
    /// The file.
    pub path: PathBuf,
}

impl CheckpointStore {
    /// A store in an existing directory that keeps two checkpoints.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), keep: 2 }
    }

    /// Keeps `count` checkpoints instead of two; at least one.
    #[must_use]
    pub fn keeping(mut self, count: usize) -> Self {
        self.keep = count.max(1);
        self
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a step, such as `step-000000123456.lawine`.
    pub fn path_of(&self, step: u64) -> PathBuf {
        self.directory.join(format!("{PREFIX}{step:012}{SUFFIX}"))
    }

    /// Writes the checkpoint of a step and, once it is safely in place, removes the oldest ones.
    ///
    /// Checkpoints of later steps are left alone: see [`discard_after`](Self::discard_after).
    ///
    /// # Errors
    /// [`CheckpointError::Write`]: nothing changed. [`CheckpointError::Remove`] or
    /// [`CheckpointError::List`]: the new checkpoint is in place, but old ones may remain.
    pub fn write(&self, step: u64, sections: &[Section<'_>]) -> Result<PathBuf, CheckpointError> {
        let path = self.path_of(step);
        write_atomic(&path, sections)?;
        let not_later = self.list()?.into_iter().filter(|stored| stored.step <= step);
        for old in not_later.skip(self.keep) {
            remove(&old)?;
        }
        Ok(path)
    }

    /// Removes the checkpoints after `step`. A run that resumes from an older checkpoint must do
    /// this, or else the abandoned ones would still count as the newest.
    ///
    /// # Errors
    /// When the directory cannot be listed or a file cannot be removed.
    pub fn discard_after(&self, step: u64) -> Result<(), CheckpointError> {
        for stored in self.list()? {
            if stored.step > step {
                remove(&stored)?;
            }
        }
        Ok(())
    }

    /// The checkpoints there are, newest first. Files with other names are ignored.
    ///
    /// # Errors
    /// [`CheckpointError::List`].
    pub fn list(&self) -> Result<Vec<StoredCheckpoint>, CheckpointError> {
        let mut found = self.scan().map_err(|source| CheckpointError::List {
            directory: self.directory.clone(),
            source,
        })?;
        found.sort_by_key(|stored| Reverse(stored.step));
        Ok(found)
    }

    fn scan(&self) -> io::Result<Vec<StoredCheckpoint>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            if let Some(step) = entry.file_name().to_str().and_then(step_of) {
                found.push(StoredCheckpoint { step, path: entry.path() });
            }
        }
        Ok(found)
    }

    /// Reads the newest checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::NoneFound`] when there is none. [`CheckpointError::NewestUnusable`] when
    /// the newest is unusable: the message explains why and offers the next older one that is intact.
    /// An older one is never taken silently.
    pub fn latest(&self) -> Result<(StoredCheckpoint, Checkpoint), CheckpointError> {
        let mut stored = self.list()?.into_iter();
        let newest = stored
            .next()
            .ok_or_else(|| CheckpointError::NoneFound { directory: self.directory.clone() })?;
        match read(&newest.path) {
            Ok(checkpoint) => Ok((newest, checkpoint)),
            Err(error) => Err(CheckpointError::NewestUnusable {
                newest: Box::new(error),
                fallback: stored.map(|older| older.path).find(|path| read(path).is_ok()),
            }),
        }
    }
}

fn remove(stored: &StoredCheckpoint) -> Result<(), CheckpointError> {
    match fs::remove_file(&stored.path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(CheckpointError::Remove { path: stored.path.clone(), source })
        }
        _ => Ok(()),
    }
}

/// The step in a file name, or `None` for a foreign file.
fn step_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    if digits.len() < 12 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}
