//! Closest points of a pair of parts, all nine cases (Schinner 4.2.2.4–4.2.2.9), in A's frame.

use glam::DVec3;
use lawine_core::geometry::{Part, Polyhedron};

use super::frame::Pair;
use super::vclip::{Clipped, aside, clip_to_prism, edge};
use super::{Scratch, Status};

/// What is reported, in A's frame.
pub(super) struct ClosestPoints {
    pub(super) status: Status,
    pub(super) distance: f64,
    pub(super) points: [DVec3; 2],
    pub(super) normal: DVec3,
    pub(super) parts: [Part; 2],
}

/// Closest points of the segments ab and cd: (4.22)–(4.24), with the ends looked at one by one where
/// the lines' closest points lie outside (clamping both at once is wrong, Figure 4.10), and the
/// middle of the shared part where they are parallel.
pub(super) fn segments(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (DVec3, DVec3) {
    let (e1, e2, r) = (b - a, d - c, a - c);
    let (e11, e22, e12) = (e1.dot(e1), e2.dot(e2), e1.dot(e2));
    let (r1, r2) = (e1.dot(r), e2.dot(r));
    // |e1 × e2|² is the denominator of (4.24), but loses no digits when the edges are nearly parallel.
    let across = e1.cross(e2);
    let determinant = across.length_squared();
    if determinant <= 1e-20 * e11 * e22 {
        // Ends of cd along ab.
        let (s, t) = (-r1 / e11, (e12 - r1) / e11);
        let (low, high) = (s.min(t).max(0.0), s.max(t).min(1.0));
        let s = if low <= high { 0.5 * (low + high) } else { 0.5 * (s + t) }.clamp(0.0, 1.0);
        let u = (e2.dot(a + s * e1 - c) / e22).clamp(0.0, 1.0);
        let q = c + u * e2;
        return (a + (e1.dot(q - a) / e11).clamp(0.0, 1.0) * e1, q);
    }
    // First the line cd, then its end if need be, then s again for that end: the thesis' case
    // distinction, because the first clamp decides on the right end.
    let s = (e2.cross(r).dot(across) / determinant).clamp(0.0, 1.0);
    let u = (e12 * s + r2) / e22;
    if (0.0..=1.0).contains(&u) {
        return (a + s * e1, c + u * e2);
    }
    let u = u.clamp(0.0, 1.0);
    (a + ((e12 * u - r1) / e11).clamp(0.0, 1.0) * e1, c + u * e2)
}

/// The ends of an edge.
fn ends(p: &Polyhedron, h: u32) -> [DVec3; 2] {
    [p.half_edge(h).tail, p.half_edge(h ^ 1).tail]
}

/// The point of the edge that is closest to x (4.20).
fn on_edge(p: &Polyhedron, h: u32, x: DVec3) -> DVec3 {
    let half = p.half_edge(h);
    half.tail + half.u.dot(x - half.tail).clamp(0.0, half.length) * half.u
}

/// The closest parts are known: their points and the normal, then the middle of what they share.
pub(super) fn separated(pair: &Pair<'_>, parts: [Part; 2], scratch: &mut Scratch) -> ClosestPoints {
    let to_p = |x| pair.to_p.point(x);
    let corner = |w: u32| to_p(pair.q.vertex(w));
    let mut normal = None;
    let mut height = None;
    let points = match parts {
        [Part::Vertex(v), Part::Vertex(w)] => [pair.p.vertex(v), corner(w)],
        [Part::Vertex(v), Part::Edge(e)] => {
            let x = pair.p.vertex(v);
            [x, to_p(on_edge(pair.q, e, pair.to_q.point(x)))]
        }
        [Part::Edge(e), Part::Vertex(w)] => [on_edge(pair.p, e, corner(w)), corner(w)],
        [Part::Vertex(v), Part::Face(f)] => {
            let x = pair.p.vertex(v);
            let plane = &pair.q.face(f).plane;
            let (d, n) = (plane.distance(pair.to_q.point(x)), pair.to_p.vector(plane.normal));
            (normal, height) = (Some(-n), Some(d));
            [x, x - d * n] // (4.21)
        }
        [Part::Face(f), Part::Vertex(w)] => {
            let x = corner(w);
            let plane = &pair.p.face(f).plane;
            let d = plane.distance(x);
            (normal, height) = (Some(plane.normal), Some(d));
            [x - d * plane.normal, x]
        }
        [Part::Edge(e), Part::Edge(g)] => {
            let ([a, b], [c, d]) = (ends(pair.p, e), ends(pair.q, g).map(to_p));
            let (x, y) = segments(a, b, c, d);
            // Across both edges, which is exact however small the gap is.
            let across = pair.p.half_edge(e).u.cross(pair.to_p.vector(pair.q.half_edge(g).u));
            if across.length_squared() > 1e-12 {
                let n = across.normalize();
                let d = n.dot(y - x);
                // The outside of A decides when the edges touch.
                let out = pair.p.face(pair.p.half_edge(e).face).plane.normal
                    + pair.p.face(pair.p.half_edge(e ^ 1).face).plane.normal;
                let toward = if d.abs() > 1e-13 * x.length() { d } else { n.dot(out) };
                normal = Some(if toward < 0.0 { -n } else { n });
            }
            [x, y]
        }
        [Part::Edge(e), Part::Face(f)] => {
            let (x, n) = lowest_on_edge(pair, e, f);
            normal = Some(-n);
            [x, x]
        }
        [Part::Face(f), Part::Edge(e)] => {
            let swapped = pair.swapped();
            let (x, n) = lowest_on_edge(&swapped, e, f);
            normal = Some(pair.to_p.vector(n));
            [to_p(x), to_p(x)]
        }
        [Part::Face(_), Part::Face(_)] => [pair.p.vertex(0), corner(0)], // never a result of the walk
    };
    let between = points[1] - points[0];
    let distance = height.unwrap_or_else(|| between.length());
    let normal = normal.or_else(|| between.try_normalize()).unwrap_or_else(|| outward(pair, parts));
    let status = Status::Separated;
    let mut contact = ClosestPoints { status, distance, points, normal, parts };
    spread(pair, &mut contact, scratch);
    contact
}

/// The lower end of edge e of p over face f of q, in p's frame, and the face's normal there.
fn lowest_on_edge(pair: &Pair<'_>, e: u32, f: u32) -> (DVec3, DVec3) {
    let ends = ends(pair.p, e);
    let plane = &pair.q.face(f).plane;
    let [a, b] = ends.map(|x| pair.to_q.point(x));
    let low = if plane.distance(a).abs() <= plane.distance(b).abs() { ends[0] } else { ends[1] };
    (low, pair.to_p.vector(plane.normal))
}

/// A direction for corners that coincide: away from A's faces at the part.
fn outward(pair: &Pair<'_>, parts: [Part; 2]) -> DVec3 {
    let mean = |p: &Polyhedron, part: Part| match part {
        Part::Vertex(v) => p.fan(v).map(|(_, h)| p.face(h.face).plane.normal).sum(),
        Part::Edge(h) => [h, h ^ 1].iter().map(|h| p.face(p.half_edge(*h).face).plane.normal).sum(),
        Part::Face(f) => p.face(f).plane.normal,
    };
    let sum: DVec3 = mean(pair.p, parts[0]).normalize_or_zero()
        - pair.to_p.vector(mean(pair.q, parts[1])).normalize_or_zero();
    sum.try_normalize().or_else(|| pair.to_p.t.try_normalize()).unwrap_or(DVec3::X)
}

/// Replaces corners and edges by the edges and faces that are parallel to their counterpart, and the
/// closest points by the middle of what these share (Figure 4.11), if that is no farther apart.
fn spread(pair: &Pair<'_>, contact: &mut ClosestPoints, scratch: &mut Scratch) {
    let size = contact.points[0].length() + pair.to_p.t.length();
    // How exactly the normal is known, which may be a difference of close points.
    let angle = (1e-9 + 4e-15 * size / contact.distance.abs()).min(1e-3);
    let n = contact.normal;
    let a = parallel_part(pair.p, contact.parts[0], n, angle);
    let b = parallel_part(pair.q, contact.parts[1], pair.to_q.vector(-n), angle);
    let middle = match (a, b) {
        (Part::Edge(e), Part::Edge(g)) => {
            let ([p, q], [r, s]) = (ends(pair.p, e), ends(pair.q, g).map(|x| pair.to_p.point(x)));
            Some((segments(p, q, r, s), n))
        }
        (Part::Edge(e), Part::Face(f)) => edge_on_face(pair, e, f).map(|x| {
            let plane = &pair.q.face(f).plane;
            let outward = pair.to_p.vector(plane.normal);
            ((x, x - plane.distance(pair.to_q.point(x)) * outward), -outward)
        }),
        (Part::Face(f), Part::Edge(e)) => edge_on_face(&pair.swapped(), e, f).map(|y| {
            let (y, plane) = (pair.to_p.point(y), &pair.p.face(f).plane);
            ((y - plane.distance(y) * plane.normal, y), plane.normal)
        }),
        (Part::Face(f), Part::Face(g)) => face_on_face(pair, f, g, scratch).map(|y| {
            let plane = &pair.p.face(f).plane;
            ((y - plane.distance(y) * plane.normal, y), plane.normal)
        }),
        _ => None,
    };
    let Some(((x, y), normal)) = middle else { return };
    if x.distance(y) <= contact.distance + 1e-13 * size {
        contact.points = [x, y];
        contact.parts = [a, b];
        contact.normal = normal;
    }
}

/// The face at the part that faces `n`, else the edge at the part that lies across `n`, else the part.
fn parallel_part(p: &Polyhedron, part: Part, n: DVec3, angle: f64) -> Part {
    let faces = |f: u32| {
        let normal = p.face(f).plane.normal;
        normal.dot(n) > 0.9 && normal.cross(n).length_squared() < angle * angle
    };
    match part {
        Part::Vertex(v) => {
            let mut found = part;
            for (h, half) in p.fan(v) {
                if faces(half.face) {
                    return Part::Face(half.face);
                }
                if half.u.dot(n).abs() < angle {
                    found = edge(h);
                }
            }
            found
        }
        Part::Edge(h) => {
            let sides = [h, h ^ 1].map(|h| p.half_edge(h).face);
            sides.into_iter().find(|f| faces(*f)).map_or(part, Part::Face)
        }
        Part::Face(_) => part,
    }
}

/// The middle of the piece of edge e of p over face f of q, in p's frame.
fn edge_on_face(pair: &Pair<'_>, e: u32, f: u32) -> Option<DVec3> {
    let [a, b] = ends(pair.p, e);
    let Clipped { low, high } = clip_to_prism(pair.q, f, pair.to_q.point(a), pair.to_q.point(b))?;
    Some(a + 0.5 * (low.0 + high.0) * (b - a))
}

/// The centroid of face g of q over face f of p, in p's frame: Sutherland and Hodgman's clip.
fn face_on_face(pair: &Pair<'_>, f: u32, g: u32, scratch: &mut Scratch) -> Option<DVec3> {
    let Scratch { polygon, spare } = scratch;
    polygon.clear();
    polygon.extend(pair.q.rim(g).map(|(_, h)| pair.to_p.point(h.tail)));
    for (_, half) in pair.p.rim(f) {
        spare.clear();
        for (i, &b) in polygon.iter().enumerate() {
            let a = polygon[(i + polygon.len() - 1) % polygon.len()];
            let (da, db) = (aside(half, a), aside(half, b));
            if (da < 0.0) != (db < 0.0) {
                spare.push(a + da / (da - db) * (b - a));
            }
            if db >= 0.0 {
                spare.push(b);
            }
        }
        std::mem::swap(polygon, spare);
    }
    let o = *polygon.first()?;
    let normal = pair.p.face(f).plane.normal;
    let (mut area, mut moment) = (0.0, DVec3::ZERO);
    for i in 1..polygon.len().saturating_sub(1) {
        let (a, b) = (polygon[i] - o, polygon[i + 1] - o);
        let twice = a.cross(b).dot(normal);
        area += twice;
        moment += twice / 3.0 * (a + b);
    }
    // Faces that share hardly more than a line or a point, where the division would lose all digits:
    // the mean of the corners.
    let mean = || polygon.iter().map(|x| *x - o).sum::<DVec3>() / polygon.len() as f64;
    let reach = polygon.iter().map(|x| x.distance_squared(o)).fold(0.0, f64::max);
    Some(o + if area.abs() > 1e-4 * reach { moment / area } else { mean() })
}

/// The bodies penetrate, as a corner and a face, or an edge and a face, show.
pub(super) fn penetrating(pair: &Pair<'_>, parts: [Part; 2]) -> ClosestPoints {
    let swapped = pair.swapped();
    let (distance, points, normal) = match parts {
        [Part::Vertex(_) | Part::Edge(_), Part::Face(f)] => pierce(pair, parts[0], f),
        [Part::Face(f), Part::Vertex(_) | Part::Edge(_)] => {
            let (distance, [x, y], n) = pierce(&swapped, parts[1], f);
            let [x, y] = [y, x].map(|x| pair.to_p.point(x));
            (distance, [x, y], -pair.to_p.vector(n))
        }
        _ => (0.0, [DVec3::ZERO; 2], DVec3::X), // the walk never ends so
    };
    ClosestPoints { status: Status::Penetrating, distance, points, normal, parts }
}

/// A corner or an edge of p in face f of q: depth (negative), points and normal from p to q, in p's
/// frame. For an edge both points are where it goes through the face.
fn pierce(pair: &Pair<'_>, part: Part, f: u32) -> (f64, [DVec3; 2], DVec3) {
    let plane = &pair.q.face(f).plane;
    let n = pair.to_p.vector(plane.normal);
    match part {
        Part::Vertex(v) => {
            let x = pair.p.vertex(v);
            let d = plane.distance(pair.to_q.point(x));
            (d, [x, x - d * n], -n)
        }
        Part::Edge(e) => {
            let [a, b] = ends(pair.p, e);
            let [da, db] = [a, b].map(|x| plane.distance(pair.to_q.point(x)));
            let lambda = if (da - db).abs() > 0.0 { (da / (da - db)).clamp(0.0, 1.0) } else { 0.0 };
            let x = a + lambda * (b - a);
            (da.min(db).min(0.0), [x, x], -n)
        }
        Part::Face(_) => (0.0, [DVec3::ZERO; 2], -n),
    }
}
