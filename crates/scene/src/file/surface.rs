//! The surface that liquid or snow is drawn and saved with.

use super::words::SurfaceFormat;
use lawine_settings::Settings;

/// The surface of liquid or snow in 3D, reconstructed if this table is present; in 2D the filled area, drawn unless
/// `draw` is off. Lengths are in distances between particles.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Surface {
    /// Its matter: `liquid` or `snow`.
    #[setting(without = "the first of the two in the scene")]
    pub of: Option<String>,
    /// Whether pictures show the surface, in 2D the filled area, instead of particles.
    #[setting(default = true)]
    pub draw: bool,
    /// Format for saving the surface of each frame, in 3D.
    #[setting(without = "not saved")]
    pub save: Option<SurfaceFormat>,
    /// Edge of the marching-cubes cells [1], in spacings, in 3D.
    #[setting(default = 0.5, at_least = 0.1, at_most = 2)]
    pub cell: f64,
    /// Support radius of a particle [1], in spacings, in 3D.
    #[setting(default = 2.0, at_least = 1, at_most = 6)]
    pub support: f64,
    /// Fraction of the rest density at which the surface lies, in 3D [1].
    #[setting(default = 0.6, above = 0, below = 1)]
    pub threshold: f64,
    /// Number of smoothing iterations, in 3D [1].
    #[setting(default = 15, at_most = 1000)]
    pub smoothing: u32,
}
