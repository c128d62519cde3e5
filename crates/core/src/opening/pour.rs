//! A pour: grains appear one by one in a region.

use crate::environment::Environment;
use crate::field::FieldValues;
use crate::geometry::{Aabb, Random};
use crate::method::{EditError, Grain, Method};
use crate::opening::EmitterError;
use glam::DVec3;

/// Positions that are tried for a grain before a step.
const TRIES: u64 = 16;

/// Lets single grains in: of its shapes, turned and placed at random where its region has room.
#[derive(Clone, Debug)]
pub struct Pour {
    /// The matter that it lets in.
    pub matter: &'static str,
    /// When it begins [s].
    pub start: f64,
    /// No grain comes in from this time on [s].
    pub stop: f64,
    /// Grains after which it is exhausted.
    pub max_grains: u64,
    /// Velocity of a new grain [m/s].
    pub velocity: DVec3,
    /// Seed of its random numbers.
    pub seed: u64,
    region: Aabb,
    shapes: Vec<u32>,
    pace: Pace,
    poured: u64,
    /// Grains that were drawn so far, also those without room.
    drawn: u64,
    /// When the last grain came in [s].
    last: f64,
}

/// When grains are poured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many per second [1/s].
    Rate(f64),
    /// The next grain once all grains are slower than this [m/s].
    Slower(f64),
}

impl Pour {
    /// A pour that begins at once, at rest, and never ends; `shapes` are indices of the method's.
    pub fn new(
        matter: &'static str,
        region: Aabb,
        shapes: Vec<u32>,
        pace: Pace,
    ) -> Result<Self, EmitterError> {
        let (Pace::Rate(value) | Pace::Slower(value)) = pace;
        if !(value > 0.0 && value.is_finite()) {
            let key = if matches!(pace, Pace::Rate(_)) { "rate" } else { "slower_than" };
            return Err(EmitterError::NotPositive { key, value });
        }
        if region.is_empty() || !region.is_finite() {
            return Err(EmitterError::Region);
        }
        if shapes.is_empty() {
            return Err(EmitterError::NoShapes);
        }
        Ok(Self {
            matter,
            start: 0.0,
            stop: f64::INFINITY,
            max_grains: u64::MAX,
            velocity: DVec3::ZERO,
            seed: 1,
            region,
            shapes,
            pace,
            poured: 0,
            drawn: 0,
            last: 0.0,
        })
    }

    /// Where grains appear [m].
    pub fn region(&self) -> &Aabb {
        &self.region
    }

    /// Grains that have come in so far.
    pub fn poured(&self) -> u64 {
        self.poured
    }

    /// Whether grains are still to come at `time` [s].
    pub(super) fn is_active(&self, time: f64) -> bool {
        (self.start..self.stop).contains(&time) && self.poured < self.max_grains
    }

    fn is_due(&self, env: &Environment, method: &dyn Method, time: f64) -> bool {
        self.is_active(time)
            && match self.pace {
                Pace::Rate(rate) => (time - self.start) * rate >= self.poured as f64,
                Pace::Slower(speed) => {
                    // A grain that has just begun to fall is slow, too.
                    let pause = 2.0 * speed / env.gravity.length();
                    self.poured == 0 || time > self.last + pause && all_are_slower(method, speed)
                }
            }
    }

    /// Lets the grain in that is due at `time` [s], if there is room.
    pub(super) fn act(
        &mut self,
        env: &Environment,
        method: &mut dyn Method,
        time: f64,
    ) -> Result<(), EditError> {
        if self.is_due(env, method, time) {
            for _ in 0..TRIES {
                if method.place(&self.draw())? {
                    (self.poured, self.last) = (self.poured + 1, time);
                    break;
                }
            }
        }
        Ok(())
    }

    fn draw(&mut self) -> Grain {
        let mut random = Random::stream(self.seed, self.drawn);
        self.drawn += 1;
        let shape = self.shapes[random.below(self.shapes.len())];
        let position = random.within(&self.region);
        let (orientation, omega) = (random.orientation(), DVec3::ZERO);
        Grain { shape, position, velocity: self.velocity, orientation, omega }
    }

    /// What is saved.
    pub(super) fn counts(&self) -> [u64; 3] {
        [self.poured, self.drawn, self.last.to_bits()]
    }

    pub(super) fn set_counts(&mut self, [poured, drawn, last]: [u64; 3]) {
        (self.poured, self.drawn, self.last) = (poured, drawn, f64::from_bits(last));
    }
}

fn all_are_slower(method: &dyn Method, speed: f64) -> bool {
    match method.field("velocity").map(|field| field.values) {
        Some(FieldValues::Vec3(v)) => v.iter().all(|v| v.length() < speed),
        _ => false,
    }
}
