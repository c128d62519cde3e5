//! The part of `lawine bench grains` with forces: piles at rest, on one thread; and the speed-up of a second
//! thread.

use crate::print::outln;
use anyhow::{Result, anyhow};
use lawine_solvers::dem::bench::{Pile, Resting};
use serde_json::{Value, json};
use std::time::Instant;

/// Corners of the grains, and grains along each edge of the block that settles.
const PILES: [(usize, usize); 2] = [(20, 10), (462, 4)];
/// Copies of the first pile along both horizontal axes: 1,000, 9,000 and 100,000 grains.
const COPIES: [usize; 3] = [1, 3, 10];
/// Grain steps that are measured in a round.
const WORK: usize = 20_000;
/// Number of rounds, of which the best counts.
const ROUNDS: usize = 3;

/// A row of the table.
struct Row {
    corners: usize,
    resting: Resting,
    /// Growth of the time with the number of grains, against the row before.
    exponent: Option<f64>,
}

/// Measures the piles; prints a table unless the answer is to be JSON.
pub(crate) fn run(json: bool, clock: &dyn Fn() -> f64) -> Result<Value> {
    if !json {
        outln!("");
        outln!("Piles at rest on a floor, with overlap polyhedra, forces and friction");
        outln!("corners  grains  contacts  µs per contact  ms per step  exponent  bytes per grain");
    }
    let mut rows = Vec::new();
    let mut threads = json!(null);
    for (corners, side) in PILES {
        let tile = Pile::settled(corners, side)?;
        let copies = if corners == PILES[0].0 { &COPIES[..] } else { &COPIES[..1] };
        let mut last: Option<Resting> = None;
        for &times in copies {
            let resting = measure(&tile, times, clock)?;
            let exponent = last.map(|last| {
                let growth = resting.grains as f64 / last.grains as f64;
                (resting.step / last.step).ln() / growth.ln()
            });
            let row = Row { corners, resting, exponent };
            if !json {
                print(&row)?;
            }
            rows.push(row);
            last = Some(resting);
        }
        if corners == PILES[0].0 {
            threads = on_threads(&tile)?;
        }
    }
    if !json {
        outln!("");
        outln!("{} grains on one and two threads, by the wall clock:", threads["grains"]);
        let [one, two] = [0, 1].map(|k| threads["ms_per_step"][k].as_f64().unwrap_or(0.0));
        outln!("{one:.1} and {two:.1} ms per step, {:.2} times as fast", one / two);
    }
    let piles: Vec<Value> = rows.iter().map(as_json).collect();
    Ok(json!({ "one_thread": piles, "threads": threads }))
}

/// Steps of the second pile on one and on two threads. The wall clock counts here, so that other
/// programs disturb: rounds take turns, and the best of each counts.
fn on_threads(tile: &Pile) -> Result<Value> {
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build());
    let mut pile = tile.repeated(COPIES[1])?;
    let mut best = [f64::INFINITY; 2];
    let start = Instant::now();
    for _ in 0..2 * ROUNDS {
        for (best, pool) in best.iter_mut().zip(&pools) {
            let pool = pool.as_ref().map_err(|e| anyhow!("{e}"))?;
            let resting = pool.install(|| pile.resting(2, &|| start.elapsed().as_secs_f64()))?;
            *best = best.min(resting.step);
        }
    }
    let grains = pile.grains.state().id.len();
    Ok(json!({ "grains": grains, "ms_per_step": best.map(|seconds| 1e3 * seconds) }))
}

/// The best of some rounds.
fn measure(tile: &Pile, times: usize, clock: &dyn Fn() -> f64) -> Result<Resting> {
    let mut pile = tile.repeated(times)?;
    let steps = (WORK / pile.grains.state().id.len()).max(2);
    let mut best = pile.resting(steps, clock)?;
    for _ in 1..ROUNDS {
        let next = pile.resting(steps, clock)?;
        best.step = best.step.min(next.step);
        best.contact = best.contact.min(next.contact);
    }
    Ok(best)
}

fn print(row: &Row) -> Result<()> {
    let Resting { grains, contacts, step, contact, bytes, .. } = row.resting;
    let exponent = row.exponent.map_or(String::new(), |x| format!("{x:.2}"));
    outln!(
        "{:7}  {grains:6}  {contacts:8}  {:14.2}  {:11.3}  {exponent:>8}  {bytes:15.0}",
        row.corners,
        1e6 * contact,
        1e3 * step
    );
    Ok(())
}

fn as_json(row: &Row) -> Value {
    json!({
        "corners": row.corners,
        "grains": row.resting.grains,
        "contacts": row.resting.contacts,
        "us_per_contact": 1e6 * row.resting.contact,
        "ms_per_step": 1e3 * row.resting.step,
        "exponent": row.exponent,
        "bytes_per_grain": row.resting.bytes,
    })
}
