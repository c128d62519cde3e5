//! Poses, and the frames of two bodies relative to each other.

use glam::{DMat3, DQuat, DVec3};
use lawine_core::geometry::Polyhedron;

/// Where a body is: x = position + rotation x̄.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The body's origin in space [m].
    pub position: DVec3,
    /// Turns body vectors into space.
    pub rotation: DMat3,
}

impl Pose {
    /// The pose of a body with an orientation as a unit quaternion.
    #[must_use]
    pub fn new(position: DVec3, q: DQuat) -> Self {
        Self { position, rotation: DMat3::from_quat(q) }
    }
}

/// A rigid motion x → r x + t.
pub(super) struct Frame {
    pub(super) r: DMat3,
    pub(super) t: DVec3,
}

impl Frame {
    #[inline]
    pub(super) fn point(&self, x: DVec3) -> DVec3 {
        self.r * x + self.t
    }

    #[inline]
    pub(super) fn vector(&self, x: DVec3) -> DVec3 {
        self.r * x
    }
}

/// From A's frame into B's, and from B's into A's.
pub(super) fn between(a: &Pose, b: &Pose) -> [Frame; 2] {
    let into_a = a.rotation.transpose();
    let r = into_a * b.rotation;
    let t = into_a * (b.position - a.position);
    let back = r.transpose();
    [Frame { r: back, t: -(back * t) }, Frame { r, t }]
}

/// Two bodies, each with the way into the other's frame.
pub(super) struct Pair<'a> {
    pub(super) p: &'a Polyhedron,
    pub(super) q: &'a Polyhedron,
    pub(super) to_q: &'a Frame,
    pub(super) to_p: &'a Frame,
}

impl Pair<'_> {
    /// The same with the roles exchanged.
    #[inline]
    pub(super) fn swapped(&self) -> Pair<'_> {
        Pair { p: self.q, q: self.p, to_q: self.to_p, to_p: self.to_q }
    }
}
