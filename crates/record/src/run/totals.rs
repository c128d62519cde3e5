//! Totals over all steps of a run, stored in the checkpoint.

use crate::output::ConvergenceRecord;
use lawine_core::simulation::Moment;
use serde::{Deserialize, Serialize};

/// Mean density error of an equation of state above which a warning is given; one percent is usual.
const MOST_COMPRESSION: f64 = 0.1;

/// Displacement per step, in spacings of a liquid, above which a warning is given; 0.4 is usual.
const MOST_SPACINGS: f64 = 2.0;

/// Totals of a run so far.
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
    pub(super) convergence: Option<ConvergenceRecord>,
    /// Largest mean density error of a step without a solver.
    pub(super) compression: f64,
    /// Longest displacement of a particle in one step [m].
    pub(super) displacement: f64,
    pub(super) dt_min: Option<f64>,
    pub(super) dt_max: f64,
    /// Longest semi-implicit step, in explicit limits.
    pub(super) explicit_limits: f64,
    pub(super) energy_initial: f64,
    /// Seconds of each phase up to the last resume.
    pub(super) phases: Vec<(String, f64)>,
}

impl Totals {
    /// Adds the report of the last step.
    pub(super) fn add(&mut self, now: &Moment<'_>) {
        let (report, dt, simulation) = (&now.report, now.dt, now.simulation);
        let particles = simulation.particle_count();
        if let Some(convergence) = report.convergence {
            let record = self.convergence.get_or_insert_with(ConvergenceRecord::default);
            record.add(&convergence, simulation.steps(), simulation.time());
        } else {
            self.compression = self.compression.max(report.mean_density_error);
        }
        self.displacement = self.displacement.max(dt * report.max_speed);
        self.particle_steps += particles as f64;
        self.iterations += u64::from(report.iterations);
        self.density_error += report.mean_density_error;
        self.max_density_error = self.max_density_error.max(report.max_density_error);
        self.dt_min = Some(self.dt_min.map_or(dt, |least| least.min(dt)));
        self.dt_max = self.dt_max.max(dt);
        self.explicit_limits = self.explicit_limits.max(report.explicit_limits);
    }

    /// Warnings about doubtful results; `spacing` is that of a liquid [m].
    pub(super) fn warnings(&self, spacing: Option<f64>) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(convergence) =
            self.convergence.as_ref().filter(|convergence| convergence.unconverged > 0)
        {
            warnings.push(convergence.warning());
        }
        if self.compression > MOST_COMPRESSION {
            let percent = 100.0 * self.compression;
            warnings.push(format!(
                "the liquid was compressed by up to {percent:.0} % on average: it is too soft for its \
                 weight and speed; raise liquid.pressure.stiffness"
            ));
        }
        if let Some(spacings) =
            spacing.map(|d| self.displacement / d).filter(|n| *n > MOST_SPACINGS)
        {
            warnings.push(format!(
                "particles moved by up to {spacings:.1} spacings in one step: take shorter steps \
                 (time.step, time.max_step)"
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::Totals;

    #[test]
    fn soft_liquids_and_long_steps_are_told() {
        let usual = Totals { compression: 0.01, displacement: 0.004, ..Totals::default() };
        assert!(usual.warnings(Some(0.01)).is_empty() && usual.warnings(None).is_empty());
        let bad = Totals { compression: 3.0, displacement: 0.05, ..Totals::default() };
        let [soft, long] = &bad.warnings(Some(0.01))[..] else { panic!("not two warnings") };
        assert!(soft.contains("by up to 300 %") && long.contains("up to 5.0 spacings"));
    }

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
