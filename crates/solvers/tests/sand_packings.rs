//! Sand at rest: dice poured and tapped, and a pile that stays. All take minutes:
//! `cargo test --release -p lawine-solvers --test sand_packings -- --ignored --nocapture`.

mod sand;

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::geometry::{Platonic, Shape, platonic};
use sand::{HARD, Sand, contacts, say, shaking, side_by_side};
use std::sync::Arc;

/// Packing of dice that were poured on a floor without sides, and after tapping it.
fn dice(body: Platonic) -> [f64; 2] {
    // Dice of the same volume.
    let edge = 0.015_f64;
    let unit = Shape::from_polyhedron(&platonic(body, 1.0).unwrap()).unwrap().volume;
    let radius = (1.0_f64 / unit).cbrt() * edge;
    let shape = Arc::new(Shape::from_polyhedron(&platonic(body, radius).unwrap()).unwrap());
    let (side, start, taps) = (0.1, 0.6, 3.0);
    let floor = Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap();
    let floor = floor.with_motion(shaking(3.0, 20.0, start));
    let mut sand =
        Sand::new(vec![shape], vec![floor], &contacts(HARD, 0.5, &[0.5]), [Some(side); 2]);
    let across = 2.0 * radius;
    let layer = (side / across).floor().powi(2);
    let height = (300.0 / layer).ceil() * across + 1e-3;
    sand.fill(DVec3::ZERO, DVec3::new(side, height, side));
    // Between the lower and the upper quarter of the dice, away from floor and surface.
    let packed = |sand: &Sand| {
        let mut heights: Vec<f64> = sand.grains.state().x.iter().map(|x| x.y).collect();
        heights.sort_unstable_by(f64::total_cmp);
        let (low, high) = (heights.len() / 4, heights.len() * 3 / 4);
        let volume = (high - low) as f64 * sand.grains.shape(0).volume;
        volume / (side * side * (heights[high] - heights[low]))
    };
    sand.run(start, |_| {});
    let poured = packed(&sand);
    for second in 1..=3 {
        sand.run(start + taps * f64::from(second) / 3.0, |_| {});
        say(&format!("{body:?} {poured:.3}, after {second} s {:.3}", packed(&sand)));
    }
    sand.env.bodies[0].motion.clear();
    sand.run(start + taps + 0.3, |_| {});
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
