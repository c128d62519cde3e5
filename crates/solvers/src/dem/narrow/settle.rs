//! Ends for walks that rounding keeps from ending.

use lawine_core::geometry::{Part, Polyhedron};

use super::frame::Pair;
use super::points::{self, ClosestPoints};
use super::vclip::{self, Next, aside};
use super::{Scratch, exhaustive};

/// The longest circle that is looked at.
const LONGEST: usize = 64;

/// Goes once round the circle that starts with `start` and takes the first pair whose distance is
/// proved: a plane across its normal leaves exactly this gap between the bodies.
pub(super) fn circle(
    pair: &Pair<'_>,
    start: [Part; 2],
    scratch: &mut Scratch,
) -> Option<([Part; 2], ClosestPoints)> {
    let mut parts = start;
    for _ in 0..LONGEST {
        if faces_hold(pair, parts) {
            let contact = points::separated(pair, parts, scratch);
            if proved(pair, parts, &contact) {
                return Some((parts, contact));
            }
        }
        match vclip::step(pair, parts) {
            Next::Go(next) if next != start => parts = next,
            _ => return None,
        }
    }
    None
}

/// The answer from all parts.
pub(super) fn compare(pair: &Pair<'_>, scratch: &mut Scratch) -> ([Part; 2], ClosestPoints) {
    let (parts, penetrating) = exhaustive::all_parts(pair);
    let contact = if penetrating {
        points::penetrating(pair, parts)
    } else {
        points::separated(pair, parts, scratch)
    };
    (parts, contact)
}

/// The parts that show that the bodies still penetrate, if the corner that lay inside still does: no
/// walk is needed then.
pub(super) fn still_inside(pair: &Pair<'_>, parts: [Part; 2]) -> Option<[Part; 2]> {
    let face = |pair: &Pair<'_>, v: u32| {
        let (depth, f) = pair.q.outermost_face(pair.to_q.point(pair.p.vertex(v)));
        (depth < 0.0).then_some(Part::Face(f))
    };
    match parts {
        [Part::Vertex(v), Part::Face(_)] => face(pair, v).map(|f| [parts[0], f]),
        [Part::Face(_), Part::Vertex(v)] => face(&pair.swapped(), v).map(|f| [f, parts[1]]),
        _ => None,
    }
}

/// Whether a corner lies over the face it is paired with, within rounding; an edge and a face have no
/// closest points of their own.
fn faces_hold(pair: &Pair<'_>, parts: [Part; 2]) -> bool {
    let over = |pair: &Pair<'_>, v: u32, f: u32| {
        let x = pair.to_q.point(pair.p.vertex(v));
        let slack = 1e-14 * (x.length() + pair.to_q.t.length());
        pair.q.rim(f).all(|(_, h)| aside(h, x) >= -slack)
    };
    match parts {
        [Part::Vertex(v), Part::Face(f)] => over(pair, v, f),
        [Part::Face(f), Part::Vertex(v)] => over(&pair.swapped(), v, f),
        [Part::Face(_), _] | [_, Part::Face(_)] => false,
        _ => true,
    }
}

/// Whether the bodies are apart beyond doubt. Where they touch within rounding, parts seem to lie in
/// each other's regions even if the bodies overlap elsewhere: that takes a proof.
pub(super) fn clear(pair: &Pair<'_>, parts: [Part; 2], contact: &ClosestPoints) -> bool {
    let size = contact.points[0].length() + pair.to_p.t.length();
    contact.distance > 1e-13 * size || proved(pair, parts, contact)
}

/// Whether the gap between the bodies along the normal is the distance: points that are in the bodies
/// cannot be closer than a plane between them allows.
fn proved(pair: &Pair<'_>, parts: [Part; 2], contact: &ClosestPoints) -> bool {
    let n = contact.normal;
    let top = |p: &Polyhedron, part: Part, direction| {
        let corner = p.vertex(p.climb(direction, corner_of(p, part)));
        (corner, direction.dot(corner))
    };
    let (x, high) = top(pair.p, parts[0], n);
    let (y, _) = top(pair.q, parts[1], pair.to_q.vector(-n));
    let low = n.dot(pair.to_p.point(y));
    let size = x.length() + y.length() + pair.to_p.t.length();
    (low - high - contact.distance).abs() <= 1e-13 * size
}

/// A corner of the part.
fn corner_of(p: &Polyhedron, part: Part) -> u32 {
    match part {
        Part::Vertex(v) => v,
        Part::Edge(h) => p.half_edge(h).origin,
        Part::Face(f) => p.half_edge(p.face(f).first).origin,
    }
}
