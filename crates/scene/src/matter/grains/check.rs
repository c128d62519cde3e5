//! Grains: what belongs to them, names that differ, places inside the domain.

use super::check_contacts;
use super::settings::{Assortment, Block, Grain, GrainShape, Sizes};
use crate::file::{Bounds, Checker, check_polyhedron, check_turn_axis};
use lawine_solvers::dem::settings::{Grains, IntegratorKind};

/// Checks all grains and all blocks.
pub(super) fn check(c: &mut Checker<'_>) {
    if c.is_planar() {
        let allowed = "3 with [grains]: polyhedra need three dimensions";
        c.refuse("space.dimension", 2, allowed);
        return;
    }
    let scene = c.scene;
    if scene.grain.is_empty() && scene.block.is_empty() && scene.pour.is_empty() {
        let message = "grain is missing: a scene with [grains] needs at least one [[grain]], \
                       [[block]] or [[pour]]";
        c.report("grain", message.into());
    }
    let gear = scene.table::<Grains>().is_some_and(|g| g.integrator == IntegratorKind::Gear);
    if gear && scene.body.iter().any(|body| body.free) {
        let allowed = "\"symplectic\" in a scene with free bodies";
        c.refuse("grains.integrator", "\"gear\"", allowed);
    }
    names(c);
    for (i, grain) in scene.grain.iter().enumerate() {
        check_grain(c, &format!("grain.{i}"), grain);
    }
    for (i, block) in scene.block.iter().enumerate() {
        check_block(c, &format!("block.{i}"), block);
    }
    check_contacts::check(c);
}

/// Names of grains that have one are different.
fn names(c: &mut Checker<'_>) {
    let named: Vec<(usize, &str)> = (0..)
        .zip(&c.scene.grain)
        .filter_map(|(i, grain)| Some((i, grain.name.as_deref()?)))
        .collect();
    for (k, &(i, name)) in named.iter().enumerate() {
        if let Some((j, _)) = named[..k].iter().find(|(_, other)| *other == name) {
            let allowed = format!("a unique name (grain.{j} has this one)");
            c.refuse(&format!("grain.{i}.name"), format!("{name:?}"), allowed);
        }
    }
}

fn check_grain(c: &mut Checker<'_>, key: &str, grain: &Grain) {
    check_shape(c, &format!("{key}.shape"), &grain.shape);
    c.place(&format!("{key}.position"), grain.position);
    c.vector(&format!("{key}.velocity"), grain.velocity);
    c.vector(&format!("{key}.angular_velocity"), grain.angular_velocity);
    if let Some(turn) = grain.orientation {
        check_turn_axis(c, &format!("{key}.orientation"), turn.axis);
    }
}

fn check_block(c: &mut Checker<'_>, key: &str, block: &Block) {
    check_assortment(c, key, &block.grains);
    c.vector(&format!("{key}.origin"), block.origin);
    c.vector(&format!("{key}.size"), block.size);
    let domain = c.domain();
    let origin = block.origin.get();
    let own = Bounds { min: origin, max: origin + block.size.get() };
    if domain.is_some_and(|domain| !domain.contains(own)) {
        c.refuse(&format!("{key}.size"), block.size, "a block inside space.domain");
    }
    c.vector(&format!("{key}.velocity"), block.velocity);
}

/// Checks shape and sizes of the grains of a block or a pour.
pub(super) fn check_assortment(c: &mut Checker<'_>, key: &str, grains: &Assortment) {
    check_shape(c, &format!("{key}.shape"), &grains.shape);
    if let Some(sizes) = &grains.sizes {
        check_sizes(c, &format!("{key}.sizes"), sizes);
    }
}

/// Checks a shape; `key` is its path, without the word of its kind.
fn check_shape(c: &mut Checker<'_>, key: &str, described: &GrainShape) {
    let key = format!("{key}.{}", described.word());
    match described {
        GrainShape::Ellipsoid(e) => c.vector(&format!("{key}.half_axes"), e.half_axes),
        GrainShape::Box(cuboid) => c.vector(&format!("{key}.size"), cuboid.size),
        GrainShape::Polyhedron(hull) => {
            check_polyhedron(c, &key, hull);
        }
        GrainShape::Platonic(_) | GrainShape::Prism(_) | GrainShape::Mesh(_) => {}
    }
}

/// Checks a distribution of sizes; `key` is its path.
fn check_sizes(c: &mut Checker<'_>, key: &str, sizes: &Sizes) {
    if let Sizes::Uniform(uniform) = sizes {
        let key = format!("{key}.uniform");
        let allowed = format!("above {key}.min = {}", uniform.min);
        c.require(uniform.max > uniform.min, &format!("{key}.max"), uniform.max, &allowed);
    }
}
