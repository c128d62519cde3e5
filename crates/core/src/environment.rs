//! The environment of the particles: space, gravity and bodies.

use crate::body::{Body, FREE_NUMBERS};
use crate::columns;
use crate::immersed::Immersed;
use crate::space::Space;
use glam::DVec3;
use std::io::{self, Read, Write};

/// Space, gravity and the rigid bodies: what all methods of a simulation share.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Dimension, domain, periodic axes.
    pub space: Space,
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// Every rigid thing: walls, obstacles, moving parts.
    pub bodies: Vec<Body>,
    /// What each method offers to a liquid for this step, in the order of the methods; no entries where there is
    /// only one.
    pub immersed: Vec<Immersed>,
}

impl Environment {
    /// Space with gravity and without bodies.
    pub fn new(space: Space, gravity: DVec3) -> Self {
        Self { space, gravity, bodies: Vec::new(), immersed: Vec::new() }
    }

    /// Whether several methods share each step, so that it may be longer than what one of them can take at once.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        !self.immersed.is_empty()
    }

    /// Moves the scripted bodies to where they are at `time` [s].
    pub fn set_time(&mut self, time: f64) {
        for body in &mut self.bodies {
            body.set_time(time);
        }
    }

    /// Moves the free bodies by a step `dt` [s] long, with gravity and the forces that the methods added up.
    pub fn advance(&mut self, dt: f64) {
        for body in &mut self.bodies {
            body.advance(self.gravity, dt, &self.space);
        }
    }

    /// The name of a free body whose place or motion is not finite.
    pub(crate) fn lost_body(&self) -> Option<&str> {
        let lost = |body: &&Body| {
            let numbers = body.free_state();
            numbers.is_some_and(|numbers| !numbers.iter().all(|number| number.is_finite()))
        };
        self.bodies.iter().find(lost).map(|body| body.name.as_str())
    }

    /// Writes the state of the free bodies; nothing where there are none.
    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let numbers: Vec<f64> = self.bodies.iter().filter_map(Body::free_state).flatten().collect();
        if numbers.is_empty() { Ok(()) } else { columns::write(out, "free_bodies", &numbers) }
    }

    /// Takes over what [`Self::save`] wrote at the time `t` [s].
    pub(crate) fn load(&mut self, from: &mut dyn Read, t: f64) -> io::Result<()> {
        let bad = |what| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        let free = self.bodies.iter_mut().filter(|body| body.is_free());
        let free: Vec<&mut Body> = free.collect();
        if free.is_empty() {
            return Ok(());
        }
        let numbers = columns::read::<f64>(from, "free_bodies")?;
        if numbers.len() != free.len() * FREE_NUMBERS {
            return bad("the checkpoint has another number of free bodies");
        }
        let states = numbers.chunks_exact(FREE_NUMBERS);
        if !free.into_iter().zip(states).all(|(body, state)| body.set_free_state(state, t)) {
            return bad("a free body has a state that cannot be");
        }
        Ok(())
    }

    /// Forgets the forces on the bodies, before the methods add up those of the next step.
    pub fn clear_forces(&mut self) {
        for body in &mut self.bodies {
            body.clear_forces();
        }
    }
}
