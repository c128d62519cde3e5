//! Volume and area of an overlap from clipped faces alone: slow, and wrong where faces are coplanar,
//! but simple, and it shares nothing with the fast method.

use glam::DVec3;
use lawine_core::geometry::{HalfSpace, Polyhedron};
use lawine_solvers::dem::narrow::Pose;

/// Volume V and area vector S of B's surface inside A.
pub(crate) fn overlap(a: (&Polyhedron, &Pose), b: (&Polyhedron, &Pose)) -> (f64, DVec3) {
    // Counted from the smaller body.
    let origin = if a.0.radius() < b.0.radius() { a.1.position } else { b.1.position };
    let (faces_a, faces_b) = (placed(a, origin), placed(b, origin));
    let (volume_a, _) = inside(&faces_a, &faces_b);
    let (volume_b, area) = inside(&faces_b, &faces_a);
    (volume_a + volume_b, area)
}

type Placed = (HalfSpace, Vec<DVec3>);

/// The faces in space, counted from `origin`.
fn placed((p, pose): (&Polyhedron, &Pose), origin: DVec3) -> Vec<Placed> {
    let place = |x: DVec3| pose.rotation * x + (pose.position - origin);
    (0..p.faces().len() as u32)
        .map(|f| {
            let rim: Vec<DVec3> = p.rim(f).map(|(_, h)| place(h.tail)).collect();
            let HalfSpace { normal, offset } = p.face(f).plane;
            let normal = pose.rotation * normal;
            let offset = offset + normal.dot(pose.position - origin);
            (HalfSpace { normal, offset }, rim)
        })
        .collect()
}

/// What the faces inside the other body contribute: ⅓ Σ x·A and Σ A.
fn inside(faces: &[Placed], others: &[Placed]) -> (f64, DVec3) {
    let (mut volume, mut area) = (0.0, DVec3::ZERO);
    let (mut polygon, mut spare) = (Vec::new(), Vec::new());
    for (_, rim) in faces {
        polygon.clone_from(rim);
        for (plane, _) in others {
            clip(&polygon, plane, &mut spare);
            std::mem::swap(&mut polygon, &mut spare);
            if polygon.is_empty() {
                break;
            }
        }
        if polygon.len() >= 3 {
            let o = polygon[0];
            let twice: DVec3 =
                (1..polygon.len() - 1).map(|k| (polygon[k] - o).cross(polygon[k + 1] - o)).sum();
            area += 0.5 * twice;
            volume += o.dot(twice) / 6.0;
        }
    }
    (volume, area)
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
