//! Particles of other matter in a liquid: how methods meet whose matter is not made of rigid bodies.
//!
//! Before a step every method that can be immersed offers its particles ([`crate::method::Method::immerse`]). The liquid,
//! which steps before the others, adds its forces to them, and what it pushes takes these forces along in its own step,
//! held over its sub-steps: the momentum that one loses is what the other gets.

use glam::DVec3;

/// How a liquid meets the particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meeting {
    /// They are parts of a continuum, such as snow, which keeps the liquid out: it presses on their surface.
    #[default]
    Surface,
    /// They are smaller than the liquid's spacing: it flows between them, and they drag it along.
    Drag,
}

/// Particles of one method in the order of its columns, offered to a liquid for one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Immersed {
    /// How a liquid meets them.
    pub meeting: Meeting,
    /// Positions [m].
    pub x: Vec<DVec3>,
    /// Velocities [m/s].
    pub v: Vec<DVec3>,
    /// Masses [kg], in the plane per metre of depth.
    pub mass: Vec<f64>,
    /// Volumes [m³], in the plane areas [m²].
    pub volume: Vec<f64>,
    /// Mean forces of everything else but gravity in the last step [N], for who has to foresee this one.
    pub contact: Vec<DVec3>,
    /// Mean forces of the liquid over the step [N].
    pub force: Vec<DVec3>,
}

impl Immersed {
    /// Forgets all particles, keeping memory.
    pub fn clear(&mut self) {
        self.x.clear();
        self.v.clear();
        self.mass.clear();
        self.volume.clear();
        self.contact.clear();
        self.force.clear();
    }

    /// Adds a particle, on which no force acts yet.
    pub fn push(&mut self, x: DVec3, v: DVec3, mass: f64, volume: f64) {
        self.x.push(x);
        self.v.push(v);
        self.mass.push(mass);
        self.volume.push(volume);
        self.contact.push(DVec3::ZERO);
        self.force.push(DVec3::ZERO);
    }

    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether nothing is immersed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}
