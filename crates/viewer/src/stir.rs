//! Stirring: a body follows the mouse as if pulled by a short string.

use glam::DVec3;
use lawine_core::body::Motion;
use lawine_core::simulation::Simulation;

/// Time in which a body would reach the mouse [s]; it gives the string some slack.
const SLACK: f64 = 0.05;
/// Largest part of a spacing that a wall may move in a step: walls that jump let liquid through.
const LARGEST_MOVE: f64 = 0.2;

/// A body on a string.
pub(crate) struct Stir {
    body: usize,
    /// Where the string pulls to [m], counted from where the body was.
    target: DVec3,
    /// How far the body has come [m].
    offset: DVec3,
    /// The motion that carries it: velocity [m/s] and beginning [s].
    motion: Option<(DVec3, f64)>,
}

impl Stir {
    /// Takes hold of a body, by index.
    pub(crate) fn new(body: usize) -> Self {
        Self { body, target: DVec3::ZERO, offset: DVec3::ZERO, motion: None }
    }

    /// Pulls towards an offset from where the body was [m].
    pub(crate) fn pull(&mut self, target: DVec3) {
        self.target = target;
    }

    /// Sets the velocity of the body that brings it towards the target. `dt` is the last step [s].
    pub(crate) fn steer(&mut self, simulation: &mut Simulation, dt: f64) {
        let radii = simulation.methods.iter().map(|method| method.particle_radius());
        let spacing = 2.0 * radii.fold(f64::INFINITY, f64::min);
        self.settle(simulation);
        let now = simulation.time();
        let body = simulation.env.bodies.get_mut(self.body);
        let Some(body) = body.filter(|body| !body.is_free()) else { return };
        let fastest = if dt > 0.0 { LARGEST_MOVE * spacing / dt } else { 0.0 };
        let velocity = ((self.target - self.offset) / SLACK).clamp_length_max(fastest);
        body.add_motion(Motion::Velocity { velocity, start: now, stop: f64::INFINITY });
        self.motion = Some((velocity, now));
        body.set_time(now);
    }

    /// Turns the motion so far into a place.
    fn settle(&mut self, simulation: &mut Simulation) {
        let now = simulation.time();
        let Some(body) = simulation.env.bodies.get_mut(self.body) else { return };
        if let Some((velocity, start)) = self.motion.take() {
            let moved = velocity * (now - start);
            body.drop_motion();
            body.rest.position += moved;
            self.offset += moved;
            body.set_time(now);
        }
    }

    /// Releases the body: its index and displacement [m].
    pub(crate) fn end(mut self, simulation: &mut Simulation) -> (usize, DVec3) {
        self.settle(simulation);
        (self.body, self.offset)
    }
}
