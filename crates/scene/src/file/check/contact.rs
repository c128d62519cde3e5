//! Contacts and pouring: coefficients in their ranges, materials that exist.

use super::super::contact::{Bridges, Contact, Pour};
use super::super::suggest::closest;
use super::checker::Checker;
use super::grains::{check_shape, check_sizes};

/// Checks the table `contact` and everything that needs it.
pub(super) fn check(c: &mut Checker<'_>) {
    let scene = c.scene;
    if let Some(contact) = &scene.contact {
        check_contact(c, contact);
    } else {
        for (i, body) in scene.body.iter().enumerate() {
            if let Some(friction) = body.friction {
                let allowed = "nothing without [contact]: grains pass through bodies";
                c.refuse(&format!("body.{i}.friction"), friction, allowed);
            }
        }
    }
    for (i, pour) in scene.pour.iter().enumerate() {
        check_pour(c, &format!("pour.{i}"), pour);
    }
    materials(c);
}

fn check_contact(c: &mut Checker<'_>, contact: &Contact) {
    let friction = Some(contact.friction);
    c.positive("contact.stiffness", contact.stiffness, "Pa");
    coefficients(
        c,
        "contact",
        [Some(contact.restitution), friction, contact.static_friction],
        [Some(contact.tangential_ratio), Some(contact.rolling_friction)],
        contact.friction,
    );
    if let Some(Bridges { surface_tension, contact_angle, volume }) = contact.bridges {
        let key = "contact.bridges";
        let fine = surface_tension >= 0.0;
        c.require(fine, &format!("{key}.surface_tension"), surface_tension, "0 N/m or more");
        let fine = (0.0..90.0).contains(&contact_angle);
        c.require(fine, &format!("{key}.contact_angle"), contact_angle, "0 to below 90 degrees");
        c.positive(&format!("{key}.volume"), volume, "m³");
    }
    for (i, pair) in contact.pair.iter().enumerate() {
        let key = format!("contact.pair.{i}");
        for (name, end) in [(&pair.first, "first"), (&pair.second, "second")] {
            let allowed = "a name that is not empty";
            c.require(!name.trim().is_empty(), &format!("{key}.{end}"), "\"\"", allowed);
        }
        if let Some(stiffness) = pair.stiffness {
            c.positive(&format!("{key}.stiffness"), stiffness, "Pa");
        }
        coefficients(
            c,
            &key,
            [pair.restitution, pair.friction, pair.static_friction],
            [pair.tangential_ratio, pair.rolling_friction],
            pair.friction.unwrap_or(contact.friction),
        );
    }
}

/// The numbers without a unit; `sliding` is the friction that static friction must not be below.
fn coefficients(
    c: &mut Checker<'_>,
    key: &str,
    [restitution, friction, at_rest]: [Option<f64>; 3],
    [ratio, rolling]: [Option<f64>; 2],
    sliding: f64,
) {
    let least = format!("friction = {sliding} or more");
    let share = |x: f64| x > 0.0 && x <= 1.0;
    let zero = |x: f64| x >= 0.0;
    let up_to_one = "above 0 and at most 1";
    for (name, value, fine, allowed) in [
        ("restitution", restitution, restitution.is_none_or(share), up_to_one),
        ("friction", friction, friction.is_none_or(zero), "0 or more"),
        ("static_friction", at_rest, at_rest.is_none_or(|x| x >= sliding), &least),
        ("tangential_ratio", ratio, ratio.is_none_or(share), up_to_one),
        ("rolling_friction", rolling, rolling.is_none_or(zero), "0 or more"),
    ] {
        c.require(fine, &format!("{key}.{name}"), value.unwrap_or_default(), allowed);
    }
}

fn check_pour(c: &mut Checker<'_>, key: &str, pour: &Pour) {
    check_shape(c, &format!("{key}.shape"), &pour.shape);
    let region = c.extent(&format!("{key}.region"), pour.region.min, pour.region.max);
    let domain = c.domain();
    if domain.is_some_and(|domain| !domain.contains(region)) {
        let place = format!("{key}.region");
        c.report(&place, format!("{place} reaches out of space.domain; allowed: inside it"));
    }
    match (pour.rate, pour.slower_than) {
        (Some(rate), None) => c.positive(&format!("{key}.rate"), rate, "1/s"),
        (None, Some(speed)) => c.positive(&format!("{key}.slower_than"), speed, "m/s"),
        (None, None) => {
            let rate = format!("{key}.rate");
            c.report(&rate, format!("{rate} is missing; allowed: it, or {key}.slower_than"));
        }
        (Some(_), Some(speed)) => {
            c.refuse(&format!("{key}.slower_than"), speed, "nothing beside a rate");
        }
    }
    if let Some(sizes) = &pour.sizes {
        check_sizes(c, &format!("{key}.sizes.{}", sizes.word()), sizes);
    }
    let variety = pour.variety;
    c.require((1..=10_000).contains(&variety), &format!("{key}.variety"), variety, "1 to 10000");
    c.vector(&format!("{key}.velocity"), pour.velocity);
    if let Some(density) = pour.density {
        c.positive(&format!("{key}.density"), density, "kg/m³");
    }
    c.require(pour.start >= 0.0, &format!("{key}.start"), pour.start, "0 s or more");
    if let Some(stop) = pour.stop {
        let allowed = format!("above start = {} s", pour.start);
        c.require(stop > pour.start, &format!("{key}.stop"), stop, &allowed);
    }
}

/// Every material must occur in a pair; otherwise its name would mean nothing.
fn materials(c: &mut Checker<'_>) {
    let scene = c.scene;
    let known: Vec<&str> = scene.contact.iter().flat_map(Contact::materials).collect();
    let grains = (0..).zip(&scene.grain).map(|(i, g)| ("grain", i, &g.material));
    let blocks = (0..).zip(&scene.block).map(|(i, b)| ("block", i, &b.material));
    let pours = (0..).zip(&scene.pour).map(|(i, p)| ("pour", i, &p.material));
    let bodies = (0..).zip(&scene.body).map(|(i, b)| ("body", i, &b.material));
    for (list, i, material) in grains.chain(blocks).chain(pours).chain(bodies) {
        let i: usize = i;
        let Some(name) = material else { continue };
        if !known.contains(&name.as_str()) {
            let mut allowed = "the name of a material in [[contact.pair]]".to_owned();
            if let Some(name) = closest(name, known.iter().copied()) {
                allowed += &format!(" (did you mean {name:?}?)");
            }
            c.refuse(&format!("{list}.{i}.material"), format!("{name:?}"), allowed);
        }
    }
}
