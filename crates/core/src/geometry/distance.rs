//! Signed distance and outward normal.

use glam::DVec3;

/// Signed distance of a point to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Distance to the surface [m], negative inside the solid.
    pub distance: f64,
    /// Unit vector out of the solid into the free space, the gradient of `distance`.
    pub normal: DVec3,
}

impl Distance {
    /// The same surface with solid and free space exchanged.
    #[must_use]
    pub fn inverted(self) -> Self {
        Self { distance: -self.distance, normal: -self.normal }
    }
}
