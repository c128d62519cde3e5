//! Motions: directions that are not zero, times in order.

use super::super::body::{Motion, Rotation};
use super::checker::Checker;
use super::shape::turn_axis;

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
    turn_axis(c, key, rotation.axis);
}
