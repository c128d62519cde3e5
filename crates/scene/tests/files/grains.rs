//! What is refused about grains, in which words.

use super::{FULL, FULL_GRAINS, load_text, message};

/// Asserts that the scene with grains, with one key set, is refused in these words.
#[track_caller]
fn refused(set: &str, expected: &str) {
    let message = message(FULL_GRAINS, &[set]);
    assert!(message.contains(expected), "expected: {expected}\nmessage:  {message}");
}

#[test]
fn values_out_of_range_are_named_with_key_value_and_range() {
    refused(
        "block.0.sizes={two-components={first=1,second=2,share=0.5}}",
        "sizes.two-components.share is now block.0.sizes.two-components.fraction",
    );
    refused("grains.density=0", "grains.density = 0 is not allowed; allowed: above 0 kg/m³");
    refused("grains.gear_values=9", "grains.gear_values = 9 is not allowed; allowed: 4 to 8");
    refused("grains.boxes=\"box\"", "allowed: \"min-max\", \"ellipsoid\", \"auto\"");
    refused(
        "block.0.shape.ellipsoid.half_axes=[0.03, 0, 0.01]",
        "block.0.shape.ellipsoid.half_axes = [0.03, 0, 0.01] is not allowed; allowed: every \
         number above 0 m",
    );
    refused(
        "block.0.shape.ellipsoid.vertices=3",
        "block.0.shape.ellipsoid.vertices = 3 is not allowed; allowed: 4 to 10000",
    );
    refused("block.0.shape.ellipsoid.axis_variation=1", "allowed: 0 to below 1");
    refused("block.0.spacing=0", "block.0.spacing = 0 is not allowed; allowed: above 0 m");
    refused("block.0.sizes.log-normal.sigma=-1", "allowed: 0 to below 3");
    refused("block.0.size=[9, 1, 1]", "allowed: a block inside space.domain");
    refused("block.0.count=0", "block.0.count = 0 is not allowed; allowed: 1 or more");
    refused("grain.0.position=[0, 9, 0]", "allowed: a point inside space.domain");
    refused("grain.0.shape.box.size=[1, -1, 1]", "allowed: every number above 0 m");
    refused("grain.3.shape.prism.sides=2", "grain.3.shape.prism.sides = 2 is not allowed");
    refused(
        "grain.4.shape.polyhedron.vertices=[[0,0,0],[1,0,0],[0,1,0]]",
        "has 3 points; allowed: 4",
    );
    refused(
        "grain.4.shape.polyhedron.vertices=[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]",
        "are all on one plane",
    );
    refused("grain.1.name=\"top\"", "allowed: a unique name (grain.0 has this one)");
    refused("probe.0.grain.name=\"tip\"", "did you mean \"top\"?");
    refused("view.axes.max=[2, -3, 2]", "view.axes.max = [2.0, -3.0, 2.0] is not allowed");
    refused("view.range=[0, 1]", "allowed: numbers above 0 with view.scale = \"log10\"");
    refused("start=2", "end = 1 is not allowed; allowed: above start = 2 s");
}

#[test]
fn matter_needs_what_belongs_to_it() {
    let grains = |text: &str, expected: &str| {
        let message = message(text, &[]);
        assert!(message.contains(expected), "expected: {expected}\nmessage:  {message}");
    };
    let liquid = format!("{FULL_GRAINS}\n[liquid]\nspacing = 0.1");
    grains(&liquid, "a scene with [liquid] needs at least one [[fill]] of it, or an [[emitter]]");
    let emitter = "[[emitter]]\nshape.disc = { center = [0, 0, 0], direction = [1, 0, 0], \
                   radius = 1 }\nspeed = 1";
    grains(&format!("{FULL_GRAINS}\n{emitter}"), "it requires a scene with [liquid] or [snow]");
    let block = "[[block]]\nshape.box = { size = [1, 1, 1] }\norigin = [0, 0, 0]\n\
                 size = [1, 1, 1]\nspacing = 1";
    grains(&format!("{FULL}\n{block}"), "block is not allowed here");
    let alone = "title = 'x'\nend = 1\n[space]\ndimension = 3\ngravity = [0, 0, 0]\n[grains]\n";
    grains(alone, "needs at least one [[grain]], [[block]] or [[pour]]");
    let flat = alone.replace("3\ngravity = [0, 0, 0]", "2\ngravity = [0, 0]") + block;
    grains(&flat, "space.dimension = 2 is not allowed; allowed: 3 with [grains]");
    assert!(load_text(&format!("{alone}{block}"), &[]).is_ok());
}
