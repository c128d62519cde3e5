//! A run: a scene, a directory, and the one loop in between.

mod columns;
mod finish;
mod fixed;
mod meshes;
mod pictures;
mod recorder;
mod redraw;
mod rescue;
mod totals;

pub use columns::{Heading, headings, row};
pub use fixed::{Difference, fingerprint, fixed_difference};
pub use redraw::{Redraw, redraw};

use crate::measures;
use crate::output::{Checkpoint, RunDirectory, Status, Summary, atomic_write_named};
use crate::probes::Probes;
use fixed::Origin;
use lawine_core::simulation::{Flow, Outcome, RunError, Simulation};
use lawine_core::watchdog::Findings;
use lawine_scene::build::{Built, build};
use lawine_scene::file::{LoadedScene, SceneError, SceneFile};
use lawine_scene::select::{MatterFields, select};
use recorder::{Meta, Recorder};
use std::fs;
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
    /// What computes: "cpu", or the name of a GPU.
    pub device: String,
    /// Threads of the pool that [`run`] is called in.
    pub threads: usize,
    /// Set it from another thread to end the run after the current step.
    pub stop: &'a AtomicBool,
    /// Processor time of the process so far [s].
    pub cpu_clock: fn() -> f64,
}

/// Progress of a run.
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
    /// Mean density error; none for grains and snow.
    pub density_error: Option<f64>,
}

/// Displays the progress of a run.
pub trait Progress {
    /// After every step.
    fn step(&mut self, report: &ProgressReport);
    /// Called when another lengthy stage begins, such as encoding the movie.
    fn stage(&mut self, what: &str);
    /// Called for a problem that does not end the run.
    fn warning(&mut self, what: &str);
}

/// Why a run ended early, or could not begin.
#[derive(Debug, Error)]
pub enum RunFailure {
    /// The scene is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The requested end is before the checkpoint.
    #[error(
        "end = {end} s has passed: the checkpoint is at t = {time} s; allowed: that or later, or \
         an earlier checkpoint"
    )]
    EndHasPassed {
        /// The end that was asked for [s].
        end: f64,
        /// Time of the checkpoint [s].
        time: f64,
    },
    /// The checkpoint cannot be read or does not match.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(io::Error),
    /// The checkpoint belongs to another scene.
    #[error(
        "the checkpoint does not match the scene: {0}; this value cannot change when a run is \
         resumed: restore it in scene.toml, or start a new run"
    )]
    OtherScene(Difference),
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

/// A scene that is ready to run.
pub struct Prepared {
    built: Built,
    probes: Probes,
    headings: Vec<Heading>,
    /// Metadata of the checkpoint that the run resumes from.
    resumed: Option<Meta>,
}

impl Prepared {
    /// The simulation in its initial state, to move it to another device.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.built.simulation
    }

    /// Warnings about settings that are valid, but probably unintended.
    pub fn warnings(&self) -> &[String] {
        &self.built.warnings
    }
}

/// Builds a scene and checks all of it before anything is written. With a checkpoint the run resumes
/// from it.
pub fn prepare(
    loaded: &LoadedScene,
    checkpoint: Option<&Checkpoint>,
) -> Result<Prepared, RunFailure> {
    let resumed = match checkpoint {
        Some(checkpoint) => Some(recorder::parts(checkpoint).map_err(RunFailure::Checkpoint)?),
        None => None,
    };
    let origin = match &resumed {
        None => None,
        Some((meta, _)) => Some(meta.origin.as_ref().ok_or_else(|| {
            let reason = "it is of an older version and does not contain its scene";
            RunFailure::Checkpoint(io::Error::other(reason))
        })?),
    };
    let mut built = build(loaded)?;
    if let Some(origin) = origin {
        let before = origin.scene().map_err(|e| {
            let reason = format!("this version cannot read its scene: {e}");
            RunFailure::Checkpoint(io::Error::other(reason))
        })?;
        let after = loaded.scene.clone();
        let difference = fixed::matter_difference(before, after, built.scene.clone())
            .or_else(|| origin.mesh_difference(loaded));
        if let Some(difference) = difference {
            return Err(RunFailure::OtherScene(difference));
        }
    }
    let (probes, headings) = check(loaded, &built)?;
    let resumed = match resumed {
        None => None,
        Some((meta, state)) => {
            resume(&mut built, state)?;
            if let Some(watch) = &meta.watch {
                built.simulation.set_watchdog(watch.clone());
            }
            Some(meta)
        }
    };
    Ok(Prepared { built, probes, headings, resumed })
}

/// Checks what depends on the fields of the method: probes, measurements and the view.
pub fn check(loaded: &LoadedScene, built: &Built) -> Result<(Probes, Vec<Heading>), SceneError> {
    let matters = MatterFields::of(&built.simulation);
    let probes = Probes::new(&built.scene, loaded, &matters)?;
    select(&matters, &built.scene.view.field).map_err(|e| loaded.error("view.field", e))?;
    let headings = headings(&probes, &built.simulation, &matters);
    measures::check(loaded, &headings, &matters)?;
    let written = built.scene.view.values.iter().flat_map(|values| &values.columns);
    for (i, name) in written.enumerate() {
        if headings.iter().all(|heading| heading.name != *name) {
            let names: Vec<&str> = headings.iter().map(|h| h.name.as_str()).collect();
            let key = format!("view.values.columns.{i}");
            let all = names.join(", ");
            let message =
                format!("{key} = {name:?} is not a column of series.csv; there are: {all}");
            return Err(loaded.error(&key, message));
        }
    }
    Ok((probes, headings))
}

/// Runs a scene to its end, from the start or from a checkpoint. The results so far are always in the
/// directory, and the summary reports how the run ended.
pub fn run(
    prepared: Prepared,
    setup: &Setup<'_>,
    progress: &mut dyn Progress,
) -> Result<Summary, RunFailure> {
    let Prepared { mut built, probes, headings, resumed } = prepared;
    let is_new = resumed.is_none();
    // Refuses a series that does not fit, before anything else is touched.
    let mut recorder = Recorder::new(setup, &built, probes, &headings, resumed, &mut *progress)
        .map_err(RunFailure::Output)?;
    if !is_new {
        let discarded = setup.directory.checkpoints().discard_after(built.simulation.steps());
        discarded.map_err(|e| RunFailure::Output(io::Error::other(e)))?;
        // It is about a run that had ended; this one has not.
        if let Err(error) = fs::remove_file(setup.directory.summary())
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(RunFailure::Output(error));
        }
    }
    meshes::copy_meshes(&mut built.scene, &setup.directory).map_err(RunFailure::Output)?;
    let scene_text = built.scene.to_toml();
    atomic_write_named(&setup.directory.scene(), |out| out.write_all(scene_text.as_bytes()))
        .map_err(RunFailure::Output)?;
    recorder.meta.origin = Some(Origin::new(&built.scene, setup.directory.root()));
    let result = advance(&mut built, &mut recorder);
    if let Err(error) = &result
        && let Err(reason) = rescue::rescue(&mut built, setup, &mut recorder, error)
    {
        recorder.warning(&format!("the last valid step could not be saved: {reason}"));
    }
    let (result, mut findings) = conclude(&built, result);
    let flushed = recorder.flush();
    let (totals, frames) = (recorder.totals(&built.simulation), recorder.meta.next_frame);
    drop(recorder);

    let (status, message) = match (&result, &flushed) {
        (Err(error), _) => (Status::Failed, Some(error.to_string())),
        (_, Err(error)) => (Status::Failed, Some(error.to_string())),
        (Ok(Outcome::Finished), _) => (Status::Finished, None),
        (Ok(Outcome::Stopped), _) => (Status::Interrupted, None),
    };
    let spaced = built.scene.matters().find(|kind| kind.moves_by_spacings());
    let spacing = spaced.map(|kind| kind.spacing(&built.scene));
    findings.warnings.extend(totals.warnings(spacing));
    let ending = finish::Ending { status, message, findings, totals, frames, scene_text, headings };
    let finished = finish::finish(&built, setup, ending, progress);
    result?;
    flushed.map_err(RunFailure::Output)?;
    finished.map_err(RunFailure::Output)
}

/// Saves a state after `steps` steps that did not come from a run, as a directory that can be resumed.
pub fn keep(
    directory: &RunDirectory,
    scene: &SceneFile,
    scene_name: &str,
    version: &str,
    steps: u64,
    state: &[u8],
) -> Result<(), RunFailure> {
    let mut scene = scene.clone();
    meshes::copy_meshes(&mut scene, directory).map_err(RunFailure::Output)?;
    let text = scene.to_toml();
    let meta = Meta {
        scene: scene_name.to_owned(),
        version: version.to_owned(),
        origin: Some(Origin::new(&scene, directory.root())),
        ..Meta::default()
    };
    atomic_write_named(&directory.scene(), |out| out.write_all(text.as_bytes()))
        .and_then(|()| recorder::write_checkpoint(directory, &meta, steps, state))
        .map_err(RunFailure::Output)
}

/// Loads a saved state into a built simulation.
fn resume(built: &mut Built, mut state: &[u8]) -> Result<(), RunFailure> {
    built.simulation.load(&mut state).map_err(RunFailure::Checkpoint)?;
    let (end, time) = (built.scene.end, built.simulation.time());
    if end < time - 1e-9 * built.scene.output.every {
        return Err(RunFailure::EndHasPassed { end, time });
    }
    Ok(())
}

/// Times at which a run stops: its last frame and its end [s].
///
/// A run that ends between two frames has its last step cut short. Its checkpoint is that of the last
/// frame, so that a longer run from there takes the same steps as one in a single go.
fn targets(scene: &SceneFile) -> [f64; 2] {
    let (start, end, every) = (scene.start, scene.end, scene.output.every);
    let frames = ((end - start) / every * (1.0 + 1e-12)).floor();
    let last_frame = frame_time(frames as u64, start, every);
    let end = if (last_frame - end).abs() <= 1e-9 * every { last_frame } else { end };
    [last_frame, end]
}

fn advance(built: &mut Built, recorder: &mut Recorder<'_>) -> Result<Outcome, RunError> {
    let simulation = &mut built.simulation;
    if recorder.is_new() && simulation.show(&mut [recorder])? == Flow::Stop {
        return Ok(Outcome::Stopped);
    }
    let [last_frame, end] = targets(&built.scene);
    let save = |simulation: &Simulation, recorder: &mut Recorder<'_>| {
        let (step, time) = (simulation.steps(), simulation.time());
        recorder.checkpoint(simulation).map_err(|source| RunError::Observer { step, time, source })
    };
    if !recorder.has_checkpoint() {
        // Makes sure that there is one if the run fails.
        save(simulation, recorder)?;
    }
    for target in [last_frame, end] {
        if simulation.time() < target {
            if simulation.advance_to(target, &mut [recorder])? == Outcome::Stopped {
                return Ok(Outcome::Stopped);
            }
            if target <= last_frame {
                save(simulation, recorder)?;
            }
        }
    }
    Ok(Outcome::Finished)
}

/// The final check: a run that reached its end may still have failed.
fn conclude(
    built: &Built,
    result: Result<Outcome, RunError>,
) -> (Result<Outcome, RunError>, Findings) {
    match (result, built.simulation.findings()) {
        (Ok(_), Err(alarm)) => (Err(alarm), Findings::default()),
        (result, findings) => (result, findings.unwrap_or_default()),
    }
}

/// When a frame is written [s]: its index times `every` after `start`, without the last few bits of rounding, so
/// that the third tenth of a second is 0.3 and not 0.30000000000000004, which would miss an end
/// at 0.3.
fn frame_time(frame: u64, start: f64, every: f64) -> f64 {
    let time = start + frame as f64 * every;
    format!("{time:.13e}").parse().unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::frame_time;

    #[test]
    #[allow(clippy::float_cmp, reason = "the bits are the point")]
    fn frame_times_are_the_decimals_that_were_meant() {
        for (frame, every, time) in [
            (3, 0.1, 0.3),
            (0, 0.1, 0.0),
            (7, 0.1, 0.7),
            (57, 0.01, 0.57),
            (1_000_003, 1e-6, 1.000_003),
        ] {
            assert_eq!(frame_time(frame, 0.0, every), time);
        }
        let third = 1.0 / 3.0;
        assert!((frame_time(1, 0.0, third) - third).abs() < 1e-13);
        assert_eq!(frame_time(3, 0.2, 0.1), 0.5);
    }
}
