//! Contacts and pouring: materials that exist, keys that need or exclude each other.

use super::check::check_assortment;
use super::contact;
use super::settings::Pour;
use crate::file::Checker;
use lawine_solvers::dem::settings::ContactSettings;

/// Checks the table `grains.contact` and everything that needs it.
pub(super) fn check(c: &mut Checker<'_>) {
    let scene = c.scene;
    if let Some(contact) = contact(scene) {
        static_friction(c, "grains.contact", contact.static_friction, contact.friction);
        for (i, pair) in contact.pair.iter().enumerate() {
            let sliding = pair.friction.unwrap_or(contact.friction);
            static_friction(c, &format!("grains.contact.pair.{i}"), pair.static_friction, sliding);
        }
    } else if scene.matters().count() == 1 {
        for (i, body) in scene.body.iter().enumerate() {
            if let Some(friction) = body.friction {
                let allowed = "only with [grains.contact]; otherwise grains pass through bodies";
                c.refuse(&format!("body.{i}.friction"), friction, allowed);
            }
        }
    }
    for (i, pour) in scene.pour.iter().enumerate() {
        check_pour(c, &format!("pour.{i}"), pour);
    }
    materials(c);
}

/// Static friction is not below that of sliding.
fn static_friction(c: &mut Checker<'_>, key: &str, at_rest: Option<f64>, sliding: f64) {
    if let Some(at_rest) = at_rest {
        let allowed = format!("friction = {sliding} or more");
        c.require(at_rest >= sliding, &format!("{key}.static_friction"), at_rest, &allowed);
    }
}

fn check_pour(c: &mut Checker<'_>, key: &str, pour: &Pour) {
    check_assortment(c, key, &pour.grains);
    let region = c.extent(&format!("{key}.region"), pour.region.min, pour.region.max);
    let domain = c.domain();
    if domain.is_some_and(|domain| !domain.contains(region)) {
        let place = format!("{key}.region");
        c.report(&place, format!("{place} extends beyond space.domain; allowed: inside it"));
    }
    match (pour.rate, pour.slower_than) {
        (None, None) => {
            let rate = format!("{key}.rate");
            c.report(&rate, format!("{rate} is missing; allowed: it, or {key}.slower_than"));
        }
        (Some(_), Some(speed)) => {
            c.refuse(&format!("{key}.slower_than"), speed, "only without a rate");
        }
        _ => {}
    }
    c.vector(&format!("{key}.velocity"), pour.velocity);
    c.span(key, pour.start, pour.stop);
}

/// Every material must occur in a pair; otherwise its name would mean nothing.
fn materials(c: &mut Checker<'_>) {
    let scene = c.scene;
    let known: Vec<&str> =
        contact(scene).into_iter().flat_map(ContactSettings::materials).collect();
    let grains = (0..).zip(&scene.grain).map(|(i, g)| ("grain", i, &g.material));
    let blocks = (0..).zip(&scene.block).map(|(i, b)| ("block", i, &b.grains.material));
    let pours = (0..).zip(&scene.pour).map(|(i, p)| ("pour", i, &p.grains.material));
    let bodies = (0..).zip(&scene.body).map(|(i, b)| ("body", i, &b.material));
    for (list, i, material) in grains.chain(blocks).chain(pours).chain(bodies) {
        let i: usize = i;
        let Some(name) = material else { continue };
        let what = "the name of a material in [[grains.contact.pair]]";
        c.known(&format!("{list}.{i}.material"), name, &known, what);
    }
}
