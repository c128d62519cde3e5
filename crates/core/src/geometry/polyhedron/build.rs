//! Half-edge polyhedra from convex hulls.

use glam::DVec3;

use super::{Face, HalfEdge, Polyhedron};
use crate::geometry::{HalfSpace, Hull, HullError};

/// The polyhedron of a hull. Triangles in one plane become one face; if rounding spoils that (faces
/// in several pieces, a wrong Euler number), every triangle stays a face of its own.
pub(super) fn from_hull(hull: &Hull) -> Result<Polyhedron, HullError> {
    let alone: Vec<u32> = (0..hull.mesh.triangles.len() as u32).collect();
    assemble(hull, &flat_groups(hull))
        .or_else(|| assemble(hull, &alone))
        .ok_or(HullError::IllConditioned)
}

/// The plane of each triangle, but only where all triangles of the plane lie in it to rounding. The
/// hull merges planes within 10⁻⁸ of its size, which would let neighbouring faces stick out of
/// each other by as much.
fn flat_groups(hull: &Hull) -> Vec<u32> {
    let mesh = &hull.mesh;
    let slack = 1e-13 * mesh.bounds().size().length();
    let mut planes = vec![(DVec3::ZERO, 0.0, 0.0); hull.planes.len()];
    for (t, &g) in hull.plane_of.iter().enumerate() {
        let [a, b, c] = mesh.corners(t);
        planes[g as usize].0 += (b - a).cross(c - a);
    }
    let corners = |t: usize| mesh.corners(t).into_iter();
    let each = || hull.plane_of.iter().enumerate().map(|(t, &g)| (t, g as usize));
    for plane in &mut planes {
        *plane = (plane.0.normalize_or_zero(), f64::INFINITY, f64::NEG_INFINITY);
    }
    for (t, g) in each() {
        let (normal, low, high) = &mut planes[g];
        for height in corners(t).map(|x| normal.dot(x)) {
            (*low, *high) = (low.min(height), high.max(height));
        }
    }
    let first_free = hull.planes.len() as u32;
    let is_flat = |g: usize| planes[g].2 - planes[g].1 <= slack;
    each().map(|(t, g)| if is_flat(g) { g as u32 } else { first_free + t as u32 }).collect()
}

/// Links the half edges between different groups of triangles.
fn assemble(hull: &Hull, group: &[u32]) -> Option<Polyhedron> {
    let triangles = &hull.mesh.triangles;
    let twins = triangle_twins(triangles)?;
    let group_of = |c: usize| group[c / 3];
    let turn = |c: usize| c - c % 3 + (c + 1) % 3;
    // Only half edges with different groups on their sides remain.
    let kept: Vec<usize> =
        (0..twins.len()).filter(|&c| group_of(c) != group_of(twins[c])).collect();
    let mut name = vec![u32::MAX; twins.len()];
    for (e, &c) in kept.iter().filter(|&&c| c < twins[c]).enumerate() {
        (name[c], name[twins[c]]) = (2 * e as u32, 2 * e as u32 + 1);
    }
    let (vertices, vertex_name) = used_vertices(hull, &kept);
    let mut next = vec![0; kept.len()];
    let mut origin = vec![0; kept.len()];
    for &c in &kept {
        let mut after = turn(c);
        for _ in 0..twins.len() {
            if group_of(after) != group_of(twins[after]) {
                break;
            }
            after = turn(twins[after]);
        }
        if name[after] == u32::MAX {
            return None;
        }
        next[name[c] as usize] = name[after];
        origin[name[c] as usize] = vertex_name[triangles[c / 3][c % 3] as usize];
    }
    link(vertices, &origin, &next)
}

/// For each side `3 t + k` of triangle t the side of the neighbour that runs the other way.
fn triangle_twins(triangles: &[[u32; 3]]) -> Option<Vec<usize>> {
    let mut sides: Vec<([u32; 2], usize)> = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            sides.push(([corners[k], corners[(k + 1) % 3]], 3 * t + k));
        }
    }
    sides.sort_unstable();
    let mut twins = vec![0; sides.len()];
    for &([a, b], c) in &sides {
        let at = sides.binary_search_by_key(&[b, a], |side| side.0).ok()?;
        twins[c] = sides[at].1;
    }
    Some(twins)
}

/// The corners at which a kept side starts, and their new names.
fn used_vertices(hull: &Hull, kept: &[usize]) -> (Vec<DVec3>, Vec<u32>) {
    let mut used = vec![false; hull.mesh.vertices.len()];
    for &c in kept {
        used[hull.mesh.triangles[c / 3][c % 3] as usize] = true;
    }
    let mut vertices = Vec::new();
    let mut name = vec![u32::MAX; used.len()];
    for v in (0..used.len()).filter(|&v| used[v]) {
        name[v] = vertices.len() as u32;
        vertices.push(hull.mesh.vertices[v]);
    }
    (vertices, name)
}

/// Numbers the faces, computes directions and planes, and checks the Euler number.
fn link(vertices: Vec<DVec3>, origin: &[u32], next: &[u32]) -> Option<Polyhedron> {
    let count = next.len();
    let mut face_of = vec![u32::MAX; count];
    let mut faces = Vec::new();
    for start in 0..count {
        if face_of[start] != u32::MAX {
            continue;
        }
        let mut rim = Vec::new();
        let mut h = start;
        while face_of[h] == u32::MAX {
            face_of[h] = faces.len() as u32;
            rim.push(vertices[origin[h] as usize]);
            h = next[h] as usize;
        }
        if h != start || rim.len() < 3 {
            return None;
        }
        faces.push(Face { plane: plane_of(&rim)?, first: start as u32 });
    }
    if vertices.len() + faces.len() != count / 2 + 2 {
        return None;
    }
    let mut half_edges = Vec::with_capacity(count);
    let mut first = vec![0; vertices.len()];
    for h in 0..count {
        let tail = vertices[origin[h] as usize];
        // The direction of the even side, so that both sides agree to the last bit.
        let along = vertices[origin[h | 1] as usize] - vertices[origin[h & !1] as usize];
        let length = along.length();
        let u = along.try_normalize()? * if h & 1 == 0 { 1.0 } else { -1.0 };
        let side = faces[face_of[h] as usize].plane.normal.cross(u).try_normalize()?;
        let (origin, face, around) = (origin[h], face_of[h], next[h ^ 1]);
        first[origin as usize] = h as u32;
        half_edges.push(HalfEdge { tail, u, side, length, origin, next: next[h], around, face });
    }
    Some(Polyhedron { vertices, first, half_edges, faces })
}

/// The plane of a polygon: its area vector (Newell), at the mean height of its corners.
fn plane_of(rim: &[DVec3]) -> Option<HalfSpace> {
    let o = rim[0];
    let twice: DVec3 = (1..rim.len() - 1).map(|k| (rim[k] - o).cross(rim[k + 1] - o)).sum();
    let normal = twice.try_normalize()?;
    let offset = rim.iter().map(|&x| normal.dot(x)).sum::<f64>() / rim.len() as f64;
    Some(HalfSpace { normal, offset })
}
