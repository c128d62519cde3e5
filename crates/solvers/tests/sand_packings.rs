//! Sand at rest: dice poured and tapped, and a pile that stays. All take minutes:
//! `cargo test --release -p lawine-solvers --test sand_packings -- --ignored --nocapture`.

mod sand;

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::fit::Line;
use lawine_core::geometry::{Platonic, Shape, convex_hull, platonic};
use lawine_core::method::Method;
use lawine_solvers::dem::contact::{Contacts, Law};
use sand::{G, SIZE, SOFT, Sand, contacts, face_centred, pebbles_of, say, shaking, side_by_side};
use std::sync::Arc;

/// Friction of dice of plastic on each other and on the jar: one of polyphenylene oxide on itself (Shackelford 2001,
/// table 399). What the laboratory's dice have is not known to us.
const PLASTIC: f64 = 0.67;
/// Dice have the volume of a cube of this edge [m].
const DIE: f64 = 0.015;
/// How far faces of dice end before the edges of a sharp die, next to which they are round [m].
const CUT: f64 = 0.65e-3;
/// Radius of the jar [m].
const JAR: f64 = 0.085;
/// How often the jar goes up and down [Hz].
const FREQUENCY: f64 = 30.0;
/// With which acceleration [g] it is shaken, and how long [s]: less and less.
const SHAKES: [(f64, f64); 4] = [(8.0, 1.25), (4.0, 0.2), (3.0, 0.2), (2.0, 0.2)];
/// How many dice are poured, and how often anew, each time turned in other ways: one pouring differs from the mean
/// by 0.01.
const DICE: usize = 360;
const POURINGS: u64 = 3;

/// A die with blunt edges and corners: what is between its faces after each has shrunk towards its middle.
fn die(body: Platonic) -> Shape {
    let of_volume = |points: &[DVec3]| {
        let scale = DIE / Shape::new(points).unwrap().volume.cbrt();
        convex_hull(&points.iter().map(|x| scale * x).collect::<Vec<_>>()).unwrap()
    };
    let sharp = of_volume(platonic(body, DIE).unwrap().vertices());
    let shrunk: Vec<DVec3> = sharp
        .planes
        .iter()
        .flat_map(|face| {
            let on_face = |x: &&DVec3| face.distance(**x) > -1e-6 * DIE;
            let middle = face.offset * face.normal;
            let fraction = 1.0 - CUT / face.offset;
            sharp
                .mesh
                .vertices
                .iter()
                .filter(on_face)
                .map(move |x| middle + fraction * (x - middle))
        })
        .collect();
    Shape::new(&of_volume(&shrunk).mesh.vertices).unwrap()
}

/// Packing of dice that were poured into a jar, and after shaking it: their volume over that of the jar
/// up to twice their mean height.
fn dice(body: Platonic, seed: u64) -> [f64; 2] {
    let sides = 48;
    let rim: Vec<DVec3> = (0..sides)
        .flat_map(|k| {
            let (z, x) = (std::f64::consts::TAU * f64::from(k) / f64::from(sides)).sin_cos();
            [0.0, 9.0].map(|y| DVec3::new(JAR * x, y, JAR * z))
        })
        .collect();
    let half_side = std::f64::consts::PI / f64::from(sides);
    let area = 0.5 * f64::from(sides) * JAR * JAR * (2.0 * half_side).sin();
    let jar = Body::polyhedron("jar", &rim).unwrap().into_hollow();
    // Under κ V² dice would lie in each other with their corners, and pack too densely.
    let rules = Contacts { law: Law::Matuttis, ..contacts(5e6, PLASTIC, &[PLASTIC]) };
    let mut sand = Sand::new(vec![Arc::new(die(body))], vec![jar], &rules, [None; 2]);
    sand.haste = 5.0;
    sand.reseed(seed);
    // All dice fall from the same places, in which there is room for the largest of them.
    let across = 2.001 * die(Platonic::Tetrahedron).radius;
    let inside = |x: &DVec3| x.x.hypot(x.z) < JAR * half_side.cos() - 0.5 * across;
    let cube = 2.0_f64.sqrt() * across;
    let half_edges = 2 * (2.0 * JAR / cube).ceil() as u32;
    let side = 0.25 * cube * f64::from(half_edges);
    let places = [half_edges + 1, DICE as u32, half_edges + 1];
    for x in
        face_centred(DVec3::new(-side, 0.5 * across, -side), cube, places).filter(inside).take(DICE)
    {
        sand.put(1, x);
    }
    let height = sand.grains.state().x[DICE - 1].y;
    let packed = |sand: &Sand| {
        let x = &sand.grains.state().x;
        let floor = sand.env.bodies[0].pose.position.y - sand.env.bodies[0].rest.position.y;
        let heights = x.iter().map(|x| x.y - floor).sum::<f64>();
        let count = x.len() as f64;
        count * sand.grains.shape(0).volume / (area * 2.0 * heights / count)
    };
    // Until the highest have fallen.
    sand.run((2.0 * height / G).sqrt() + 0.2, |_| {});
    while !sand.rest(1e-3, 0.1) && sand.time < 5.0 {}
    sand.run(sand.time + 0.3, |_| {});
    let poured = packed(&sand);
    say(&format!("{body:?} {seed}: {poured:.3} after {:.2} s", sand.time));
    for (gamma, time) in SHAKES {
        let stop = sand.time + time;
        sand.env.bodies[0].add_motion(shaking(gamma, FREQUENCY, [sand.time, stop]));
        sand.run(stop + 0.15, |_| {});
        say(&format!("{body:?} {seed}: {:.3} shaken with {gamma} g", packed(&sand)));
    }
    [poured, packed(&sand)]
}

#[test]
#[ignore = "a quarter of an hour"]
fn dice_pack_as_in_the_laboratory() {
    // Baker & Kudrolli 2010.
    let expected = [
        (Platonic::Tetrahedron, 0.51, 0.64),
        (Platonic::Cube, 0.54, 0.67),
        (Platonic::Octahedron, 0.52, 0.64),
        (Platonic::Dodecahedron, 0.51, 0.63),
        (Platonic::Icosahedron, 0.50, 0.59),
    ];
    let runs: Vec<_> =
        expected.iter().flat_map(|e| (1..=POURINGS).map(|seed| (e.0, seed))).collect();
    let found = side_by_side(&runs, |_| 1.0, |(body, seed)| dice(body, seed));
    let mut worst = 0.0_f64;
    for ((body, poured, tapped), found) in expected.iter().zip(found.chunks(POURINGS as usize)) {
        let mean = |k: usize| found.iter().map(|f| f[k]).sum::<f64>() / POURINGS as f64;
        let mean = [mean(0), mean(1)];
        say(&format!(
            "{body:?}: {mean:.3?} of {found:.3?}, in the laboratory {poured} and {tapped}"
        ));
        worst = worst.max((mean[0] - poured).abs()).max((mean[1] - tapped).abs());
    }
    assert!(worst < 0.03);
}

/// Largest half axis of the boulders of the pile [m]: the larger, the longer their steps may be.
const BOULDER: f64 = 1.0;
/// When the gate before them vanishes [s].
const GATE: f64 = 4.5;

/// Boulders behind a gate.
fn pile() -> Sand {
    let (width, depth) = (20.0 * BOULDER, 20.0 * BOULDER);
    let far = DVec3::Z;
    let (min, max) = (DVec3::X * width, DVec3::new(width + 1.0, 90.0, depth));
    let bodies = vec![
        Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap(),
        Body::plane("wall", DVec3::ZERO, DVec3::X).unwrap(),
        Body::cuboid("gate", min - far, max + far).unwrap().with_end(GATE),
    ];
    // As soft, for their weight, as grains of a centimetre.
    let contacts = contacts(SOFT * BOULDER / SIZE, 0.6, &[0.6; 3]);
    let mut sand = Sand::new(pebbles_of(BOULDER), bodies, &contacts, [None, Some(depth)]);
    sand.haste = 4.0;
    sand.fill(DVec3::ZERO, DVec3::new(width, 2.0 * width, depth) * (1.0 + 1e-6));
    sand
}

/// The angle of the pile between the wall and its foot [°].
fn slope(sand: &Sand) -> f64 {
    let step = 2.0 * BOULDER;
    let tops = sand.profile(step);
    let points: Vec<(f64, f64)> =
        tops.iter().take(15).enumerate().map(|(k, y)| ((k as f64 + 0.5) * step, *y)).collect();
    (-Line::through(&points).slope).atan().to_degrees()
}

#[test]
#[ignore = "minutes"]
fn two_thousand_grains_come_to_rest_and_stay() {
    let mut sand = pile();
    let initial = sand.grains.energy(&sand.env).potential;
    // Until the last boulder has stopped rolling.
    let mut kinetic = 1.0;
    while sand.time < GATE + 30.0 && kinetic > 1e-10 {
        sand.run(sand.time + 1.0, |_| {});
        kinetic = sand.grains.energy(&sand.env).kinetic / initial;
        say(&format!("{:.1} s: kinetic {kinetic:.1e} of the potential energy", sand.time));
    }
    let settled = sand.time;
    let (angle, before) = (slope(&sand), sand.grains.state().x.clone());
    let count = before.len();
    say(&format!("{count} grains, {angle:.3}°"));
    let mut saved = Vec::new();
    sand.grains.save(&mut saved).unwrap();
    let mut resumed = pile();
    resumed.grains.load(&mut &saved[..]).unwrap();
    resumed.time = sand.time;
    resumed.env.set_time(sand.time);
    for sand in [&mut sand, &mut resumed] {
        sand.run(settled + 0.2, |_| {});
    }
    assert!(slope(&sand).to_bits() == slope(&resumed).to_bits(), "the same slope after resuming");
    assert!(sand.grains.state().x == resumed.grains.state().x);
    for second in [2.0, 5.0, 10.0] {
        sand.run(settled + second, |_| {});
        let ways = sand.grains.state().x.iter().zip(&before).map(|(a, b)| a.distance(*b));
        let creep = ways.fold(0.0, f64::max);
        let kinetic = sand.grains.energy(&sand.env).kinetic / initial;
        say(&format!(
            "{second} s: {:.3}°, creep {creep:.1e} m, kinetic {kinetic:.1e}",
            slope(&sand)
        ));
        assert!(creep < 1e-3 * BOULDER && kinetic < 1e-6);
    }
    assert!(count >= 2000 && kinetic < 1e-6 && angle > 15.0);
}
