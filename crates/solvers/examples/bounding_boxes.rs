//! Shows when the box of the ellipsoid pays: Table 4.3 of Schinner's thesis again. The larger box
//! costs further closest-feature queries, as many as its volume exceeds that of the smallest box.
#![allow(clippy::print_stdout, reason = "an example that prints a table")]

use cpu_time::ThreadTime;
use glam::{DQuat, DVec3};
use lawine_core::geometry::{EllipsoidGrain, Random, Shape, ShapeError};
use lawine_solvers::dem::broad::{ellipsoid_box, min_max_box};
use lawine_solvers::dem::narrow::Pose;

const STEPS: usize = 100_000;
/// A closest-feature query with tracking [ns], from the example `closest_features`.
const QUERY: f64 = 180.0;

fn main() -> Result<(), ShapeError> {
    println!("corners  min-max [ns]  ellipsoid [ns]  volumes  ellipsoid and its queries [ns]");
    for n in [4, 6, 12, 20, 42, 82, 102, 162, 302, 462] {
        let grain = EllipsoidGrain::new(DVec3::new(1.0, 0.9, 0.8), n);
        let (polyhedron, axes) = grain.make(&mut Random::new(1))?;
        let shape = Shape::from_polyhedron(&polyhedron)?.with_ellipsoid(axes);
        let turn = DQuat::from_scaled_axis(DVec3::new(1e-3, 2e-3, 0.5e-3));
        let mut q = DQuat::IDENTITY;
        let poses: Vec<Pose> = (0..STEPS)
            .map(|_| {
                q = (turn * q).normalize();
                Pose::new(DVec3::ZERO, q)
            })
            .collect();
        let mut extremes = [0; 6];
        let (mut small, mut large) = (0.0, 0.0);
        let start = ThreadTime::now();
        for pose in &poses {
            small += min_max_box(&shape.polyhedron, pose, &mut extremes).size().element_product();
        }
        let middle = ThreadTime::now();
        for pose in &poses {
            large += ellipsoid_box(&shape, pose).size().element_product();
        }
        let end = ThreadTime::now();
        let per_box = 1e9 / STEPS as f64;
        let min_max = middle.duration_since(start).as_secs_f64() * per_box;
        let ellipsoid = end.duration_since(middle).as_secs_f64() * per_box;
        let ratio = large / small;
        let weighted = ellipsoid + (ratio - 1.0) * QUERY;
        println!("{n:7}  {min_max:12.0}  {ellipsoid:14.0}  {ratio:7.3}  {weighted:10.0}");
    }
    Ok(())
}
