//! Emitters and outlets: times in order, directions that are not zero.

use super::super::opening::{Disc, Mouth, Rectangle};
use super::checker::Checker;
use super::shape;

/// Checks all emitters and outlets.
pub(super) fn check(c: &mut Checker<'_>) {
    let scene = c.scene;
    for (i, emitter) in scene.emitter.iter().enumerate() {
        let key = format!("emitter.{i}");
        c.matter(&format!("{key}.of"), emitter.of.as_deref(), |kind| kind.is_continuous());
        c.span(&key, emitter.start, emitter.stop);
        let key = format!("{key}.shape.{}", emitter.shape.word());
        match &emitter.shape {
            Mouth::Rectangle(mouth) => rectangle(c, &key, mouth),
            Mouth::Disc(Disc { center, direction, .. }) => {
                c.vector(&format!("{key}.center"), *center);
                c.direction(&format!("{key}.direction"), *direction);
            }
        }
    }
    for (i, outlet) in scene.outlet.iter().enumerate() {
        if let Some(back) = outlet.returns {
            let key = format!("outlet.{i}.returns");
            c.extent(&key, back.min, back.max);
        }
        if let Some(of) = &outlet.of {
            let returns = outlet.returns.is_some();
            c.matter(&format!("outlet.{i}.of"), Some(of), |kind| {
                !(returns && kind.is_continuous())
            });
        }
        let key = format!("outlet.{i}.shape.{}", outlet.shape.word());
        let path = format!("outlet.{i}.shape");
        if let Some(bounds) = shape::check(c, &path, &outlet.shape.into(), &outlet.placement) {
            c.meets_domain(&key, bounds);
        }
    }
}

/// Checks a rectangle across a direction; `key` is its path.
pub(super) fn rectangle(c: &mut Checker<'_>, key: &str, rectangle: &Rectangle) {
    let Rectangle { center, direction, height, up, .. } = rectangle;
    c.vector(&format!("{key}.center"), *center);
    c.direction(&format!("{key}.direction"), *direction);
    let height_key = format!("{key}.height");
    match *height {
        Some(_) if c.is_planar() => {
            let message = format!("{height_key} is not allowed in a plane (space.dimension = 2)");
            c.report(&height_key, message);
        }
        None if !c.is_planar() => {
            c.report(&height_key, format!("{height_key} is missing: length along up, in m"));
        }
        _ => {}
    }
    if let Some(up) = *up {
        let key = format!("{key}.up");
        if c.is_planar() {
            c.report(&key, format!("{key} is not allowed in a plane (space.dimension = 2)"));
            return;
        }
        c.direction(&key, up);
        let across = up.get().cross(direction.get()).length();
        let least = 1e-6 * up.get().length() * direction.get().length();
        c.require(across > least, &key, up, "a vector that is not along direction");
    }
}
