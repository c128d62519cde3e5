//! Where matter comes in and goes out, between two steps: emitters, pours and outlets.
//!
//! The loop calls [`Openings::pour`] before every step and [`Openings::act`] after it. What an opening
//! remembers, the layers and particles counted so far, is saved with the clock.
//!
//! An emitter's layers leave at fixed times, start + k·d/u, and a layer that left within a step is put where it would be by
//! now. What lies in the mouth and three spacings before it keeps the emitter's speed, as in a pipe with a pump behind it: a
//! pressure system knows that it cannot move these particles, and free ones do not see layers appear. Places that are taken
//! stay empty.
//!
//! A pour draws shape, position and orientation of its next grain, by a stream of random numbers of its own, and the method
//! says whether there is room; it acts before a step, which the new grain then limits.

mod emitter;
mod pour;

pub use emitter::{Emitter, EmitterError, Mouth};
pub use pour::{Pace, Pour};

use crate::body::{Capsule, Frustum, Pose};
use crate::columns;
use crate::environment::Environment;
use crate::field;
use crate::geometry::{Aabb, Random};
use crate::method::{DtLimit, EditError, Method};
use glam::DVec3;
use std::io::{self, Read, Write};
use std::iter;

/// The openings of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    /// Where particles of a continuum come in.
    pub emitters: Vec<Emitter>,
    /// Where single grains come in.
    pub pours: Vec<Pour>,
    /// Where particles go out.
    pub outlets: Vec<Outlet>,
}

/// A volume that removes the particles inside, or moves them elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlet {
    /// Its matter; all if not set.
    pub matter: Option<&'static str>,
    returns: Option<Aabb>,
    region: Region,
    drained: u64,
    /// Positions that were drawn for grains to come back.
    drawn: u64,
}

/// The shape of an outlet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// A box.
    Box(Aabb),
    /// A ball, or a disc in the plane.
    Sphere {
        /// Centre [m].
        center: DVec3,
        /// Radius [m].
        radius: f64,
    },
    /// A box that is turned.
    Cuboid {
        /// Where its middle is, and how it stands.
        pose: Pose,
        /// Half its edge lengths [m]; infinite in z in the plane.
        half: DVec3,
    },
    /// A cylinder or cone.
    Frustum {
        /// Where it is.
        pose: Pose,
        /// Its shape.
        frustum: Frustum,
    },
    /// A cylinder with round ends.
    Capsule {
        /// Where it is.
        pose: Pose,
        /// Its shape.
        capsule: Capsule,
    },
}

impl Region {
    /// Whether a point lies inside.
    pub fn contains(&self, x: DVec3) -> bool {
        match self {
            Self::Box(extent) => extent.contains(x),
            Self::Sphere { center, radius } => x.distance_squared(*center) <= radius * radius,
            Self::Cuboid { pose, half } => pose.to_local(x).abs().cmple(*half).all(),
            Self::Frustum { pose, frustum } => frustum.distance(pose.to_local(x)).distance <= 0.0,
            Self::Capsule { pose, capsule } => capsule.distance(pose.to_local(x)).distance <= 0.0,
        }
    }
}

impl Outlet {
    /// An outlet that has not removed anything yet.
    pub fn new(region: Region) -> Self {
        Self { matter: None, returns: None, region, drained: 0, drawn: 0 }
    }

    /// The same for one matter alone.
    #[must_use]
    pub fn of(self, matter: &'static str) -> Self {
        Self { matter: Some(matter), ..self }
    }

    /// The same for grains that come back at rest in a box [m], as soon as there is room, instead of being removed.
    #[must_use]
    pub fn returning(self, to: Option<Aabb>) -> Self {
        Self { returns: to, ..self }
    }

    /// Its shape.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Particles removed or moved so far.
    pub fn drained(&self) -> u64 {
        self.drained
    }

    /// Lets out what is inside, with random numbers of a seed; gives the number of particles removed.
    fn act(&mut self, method: &mut dyn Method, seed: u64) -> Result<usize, EditError> {
        let Self { region, returns, ref mut drained, ref mut drawn, .. } = *self;
        let Some(returns) = returns else {
            let removed = method.remove(&|x| region.contains(x));
            *drained += removed as u64;
            return Ok(removed);
        };
        let mut draw = || {
            *drawn += 1;
            Random::stream(seed, *drawn - 1).within(&returns)
        };
        let moved = method.relocate(&mut |x| region.contains(x).then(&mut draw))?;
        *drained += moved as u64;
        Ok(0)
    }

    /// What is saved: the draws only where there are any.
    fn counts(&self) -> impl Iterator<Item = u64> {
        iter::once(self.drained).chain(self.returns.map(|_| self.drawn))
    }
}

impl Openings {
    /// Adds the grains that are due at `time` [s].
    pub fn pour(
        &mut self,
        env: &Environment,
        methods: &mut [Box<dyn Method>],
        time: f64,
    ) -> Result<(), EditError> {
        for pour in &mut self.pours {
            if let Some(method) = methods.iter_mut().find(|m| m.matter() == pour.matter) {
                pour.act(env, &mut **method, time)?;
            }
        }
        Ok(())
    }

    /// Removes what is in an outlet, adds the layers that are due at `time` [s], and keeps what is in a mouth
    /// at its speed. Gives the number of particles removed.
    pub fn act(
        &mut self,
        env: &Environment,
        methods: &mut [Box<dyn Method>],
        time: f64,
    ) -> Result<usize, EditError> {
        let mut removed = 0;
        for (seed, outlet) in (0..).zip(&mut self.outlets) {
            let matter = outlet.matter;
            let is_of = |m: &&mut Box<dyn Method>| matter.is_none_or(|own| own == m.matter());
            for method in methods.iter_mut().filter(is_of) {
                removed += outlet.act(&mut **method, seed)?;
            }
        }
        for emitter in self.emitters.iter_mut().filter(|emitter| emitter.is_due(time)) {
            emitter.prepare(time);
            for method in methods.iter() {
                let column = method.field("position");
                emitter.block(env, field::positions(column.as_slice()).unwrap_or_default());
            }
            if let Some(method) = methods.iter_mut().find(|m| emitter.is_of(m.matter())) {
                method.insert(emitter.release(method.particle_count() as u64))?;
            }
        }
        self.drive(env, methods, time);
        Ok(removed)
    }

    /// Keeps what is in a mouth at its speed.
    pub(crate) fn drive(&self, env: &Environment, methods: &mut [Box<dyn Method>], time: f64) {
        for emitter in self.emitters.iter().filter(|emitter| emitter.is_active(time)) {
            if let Some(method) = methods.iter_mut().find(|m| emitter.is_of(m.matter())) {
                method.drive(&|x| emitter.drive(env, x));
            }
        }
    }

    /// At most one layer of each emitter a step, which matters for the first: later on the speed of
    /// the particles limits the step.
    pub fn dt_limit(&self) -> DtLimit {
        let interval = self.emitters.iter().map(Emitter::interval).fold(f64::INFINITY, f64::min);
        DtLimit { dt: interval, reason: "emitter" }
    }

    /// Whether an emitter is at work at `time` [s].
    pub(crate) fn is_pumping(&self, time: f64) -> bool {
        self.emitters.iter().any(|emitter| emitter.is_active(time))
    }

    /// Whether matter is still to come at `time` [s].
    pub(crate) fn is_active(&self, time: f64) -> bool {
        self.is_pumping(time) || self.pours.iter().any(|pour| pour.is_active(time))
    }

    /// Grains of a matter poured so far, if it is poured.
    pub fn poured(&self, matter: &str) -> Option<u64> {
        let pours = self.pours.iter().filter(|pour| pour.matter == matter);
        pours.map(Pour::poured).reduce(|a, b| a + b)
    }

    /// Particles that the outlets of a matter have let out so far, if it has any of its own.
    pub fn drained(&self, matter: &str) -> Option<u64> {
        let outlets = self.outlets.iter().filter(|outlet| outlet.matter == Some(matter));
        outlets.map(Outlet::drained).reduce(|a, b| a + b)
    }

    /// What the openings remember, in their order.
    fn counts(&self) -> Vec<u64> {
        let emitters = self.emitters.iter().flat_map(Emitter::counts);
        let pours = self.pours.iter().flat_map(Pour::counts);
        emitters.chain(pours).chain(self.outlets.iter().flat_map(Outlet::counts)).collect()
    }

    /// Writes what the openings remember; nothing if there are none.
    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let counts = self.counts();
        if counts.is_empty() { Ok(()) } else { columns::write(out, "openings", &counts) }
    }

    /// Takes over what [`Self::save`] wrote.
    pub(crate) fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let expected = self.counts().len();
        if expected == 0 {
            return Ok(());
        }
        let counts = columns::read::<u64>(from, "openings")?;
        if counts.len() != expected {
            let what = "the checkpoint has another number of emitters, pours and outlets";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let mut counts = counts.into_iter();
        let mut next = || counts.next().unwrap_or_default();
        self.emitters.iter_mut().for_each(|e| e.set_counts([next(), next(), next()]));
        self.pours.iter_mut().for_each(|p| p.set_counts([next(), next(), next()]));
        for outlet in &mut self.outlets {
            outlet.drained = next();
            outlet.drawn = outlet.returns.map_or(0, |_| next());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puppets::{Puppets, Strings};
    use crate::simulation::{Simulation, TimeControl};
    use crate::space::{Dimension, Space};

    #[test]
    fn regions_hold_their_surface_and_what_is_inside() {
        let corner = DVec3::new(1.0, 2.0, 0.0);
        let flat = Region::Box(Aabb { min: DVec3::ZERO, max: corner });
        assert!(flat.contains(corner) && flat.contains(0.5 * corner));
        assert!(!flat.contains(1.001 * corner) && !flat.contains(-0.001 * corner));
        let ball = Region::Sphere { center: corner, radius: 0.5 };
        assert!(ball.contains(corner + 0.5 * DVec3::X) && !ball.contains(corner + 0.51 * DVec3::Y));
    }

    #[test]
    fn what_openings_remember_fits_only_the_same_openings() {
        let mouth = Mouth::Disc { center: DVec3::ZERO, direction: DVec3::X, radius: 0.1 };
        let mut emitter = Emitter::new(&mouth, 1.0, 0.05, false).unwrap();
        emitter.set_counts([5, 60, 2]);
        let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let mut pour = Pour::new("puppets", unit, vec![0], Pace::Rate(1.0)).unwrap();
        pour.set_counts([3, 4, 0.5_f64.to_bits()]);
        let outlet = Outlet { drained: 7, ..Outlet::new(Region::Box(unit)) };
        let openings = Openings {
            emitters: vec![emitter],
            pours: vec![pour],
            outlets: vec![outlet, Outlet { drawn: 9, ..outlet.returning(Some(unit)) }],
        };
        let mut bytes = Vec::new();
        openings.save(&mut bytes).unwrap();
        let mut same = openings.clone();
        same.emitters[0].set_counts([0; 3]);
        same.pours[0].set_counts([0; 3]);
        same.outlets.iter_mut().for_each(|outlet| (outlet.drained, outlet.drawn) = (0, 0));
        same.load(&mut &bytes[..]).unwrap();
        assert_eq!(same.counts(), openings.counts());
        assert_eq!(same.outlets, openings.outlets);
        let without = [
            Openings { emitters: Vec::new(), ..openings.clone() },
            Openings { pours: Vec::new(), ..openings.clone() },
            Openings { outlets: vec![outlet; 2], ..openings },
        ];
        without.into_iter().for_each(|mut o| assert!(o.load(&mut &bytes[..]).is_err()));
    }

    fn above() -> Aabb {
        Aabb { min: DVec3::new(0.0, 2.0, 0.0), max: DVec3::new(0.4, 2.4, 0.4) }
    }

    /// Puppets that are poured over a floor, where they lie still, and go out or come back behind x = 0.3 m.
    fn poured(pace: Pace, returns: Option<Aabb>) -> Simulation {
        let fall: Strings = |puppets, env, dt| {
            for (x, v) in puppets.x.iter_mut().zip(&mut puppets.v) {
                *v = if x.y > 0.0 { *v + env.gravity * dt } else { DVec3::ZERO };
                *x += *v * dt;
            }
        };
        let env = Environment::new(Space::unbounded(Dimension::Full), -10.0 * DVec3::Y);
        let control = TimeControl { fixed: Some(1.0 / 512.0), max: 1.0, growth: 2.0 };
        let puppets = Puppets::new(Vec::new(), fall);
        let mut simulation = Simulation::new(env, vec![Box::new(puppets)], control);
        simulation.openings.pours.push(Pour::new("puppets", above(), vec![0], pace).unwrap());
        let low = Aabb { min: DVec3::new(0.3, -1.0, 0.0), max: DVec3::new(0.4, 0.0, 0.4) };
        let outlet = Outlet::new(Region::Box(low)).of("puppets").returning(returns);
        simulation.openings.outlets.push(outlet);
        simulation
    }

    fn positions(simulation: &Simulation) -> Vec<DVec3> {
        let column = simulation.methods[0].field("position");
        field::positions(column.as_slice()).unwrap().to_vec()
    }

    #[test]
    fn grains_are_poured_at_a_rate_and_let_out() {
        let mut simulation = poured(Pace::Rate(8.0), None);
        let pour = &mut simulation.openings.pours[0];
        (pour.start, pour.stop, pour.velocity) = (0.25, 2.5, DVec3::NEG_Y);
        simulation.advance_to(0.25, &mut []).unwrap();
        assert_eq!(simulation.openings.poured("puppets"), Some(0));
        // At 0.25 s, and then every eighth of a second; a grain moves in the step that it comes in.
        let step = 1.0 / 512.0;
        simulation.advance_to(0.5 + step, &mut []).unwrap();
        let x = positions(&simulation);
        assert_eq!((simulation.openings.poured("puppets"), x.len()), (Some(3), 3));
        let start = x[2] + (1.0 + 10.0 * step) * step * DVec3::Y;
        assert!(above().contains(start) && (start.x - x[0].x).abs() > 0.0, "{start}");
        simulation.advance_to(4.0, &mut []).unwrap();
        let (poured, drained) =
            (simulation.openings.poured("puppets"), simulation.openings.drained("puppets"));
        assert_eq!((poured, drained), (Some(18), Some(18 - simulation.particle_count() as u64)));
        assert!(drained > Some(0) && drained < Some(18), "{drained:?}");
        assert_eq!(
            simulation.openings.poured("snow").or(simulation.openings.drained("snow")),
            None
        );
    }

    #[test]
    fn the_next_grain_waits_until_all_are_slow() {
        let mut simulation = poured(Pace::Slower(0.1), None);
        // A grain needs 0.63 to 0.69 s to fall.
        simulation.advance_to(0.6, &mut []).unwrap();
        assert_eq!(simulation.particle_count(), 1);
        simulation.advance_to(6.5, &mut []).unwrap();
        let poured = simulation.openings.poured("puppets");
        assert!((10..=11).contains(&poured.unwrap()), "{poured:?}");
        simulation.openings.pours[0].max_grains = 12;
        simulation.advance_to(10.0, &mut []).unwrap();
        assert_eq!(simulation.openings.poured("puppets"), Some(12));
    }

    #[test]
    fn grains_wait_for_room_and_come_back_with_the_same_bits() {
        let fill = |until: f64| {
            let mut simulation = poured(Pace::Rate(1000.0), Some(above()));
            simulation.openings.pours[0].max_grains = 30;
            simulation.advance_to(until, &mut []).unwrap();
            simulation
        };
        // Puppets fall through each other; those that float show where there was room.
        let mut floating = poured(Pace::Rate(1e4), None);
        floating.env.gravity = DVec3::ZERO;
        floating.advance_to(0.25, &mut []).unwrap();
        let x = positions(&floating);
        let apart = |i: usize| (0..i).all(|j| x[i].distance(x[j]) > 0.1 - 1e-3);
        assert!((30..150).contains(&x.len()) && (0..x.len()).all(apart), "{x:?}");
        let mut straight = fill(0.25);
        let mut bytes = Vec::new();
        let mut other = fill(2.0);
        assert_eq!(other.particle_count(), 30);
        assert!(other.openings.drained("puppets") > Some(4));
        straight.save(&mut bytes).unwrap();
        other.load(&mut &bytes[..]).unwrap();
        other.advance_to(2.0, &mut []).unwrap();
        straight.advance_to(2.0, &mut []).unwrap();
        assert_eq!(straight.state_hash(), other.state_hash());
        assert_eq!(straight.state_hash(), fill(2.0).state_hash());
    }

    #[test]
    fn what_cannot_be_poured_is_refused() {
        let made = |region, shapes, pace| Pour::new("puppets", region, shapes, pace).unwrap_err();
        let message = made(above(), vec![0], Pace::Rate(0.0)).to_string();
        assert!(message.contains("rate = 0 is not allowed"), "{message}");
        let message = made(above(), vec![0], Pace::Slower(f64::NAN)).to_string();
        assert!(message.contains("slower_than = NaN is not allowed"), "{message}");
        assert_eq!(made(Aabb::EMPTY, vec![0], Pace::Rate(1.0)), EmitterError::Region);
        assert_eq!(made(above(), Vec::new(), Pace::Rate(1.0)), EmitterError::NoShapes);
        let mut simulation = poured(Pace::Rate(1.0), None);
        simulation.openings.pours =
            vec![Pour::new("puppets", above(), vec![1], Pace::Rate(1.0)).unwrap()];
        let error = simulation.advance_to(1.0, &mut []).unwrap_err().to_string();
        assert!(error.contains("a new grain has shape 1, which does not exist"), "{error}");
    }
}
