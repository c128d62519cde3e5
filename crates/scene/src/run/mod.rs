//! A run: a scene, a directory, and the one loop in between.

mod columns;
mod finish;
mod recorder;
mod redraw;
mod totals;

pub use columns::{Heading, headings, row};
use columns::{account_headings, momentum_headings};
pub use redraw::{Redraw, redraw};

use crate::build::{Built, build};
use crate::file::{LoadedScene, SceneError, SceneFile};
use crate::measures;
use crate::output::{Checkpoint, RunDirectory, Status, Summary, atomic_write};
use crate::probes::Probes;
use crate::select::Selection;
use lawine_core::simulation::{Flow, Outcome, RunError, Simulation};
use lawine_core::watch::Findings;
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
    /// What computes: "cpu", or the name of a GPU.
    pub device: String,
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
    /// The run is to end before the checkpoint.
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

/// A scene that is ready to run.
pub struct Prepared {
    built: Built,
    probes: Probes,
    headings: Vec<Heading>,
    /// What the checkpoint says, if the run goes on from one.
    resumed: Option<Meta>,
}

impl Prepared {
    /// The simulation in the state that the run begins with, to move it to another device.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.built.simulation
    }

    /// What is allowed but hardly meant, in words.
    pub fn warnings(&self) -> &[String] {
        &self.built.warnings
    }
}

/// Builds a scene and checks everything about it before anything is written. With a checkpoint the
/// run goes on from there.
pub fn prepare(
    loaded: &LoadedScene,
    checkpoint: Option<&Checkpoint>,
) -> Result<Prepared, RunFailure> {
    let mut built = build(loaded)?;
    let (probes, headings) = check(loaded, &built)?;
    let resumed = checkpoint.map(|c| resume(&mut built, c)).transpose()?;
    Ok(Prepared { built, probes, headings, resumed })
}

/// The first key that differs although the state in a checkpoint, or the files beside it, rest on
/// it: a run cannot go on with another value.
pub fn fixed_key_that_differs(before: &SceneFile, after: &SceneFile) -> Option<&'static str> {
    let bits = |a: f64, b: f64| a.to_bits() == b.to_bits();
    let cell = |s: &SceneFile| s.snow.as_ref().map(|snow| snow.cell.to_bits());
    let spacing = |s: &SceneFile| s.liquid.as_ref().map_or(0.0, |l| l.spacing);
    let density = |s: &SceneFile| s.liquid.as_ref().map_or(0.0, |l| l.rest_density);
    [
        ("space.dimension", before.space.dimension == after.space.dimension),
        ("liquid.spacing", bits(spacing(before), spacing(after))),
        ("snow.cell", cell(before) == cell(after)),
        ("material", before.material == after.material),
        ("liquid.rest_density", bits(density(before), density(after))),
        ("start", bits(before.start, after.start)),
        ("fill", before.fill == after.fill),
        ("grains", before.grains == after.grains),
        ("grain", before.grain == after.grain),
        ("block", before.block == after.block),
        ("contact", before.contact == after.contact),
        ("pour", before.pour == after.pour),
        ("emitter", before.emitter == after.emitter),
        ("outlet", before.outlet == after.outlet),
        ("output.every", bits(before.output.every, after.output.every)),
    ]
    .into_iter()
    .find_map(|(key, same)| (!same).then_some(key))
}

/// Checks what depends on the fields of the method: probes, measurements and the view.
pub fn check(loaded: &LoadedScene, built: &Built) -> Result<(Probes, Vec<Heading>), SceneError> {
    let fields = built.simulation.methods[0].fields();
    let probes = Probes::new(&built.scene, loaded, &fields)?;
    Selection::new(&fields, &built.scene.view.field).map_err(|e| loaded.error("view.field", e))?;
    let planar = built.scene.space.dimension == 2;
    let mut headings = headings(&probes, &fields, &built.simulation.env.bodies, planar);
    if built.simulation.methods.iter().any(|method| method.momentum().is_some()) {
        headings.extend(momentum_headings());
    }
    headings.extend(account_headings(&built.simulation));
    measures::check(loaded, &headings, &fields)?;
    Ok((probes, headings))
}

/// Runs a scene to its end, from the start or from a checkpoint. Whatever happens, what has been
/// computed is in the directory: the summary says how the run ended.
pub fn run(
    prepared: Prepared,
    setup: &Setup<'_>,
    progress: &mut dyn Progress,
) -> Result<Summary, RunFailure> {
    let Prepared { mut built, probes, headings, resumed } = prepared;
    let scene_text = built.scene.to_toml()?;
    let is_new = resumed.is_none();
    // Refuses a series that does not fit, before anything else is touched.
    let mut recorder = Recorder::new(setup, &built, probes, &headings, resumed, &mut *progress)
        .map_err(RunFailure::Output)?;
    if !is_new {
        let discarded = setup.directory.checkpoints().discard_after(built.simulation.steps());
        discarded.map_err(|e| RunFailure::Output(io::Error::other(e)))?;
    }
    atomic_write(&setup.directory.scene(), |out| out.write_all(scene_text.as_bytes()))
        .map_err(RunFailure::Output)?;
    let result = advance(&mut built, &mut recorder, is_new);
    let (result, mut findings) = conclude(&built, result);
    let flushed = recorder.flush();
    let (totals, frames) = (recorder.totals(&built.simulation), recorder.meta.next_frame);
    drop(recorder);

    let (status, message) = match &result {
        Ok(Outcome::Finished) => (Status::Finished, None),
        Ok(Outcome::Stopped) => (Status::Interrupted, None),
        Err(error) => (Status::Failed, Some(error.to_string())),
    };
    if let Some(promise) = totals.promise.as_ref().filter(|promise| promise.broken > 0) {
        findings.warnings.push(promise.warning());
    }
    let ending = finish::Ending { status, message, findings, totals, frames, scene_text, headings };
    let finished = finish::finish(&built, setup, ending, progress);
    result?;
    flushed.map_err(RunFailure::Output)?;
    finished.map_err(RunFailure::Output)
}

/// Keeps a state that no run has made, after so many steps, as a directory from which a run goes on.
pub fn keep(
    directory: &RunDirectory,
    scene: &SceneFile,
    scene_name: &str,
    version: &str,
    steps: u64,
    state: &[u8],
) -> Result<(), RunFailure> {
    let text = scene.to_toml()?;
    let meta =
        Meta { scene: scene_name.to_owned(), version: version.to_owned(), ..Meta::default() };
    atomic_write(&directory.scene(), |out| out.write_all(text.as_bytes()))
        .and_then(|()| recorder::write_checkpoint(directory, &meta, steps, state))
        .map_err(RunFailure::Output)
}

/// Puts a built simulation into the state of a checkpoint.
fn resume(built: &mut Built, checkpoint: &Checkpoint) -> Result<Meta, RunFailure> {
    let (meta, mut state) = recorder::parts(checkpoint).map_err(RunFailure::Checkpoint)?;
    built.simulation.load(&mut state).map_err(RunFailure::Checkpoint)?;
    if let Some(watch) = &meta.watch {
        built.simulation.set_watch(watch.clone());
    }
    let (end, time) = (built.scene.end, built.simulation.time());
    if end < time - 1e-9 * built.scene.output.every {
        return Err(RunFailure::EndHasPassed { end, time });
    }
    Ok(meta)
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
    let start = built.scene.start;
    let frames = ((end - start) / every * (1.0 + 1e-12)).floor();
    let last_frame = frame_time(frames as u64, start, every);
    let end = if (last_frame - end).abs() <= 1e-9 * every { last_frame } else { end };
    let save = |simulation: &Simulation, recorder: &mut Recorder<'_>| {
        let (step, time) = (simulation.steps(), simulation.time());
        recorder.checkpoint(simulation).map_err(|source| RunError::Observer { step, time, source })
    };
    if is_new {
        // So that there is one, whatever happens next.
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

/// The last look at what was computed: a run that came to its end may still have failed.
fn conclude(
    built: &Built,
    result: Result<Outcome, RunError>,
) -> (Result<Outcome, RunError>, Findings) {
    match (result, built.simulation.findings()) {
        (Ok(_), Err(alarm)) => (Err(alarm), Findings::default()),
        (result, findings) => (result, findings.unwrap_or_default()),
    }
}

/// When a frame is written [s]: its number times `every` after `start`, without the last few bits of rounding, so
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
