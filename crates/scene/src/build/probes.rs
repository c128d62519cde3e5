//! Probes where nothing can ever be measured.

use super::fill::nearest;
use crate::file::{Extent, ProbeKind, SceneFile};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;

/// Matter flows and falls further than a scene is large, but hardly this many times.
const FAR: f64 = 10.0;

/// Warnings of probes in places that matter cannot reach: deeper in a body at rest than a kernel
/// reaches, or far from everything. `bounds` is a box around matter and bodies at the start.
pub(super) fn warnings(scene: &SceneFile, env: &Environment, bounds: Aabb) -> Vec<String> {
    let mut warnings = Vec::new();
    for probe in &scene.probe {
        let Some(x) = closest(&probe.kind, env, bounds) else { continue };
        let own =
            scene.matters().filter(|kind| probe.of.as_deref().is_none_or(|of| of == kind.key()));
        let reach = own.map(|kind| kind.smoothing(scene)).fold(0.0, f64::max);
        let gap = (bounds.min - x).max(x - bounds.max).max(DVec3::ZERO);
        let away = DVec3::select(bounds.min.cmple(bounds.max), gap, DVec3::ZERO).length();
        let lies = match nearest(env, x) {
            (distance, Some(body)) if distance < -reach && !body.is_moving() => {
                let side = if body.holds_matter() { "outside" } else { "inside" };
                format!("{side} the body \"{}\", {:.3} m behind its surface", body.name, -distance)
            }
            _ if away > FAR * (bounds.max - bounds.min).length() => {
                format!("{away:.3} m away from everything in the scene")
            }
            _ => continue,
        };
        warnings.push(format!("the probe \"{}\" lies {lies}, where nothing comes", probe.name));
    }
    warnings
}

/// The point of a probe that is closest to what there is; none for probes without a place.
fn closest(kind: &ProbeKind, env: &Environment, bounds: Aabb) -> Option<DVec3> {
    let middle = 0.5 * (bounds.min + bounds.max);
    let nearest = |extent: &Extent| middle.clamp(extent.min.get(), extent.max.get());
    match kind {
        ProbeKind::Min(f) | ProbeKind::Mean(f) | ProbeKind::Max(f) | ProbeKind::Deviation(f) => {
            f.within.as_ref().map(nearest)
        }
        ProbeKind::Count(extent) | ProbeKind::Packing(extent) => Some(nearest(extent)),
        ProbeKind::Pressure(point) => Some(point.at.get()),
        ProbeKind::Flow(rectangle) => Some(rectangle.center.get()),
        // A column: at the height where liquid would lie, which has no bodies below it.
        ProbeKind::Height(point) => {
            let axis = env.gravity.abs().max_position();
            let mut x = point.at.get();
            x[axis] = if env.gravity[axis] < 0.0 { bounds.max[axis] } else { bounds.min[axis] };
            Some(x)
        }
        ProbeKind::Force(_) | ProbeKind::Grain(_) | ProbeKind::Slope(_) => None,
    }
}
