//! Shows how to track the closest features of two polyhedra, and what it costs: Table 4.4 of
//! Schinner's thesis again. One body turns about x, the other about y, 100,000 steps of 1 ms.
#![allow(clippy::print_stdout, reason = "an example that prints a table")]

use cpu_time::ThreadTime;
use glam::{DQuat, DVec3};
use lawine_core::geometry::{EllipsoidGrain, Polyhedron, Random};
use lawine_solvers::dem::narrow::{Ending, Pose, Scratch, closest};

const STEPS: usize = 100_000;
/// Distance of the centres [m]; the bodies' radius is 1 m.
const APART: f64 = 2.2;

fn main() {
    println!(
        " corners edges faces |      1      2      3      4      5     6+ | ns/query, gap [m]"
    );
    for n in [4, 6, 12, 18, 22, 42, 52, 62, 72, 82, 102, 162, 202, 302, 462] {
        let grain = EllipsoidGrain::new(DVec3::new(1.0, 0.9, 0.8), n);
        match grain.make(&mut Random::new(1)) {
            Ok((body, _)) => row(&body),
            Err(why) => println!("{n:8}: {why}"),
        }
    }
}

/// Tracks a pair of the same body and prints a line of the table.
fn row(body: &Polyhedron) {
    let poses: Vec<[Pose; 2]> = (0..STEPS)
        .map(|step| {
            let angle = 0.001 * step as f64;
            [
                Pose::new(DVec3::ZERO, DQuat::from_rotation_x(angle)),
                Pose::new(DVec3::new(0.3, 0.2, APART), DQuat::from_rotation_y(1.3 * angle)),
            ]
        })
        .collect();
    let mut shares = [0_usize; 6];
    let (mut track, mut scratch, mut gap, mut odd) = (None, Scratch::default(), f64::INFINITY, 0);
    let start = ThreadTime::now();
    for [a, b] in &poses {
        let found = closest((body, a), (body, b), &mut track, &mut scratch);
        shares[(found.cycles as usize - 1).min(5)] += 1;
        gap = gap.min(found.distance);
        odd += usize::from(found.ending != Ending::Walked);
    }
    let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / STEPS as f64;
    let shares = shares.map(|count| format!("{count:6}")).join(" ");
    let (v, e, f) = (body.vertices().len(), body.edge_count(), body.faces().len());
    println!("{v:8} {e:5} {f:5} | {shares} | {nanoseconds:6.0}  {gap:.3}  {odd} not walked");
}
