//! Convergence of a solver over a run, and the steps in which it did not converge.

use lawine_core::method::Convergence;
use serde::{Deserialize, Serialize};

/// Number of unconverged steps that are listed; the others are counted.
const LISTED: usize = 20;

/// Convergence of a solver over a run: whether the mean density error was within the tolerance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConvergenceRecord {
    /// Tolerance for the mean density error, the same in every step.
    pub tolerance: f64,
    /// Steps with a solve.
    pub steps: u64,
    /// Number of steps whose residual was larger.
    pub unconverged: u64,
    /// The first of them.
    pub unconverged_steps: Vec<UnconvergedStep>,
}

/// A step that did not reach the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnconvergedStep {
    /// Step count, from 1.
    pub step: u64,
    /// Time at its end [s].
    pub time: f64,
    /// Mean density error after the last iteration; none if it was not a number.
    pub residual: Option<f64>,
}

impl ConvergenceRecord {
    /// Adds the step that ended at `time` [s].
    pub fn add(&mut self, convergence: &Convergence, step: u64, time: f64) {
        self.tolerance = convergence.tolerance;
        self.steps += 1;
        if !convergence.has_converged() {
            self.unconverged += 1;
            if self.unconverged_steps.len() < LISTED {
                let residual = Some(convergence.residual).filter(|residual| residual.is_finite());
                self.unconverged_steps.push(UnconvergedStep { step, time, residual });
            }
        }
    }

    /// A warning about the steps that did not reach the tolerance.
    pub fn warning(&self) -> String {
        let Self { unconverged, steps, tolerance, .. } = self;
        format!(
            "the pressure solver did not converge to a mean density error of {} % in {unconverged} of \
             {steps} steps",
            100.0 * tolerance
        )
    }

    /// One sentence, listing the steps.
    pub fn sentence(&self) -> String {
        let criterion = format!("mean density error ≤ {} %", 100.0 * self.tolerance);
        if self.unconverged == 0 {
            return format!("{criterion}: reached in all {} steps", self.steps);
        }
        let listed = self.unconverged_steps.iter().map(|s| {
            let percent = |e: f64| format!("{:.3e} %", 100.0 * e);
            let residual = s.residual.map_or("not a number".into(), percent);
            format!("step {} (t = {:.6} s: {residual})", s.step, s.time)
        });
        let more = self.unconverged - self.unconverged_steps.len() as u64;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let list = listed.collect::<Vec<_>>().join(", ");
        format!(
            "{criterion}: not reached in {} of {} steps: {list}{more}",
            self.unconverged, self.steps
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_named_and_counted() {
        let mut record = ConvergenceRecord::default();
        for step in 1..=50 {
            let residual = if step % 2 == 0 { 2e-3 } else { 1e-3 };
            record.add(&Convergence { tolerance: 1e-3, residual }, step, 0.1 * step as f64);
        }
        assert_eq!(
            (record.steps, record.unconverged, record.unconverged_steps.len()),
            (50, 25, LISTED)
        );
        let text = record.sentence();
        assert!(text.contains("25 of 50 steps: step 2 (t = 0.200000 s: 2.000e-1 %)"), "{text}");
        assert!(text.ends_with("and 5 more"), "{text}");
        let kept = ConvergenceRecord { tolerance: 1e-3, steps: 7, ..ConvergenceRecord::default() };
        assert_eq!(kept.sentence(), "mean density error ≤ 0.1 %: reached in all 7 steps");
        record.add(&Convergence { tolerance: 1e-3, residual: f64::NAN }, 51, 5.1);
        assert_eq!(record.unconverged, 26);
    }
}
