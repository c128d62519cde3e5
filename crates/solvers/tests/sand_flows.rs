//! Sand that flows out and presses: hoppers and silos. All take minutes:
//! `cargo test --release -p lawine-solvers --test sand_flows -- --ignored --nocapture`.

mod sand;

use glam::DVec3;
use lawine_core::body::{Body, Motion};
use lawine_core::fit::Line;
use lawine_core::geometry::Aabb;
use lawine_core::opening::Region;
use lawine_solvers::dem::Drain;
use sand::{HARD, SIZE, Sand, contacts, diameter, pebbles, say, side_by_side};

/// Depth of what repeats [m].
const DEPTH: f64 = 0.06;

/// A box that is longer than what repeats.
fn slab(name: &str, min: DVec3, max: DVec3) -> Body {
    let far = DVec3::Z * 0.1;
    Body::cuboid(name, min - far, max + far).unwrap()
}

/// Grains per second through a slot in the floor of a bin that was filled to a height [m].
fn discharge(slot: f64, height: f64) -> f64 {
    let (half, closed) = (0.12, 0.4);
    let floor = |name, from: f64, to: f64| {
        slab(name, DVec3::new(from, -0.02, 0.0), DVec3::new(to, 0.0, DEPTH))
    };
    let wall = |name, at: f64, normal| Body::plane(name, DVec3::X * at, normal).unwrap();
    let bodies = vec![
        floor("left", -half - 0.02, -0.5 * slot),
        floor("right", 0.5 * slot, half + 0.02),
        wall("west", -half, DVec3::X),
        wall("east", half, DVec3::NEG_X),
        floor("gate", -0.5 * slot, 0.5 * slot).with_end(closed),
    ];
    let mut sand = Sand::new(pebbles(), bodies, &contacts(HARD, 0.5, &[]), [None, Some(DEPTH)]);
    sand.fill(DVec3::new(-half, 0.0, 0.0), DVec3::new(half + 1e-4, height, DEPTH + 1e-4));
    let below = Aabb::new(DVec3::new(-9.0, -9.0, -9.0), DVec3::new(9.0, -0.02, 9.0));
    let top = Aabb::new(
        DVec3::new(-half + SIZE, 0.7 * height, 0.0),
        DVec3::new(half - SIZE, height, DEPTH),
    );
    sand.grains.drain(Drain { region: Region::Box(below), back: Some(top) });
    let mut counts = Vec::new();
    for k in 0..=10 {
        sand.run(closed + 0.1 * f64::from(k), |_| {});
        counts.push(sand.grains.drained().sum::<u64>());
    }
    let rate = (counts[10] - counts[3]) as f64 / 0.7;
    say(&format!(
        "slot {:.2} d, filled {height} m: {rate:.0}/s, {counts:?}",
        slot / diameter(&pebbles())
    ));
    rate
}

#[test]
#[ignore = "minutes"]
fn hoppers_follow_beverloo() {
    let d = diameter(&pebbles());
    let slots = [3.5, 4.25, 5.0, 6.0];
    let cases = [(0, 0.33), (1, 0.33), (2, 0.33), (3, 0.33), (1, 0.45)];
    let rates =
        side_by_side(&cases, |(slot, height): (usize, _)| discharge(slots[slot] * d, height));
    // Beverloo 1961 for a slot: W = C ρ √g (D − k d)^{3/2} per length. W^{2/3} is a straight line over D
    // that ends at k d.
    let rooted: Vec<(f64, f64)> =
        slots.iter().zip(&rates).map(|(s, w)| (*s, w.powf(2.0 / 3.0))).collect();
    let Line { slope, height } = Line::through(&rooted);
    let k = -height / slope;
    let points: Vec<(f64, f64)> =
        slots.iter().zip(&rates).map(|(s, w)| ((s - k).ln(), w.ln())).collect();
    let exponent = Line::through(&points).slope;
    say(&format!(
        "{rates:.0?} grains a second through {slots:?} d: k = {k:.2}, exponent {exponent:.3}"
    ));
    assert!((1.0..2.0).contains(&k) && (exponent - 1.5).abs() < 0.15);
    assert!((rates[4] / rates[1] - 1.0).abs() < 0.15, "the height does not matter");
}

/// Force on the floor of a silo that has sunk a little [N], and the weight in it [N], its height [m].
fn silo(width: f64, height: f64, friction: f64) -> [f64; 3] {
    let size = DVec3::new(width, 9.0, width);
    let open = [[false; 2], [true; 2], [false; 2]];
    let sinking = Motion::Velocity { velocity: DVec3::NEG_Y * 0.01, start: 0.7, stop: 1.0 };
    let out = DVec3::new(0.02, 0.0, 0.02);
    let floor =
        Body::cuboid("floor", DVec3::NEG_Y * 0.05 - out, DVec3::new(width, 0.0, width) + out);
    let walls = Body::container("walls", DVec3::NEG_Y * 0.2, size, open).unwrap();
    let bodies = vec![walls, floor.unwrap().with_motion(sinking)];
    let contacts = contacts(HARD, 0.5, &[friction, friction]);
    let mut sand = Sand::new(pebbles(), bodies, &contacts, [None; 2]);
    sand.fill(DVec3::ZERO, DVec3::new(width + 1e-4, height, width + 1e-4));
    let (mut found, mut top) = (0.0, 0.0);
    for k in 0..4 {
        let (mut force, mut steps) = (0.0, 0.0);
        sand.run(0.7 + 0.1 * f64::from(k), |sand| {
            if sand.time > 0.6 {
                force -= sand.env.bodies[1].force.y;
                steps += 1.0;
            }
        });
        (found, top) = (force / steps, sand.profile(2.0 * width)[0] + SIZE);
        say(&format!(
            "lattice {height} m: {found:.3} N of {:.3} N, {top:.3} m high",
            sand.weight()
        ));
    }
    [found, sand.weight(), top]
}

#[test]
#[ignore = "minutes"]
fn silos_saturate_as_janssen_says() {
    let (width, friction) = (0.081, 0.5);
    let found = side_by_side(&[0.161, 0.401, 0.641], |height| silo(width, height, friction));
    // σ D² = W_s (1 − exp(−W/W_s)) with the weight W above and W_s = ρ g D³/(4 μ K): fit to the tallest.
    let [force, weight, top] = found[2];
    let law = |saturated: f64, weight: f64| saturated * (1.0 - (-weight / saturated).exp());
    let (mut low, mut high) = (0.0, 100.0 * weight);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        *(if law(middle, weight) < force { &mut low } else { &mut high }) = middle;
    }
    let k = weight / top * width / (4.0 * friction * low);
    say(&format!("force, weight and height: {found:.3?}; K = {k:.3}"));
    assert!((0.34..0.69).contains(&k), "K is 0.4 to 0.6 within 15 %");
    for [force, weight, _] in found {
        assert!((force / law(low, weight) - 1.0).abs() < 0.15);
    }
}
