//! Cycles and time of tracking the closest features of two rotating bodies (Schinner, Table 4.4).

use super::{Experiment, Measured, Parameter, Settings, thread_time};
use glam::{DQuat, DVec3};
use lawine_core::geometry::Polyhedron;
use lawine_solvers::dem::bench::{body, tracking_at};
use lawine_solvers::dem::narrow::{Pose, exhaustive};

pub(super) const CLOSEST_FEATURES: Experiment = Experiment {
    name: "closest-features",
    about: "two equal bodies, one rotating about x, the other about y: cycles and time per query",
    parameters: &[
        Parameter::number("corners", 42.0, "vertices of a body"),
        Parameter::number(
            "omega",
            0.5,
            "angular velocity of the first body, the other's being 1.3 times that [1/s]",
        ),
        Parameter::number("steps", 100_000.0, "queries, 1 ms of motion apart"),
    ],
    numbers: &[
        ("edges", "edges of a body"),
        ("faces", "faces of a body"),
        ("parts", "vertices, edges and faces"),
        ("one", "fraction of queries that end in the first cycle"),
        ("two", "… in the second"),
        ("three", "… in the third"),
        ("more", "… later"),
        ("seconds", "time per query [s]"),
        ("all", "time of comparing all pairs of features [s]"),
    ],
    columns: &[],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let polyhedron = body(settings.count("corners")).map_err(|e| e.to_string())?;
    // The best of three rounds: other programs only make it slower.
    let (omega, steps) = (settings.number("omega"), settings.count("steps"));
    let rounds = (0..3).map(|_| tracking_at(omega, &polyhedron, steps, &thread_time));
    let best = rounds.min_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let found = best.ok_or("there was no round")?;
    let [corners, edges, faces] = found.parts;
    let total: usize = found.cycles.iter().sum();
    let fraction = |cycles: &[usize]| cycles.iter().sum::<usize>() as f64 / total as f64;
    Ok(Measured {
        numbers: vec![
            edges as f64,
            faces as f64,
            (corners + edges + faces) as f64,
            fraction(&found.cycles[..1]),
            fraction(&found.cycles[1..2]),
            fraction(&found.cycles[2..3]),
            fraction(&found.cycles[3..]),
            found.seconds,
            all_with_all(&polyhedron, corners + edges + faces),
        ],
        rows: Vec::new(),
    })
}

/// Time of comparing all parts of two bodies with all [s]; a body has `parts` of them.
fn all_with_all(body: &Polyhedron, parts: usize) -> f64 {
    let queries = (2_000_000 / (parts * parts)).clamp(1, 2000);
    let fixed = Pose::new(DVec3::ZERO, DQuat::IDENTITY);
    let turned =
        |k: usize| Pose::new(DVec3::new(0.3, 0.2, 2.2), DQuat::from_rotation_y(0.01 * k as f64));
    let round = || {
        let start = thread_time();
        for k in 0..queries {
            std::hint::black_box(exhaustive((body, &fixed), (body, &turned(k))));
        }
        (thread_time() - start) / queries as f64
    };
    (0..3).map(|_| round()).fold(f64::INFINITY, f64::min)
}
