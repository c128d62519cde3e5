//! Shapes: corners in order, hulls with an inside.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use lawine_core::geometry::Aabb;

use super::super::placement::{AxisAngle, Placement};
use super::super::schema::SceneFile;
use super::super::shape::{Cone, Container, Cylinder, Polyhedron, Shape};
use super::super::vector::Vector;
use super::super::words::{Axis, Side};
use super::checker::{Bounds, Checker, SHORTEST};
use super::numbers::farthest;

/// Checks a shape; returns its bounding box where it is, if that is known without reading files. `key` is the
/// path of the shape, without the word that says which it is.
pub(crate) fn check(
    c: &mut Checker<'_>,
    key: &str,
    shape: &Shape,
    placement: &Placement,
) -> Option<Bounds> {
    let owner = key.strip_suffix(".shape").unwrap_or(key);
    c.vector(&format!("{owner}.position"), placement.position);
    if let Some(rotation) = placement.rotation {
        turn(c, &format!("{owner}.rotation"), rotation);
    }
    let key = format!("{key}.{}", shape.word());
    match shape {
        Shape::Box(extent) => {
            c.extent(&key, extent.min, extent.max);
        }
        Shape::Sphere(sphere) => {
            c.vector(&format!("{key}.center"), sphere.center);
        }
        Shape::Cylinder(Cylinder { start, end, .. }) | Shape::Cone(Cone { start, end, .. }) => {
            if c.is_planar() {
                let message = format!(
                    "{key} is not allowed in a plane (space.dimension = 2); use a sphere for a disc, \
                     and a box or a polyhedron for a cut along its axis"
                );
                c.report(&key, message);
                return None;
            }
            axis(c, &key, *start, *end);
        }
        Shape::Capsule(capsule) => axis(c, &key, capsule.start, capsule.end),
        Shape::Polyhedron(hull) => {
            if !polyhedron(c, &key, hull) {
                return None;
            }
        }
        Shape::Mesh(mesh) => {
            if c.is_planar() {
                let message = format!(
                    "{key} is not allowed in a plane (space.dimension = 2); use a polyhedron"
                );
                c.report(&key, message);
            }
            c.vector(&format!("{key}.position"), mesh.position);
        }
        Shape::Container(container) => walls(c, &key, container),
        Shape::Plane(plane) => {
            c.vector(&format!("{key}.point"), plane.point);
            c.direction(&format!("{key}.normal"), plane.normal);
        }
    }
    let bounds = bounds(shape, placement, c.scene)?;
    let (reach, most) = (bounds.min.abs().max(bounds.max.abs()).max_element(), farthest(c.scene));
    if reach.is_nan() || reach > most {
        let message = format!(
            "{key} reaches {reach:e} m from the origin, with {owner}.scale = {} and {owner}.position = \
             {}; allowed: at most {most:e} m",
            placement.scale, placement.position
        );
        c.report(&key, message);
        return None;
    }
    Some(bounds)
}

/// Checks a rotation; `key` is its path.
pub(crate) fn turn(c: &mut Checker<'_>, key: &str, turn: AxisAngle) {
    let key = format!("{key}.axis");
    match turn.axis {
        None if c.is_planar() => {}
        None => c.report(&key, format!("{key} is missing: direction of the axis, 3 numbers")),
        Some(axis) if c.is_planar() => {
            let direction = axis.get();
            let is_z = direction.truncate().length() <= 0.0 && direction.z.abs() > 0.0;
            c.require(is_z, &key, axis, "[0, 0, 1] or [0, 0, -1] in a plane (space.dimension = 2)");
        }
        Some(axis) => c.direction(&key, axis),
    }
}

/// The ends of an axis, which must differ; `key` is the path of the shape.
fn axis(c: &mut Checker<'_>, key: &str, start: Vector, end: Vector) {
    c.vector(&format!("{key}.start"), start);
    c.vector(&format!("{key}.end"), end);
    let length = start.get().distance(end.get());
    let allowed = format!("a point at least {SHORTEST:e} m away from start = {start}");
    c.require(length >= SHORTEST, &format!("{key}.end"), end, &allowed);
}

/// A box around a shape where it is; a plane ends where the domain does, and meshes are not known yet.
pub(crate) fn bounds(shape: &Shape, placement: &Placement, scene: &SceneFile) -> Option<Bounds> {
    let planar = scene.space.dimension == 2;
    let around = |points: &[DVec3], reach: DVec3| {
        let points = || points.iter().map(|&x| placement.place(x));
        let (min, max) = (points().reduce(DVec3::min)?, points().reduce(DVec3::max)?);
        let reach = placement.scale * reach;
        Some(Bounds { min: min - reach, max: max + reach })
    };
    let ball = |radius: f64| DVec3::new(radius, radius, if planar { 0.0 } else { radius });
    let cuboid = |min: Vector, max: Vector| {
        around(&Aabb { min: min.get(), max: max.get() }.corners(), DVec3::ZERO)
    };
    match shape {
        Shape::Box(extent) => cuboid(extent.min, extent.max),
        Shape::Container(container) => cuboid(container.min, container.max),
        Shape::Sphere(sphere) => around(&[sphere.center.get()], ball(sphere.radius)),
        Shape::Capsule(capsule) => {
            around(&[capsule.start.get(), capsule.end.get()], ball(capsule.radius))
        }
        Shape::Cylinder(c) => discs(c.start, c.end, [c.radius; 2], placement),
        Shape::Cone(c) => discs(c.start, c.end, [c.radius, c.end_radius], placement),
        Shape::Polyhedron(hull) => {
            let points: Vec<DVec3> = hull.vertices.iter().map(|vertex| vertex.get()).collect();
            around(&points, DVec3::ZERO)
        }
        Shape::Mesh(_) => None,
        Shape::Plane(_) => scene.space.domain.map(|domain| Bounds::new(domain.min, domain.max)),
    }
}

/// A box around two discs across the axis between their centres.
fn discs(start: Vector, end: Vector, radii: [f64; 2], placement: &Placement) -> Option<Bounds> {
    let ends = [start, end].map(|x| placement.place(x.get()));
    let axis = (ends[1] - ends[0]).try_normalize()?;
    let disc = placement.scale * (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
    let (a, b) = (radii[0] * disc, radii[1] * disc);
    Some(Bounds { min: (ends[0] - a).min(ends[1] - b), max: (ends[0] + a).max(ends[1] + b) })
}

/// The surface of a shape [m²], or its circumference in a plane [m]; of most shapes that of the box around
/// it. None where it is not known.
pub(crate) fn surface(shape: &Shape, placement: &Placement, scene: &SceneFile) -> Option<f64> {
    let planar = scene.space.dimension == 2;
    let scale = placement.scale;
    let round = |start: Vector, end: Vector| start.get().distance(end.get());
    Some(match shape {
        Shape::Cylinder(c) => scale * scale * TAU * c.radius * (c.radius + round(c.start, c.end)),
        Shape::Cone(c) => {
            let (a, b) = (c.radius, c.end_radius);
            let slant = round(c.start, c.end).hypot(a - b);
            scale * scale * PI * (a * a + b * b + (a + b) * slant)
        }
        Shape::Capsule(c) if planar => scale * (TAU * c.radius + 2.0 * round(c.start, c.end)),
        Shape::Capsule(c) => {
            scale * scale * TAU * c.radius * (2.0 * c.radius + round(c.start, c.end))
        }
        // A rotation changes the box, but not the surface.
        _ => bounds(shape, &placement.scale_only(), scene)?.surface(planar),
    })
}

/// A container: corners in order, sides that exist, at least one wall.
fn walls(c: &mut Checker<'_>, key: &str, container: &Container) {
    c.extent(key, container.min, container.max);
    let open = &container.open;
    for (i, side) in open.iter().enumerate() {
        if c.is_planar() && side.axis() == Axis::Z {
            let allowed = "\"-x\", \"+x\", \"-y\", \"+y\" in a plane (space.dimension = 2)";
            c.refuse(&format!("{key}.open.{i}"), format!("\"{side}\""), allowed);
        }
    }
    let sides = [Side::NegX, Side::PosX, Side::NegY, Side::PosY, Side::NegZ, Side::PosZ];
    let sides = if c.is_planar() { &sides[..4] } else { &sides[..] };
    if sides.iter().all(|side| open.contains(side)) {
        let key = format!("{key}.open");
        c.report(&key, format!("{key} lists every side; allowed: at least one wall must remain"));
    }
}

/// A convex hull: whether it has enough points, and not all on a line or plane.
pub(crate) fn polyhedron(c: &mut Checker<'_>, key: &str, hull: &Polyhedron) -> bool {
    let key = format!("{key}.vertices");
    for (i, &vertex) in hull.vertices.iter().enumerate() {
        c.vector(&format!("{key}.{i}"), vertex);
    }
    let points: Vec<DVec3> = hull.vertices.iter().map(|vertex| vertex.get()).collect();
    let (least, flat) =
        if c.is_planar() { (3, "all on one line") } else { (4, "all on one plane") };
    if points.len() < least {
        let message = format!("{key} has {} points; allowed: {least} or more", points.len());
        c.report(&key, message);
        return false;
    }
    if rank(&points) < c.dimension() {
        c.report(&key, format!("{key} are {flat}; allowed: points that enclose a volume"));
        return false;
    }
    true
}

/// The dimension of the space that points span: 0 (one place) to 3, up to rounding.
fn rank(points: &[DVec3]) -> i32 {
    const SMALL: f64 = 1e-9;
    let Some(&origin) = points.first() else { return 0 };
    let farthest = |measure: &dyn Fn(DVec3) -> DVec3| {
        points
            .iter()
            .map(|&point| measure(point - origin))
            .max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
            .unwrap_or(DVec3::ZERO)
    };
    // Gram and Schmidt: the farthest point gives the first direction, the farthest from the line
    // the second, the farthest from the plane the third.
    let a = farthest(&|d| d);
    let size = a.length();
    if size.is_nan() || size <= 0.0 {
        return 0;
    }
    let u = a / size;
    let b = farthest(&|d| d - u * d.dot(u));
    if b.length() <= SMALL * size {
        return 1;
    }
    let v = b.normalize_or_zero();
    let w = farthest(&|d| d - u * d.dot(u) - v * d.dot(v));
    if w.length() <= SMALL * size { 2 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_counts_directions() {
        let point = DVec3::new(1.0, 2.0, 3.0);
        assert_eq!(rank(&[]), 0);
        assert_eq!(rank(&[point, point]), 0);
        assert_eq!(rank(&[point, point * 2.0, point * 7.0]), 1);
        assert_eq!(rank(&[point, DVec3::X, DVec3::Y, DVec3::X]), 2);
        assert_eq!(rank(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]), 3);
    }
}
