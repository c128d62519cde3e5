//! Times at which observers read the state: steps that end at such a time are waited for.

/// Equidistant times, and the time of the steps so far [s].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadbackTimes {
    time: f64,
    start: f64,
    every: f64,
}

impl ReadbackTimes {
    pub(crate) fn new(now: f64, start: f64, every: f64) -> Self {
        Self { time: now, start, every }
    }

    /// Advances by a step; true if it ends at one of the times, within a thousandth of the step.
    pub(crate) fn hits(&mut self, dt: f64) -> bool {
        self.time += dt;
        let count = ((self.time - self.start) / self.every).round();
        (self.start + count * self.every - self.time).abs() < 1e-3 * dt
    }
}

#[cfg(test)]
mod tests {
    use super::ReadbackTimes;

    #[test]
    fn every_tenth_step_is_met() {
        let mut readbacks = ReadbackTimes::new(0.2, 0.2, 1e-3);
        let met: Vec<usize> = (1..=3000).filter(|_| readbacks.hits(1e-4)).collect();
        assert_eq!(met, (1..=300).map(|k| 10 * k).collect::<Vec<_>>());
    }
}
