//! Fixed cases for benchmarks: what tracking closest features, finding pairs and contacts cost.
//!
//! The clock is the caller's, in seconds: the time of the thread is fairest on a busy machine.

mod pile;

pub use pile::{Pile, PileError, Resting};

use glam::{DQuat, DVec3};
use lawine_core::geometry::{Aabb, EllipsoidGrain, Polyhedron, Random, Shape, ShapeError};
use lawine_core::space::{Dimension, Space};

use super::broad::{BoxMethod, BroadPhase, Extremes, Search};
use super::narrow::{Ending, Pose, Scratch, closest};

/// A line of Table 4.4: two equal bodies, one turning about x, the other about y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracking {
    /// Corners, edges and faces of a body.
    pub parts: [usize; 3],
    /// Queries that ended after 1, 2, 3, 4, 5 and more cycles.
    pub cycles: [usize; 6],
    /// Seconds for a query [s].
    pub seconds: f64,
    /// The smallest distance on the way [m]; bodies have a radius of about 1 m.
    pub gap: f64,
    /// Queries that did not end by walking alone.
    pub not_walked: usize,
}

/// The body of the tracking case with a number of corners.
///
/// # Errors
/// When there are fewer than four.
pub fn body(corners: usize) -> Result<Polyhedron, ShapeError> {
    let grain = EllipsoidGrain::new(DVec3::new(1.0, 0.9, 0.8), corners);
    grain.make(&mut Random::new(1)).map(|(polyhedron, _)| polyhedron)
}

/// Tracks a pair of the same body for `steps` of 1 ms, one turning with 1/s and the other with 1.3/s.
pub fn tracking(body: &Polyhedron, steps: usize, clock: &dyn Fn() -> f64) -> Tracking {
    tracking_at(1.0, body, steps, clock)
}

/// The same with `omega` [1/s] and 1.3 times as much.
pub fn tracking_at(
    omega: f64,
    body: &Polyhedron,
    steps: usize,
    clock: &dyn Fn() -> f64,
) -> Tracking {
    let poses: Vec<[Pose; 2]> = (0..steps)
        .map(|step| {
            let angle = 0.001 * omega * step as f64;
            [
                Pose::new(DVec3::ZERO, DQuat::from_rotation_x(angle)),
                Pose::new(DVec3::new(0.3, 0.2, 2.2), DQuat::from_rotation_y(1.3 * angle)),
            ]
        })
        .collect();
    let (mut cycles, mut gap, mut not_walked) = ([0; 6], f64::INFINITY, 0);
    let (mut track, mut scratch) = (None, Scratch::default());
    let start = clock();
    for [a, b] in &poses {
        let found = closest((body, a), (body, b), &mut track, &mut scratch);
        cycles[(found.cycles as usize - 1).min(5)] += 1;
        gap = gap.min(found.distance);
        not_walked += usize::from(found.ending != Ending::Walked);
    }
    let seconds = (clock() - start) / steps.max(1) as f64;
    let parts = [body.vertices().len(), body.edge_count(), body.faces().len()];
    Tracking { parts, cycles, seconds, gap, not_walked }
}

/// What a step of the broad phase costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Number of grains.
    pub grains: usize,
    /// Seconds a step for moving grains and their boxes [s].
    pub boxes: f64,
    /// Seconds a step for the pairs [s].
    pub pairs: f64,
    /// Pairs in the last step.
    pub found: usize,
}

/// A cloud of `side`³ grains of 20 corners, 2 mm across and 2.2 mm apart, that drift through a
/// periodic box by a thousandth of their size in each of the `steps`.
///
/// # Errors
/// Never for the fixed shape; the error is passed on all the same.
pub fn finding(
    side: usize,
    search: Search,
    steps: usize,
    clock: &dyn Fn() -> f64,
) -> Result<Finding, ShapeError> {
    const SPACING: f64 = 2.2e-3;
    const MOVE: f64 = 1e-3;
    let grain = EllipsoidGrain::new(DVec3::new(1.0, 0.9, 0.8) * 1e-3, 20);
    let (polyhedron, axes) = grain.make(&mut Random::new(1))?;
    let shape = Shape::from_polyhedron(&polyhedron)?.with_ellipsoid(axes);
    let mut random = Random::new(2);
    let domain = Some(Aabb::new(DVec3::ZERO, DVec3::splat(side as f64 * SPACING)));
    let space = Space { domain, periodic: [true; 3], ..Space::unbounded(Dimension::Full) };
    let lattice = |i: usize| [i % side, i / side % side, i / side / side].map(|k| k as f64);
    let mut grains: Vec<(DVec3, DVec3, DQuat, DVec3, Extremes)> = (0..side * side * side)
        .map(|i| {
            let x = SPACING * (DVec3::from_array(lattice(i)) + 0.3 * random.direction());
            let v = random.direction() * (MOVE * 2e-3);
            (x, v, random.orientation(), random.direction() * MOVE, [0; 6])
        })
        .collect();
    let mut broad = BroadPhase::new(search);
    let mut boxes = vec![Aabb::EMPTY; grains.len()];
    let mut result = Finding { grains: grains.len(), boxes: 0.0, pairs: 0.0, found: 0 };
    for step in 0..=steps {
        let start = clock();
        for ((x, v, q, turn, extremes), bounds) in grains.iter_mut().zip(&mut boxes) {
            *x = space.wrap(*x + *v);
            *q = (DQuat::from_scaled_axis(*turn) * *q).normalize();
            *bounds = BoxMethod::Auto.bounds(&shape, &Pose::new(*x, *q), extremes);
        }
        let middle = clock();
        result.found = broad.update(&boxes, &space).len();
        // The first step builds everything and does not count.
        if step > 0 {
            result.boxes += (middle - start) / steps as f64;
            result.pairs += (clock() - middle) / steps as f64;
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_run_and_count_everything() {
        let ticks = std::cell::Cell::new(0.0);
        let clock = || {
            ticks.set(ticks.get() + 1.0);
            ticks.get()
        };
        let row = tracking(&body(42).unwrap(), 2000, &clock);
        assert_eq!((row.parts, row.cycles.iter().sum::<usize>()), ([42, 120, 80], 2000));
        assert!(row.gap > 0.0 && row.not_walked == 0 && row.cycles[0] > 1900);
        let sweep = finding(6, Search::SortAndSweep, 10, &clock).unwrap();
        let grid = finding(6, Search::Grid { skin: 1e-4 }, 10, &clock).unwrap();
        assert_eq!((sweep.grains, sweep.found), (216, grid.found));
        assert!(sweep.found > 100);
    }
}
