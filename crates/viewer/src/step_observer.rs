//! The engine's observer after every step.

use crate::clock::Clock;
use crate::compute::Compute;
use lawine_core::method::StepReport;
use lawine_core::simulation::{Flow, Moment, Observer};
use lawine_record::probes::Probes;
use lawine_record::run;
use std::io;
use web_time::Instant;

/// Ends a time slice when nothing is due, its time is up or the graphics device is busy, and
/// takes down the data.
pub(crate) struct StepObserver<'a> {
    pub(crate) clock: &'a mut Clock,
    pub(crate) probes: &'a Probes,
    /// Whether rows are taken down, and only the next one: on a graphics device all particles are
    /// copied for that.
    pub(crate) measures: bool,
    pub(crate) once: bool,
    /// Whether a row is due in the end of the turn, for which the particles have to come here.
    pub(crate) awaits: bool,
    pub(crate) rows: &'a mut Vec<Vec<f64>>,
    pub(crate) until: Instant,
    pub(crate) last: (f64, &'static str, StepReport),
}

impl Observer for StepObserver<'_> {
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        self.clock.stepped(now.dt);
        self.last = (now.dt, now.limit, now.report);
        self.awaits = self.measures && !Compute::is_ready(now.simulation);
        if self.measures && !self.awaits {
            self.rows.push(row(now, self.probes));
            self.measures = !self.once;
        }
        let goes_on =
            self.clock.is_due() && Instant::now() < self.until && Compute::has_room(now.simulation);
        Ok(if goes_on { Flow::Continue } else { Flow::Stop })
    }
}

/// The data of a moment.
pub(crate) fn row(now: &Moment<'_>, probes: &Probes) -> Vec<f64> {
    let mut row = Vec::new();
    run::row(now, probes, &mut row);
    row
}
