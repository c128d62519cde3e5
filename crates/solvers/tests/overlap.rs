//! The overlap polyhedron against clipped faces, formulas and its own derivative.

mod grains;

use glam::{DQuat, DVec3};
use grains::{Case, Pool, clipped_faces};
use lawine_core::geometry::{Platonic, Polyhedron, Random, Shape, block, platonic};
use lawine_solvers::dem::narrow::Pose;
use lawine_solvers::dem::overlap::{Clipper, Overlap, Planes, Warm, overlap};
use rayon::prelude::*;

/// Faces of both bodies up to which clipped faces are affordable in every pose.
const MANY: usize = 1_500;

fn cold(a: (&Polyhedron, &Pose), b: (&Polyhedron, &Pose), clipper: &mut Clipper) -> Overlap {
    let planes = [a.0, b.0].map(Planes::of);
    let bodies = ((&planes[0], a.1), (&planes[1], b.1));
    overlap(bodies.0, bodies.1, &mut Warm::default(), clipper).unwrap_or_default()
}

fn random_poses(count: usize, seed: u64) {
    let pool = Pool::new(seed);
    let mut random = Random::new(seed);
    let mut clipper = Clipper::default();
    let mut warm = Warm::default();
    let (mut overlapping, mut compared) = (0, 0);
    let mut worst = [0.0_f64; 4];
    for round in 0..count {
        let case = Case::new(&pool, &mut random, round);
        let ((a, pose_a), (b, pose_b)) = (case.a(), case.b());
        let planes = [a, b].map(Planes::of);
        // Half of the queries start cold, half from the faces of another pair: any start must do.
        if round % 2 == 0 {
            warm = Warm::default();
        }
        let bodies = ((&planes[0], pose_a), (&planes[1], pose_b));
        let found = overlap(bodies.0, bodies.1, &mut warm, &mut clipper).unwrap_or_default();
        let finite = found.volume.is_finite() && found.area.is_finite() && found.moment.is_finite();
        assert!(finite && found.centroid.is_finite(), "{}: {found:?}", case.describe());
        overlapping += usize::from(found.volume > 0.0);
        let again = overlap(bodies.0, bodies.1, &mut warm, &mut clipper).unwrap_or_default();
        let (r, size) = (case.smaller(), case.size());
        // Places are known to 1e-15 of the larger body; a volume to that times an area.
        let rounding = 1e-13 * size * r * r + 1e-12 * r * r * r;
        let change = (again.volume - found.volume).abs();
        worst[0] = worst[0].max(change / rounding);
        assert!(change < rounding, "{}\n{found:?}\n{again:?}", case.describe());
        if a.faces().len() * b.faces().len() > MANY && round % 500 != 0 {
            continue;
        }
        compared += 1;
        if case.is_random() {
            let (volume, area) = clipped_faces::overlap((a, pose_a), (b, pose_b));
            let error = (found.volume - volume).abs();
            worst[1] = worst[1].max(error / rounding);
            assert!(error < rounding, "{}: {volume} {found:?}", case.describe());
            let error = found.area.distance(area) / (r * r);
            worst[2] = worst[2].max(error);
            assert!(error < 1e-6, "{}: {area} {found:?}", case.describe());
        } else {
            let shaken = case.shaken(&mut random, 1e-6);
            let (volume, _) = clipped_faces::overlap((a, pose_a), (b, &shaken));
            let error = (found.volume - volume).abs() / (r * r * (r + 1e-4 * size));
            worst[3] = worst[3].max(error);
            assert!(error < 1e-5, "{}: {volume} {found:?}", case.describe());
        }
    }
    grains::say(&format!(
        "{count} poses, {overlapping} overlap, {compared} compared; worst: warm {:.1e}, volume {:.1e} \
         of rounding, area {:.1e} r², degenerate {:.1e} r³",
        worst[0], worst[1], worst[2], worst[3]
    ));
    assert!(overlapping * 3 > count && compared * 3 > count);
}

#[test]
fn a_hundred_thousand_random_poses() {
    random_poses(100_000, 1);
}

#[test]
#[ignore = "ten million poses, minutes on all cores: cargo test --release -- --ignored ten_million"]
fn ten_million_random_poses() {
    (2..102).into_par_iter().for_each(|seed| random_poses(100_000, seed));
}

#[test]
fn area_and_moment_are_the_derivatives_of_the_volume() {
    let pool = Pool::new(11);
    let mut random = Random::new(12);
    let mut clipper = Clipper::default();
    let (mut worst, mut tried) = (0.0_f64, 0);
    for round in 0..4000 {
        let case = Case::new(&pool, &mut random, round);
        if !case.is_random() || case.ratio() > 100.0 {
            continue;
        }
        let ((a, pose_a), (b, pose_b)) = (case.a(), case.b());
        let found = cold((a, pose_a), (b, pose_b), &mut clipper);
        let r = case.smaller();
        let (way, axis) = (random.direction(), random.direction());
        let mut volume = |step: f64, turn: f64| {
            // Turns about A's position, from which the moment counts.
            let turn = DQuat::from_scaled_axis(turn * axis);
            let arm = pose_b.position - pose_a.position;
            let position = pose_a.position + turn * arm + step * way;
            let rotation = glam::DMat3::from_quat(turn) * pose_b.rotation;
            cold((a, pose_a), (b, &Pose { position, rotation }), &mut clipper).volume
        };
        let h = 1e-5;
        let along = (volume(h * r, 0.0) - volume(-h * r, 0.0)) / (2.0 * h * r);
        let arm = (pose_b.position - pose_a.position).length() + case.size();
        let angle = h * r / arm;
        let about = (volume(0.0, angle) - volume(0.0, -angle)) / (2.0 * angle);
        // The volume has kinks in its second derivative only; needles and plates have steep ones.
        let error = (along - found.area.dot(way)).abs() / (r * r);
        let turned = (about - found.moment.dot(axis)).abs() / (r * r * arm);
        worst = worst.max(error).max(turned);
        assert!(error < 1e-2 && turned < 1e-2, "{}: {error} {turned}", case.describe());
        tried += usize::from(found.volume > 0.0 && error.max(turned) < 1e-8);
    }
    grains::say(&format!("worst {worst:.1e} of r²; {tried} agree to 1e-8"));
    assert!(tried > 500);
}

/// A cube and another one at an offset.
fn cubes(offset: DVec3, q: DQuat) -> Option<Overlap> {
    let cube = block(DVec3::ONE).unwrap();
    let planes = Planes::of(&cube);
    let pose_a = Pose::new(DVec3::new(3.0, -1.0, 2.0), q);
    let pose_b = Pose::new(pose_a.position + q * offset, q);
    overlap((&planes, &pose_a), (&planes, &pose_b), &mut Warm::default(), &mut Clipper::default())
}

#[test]
fn aligned_cubes_give_the_formula() {
    let mut random = Random::new(3);
    for q in [DQuat::IDENTITY, random.orientation(), random.orientation()] {
        for offset in [[0.0, 0.0, 0.999], [0.0, 0.5, 0.999], [0.25, 0.5, 0.999], [0.0; 3]] {
            let [x, y, z] = offset;
            let found = cubes(DVec3::new(x, y, z), q).unwrap();
            let exact = (1.0 - x) * (1.0 - y) * (1.0 - z);
            assert!((found.volume - exact).abs() < 1e-14, "{offset:?} {found:?}");
            let middle = q * (0.5 * DVec3::new(x, y, z));
            assert!(found.centroid.distance(middle) < 1e-11, "{offset:?} {found:?}");
            if z > 0.0 {
                let area = q * DVec3::new(0.0, 0.0, -(1.0 - x) * (1.0 - y));
                let kinked = x == 0.0 || y == 0.0;
                assert!(kinked || (found.area.z - area.z).abs() < 1e-2, "{found:?}");
                assert!((q.inverse() * found.area).z + (1.0 - x) * (1.0 - y) < 1e-12);
            }
        }
        assert!(cubes(DVec3::new(0.0, 0.0, 1.0), q).is_none_or(|o| o.volume < 1e-14));
        assert!(cubes(DVec3::new(0.0, 0.0, 1.1), q).is_none());
    }
}

#[test]
fn a_body_inside_another_has_its_own_volume_and_no_area() {
    let mut random = Random::new(4);
    let mut clipper = Clipper::default();
    let (small, large) =
        (platonic(Platonic::Icosahedron, 0.1).unwrap(), block(DVec3::ONE).unwrap());
    let volume = Shape::from_polyhedron(&small).unwrap().volume;
    for _ in 0..100 {
        let poses = [0.0, 0.3].map(|r| Pose::new(r * random.direction(), random.orientation()));
        for (a, b) in [(&small, &large), (&large, &small)] {
            let found = cold((a, &poses[0]), (b, &poses[1]), &mut clipper);
            assert!((found.volume / volume - 1.0).abs() < 1e-12);
            assert!(found.area.length() < 1e-15 && found.moment.length() < 1e-15);
        }
    }
}

#[test]
fn a_half_space_cuts_a_cap() {
    use lawine_core::geometry::HalfSpace;
    let cube = Planes::of(&block(DVec3::ONE).unwrap());
    let floor = Planes::half_space(HalfSpace { normal: DVec3::Y, offset: 0.0 });
    let poses = [DVec3::Y * 0.49, DVec3::ZERO].map(|x| Pose::new(x, DQuat::IDENTITY));
    let mut clipper = Clipper::default();
    let found =
        overlap((&cube, &poses[0]), (&floor, &poses[1]), &mut Warm::default(), &mut clipper)
            .unwrap();
    assert!((found.volume - 0.01).abs() < 1e-15);
    // Lifting the floor makes the overlap larger.
    assert!(found.area.distance(DVec3::Y) < 1e-14 && found.moment.length() < 1e-14);
    assert!(found.centroid.distance(DVec3::Y * -0.495) < 1e-13);
}
