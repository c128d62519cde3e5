//! Signed distances against closed forms and brute force, in turned poses.

use glam::{DQuat, DVec2, DVec3};

use super::{Body, BodyError, Motion, Pose, Shape};
use crate::geometry::{Aabb, TriangleMesh, closest_point_on_triangle, convex_hull};

/// Points without a pattern in a cube of the half edge `size`.
fn scatter(n: usize, size: f64) -> impl Iterator<Item = DVec3> {
    (0..n).map(move |i| {
        let f = i as f64 + 0.5;
        size * DVec3::new((f * 12.9898).sin(), (f * 78.233).sin(), (f * 37.719).sin())
    })
}

fn turned(mut body: Body) -> Body {
    let rotation = DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -1.2, 2.1);
    body.pose = Pose { position: DVec3::new(0.3, -0.8, 0.5), rotation };
    body
}

/// Distance and normal must fit together: going back along the normal meets the surface, and the
/// normal is the gradient.
fn assert_consistent(body: &Body, points: impl Iterator<Item = DVec3>) {
    for p in points {
        let p = body.pose.to_world(p);
        let d = body.signed_distance(p);
        assert!((d.normal.length() - 1.0).abs() < 1e-12);
        let foot = body.signed_distance(p - d.distance * d.normal);
        assert!(foot.distance.abs() < 1e-9, "{} at {p}: {d:?}, {foot:?}", body.name);
        let h = 1e-6;
        let ahead = body.signed_distance(p + h * d.normal).distance;
        let behind = body.signed_distance(p - h * d.normal).distance;
        let slope = (ahead - behind) / (2.0 * h);
        assert!((slope - 1.0).abs() < 1e-4 || d.distance < 0.0, "{} at {p}: {slope}", body.name);
    }
}

/// Distance to a mesh by asking every triangle, sign by the winding number.
fn brute_force(mesh: &TriangleMesh, p: DVec3) -> f64 {
    let mut best = f64::INFINITY;
    let mut solid_angle = 0.0;
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t);
        best = best.min(closest_point_on_triangle(p, corners).0.distance(p));
        let [a, b, c] = corners.map(|v| v - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        solid_angle += 2.0 * a.dot(b.cross(c)).atan2(below);
    }
    if solid_angle > std::f64::consts::TAU { -best } else { best }
}

/// A sphere of triangles with corners on the unit sphere.
fn ball_mesh(n: usize) -> TriangleMesh {
    let points: Vec<DVec3> = (0..n)
        .map(|i| {
            let y = 1.0 - (2.0 * i as f64 + 1.0) / n as f64;
            let (s, c) = (i as f64 * 2.399_963_229_728_653).sin_cos();
            let r = (1.0 - y * y).sqrt();
            DVec3::new(r * c, y, r * s)
        })
        .collect();
    convex_hull(&points).unwrap().mesh
}

/// An L-shaped solid: not convex.
pub(super) fn l_mesh() -> TriangleMesh {
    let outline = [(0., 0.), (2., 0.), (2., 1.), (1., 1.), (1., 2.), (0., 2.)];
    let vertices = [0.0, 1.0]
        .iter()
        .flat_map(|&z| outline.iter().map(move |&(x, y)| DVec3::new(x, y, z)))
        .collect();
    let mut triangles = Vec::new();
    for t in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.push([t[2], t[1], t[0]]);
        triangles.push(t.map(|v| v + 6));
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    TriangleMesh { vertices, triangles }
}

#[test]
fn plane_distance_is_the_height() {
    for normal in [DVec3::Y, -DVec3::Y, DVec3::new(1.0, -2.0, 0.5), DVec3::new(1e-9, -1.0, 1e-9)] {
        let point = DVec3::new(0.2, 0.4, -0.1);
        let body = Body::plane("plane", point, normal).unwrap();
        for p in scatter(50, 2.0) {
            let d = body.signed_distance(p);
            assert!((d.distance - normal.normalize().dot(p - point)).abs() < 1e-12);
            assert!(d.normal.distance(normal.normalize()) < 1e-12);
        }
    }
}

#[test]
fn planes_of_the_plane_turn_about_z() {
    for angle in 0..12 {
        let (s, c) = f64::from(angle).sin_cos();
        let body = Body::plane("wall", DVec3::ZERO, DVec3::new(s, c, 0.0)).unwrap();
        assert_eq!((body.pose.rotation.x, body.pose.rotation.y), (0.0, 0.0));
        assert!(body.signed_distance(DVec3::new(0.3, 0.1, 0.0)).normal.z == 0.0);
    }
}

#[test]
fn cuboid_distance_matches_its_mesh() {
    let half = DVec3::new(0.5, 0.8, 1.1);
    let mesh = convex_hull(&Aabb::new(-half, half).corners()).unwrap().mesh;
    let body = turned(Body::cuboid("box", -half, half).unwrap());
    for p in scatter(500, 2.0) {
        let d = body.signed_distance(body.pose.to_world(p));
        assert!((d.distance - brute_force(&mesh, p)).abs() < 1e-12);
    }
    assert_consistent(&body, scatter(500, 1.5));
}

#[test]
fn container_is_a_cuboid_turned_inside_out_but_for_open_sides() {
    let half = DVec3::new(0.5, 0.8, 1.1);
    let closed = Body::container("tank", -half, half, [[false; 2]; 3]).unwrap();
    let cuboid = Body::cuboid("box", -half, half).unwrap().into_hollow();
    for p in scatter(300, 1.0).map(|p| p * half) {
        assert_eq!(closed.signed_distance(p), cuboid.signed_distance(p));
        assert!(closed.signed_distance(p).distance >= 0.0);
    }
    let open = [[false, false], [false, true], [false, false]];
    let open = turned(Body::container("tank", -half, half, open).unwrap());
    let above = open.signed_distance(open.pose.to_world(DVec3::new(0.4, 5.0, 0.0)));
    assert!((above.distance - 0.1).abs() < 1e-12);
    assert!(open.signed_distance(open.pose.to_world(DVec3::new(0.0, -0.9, 0.0))).distance < 0.0);
    let all_open = [[true; 2], [true; 2], [false; 2]];
    let planar = Body::container("tank", half.with_z(0.0), 2.0 * half.with_z(0.0), all_open);
    assert_eq!(planar.unwrap_err(), BodyError::NoWalls);
}

#[test]
fn sphere_distance_in_both_senses() {
    let body = turned(Body::sphere("ball", DVec3::ZERO, 0.7).unwrap());
    for p in scatter(200, 1.0) {
        let d = body.signed_distance(body.pose.to_world(p)).distance;
        assert!((d - (p.length() - 0.7)).abs() < 1e-12);
    }
    assert_consistent(&body, scatter(200, 1.0));
    assert_consistent(&body.clone().into_hollow(), scatter(200, 1.0));
    assert!(
        (body.into_hollow().signed_distance(DVec3::new(0.3, -0.8, 0.5)).distance - 0.7).abs()
            < 1e-12
    );
}

#[test]
fn polyhedron_distance_matches_its_mesh() {
    let points: Vec<DVec3> = scatter(30, 1.0).collect();
    let body = turned(Body::polyhedron("stone", &points).unwrap());
    let Shape::Polyhedron(stone) = &body.shape else { unreachable!() };
    for p in scatter(500, 1.5) {
        let d = body.signed_distance(body.pose.to_world(p));
        assert!((d.distance - brute_force(stone.mesh(), p)).abs() < 1e-12);
    }
    assert!(stone.centroid().length() < 1e-12);
    assert_consistent(&body, scatter(300, 1.5));
    assert_consistent(&body.clone().into_hollow(), scatter(300, 1.5));
}

#[test]
fn polygon_and_rectangle_agree_and_ignore_z() {
    let corners = [(0., 0.), (2., 0.), (2., 1.), (0., 1.)].map(|(x, y)| DVec2::new(x, y));
    let polygon = Body::polygon("plate", &corners).unwrap();
    let cuboid = Body::cuboid("plate", DVec3::ZERO, DVec3::new(2.0, 1.0, 0.0)).unwrap();
    for p in scatter(300, 3.0) {
        let p = p.with_z(0.0);
        let (a, b) = (polygon.signed_distance(p), cuboid.signed_distance(p));
        assert!((a.distance - b.distance).abs() < 1e-12);
        assert_eq!((a.normal.z, b.normal.z), (0.0, 0.0));
        assert_eq!(cuboid.signed_distance(p.with_z(9.0)).distance.to_bits(), b.distance.to_bits());
    }
    assert!(polygon.bounds().max.z.is_infinite() && cuboid.bounds().max.z.is_infinite());
    assert!((polygon.bounds().max.x - 2.0).abs() < 1e-12);
    assert!((cuboid.rotated(DQuat::from_rotation_z(1.0)).bounds().center().x - 1.0).abs() < 1e-12);
}

#[test]
fn mesh_distance_matches_brute_force() {
    for mesh in [l_mesh(), ball_mesh(200)] {
        let body = turned(Body::mesh("mesh", mesh).unwrap());
        let Shape::Mesh(distance) = &body.shape else { unreachable!() };
        for p in scatter(1000, 1.6) {
            let d = body.signed_distance(body.pose.to_world(p)).distance;
            assert!((d - brute_force(distance.mesh(), p)).abs() < 1e-12, "{p}");
        }
        assert_consistent(&body, scatter(300, 1.6));
        assert_consistent(&body.clone().into_hollow(), scatter(300, 1.6));
    }
}

#[test]
fn mesh_of_a_sphere_is_nearly_a_sphere_and_of_a_cube_a_cube() {
    let ball = Body::mesh("ball", ball_mesh(2000)).unwrap();
    for p in scatter(500, 1.5) {
        let exact = p.length() - 1.0;
        assert!((ball.signed_distance(p).distance - exact).abs() < 0.004);
    }
    let half = DVec3::new(0.5, 0.8, 1.1);
    let mesh = convex_hull(&Aabb::new(-half, half).corners()).unwrap().mesh;
    let mesh = Body::mesh("box", mesh).unwrap();
    let cuboid = Body::cuboid("box", -half, half).unwrap();
    for p in scatter(500, 1.5) {
        let (a, b) = (mesh.signed_distance(p), cuboid.signed_distance(p));
        assert!((a.distance - b.distance).abs() < 1e-12);
    }
}

#[test]
fn bounds_hold_the_solid() {
    let points: Vec<DVec3> = scatter(20, 1.0).collect();
    for body in [
        turned(Body::cuboid("a", -DVec3::ONE, DVec3::new(1.0, 2.0, 0.5)).unwrap()),
        turned(Body::polyhedron("b", &points).unwrap()),
        turned(Body::mesh("c", l_mesh()).unwrap()),
        turned(Body::sphere("d", DVec3::ONE, 0.3).unwrap()),
    ] {
        let bounds = body.bounds();
        assert!(bounds.is_finite());
        for p in scatter(2000, 3.0) {
            assert!(body.signed_distance(p).distance > 0.0 || bounds.contains(p));
        }
    }
}

#[test]
fn forces_add_up_about_the_position() {
    let mut body = Body::sphere("ball", DVec3::X, 1.0).unwrap();
    body.add_force_at(DVec3::Y, DVec3::new(3.0, 0.0, 0.0));
    body.add_force_and_torque(DVec3::Y, DVec3::X);
    assert_eq!((body.force, body.torque), (2.0 * DVec3::Y, DVec3::new(1.0, 0.0, 2.0)));
    body.clear_forces();
    assert_eq!((body.force, body.torque), (DVec3::ZERO, DVec3::ZERO));
}

#[test]
fn drum_carries_its_wall_along() {
    let spin = Motion::Rotation {
        axis: DVec3::Z,
        point: DVec3::X,
        rate: 2.0,
        start: 0.0,
        stop: f64::INFINITY,
    };
    let mut drum = Body::sphere("drum", DVec3::X, 1.0).unwrap().into_hollow().with_motion(spin);
    assert!(drum.is_moving());
    drum.set_time(1000.0);
    assert!(drum.pose.position.distance(DVec3::X) < 1e-12);
    assert!(drum.velocity_at(DVec3::new(2.0, 0.0, 0.0)).distance(2.0 * DVec3::Y) < 1e-12);
}

#[test]
fn bad_bodies_are_refused() {
    let at = DVec3::ZERO;
    assert!(matches!(Body::sphere("s", at, -1.0), Err(BodyError::Radius { .. })));
    assert!(matches!(Body::sphere("s", DVec3::NAN, 1.0), Err(BodyError::NotFinite { .. })));
    assert!(matches!(Body::plane("p", at, at), Err(BodyError::ZeroDirection { .. })));
    assert!(matches!(Body::cuboid("c", DVec3::ONE, at), Err(BodyError::EmptyBox { .. })));
    assert!(matches!(Body::polyhedron("h", &[at; 9]), Err(BodyError::Hull(_))));
    assert!(matches!(Body::mesh("m", TriangleMesh::default()), Err(BodyError::Mesh(_))));
}
