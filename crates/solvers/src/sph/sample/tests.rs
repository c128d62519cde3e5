//! Tests of the samples: sums of volume times kernel, evenness, counts.

use std::f64::consts::PI;

use glam::{DQuat, DVec2, DVec3};

use super::{MAX_SAMPLES, Sample, SampleError, sample_layers};
use lawine_core::body::Body;
use lawine_core::geometry::{Aabb, EllipsoidGrain, Random, TriangleMesh, convex_hull};

/// An L-shaped solid: not convex.
fn l_mesh() -> TriangleMesh {
    let outline = [(0., 0.), (2., 0.), (2., 1.), (1., 1.), (1., 2.), (0., 2.)];
    let at = |z: f64| outline.map(|(x, y)| DVec3::new(x, y, z));
    let mut triangles = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.extend([[c, b, a], [a + 6, b + 6, c + 6]]);
    }
    for (i, j) in (0..6).map(|i| (i, (i + 1) % 6)) {
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    TriangleMesh { vertices: [at(0.0), at(1.0)].concat(), triangles }
}

/// Cubic spline with the support 2 h.
fn kernel(r: f64, h: f64, planar: bool) -> f64 {
    let q = r / h;
    let sigma = if planar { 10.0 / (7.0 * PI * h * h) } else { 1.0 / (PI * h * h * h) };
    let (a, b) = ((2.0 - q).max(0.0), (1.0 - q).max(0.0));
    sigma * (0.25 * a * a * a - b * b * b)
}

/// Sum of volume times kernel at a local point.
fn coverage(samples: &[Sample], p: DVec3, d: f64, planar: bool) -> f64 {
    samples.iter().map(|s| s.volume * kernel(s.position.distance(p), d, planar)).sum()
}

/// The same for a perfect lattice in the half space below, seen from d/2 above it.
fn half_space(d: f64, planar: bool) -> f64 {
    let body = Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap();
    let region = Aabb::EMPTY.with_point(DVec3::ZERO).grow(3.0 * d);
    let samples = sample_layers(&body, d, 3, planar, Some(&region)).unwrap();
    let z = if planar { 0.0 } else { 0.5 * d };
    coverage(&samples, DVec3::new(0.5 * d, 0.5 * d, z), d, planar)
}

fn total(samples: &[Sample]) -> f64 {
    samples.iter().map(|s| s.volume).sum()
}

fn assert_close(value: f64, expected: f64, tolerance: f64) {
    let error = (value - expected).abs() / expected.abs();
    assert!(error < tolerance, "{value} is not {expected}: error {error:.4}");
}

#[test]
fn liquid_in_a_container_sees_a_perfect_lattice() {
    for planar in [true, false] {
        let d = 0.1;
        let top = DVec3::new(0.8, 0.6, if planar { 0.0 } else { 0.7 });
        let open = [[false, false], [false, true], [false, false]];
        let body = Body::container("tank", DVec3::ZERO, top, open).unwrap();
        let walls = sample_layers(&body, d, 3, planar, None).unwrap();
        let mut liquid = Vec::new();
        for i in 0..8 {
            for j in 0..6 {
                for k in 0..if planar { 1 } else { 7 } {
                    let z = if planar { 0.0 } else { f64::from(k) + 0.5 };
                    let p = d * DVec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, z);
                    let position = body.pose.to_local(p);
                    let volume = if planar { d * d } else { d * d * d };
                    liquid.push(Sample { position, volume });
                }
            }
        }
        // Two rows below the open top everything is full, in the corners as well.
        for s in liquid.iter().filter(|s| s.position.y < 0.3 - 2.0 * d) {
            let sum =
                coverage(&walls, s.position, d, planar) + coverage(&liquid, s.position, d, planar);
            assert!((sum - 1.0).abs() < 0.002, "{sum}");
        }
        let highest = walls.iter().map(|s| s.position.y).fold(f64::MIN, f64::max);
        assert!((highest - (0.3 - 0.5 * d)).abs() < 1e-12);
        let depth = |s: &Sample| -body.local_distance(s.position).distance;
        assert!(walls.iter().all(|s| depth(s) > 0.49 * d && depth(s) < 2.51 * d));
    }
}

#[test]
fn cuboid_shells_have_the_right_volume_and_thin_ones_are_filled() {
    let d = 0.1;
    let cuboid =
        |x: f64, y: f64, z: f64| Body::cuboid("box", DVec3::ZERO, DVec3::new(x, y, z)).unwrap();
    let shell = sample_layers(&cuboid(1.0, 1.2, 0.83), d, 2, false, None).unwrap();
    assert_eq!(shell.len(), 10 * 12 * 8 - 6 * 8 * 4);
    let full = sample_layers(&cuboid(0.33, 1.2, 0.9), d, 2, false, None).unwrap();
    assert_close(total(&full), 0.33 * 1.2 * 0.9, 1e-12);
    let flat = sample_layers(&cuboid(1.0, 0.01, 0.0), d, 3, true, None).unwrap();
    assert_eq!(flat.len(), 10);
    assert_close(total(&flat), 0.01, 1e-12);
    assert!(flat.iter().all(|s| s.position.z == 0.0));
    let hollow = cuboid(0.5, 0.5, 0.5).into_hollow();
    assert_eq!(sample_layers(&hollow, d, 1, false, None).unwrap().len(), 343 - 125);
}

#[test]
fn tilted_plane_covers_its_region_only() {
    let d = 0.05;
    for planar in [true, false] {
        let normal = DVec3::new(1.0, 2.0, if planar { 0.0 } else { 0.7 });
        let body = Body::plane("slope", DVec3::new(0.1, 0.2, 0.0), normal).unwrap();
        let region = Aabb::new(-DVec3::ONE, DVec3::ONE);
        let samples = sample_layers(&body, d, 3, planar, Some(&region)).unwrap();
        let z = if planar { 0.0 } else { 0.5 * d };
        let coverage = coverage(&samples, DVec3::new(0.5 * d, 0.5 * d, z), d, planar);
        assert_close(coverage, half_space(d, planar), 1e-9);
        let grown = region.grow(3.001 * d);
        assert!(samples.iter().all(|s| grown.contains(body.pose.to_world(s.position))));
        assert!(!planar || samples.iter().all(|s| s.position.z == 0.0));
        let without = sample_layers(&body, d, 3, planar, None);
        assert!(matches!(without, Err(SampleError::RegionNeeded { .. })));
        let upper = sample_layers(&body.into_hollow(), d, 3, planar, Some(&region)).unwrap();
        assert!(upper.iter().all(|s| s.position.y > 0.0));
    }
}

#[test]
fn spheres_have_exact_volumes_and_an_even_surface() {
    let (r, d) = (1.0, 0.05);
    for (planar, hollow) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut body = Body::sphere("ball", DVec3::ZERO, r).unwrap();
        body.hollow = hollow;
        let samples = sample_layers(&body, d, 3, planar, None).unwrap();
        let ball = |r: f64| if planar { PI * r * r } else { 4.0 / 3.0 * PI * r * r * r };
        let other = if hollow { r + 3.0 * d } else { r - 3.0 * d };
        assert_close(total(&samples), (ball(r) - ball(other)).abs(), 1e-12);
        let at = if hollow { r - 0.5 * d } else { r + 0.5 * d };
        for i in 0..40 {
            let (s, c) = (0.37 * f64::from(i)).sin_cos();
            let y = if planar { 0.0 } else { (f64::from(i) - 19.5) / 21.0 };
            let w = (1.0_f64 - y * y).sqrt();
            let direction =
                if planar { DVec3::new(c, s, 0.0) } else { DVec3::new(w * c, y, w * s) };
            let coverage = coverage(&samples, at * direction, d, planar);
            assert_close(coverage, half_space(d, planar), 0.15);
        }
    }
    let small = Body::sphere("pea", DVec3::ZERO, 0.12).unwrap();
    for planar in [true, false] {
        let samples = sample_layers(&small, 0.05, 5, planar, None).unwrap();
        let full = if planar { PI * 0.12_f64.powi(2) } else { 4.0 / 3.0 * PI * 0.12_f64.powi(3) };
        assert_close(total(&samples), full, 1e-12);
        assert!(samples.iter().all(|s| s.position.length() < 0.12));
        assert!(!planar || samples.iter().all(|s| s.position.z == 0.0));
    }
}

#[test]
fn round_solids_have_their_volume_and_look_nearly_flat() {
    let d = 0.05;
    let (start, end) = (DVec3::new(0.0, -0.5, 0.0), DVec3::new(0.0, 0.5, 0.0));
    for hollow in [false, true] {
        let bodies = [
            Body::cone("cylinder", start, end, [0.5, 0.5]),
            Body::cone("cone", start, end, [0.6, 0.3]),
            Body::capsule("capsule", start, end, 0.5),
        ];
        for mut body in bodies.map(Result::unwrap) {
            body.hollow = hollow;
            let samples = sample_layers(&body, d, 3, false, None).unwrap();
            // On the edge of less than a right angle samples of both faces may come close.
            if body.name != "cone" {
                assert_no_twins(&samples, 0.3 * d);
            }
            for s in &samples {
                let depth = -body.local_distance(s.position).distance / d;
                assert!((depth - depth.floor() - 0.5).abs() < 0.05, "{}: {depth}", body.name);
            }
            let mut worst: f64 = 0.0;
            for i in 0..60 {
                // Half a spacing in front of the side, away from its rims.
                let (s, c) = (0.37 * f64::from(i)).sin_cos();
                let y = 0.3 * (f64::from(i) / 30.0 - 1.0);
                let mut p = DVec3::new(0.5 * c, y, 0.5 * s);
                for _ in 0..20 {
                    let found = body.local_distance(p);
                    p += (0.5 * d - found.distance) * found.normal;
                }
                let coverage = coverage(&samples, p, d, false) / half_space(d, false);
                worst = worst.max((coverage - 1.0).abs());
            }
            // A bent wall has less behind it than a flat one, or more: d/r = 10 %.
            assert!(worst < 0.15, "{}, hollow {hollow}: {worst}", body.name);
        }
    }
}

#[test]
fn stadiums_have_exact_areas() {
    let d = 0.05;
    let (start, end) = (DVec3::new(0.2, 0.1, 0.0), DVec3::new(1.2, 0.6, 0.0));
    let length = start.distance(end);
    for radius in [0.3, 0.12, 0.03] {
        for hollow in [false, true] {
            let mut body = Body::capsule("pill", start, end, radius).unwrap();
            body.hollow = hollow;
            let samples = sample_layers(&body, d, 3, true, None).unwrap();
            let area = |r: f64| 2.0 * length * r + PI * r * r;
            let other = if hollow { radius + 3.0 * d } else { (radius - 3.0 * d).max(0.0) };
            assert_close(total(&samples), (area(radius) - area(other)).abs(), 1e-12);
            assert_no_twins(&samples, 0.4 * d);
            assert!(samples.iter().all(|s| body.pose.to_world(s.position).z == 0.0));
            assert!(samples.iter().all(|s| body.local_distance(s.position).distance < 0.0));
        }
    }
}

#[test]
fn polygon_looks_flat_along_its_sides() {
    let d = 0.05;
    let corners = [(0.0, 0.0), (2.0, 0.0), (2.6, 1.0), (1.0, 1.7)];
    let corners = corners.map(|(x, y)| DVec2::new(x, y));
    let body = Body::polygon("stone", &corners).unwrap();
    for hollow in [false, true] {
        let mut body = body.clone();
        body.hollow = hollow;
        let samples = sample_layers(&body, d, 3, true, None).unwrap();
        assert!(samples.iter().all(|s| s.position.z == 0.0));
        for t in 2..18 {
            let p =
                DVec3::new(0.1 * f64::from(t) + 0.013, if hollow { 0.5 } else { -0.5 } * d, 0.0);
            let coverage = coverage(&samples, body.pose.to_local(p), d, true);
            assert_close(coverage, half_space(d, true), 0.05);
        }
        for s in &samples {
            let depth = -body.local_distance(s.position).distance / d;
            assert!((depth - depth.floor() - 0.5).abs() < 1e-6, "{depth}");
        }
    }
    for width in [0.03, 0.1, 0.15, 0.22, 0.27] {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, width), (0.0, width)];
        let body = Body::polygon("plate", &corners.map(|(x, y)| DVec2::new(x, y))).unwrap();
        let samples = sample_layers(&body, d, 3, true, None).unwrap();
        assert_close(total(&samples), width, 1e-9);
        assert_no_twins(&samples, 0.4 * d);
    }
}

fn assert_no_twins(samples: &[Sample], least: f64) {
    for (i, a) in samples.iter().enumerate() {
        for b in &samples[i + 1..] {
            assert!(a.position.distance(b.position) > least, "{} {}", a.position, b.position);
        }
    }
}

/// The largest relative deviation from the half space over points at d/2 from the surface, at
/// local points `foot` with the outward direction `normal`.
fn worst(samples: &[Sample], feet: &[(DVec3, DVec3)], d: f64) -> f64 {
    let expected = half_space(d, false);
    let error = |(foot, normal): &(DVec3, DVec3)| {
        (coverage(samples, *foot + 0.5 * d * *normal, d, false) / expected - 1.0).abs()
    };
    feet.iter().map(error).fold(0.0, f64::max)
}

#[test]
fn faces_of_polyhedra_and_meshes_look_flat() {
    let d = 0.05;
    let half = DVec3::new(0.4, 0.3, 0.35);
    let corners = Aabb::new(-half, half).corners();
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.5, 0.7);
    for turned in [false, true] {
        let turn = if turned { turn } else { DQuat::IDENTITY };
        let points = corners.map(|c| turn * c);
        let polyhedron = Body::polyhedron("stone", &points).unwrap();
        let mesh = Body::mesh("stone", convex_hull(&points).unwrap().mesh).unwrap();
        for (mut body, hollow) in
            [(polyhedron.clone(), false), (polyhedron, true), (mesh.clone(), false), (mesh, true)]
        {
            body.hollow = hollow;
            let samples = sample_layers(&body, d, 3, false, None).unwrap();
            let sign = if hollow { -1.0 } else { 1.0 };
            let mut feet = Vec::new();
            for i in -5..=5 {
                for j in -3..=3 {
                    let (u, v) = (0.04 * f64::from(i), 0.04 * f64::from(j));
                    feet.push((turn * DVec3::new(u, half.y, v), sign * (turn * DVec3::Y)));
                    feet.push((turn * DVec3::new(half.x, v, u), sign * (turn * DVec3::X)));
                }
            }
            let error = worst(&samples, &feet, d);
            assert!(error < 0.05, "hollow {hollow}, turned {turned}: {error}");
            let outer = half + 3.0 * d;
            let inner = half - 3.0 * d;
            let volume = |h: DVec3| 8.0 * h.x * h.y * h.z;
            if !hollow {
                assert_close(total(&samples), volume(half) - volume(inner), 0.02);
            } else {
                assert!(total(&samples) < volume(outer) - volume(half));
            }
        }
    }
}

#[test]
fn layers_of_meshes_are_even_and_at_their_depth() {
    let d = 0.08;
    let ball = EllipsoidGrain::new(DVec3::ONE, 400).make(&mut Random::new(1)).unwrap().0;
    for mesh in [l_mesh(), ball.mesh()] {
        for hollow in [false, true] {
            let mut body = Body::mesh("mesh", mesh.clone()).unwrap();
            body.hollow = hollow;
            let samples = sample_layers(&body, d, 2, false, None).unwrap();
            assert_no_twins(&samples, 0.5 * d);
            for s in &samples {
                let depth = -body.local_distance(s.position).distance / d;
                assert!((depth - depth.floor() - 0.5).abs() < 0.05, "{depth}");
                assert_close(s.volume, d * d * d, 0.3);
            }
            assert_close(total(&samples) / samples.len() as f64, d * d * d, 0.02);
        }
    }
}

#[test]
fn thin_plates_are_filled_once() {
    let d = 0.05;
    for thickness in [0.03, 0.1, 0.13, 0.15, 0.22, 0.4] {
        let half = 0.5 * DVec3::new(0.6, thickness, 0.5);
        let body = Body::polyhedron("plate", &Aabb::new(-half, half).corners()).unwrap();
        let samples = sample_layers(&body, d, 3, false, None).unwrap();
        let core = (half - 3.0 * d).max(DVec3::ZERO);
        let volume = |h: DVec3| 8.0 * h.x * h.y * h.z;
        assert_close(total(&samples), volume(half) - volume(core), 0.05);
        assert_no_twins(&samples, 0.3 * d);
    }
}

#[test]
fn sampling_is_the_same_every_time() {
    let body = Body::mesh("mesh", l_mesh()).unwrap();
    let once = sample_layers(&body, 0.1, 2, false, None).unwrap();
    assert_eq!(once, sample_layers(&body, 0.1, 2, false, None).unwrap());
}

#[test]
fn senseless_requests_are_refused() {
    let cuboid = Body::cuboid("box", DVec3::ZERO, DVec3::ONE).unwrap();
    for spacing in [0.0, -1.0, f64::NAN] {
        let refused = sample_layers(&cuboid, spacing, 1, false, None);
        assert!(matches!(refused, Err(SampleError::Spacing { .. })));
    }
    assert_eq!(sample_layers(&cuboid, 0.1, 0, false, None), Err(SampleError::NoLayers));
    let ball = Body::sphere("ball", DVec3::ZERO, 1.0).unwrap();
    let mesh = Body::mesh("mesh", l_mesh()).unwrap();
    let stone = Body::polyhedron("stone", &l_mesh().vertices).unwrap();
    for body in [&cuboid, &ball, &mesh, &stone] {
        match sample_layers(body, 1e-5, 3, false, None) {
            Err(SampleError::TooMany { count, .. }) => assert!(count > MAX_SAMPLES as f64),
            other => panic!("{:?}", other.map(|s| s.len())),
        }
    }
    let planar = sample_layers(&mesh, 0.1, 3, true, None);
    assert!(matches!(planar, Err(SampleError::NotPlanar { shape: "mesh", .. })));
    let endless = Body::cuboid("box", DVec3::ZERO, DVec3::ONE.with_z(0.0)).unwrap();
    let refused = sample_layers(&endless, 0.1, 1, false, None);
    assert!(matches!(refused, Err(SampleError::EndlessInZ { .. })));
}

#[test]
fn edges_and_corners_have_no_holes() {
    // Along edges and over corners a polyhedron must look like the lattice of the same cuboid.
    let d = 0.05;
    let half = DVec3::new(0.4, 0.3, 0.35);
    for hollow in [false, true] {
        let mut cuboid = Body::cuboid("box", -half, half).unwrap();
        let mut stone = Body::polyhedron("box", &Aabb::new(-half, half).corners()).unwrap();
        (cuboid.hollow, stone.hollow) = (hollow, hollow);
        let lattice = sample_layers(&cuboid, d, 3, false, None).unwrap();
        let layers = sample_layers(&stone, d, 3, false, None).unwrap();
        let at = half + if hollow { -0.5 * d } else { 0.5 * d };
        let mut places = vec![at, -at];
        for t in -5..=5 {
            let t = 0.05 * f64::from(t);
            places.extend([at.with_x(t), at.with_y(t), at.with_z(t)]);
            places.extend([
                DVec3::new(at.x, half.y - 0.5 * d, t),
                DVec3::new(half.x - 0.5 * d, at.y, t),
            ]);
        }
        for p in places {
            let (a, b) = (coverage(&layers, p, d, false), coverage(&lattice, p, d, false));
            // Around a hollow corner the round layers are a little closer than the square lattice.
            let allowed = if hollow { -0.01..0.06 } else { -0.025..0.025 };
            assert!(allowed.contains(&(a - b)), "hollow {hollow} at {p}: {a} {b}");
        }
    }
}
