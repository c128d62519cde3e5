//! A polyhedron over a plane.

use lawine_core::geometry::{HalfSpace, Part, Polyhedron};

use super::{Closest, Ending, Pose, Status, Track};

/// The lowest corner of a body over the plane of a half space in space, found by walking from that of
/// the step before.
pub fn lowest(
    (p, pose): (&Polyhedron, &Pose),
    plane: &HalfSpace,
    track: &mut Option<Track>,
) -> Closest {
    let start = match track {
        Some(Track { parts: [Part::Vertex(v), _], .. }) if (*v as usize) < p.vertices().len() => *v,
        _ => 0,
    };
    let v = p.climb(pose.rotation.transpose() * -plane.normal, start);
    let x = pose.position + pose.rotation * p.vertex(v);
    let distance = plane.distance(x);
    let status = if distance < 0.0 { Status::Penetrating } else { Status::Separated };
    let parts = [Part::Vertex(v), Part::Face(0)];
    *track = Some(Track { parts, status });
    Closest {
        status,
        distance,
        points: [x, x - distance * plane.normal],
        normal: -plane.normal,
        parts,
        cycles: 1,
        ending: Ending::Walked,
    }
}
