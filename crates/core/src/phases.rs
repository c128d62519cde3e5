//! Time of the phases of a step.

use web_time::Instant;

/// The named parts of a method's step and the wall time spent in each so far.
#[derive(Clone, Debug)]
pub struct Phases {
    names: &'static [&'static str],
    seconds: Vec<f64>,
}

impl Phases {
    /// Phases without any time in them.
    pub fn new(names: &'static [&'static str]) -> Self {
        Self { names, seconds: vec![0.0; names.len()] }
    }

    /// Adds `seconds` to phase `k`.
    pub fn add(&mut self, k: usize, seconds: f64) {
        self.seconds[k] += seconds;
    }

    /// Adds the time since `start` to phase `k`, and returns the time now.
    pub fn lap(&mut self, k: usize, start: Instant) -> Instant {
        let now = Instant::now();
        self.seconds[k] += (now - start).as_secs_f64();
        now
    }

    /// Forgets all times.
    pub fn reset(&mut self) {
        self.seconds.fill(0.0);
    }

    /// Names and seconds, in the order of the step.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.names.iter().copied().zip(self.seconds.iter().copied())
    }
}
