//! Saves the last valid step of a failed run.
//!
//! A step that fails leaves its method in the middle of it, and copies of every state would cost
//! memory and time in all the runs that do not fail. Steps are deterministic: those since the newest
//! checkpoint are done once more, up to the last that was good.

use super::recorder::{Recorder, parts};
use super::{Setup, frame_time, targets};
use lawine_core::simulation::{Flow, Moment, Observer, RunError};
use lawine_scene::build::Built;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Brings the simulation back to the last good step and writes its checkpoint, after an error. A file
/// that could not be written is no reason: the state is good, but not all of its files are there, and
/// the run goes on from the checkpoint before. So it does after what cannot be: no late step of it is good.
pub(super) fn rescue(
    built: &mut Built,
    setup: &Setup<'_>,
    recorder: &mut Recorder<'_>,
    error: &RunError,
) -> io::Result<()> {
    match error {
        RunError::Observer { .. } | RunError::Impossible { .. } => return Ok(()),
        RunError::Stuck { .. } => {}
        RunError::Step { .. } | RunError::Openings { .. } => {
            recorder.stage("recomputing the last valid step");
            repeat(built, setup, recorder.last_step())?;
        }
    }
    recorder.checkpoint(&built.simulation)
}

/// Loads the newest checkpoint and takes the same steps again.
fn repeat(built: &mut Built, setup: &Setup<'_>, (steps, time): (u64, f64)) -> io::Result<()> {
    let (_, checkpoint) = setup.directory.checkpoints().latest().map_err(io::Error::other)?;
    let (meta, mut state) = parts(&checkpoint)?;
    let (simulation, scene) = (&mut built.simulation, &built.scene);
    simulation.load(&mut state)?;
    let (start, every) = (scene.start, scene.output.every);
    let mut observer = Repeat { frame: meta.next_frame, start, every, steps, stop: setup.stop };
    for target in targets(scene) {
        if simulation.steps() < steps && simulation.time() < target {
            simulation.advance_to(target, &mut [&mut observer]).map_err(io::Error::other)?;
        }
    }
    if (simulation.steps(), simulation.time().to_bits()) != (steps, time.to_bits()) {
        return Err(io::Error::other(format!(
            "it was step {steps} at t = {time} s, and this is step {} at t = {} s",
            simulation.steps(),
            simulation.time()
        )));
    }
    Ok(())
}

/// Asks for the steps that the recorder asked for, and for no more.
struct Repeat<'a> {
    frame: u64,
    start: f64,
    every: f64,
    steps: u64,
    stop: &'a AtomicBool,
}

impl Observer for Repeat<'_> {
    fn next_time(&self) -> Option<f64> {
        Some(frame_time(self.frame, self.start, self.every))
    }

    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        if Some(now.simulation.time()) >= self.next_time() {
            self.frame += 1;
        }
        if self.stop.load(Relaxed) {
            return Err(io::Error::other("stopped by the user"));
        }
        let done = now.simulation.steps() >= self.steps;
        Ok(if done { Flow::Stop } else { Flow::Continue })
    }
}
