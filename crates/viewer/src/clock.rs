//! The fixed step accumulator: fixed time step, independent of the frame rate (Meyer, chapter 4).
//!
//! Wall time that has passed adds to a debt of simulated time, and every step pays its length back.
//! A step is never cut to fit the screen, so that a scene takes the same steps here as in a run.

/// How fast simulated time goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Simulated seconds per second: 1 is real time, less is slow motion.
    Factor(f64),
    /// As fast as the machine can.
    Fastest,
}

/// Wall time that a stall may leave to catch up with [s]; the rest is forgotten, so that a slow
/// scene runs slower instead of falling ever further behind.
const MOST_STALL: f64 = 0.1;

/// Decides when the next step is due.
#[derive(Clone, Debug)]
pub struct Clock {
    pace: Pace,
    paused: bool,
    /// Single steps that were asked for.
    singles: u32,
    /// Simulated time that is due [s]; negative after a step that was longer than what was due.
    debt: f64,
}

impl Clock {
    /// A clock that runs in real time.
    pub fn new() -> Self {
        Self { pace: Pace::Factor(1.0), paused: false, singles: 0, debt: 0.0 }
    }

    /// How fast simulated time goes.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Chooses how fast simulated time goes.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
        self.debt = 0.0;
    }

    /// Whether time stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Pauses or resumes the simulation.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
        self.debt = 0.0;
    }

    /// Asks for one step, also while time stands still.
    pub fn request_step(&mut self) {
        self.singles += 1;
    }

    /// Records wall time that has passed [s].
    pub fn elapse(&mut self, wall: f64) {
        if let (false, Pace::Factor(factor)) = (self.paused, self.pace) {
            self.debt = (self.debt + wall * factor).min(MOST_STALL * factor);
        }
    }

    /// Whether a step is due.
    pub fn is_due(&self) -> bool {
        let runs = !self.paused && (self.pace == Pace::Fastest || self.debt > 0.0);
        runs || self.singles > 0
    }

    /// Records a step of the given length [s].
    pub fn stepped(&mut self, dt: f64) {
        if self.singles > 0 {
            self.singles -= 1;
        } else if self.pace != Pace::Fastest {
            self.debt -= dt;
        }
    }

    /// Forgets what is due: the simulation was changed or waits.
    pub fn forget(&mut self) {
        self.debt = 0.0;
        self.singles = 0;
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

/// Measures how fast simulated time goes, over the last half second or so.
#[derive(Default)]
pub(crate) struct Meter {
    wall: f64,
    simulated: f64,
    steps: f64,
    /// Simulated seconds per second.
    pub(crate) rate: f64,
    /// Steps per second.
    pub(crate) steps_per_second: f64,
}

impl Meter {
    /// Records wall and simulated time [s], and of steps in it.
    pub(crate) fn add(&mut self, wall: f64, simulated: f64, steps: u64) {
        self.wall += wall;
        self.simulated += simulated;
        self.steps += steps as f64;
        if self.wall > 0.5 {
            (self.rate, self.steps_per_second) =
                (self.simulated / self.wall, self.steps / self.wall);
            (self.wall, self.simulated, self.steps) = (0.0, 0.0, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of `dt` that are made in `frames` frames of `frame` seconds.
    fn steps(clock: &mut Clock, frames: u32, frame: f64, dt: f64) -> u32 {
        let mut steps = 0;
        for _ in 0..frames {
            clock.elapse(frame);
            while clock.is_due() && steps < 100_000 {
                clock.stepped(dt);
                steps += 1;
            }
        }
        steps
    }

    #[test]
    fn time_passes_as_on_the_wall_whatever_the_frame_rate() {
        for (frames, frame) in [(60, 1.0 / 60.0), (144, 1.0 / 144.0), (13, 1.0 / 13.0)] {
            let made = steps(&mut Clock::new(), frames, frame, 0.003);
            assert!((333..=335).contains(&made), "{made} steps at {frame} s a frame");
        }
    }

    #[test]
    fn steps_longer_than_a_frame_come_in_some_frames_only() {
        let made = steps(&mut Clock::new(), 100, 0.01, 0.04);
        assert!((25..=26).contains(&made), "{made}");
    }

    #[test]
    fn slow_motion_and_haste() {
        let mut clock = Clock::new();
        clock.set_pace(Pace::Factor(0.1));
        let made = steps(&mut clock, 100, 0.01, 0.001);
        assert!((100..=101).contains(&made), "{made}");
        clock.set_pace(Pace::Fastest);
        assert!(clock.is_due());
        clock.stepped(1.0);
        assert!(clock.is_due());
    }

    #[test]
    fn a_stall_is_not_caught_up_with() {
        let mut clock = Clock::new();
        assert!(steps(&mut clock, 1, 60.0, 0.001) <= 101);
    }

    #[test]
    fn paused_time_stands_still_but_for_single_steps() {
        let mut clock = Clock::new();
        clock.set_paused(true);
        assert_eq!(steps(&mut clock, 10, 0.1, 0.01), 0);
        clock.request_step();
        clock.request_step();
        assert_eq!(steps(&mut clock, 1, 0.1, 0.01), 2);
        clock.set_paused(false);
        assert!(!clock.is_due(), "what passed in the pause is not due");
    }
}
