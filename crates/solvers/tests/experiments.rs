//! Experiments with sand: vibration, drums, slopes and the Brazil nut.
//!
//! The short ones run always; the others with
//! `cargo test --release -p lawine-solvers --test experiments -- --ignored --nocapture`.

mod sand;

use glam::DVec3;
use lawine_core::body::{Body, Motion};
use lawine_core::fit::Line;
use lawine_core::geometry::{Aabb, Platonic, Shape, platonic};
use lawine_solvers::dem::Grain;
use lawine_solvers::dem::contact::{Contacts, Law, Pairing};
use sand::{
    CUBE, G, SIZE, SOFT, Sand, contacts, container, pebbles, say, shaking, side_by_side, stones,
};
use std::sync::Arc;

const OPEN_TOP: [[bool; 2]; 3] = [[false; 2], [false, true], [false; 2]];
/// Depth of what repeats [m].
const DEPTH: f64 = 2.0 * CUBE;

/// Fraction of the time in which a shaken box carries less than a twentieth of its grains' weight.
fn flight(gamma: f64) -> f64 {
    let frequency = 15.0;
    let size = DVec3::new(0.06, 1.0, 0.06);
    let box_ =
        container(size, OPEN_TOP).with_motion(shaking(gamma, frequency, [0.4, f64::INFINITY]));
    // Soft beds swing at such frequencies themselves.
    let hard = Contacts { law: Law::Square, ..Contacts::new(Pairing::new(1e7, 0.4, 0.5)) };
    let mut sand = Sand::new(pebbles(), vec![box_], &hard, [None; 2]);
    sand.fill(DVec3::ZERO, DVec3::new(0.0601, 0.0601, 0.0601));
    sand.run(0.5, |_| {});
    let weight = sand.weight();
    let (mut flying, mut whole, mut before) = (0.0, 0.0, sand.time);
    sand.run(0.5 + 2.0 / frequency, |sand| {
        let step = sand.time - before;
        (before, whole) = (sand.time, whole + step);
        flying += if -sand.env.bodies[0].force.y < 0.05 * weight { step } else { 0.0 };
    });
    flying / whole
}

#[test]
fn shaken_grains_stay_on_the_floor_below_one_g_and_jump_above() {
    let fractions = [0.8, 2.0].map(flight);
    say(&format!("fraction of the time in flight at 0.8 and 2 g: {fractions:.3?}"));
    assert!(fractions[0] < 0.01 && fractions[1] > 0.1);
}

/// What grains do in a drum: fraction in free flight, and mean rate of turning over that of the drum.
fn drum(froude: f64, turns: f64) -> [f64; 2] {
    let radius = 0.1;
    let rate = (froude * G / radius).sqrt();
    let rim: Vec<DVec3> = (0..24)
        .flat_map(|k| {
            let (y, x) = (std::f64::consts::TAU * f64::from(k) / 24.0).sin_cos();
            [0.0, 0.045].map(|z| DVec3::new(radius * x, radius * y, z))
        })
        .collect();
    let turning = Motion::Rotation {
        axis: DVec3::Z,
        point: DVec3::ZERO,
        rate,
        start: 0.2,
        stop: f64::INFINITY,
    };
    let body = Body::polyhedron("drum", &rim).unwrap().into_hollow().with_motion(turning);
    let mut sand = Sand::new(pebbles(), vec![body], &contacts(SOFT, 0.5, &[0.7]), [None; 2]);
    sand.fill(DVec3::new(-0.07, -0.06, 0.002), DVec3::new(0.0701, 0.0201, 0.0425));
    let turn = std::f64::consts::TAU / rate;
    sand.run(0.2 + 0.5 * turns * turn, |_| {});
    let (mut flying, mut spin, mut square, mut steps) = (0.0, 0.0, 0.0, 0.0);
    sand.run(0.2 + turns * turn, |sand| {
        let state = sand.grains.state();
        let mut touched = vec![false; state.x.len()];
        for contact in sand.grains.contacts() {
            touched[contact.first()] = true;
            if let Some(j) = contact.grain() {
                touched[j] = true;
            }
        }
        let free = touched.iter().filter(|t| !**t).count();
        flying += free as f64 / touched.len() as f64;
        for (x, v) in state.x.iter().zip(&state.v) {
            spin += x.cross(*v).z;
            square += x.x * x.x + x.y * x.y;
        }
        steps += 1.0;
    });
    [flying / steps, spin / (rate * square)]
}

#[test]
fn drums_roll_cataract_and_centrifuge_with_the_froude_number() {
    // Henein et al. 1983; Mellmann 2001.
    let regimes = [(0.5, 2.0), (4.0, 4.0)].map(|(froude, turns)| drum(froude, turns));
    let [[thrown, _], [stuck, turning]] = regimes;
    say(&format!("free flight and turning at Fr = 0.5 and 4: {regimes:.3?}"));
    assert!(thrown > 0.04, "grains fly through a cataracting drum");
    assert!(stuck < 0.05 && turning > 0.95, "grains turn with a centrifuging drum");
}

#[test]
#[ignore = "minutes"]
fn a_slow_drum_rolls_and_cascades() {
    let found =
        side_by_side(&[(5e-3, 0.6), (0.05, 1.2)], |_| 1.0, |(froude, turns)| drum(froude, turns));
    let [[rolling, slow], [cascading, fast]] = [found[0], found[1]];
    say(&format!(
        "free flight {rolling:.4} at Fr = 0.005, {cascading:.4} at 0.05; {slow:.3} {fast:.3}"
    ));
    assert!(rolling < 0.02 && rolling < cascading && slow < 0.5);
}

/// Angle of the slope that is left when the gate of a box rises at a speed [°].
fn repose(
    shapes: Vec<Arc<Shape>>,
    (law, stiffness, friction): (Law, f64, f64),
    [width, height, speed]: [f64; 3],
) -> f64 {
    let far = DVec3::new(0.0, 0.0, 0.1);
    let wall = |name, min: DVec3, max: DVec3| Body::cuboid(name, min - far, max + far).unwrap();
    let (start, opens) = (0.4, 0.2 / speed);
    let rising = Motion::Velocity { velocity: DVec3::Y * speed, start, stop: start + opens };
    let gate = wall("gate", DVec3::X * width, DVec3::new(width + 0.02, 2.0, DEPTH));
    let bodies = vec![
        wall("floor", DVec3::new(-0.02, -0.02, 0.0), DVec3::new(width, 0.0, DEPTH)),
        wall("wall", DVec3::X * -0.02, DVec3::new(0.0, 2.0, DEPTH)),
        gate.with_motion(rising),
    ];
    let rules = Contacts { law, ..contacts(stiffness, friction, &[friction, friction, 0.0]) };
    let mut sand = Sand::new(shapes, bodies, &rules, [None, Some(DEPTH)]);
    sand.haste = 4.0;
    sand.fill_densely(DVec3::ZERO, DVec3::new(width, height, DEPTH), |x| x.x + SIZE < width);
    // What falls over the edge is gone.
    let below = Aabb::new(DVec3::new(-9.0, -9.0, -9.0), DVec3::new(9.0, -0.05, 9.0));
    sand.outlet = Some(below);
    sand.run(start + opens, |_| {});
    let _ = sand.rest(1e-4, 0.8);
    let step = 2.0 * SIZE;
    let tops = sand.profile(step);
    let places = tops.iter().enumerate().map(|(k, y)| ((k as f64 + 0.5) * step, *y));
    let points: Vec<(f64, f64)> = places.filter(|(x, _)| *x < width).collect();
    let slope = (-Line::through(&points).slope).atan().to_degrees();
    say(&format!(
        "μ = {friction}: {slope:.1}°, {} grains, tops {tops:.3?}",
        sand.grains.state().x.len()
    ));
    slope
}

#[test]
fn piles_are_steeper_with_more_friction() {
    let angles = [0.1, 0.6].map(|mu| repose(pebbles(), (Law::Square, SOFT, mu), [0.1, 0.1, 1.5]));
    say(&format!("slopes of {angles:.1?}° with μ = 0.1 and 0.6"));
    assert!(angles[1] > angles[0] + 5.0);
}

#[test]
#[ignore = "minutes"]
fn the_angle_of_repose_rises_with_friction_and_lies_in_its_band() {
    let mu = [0.1, 0.5];
    let angles = side_by_side(
        &mu,
        |_| 1.0,
        |mu| repose(stones(), (Law::Matuttis, 1e6, mu), [0.17, 0.6, 0.3]),
    );
    say(&format!("slopes of {angles:.1?}° with μ = {mu:?}"));
    assert!(angles[1] > angles[0] + 8.0 && (35.0..45.0).contains(&angles[1]));
}

/// Heights of a large grain over the floor and of the mean grain, before and after shaking [m].
fn brazil_nut(gamma: f64) -> [[f64; 2]; 2] {
    let nut = Shape::from_polyhedron(&platonic(Platonic::Dodecahedron, 0.026).unwrap()).unwrap();
    let mut shapes = pebbles();
    shapes.push(Arc::new(nut));
    let (side, start) = (0.1, 0.4);
    let box_ = container(DVec3::new(side, 1.0, side), OPEN_TOP).with_motion(shaking(
        gamma,
        8.0,
        [start, f64::INFINITY],
    ));
    let mut sand = Sand::new(shapes, vec![box_], &contacts(3e6, 0.4, &[0.4]), [None; 2]);
    let position = DVec3::new(0.5 * side, 0.027, 0.5 * side);
    let (velocity, omega, orientation) = (DVec3::ZERO, DVec3::ZERO, glam::DQuat::IDENTITY);
    sand.grains.add(&Grain { shape: 8, position, velocity, orientation, omega }).unwrap();
    let top = DVec3::new(side + 1e-4, 0.2141, side + 1e-4);
    sand.fill_with(8, DVec3::Y * 0.054, top);
    let heights = |sand: &Sand| {
        let x = &sand.grains.state().x;
        let nut = sand.grains.state().shape.iter().position(|s| *s == 8).unwrap();
        let floor = sand.env.bodies[0].pose.position.y - sand.env.bodies[0].rest.position.y;
        let mean = x.iter().map(|x| x.y).sum::<f64>() / x.len() as f64;
        [x[nut].y - floor, mean - floor]
    };
    sand.run(start, |_| {});
    let before = heights(&sand);
    for second in 1..=5 {
        sand.run(start + f64::from(second), |_| {});
        say(&format!("{gamma} g, {second} s: nut and mean at {:.4?}", heights(&sand)));
    }
    [before, heights(&sand)]
}

#[test]
#[ignore = "minutes"]
fn a_large_grain_rises_when_it_is_shaken() {
    let found = side_by_side(&[0.8, 2.5], |_| 1.0, brazil_nut);
    say(&format!("nut and mean before and after 5 s at 0.8 and 2.5 g: {found:.4?}"));
    let risen = |[[before, _], [after, _]]: [[f64; 2]; 2]| after - before;
    assert!(risen(found[0]).abs() < 0.005, "below one g nothing moves");
    assert!(risen(found[1]) > 0.026 && found[1][1][0] > found[1][1][1], "above it floats");
}
