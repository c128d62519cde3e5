//! Motions: directions that are not zero, times in order.

use super::super::body::{Motion, Rotation};
use super::checker::Checker;

/// Checks a motion; `key` is the path of the entry of `motion`.
pub(super) fn check(c: &mut Checker<'_>, key: &str, motion: &Motion) {
    let key = format!("{key}.{}", motion.word());
    if let Some(stop) = motion.stop() {
        let allowed = format!("above start = {} s", motion.start());
        c.require(stop > motion.start(), &format!("{key}.stop"), stop, &allowed);
    }
    match motion {
        Motion::Velocity(velocity) => c.vector(&format!("{key}.velocity"), velocity.velocity),
        Motion::Rotation(rotation) => check_rotation(c, &key, rotation),
        Motion::Vibration(vibration) => {
            c.direction(&format!("{key}.direction"), vibration.direction);
        }
    }
}

fn check_rotation(c: &mut Checker<'_>, key: &str, rotation: &Rotation) {
    c.vector(&format!("{key}.point"), rotation.point);
    let key = format!("{key}.axis");
    match rotation.axis {
        None if c.is_planar() => {}
        None => c.report(&key, format!("{key} is missing: direction of the axis, 3 numbers")),
        Some(axis) if c.is_planar() => {
            let direction = axis.get();
            let is_z = direction.truncate().length() <= 0.0 && direction.z.abs() > 0.0;
            c.require(is_z, &key, axis, "[0, 0, 1] or [0, 0, -1] in a plane (space.dimension = 2)");
        }
        Some(axis) => c.direction(&key, axis),
    }
}
