//! The environment of the particles: space, gravity and bodies.

use crate::body::Body;
use crate::space::Space;
use glam::DVec3;

/// Space, gravity and the rigid bodies: what all methods of a simulation share.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Dimension, domain, periodic axes.
    pub space: Space,
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// Every rigid thing: walls, obstacles, moving parts.
    pub bodies: Vec<Body>,
}

impl Environment {
    /// Space with gravity and without bodies.
    pub fn new(space: Space, gravity: DVec3) -> Self {
        Self { space, gravity, bodies: Vec::new() }
    }

    /// Moves the scripted bodies to where they are at `time` [s].
    pub fn set_time(&mut self, time: f64) {
        for body in &mut self.bodies {
            body.set_time(time);
        }
    }

    /// Forgets the forces on the bodies, before the methods add up those of the next step.
    pub fn clear_forces(&mut self) {
        for body in &mut self.bodies {
            body.clear_forces();
        }
    }
}
