//! Columns of sand that collapse, in a plane and round. They take minutes on many cores:
//! `cargo test --release -p lawine-solvers --test sand_columns -- --ignored --nocapture`.

mod sand;

use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::fit::Line;
use lawine_solvers::dem::contact::{Contacts, Law};
use sand::{CUBE, DENSITY, G, SIZE, Sand, contacts, diameter, say, shards, side_by_side};
use std::f64::consts::{PI, TAU};

/// Depth of a column in a plane, after which it repeats [m].
const DEPTH: f64 = 2.0 * CUBE;
/// Aspects and widths in grains of low columns. All are about 13 grains high, since they run out in
/// proportion to their height: then all suffer alike from being made of few grains.
const LOW: [(f64, f64); 4] = [(0.6, 21.67), (0.9, 14.4), (1.3, 10.0), (1.7, 7.647)];
/// Width of tall columns in grains.
const WIDTH: f64 = 7.0;
/// Volume of a round column in grains cubed.
const AMOUNT: f64 = 1200.0;
/// Stiffness of the grains [Pa] under F = Y V/l. With the same work grains under κ V² lie in each other
/// with the threefold volume, since their corners are softer.
const STIFFNESS: f64 = 2e6;

/// Sand with friction of 0.5 among itself, and with a list of bodies.
fn rules(walls: &[f64]) -> Contacts {
    Contacts { law: Law::Matuttis, ..contacts(STIFFNESS, 0.5, walls) }
}

/// Aspect of a column, and how far it runs out over its width or radius, from its mean thickness at
/// every distance; `area` is that of the ground within a distance.
fn run_out(
    sand: &mut Sand,
    gate: f64,
    width: f64,
    distance: impl Fn(DVec3) -> f64,
    area: impl Fn(f64) -> f64,
) -> [f64; 2] {
    sand.haste = 4.0;
    sand.run(gate, |_| {});
    let x = &sand.grains.state().x;
    let settled = 2.0 * x.iter().map(|x| x.y).sum::<f64>() / x.len() as f64;
    let packed = sand.weight() / (DENSITY * G * area(width) * settled);
    let aspect = settled / width;
    say(&format!("{} grains, packed to {packed:.3}: aspect {aspect:.3}", x.len()));
    sand.run(gate + 0.3, |_| {});
    sand.rest(1e-3, 1.5);
    let step = diameter(&shards());
    let mut thickness = Vec::new();
    for (i, x) in sand.grains.state().x.iter().enumerate() {
        let bin = (distance(*x) / step) as usize;
        thickness.resize(thickness.len().max(bin + 1), 0.0);
        let ring = area((bin + 1) as f64 * step) - area(bin as f64 * step);
        thickness[bin] += sand.grains.shape(i).volume / (packed * ring * step);
    }
    let out = foot(&thickness, width / step) * step / width - 1.0;
    say(&format!(
        "aspect {aspect:.3}, {:.1} grains wide, {:.2} s: run-out {out:.3}, {:.3} a, {thickness:.2?}",
        width / step,
        sand.time,
        out / aspect
    ));
    [aspect, out]
}

/// Where a heap ends, from its thickness in bins one grain wide, all in grains: where the line through
/// what lies beyond the gate and covers the ground meets it. Single grains roll further, as in the
/// laboratory, where they do not count either; and the edge of the heap is a grain high, which is much
/// here, but nothing there.
fn foot(thickness: &[f64], gate: f64) -> f64 {
    let beyond: Vec<(f64, f64)> = (gate as usize..thickness.len())
        .map(|k| (k as f64 + 0.5, thickness[k]))
        .take_while(|(_, t)| *t > 0.5)
        .collect();
    let line = Line::through(&beyond);
    -line.height / line.slope
}

/// A column of an aspect and a width in grains beside a wall, behind a gate that vanishes.
fn plane_column((aspect, width): (f64, f64)) -> [f64; 2] {
    let width = width * diameter(&shards());
    // Looser than the heap that it becomes.
    let height = 3.0 * aspect * width;
    let gate = 0.25 + (0.2 * height).sqrt();
    let far = DVec3::Z * 0.1;
    let (near, end) = (DVec3::X * width, DVec3::new(width + 0.05, 9.0, DEPTH));
    let bodies = vec![
        Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap(),
        Body::plane("wall", DVec3::ZERO, DVec3::X).unwrap(),
        Body::cuboid("gate", near - far, end + far).unwrap().with_end(gate),
    ];
    let mut sand = Sand::new(shards(), bodies, &rules(&[0.5, 0.5, 0.2]), [None, Some(DEPTH)]);
    sand.fill_densely(DVec3::ZERO, DVec3::new(width, height, DEPTH), |x| x.x + SIZE < width);
    run_out(&mut sand, gate, width, |x| x.x, |x| x * DEPTH)
}

/// A round column of an aspect and a radius in grains, whose mantle vanishes; half of it or less, between
/// smooth walls, so that it has as many grains as others.
fn round_column((aspect, radius): (f64, f64)) -> [f64; 2] {
    let sector = (2.0 * AMOUNT / (aspect * radius.powi(3))).min(PI);
    let radius = radius * diameter(&shards());
    let height = (2.95 + 0.04 / radius) * aspect * radius;
    let gate = 0.25 + (0.2 * height).sqrt();
    let rim: Vec<DVec3> = (0..48)
        .flat_map(|k| {
            let (z, x) = (TAU * f64::from(k) / 48.0).sin_cos();
            [-0.05, 9.0].map(|y| DVec3::new(radius * x, y, radius * z))
        })
        .collect();
    let side = DVec3::new(sector.sin(), 0.0, -sector.cos());
    let bodies = vec![
        Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap(),
        Body::plane("near", DVec3::ZERO, DVec3::Z).unwrap(),
        Body::plane("far", DVec3::ZERO, side).unwrap(),
        Body::polyhedron("mantle", &rim).unwrap().into_hollow().with_end(gate),
    ];
    let mut sand = Sand::new(shards(), bodies, &rules(&[0.5, 0.0, 0.0, 0.2]), [None; 2]);
    let inside = |x: DVec3| x.x.hypot(x.z) < 0.995 * radius - SIZE && side.dot(x) > 1.01 * SIZE;
    let corner = DVec3::new(radius, 0.0, 0.0);
    sand.fill_densely(-corner, DVec3::new(radius, height, radius), inside);
    run_out(&mut sand, gate, radius, |x| x.x.hypot(x.z), |r| 0.5 * sector * r * r)
}

/// The exponent of run-out over aspect, and the factor of the law with another exponent.
fn law(found: &[[f64; 2]], exponent: f64) -> [f64; 2] {
    let points: Vec<(f64, f64)> = found.iter().map(|[a, out]| (a.ln(), out.ln())).collect();
    let factors = points.iter().map(|(a, out)| out - exponent * a).sum::<f64>();
    [Line::through(&points).slope, (factors / points.len() as f64).exp()]
}

#[test]
#[ignore = "minutes"]
fn low_columns_in_a_plane_run_out_as_lube_found() {
    let found = side_by_side(&LOW, plane_column);
    let [exponent, factor] = law(&found, 1.0);
    say(&format!("low, in a plane {found:.3?}: exponent {exponent:.3}, {factor:.2} a"));
    say("Lube et al. 2005: 1.2 a for a < 1.8");
    assert!((exponent - 1.0).abs() < 0.1);
}

#[test]
#[ignore = "open: 0.93 from two of the three; minutes on many cores"]
fn tall_columns_in_a_plane_run_out_as_lube_found() {
    let found = side_by_side(&[2.9, 4.0, 5.5].map(|a| (a, WIDTH)), plane_column);
    let [exponent, factor] = law(&found, 2.0 / 3.0);
    say(&format!("tall, in a plane {found:.3?}: exponent {exponent:.3}, {factor:.2} a^2/3"));
    say("Lube et al. 2005: 1.9 a^2/3 for a > 2.8");
    assert!((exponent - 2.0 / 3.0).abs() < 0.1);
}

#[test]
#[ignore = "open: 0.79 from three of the four; minutes on many cores"]
fn low_round_columns_run_out_as_lube_found() {
    let found = side_by_side(&LOW, round_column);
    let [exponent, factor] = law(&found, 1.0);
    say(&format!("low, round {found:.3?}: exponent {exponent:.3}, {factor:.2} a"));
    say("Lube et al. 2004: 1.24 a for a < 1.7");
    assert!((exponent - 1.0).abs() < 0.1);
}

#[test]
#[ignore = "open: not yet run; minutes on many cores"]
fn tall_round_columns_run_out_as_lube_found() {
    let found = side_by_side(&[1.9, 2.6, 3.6, 5.0].map(|a| (a, WIDTH)), round_column);
    let [exponent, factor] = law(&found, 0.5);
    say(&format!("tall, round {found:.3?}: exponent {exponent:.3}, {factor:.2} a^1/2"));
    say("Lube et al. 2004: 1.6 a^1/2 for a > 1.7");
    assert!((exponent - 0.5).abs() < 0.1);
}
