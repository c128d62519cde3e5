//! An emitter: particles enter through a mouth in layers.

use crate::body::Body;
use crate::environment::Environment;
use crate::method::NewParticle;
use glam::DVec3;
use std::f64::consts::PI;
use thiserror::Error;

/// Closer than this many spacings to a particle, a place in the mouth is taken. Layers follow each
/// other at one spacing in free flight, and closer where the flow is braked.
const TAKEN: f64 = 0.8;

/// What came out keeps the emitter's speed for so many spacings, further than any kernel reaches by
/// default: a new layer must not be seen by free particles, whose density would jump. After one spacing the
/// jumps heated liquid without viscosity in a pipe: it left the mouth with 1.6 m/s (IISPH) instead of 1 m/s.
const PIPE: f64 = 3.0;

/// A spacing ahead there must be so many spacings of room; along walls there is half a spacing.
const FREE: f64 = 0.4;

/// The opening that particles come out of; in the plane a line across the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mouth {
    /// A rectangle.
    Rectangle {
        /// Centre [m].
        center: DVec3,
        /// Where the particles go; the length does not matter.
        direction: DVec3,
        /// Direction of the height, in space; the part across `direction` counts.
        up: DVec3,
        /// Length across `up` [m].
        width: f64,
        /// Length along `up` [m]; has no meaning in the plane.
        height: f64,
    },
    /// A disc.
    Disc {
        /// Centre [m].
        center: DVec3,
        /// Where the particles go; the length does not matter.
        direction: DVec3,
        /// Radius [m].
        radius: f64,
    },
}

/// Why there is no such emitter.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EmitterError {
    /// A length or speed out of its range.
    #[error("{key} = {value} is not allowed: it must be positive and finite")]
    NotPositive {
        /// What it is.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// A direction that is none.
    #[error("{0} must be a finite vector that is not zero, and up must not be along direction")]
    NoDirection(&'static str),
    /// Not even one particle fits.
    #[error("the mouth is too small for a particle: it is narrower than the spacing of {0} m")]
    Narrow(f64),
    /// A region to pour into that is none.
    #[error("the region must be a finite box that is not empty")]
    Region,
    /// Nothing to pour.
    #[error("a pour needs at least one shape")]
    NoShapes,
}

/// Lets particles out of a mouth at a constant speed, in layers on a square lattice.
///
/// Layer k leaves at the time start + k d/u, where u is the speed and d the spacing. A layer that
/// left during a step is put where it would be by now, so the layers are one spacing apart whatever
/// the steps are. What is in the mouth, up to three spacings in front of it, keeps the emitter's speed:
/// otherwise the pressure of the jet would throw the newest layer back, for nothing is behind it.
/// A place that is taken stays empty: nothing is pressed into the liquid in front.
#[derive(Clone, Debug)]
pub struct Emitter {
    /// Its matter; that of the first method if not set.
    pub matter: Option<&'static str>,
    /// When the first layer leaves [s].
    pub start: f64,
    /// No layer leaves from this time on [s].
    pub stop: f64,
    /// Particles after which it is exhausted.
    pub max_particles: u64,
    /// Particles of its matter, from wherever, at which it waits.
    pub max_present: u64,
    /// Places of the particles in the mouth [m].
    sites: Vec<DVec3>,
    /// A ball around the mouth and what is next to it [m].
    center: DVec3,
    radius: f64,
    direction: DVec3,
    speed: f64,
    spacing: f64,
    /// Layers that have left.
    layers: u64,
    emitted: u64,
    blocked: u64,
    /// Scratch: the particles that are due, and whether their places are taken.
    new: Vec<NewParticle>,
    taken: Vec<bool>,
}

impl Emitter {
    /// Whether it lets this matter in.
    pub(super) fn is_of(&self, matter: &str) -> bool {
        self.matter.is_none_or(|own| own == matter)
    }

    /// An emitter that begins at once and never ends.
    pub fn new(
        mouth: &Mouth,
        speed: f64,
        spacing: f64,
        planar: bool,
    ) -> Result<Self, EmitterError> {
        let positive = |key, value: f64| {
            let fine = value > 0.0 && value.is_finite();
            if fine { Ok(()) } else { Err(EmitterError::NotPositive { key, value }) }
        };
        positive("speed", speed)?;
        positive("spacing", spacing)?;
        match *mouth {
            Mouth::Rectangle { width, height, .. } => {
                positive("width", width)?;
                positive("height", if planar { spacing } else { height })?;
            }
            Mouth::Disc { radius, .. } => positive("radius", radius)?,
        }
        let (direction, sites) = sites(mouth, spacing, planar)?;
        if sites.is_empty() {
            return Err(EmitterError::Narrow(spacing));
        }
        let center = sites.iter().sum::<DVec3>() / sites.len() as f64;
        let reach = sites.iter().map(|x| x.distance(center)).fold(0.0, f64::max);
        Ok(Self {
            center,
            radius: reach + (PIPE + 1.0) * spacing,
            matter: None,
            start: 0.0,
            stop: f64::INFINITY,
            max_particles: u64::MAX,
            max_present: u64::MAX,
            sites,
            direction,
            speed,
            spacing,
            layers: 0,
            emitted: 0,
            blocked: 0,
            new: Vec::new(),
            taken: Vec::new(),
        })
    }

    /// Places of the particles of a layer in the mouth [m].
    pub fn sites(&self) -> &[DVec3] {
        &self.sites
    }

    /// Velocity of the particles as they leave [m/s].
    pub fn velocity(&self) -> DVec3 {
        self.speed * self.direction
    }

    /// Particles that have come out so far.
    pub fn emitted(&self) -> u64 {
        self.emitted
    }

    /// Particles that have not come out because their place was taken, or because there were too
    /// many already.
    pub fn blocked(&self) -> u64 {
        self.blocked
    }

    /// Time between two layers [s].
    pub(super) fn interval(&self) -> f64 {
        self.spacing / self.speed
    }

    fn next_time(&self) -> f64 {
        self.start + self.layers as f64 * self.interval()
    }

    /// Whether it keeps what is in the mouth at its speed at `time` [s].
    pub(super) fn is_active(&self, time: f64) -> bool {
        (self.start..self.stop).contains(&time) && self.emitted < self.max_particles
    }

    /// The velocity of what is in the mouth.
    pub(super) fn drive(&self, env: &Environment, x: DVec3) -> Option<DVec3> {
        let offset = env.space.difference(x, self.center);
        if offset.length_squared() > self.radius * self.radius {
            return None;
        }
        let ahead = offset.dot(self.direction) / self.spacing;
        if !(-0.5..PIPE).contains(&ahead) {
            return None;
        }
        let across = offset - ahead * self.spacing * self.direction;
        let reach = (0.75 * self.spacing).powi(2);
        let is_inside = |x: &DVec3| (*x - self.center).distance_squared(across) < reach;
        if !self.sites.iter().any(is_inside) {
            return None;
        }
        // Nothing is driven against a wall.
        let next = x + self.spacing * self.direction;
        let room = |body: &Body| body.signed_distance(next).distance >= FREE * self.spacing;
        env.bodies.iter().all(room).then(|| self.velocity())
    }

    /// Whether a layer has left at `time` [s] that is not there yet.
    pub(super) fn is_due(&self, time: f64) -> bool {
        let next = self.next_time();
        next <= time && next < self.stop && self.emitted < self.max_particles
    }

    /// Collects all particles that are due at `time` [s].
    pub(super) fn prepare(&mut self, time: f64) {
        self.new.clear();
        let velocity = self.velocity();
        while self.is_due(time) {
            let offset = (time - self.next_time()) * velocity;
            let layer = self.sites.iter();
            self.new.extend(layer.map(|&x| NewParticle { position: x + offset, velocity }));
            self.layers += 1;
        }
        self.taken.clear();
        self.taken.resize(self.new.len(), false);
    }

    /// Notes which of them would be too close to the particles at `positions`.
    pub(super) fn block(&mut self, env: &Environment, positions: &[DVec3]) {
        let reach = TAKEN * self.spacing;
        // Only few particles are anywhere near.
        let center = self.new.iter().map(|p| p.position).sum::<DVec3>() / self.new.len() as f64;
        let radius = self.new.iter().map(|p| p.position.distance(center)).fold(0.0, f64::max);
        let near = positions.iter().filter(|&&x| {
            env.space.difference(x, center).length_squared() < (radius + reach).powi(2)
        });
        for &x in near {
            for (new, taken) in self.new.iter().zip(&mut self.taken) {
                let distance = env.space.difference(x, new.position).length_squared();
                *taken |= distance < reach * reach;
            }
        }
    }

    /// The particles that come out now, to the `present` ones of its matter.
    pub(super) fn release(&mut self, present: u64) -> &[NewParticle] {
        let due = self.new.len() as u64;
        let mut taken = self.taken.iter();
        self.new.retain(|_| !taken.next().copied().unwrap_or(false));
        let room = self.max_present.saturating_sub(present);
        let most = room.min(self.max_particles - self.emitted);
        self.new.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        self.emitted += self.new.len() as u64;
        self.blocked += due - self.new.len() as u64;
        &self.new
    }

    /// What is saved.
    pub(super) fn counts(&self) -> [u64; 3] {
        [self.layers, self.emitted, self.blocked]
    }

    pub(super) fn set_counts(&mut self, [layers, emitted, blocked]: [u64; 3]) {
        (self.layers, self.emitted, self.blocked) = (layers, emitted, blocked);
    }
}

/// The unit vector of the direction, and the places in the mouth.
fn sites(mouth: &Mouth, d: f64, planar: bool) -> Result<(DVec3, Vec<DVec3>), EmitterError> {
    let (Mouth::Rectangle { center, direction, .. } | Mouth::Disc { center, direction, .. }) =
        *mouth;
    let direction = direction.try_normalize().ok_or(EmitterError::NoDirection("direction"))?;
    if planar {
        let width = match *mouth {
            Mouth::Rectangle { width, .. } => width,
            Mouth::Disc { radius, .. } => 2.0 * radius,
        };
        let side = d * DVec3::new(-direction.y, direction.x, 0.0);
        let sites = row(width, d).map(|a| center + a * side);
        return Ok((direction, sites.collect()));
    }
    let sites = match *mouth {
        Mouth::Rectangle { up, width, height, .. } => {
            let up = up.reject_from_normalized(direction);
            let up = up.try_normalize().ok_or(EmitterError::NoDirection("up"))?;
            let side = direction.cross(up);
            let place = |a: f64, b: f64| center + d * (a * side + b * up);
            row(height, d).flat_map(|b| row(width, d).map(move |a| place(a, b))).collect()
        }
        Mouth::Disc { radius, .. } => {
            let (side, up) = direction.any_orthonormal_pair();
            let places = disc(radius / d).into_iter();
            places.map(|[a, b]| center + d * (a * side + b * up)).collect()
        }
    };
    Ok((direction, sites))
}

/// Places about zero, one apart, half a place from the ends: as many as fit into a length.
fn row(length: f64, d: f64) -> impl Iterator<Item = f64> {
    let n = (length / d + 1e-6).floor().max(0.0) as u64;
    (0..n).map(move |k| k as f64 - 0.5 * (n as f64 - 1.0))
}

/// Places of a square lattice in a disc about zero: of the lattices with a place, an edge or a
/// square in the middle the one whose number of places is closest to the area.
fn disc(radius: f64) -> Vec<[f64; 2]> {
    let n = radius.ceil();
    let line = |shift: f64| {
        let count = 2 * n as u64 + 1;
        (0..count).map(move |k| k as f64 - n + shift)
    };
    let lattice = |[p, q]: [f64; 2]| -> Vec<[f64; 2]> {
        let all = line(q).flat_map(|b| line(p).map(move |a| [a, b]));
        all.filter(|[a, b]| a * a + b * b < radius * radius * (1.0 + 1e-9)).collect()
    };
    let error = |places: &Vec<[f64; 2]>| (places.len() as f64 - PI * radius * radius).abs();
    let lattices = [[0.0, 0.0], [0.5, 0.5], [0.5, 0.0]].map(lattice);
    lattices.into_iter().min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(width: f64, height: f64) -> Mouth {
        let (center, direction) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, -2.0, 0.0));
        Mouth::Rectangle { center, direction, up: DVec3::new(0.0, 5.0, 1.0), width, height }
    }

    #[test]
    fn the_mouth_is_filled_and_lies_across_the_direction() {
        let emitter = Emitter::new(&rectangle(0.5, 0.3), 2.0, 0.1, false).unwrap();
        assert_eq!(emitter.sites().len(), 15);
        let mean = emitter.sites().iter().sum::<DVec3>() / 15.0;
        assert!((mean - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-12, "{mean}");
        assert!(emitter.sites().iter().all(|x| (x.y - 2.0).abs() < 1e-12));
        let reach = |k: usize| emitter.sites().iter().map(|x| x[k]).fold(0.0, f64::max);
        assert!((reach(0) - 1.2).abs() < 1e-12 && (reach(2) - 3.1).abs() < 1e-12);
        assert!((emitter.velocity() - DVec3::new(0.0, -2.0, 0.0)).length() < 1e-12);
        // In the plane it is a line.
        let direction = DVec3::new(1.0, 1.0, 0.0);
        let mouth = Mouth::Disc { center: DVec3::ZERO, direction, radius: 0.2 };
        let emitter = Emitter::new(&mouth, 1.0, 0.1, true).unwrap();
        assert_eq!(emitter.sites().len(), 4);
        assert!(emitter.sites().iter().all(|x| x.dot(direction).abs() < 1e-12 && x.z == 0.0));
    }

    #[test]
    fn discs_have_about_the_right_area() {
        for radius in [2.0, 3.0, 4.5, 8.0, 20.0] {
            let n = disc(radius).len() as f64;
            let error = n / (PI * radius * radius) - 1.0;
            assert!(error.abs() < 0.06, "{n} places for a radius of {radius}: {error}");
        }
        assert_eq!(disc(0.5).len(), 1);
    }

    #[test]
    fn bad_emitters_are_refused() {
        let error = |mouth: &Mouth, speed| Emitter::new(mouth, speed, 0.1, false).unwrap_err();
        let message = error(&rectangle(0.5, 0.3), 0.0).to_string();
        assert!(message.contains("speed = 0 is not allowed"), "{message}");
        let not_positive = |e| matches!(e, EmitterError::NotPositive { .. });
        assert!(not_positive(error(&rectangle(-0.5, 0.3), 1.0)));
        assert!(not_positive(error(&rectangle(0.5, f64::NAN), 1.0)));
        assert_eq!(error(&rectangle(0.5, 0.05), 1.0), EmitterError::Narrow(0.1));
        let disc = |direction, radius| Mouth::Disc { center: DVec3::ZERO, direction, radius };
        assert!(not_positive(error(&disc(DVec3::X, 0.0), 1.0)));
        assert!(matches!(error(&disc(DVec3::ZERO, 1.0), 1.0), EmitterError::NoDirection(_)));
        let along = Mouth::Rectangle {
            center: DVec3::ZERO,
            direction: DVec3::Y,
            up: DVec3::Y,
            width: 1.0,
            height: 1.0,
        };
        assert_eq!(error(&along, 1.0), EmitterError::NoDirection("up"));
    }
}
