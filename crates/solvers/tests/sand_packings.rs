//! Sand at rest: dice poured and tapped, and a pile that stays. All take minutes:
//! `cargo test --release -p lawine-solvers --test sand_packings -- --ignored --nocapture`.

mod sand;

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::geometry::{Platonic, Shape, platonic};
use lawine_core::method::Method;
use sand::{HARD, SIZE, SOFT, Sand, contacts, container, line, say, shaking, side_by_side, stones};
use std::sync::Arc;

/// Packing of dice that sank into a box, and after tapping it: their volume over that of the box up to
/// twice their mean height. Baker & Kudrolli's loose packings settle in water; here gravity is an
/// eighth while they fall.
fn dice(body: Platonic) -> [f64; 2] {
    // Dice of the same volume.
    let unit = Shape::from_polyhedron(&platonic(body, 1.0).unwrap()).unwrap().volume;
    let radius = (1.0_f64 / unit).cbrt() * 0.015;
    let shape = Arc::new(Shape::from_polyhedron(&platonic(body, radius).unwrap()).unwrap());
    let (side, start) = (0.12, 1.8);
    let open = [[false; 2], [false, true], [false; 2]];
    let tapping = shaking(3.0, 20.0, start);
    let box_ = container(DVec3::new(side, 9.0, side), open).with_motion(tapping);
    let mut sand = Sand::new(vec![shape], vec![box_], &contacts(HARD, 0.5, &[0.5]), [None; 2]);
    let across = 2.0 * radius;
    let layer = (side / across).floor().powi(2);
    let height = (220.0 / layer).ceil() * across + 1e-3;
    sand.fill(DVec3::ZERO, DVec3::new(side, height, side));
    let packed = |sand: &Sand| {
        let x = &sand.grains.state().x;
        let floor = sand.env.bodies[0].pose.position.y - sand.env.bodies[0].rest.position.y;
        let heights = x.iter().map(|x| x.y - floor).sum::<f64>();
        let count = x.len() as f64;
        count * sand.grains.shape(0).volume / (side * side * 2.0 * heights / count)
    };
    sand.env.gravity /= 8.0;
    sand.run(start - 0.3, |_| {});
    sand.env.gravity *= 8.0;
    sand.run(start, |_| {});
    let poured = packed(&sand);
    for second in 1..=2 {
        sand.run(start + f64::from(second), |_| {});
        say(&format!("{body:?} {poured:.3}, after {second} s {:.3}", packed(&sand)));
    }
    sand.env.bodies[0].motion.clear();
    sand.run(start + 2.2, |_| {});
    [poured, packed(&sand)]
}

#[test]
#[ignore = "minutes"]
fn dice_pack_as_in_the_laboratory() {
    // Baker & Kudrolli 2010.
    let expected = [
        (Platonic::Tetrahedron, 0.51, 0.64),
        (Platonic::Cube, 0.54, 0.67),
        (Platonic::Octahedron, 0.52, 0.64),
        (Platonic::Dodecahedron, 0.51, 0.63),
        (Platonic::Icosahedron, 0.50, 0.59),
    ];
    let found = side_by_side(&expected, |(body, ..)| dice(body));
    let mut worst = 0.0_f64;
    for ((body, poured, tapped), found) in expected.into_iter().zip(found) {
        say(&format!("{body:?}: {found:.3?}, in the laboratory {poured} and {tapped}"));
        worst = worst.max((found[0] - poured).abs()).max((found[1] - tapped).abs());
    }
    assert!(worst < 0.03);
}

/// Stones behind a gate that vanishes at half a second.
fn pile() -> Sand {
    let (width, depth) = (0.2, 0.2);
    let far = DVec3::Z * 0.1;
    let (min, max) = (DVec3::X * width, DVec3::new(width + 0.05, 9.0, depth));
    let bodies = vec![
        Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap(),
        Body::plane("wall", DVec3::ZERO, DVec3::X).unwrap(),
        Body::cuboid("gate", min - far, max + far).unwrap().with_end(0.5),
    ];
    let contacts = contacts(SOFT, 0.6, &[0.6; 3]);
    let mut sand = Sand::new(stones(), bodies, &contacts, [None, Some(depth)]);
    sand.fill(DVec3::ZERO, DVec3::new(width + 1e-4, 0.4001, depth + 1e-4));
    sand
}

/// The angle of the pile between the wall and its foot [°].
fn slope(sand: &Sand) -> f64 {
    let step = 2.0 * SIZE;
    let tops = sand.profile(step);
    let points: Vec<(f64, f64)> =
        tops.iter().take(15).enumerate().map(|(k, y)| ((k as f64 + 0.5) * step, *y)).collect();
    (-line(&points).0).atan().to_degrees()
}

#[test]
#[ignore = "minutes, on some threads"]
fn two_thousand_grains_come_to_rest_and_stay() {
    let mut sand = pile();
    let initial = sand.grains.energy(&sand.env).potential;
    sand.run(3.0, |_| {});
    let kinetic = sand.grains.energy(&sand.env).kinetic / initial;
    let (angle, before) = (slope(&sand), sand.grains.state().x.clone());
    let count = before.len();
    say(&format!("{count} grains, {angle:.3}°, kinetic {kinetic:.1e} of the potential energy"));
    let mut saved = Vec::new();
    sand.grains.save(&mut saved).unwrap();
    let mut resumed = pile();
    resumed.grains.load(&mut &saved[..]).unwrap();
    resumed.time = sand.time;
    resumed.env.set_time(sand.time);
    for sand in [&mut sand, &mut resumed] {
        sand.run(3.2, |_| {});
    }
    assert!(slope(&sand).to_bits() == slope(&resumed).to_bits(), "the same slope after resuming");
    assert!(sand.grains.state().x == resumed.grains.state().x);
    for second in [5.0, 8.0, 13.0] {
        sand.run(second, |_| {});
        let ways = sand.grains.state().x.iter().zip(&before).map(|(a, b)| a.distance(*b));
        let creep = ways.fold(0.0, f64::max);
        let kinetic = sand.grains.energy(&sand.env).kinetic / initial;
        say(&format!(
            "{second} s: {:.3}°, creep {creep:.1e} m, kinetic {kinetic:.1e}",
            slope(&sand)
        ));
        assert!(creep < 1e-3 * SIZE && kinetic < 1e-6);
    }
    assert!(count == 2000 && kinetic < 1e-6 && angle > 15.0);
}
