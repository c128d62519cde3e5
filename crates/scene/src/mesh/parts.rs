//! Concave meshes as sets of convex parts.

use glam::DVec3;
use lawine_core::geometry::{Polyhedron, TriangleMesh};
use parry3d::math::Vector;
use parry3d::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d::transformation::voxelization::FillMode;

/// Corners of a part may lie this much outside of it, in sizes of the mesh: it has fewer of them, and
/// none that is there by rounding.
const SLACK: f64 = 1e-3;

/// Parts are joined if no more than this fraction of the mesh's volume comes in between.
const SPARE: f64 = 0.01;

/// Cells of the decomposition along the longest side of the mesh.
const CELLS: u32 = 64;

/// The corners of at most `max_parts` convex bodies that fill a closed mesh about as well as they
/// can: approximate convex decomposition (Mamou and Ghorbel 2009, V-HACD), whose parts keep the
/// surface of the mesh.
pub fn convex_parts(mesh: &TriangleMesh, max_parts: u32) -> Vec<Vec<DVec3>> {
    if let Ok(hull) = Polyhedron::new(&mesh.vertices)
        && mesh.volume() > (1.0 - 1e-6) * hull.mesh().volume()
    {
        return vec![hull.vertices().to_vec()];
    }
    let bounds = mesh.bounds();
    let (center, size) = (bounds.center(), bounds.size().max_element());
    let single = |v: &DVec3| Vector::from(((*v - center) / size).as_vec3().to_array());
    let points: Vec<Vector> = mesh.vertices.iter().map(single).collect();
    let parameters = VHACDParameters {
        concavity: 0.01,
        resolution: CELLS,
        max_convex_hulls: max_parts,
        fill_mode: FillMode::FloodFill { detect_cavities: false },
        convex_hull_approximation: false,
        ..VHACDParameters::default()
    };
    let parts = VHACD::decompose(&parameters, &points, &mesh.triangles, true);
    let parts = parts.compute_primitive_intersections(&points, &mesh.triangles);
    let corners = parts.iter().filter_map(|part| {
        let points = part.iter().map(|p| DVec3::from(p.to_array().map(f64::from)));
        corners(&points.collect::<Vec<_>>())
    });
    let volume = mesh.volume() / size.powi(3);
    let merged = merged(corners.collect(), max_parts as usize, SPARE * volume);
    merged.into_iter().map(|part| part.into_iter().map(|v| center + size * v).collect()).collect()
}

/// Joins parts, those first that leave the least room between them, until `most` are left and any
/// further two would leave more than `spare`.
fn merged(mut parts: Vec<Vec<DVec3>>, most: usize, spare: f64) -> Vec<Vec<DVec3>> {
    let volume = |part: &[DVec3]| Polyhedron::new(part).map_or(0.0, |p| p.mesh().volume());
    let mut volumes: Vec<f64> = parts.iter().map(|part| volume(part)).collect();
    loop {
        let mut best: Option<(f64, usize, usize, Vec<DVec3>)> = None;
        for i in 0..parts.len() {
            for j in i + 1..parts.len() {
                let Some(joined) = corners(&[&parts[i][..], &parts[j][..]].concat()) else {
                    continue;
                };
                let room = volume(&joined) - volumes[i] - volumes[j];
                if best.as_ref().is_none_or(|(least, ..)| room < *least) {
                    best = Some((room, i, j, joined));
                }
            }
        }
        let Some((room, i, j, joined)) = best else { return parts };
        if room > spare && parts.len() <= most {
            return parts;
        }
        volumes[i] = volume(&joined);
        parts[i] = joined;
        parts.remove(j);
        volumes.remove(j);
    }
}

/// The corners of the convex hull of points within the slack: the outermost ones are added until no
/// point lies farther out. Nothing for points in a plane.
fn corners(points: &[DVec3]) -> Option<Vec<DVec3>> {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points.iter().copied().max_by(|a, b| measure(*a).total_cmp(&measure(*b)))
    };
    let a = farthest(&|p| p.x)?;
    let b = farthest(&|p| p.distance(a))?;
    let c = farthest(&|p| (p - a).cross(b - a).length())?;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let d = farthest(&|p| normal.dot(p - a).abs())?;
    let mut chosen = vec![a, b, c, d];
    if normal.dot(d - a).abs() < SLACK {
        return None;
    }
    loop {
        let hull = Polyhedron::new(&chosen).ok()?;
        let next = farthest(&|p| hull.outermost_face(p).0)?;
        if hull.outermost_face(next).0 <= SLACK || chosen.len() >= points.len() {
            return Some(hull.vertices().to_vec());
        }
        chosen.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_core::geometry::{MassProperties, block};

    /// A beam with an L, a U or any other outline in the x-y plane, one metre deep.
    fn beam(outline: &[(f64, f64)], caps: &[[u32; 3]]) -> TriangleMesh {
        let n = outline.len() as u32;
        let at = |z: f64| outline.iter().map(move |&(x, y)| DVec3::new(x, y, z));
        let vertices = at(0.0).chain(at(1.0)).collect();
        let mut triangles: Vec<[u32; 3]> = caps.iter().map(|&[a, b, c]| [a, c, b]).collect();
        triangles.extend(caps.iter().map(|t| t.map(|k| k + n)));
        for k in 0..n {
            let m = (k + 1) % n;
            triangles.extend([[k, m, m + n], [k, m + n, k + n]]);
        }
        TriangleMesh { vertices, triangles }
    }

    fn volume(parts: &[Vec<DVec3>]) -> f64 {
        let of = |p: &Vec<DVec3>| {
            MassProperties::of_mesh(&Polyhedron::new(p).unwrap().mesh(), 1.0).volume
        };
        parts.iter().map(of).sum()
    }

    #[test]
    fn an_angle_falls_into_two_boxes() {
        let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
        let mesh = beam(&outline, &[[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]]);
        mesh.check_closed().unwrap();
        assert!((mesh.volume() - 3.0).abs() < 1e-12);
        let parts = convex_parts(&mesh, 16);
        assert!((2..=4).contains(&parts.len()), "{}", parts.len());
        let v = volume(&parts);
        assert!((v / 3.0 - 1.0).abs() < 0.05, "{v}");
        assert_eq!(parts, convex_parts(&mesh, 16));
    }

    #[test]
    fn a_convex_mesh_is_one_part_with_its_own_corners() {
        let cube = block(DVec3::new(0.02, 0.01, 0.03)).unwrap();
        let parts = convex_parts(&cube.mesh(), 16);
        assert_eq!((parts.len(), parts[0].len()), (1, 8));
        assert!((volume(&parts) / 6e-6 - 1.0).abs() < 1e-12);
    }
}
