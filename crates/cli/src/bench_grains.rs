//! `lawine bench grains`: cost of collision detection and forces between polyhedra, on one
//! thread.

use crate::bench_piles;
use crate::print::outln;
use anyhow::Result;
use cpu_time::ThreadTime;
use lawine_solvers::dem::bench::{Finding, Tracking, body, finding, tracking};
use lawine_solvers::dem::broad::Search;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Corners of the bodies: those of Table 4.4.
const CORNERS: [usize; 14] = [4, 6, 12, 18, 22, 42, 52, 62, 72, 82, 102, 202, 302, 462];
/// Queries of a pair, as in Table 4.4.
const QUERIES: usize = 100_000;
/// Grains along each edge of the cloud: 1,000, 10,648 and 97,336 of them.
const SIDES: [usize; 3] = [10, 22, 46];
/// Steps of the cloud.
const STEPS: usize = 20;
/// Number of rounds, of which the best counts: other programs can only make a round longer.
const ROUNDS: usize = 3;

/// Measures both and prints tables, or one JSON object.
pub(crate) fn run(json: bool) -> Result<ExitCode> {
    let start = ThreadTime::now();
    let clock = || start.elapsed().as_secs_f64();
    let mut pairs = Vec::new();
    if !json {
        outln!(
            "Closest features of a separated pair, tracked over {QUERIES} steps of 1 ms (Table 4.4)"
        );
        outln!(
            "corners edges faces |      1      2      3      4      5     6+ cycles | µs per query"
        );
    }
    for corners in CORNERS {
        let body = body(corners)?;
        let rows = (0..ROUNDS).map(|_| tracking(&body, QUERIES, &clock));
        let Some(row) = rows.min_by(|a, b| a.seconds.total_cmp(&b.seconds)) else { continue };
        if !json {
            let Tracking { parts: [v, e, f], cycles, seconds, .. } = row;
            let counts = cycles.map(|count| format!("{count:6}")).join(" ");
            outln!("{v:7} {e:5} {f:5} | {counts}        | {:12.3}", 1e6 * seconds);
        }
        pairs.push(row);
    }
    if !json {
        outln!("");
        outln!("Pairs of a cloud that drifts by a thousandth of a grain in a step");
        outln!("grains   search           boxes [ms]  pairs [ms]  exponent   pairs");
    }
    let mut clouds = Vec::new();
    for (name, search) in [("sweep", Search::SortAndSweep), ("grid", Search::Grid { skin: 1e-4 })] {
        let mut last: Option<Finding> = None;
        for side in SIDES {
            let mut best: Option<Finding> = None;
            for _ in 0..ROUNDS {
                let row = finding(side, search, STEPS, &clock)?;
                if best.is_none_or(|best| total(&row) < total(&best)) {
                    best = Some(row);
                }
            }
            let Some(row) = best else { continue };
            let exponent = last.map(|last| {
                let growth = row.grains as f64 / last.grains as f64;
                (total(&row) / total(&last)).ln() / growth.ln()
            });
            if !json {
                let exponent = exponent.map_or(String::new(), |x| format!("{x:.2}"));
                let (boxes, pairs) = (1e3 * row.boxes, 1e3 * row.pairs);
                outln!(
                    "{:6}   {name:<15}  {boxes:10.3}  {pairs:10.3}  {exponent:>8}  {:6}",
                    row.grains,
                    row.found
                );
            }
            clouds.push((name, row, exponent));
            last = Some(row);
        }
    }
    let piles = bench_piles::run(json, &clock)?;
    if json {
        let mut all = as_json(&pairs, &clouds);
        all["piles"] = piles;
        outln!("{}", serde_json::to_string_pretty(&all)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Seconds for a step of the broad phase [s].
fn total(row: &Finding) -> f64 {
    row.boxes + row.pairs
}

fn as_json(pairs: &[Tracking], clouds: &[(&str, Finding, Option<f64>)]) -> Value {
    let pairs: Vec<Value> = pairs
        .iter()
        .map(|row| {
            json!({
                "corners": row.parts[0],
                "edges": row.parts[1],
                "faces": row.parts[2],
                "cycles": row.cycles,
                "ns_per_query": 1e9 * row.seconds,
                "smallest_gap": row.gap,
            })
        })
        .collect();
    let clouds: Vec<Value> = clouds
        .iter()
        .map(|(search, row, exponent)| {
            json!({
                "search": search,
                "grains": row.grains,
                "boxes_ms": 1e3 * row.boxes,
                "pairs_ms": 1e3 * row.pairs,
                "pairs": row.found,
                "exponent": exponent,
            })
        })
        .collect();
    json!({ "name": "grains", "threads": 1, "separated_pair": pairs, "broad_phase": clouds })
}
