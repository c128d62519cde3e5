//! The part of `lawine bench grains` with forces: piles at rest, on one thread.

use crate::words::say;
use anyhow::Result;
use lawine_solvers::dem::bench::{Pile, Resting};
use serde_json::{Value, json};

/// Corners of the grains, and grains along each edge of the block that settles.
const PILES: [(usize, usize); 2] = [(20, 10), (462, 4)];
/// Copies of the first pile along both horizontal axes: 1,000, 9,000 and 100,000 grains.
const COPIES: [usize; 3] = [1, 3, 10];
/// Grain steps that are measured in a round.
const WORK: usize = 20_000;
/// The best of so many rounds counts.
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
        say!("");
        say!("Piles at rest on a floor, with overlap polyhedra, forces and friction");
        say!("corners  grains  contacts  µs per contact  ms per step  exponent  bytes per grain");
    }
    let mut rows = Vec::new();
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
    }
    Ok(rows.iter().map(as_json).collect())
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
    say!(
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
