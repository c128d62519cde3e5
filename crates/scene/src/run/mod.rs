//! A run: a scene, a directory, and the one loop in between.

mod columns;
mod finish;
mod recorder;
mod redraw;
mod totals;

pub use columns::{Heading, headings};
pub use redraw::{Redraw, redraw};

use crate::build::{Built, build};
use crate::file::{LoadedScene, SceneError};
use crate::output::{Checkpoint, RunDirectory, Status, Summary, atomic_write};
use crate::probes::Probes;
use crate::select::Selection;
use lawine_core::simulation::{Flow, Outcome, RunError};
use recorder::{Meta, Recorder};
use std::io;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// Everything a run needs besides the scene.
pub struct Setup<'a> {
    /// Where the files go; created or opened already.
    pub directory: RunDirectory,
    /// Name of the scene, for the summary.
    pub scene_name: String,
    /// The command line, for the report.
    pub command: String,
    /// Version of the program.
    pub version: &'static str,
    /// Threads of the pool that [`run`] is called in.
    pub threads: usize,
    /// Set it from another thread to end the run after the current step.
    pub stop: &'a AtomicBool,
    /// Processor time of the process so far [s].
    pub cpu_clock: fn() -> f64,
}

/// What is shown while a run goes on.
#[derive(Clone, Copy, Debug)]
pub struct ProgressReport {
    /// Simulated time [s].
    pub time: f64,
    /// Its end [s].
    pub end: f64,
    /// Steps done.
    pub steps: u64,
    /// Number of particles.
    pub particles: usize,
    /// Last time step [s].
    pub dt: f64,
    /// What limited it.
    pub limit: &'static str,
    /// Mean density error.
    pub density_error: f64,
}

/// Shows how a run goes on.
pub trait Progress {
    /// After every step.
    fn step(&mut self, report: &ProgressReport);
    /// When something else begins that takes time, such as coding the movie.
    fn stage(&mut self, what: &str);
}

/// Why a run ended early, or could not begin.
#[derive(Debug, Error)]
pub enum RunFailure {
    /// The scene makes no sense.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The checkpoint belongs to another scene.
    #[error("the checkpoint is of the scene \"{found}\", not \"{expected}\"")]
    OtherScene {
        /// The checkpoint's scene.
        found: String,
        /// The scene that was asked for.
        expected: String,
    },
    /// The checkpoint does not fit the scene.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(io::Error),
    /// A step or an observer failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file could not be written.
    #[error("{0}")]
    Output(io::Error),
}

/// The name of the scene that a checkpoint belongs to.
pub fn scene_of(checkpoint: &Checkpoint) -> Result<String, RunFailure> {
    recorder::parts(checkpoint).map(|(meta, _)| meta.scene).map_err(RunFailure::Checkpoint)
}

/// Checks what depends on the fields of the method: probes and the view.
pub fn check(loaded: &LoadedScene, built: &Built) -> Result<(Probes, Vec<Heading>), SceneError> {
    let fields = built.simulation.methods[0].fields();
    let probes = Probes::new(&built.scene, loaded, &fields)?;
    Selection::new(&fields, &built.scene.view.field).map_err(|e| loaded.error("view.field", e))?;
    let planar = built.scene.space.dimension == 2;
    let headings = headings(&probes, &fields, &built.simulation.env.bodies, planar);
    Ok((probes, headings))
}

/// Runs a scene to its end, from the start or from a checkpoint. Whatever happens, what has been
/// computed is in the directory: the summary says how the run ended.
pub fn run(
    loaded: &LoadedScene,
    setup: &Setup<'_>,
    checkpoint: Option<&Checkpoint>,
    progress: &mut dyn Progress,
) -> Result<Summary, RunFailure> {
    let mut built = build(loaded)?;
    let (probes, headings) = check(loaded, &built)?;
    let resumed = checkpoint.map(|c| resume(&mut built, setup, c)).transpose()?;
    let scene_text = built.scene.to_toml()?;
    atomic_write(&setup.directory.scene(), |out| out.write_all(scene_text.as_bytes()))
        .map_err(RunFailure::Output)?;

    let is_new = resumed.is_none();
    let mut recorder = Recorder::new(setup, &built, probes, &headings, resumed, &mut *progress)
        .map_err(RunFailure::Output)?;
    let result = advance(&mut built, &mut recorder, is_new);
    let flushed = recorder.flush();
    let (totals, frames) = (recorder.totals(&built.simulation), recorder.meta.next_frame);
    drop(recorder);

    let (status, message) = match &result {
        Ok(Outcome::Finished) => (Status::Finished, None),
        Ok(Outcome::Stopped) => (Status::Interrupted, None),
        Err(error) => (Status::Failed, Some(error.to_string())),
    };
    let ending = finish::Ending { status, message, totals, frames, scene_text, headings };
    let finished = finish::finish(&built, setup, ending, progress);
    result?;
    flushed.map_err(RunFailure::Output)?;
    finished.map_err(RunFailure::Output)
}

/// Puts a built simulation into the state of a checkpoint.
fn resume(
    built: &mut Built,
    setup: &Setup<'_>,
    checkpoint: &Checkpoint,
) -> Result<(Meta, f64), RunFailure> {
    let (meta, mut state) = recorder::parts(checkpoint).map_err(RunFailure::Checkpoint)?;
    if meta.scene != setup.scene_name {
        let expected = setup.scene_name.clone();
        return Err(RunFailure::OtherScene { found: meta.scene, expected });
    }
    built.simulation.load(&mut state).map_err(RunFailure::Checkpoint)?;
    let store = setup.directory.checkpoints();
    store
        .discard_after(built.simulation.steps())
        .map_err(|e| RunFailure::Output(io::Error::other(e)))?;
    Ok((meta, built.simulation.time()))
}

fn advance(
    built: &mut Built,
    recorder: &mut Recorder<'_>,
    is_new: bool,
) -> Result<Outcome, RunError> {
    let simulation = &mut built.simulation;
    if is_new && simulation.show(&mut [recorder])? == Flow::Stop {
        return Ok(Outcome::Stopped);
    }
    // A run that ends between two frames has its last step cut short. Its checkpoint is that of
    // the last frame, so that a longer run from there takes the same steps as one in a single go.
    let (end, every) = (built.scene.end, built.scene.output.every);
    let last_frame = ((end / every) * (1.0 + 1e-12)).floor() * every;
    for target in [last_frame.min(end), end] {
        if simulation.time() < target {
            if simulation.advance_to(target, &mut [recorder])? == Outcome::Stopped {
                return Ok(Outcome::Stopped);
            }
            if target <= last_frame {
                let (step, time) = (simulation.steps(), simulation.time());
                recorder.checkpoint(simulation).map_err(|source| RunError::Observer {
                    step,
                    time,
                    source,
                })?;
            }
        }
    }
    Ok(Outcome::Finished)
}
