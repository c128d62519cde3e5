//! When somebody looks: steps that end then are waited for.

/// Times at equal distances, and the time of the steps so far [s].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looks {
    time: f64,
    start: f64,
    every: f64,
}

impl Looks {
    pub(crate) fn new(now: f64, start: f64, every: f64) -> Self {
        Self { time: now, start, every }
    }

    /// Goes on by a step; true when it ends at one of the times, within a thousandth of the step.
    pub(crate) fn meets(&mut self, dt: f64) -> bool {
        self.time += dt;
        let count = ((self.time - self.start) / self.every).round();
        (self.start + count * self.every - self.time).abs() < 1e-3 * dt
    }
}

#[cfg(test)]
mod tests {
    use super::Looks;

    #[test]
    fn every_tenth_step_is_met() {
        let mut looks = Looks::new(0.2, 0.2, 1e-3);
        let met: Vec<usize> = (1..=3000).filter(|_| looks.meets(1e-4)).collect();
        assert_eq!(met, (1..=300).map(|k| 10 * k).collect::<Vec<_>>());
    }
}
