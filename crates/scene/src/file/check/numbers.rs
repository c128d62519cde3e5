//! The range of every number: finite, and of a magnitude that its unit allows.

use toml_edit::{Item, Value};

use super::super::error::SceneError;
use super::super::reference::{Entry, Fields, Kind, MAGNITUDES, Magnitudes, join, scene_fields};
use super::super::schema::SceneFile;
use super::super::write::document;
use super::checker::Checker;

/// The farthest place, in spacings of particles: positions are rounded to 2⁻²⁴ supports, and a
/// period of the domain must fit into the 51 bits that this rounding has.
const FARTHEST: f64 = 5e7;

/// The largest coordinate that a scene may have [m].
pub fn farthest(scene: &SceneFile) -> f64 {
    let spacing = scene.spacing();
    let most = MAGNITUDES.iter().find(|range| range.unit == "m").map_or(f64::MAX, |m| m.most);
    if spacing > 0.0 { most.min(FARTHEST * spacing) } else { most }
}

/// Refuses every number that is not finite, too large or too small, wherever it is.
pub(super) fn check(c: &mut Checker<'_>) -> Result<(), SceneError> {
    let document = document(c.scene)?;
    table(c, "", document.as_item(), scene_fields());
    c.stop_if_bad()
}

/// Checks the numbers of a table and of those in it.
fn table(c: &mut Checker<'_>, path: &str, item: &Item, fields: &Fields) {
    for entry in fields.iter() {
        let Some(item) = item.get(entry.name) else { continue };
        let key = join(path, entry.name);
        match entry.kind {
            Kind::Table(inner) => table(c, &key, item, inner),
            Kind::Tables(inner) => {
                for (i, item) in elements(item) {
                    table(c, &join(&key, &i), item, inner);
                }
            }
            _ => value(c, &key, item, entry),
        }
    }
}

/// Checks a number, or those of a list.
fn value(c: &mut Checker<'_>, key: &str, item: &Item, entry: &Entry) {
    let single = matches!(entry.kind, Kind::Number);
    let number = match item {
        Item::Value(Value::Float(number)) => *number.value(),
        Item::Value(Value::Integer(number)) if single => *number.value() as f64,
        _ => return elements(item).for_each(|(i, item)| value(c, &join(key, &i), item, entry)),
    };
    if !number.is_finite() {
        c.refuse(key, number, "a finite number");
    } else if let Some(range) = entry.magnitudes() {
        magnitude(c, key, number, range, single);
    }
}

/// The elements of a list with their numbers.
fn elements(list: &Item) -> impl Iterator<Item = (String, &Item)> {
    (0..).map_while(move |i| list.get(i).map(|item| (i.to_string(), item)))
}

/// Checks the magnitude of a number. Those of vectors may be as small as rounding makes them.
fn magnitude(c: &mut Checker<'_>, key: &str, number: f64, range: &Magnitudes, single: bool) {
    let Magnitudes { unit, least, most } = *range;
    let size = number.abs();
    if size > most || single && size > 0.0 && size < least {
        let allowed = if single {
            format!("zero, or {least:e} to {most:e} {unit} with either sign")
        } else {
            format!("at most {most:e} {unit} with either sign")
        };
        c.refuse(key, format!("{number:e}"), allowed.replace("  ", " "));
    } else if unit == "m" && size > farthest(c.scene) {
        let allowed = format!(
            "at most {:e} m with either sign, {FARTHEST:e} times the distance of particles, {} m",
            farthest(c.scene),
            c.scene.spacing()
        );
        c.refuse(key, format!("{number:e}"), allowed);
    }
}
