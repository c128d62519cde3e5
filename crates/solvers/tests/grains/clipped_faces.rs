//! Volume and area of an overlap from clipped faces alone: slow, and wrong where faces are coplanar,
//! but simple, and it shares nothing with the fast method.

use glam::DVec3;
use lawine_core::geometry::{HalfSpace, Polyhedron};
use lawine_solvers::dem::narrow::Pose;

/// Volume V, area vector S of B's surface inside A, and its moment G about A's position.
pub(crate) fn overlap(a: (&Polyhedron, &Pose), b: (&Polyhedron, &Pose)) -> (f64, DVec3, DVec3) {
    // Counted from the smaller body.
    let origin = if a.0.radius() < b.0.radius() { a.1.position } else { b.1.position };
    let (faces_a, faces_b) = (placed(a, origin), placed(b, origin));
    let (volume_a, ..) = inside(&faces_a, &faces_b);
    let (volume_b, area, moment) = inside(&faces_b, &faces_a);
    (volume_a + volume_b, area, moment - (a.1.position - origin).cross(area))
}

/// A face in space.
struct Placed {
    plane: HalfSpace,
    rim: Vec<DVec3>,
    /// A ball around it.
    middle: DVec3,
    radius: f64,
}

/// The faces in space, counted from `origin`.
fn placed((p, pose): (&Polyhedron, &Pose), origin: DVec3) -> Vec<Placed> {
    let place = |x: DVec3| pose.rotation * x + (pose.position - origin);
    (0..p.faces().len() as u32)
        .map(|f| {
            let rim: Vec<DVec3> = p.rim(f).map(|(_, h)| place(h.tail)).collect();
            let HalfSpace { normal, offset } = p.face(f).plane;
            let normal = pose.rotation * normal;
            let offset = offset + normal.dot(pose.position - origin);
            let middle = rim.iter().sum::<DVec3>() / rim.len() as f64;
            let radius = rim.iter().map(|x| x.distance(middle)).fold(0.0, f64::max);
            Placed { plane: HalfSpace { normal, offset }, rim, middle, radius }
        })
        .collect()
}

/// What the faces inside the other body contribute: ⅓ Σ x·A, Σ A and Σ x×A.
fn inside(faces: &[Placed], others: &[Placed]) -> (f64, DVec3, DVec3) {
    let (mut volume, mut area, mut moment) = (0.0, DVec3::ZERO, DVec3::ZERO);
    let (mut polygon, mut spare) = (Vec::new(), Vec::new());
    for face in faces {
        let (middle, radius) = (face.middle, face.radius * (1.0 + 1e-9));
        if others.iter().any(|other| other.plane.distance(middle) > radius) {
            continue;
        }
        polygon.clone_from(&face.rim);
        for other in others.iter().filter(|other| other.plane.distance(middle) > -radius) {
            clip(&polygon, &other.plane, &mut spare);
            std::mem::swap(&mut polygon, &mut spare);
        }
        for k in 2..polygon.len() {
            let [o, p, q] = [polygon[0], polygon[k - 1], polygon[k]];
            let twice = (p - o).cross(q - o);
            area += 0.5 * twice;
            moment += (o + p + q).cross(twice) / 6.0;
            volume += o.dot(twice) / 6.0;
        }
    }
    (volume, area, moment)
}

/// Sutherland and Hodgman 1974.
fn clip(polygon: &[DVec3], plane: &HalfSpace, out: &mut Vec<DVec3>) {
    out.clear();
    for k in 0..polygon.len() {
        let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        let (s, t) = (plane.distance(p), plane.distance(q));
        if s <= 0.0 {
            out.push(p);
        }
        if (s <= 0.0) != (t <= 0.0) {
            out.push(p + s / (s - t) * (q - p));
        }
    }
}
