//! Shows how to keep the pairs of a drifting cloud of grains up to date, and what a step costs:
//! boxes and pairs for 1,000 to 100,000 grains in a periodic box.
#![allow(clippy::print_stdout, reason = "an example that prints a table")]

use cpu_time::ThreadTime;
use glam::{DQuat, DVec3};
use lawine_core::geometry::{Aabb, EllipsoidGrain, Random, Shape, ShapeError};
use lawine_core::space::{Dimension, Space};
use lawine_solvers::dem::broad::{BoxMethod, BroadPhase, Extremes, Search};
use lawine_solvers::dem::narrow::Pose;

/// Grains have half axes of 1, 0.9 and 0.8 mm and stand 2.2 mm apart.
const SPACING: f64 = 2.2e-3;
/// Length of a step by the fastest grain, as a share of the diameter.
const MOVES: f64 = 1e-3;
const STEPS: usize = 50;

fn main() -> Result<(), ShapeError> {
    let grain = EllipsoidGrain::new(DVec3::new(1.0, 0.9, 0.8) * 1e-3, 20);
    let (polyhedron, axes) = grain.make(&mut Random::new(1))?;
    let shape = Shape::from_polyhedron(&polyhedron)?.with_ellipsoid(axes);
    let searches =
        [("sort-and-sweep", Search::SortAndSweep), ("grid", Search::Grid { skin: 1e-4 })];
    println!("  grains  search           boxes [ms]  pairs [ms]  pairs");
    for (name, search) in searches {
        let mut last: Option<(usize, f64)> = None;
        for side in [10, 22, 46] {
            let (boxes, pairs, count) = measure(&shape, search, side);
            let n = side * side * side;
            println!("{n:8}  {name:15}  {boxes:10.3}  {pairs:10.3}  {count}");
            if let Some((fewer, before)) = last {
                let exponent = ((boxes + pairs) / before).ln() / (n as f64 / fewer as f64).ln();
                println!("          exponent of boxes and pairs together: {exponent:.2}");
            }
            last = Some((n, boxes + pairs));
        }
    }
    Ok(())
}

/// Milliseconds for the boxes and for the pairs of a step, and the number of pairs.
fn measure(shape: &Shape, search: Search, side: usize) -> (f64, f64, usize) {
    let mut random = Random::new(2);
    let length = side as f64 * SPACING;
    let domain = Some(Aabb::new(DVec3::ZERO, DVec3::splat(length)));
    let space = Space { domain, periodic: [true; 3], ..Space::unbounded(Dimension::Full) };
    let at = |i: usize| {
        DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64)
    };
    let n = side * side * side;
    let mut grains: Vec<(DVec3, DVec3, DQuat, DVec3, Extremes)> = (0..n)
        .map(|i| {
            let x = SPACING * (at(i) + 0.3 * random.direction());
            let v = random.direction() * (MOVES * 2e-3);
            (x, v, random.orientation(), random.direction() * MOVES, [0; 6])
        })
        .collect();
    let mut broad = BroadPhase::new(search);
    let mut boxes = vec![Aabb::EMPTY; n];
    let (mut box_time, mut pair_time, mut count) = (0.0, 0.0, 0);
    for step in 0..=STEPS {
        let start = ThreadTime::now();
        for ((x, v, q, turn, extremes), bounds) in grains.iter_mut().zip(&mut boxes) {
            *x = space.wrap(*x + *v);
            *q = (DQuat::from_scaled_axis(*turn) * *q).normalize();
            *bounds = BoxMethod::Auto.bounds(shape, &Pose::new(*x, *q), extremes);
        }
        let middle = ThreadTime::now();
        count = broad.update(&boxes, &space).len();
        // The first step builds everything.
        if step > 0 {
            box_time += middle.duration_since(start).as_secs_f64();
            pair_time += middle.elapsed().as_secs_f64();
        }
    }
    let per_step = 1e3 / STEPS as f64;
    (box_time * per_step, pair_time * per_step, count)
}
