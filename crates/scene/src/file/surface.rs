//! The surface that liquid or snow is drawn and saved with.

use serde::{Deserialize, Serialize};

use super::words::SurfaceFormat;

/// The surface of liquid or snow, in space. Lengths are in distances between particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Surface {
    /// Whether pictures show the surface instead of particles.
    pub draw: bool,
    /// The format in which each frame's surface is saved; none if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub save: Option<SurfaceFormat>,
    /// Edge of the cells in which triangles are made [1].
    pub cell: f64,
    /// How far a particle reaches [1].
    pub support: f64,
    /// Share of the density of rest at which the surface lies [1].
    pub threshold: f64,
    /// Rounds of smoothing [1].
    pub smoothing: u32,
}

impl Default for Surface {
    fn default() -> Self {
        Self { draw: true, save: None, cell: 0.5, support: 2.0, threshold: 0.6, smoothing: 15 }
    }
}
