//! The output directory of a study: ownership and paths of its runs.

use crate::StudyError;
use crate::file::LoadedStudy;
use crate::matrix::Run;
use lawine_record::output::{Lock, atomic_write};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The study's text; its presence makes a folder ours.
const MARK: &str = "study.toml";
/// Locked while runs are done; it stays, and means nothing by itself.
const LOCK: &str = "study.lock";
/// How often a folder without it is looked at again.
const PATIENCE: u32 = 10;

/// The output folder of a study.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Makes the folder, or opens that of the same study. Nothing is changed in any other.
    pub(crate) fn open(root: &Path, study: &LoadedStudy, quick: bool) -> Result<Self, StudyError> {
        let text = identity(study, quick);
        let foreign = |reason: String| StudyError::Folder { path: root.to_owned(), reason };
        let mark = root.join(MARK);
        // Another process may be making the folder right now: many runs of one study can begin at
        // the same moment.
        let mut found = fs::read_to_string(&mark);
        for _ in 0..PATIENCE {
            if found.is_ok() || is_empty(root) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            found = fs::read_to_string(&mark);
        }
        match found {
            Ok(found) if found == text => {}
            Ok(found) => {
                let other = found.lines().next().unwrap_or_default().trim_start_matches("# ");
                return Err(foreign(format!(
                    "contains the results of another study, {other}; choose another directory with --out"
                )));
            }
            Err(_) if is_empty(root) => {
                fs::create_dir_all(root).map_err(|e| StudyError::io("make", root, e))?;
                atomic_write(&mark, |out| out.write_all(text.as_bytes()))
                    .map_err(|e| StudyError::io("write", &mark, e))?;
            }
            Err(_) => {
                return Err(foreign(
                    "is not empty and not the directory of a study; choose another with --out"
                        .into(),
                ));
            }
        }
        Ok(Self { root: root.to_owned() })
    }

    /// Keeps all others from doing runs in this folder, as long as the lock lives.
    pub(crate) fn claim(&self) -> Result<Lock, StudyError> {
        self.locked(&self.root.join(LOCK), Lock::exclusive)
    }

    /// Locks this run against other processes, and against a process that does all runs; other runs may continue
    /// side by side.
    pub(crate) fn claim_run(&self, run: &Run) -> Result<[Lock; 2], StudyError> {
        let runs = self.root.join("runs");
        fs::create_dir_all(&runs).map_err(|e| StudyError::io("make", &runs, e))?;
        let own = self.run(run).with_extension("lock");
        let all = self.locked(&self.root.join(LOCK), Lock::shared)?;
        Ok([all, self.locked(&own, Lock::exclusive)?])
    }

    fn locked(
        &self,
        path: &Path,
        lock: impl Fn(&Path) -> io::Result<Lock>,
    ) -> Result<Lock, StudyError> {
        lock(path).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => StudyError::Folder {
                path: self.root.clone(),
                reason: "is in use by another lawine process; wait until it has ended".into(),
            },
            _ => StudyError::io("lock", path, error),
        })
    }

    /// Whether there is a folder of some study, or anything else, at the path.
    pub(crate) fn is_taken(root: &Path) -> bool {
        !is_empty(root)
    }

    /// A file of the study.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The folder of a run.
    pub(crate) fn run(&self, run: &Run) -> PathBuf {
        self.root.join("runs").join(format!("{:03}", run.index))
    }

    /// Where a run's result is.
    pub(crate) fn result(&self, run: &Run) -> PathBuf {
        self.run(run).join("result.json")
    }

    /// The folder of a run that begins, with `input`. What a run left that was interrupted, or killed, stays if it had
    /// the same input and may be continued; otherwise the folder is emptied.
    pub(crate) fn begin(
        &self,
        run: &Run,
        input: Option<&str>,
        may_continue: bool,
    ) -> Result<PathBuf, StudyError> {
        let path = self.run(run);
        let mark = path.with_extension("input");
        let same = input.is_some() && fs::read_to_string(&mark).ok().as_deref() == input;
        let was_interrupted = path.exists() && !self.result(run).exists();
        if !(may_continue && same && was_interrupted) {
            if path.exists() {
                fs::remove_dir_all(&path).map_err(|e| StudyError::io("empty", &path, e))?;
            }
            fs::create_dir_all(&path).map_err(|e| StudyError::io("make", &path, e))?;
            atomic_write(&mark, |out| out.write_all(input.unwrap_or_default().as_bytes()))
                .map_err(|e| StudyError::io("write", &mark, e))?;
        }
        Ok(path)
    }
}

/// The text that identifies a study.
fn identity(study: &LoadedStudy, quick: bool) -> String {
    let form = if quick { ", quick version" } else { "" };
    format!("# the study {}{form}\n{}", study.name, study.text)
}

/// Whether nothing is there.
fn is_empty(root: &Path) -> bool {
    !root.exists() || fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_none())
}
