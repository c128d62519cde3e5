//! Grains that come and go: pouring and drains.

use glam::DVec3;
use lawine_core::geometry::{Aabb, Random};
use lawine_core::opening::Region;

use super::contact::GrainMap;
use super::{Grain, Grains, GrainsError, Work};

/// Places that are tried for a grain in a step.
const TRIES: u64 = 16;

/// Pours grains from a region, in random order of the shapes and in random orientations.
#[derive(Clone, Debug, PartialEq)]
pub struct Pouring {
    /// Where grains appear, where there is room [m].
    pub region: Aabb,
    /// When.
    pub pace: Pace,
    /// The shapes to take, by number; all when empty.
    pub shapes: Vec<u32>,
    /// Velocity of a new grain [m/s].
    pub velocity: DVec3,
    /// When it begins and ends [s].
    pub interval: [f64; 2],
    /// How many grains at most.
    pub count: u64,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// When grains are poured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many a second [1/s].
    Rate(f64),
    /// One whenever the fastest grain is slower than this [m/s].
    Slower(f64),
}

impl Pouring {
    /// Pours `count` grains of all shapes at a pace.
    #[must_use]
    pub fn new(region: Aabb, pace: Pace, count: u64) -> Self {
        let (shapes, velocity) = (Vec::new(), DVec3::ZERO);
        Self { region, pace, shapes, velocity, interval: [0.0, f64::INFINITY], count, seed: 1 }
    }

    fn check(&self, shapes: usize) -> Result<(), GrainsError> {
        let (key, value) = match self.pace {
            Pace::Rate(rate) => ("rate", rate),
            Pace::Slower(speed) => ("speed", speed),
        };
        if !(value > 0.0 && value.is_finite()) {
            return Err(GrainsError::Contact { key, value, allowed: "more than 0" });
        }
        if self.region.is_empty() || !self.region.is_finite() || !self.velocity.is_finite() {
            return Err(GrainsError::NotFinite);
        }
        let unknown = self.shapes.iter().find(|s| **s as usize >= shapes);
        unknown.map_or(Ok(()), |&shape| Err(GrainsError::UnknownShape { shape, count: shapes }))
    }
}

/// A volume that takes grains whose centre is inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drain {
    /// Where.
    pub region: Region,
    /// Grains come back at rest in this box [m], when there is room; otherwise they are removed.
    pub back: Option<Aabb>,
}

/// What the openings remember.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Count {
    /// Grains that passed.
    pub(super) grains: u64,
    /// Random numbers used.
    pub(super) draws: u64,
    /// When the last grain passed [s].
    pub(super) last: f64,
}

impl Grains {
    /// Pours grains.
    ///
    /// # Errors
    /// When a value is out of its range or a shape does not exist.
    pub fn pour(&mut self, pouring: Pouring) -> Result<(), GrainsError> {
        pouring.check(self.shapes.len())?;
        self.pourings.push(pouring);
        self.state.poured.push(Count::default());
        Ok(())
    }

    /// Lets grains out, or back in.
    pub fn drain(&mut self, drain: Drain) {
        self.drains.push(drain);
        self.state.drained.push(Count::default());
    }

    /// Grains poured so far, for each pouring.
    pub fn poured(&self) -> impl Iterator<Item = u64> {
        self.state.poured.iter().map(|c| c.grains)
    }

    /// Grains that each drain has taken so far.
    pub fn drained(&self) -> impl Iterator<Item = u64> {
        self.state.drained.iter().map(|c| c.grains)
    }

    /// Lets grains in and out before a step; returns the number of those removed.
    pub(super) fn exchange(&mut self) -> usize {
        for k in 0..self.pourings.len() {
            self.pour_one(k);
        }
        (0..self.drains.len()).map(|k| self.drain_one(k)).sum()
    }

    /// A random place in the box where a ball of the radius has room.
    fn free_place(&self, region: &Aabb, radius: f64, random: &mut Random) -> Option<DVec3> {
        let unit = DVec3::new(random.unit(), random.unit(), random.unit());
        let place = self.space.wrap(region.min + unit * region.size());
        let clear = |i: usize| {
            let reach = radius + self.shape(i).radius;
            self.space.difference(self.state.x[i], place).length_squared() > reach * reach
        };
        (0..self.state.id.len()).all(clear).then_some(place)
    }

    fn pour_one(&mut self, k: usize) {
        let (pouring, mut count) = (self.pourings[k].clone(), self.state.poured[k]);
        let time = self.state.time;
        let [start, stop] = pouring.interval;
        let open = (start..=stop).contains(&time) && count.grains < pouring.count;
        let due = open
            && match pouring.pace {
                Pace::Rate(rate) => (time - start) * rate >= count.grains as f64,
                Pace::Slower(speed) => {
                    // A grain that has just begun to fall is slow, too.
                    let pause = 2.0 * speed / self.gravity.length();
                    let fastest = self.state.v.iter().map(|v| v.length()).fold(0.0, f64::max);
                    count.grains == 0 || (time > count.last + pause && fastest < speed)
                }
            };
        for _ in 0..if due { TRIES } else { 0 } {
            let mut random = Random::stream(pouring.seed, count.draws);
            count.draws += 1;
            let shapes = &pouring.shapes;
            let shape = match shapes.len() {
                0 => random.below(self.shapes.len()) as u32,
                n => shapes[random.below(n)],
            };
            let radius = self.shapes[shape as usize].radius;
            if let Some(position) = self.free_place(&pouring.region, radius, &mut random) {
                let (velocity, omega) = (pouring.velocity, DVec3::ZERO);
                let orientation = random.orientation();
                let grain = Grain { shape, position, velocity, orientation, omega };
                if self.add(&grain).is_ok() {
                    self.state.ledger.added += self.energy_of(self.state.id.len() - 1);
                    (count.grains, count.last) = (count.grains + 1, time);
                }
                break;
            }
        }
        self.state.poured[k] = count;
    }

    fn drain_one(&mut self, k: usize) -> usize {
        let Drain { region, back } = self.drains[k];
        let inside = |x: &DVec3| region.contains(*x);
        if !self.state.x.iter().any(inside) {
            return 0;
        }
        let mut keep = vec![true; self.state.id.len()];
        let mut moved = Vec::new();
        for (i, stays) in keep.iter_mut().enumerate() {
            if !inside(&self.state.x[i]) {
                continue;
            }
            self.state.drained[k].grains += u64::from(back.is_none());
            match back {
                None => *stays = false,
                Some(to) => {
                    let radius = self.shape(i).radius;
                    let draw = self.state.drained[k].draws;
                    self.state.drained[k].draws += 1;
                    let mut random = Random::stream(k as u64, draw);
                    if let Some(place) = self.free_place(&to, radius, &mut random) {
                        self.state.drained[k].grains += 1;
                        self.state.ledger.added -= self.energy_of(i);
                        self.state.put(i, place);
                        self.state.ledger.added += self.energy_of(i);
                        moved.push(i);
                    }
                }
            }
        }
        if !moved.is_empty() {
            let gone = |c: &super::contact::Contact| {
                moved.contains(&c.first()) || c.grain().is_some_and(|j| moved.contains(&j))
            };
            self.state.contacts.retain(|c| !gone(c));
        }
        self.keep_grains(&keep)
    }

    /// Keeps the grains whose flag is set; the energy of the others is booked.
    pub(super) fn keep_grains(&mut self, keep: &[bool]) -> usize {
        for i in (0..keep.len()).filter(|&i| !keep[i]) {
            self.state.ledger.added -= self.energy_of(i);
        }
        let removed = self.state.retain(keep);
        if removed > 0 {
            self.find_energies();
            let Work { neighbors, at_walls, velocities, .. } = &mut self.work;
            GrainMap::new(keep).rename(&mut self.state.contacts, neighbors, at_walls);
            let mut flags = keep.iter();
            velocities.retain(|_| flags.next().copied().unwrap_or(true));
            self.work.forget_boxes(&self.config);
        }
        removed
    }
}
