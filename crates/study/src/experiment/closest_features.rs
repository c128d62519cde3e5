//! Cycles and time of tracking the closest features of two rotating bodies (Schinner, Table 4.4).

use super::{Default, Experiment, Measured, Number, Parameter, Settings, thread_time};
use glam::{DQuat, DVec3};
use lawine_core::geometry::Polyhedron;
use lawine_solvers::dem::bench::{body, tracking_at};
use lawine_solvers::dem::narrow::{Pose, exhaustive};

pub(super) struct ClosestFeatures;

impl Experiment for ClosestFeatures {
    fn name(&self) -> &'static str {
        "closest-features"
    }

    fn about(&self) -> &'static str {
        "two equal bodies, one rotating about x, the other about y: cycles and time per query"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[
            Parameter {
                name: "corners",
                default: Default::Number(42.0),
                help: "vertices of a body",
            },
            Parameter {
                name: "omega",
                default: Default::Number(0.5),
                help: "angular velocity of the first body, the other's being 1.3 times that [1/s]",
            },
            Parameter {
                name: "steps",
                default: Default::Number(100_000.0),
                help: "queries, 1 ms of motion apart",
            },
        ]
    }

    fn numbers(&self) -> &'static [Number] {
        &[
            Number { name: "edges", help: "edges of a body" },
            Number { name: "faces", help: "faces of a body" },
            Number { name: "parts", help: "vertices, edges and faces" },
            Number { name: "one", help: "fraction of queries that end in the first cycle" },
            Number { name: "two", help: "… in the second" },
            Number { name: "three", help: "… in the third" },
            Number { name: "more", help: "… later" },
            Number { name: "seconds", help: "time per query [s]" },
            Number { name: "all", help: "time of comparing all pairs of features [s]" },
        ]
    }

    fn run(&self, settings: &Settings) -> Result<Measured, String> {
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
