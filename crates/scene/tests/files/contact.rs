//! What is refused about contacts, pouring and outlets of grains, in which words.

use super::{FULL, FULL_GRAINS, load_text, message};

/// Asserts that the scene with grains, with one key set, is refused in these words.
#[track_caller]
fn refused(set: &str, expected: &str) {
    let message = message(FULL_GRAINS, &[set]);
    assert!(message.contains(expected), "expected: {expected}\nmessage:  {message}");
}

#[test]
fn coefficients_out_of_range_are_named_with_key_value_and_range() {
    refused(
        "grains.contact.friction=-0.1",
        "grains.contact.friction = -0.1 is not allowed; allowed: 0 or more",
    );
    let fraction = "allowed: above 0 and at most 1";
    refused(
        "grains.contact.restitution=0",
        &format!("grains.contact.restitution = 0 is not allowed; {fraction}"),
    );
    refused(
        "grains.contact.restitution=1.1",
        &format!("grains.contact.restitution = 1.1 is not allowed; {fraction}"),
    );
    refused("grains.contact.static_friction=0.2", "allowed: friction = 0.3 or more");
    refused(
        "grains.contact.stiffness=0",
        "grains.contact.stiffness = 0 is not allowed; allowed: above 0 Pa",
    );
    refused("grains.contact.bridges.volume=0", "allowed: above 0 m³");
    refused("grains.contact.bridges.contact_angle=95", "allowed: 0 to below 90 degrees");
    refused("grains.contact.pair.0.restitution=2", fraction);
    refused("grains.contact.law=\"v4\"", "allowed: \"v3/2\", \"v2\", \"matuttis\"");
    refused("block.0.material=\"glas\"", "(did you mean \"glass\"?)");
    refused(
        "body.0.material=\"wood\"",
        "allowed: the name of a material in [[grains.contact.pair]]",
    );
    refused("body.0.until=0.2", "body.0.until = 0.2 is not allowed");
}

#[test]
fn pouring_needs_one_pace_and_a_place_in_the_domain() {
    refused("pour.0.slower_than=0.1", "allowed: only without a rate");
    refused("pour.0.rate=0", "pour.0.rate = 0 is not allowed; allowed: above 0 1/s");
    refused("pour.0.region.max=[1, 5, 1]", "pour.0.region extends beyond space.domain");
    refused("pour.0.stop=0.1", "allowed: above start = 0.6 s");
    refused("pour.1.start=0", "pour.1.start = 0 is not allowed; allowed: at least start = 0.5 s");
    refused("outlet.0.returns.max=[-2, 5, 1]", "outlet.0.returns.max");
    let none = FULL_GRAINS.replace("slower_than = 0.01\n", "");
    let message = message(&none, &[]);
    assert!(message.contains("pour.1.rate is missing; allowed: it, or pour.1.slower_than"));
}

#[test]
fn what_belongs_to_grains_is_refused_elsewhere() {
    for (more, expected) in [
        ("[grains.contact]\nfriction = 1", "a scene with [grains] needs at least one [[grain]]"),
        (
            "[[body]]\nname = 'gate'\nshape.sphere = { center = [0, 0, 0], radius = 1 }\nmaterial = 'a'",
            "body.10.material is not allowed here; it requires a scene with [grains]",
        ),
    ] {
        let message = message(&format!("{FULL}\n{more}"), &[]);
        assert!(message.contains(expected), "expected: {expected}\nmessage:  {message}");
    }
    assert!(load_text(FULL_GRAINS, &[]).is_ok());
}
