//! Sums over all steps of a run; they survive interruptions inside the checkpoint.

use crate::output::PromiseRecord;
use lawine_core::simulation::Moment;
use serde::{Deserialize, Serialize};

/// What a run has added up so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Totals {
    pub(super) wall_time: f64,
    pub(super) cpu_time: f64,
    /// Processor time inside steps, without output; with a GPU time on the clock [s].
    pub(super) step_time: f64,
    /// Σ particles over steps.
    pub(super) particle_steps: f64,
    pub(super) iterations: u64,
    pub(super) density_error: f64,
    pub(super) max_density_error: f64,
    pub(super) promise: Option<PromiseRecord>,
    pub(super) dt_min: Option<f64>,
    pub(super) dt_max: f64,
    /// Longest semi-implicit step, in explicit limits.
    pub(super) explicit_limits: f64,
    pub(super) energy_initial: f64,
    /// Seconds of each phase up to the last resume.
    pub(super) phases: Vec<(String, f64)>,
}

impl Totals {
    /// Adds what the last step says.
    pub(super) fn add(&mut self, now: &Moment<'_>) {
        let (report, dt, simulation) = (&now.report, now.dt, now.simulation);
        let particles = simulation.particle_count();
        if let Some(promise) = report.promise {
            let record = self.promise.get_or_insert_with(PromiseRecord::default);
            record.add(&promise, simulation.steps(), simulation.time());
        }
        self.particle_steps += particles as f64;
        self.iterations += u64::from(report.iterations);
        self.density_error += report.mean_density_error;
        self.max_density_error = self.max_density_error.max(report.max_density_error);
        self.dt_min = Some(self.dt_min.map_or(dt, |least| least.min(dt)));
        self.dt_max = self.dt_max.max(dt);
        self.explicit_limits = self.explicit_limits.max(report.explicit_limits);
    }
}

#[cfg(test)]
mod tests {
    use super::Totals;

    /// Without care, the reader of JSON is off by a bit for some numbers.
    #[test]
    fn totals_come_back_to_the_last_bit() {
        for k in 1..5000 {
            let x = 0.1_f64.powi(k % 7) * (1.0 / f64::from(k)).sqrt();
            let totals = Totals { density_error: x, dt_max: 1.0 / x, ..Totals::default() };
            let text = serde_json::to_vec(&totals).unwrap();
            assert_eq!(serde_json::from_slice::<Totals>(&text).unwrap(), totals);
        }
    }
}
