//! `liquid.pressure.method` is one word: every built-in scene of a liquid runs with each of the three, and the pressure
//! solver reaches its tolerance in every step.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use lawine_core::simulation::{Flow, Moment, Observer};
use lawine_scene::build::build;
use lawine_scene::builtin;
use lawine_scene::file::{Source, load};
use lawine_solvers::sph::settings::Liquid;
use rayon::prelude::*;
use std::io;

/// Follows a run for some steps.
struct Steps {
    left: u32,
    taken: u32,
    /// Steps after which the pressure solver had not reached its tolerance, and the error over it.
    missed: Vec<(u32, f64)>,
    fastest: f64,
}

impl Observer for Steps {
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        if now.dt > 0.0 {
            self.left -= 1;
            self.taken += 1;
            if let Some(convergence) =
                now.report.convergence.filter(|convergence| !convergence.has_converged())
            {
                self.missed.push((self.taken, convergence.residual / convergence.tolerance));
            }
            self.fastest = self.fastest.max(now.report.max_speed);
        }
        Ok(if self.left > 0 { Flow::Continue } else { Flow::Stop })
    }
}

/// Runs a scene for some steps; says what went wrong, if anything did.
fn follow(name: &str, method: &str, steps: u32) -> Option<String> {
    let source = Source::BuiltIn(name.into());
    let loaded = load(&source, &[format!("liquid.pressure.method={method}")]).unwrap();
    let mut run = build(&loaded).unwrap_or_else(|e| panic!("{name}, {method}: {e}"));
    let mut seen = Steps { left: steps, taken: 0, missed: Vec::new(), fastest: 0.0 };
    let start = std::time::Instant::now();
    let result = run.simulation.advance_to(run.scene.end, &mut [&mut seen]);
    result.unwrap_or_else(|e| panic!("{name}, {method}: {e}"));
    let line = format!(
        "{name}, {method}: {} steps to t = {:.4} s in {:.2} s, {:.3e} m/s, tolerance missed in {:.1?}",
        seen.taken,
        run.simulation.time(),
        start.elapsed().as_secs_f64(),
        seen.fastest,
        seen.missed
    );
    println!("{line}");
    let sound = seen.taken > 0 && seen.fastest.is_finite() && seen.missed.is_empty();
    (!sound).then_some(line)
}

fn sweep(steps: u32) {
    let is_liquid = |name: &&str| {
        load(&Source::BuiltIn((*name).into()), &[]).unwrap().scene.table::<Liquid>().is_some()
    };
    let scenes: Vec<&str> = builtin::names().filter(is_liquid).collect();
    assert!(scenes.len() > 20, "{} scenes", scenes.len());
    let methods = ["eos", "iisph", "dfsph"];
    let cases: Vec<_> = scenes.iter().flat_map(|s| methods.map(|m| (*s, m))).collect();
    let wrong: Vec<String> =
        cases.par_iter().filter_map(|(name, method)| follow(name, method, steps)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_liquid_scene_runs_with_every_pressure_method() {
    sweep(20);
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test every_method -- --ignored --nocapture"]
fn every_liquid_scene_runs_on_with_every_pressure_method() {
    sweep(300);
}
