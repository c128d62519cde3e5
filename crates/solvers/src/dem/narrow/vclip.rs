//! One move of V-Clip (Mirtich 1998): are these the closest parts, and if not, which neighbours are?

use glam::DVec3;
use lawine_core::geometry::{HalfEdge, Part, Polyhedron};

use super::frame::Pair;

/// Result of a test of a pair of features.
pub(super) enum Next {
    /// These are closer.
    Go([Part; 2]),
    /// Each part holds the point closest to the other: done.
    Separated,
    /// The bodies have points in common, as these parts show.
    Penetrating([Part; 2]),
}

impl Next {
    fn swapped(self) -> Self {
        match self {
            Self::Go([a, b]) => Self::Go([b, a]),
            Self::Separated => Self::Separated,
            Self::Penetrating([a, b]) => Self::Penetrating([b, a]),
        }
    }
}

/// Tests a pair of parts. Two faces are never a pair here: on the way a corner or an edge stands for
/// one of them, and the points of contact are found from the faces in the end.
pub(super) fn step(pair: &Pair<'_>, parts: [Part; 2]) -> Next {
    match parts {
        [Part::Vertex(v), Part::Vertex(w)] => vertex_vertex(pair, v, w),
        [Part::Vertex(v), Part::Edge(e)] => vertex_edge(pair, v, e),
        [Part::Edge(e), Part::Vertex(v)] => vertex_edge(&pair.swapped(), v, e).swapped(),
        [Part::Vertex(v), Part::Face(f)] => vertex_face(pair, v, f),
        [Part::Face(f), Part::Vertex(v)] => vertex_face(&pair.swapped(), v, f).swapped(),
        [Part::Edge(e), Part::Edge(g)] => edge_edge(pair, e, g),
        [Part::Edge(e), Part::Face(f)] => edge_face(pair, e, f),
        [Part::Face(f), Part::Edge(e)] => edge_face(&pair.swapped(), e, f).swapped(),
        [Part::Face(f), Part::Face(_)] => {
            let v = pair.p.half_edge(pair.p.face(f).first).origin;
            Next::Go([Part::Vertex(v), parts[1]])
        }
    }
}

/// The edge, by its first half edge, so that it is always computed in the same direction.
#[inline]
pub(super) fn edge(h: u32) -> Part {
    Part::Edge(h & !1)
}

/// Height over the plane through the tail across the half edge: positive on the edge's side, negative
/// on the corner's.
#[inline]
fn along(h: &HalfEdge, x: DVec3) -> f64 {
    h.u.dot(x - h.tail)
}

/// Height over the plane through the half edge across its face: positive on the face's side,
/// negative on the edge's.
#[inline]
pub(super) fn aside(h: &HalfEdge, x: DVec3) -> f64 {
    h.side.dot(x - h.tail)
}

/// Corner v of p, corner w of q: each must lie in the Voronoi region of the other.
fn vertex_vertex(pair: &Pair<'_>, v: u32, w: u32) -> Next {
    let farther_than = |p: &Polyhedron, v: u32, x: DVec3| {
        let mut worst = (0.0, None);
        for (h, half) in p.fan(v) {
            let d = along(half, x);
            if d > worst.0 {
                worst = (d, Some(edge(h)));
            }
        }
        worst.1
    };
    if let Some(e) = farther_than(pair.p, v, pair.to_p.point(pair.q.vertex(w))) {
        return Next::Go([e, Part::Vertex(w)]);
    }
    if let Some(e) = farther_than(pair.q, w, pair.to_q.point(pair.p.vertex(v))) {
        return Next::Go([Part::Vertex(v), e]);
    }
    Next::Separated
}

/// Corner v of p, edge e of q.
fn vertex_edge(pair: &Pair<'_>, v: u32, e: u32) -> Next {
    let (half, twin) = (pair.q.half_edge(e), pair.q.half_edge(e ^ 1));
    let x = pair.to_q.point(pair.p.vertex(v));
    let go = |part| Next::Go([Part::Vertex(v), part]);
    if along(half, x) < 0.0 {
        return go(Part::Vertex(half.origin));
    }
    if along(twin, x) < 0.0 {
        return go(Part::Vertex(twin.origin));
    }
    if aside(half, x) > 0.0 {
        return go(Part::Face(half.face));
    }
    if aside(twin, x) > 0.0 {
        return go(Part::Face(twin.face));
    }
    // The corner is in the edge's region; is the edge's closest point in the corner's?
    let (a, b) = (pair.to_p.point(half.tail), pair.to_p.point(twin.tail));
    let corner = pair.p.vertex(v);
    let mut low = (0.0, None);
    let mut high = (1.0, None);
    for (h, fan) in pair.p.fan(v) {
        let (da, db) = (along(fan, a), along(fan, b));
        if da > 0.0 && db > 0.0 {
            return Next::Go([edge(h), Part::Edge(e)]);
        }
        let lambda = da / (da - db);
        if da > 0.0 && lambda > low.0 {
            low = (lambda, Some(h));
        } else if db > 0.0 && lambda < high.0 {
            high = (lambda, Some(h));
        }
    }
    // The distance to the corner must not shrink beyond the ends of the clipped edge.
    let slope = |lambda: f64| (b - a).dot(a + lambda * (b - a) - corner);
    match (low, high) {
        ((lambda, Some(h)), _) if slope(lambda) > 0.0 => Next::Go([edge(h), Part::Edge(e)]),
        (_, (lambda, Some(h))) if slope(lambda) < 0.0 => Next::Go([edge(h), Part::Edge(e)]),
        _ => Next::Separated,
    }
}

/// Corner v of p, face f of q.
fn vertex_face(pair: &Pair<'_>, v: u32, f: u32) -> Next {
    let x = pair.to_q.point(pair.p.vertex(v));
    let mut worst = (0.0, None);
    for (h, half) in pair.q.rim(f) {
        let d = aside(half, x);
        if d < worst.0 {
            worst = (d, Some(h));
        }
    }
    if let Some(h) = worst.1 {
        return Next::Go([Part::Vertex(v), edge(h)]);
    }
    // In the prism over the face: follow an edge of v that comes closer to the plane. Heights are
    // taken at the ends, as for an edge and a face, so that both tests agree.
    let plane = &pair.q.face(f).plane;
    let height = plane.distance(x);
    let sign = height.signum();
    let mut best = (sign * height, None);
    for (h, _) in pair.p.fan(v) {
        let end = plane.distance(pair.to_q.point(pair.p.vertex(pair.p.head(h))));
        if sign * end < best.0 {
            best = (sign * end, Some(h));
        }
    }
    if let Some(h) = best.1.filter(|_| height.abs() > 0.0) {
        return Next::Go([edge(h), Part::Face(f)]);
    }
    if height >= 0.0 {
        return Next::Separated;
    }
    // Below the face, and no edge leads up: inside, or on the far side of the body.
    let (outermost, g) = pair.q.outermost_face(x);
    let parts = [Part::Vertex(v), Part::Face(g)];
    if outermost <= 0.0 { Next::Penetrating(parts) } else { Next::Go(parts) }
}

/// Edge e of p, edge g of q: each is clipped against the Voronoi region of the other.
fn edge_edge(pair: &Pair<'_>, e: u32, g: u32) -> Next {
    let ends = |p: &Polyhedron, h: u32| (p.half_edge(h).tail, p.half_edge(h ^ 1).tail);
    let (a, b) = ends(pair.q, g);
    if let Some(part) = beyond_edge(pair.p, e, pair.to_p.point(a), pair.to_p.point(b)) {
        return Next::Go([part, Part::Edge(g)]);
    }
    let (a, b) = ends(pair.p, e);
    if let Some(part) = beyond_edge(pair.q, g, pair.to_q.point(a), pair.to_q.point(b)) {
        return Next::Go([Part::Edge(e), part]);
    }
    Next::Separated
}

/// The neighbour of edge h that is closer to the segment ab than the edge is, if one is.
fn beyond_edge(p: &Polyhedron, h: u32, a: DVec3, b: DVec3) -> Option<Part> {
    let (half, twin) = (p.half_edge(h), p.half_edge(h ^ 1));
    let (mut low, mut high) = (0.0, 1.0);
    // The planes across the edge at its ends.
    for end in [half, twin] {
        let (da, db) = (along(end, a), along(end, b));
        let slope = |lambda: f64| (b - a).dot(a + lambda * (b - a) - end.tail);
        if da < 0.0 && db < 0.0 {
            return Some(Part::Vertex(end.origin));
        }
        let lambda = da / (da - db);
        if da < 0.0 {
            if slope(lambda) > 0.0 {
                return Some(Part::Vertex(end.origin));
            }
            low = lambda.max(low);
        } else if db < 0.0 {
            if slope(lambda) < 0.0 {
                return Some(Part::Vertex(end.origin));
            }
            high = lambda.min(high);
        }
    }
    // The planes between the edge and its faces, for what is left of the segment.
    let (from, to) = (low, high);
    let (mut low_face, mut high_face) = (None, None);
    for side in [half, twin] {
        let (da, db) = (aside(side, a), aside(side, b));
        let at = |lambda: f64| da + lambda * (db - da);
        let beyond_low = if from > 0.0 { at(from) } else { da } > 0.0;
        let beyond_high = if to < 1.0 { at(to) } else { db } > 0.0;
        if beyond_low && beyond_high {
            return Some(Part::Face(side.face));
        }
        let lambda = da / (da - db);
        if beyond_low && (lambda >= low || low_face.is_none()) {
            (low, low_face) = (lambda, Some(side.face));
        } else if beyond_high && (lambda <= high || high_face.is_none()) {
            (high, high_face) = (lambda, Some(side.face));
        }
    }
    let slope = |f: u32, lambda: f64| {
        let plane = &p.face(f).plane;
        let (da, db) = (plane.distance(a), plane.distance(b));
        let at = da + lambda * (db - da);
        if at > 0.0 {
            db - da
        } else if at < 0.0 {
            da - db
        } else {
            0.0
        }
    };
    low_face
        .filter(|&f| slope(f, low) > 0.0)
        .or_else(|| high_face.filter(|&f| slope(f, high) < 0.0))
        .map(Part::Face)
}

/// The segment ab within the prism over face f of q.
pub(super) struct Clipped {
    /// Where it enters, and through which side of the face.
    pub(super) low: (f64, Option<u32>),
    /// Where it leaves.
    pub(super) high: (f64, Option<u32>),
}

/// Clips ab against the prism over face f; nothing when it does not enter.
pub(super) fn clip_to_prism(q: &Polyhedron, f: u32, a: DVec3, b: DVec3) -> Option<Clipped> {
    let mut low = (0.0, None);
    let mut high = (1.0, None);
    for (h, half) in q.rim(f) {
        let (da, db) = (aside(half, a), aside(half, b));
        if da < 0.0 && db < 0.0 {
            return None;
        }
        let lambda = da / (da - db);
        if da < 0.0 && lambda > low.0 {
            low = (lambda, Some(h));
        } else if db < 0.0 && lambda < high.0 {
            high = (lambda, Some(h));
        }
    }
    (low.0 <= high.0).then_some(Clipped { low, high })
}

/// Edge e of p, face f of q.
fn edge_face(pair: &Pair<'_>, e: u32, f: u32) -> Next {
    let (half, twin) = (pair.p.half_edge(e), pair.p.half_edge(e ^ 1));
    let (a, b) = (pair.to_q.point(half.tail), pair.to_q.point(twin.tail));
    let Some(Clipped { low, high }) = clip_to_prism(pair.q, f, a, b) else {
        return Next::Go([Part::Edge(e), closest_side(pair.q, f, a, b)]);
    };
    let plane = &pair.q.face(f).plane;
    let (da, db) = (plane.distance(a), plane.distance(b));
    let at = |end: (f64, Option<u32>), whole: f64| {
        if end.1.is_some() { da + end.0 * (db - da) } else { whole }
    };
    let (d_low, d_high) = (at(low, da), at(high, db));
    if d_low.min(d_high) < 0.0 && d_low.max(d_high) >= 0.0 {
        return Next::Penetrating([Part::Edge(e), Part::Face(f)]);
    }
    // The end of the clipped edge that is closer to the plane.
    let rising = if d_low >= 0.0 { db >= da } else { db <= da };
    match if rising { low } else { high } {
        (_, Some(h)) => Next::Go([Part::Edge(e), edge(h)]),
        _ if rising => Next::Go([Part::Vertex(half.origin), Part::Face(f)]),
        _ => Next::Go([Part::Vertex(twin.origin), Part::Face(f)]),
    }
}

/// The side of face f that is closest to the segment ab.
fn closest_side(q: &Polyhedron, f: u32, a: DVec3, b: DVec3) -> Part {
    let mut best = (f64::INFINITY, q.face(f).first);
    for (h, half) in q.rim(f) {
        let (s, u) = super::points::segments(a, b, half.tail, q.half_edge(h ^ 1).tail);
        let d = s.distance_squared(u);
        if d < best.0 {
            best = (d, h);
        }
    }
    edge(best.1)
}
