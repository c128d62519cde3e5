//! The number of steps in flight on the GPU when the host must not block.
//!
//! Submitted steps precede the next picture in the GPU's queue: with too many the page stalls, with too
//! few the GPU idles. So the number is doubled, and kept if the rate of steps increases clearly; from
//! time to time it is halved and the search starts again. Steps then take about as long as pictures and
//! the latency between host and GPU, whichever is slow, and never much longer than a second.

/// Largest number of steps in flight: four batches. The speeds that determine a step are as old as that.
const MOST: usize = 32;
/// Shortest time for which a number of steps is tried [s].
const PERIOD: f64 = 0.25;
/// Longest time until the completion of steps is reported [s].
const LONGEST: f64 = 1.0;
/// Number of periods for which a number is kept once it was found best.
const REST: u32 = 16;
/// Factor by which the rate of steps must increase when the number is doubled.
const GAIN: f64 = 1.3;

/// Number of steps that may be in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFlight {
    steps: usize,
    /// Steps completed since a time [s], and whether as many as allowed were in flight.
    completed: usize,
    since: f64,
    is_full: bool,
    /// Steps per second with half as many in flight, if that was tried.
    rate: Option<f64>,
    /// Periods to keep the number.
    rest: u32,
}

impl InFlight {
    pub(crate) fn new() -> Self {
        Self { steps: 1, completed: 0, since: 0.0, is_full: false, rate: None, rest: 0 }
    }

    pub(crate) fn steps(self) -> usize {
        self.steps
    }

    /// Records, at a time [s], how many steps were in flight after the last call, and how many still
    /// are.
    pub(crate) fn update(&mut self, now: f64, before: usize, left: usize) {
        self.completed += before.saturating_sub(left);
        self.is_full |= before >= self.steps;
        let time = now - self.since;
        if time < PERIOD || self.completed == 0 {
            return;
        }
        let rate = self.completed as f64 / time;
        (self.completed, self.since) = (0, now);
        if std::mem::take(&mut self.is_full) {
            self.judge(rate, time);
        }
    }

    fn judge(&mut self, rate: f64, time: f64) {
        let is_long = time > LONGEST;
        if self.rest > 0 && !is_long {
            self.rest -= 1;
            if self.rest == 0 {
                self.steps = (self.steps / 2).max(1);
            }
            return;
        }
        let gains = !is_long && self.rate.is_none_or(|half| rate > GAIN * half);
        if gains && self.steps < MOST {
            (self.steps, self.rate) = (2 * self.steps, Some(rate));
        } else {
            self.steps = if gains { self.steps } else { (self.steps / 2).max(1) };
            (self.rate, self.rest) = (None, REST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps in flight after some time, for the times of a picture and a step [s].
    fn settled(picture: f64, step: f64) -> usize {
        let (mut in_flight, mut now) = (InFlight::new(), 0.0);
        for _ in 0..50 {
            now += picture + in_flight.steps() as f64 * step;
            in_flight.update(now, in_flight.steps(), 0);
        }
        in_flight.steps()
    }

    #[test]
    fn steps_take_as_long_as_pictures() {
        assert_eq!(settled(0.3, 1e-4), MOST);
        let many = settled(0.3, 0.03);
        assert!((4..=16).contains(&many), "{many}");
        assert_eq!(settled(0.3, 1.0), 1);
        assert!(settled(2.0, 0.5) <= 2);
    }
}
