//! What a solver promised over a run, and the steps in which it did not keep it.

use lawine_core::method::Promise;
use serde::{Deserialize, Serialize};

/// So many steps are named; the others are counted.
const NAMED: usize = 20;

/// The promise of a solver, mean density error ≤ tolerance, against what it did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromiseRecord {
    /// Mean density error asked for, the same in every step.
    pub tolerance: f64,
    /// Steps with a solve.
    pub steps: u64,
    /// Steps whose error was larger.
    pub broken: u64,
    /// The first of them.
    pub broken_steps: Vec<BrokenStep>,
}

/// A step that did not reach the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrokenStep {
    /// Its number, from 1.
    pub step: u64,
    /// Time at its end [s].
    pub time: f64,
    /// Mean density error it was left with; none if it was not a number.
    pub error: Option<f64>,
}

impl PromiseRecord {
    /// Adds the step that ended at `time` [s].
    pub fn add(&mut self, promise: &Promise, step: u64, time: f64) {
        self.tolerance = promise.tolerance;
        self.steps += 1;
        if !promise.is_kept() {
            self.broken += 1;
            if self.broken_steps.len() < NAMED {
                let error = Some(promise.error).filter(|error| error.is_finite());
                self.broken_steps.push(BrokenStep { step, time, error });
            }
        }
    }

    /// A warning about the steps that did not reach the tolerance.
    pub fn warning(&self) -> String {
        let Self { broken, steps, tolerance, .. } = self;
        format!(
            "the pressure solver missed its tolerance, a mean density error of {} %, in {broken} of \
             {steps} steps",
            100.0 * tolerance
        )
    }

    /// One sentence, naming the steps.
    pub fn sentence(&self) -> String {
        let promise = format!("mean density error ≤ {} %", 100.0 * self.tolerance);
        if self.broken == 0 {
            return format!("{promise}: reached in all {} steps", self.steps);
        }
        let named = self.broken_steps.iter().map(|b| {
            let error = b.error.map_or("not a number".into(), |e| format!("{:.3e} %", 100.0 * e));
            format!("step {} (t = {:.6} s: {error})", b.step, b.time)
        });
        let more = self.broken - self.broken_steps.len() as u64;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let list = named.collect::<Vec<_>>().join(", ");
        format!("{promise}: not reached in {} of {} steps: {list}{more}", self.broken, self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_named_and_counted() {
        let mut record = PromiseRecord::default();
        for step in 1..=50 {
            let error = if step % 2 == 0 { 2e-3 } else { 1e-3 };
            record.add(&Promise { tolerance: 1e-3, error }, step, 0.1 * step as f64);
        }
        assert_eq!((record.steps, record.broken, record.broken_steps.len()), (50, 25, NAMED));
        let text = record.sentence();
        assert!(text.contains("25 of 50 steps: step 2 (t = 0.200000 s: 2.000e-1 %)"), "{text}");
        assert!(text.ends_with("and 5 more"), "{text}");
        let kept = PromiseRecord { tolerance: 1e-3, steps: 7, ..PromiseRecord::default() };
        assert_eq!(kept.sentence(), "mean density error ≤ 0.1 %: reached in all 7 steps");
        record.add(&Promise { tolerance: 1e-3, error: f64::NAN }, 51, 5.1);
        assert_eq!(record.broken, 26);
    }
}
