//! Grains: lengths above zero, enough corners, variations in their ranges.

use super::super::grains::{Block, Ellipsoid, Grain, GrainShape, Grains, Sizes};
use super::super::schema::{Boundary, Pressure};
use super::super::vector::Vector;
use super::checker::{Bounds, Checker};
use super::{contact, shape};

/// The most corners of a grain.
const MAX_CORNERS: u32 = 10_000;

/// Checks the table `grains`, all grains and all blocks.
pub(super) fn check(c: &mut Checker<'_>, grains: &Grains) {
    if c.is_planar() {
        let allowed = "3 with [grains]: polyhedra need all dimensions";
        c.refuse("space.dimension", 2, allowed);
        return;
    }
    c.positive("grains.density", grains.density, "kg/m³");
    let values = grains.gear_values;
    c.require((4..=8).contains(&values), "grains.gear_values", values, "4 to 8");
    if let Some(skin) = grains.skin {
        c.positive("grains.skin", skin, "m");
    }
    liquid_only(c);
    let scene = c.scene;
    if scene.grain.is_empty() && scene.block.is_empty() && scene.pour.is_empty() {
        let message = "grain is missing: a scene with [grains] needs at least one [[grain]], \
                       [[block]] or [[pour]]";
        c.report("grain", message.into());
    }
    names(c);
    for (i, grain) in scene.grain.iter().enumerate() {
        check_grain(c, &format!("grain.{i}"), grain);
    }
    for (i, block) in scene.block.iter().enumerate() {
        check_block(c, &format!("block.{i}"), block);
    }
    contact::check(c);
}

/// Refuses what only a liquid has.
fn liquid_only(c: &mut Checker<'_>) {
    let scene = c.scene;
    let given = [
        ("pressure", scene.pressure != Pressure::default()),
        ("boundary", scene.boundary != Boundary::default()),
        ("emitter", !scene.emitter.is_empty()),
    ];
    for (key, given) in given {
        if given {
            c.report(key, format!("{key} is not allowed here; it belongs to scenes with [liquid]"));
        }
    }
}

/// Names of grains that have one are different, and fit for tables.
fn names(c: &mut Checker<'_>) {
    let named: Vec<(usize, &str)> = (0..)
        .zip(&c.scene.grain)
        .filter_map(|(i, grain)| Some((i, grain.name.as_deref()?)))
        .collect();
    for (k, &(i, name)) in named.iter().enumerate() {
        let key = format!("grain.{i}.name");
        if name.trim().is_empty() {
            c.refuse(&key, format!("{name:?}"), "a text that is not empty");
        } else if let Some((j, _)) = named[..k].iter().find(|(_, other)| *other == name) {
            let allowed = format!("a name of its own (grain.{j} has this one)");
            c.refuse(&key, format!("{name:?}"), allowed);
        }
    }
}

fn check_grain(c: &mut Checker<'_>, key: &str, grain: &Grain) {
    check_shape(c, &format!("{key}.shape"), &grain.shape);
    let place = format!("{key}.position");
    c.place(&place, grain.position);
    c.vector(&format!("{key}.velocity"), grain.velocity);
    c.vector(&format!("{key}.angular_velocity"), grain.angular_velocity);
    if let Some(turn) = grain.orientation {
        c.direction(&format!("{key}.orientation.axis"), turn.axis);
    }
    density(c, key, grain.density);
}

fn check_block(c: &mut Checker<'_>, key: &str, block: &Block) {
    check_shape(c, &format!("{key}.shape"), &block.shape);
    c.vector(&format!("{key}.origin"), block.origin);
    lengths(c, &format!("{key}.size"), block.size, "edge length");
    c.positive(&format!("{key}.spacing"), block.spacing, "m");
    let domain = c.domain();
    let origin = block.origin.get();
    let own = Bounds { min: origin, max: origin + block.size.get() };
    if domain.is_some_and(|domain| !domain.contains(own)) {
        let size = format!("{key}.size");
        c.refuse(&size, block.size, "a block inside space.domain");
    }
    if let Some(sizes) = &block.sizes {
        check_sizes(c, &format!("{key}.sizes.{}", sizes.word()), sizes);
    }
    let variety = block.variety;
    c.require((1..=10_000).contains(&variety), &format!("{key}.variety"), variety, "1 to 10000");
    if let Some(count) = block.count {
        c.require(count > 0, &format!("{key}.count"), count, "1 or more");
    }
    c.vector(&format!("{key}.velocity"), block.velocity);
    c.require(block.speed >= 0.0, &format!("{key}.speed"), block.speed, "0 m/s or more");
    c.require(block.spin >= 0.0, &format!("{key}.spin"), block.spin, "0 rad/s or more");
    density(c, key, block.density);
}

fn density(c: &mut Checker<'_>, key: &str, density: Option<f64>) {
    if let Some(density) = density {
        c.positive(&format!("{key}.density"), density, "kg/m³");
    }
}

/// Refuses a vector unless all its numbers are above zero.
fn lengths(c: &mut Checker<'_>, key: &str, lengths: Vector, what: &str) {
    c.vector(key, lengths);
    let allowed = format!("every {what} above 0 m");
    c.require(lengths.get().min_element() > 0.0, key, lengths, &allowed);
}

/// Checks a shape; `key` is its path, without the word that says which it is.
pub(super) fn check_shape(c: &mut Checker<'_>, key: &str, described: &GrainShape) {
    let key = format!("{key}.{}", described.word());
    match described {
        GrainShape::Ellipsoid(ellipsoid) => check_ellipsoid(c, &key, ellipsoid),
        GrainShape::Platonic(platonic) => {
            c.positive(&format!("{key}.radius"), platonic.radius, "m")
        }
        GrainShape::Box(cuboid) => {
            lengths(c, &format!("{key}.size"), cuboid.size, "edge length");
        }
        GrainShape::Prism(prism) => {
            let sides = prism.sides;
            let allowed = format!("3 to {}", MAX_CORNERS / 2);
            let fine = (3..=MAX_CORNERS / 2).contains(&sides);
            c.require(fine, &format!("{key}.sides"), sides, &allowed);
            c.positive(&format!("{key}.radius"), prism.radius, "m");
            c.positive(&format!("{key}.height"), prism.height, "m");
        }
        GrainShape::Polyhedron(hull) => {
            shape::polyhedron(c, &key, hull);
        }
        GrainShape::Mesh(mesh) => {
            let allowed = "the path of an OBJ, STL or PLY file";
            c.require(!mesh.file.trim().is_empty(), &format!("{key}.file"), "\"\"", allowed);
            c.positive(&format!("{key}.scale"), mesh.scale, "(a factor)");
            let parts = mesh.max_parts;
            c.require((1..=1024).contains(&parts), &format!("{key}.max_parts"), parts, "1 to 1024");
        }
    }
}

fn check_ellipsoid(c: &mut Checker<'_>, key: &str, ellipsoid: &Ellipsoid) {
    lengths(c, &format!("{key}.half_axes"), ellipsoid.half_axes, "half axis");
    let corners = ellipsoid.vertices;
    let allowed = format!("4 to {MAX_CORNERS}");
    let fine = (4..=MAX_CORNERS).contains(&corners);
    c.require(fine, &format!("{key}.vertices"), corners, &allowed);
    let (axes, vertices) = (ellipsoid.axis_variation, ellipsoid.vertex_variation);
    let fine = (0.0..1.0).contains(&axes);
    c.require(fine, &format!("{key}.axis_variation"), axes, "0 to below 1");
    let fine = (0.0..0.5).contains(&vertices);
    c.require(fine, &format!("{key}.vertex_variation"), vertices, "0 to below 0.5");
}

pub(super) fn check_sizes(c: &mut Checker<'_>, key: &str, sizes: &Sizes) {
    let factor = "(a factor)";
    match sizes {
        Sizes::Fixed(fixed) => c.positive(&format!("{key}.size"), fixed.size, factor),
        Sizes::Uniform(uniform) => {
            c.positive(&format!("{key}.min"), uniform.min, factor);
            let allowed = format!("above {key}.min = {}", uniform.min);
            c.require(uniform.max > uniform.min, &format!("{key}.max"), uniform.max, &allowed);
        }
        Sizes::LogNormal(normal) => {
            c.positive(&format!("{key}.median"), normal.median, factor);
            let sigma = normal.sigma;
            let fine = (0.0..3.0).contains(&sigma);
            c.require(fine, &format!("{key}.sigma"), sigma, "0 to below 3");
        }
        Sizes::TwoComponents(two) => {
            c.positive(&format!("{key}.first"), two.first, factor);
            c.positive(&format!("{key}.second"), two.second, factor);
            let share = two.share;
            c.require((0.0..=1.0).contains(&share), &format!("{key}.share"), share, "0 to 1");
        }
    }
}
