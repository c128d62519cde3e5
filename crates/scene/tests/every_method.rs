//! `pressure.method` is one word: every built-in scene of a liquid runs with each of the three.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use lawine_core::simulation::{Flow, Moment, Observer};
use lawine_scene::build::build;
use lawine_scene::builtin;
use lawine_scene::file::{Source, load};
use rayon::prelude::*;
use std::io;

/// Follows a run for some steps.
struct Steps {
    left: u32,
    /// Steps, and those after which the pressure solver had not kept its promise.
    taken: u32,
    broken: u32,
    fastest: f64,
}

impl Observer for Steps {
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        if now.dt > 0.0 {
            self.left -= 1;
            self.taken += 1;
            let broken = now.report.promise.is_some_and(|p| p.error > p.tolerance);
            self.broken += u32::from(broken);
            self.fastest = self.fastest.max(now.report.max_speed);
        }
        Ok(if self.left > 0 { Flow::Continue } else { Flow::Stop })
    }
}

/// Runs a scene for some steps. A solver may miss its promise in a few of them, which the report names.
fn follow(name: &str, method: &str, steps: u32) {
    let source = Source::BuiltIn(name.into());
    let loaded = load(&source, &[format!("pressure.method={method}")]).unwrap();
    let mut run = build(&loaded).unwrap_or_else(|e| panic!("{name}, {method}: {e}"));
    let mut seen = Steps { left: steps, taken: 0, broken: 0, fastest: 0.0 };
    let result = run.simulation.advance_to(run.scene.end, &mut [&mut seen]);
    result.unwrap_or_else(|e| panic!("{name}, {method}: {e}"));
    println!(
        "{name}, {method}: {} steps to t = {:.4} s, {:.3e} m/s, promise broken in {}",
        seen.taken,
        run.simulation.time(),
        seen.fastest,
        seen.broken
    );
    assert!(seen.taken > 0 && seen.fastest.is_finite(), "{name}, {method}");
    assert!(10 * seen.broken <= seen.taken, "{name}, {method}");
}

fn sweep(steps: u32) {
    let is_liquid =
        |name: &&str| load(&Source::BuiltIn((*name).into()), &[]).unwrap().scene.liquid.is_some();
    let scenes: Vec<&str> = builtin::names().filter(is_liquid).collect();
    assert!(scenes.len() > 20, "{} scenes", scenes.len());
    let methods = ["eos", "iisph", "dfsph"];
    let cases: Vec<_> = scenes.iter().flat_map(|s| methods.map(|m| (*s, m))).collect();
    cases.par_iter().for_each(|(name, method)| follow(name, method, steps));
}

#[test]
fn every_liquid_scene_runs_with_every_pressure_method() {
    sweep(5);
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test every_method -- --ignored --nocapture"]
fn every_liquid_scene_runs_on_with_every_pressure_method() {
    sweep(300);
}
