//! Boxes around grains by ellipsoid and by min–max (Schinner, Table 4.3 and Figure 4.4).

use super::{Experiment, Measured, Parameter, Settings, thread_time};
use glam::{DQuat, DVec3};
use lawine_core::geometry::{Aabb, EllipsoidGrain, Random, Shape};
use lawine_solvers::dem::bench::{body, tracking};
use lawine_solvers::dem::broad::{ellipsoid_box, min_max_box};
use lawine_solvers::dem::narrow::Pose;

pub(super) const BOXES: Experiment = Experiment {
    name: "boxes",
    about: "bounding box of a rotating grain: from its ellipsoid, from all vertices, by hill climbing",
    parameters: &[
        Parameter::number("corners", 42.0, "vertices of the grain"),
        Parameter::number("steps", 30_000.0, "boxes per round"),
    ],
    numbers: &[
        ("volumes", "volume of the ellipsoid's box over the smallest"),
        ("volumes_std", "its standard deviation over orientations"),
        ("ellipsoid", "time per box from the ellipsoid [s]"),
        ("weighted", "including the extra queries that its larger size causes [s]"),
        ("min_max", "time per box from all vertices [s]"),
        ("walking", "time per box by hill climbing from the previous extreme vertices [s]"),
    ],
    columns: &[],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let corners = settings.count("corners");
    let grain = EllipsoidGrain::new(DVec3::new(1.0, 0.9, 0.8), corners);
    let (polyhedron, axes) = grain.make(&mut Random::new(1)).map_err(|e| e.to_string())?;
    let shape = Shape::from_polyhedron(&polyhedron).map_err(|e| e.to_string())?;
    let shape = shape.with_ellipsoid(axes);
    let turn = DQuat::from_scaled_axis(DVec3::new(1e-3, 2e-3, 0.5e-3));
    let mut q = DQuat::IDENTITY;
    let poses: Vec<Pose> = (0..settings.count("steps").max(1))
        .map(|_| {
            q = (turn * q).normalize();
            Pose::new(DVec3::ZERO, q)
        })
        .collect();
    let mut extremes = [0; 6];
    let all = |pose: &Pose| {
        let corners = shape.polyhedron.vertices().iter();
        Aabb::from_points(corners.map(|v| pose.position + pose.rotation * *v))
    };
    let ellipsoid = time(&poses, |pose| ellipsoid_box(&shape, pose));
    let min_max = time(&poses, all);
    let walking = time(&poses, |pose| min_max_box(&shape.polyhedron, pose, &mut extremes));
    let volume = |bounds: Aabb| bounds.size().element_product();
    let ratios: Vec<f64> =
        poses.iter().map(|p| volume(ellipsoid_box(&shape, p)) / volume(all(p))).collect();
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let std = (ratios.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / n).sqrt();
    // Every unit of excess volume causes another query, as the thesis assumes.
    let query = tracking(&body(corners).map_err(|e| e.to_string())?, 20_000, &thread_time);
    let weighted = ellipsoid + (mean - 1.0) * query.seconds;
    Ok(Measured {
        numbers: vec![mean, std, ellipsoid, weighted, min_max, walking],
        rows: Vec::new(),
    })
}

/// Time of one box [s], the best of five rounds.
fn time(poses: &[Pose], mut bounds: impl FnMut(&Pose) -> Aabb) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = thread_time();
        for pose in poses {
            std::hint::black_box(bounds(pose));
        }
        best = best.min((thread_time() - start) / poses.len() as f64);
    }
    best
}
