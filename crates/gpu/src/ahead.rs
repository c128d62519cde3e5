//! How far the host may run ahead of the GPU where nobody may wait for it.
//!
//! Steps that were handed in stand before the next picture in the GPU's queue: too many, and the page
//! stands still; too few, and the GPU does. So twice as many are tried, and stay if that makes clearly
//! more of them per second; now and then half as many are, from where it begins again. Then steps take
//! about as long as pictures and the ways between host and GPU do, whatever is slow, and never much longer
//! than a second.

/// Steps on their way, at most: four batches. Speeds are as old as that when they decide on a step.
const MOST: usize = 32;
/// How long a number of steps is tried at least [s].
const PERIOD: f64 = 0.25;
/// So long it may take at most until steps are told about [s].
const LONGEST: f64 = 1.0;
/// For so many periods it stays when it was found good.
const REST: u32 = 16;
/// Twice as many must make so many times the steps per second.
const GAIN: f64 = 1.3;

/// Steps that may be on their way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    steps: usize,
    /// Steps that were told about since a time [s], and whether there were as many on their way as may be.
    told: usize,
    since: f64,
    is_full: bool,
    /// Steps per second with half as many on their way, if that was tried.
    rate: Option<f64>,
    /// Periods to stay as it is.
    rest: u32,
}

impl Ahead {
    pub(crate) fn new() -> Self {
        Self { steps: 1, told: 0, since: 0.0, is_full: false, rate: None, rest: 0 }
    }

    pub(crate) fn steps(self) -> usize {
        self.steps
    }

    /// Takes note, at a time [s], of the steps that were on their way after the last look, and that still
    /// are.
    pub(crate) fn look(&mut self, now: f64, before: usize, left: usize) {
        self.told += before.saturating_sub(left);
        self.is_full |= before >= self.steps;
        let time = now - self.since;
        if time < PERIOD || self.told == 0 {
            return;
        }
        let rate = self.told as f64 / time;
        (self.told, self.since) = (0, now);
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

    /// Steps on their way after some time, if a picture and a step take so long [s].
    fn settled(picture: f64, step: f64) -> usize {
        let (mut ahead, mut now) = (Ahead::new(), 0.0);
        for _ in 0..50 {
            now += picture + ahead.steps() as f64 * step;
            ahead.look(now, ahead.steps(), 0);
        }
        ahead.steps()
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
