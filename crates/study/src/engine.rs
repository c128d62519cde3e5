//! A study and its runs, in parallel, each in a separate directory.

use crate::StudyError;
use crate::batch;
use crate::collect::Collected;
use crate::execution::{Placement, Shared, input, offered, perform};
use crate::file::LoadedStudy;
use crate::folder::Folder;
use crate::matrix::{self, Run};
use crate::measure::missing;
use crate::outcome::{Outcome, Status};
use lawine_scene::file::SceneError;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Listens to the progress of a study, from any thread.
pub trait Listener: Sync {
    /// A run begins.
    fn begins(&self, run: &Run, label: &str);
    /// A run has a result, but of a scene that was edited since: it is done again.
    fn changed(&self, run: &Run, label: &str);
    /// A run has ended.
    fn ended(&self, run: &Run, label: &str, outcome: &Outcome);
}

/// What the folder of a run holds.
pub(crate) enum Found {
    /// No result.
    Nothing,
    /// The result of another scene: it was edited since.
    Outdated,
    /// Its result.
    Current(Outcome),
}

/// A study that is ready to be run.
#[derive(Debug)]
pub struct Study {
    pub(crate) loaded: LoadedStudy,
    pub(crate) quick: bool,
    pub(crate) runs: Vec<Run>,
    placement: Option<Placement>,
}

impl Study {
    /// Expands a study to its runs and checks everything that can be checked without running.
    ///
    /// # Errors
    /// When a scene, a setting, an experiment or a measure does not exist or makes no sense.
    pub fn new(loaded: LoadedStudy, quick: bool) -> Result<Self, StudyError> {
        let runs = matrix::runs(&loaded, quick);
        if runs.is_empty() {
            return Err(loaded.error("case", "case: the matrix is empty, there is no run"));
        }
        let study = Self { loaded, quick, runs, placement: None };
        study.check()?;
        Ok(study)
    }

    /// The first run of every case must load, and offer what is to be measured.
    fn check(&self) -> Result<(), StudyError> {
        let (mut last, mut offer) = (None, None);
        for run in &self.runs {
            if last != Some(run.case) {
                last = Some(run.case);
                let names = offered(&self.loaded, run, &mut offer)?;
                let problems: Vec<_> = missing(&self.loaded, &names)
                    .into_iter()
                    .map(|(key, message)| self.loaded.locations.problem(&key, message))
                    .collect();
                if !problems.is_empty() {
                    return Err(SceneError::Invalid(problems).into());
                }
            }
        }
        Ok(())
    }

    /// Lets something other than the processor compute the scenes of all runs. A scene that cannot be computed there
    /// fails its run.
    #[must_use]
    pub fn placed(mut self, placement: Placement) -> Self {
        self.placement = Some(placement);
        self
    }

    /// The study's file.
    pub fn loaded(&self) -> &LoadedStudy {
        &self.loaded
    }

    /// Its runs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// A few words on a run.
    pub fn label(&self, run: &Run) -> String {
        let repeated = self.runs.iter().any(|r| r.repetition > 0);
        let label = run.label(&self.loaded.file.case[run.case]);
        if repeated { format!("{label}, {}", run.repetition + 1) } else { label }
    }

    /// Whether something is at the path already.
    pub fn is_taken(path: &Path) -> bool {
        Folder::is_taken(path)
    }

    /// The result of a run, if it has one and that is still its own.
    pub(crate) fn result(&self, folder: &Folder, run: &Run) -> Found {
        match Outcome::read(&folder.result(run)) {
            None => Found::Nothing,
            Some(outcome) if outcome.input == input(&self.loaded, run) => Found::Current(outcome),
            Some(_) => Found::Outdated,
        }
    }

    /// Does all runs that have not finished yet, or whose scene was edited since, up to `jobs` side by side; one at a time where times
    /// are compared.
    ///
    /// # Errors
    /// When the folder is another's, cannot be written, or the user stops. A run that fails is no
    /// error: it is recorded and the others continue.
    pub fn run_all(
        &self,
        root: &Path,
        jobs: usize,
        stop: &AtomicBool,
        watch: &dyn Listener,
    ) -> Result<(), StudyError> {
        let folder = Folder::open(root, &self.loaded, self.quick)?;
        let _lock = folder.claim()?;
        let is_open = |run: &&Run| self.finished(&folder, run, watch).is_none();
        let todo: Vec<&Run> = self.runs.iter().filter(is_open).collect();
        let jobs = if self.loaded.file.timing { 1 } else { jobs.clamp(1, todo.len().max(1)) };
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let work = || {
            while let Some(run) = todo.get(next.fetch_add(1, Relaxed)) {
                if let Err(error) = self.run_in(&folder, run, true, stop, watch) {
                    next.store(todo.len(), Relaxed);
                    failure.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(work);
            }
            work();
        });
        failure.into_inner().unwrap_or_else(|e| e.into_inner()).map_or(Ok(()), Err)
    }

    /// Does one run from its start, whether or not it has been done before; with `resume` it continues where it was
    /// interrupted, and is not done at all if it has finished.
    ///
    /// # Errors
    /// As [`Self::run_all`], and when there is no such run.
    pub fn run_one(
        &self,
        root: &Path,
        index: usize,
        resume: bool,
        stop: &AtomicBool,
        watch: &dyn Listener,
    ) -> Result<Outcome, StudyError> {
        let last = self.runs.len() - 1;
        let run = self.runs.get(index).ok_or(StudyError::NoRun { index, last })?;
        let folder = Folder::open(root, &self.loaded, self.quick)?;
        let _locks = folder.claim_run(run)?;
        match self.finished(&folder, run, watch).filter(|_| resume) {
            Some(outcome) => Ok(outcome),
            None => self.run_in(&folder, run, resume, stop, watch),
        }
    }

    /// The result of a run that need not be done again.
    fn finished(&self, folder: &Folder, run: &Run, watch: &dyn Listener) -> Option<Outcome> {
        match self.result(folder, run) {
            Found::Nothing => None,
            Found::Outdated => {
                watch.changed(run, &self.label(run));
                None
            }
            Found::Current(outcome) => {
                let may_fail = self.loaded.file.case[run.case].may_fail;
                (outcome.status == Status::Finished || may_fail).then_some(outcome)
            }
        }
    }

    fn run_in(
        &self,
        folder: &Folder,
        run: &Run,
        resume: bool,
        stop: &AtomicBool,
        watch: &dyn Listener,
    ) -> Result<Outcome, StudyError> {
        let label = self.label(run);
        watch.begins(run, &label);
        // Before the run: should the scene be edited meanwhile, the result is that of the old one.
        let input = input(&self.loaded, run);
        // A time that is compared is that of a run in one go.
        let may_continue = resume && !self.loaded.file.timing;
        let path = folder.begin(run, input.as_deref(), may_continue)?;
        let shared = Shared { study: &self.loaded, placement: self.placement, stop };
        let outcome = match perform(shared, run, &path) {
            // A setting that makes no sense fails its run only.
            Err(StudyError::File(error)) => Outcome::failed(error.to_string()),
            other => other?,
        };
        let outcome = Outcome { input, ..outcome };
        outcome.write(&folder.result(run))?;
        watch.ended(run, &label, &outcome);
        Ok(outcome)
    }

    /// Writes scripts for batch systems into the folder of the study, made if it is new: a job array for Slurm and a
    /// Snakefile, with `command` for the program and the study.
    ///
    /// # Errors
    /// When the folder is another's, or cannot be written.
    pub fn write_scripts(
        &self,
        root: &Path,
        command: &batch::Command<'_>,
    ) -> Result<[PathBuf; 2], StudyError> {
        let folder = Folder::open(root, &self.loaded, self.quick)?;
        batch::write(&folder, command, self.runs.len(), self.loaded.file.threads.unwrap_or(1))
    }

    /// Makes tables, plots and the report from all runs that have ended so far.
    ///
    /// # Errors
    /// When the folder is another's, or a file cannot be read or written.
    pub fn collect(&self, root: &Path) -> Result<Collected, StudyError> {
        let folder = Folder::open(root, &self.loaded, self.quick)?;
        Collected::new(self, &folder)
    }
}
