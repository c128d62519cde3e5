//! How far places may be: what the resolution of positions allows.

use super::super::reference::{MAGNITUDES, scene_table};
use super::super::schema::SceneFile;
use super::checker::Checker;
use lawine_settings::{Value, join};

/// The farthest place, in spacings of the finest particles: positions are rounded to 2⁻²⁴ supports, and a
/// period of the domain must fit into the 51 bits that this rounding has.
const FARTHEST: f64 = 5e7;

/// The largest coordinate that a scene may have [m].
pub fn farthest(scene: &SceneFile) -> f64 {
    let spacing = scene.finest_spacing();
    let most = MAGNITUDES.iter().find(|range| range.unit == "m").map_or(f64::MAX, |m| m.most);
    if spacing > 0.0 { most.min(FARTHEST * spacing) } else { most }
}

/// Refuses every length that is too large for the distance of particles, wherever it is.
pub(super) fn check(c: &mut Checker<'_>) {
    let file = c.scene.to_value();
    for leaf in scene_table().leaves(&file) {
        if leaf.setting.unit == "m" {
            check_reach(c, &leaf.key, leaf.value);
        }
    }
}

fn check_reach(c: &mut Checker<'_>, key: &str, value: &Value) {
    if let Value::List(list) = value {
        for (i, value) in list.iter().enumerate() {
            check_reach(c, &join(key, &i.to_string()), value);
        }
    }
    let most = farthest(c.scene);
    if let Some(length) = value.number().filter(|length| length.abs() > most) {
        let allowed = format!(
            "at most {most:e} m with either sign, {FARTHEST:e} times the particle spacing, {} m",
            c.scene.finest_spacing()
        );
        c.refuse(key, format!("{length:e}"), allowed);
    }
}
