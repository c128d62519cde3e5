//! The overlap polyhedron against clipped faces, formulas and its own derivatives.

mod grains;

use glam::{DQuat, DVec3};
use grains::{Case, Pool, clipped_faces};
use lawine_core::geometry::{Platonic, Polyhedron, Random, Shape, block, platonic};
use lawine_solvers::dem::narrow::Pose;
use lawine_solvers::dem::overlap::{Clipper, Overlap, Planes, Warm, overlap};
use rayon::prelude::*;

/// How much degenerate poses are moved and turned for the reference.
const SHAKE: f64 = 1e-6;

fn cold(a: (&Polyhedron, &Pose), b: (&Polyhedron, &Pose), clipper: &mut Clipper) -> Overlap {
    let planes = [a.0, b.0].map(Planes::of);
    let bodies = ((&planes[0], a.1), (&planes[1], b.1));
    overlap(bodies.0, bodies.1, &mut Warm::default(), clipper).unwrap_or_default()
}

/// How far volume, area and moment are off, where each is known to 1: places are known to 1e−15 of the
/// larger body, a volume to that times an area.
fn random_poses(count: usize, seed: u64) {
    let pool = Pool::new(seed);
    let mut random = Random::new(seed);
    let mut clipper = Clipper::default();
    let mut warm = Warm::default();
    let mut overlapping = 0;
    let mut worst = [0.0_f64; 5];
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
        let rounding = 1e-13 * size * r * r + 1e-12 * r * r * r;
        let change = (again.volume - found.volume).abs();
        worst[0] = worst[0].max(change / rounding);
        assert!(change < rounding, "{}\n{found:?}\n{again:?}", case.describe());
        if case.is_random() {
            let (volume, area, moment) = clipped_faces::overlap((a, pose_a), (b, pose_b));
            let error = (found.volume - volume).abs();
            worst[1] = worst[1].max(error / rounding);
            assert!(error < rounding, "{}: {volume} {found:?}", case.describe());
            let error = found.area.distance(area) / (r * r);
            let arm = (pose_b.position - pose_a.position).length() + r;
            let turned = found.moment.distance(moment) / (r * r * arm);
            worst[2] = worst[2].max(error);
            worst[3] = worst[3].max(turned);
            assert!(error < 1e-9, "{}: {area} {found:?}", case.describe());
            assert!(turned < 1e-9, "{}: {moment} {found:?}", case.describe());
        } else {
            let shaken = case.shaken(&mut random, SHAKE);
            let (volume, ..) = clipped_faces::overlap((a, pose_a), (b, &shaken));
            let error = (found.volume - volume).abs() / (r * r * (r + 1e-4 * size));
            worst[4] = worst[4].max(error);
            assert!(error < 1e-5, "{}: {volume} {found:?}", case.describe());
        }
    }
    grains::say(&format!(
        "{count} poses, {overlapping} overlap; worst: warm {:.1e}, volume {:.1e} of rounding, area {:.1e} \
         r², moment {:.1e} r² arm, degenerate {:.1e} r³",
        worst[0], worst[1], worst[2], worst[3], worst[4]
    ));
    assert!(overlapping * 3 > count);
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

/// Slopes of the volume from a place on and up to it, by differences over a step.
fn slopes(volume: &mut impl FnMut(f64) -> f64, step: f64) -> [f64; 2] {
    let [before, here, after] = [-step, 0.0, step].map(volume);
    [(after - here) / step, (here - before) / step]
}

/// In all poses, those included in which faces, edges and corners touch or lie in one plane. There the
/// volume has kinks, and a derivative is any slope between those of the two sides.
#[test]
fn area_and_moment_are_the_derivatives_of_the_volume() {
    let pool = Pool::new(11);
    let mut random = Random::new(12);
    let mut clipper = Clipper::default();
    let (mut compared, mut touching, mut sharp) = ([0; 2], 0, [0; 2]);
    let mut worst = [0.0_f64; 2];
    for round in 0..6000 {
        let case = Case::new(&pool, &mut random, round);
        let ((a, pose_a), (b, pose_b)) = (case.a(), case.b());
        let found = cold((a, pose_a), (b, pose_b), &mut clipper);
        if case.ratio() > 100.0 || found.volume <= 0.0 {
            continue;
        }
        let (r, size) = (case.smaller(), case.size());
        let rounding = 1e-13 * size * r * r + 1e-12 * r * r * r;
        let (way, axis) = (random.direction(), random.direction());
        let mut moved = |step: f64, turn: f64| {
            // Turns about A's position, from which the moment counts.
            let turn = DQuat::from_scaled_axis(turn * axis);
            let arm = pose_b.position - pose_a.position;
            let position = pose_a.position + turn * arm + step * way;
            let rotation = glam::DMat3::from_quat(turn) * pose_b.rotation;
            cold((a, pose_a), (b, &Pose { position, rotation }), &mut clipper).volume
        };
        let step = 1e-5 * r;
        let near = [-step, step].map(|step| moved(step, 0.0));
        if near.iter().all(|v| *v > 0.5 * found.volume) {
            // The root of the volume is concave along every line (Brunn and Minkowski): the slope lies
            // between those to both sides, in any pose and for any step.
            let mut root = |step: f64| moved(step, 0.0).cbrt();
            let [low, high] =
                slopes(&mut root, step).map(|s| 3.0 * found.volume.cbrt().powi(2) * s);
            let slope = found.area.dot(way);
            let beyond = (low - slope).max(slope - high).max(0.0);
            worst[0] = worst[0].max(beyond * step / rounding);
            assert!(beyond < rounding / step, "{}: {low} {slope} {high}", case.describe());
            compared[0] += 1;
            touching += usize::from(!case.is_random());
            sharp[0] += usize::from((high - low).abs() < 1e-3 * r * r);
        }
        // Turns have no such law: curvature is what halving the step changes.
        let arm = (pose_b.position - pose_a.position).length() + size;
        let angle = step / arm;
        let mut turned = |angle: f64| moved(0.0, angle);
        let (whole, half) = (slopes(&mut turned, angle), slopes(&mut turned, 0.5 * angle));
        let bend = (whole[0] - half[0]).abs().max((whole[1] - half[1]).abs());
        let [low, high] = [f64::min, f64::max].map(|pick| pick(half[0], half[1]));
        let slope = found.moment.dot(axis);
        let beyond = ((low - slope).max(slope - high) - 3.0 * bend).max(0.0);
        worst[1] = worst[1].max(beyond * angle / rounding);
        assert!(beyond < rounding / angle, "{}: {low} {slope} {high}", case.describe());
        compared[1] += 1;
        sharp[1] += usize::from(high - low + bend < 1e-3 * r * r * arm);
    }
    grains::say(&format!(
        "{compared:?} poses compared, {touching} of them with parts that touch; bounds closer than 1e-3 in \
         {sharp:?}; beyond them by {:.1e} and {:.1e} of what rounding allows",
        worst[0], worst[1]
    ));
    assert!(compared.iter().zip(&sharp).all(|(all, sharp)| *all > 1000 && 20 * sharp > 19 * all));
    assert!(touching > 300);
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
            // Sides in one plane: the slope is any between those to both sides, ± the area.
            let areas = [(1.0 - y) * (1.0 - z), (1.0 - x) * (1.0 - z), (1.0 - x) * (1.0 - y)];
            let area = (q.inverse() * found.area).to_array();
            for (axis, exact) in areas.into_iter().enumerate() {
                let error = if offset[axis] > 0.0 {
                    (area[axis] + exact).abs()
                } else {
                    area[axis].abs() - exact
                };
                assert!(error < 1e-12, "{offset:?} {axis} {found:?}");
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
