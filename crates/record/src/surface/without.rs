//! Stub for programs without surface reconstruction.

use super::MatterSurface;
use glam::DVec3;
use lawine_scene::file::Surface;

pub(super) fn around(
    _x: &[DVec3],
    _v: &[DVec3],
    _values: &[f64],
    _settings: &Surface,
    _spacing: f64,
) -> Result<MatterSurface, String> {
    Err("this program was built without the feature `surfaces`".to_owned())
}
