//! The laws of one contact, without motion.

use glam::{DMat3, DQuat, DVec3};
use lawine_core::geometry::{
    Aabb, EllipsoidGrain, Platonic, Polyhedron, Random, Shape, block, platonic, prism,
};
use lawine_core::rigid::Inertia;

use super::*;
use crate::dem::narrow::Pose;
use crate::dem::overlap::Clipper;

fn shapes() -> Vec<(&'static str, Shape)> {
    let round = |n| EllipsoidGrain::new(DVec3::new(1.0, 0.8, 0.7), n).make(&mut Random::new(5));
    let bodies: Vec<(&str, Polyhedron)> = vec![
        ("tetrahedron", platonic(Platonic::Tetrahedron, 1.0).unwrap()),
        ("cube", block(DVec3::ONE).unwrap()),
        ("octahedron", platonic(Platonic::Octahedron, 1.0).unwrap()),
        ("plate", block(DVec3::new(1.5, 1.5, 0.2)).unwrap()),
        ("needle", prism(5, 0.15, 2.0).unwrap()),
        ("12 corners", round(12).unwrap().0),
        ("42 corners", round(42).unwrap().0),
        ("162 corners", round(162).unwrap().0),
    ];
    let convex = |(n, p): (_, Polyhedron)| (n, Shape::from_polyhedron(&p).unwrap());
    bodies.into_iter().map(convex).chain([("angle", angle())]).collect()
}

/// Two boxes that make an L.
fn angle() -> Shape {
    let arms = [[-0.4, -0.4, -0.2, 0.6, 0.0, 0.2], [-0.4, 0.0, -0.2, 0.0, 0.6, 0.2]];
    let arms = arms.map(|a| Aabb::new(DVec3::from_slice(&a), DVec3::from_slice(&a[3..])));
    let parts = arms.map(|arm| arm.corners().to_vec());
    // Its mass is that of some other mesh.
    Shape::of_parts(&block(DVec3::ONE).unwrap().mesh(), &parts).unwrap()
}

fn rules(law: Law, shape: &Shape) -> Rules {
    let inertia = Inertia { mass: shape.volume, moments: shape.moments };
    let contacts = Contacts { law, ..Contacts::new(Pairing::new(1e6, 1.0, 0.0)) };
    Rules::new(&contacts, vec![Grip::new(shape, &inertia, false)], &[]).unwrap()
}

/// |∮ F·dx + M·dφ| over the largest energy on the way of B around A, in `steps` steps.
fn closed_path(law: Law, shape: &Shape, seed: u64, steps: usize) -> Option<f64> {
    let rules = rules(law, shape);
    let mut random = Random::new(seed);
    // Thin bodies would rarely meet farther out; round ones with many faces meet slowly deeper in.
    let thin = shape.volume < 0.5 * shape.radius.powi(3);
    let middle = if thin { 0.6 } else { 1.5 } * random.direction() * shape.radius;
    let (u, v) = (0.3 * random.direction(), 0.3 * random.direction());
    let (a1, a2) = (0.7 * random.direction(), 0.7 * random.direction());
    let start = random.orientation();
    let at = |k: f64| {
        let (s, c) = (std::f64::consts::TAU * k / steps as f64).sin_cos();
        let q = DQuat::from_scaled_axis(c * a1 + s * a2) * start;
        (middle + (c * u + s * v) * shape.radius, q)
    };
    let grip = &rules.grips[0];
    let side = |pose| Side {
        planes: &grip.planes,
        grip: Some(grip),
        pose,
        velocity: DVec3::ZERO,
        omega: DVec3::ZERO,
        material: 0,
    };
    let mut clipper = Clipper::default();
    let mut contact = Contact::new([0, 1]);
    let (mut work, mut most) = (0.0, 0.0_f64);
    let still = Pose { position: DVec3::ZERO, rotation: DMat3::IDENTITY };
    for k in 0..steps {
        let (x0, q0) = at(k as f64);
        let (x1, q1) = at(k as f64 + 1.0);
        let (x, q) = at(k as f64 + 0.5);
        let [a, b] = [side(still), side(Pose::new(x, q))];
        rules.evaluate(&mut contact, [&a, &b], 0.0, &mut clipper);
        let turn = (q1 * q0.conjugate()).to_scaled_axis();
        work += contact.load.force.dot(x1 - x0) + contact.load.torques[1].dot(turn);
        most = most.max(contact.load.elastic);
    }
    (most > 0.0).then(|| work.abs() / most)
}

#[test]
fn closed_paths_cost_nothing_but_with_matuttis() {
    for (name, shape) in shapes() {
        let laws = [Law::ThreeHalves, Law::Square, Law::Matuttis];
        // Some ways do not touch thin bodies.
        let worst = laws.map(|law| {
            let ways = (0..16).filter_map(|seed| closed_path(law, &shape, seed, 6000));
            let ways: Vec<f64> = ways.take(2).collect();
            assert_eq!(ways.len(), 2, "{name}");
            ways.into_iter().fold(0.0, f64::max)
        });
        assert!(worst[0] < 1e-6 && worst[1] < 1e-6, "{name}: {worst:?}");
        assert!(worst[2] > 1e-3, "the control must fail: {name}: {worst:?}");
    }
}

#[test]
fn forces_are_equal_and_opposite_whichever_body_comes_first() {
    let mut random = Random::new(3);
    let mut clipper = Clipper::default();
    for (name, shape) in shapes() {
        let rules = rules(Law::ThreeHalves, &shape);
        let grip = &rules.grips[0];
        let mut side = |pose| Side {
            planes: &grip.planes,
            grip: Some(grip),
            pose,
            velocity: random.direction(),
            omega: random.direction(),
            material: 0,
        };
        let a = side(Pose::new(DVec3::ZERO, DQuat::from_rotation_x(0.3)));
        let b = side(Pose::new(DVec3::new(0.05, 0.1, 0.02), DQuat::from_rotation_y(0.2)));
        let mut one = Contact::new([0, 1]);
        let mut two = one;
        rules.evaluate(&mut one, [&a, &b], 1e-4, &mut clipper);
        rules.evaluate(&mut two, [&b, &a], 1e-4, &mut clipper);
        let size = one.load.force.length();
        assert!(size > 0.0 && (one.load.force + two.load.force).length() < 1e-9 * size, "{name}");
        // Angular momentum: M_A + M_B + arm × F_B = 0.
        let [m_a, m_b] = one.load.torques;
        let arm = b.pose.position - a.pose.position;
        assert!((m_a + m_b + arm.cross(one.load.force)).length() < 1e-12 * size, "{name}");
        assert!((m_a - two.load.torques[1]).length() < 1e-9 * size, "{name}");
    }
}

#[test]
fn damping_never_pulls() {
    let (_, shape) = shapes().swap_remove(1);
    let inertia = Inertia { mass: 1.0, moments: shape.moments };
    let contacts = Contacts::new(Pairing::new(1e3, 0.1, 0.0));
    let rules = Rules::new(&contacts, vec![Grip::new(&shape, &inertia, false)], &[]).unwrap();
    let grip = &rules.grips[0];
    let side = |y: f64, v: f64| Side {
        planes: &grip.planes,
        grip: Some(grip),
        pose: Pose::new(DVec3::Y * y, DQuat::IDENTITY),
        velocity: DVec3::Y * v,
        omega: DVec3::ZERO,
        material: 0,
    };
    for v in [-100.0, -1.0, 0.0, 1.0, 100.0] {
        let mut contact = Contact::new([0, 1]);
        rules.evaluate(
            &mut contact,
            [&side(0.0, 0.0), &side(0.99, v)],
            1e-4,
            &mut Clipper::default(),
        );
        assert!(contact.load.force.y >= 0.0 && contact.load.lost[0] >= 0.0, "{v}");
    }
}
