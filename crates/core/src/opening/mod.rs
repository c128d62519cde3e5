//! Where matter comes in and goes out, between two steps: emitters and outlets.
//!
//! The loop calls [`Openings::act`] after every step. What an opening remembers, the layers and
//! particles counted so far, is saved with the clock.
//!
//! An emitter's layers leave at fixed times, start + k·d/u, and a layer that left within a step is put where it would be by
//! now. What lies in the mouth and three spacings before it keeps the emitter's speed, as in a pipe with a pump behind it: a
//! pressure system knows that it cannot move these particles, and free ones do not see layers appear. Places that are taken
//! stay empty.

mod emitter;

pub use emitter::{Emitter, EmitterError, Mouth};

use crate::body::{Capsule, Frustum, Pose};
use crate::columns;
use crate::environment::Environment;
use crate::field;
use crate::geometry::Aabb;
use crate::method::{DtLimit, EditError, Method};
use glam::DVec3;
use std::io::{self, Read, Write};

/// The openings of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    /// Where particles come in.
    pub emitters: Vec<Emitter>,
    /// Where particles go out.
    pub outlets: Vec<Outlet>,
    /// No emitter adds a particle to matter that has this many.
    pub max_particles: Option<u64>,
}

/// A volume that removes the particles inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlet {
    /// The matter that it lets out; all if it says nothing.
    pub matter: Option<&'static str>,
    region: Region,
    removed: u64,
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
        Self { matter: None, region, removed: 0 }
    }

    /// The same for one matter alone.
    #[must_use]
    pub fn of(self, matter: &'static str) -> Self {
        Self { matter: Some(matter), ..self }
    }

    /// Its shape.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Particles removed so far.
    pub fn removed(&self) -> u64 {
        self.removed
    }
}

impl Openings {
    /// Removes what is in an outlet, adds the layers that are due at `time` [s], and keeps what is in a mouth
    /// at its speed. Gives the number of particles removed.
    pub fn act(
        &mut self,
        env: &Environment,
        methods: &mut [Box<dyn Method>],
        time: f64,
    ) -> Result<usize, EditError> {
        let mut removed = 0;
        for outlet in &mut self.outlets {
            let Outlet { region, matter, .. } = *outlet;
            let is_of = |m: &&mut Box<dyn Method>| matter.is_none_or(|own| own == m.matter());
            for method in methods.iter_mut().filter(is_of) {
                let gone = method.remove(&|x| region.contains(x));
                outlet.removed += gone as u64;
                removed += gone;
            }
        }
        for emitter in self.emitters.iter_mut().filter(|emitter| emitter.is_due(time)) {
            emitter.prepare(time);
            for method in methods.iter() {
                let column = method.field("position");
                emitter.block(env, field::positions(column.as_slice()).unwrap_or_default());
            }
            if let Some(method) = methods.iter_mut().find(|m| emitter.is_of(m.matter())) {
                let present = method.particle_count() as u64;
                let room = self.max_particles.map_or(u64::MAX, |max| max.saturating_sub(present));
                method.insert(emitter.release(room))?;
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
    pub(crate) fn is_active(&self, time: f64) -> bool {
        self.emitters.iter().any(|emitter| emitter.is_active(time))
    }

    fn is_empty(&self) -> bool {
        self.emitters.is_empty() && self.outlets.is_empty()
    }

    /// Writes what the openings remember; nothing if there are none.
    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let emitters = self.emitters.iter().flat_map(Emitter::counts);
        let counts: Vec<u64> = emitters.chain(self.outlets.iter().map(|o| o.removed)).collect();
        columns::write(out, "openings", &counts)
    }

    /// Takes over what [`Self::save`] wrote.
    pub(crate) fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let counts = columns::read::<u64>(from, "openings")?;
        let (emitters, outlets) = counts.split_at(counts.len().min(3 * self.emitters.len()));
        let (emitters, rest) = emitters.as_chunks();
        let fits = emitters.len() == self.emitters.len() && rest.is_empty();
        if !fits || outlets.len() != self.outlets.len() {
            let what = "the checkpoint has another number of emitters and outlets";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        self.emitters.iter_mut().zip(emitters).for_each(|(e, counts)| e.set_counts(*counts));
        self.outlets.iter_mut().zip(outlets).for_each(|(o, &removed)| o.removed = removed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let region = Region::Sphere { center: DVec3::ZERO, radius: 1.0 };
        let openings = Openings {
            emitters: vec![emitter],
            outlets: vec![Outlet { matter: None, region, removed: 7 }],
            max_particles: None,
        };
        let mut bytes = Vec::new();
        openings.save(&mut bytes).unwrap();
        let mut same = openings.clone();
        same.emitters[0].set_counts([0; 3]);
        same.outlets[0].removed = 0;
        same.load(&mut &bytes[..]).unwrap();
        assert_eq!(same.emitters[0].counts(), [5, 60, 2]);
        assert_eq!(same.outlets[0].removed(), 7);
        let mut fewer = Openings { outlets: Vec::new(), ..openings.clone() };
        assert!(fewer.load(&mut &bytes[..]).is_err());
        let mut other = Openings { emitters: Vec::new(), ..openings };
        assert!(other.load(&mut &bytes[..]).is_err());
    }
}
