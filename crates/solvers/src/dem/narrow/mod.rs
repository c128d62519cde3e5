//! Closest features of two convex polyhedra, tracked from step to step.
//!
//! V-Clip (Mirtich 1998) on half edges: the pair of closest parts is found by walking from the pair
//! of the step before, each move to a neighbour that is closer. Nearly always none is needed, so the
//! cost does not depend on the number of corners.

mod compound;
mod exhaustive;
mod frame;
mod plane;
mod points;
mod settle;
mod vclip;

pub use compound::closest_parts;
pub use exhaustive::exhaustive;
pub use frame::Pose;
pub use plane::lowest;

use frame::Pair;
use glam::DVec3;
use lawine_core::geometry::{Part, Polyhedron};
use points::ClosestPoints;
use vclip::Next;

/// The closest parts that the last query of a pair ended with: where the next one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    parts: [Part; 2],
    status: Status,
}

impl Track {
    /// Three numbers for a checkpoint.
    pub(super) fn to_numbers(self) -> [u32; 3] {
        let [a, b] = self.parts.map(|part| match part {
            Part::Vertex(v) => v,
            Part::Edge(h) => h | 1 << 30,
            Part::Face(f) => f | 2 << 30,
        });
        [a, b, 1 + u32::from(self.status == Status::Penetrating)]
    }

    /// The track of three numbers; the last is zero where there is none. A query looks whether its
    /// parts exist.
    pub(super) fn from_numbers([a, b, kind]: [u32; 3]) -> Option<Self> {
        let parts = [a, b].map(|code| {
            let index = code & ((1 << 30) - 1);
            match code >> 30 {
                0 => Part::Vertex(index),
                1 => Part::Edge(index),
                _ => Part::Face(index),
            }
        });
        let status = if kind == 2 { Status::Penetrating } else { Status::Separated };
        (kind > 0).then_some(Self { parts, status })
    }
}

/// Whether two bodies have points in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// They have none, or only touch.
    Separated,
    /// A corner lies inside the other body, or an edge pierces a face.
    Penetrating,
}

/// What a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Separated or penetrating.
    pub status: Status,
    /// Distance of the bodies [m]. When they penetrate: minus the depth of the corner, or of the
    /// lower end of the piercing edge, below the face; that is not the shortest way apart.
    pub distance: f64,
    /// The closest points of A and of B in space [m]. Where they are not unique (parallel edges and
    /// faces), the middle of the shared part.
    pub points: [DVec3; 2],
    /// Unit vector from A to B in space.
    pub normal: DVec3,
    /// The parts of A and B that hold the closest points: a face when it is parallel to its
    /// counterpart, although an edge or a corner of it would do.
    pub parts: [Part; 2],
    /// Pairs of parts that were tried, at least one.
    pub cycles: u32,
    /// How the walk came to its end.
    pub ending: Ending,
}

/// How a walk to the closest parts came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// At parts in each other's Voronoi regions.
    Walked,
    /// In a circle of parts that are equally close but for rounding (parallel faces, corners that
    /// touch): one of them was proved to be closest by a plane between the bodies.
    Settled,
    /// All parts were compared with all, because the walk went in a circle without a proof, was too
    /// long, or ended where the bodies touch within rounding and no plane between them is known.
    Compared,
}

/// Scratch of the queries; one for each thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    polygon: Vec<DVec3>,
    spare: Vec<DVec3>,
}

/// Closest points of A and B, starting from `track`, which is brought up to date.
///
/// It always ends. In exact arithmetic every move makes the distance of the parts smaller, or keeps
/// it and goes to a part of lower dimension, so no pair comes twice. Rounding can close a circle of
/// equally close pairs; there is no tolerance against that. A move depends on nothing but the pair,
/// so a pair that comes again proves a circle, which is noticed (Brent 1980) within three times its
/// length and the way to it, and settled. Walks of more moves than both bodies have edges, plus 50,
/// are cut short, too; [`Closest::ending`] has the reason.
pub fn closest(
    (a, pose_a): (&Polyhedron, &Pose),
    (b, pose_b): (&Polyhedron, &Pose),
    track: &mut Option<Track>,
    scratch: &mut Scratch,
) -> Closest {
    let [to_b, to_a] = frame::between(pose_a, pose_b);
    let pair = Pair { p: a, q: b, to_q: &to_b, to_p: &to_a };
    let start = track.filter(|t| exists(a, t.parts[0]) && exists(b, t.parts[1]));
    let mut parts = start.map_or_else(|| cold_start(&pair), |t| t.parts);
    let limit = 50 + (a.edge_count() + b.edge_count()) as u32;
    let mut milestone = parts;
    let mut cycles = 0;
    let mut ending = Ending::Walked;
    let inside = start.filter(|t| t.status == Status::Penetrating);
    let inside = inside.and_then(|t| settle::still_inside(&pair, t.parts));
    let contact = loop {
        cycles += 1;
        match inside.map_or_else(|| vclip::step(&pair, parts), Next::Penetrating) {
            Next::Go(next) => parts = next,
            Next::Separated => {
                let contact = points::separated(&pair, parts, scratch);
                if settle::clear(&pair, parts, &contact) {
                    break contact;
                }
                ending = Ending::Compared;
                let (found, contact) = settle::compare(&pair, scratch);
                parts = found;
                break contact;
            }
            Next::Penetrating(found) => {
                parts = found;
                break points::penetrating(&pair, parts);
            }
        }
        if parts == milestone || cycles >= limit {
            let settled = settle::circle(&pair, parts, scratch);
            ending = if settled.is_some() { Ending::Settled } else { Ending::Compared };
            let (found, contact) = settled.unwrap_or_else(|| settle::compare(&pair, scratch));
            parts = found;
            break contact;
        }
        if cycles.is_power_of_two() {
            milestone = parts;
        }
    };
    *track = Some(Track { parts, status: contact.status });
    let ClosestPoints { status, distance, points, normal, parts } = contact;
    let points = points.map(|x| pose_a.position + pose_a.rotation * x);
    let normal = pose_a.rotation * normal;
    Closest { status, distance, points, normal, parts, cycles, ending }
}

/// Whether the polyhedron has the part.
fn exists(p: &Polyhedron, part: Part) -> bool {
    match part {
        Part::Vertex(v) => (v as usize) < p.vertices().len(),
        Part::Edge(h) => (h as usize) < p.half_edges().len(),
        Part::Face(f) => (f as usize) < p.faces().len(),
    }
}

/// The corners that lie farthest towards the other body's origin.
fn cold_start(pair: &Pair<'_>) -> [Part; 2] {
    let va = pair.p.climb(pair.to_p.t, 0);
    let vb = pair.q.climb(pair.to_q.t, 0);
    [Part::Vertex(va), Part::Vertex(vb)]
}
