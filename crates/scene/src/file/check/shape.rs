//! Shapes: corners in order, hulls with an inside.

use glam::DVec3;

use super::super::schema::SceneFile;
use super::super::shape::{Container, Polyhedron, Shape};
use super::super::words::{Axis, Side};
use super::checker::{Bounds, Checker};

/// Checks a shape; gives its bounding box where that is known without reading files. `key` is the
/// path of the shape, without the word that says which it is.
pub(super) fn check(c: &mut Checker<'_>, key: &str, shape: &Shape) -> Option<Bounds> {
    let key = format!("{key}.{}", shape.word());
    match shape {
        Shape::Box(extent) => {
            c.extent(&key, extent.min, extent.max);
        }
        Shape::Sphere(sphere) => {
            c.vector(&format!("{key}.center"), sphere.center);
        }
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
    bounds(shape, c.scene)
}

/// A box around a shape; a plane ends where the domain does, and meshes are not known yet.
pub(super) fn bounds(shape: &Shape, scene: &SceneFile) -> Option<Bounds> {
    match shape {
        Shape::Box(extent) => Some(Bounds::new(extent.min, extent.max)),
        Shape::Sphere(sphere) => {
            let mut half = DVec3::splat(sphere.radius);
            if scene.space.dimension == 2 {
                half.z = 0.0;
            }
            let center = sphere.center.get();
            Some(Bounds { min: center - half, max: center + half })
        }
        Shape::Polyhedron(hull) => {
            let points = || hull.vertices.iter().map(|vertex| vertex.get());
            let (min, max) = (points().reduce(DVec3::min)?, points().reduce(DVec3::max)?);
            Some(Bounds { min, max })
        }
        Shape::Mesh(_) => None,
        Shape::Container(container) => Some(Bounds::new(container.min, container.max)),
        Shape::Plane(_) => scene.space.domain.map(|domain| Bounds::new(domain.min, domain.max)),
    }
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
        c.report(&key, format!("{key} names every side; allowed: at least one wall must stay"));
    }
}

/// A convex hull: whether it has enough points, and not all on a line or plane.
pub(super) fn polyhedron(c: &mut Checker<'_>, key: &str, hull: &Polyhedron) -> bool {
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
        c.report(&key, format!("{key} are {flat}; allowed: points around a space"));
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
