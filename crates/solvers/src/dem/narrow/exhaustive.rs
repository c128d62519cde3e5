//! Every part against every part: slow, simple, and never wrong. The reference of the tests and the
//! last resort of the walk.

use glam::DVec3;
use lawine_core::geometry::{Part, Polyhedron};

use super::frame::{Pair, Pose, between};
use super::points::segments;
use super::vclip::{aside, edge};

/// The distance of two bodies [m] and the parts it is taken between; negative one when they
/// penetrate.
#[must_use]
pub fn exhaustive(
    (a, pose_a): (&Polyhedron, &Pose),
    (b, pose_b): (&Polyhedron, &Pose),
) -> (f64, [Part; 2]) {
    let [to_b, to_a] = between(pose_a, pose_b);
    let pair = Pair { p: a, q: b, to_q: &to_b, to_p: &to_a };
    if let Some(parts) = penetration(&pair) {
        return (-1.0, parts);
    }
    nearest(&pair)
}

/// The parts, and whether the bodies penetrate.
pub(super) fn all_parts(pair: &Pair<'_>) -> ([Part; 2], bool) {
    penetration(pair).map_or_else(|| (nearest(pair).1, false), |parts| (parts, true))
}

/// An edge that goes through a face, or a corner inside.
fn penetration(pair: &Pair<'_>) -> Option<[Part; 2]> {
    let swapped = pair.swapped();
    let flip = |[a, b]: [Part; 2]| [b, a];
    piercing(pair)
        .or_else(|| piercing(&swapped).map(flip))
        .or_else(|| inside(pair))
        .or_else(|| inside(&swapped).map(flip))
}

/// An edge of p that goes through a face of q.
fn piercing(pair: &Pair<'_>) -> Option<[Part; 2]> {
    for e in (0..pair.p.half_edges().len() as u32).step_by(2) {
        let [a, b] = [e, e ^ 1].map(|h| pair.to_q.point(pair.p.half_edge(h).tail));
        for (f, face) in pair.q.faces().iter().enumerate() {
            let (da, db) = (face.plane.distance(a), face.plane.distance(b));
            if (da < 0.0) == (db < 0.0) {
                continue;
            }
            let x = a + da / (da - db) * (b - a);
            if pair.q.rim(f as u32).all(|(_, h)| aside(h, x) > 0.0) {
                return Some([Part::Edge(e), Part::Face(f as u32)]);
            }
        }
    }
    None
}

/// A corner of p inside q.
fn inside(pair: &Pair<'_>) -> Option<[Part; 2]> {
    (0..pair.p.vertices().len() as u32).find_map(|v| {
        let (d, f) = pair.q.outermost_face(pair.to_q.point(pair.p.vertex(v)));
        (d < 0.0).then_some([Part::Vertex(v), Part::Face(f)])
    })
}

/// The closest parts of bodies that do not penetrate.
fn nearest(pair: &Pair<'_>) -> (f64, [Part; 2]) {
    let swapped = pair.swapped();
    let mut best = corner_on_face(pair);
    let (d, [a, b]) = corner_on_face(&swapped);
    if d < best.0 {
        best = (d, [b, a]);
    }
    for e in (0..pair.p.half_edges().len() as u32).step_by(2) {
        let [a, b] = [e, e ^ 1].map(|h| pair.p.half_edge(h).tail);
        for g in (0..pair.q.half_edges().len() as u32).step_by(2) {
            let [c, d] = [g, g ^ 1].map(|h| pair.to_p.point(pair.q.half_edge(h).tail));
            let (x, y) = segments(a, b, c, d);
            if x.distance(y) < best.0 {
                let parts = [part_at(pair.p, e, x, [a, b]), part_at(pair.q, g, y, [c, d])];
                best = (x.distance(y), parts);
            }
        }
    }
    best
}

/// The corner when the point is an end of the edge, else the edge.
fn part_at(p: &Polyhedron, h: u32, x: DVec3, [a, b]: [DVec3; 2]) -> Part {
    if x == a {
        Part::Vertex(p.half_edge(h).origin)
    } else if x == b {
        Part::Vertex(p.head(h))
    } else {
        edge(h)
    }
}

/// The corner of p that is closest to a face of q it stands over.
fn corner_on_face(pair: &Pair<'_>) -> (f64, [Part; 2]) {
    let mut best = (f64::INFINITY, [Part::Vertex(0), Part::Vertex(0)]);
    for v in 0..pair.p.vertices().len() as u32 {
        let x = pair.to_q.point(pair.p.vertex(v));
        for (f, face) in pair.q.faces().iter().enumerate() {
            let d = face.plane.distance(x);
            if d >= 0.0 && d < best.0 && pair.q.rim(f as u32).all(|(_, h)| aside(h, x) >= 0.0) {
                best = (d, [Part::Vertex(v), Part::Face(f as u32)]);
            }
        }
    }
    best
}
