//! `lawine bench snow`: cost of a step of the material point method, with one thread and with two.

use crate::print::outln;
use anyhow::Result;
use cpu_time::ProcessTime;
use lawine_solvers::mpm::bench::{Cost, config, cost};
use serde_json::{Map, Value, json};
use std::process::ExitCode;
use std::time::Instant;

/// Particles of the main case, and of the smaller one that shows how cost grows.
const COUNTS: [usize; 2] = [100_000, 12_500];
/// The two halves of the matter are moved apart by this far [m] to show that emptiness is free.
const SPREAD: f64 = 1000.0;
/// Rounds, of which the best counts, and steps of a round.
const ROUNDS: [usize; 2] = [4, 10];

/// A case and what it cost.
struct Row {
    transfer: &'static str,
    threads: usize,
    spread: f64,
    cost: Cost,
}

/// Measures all cases and prints lines, or one JSON object.
pub(crate) fn run(json: bool) -> Result<ExitCode> {
    let mut rows = Vec::new();
    for (transfer, thesis) in [("MLS quadratic", false), ("cubic FLIP", true)] {
        let cases =
            [(COUNTS[0], 1, 0.0), (COUNTS[0], 2, 0.0), (COUNTS[1], 1, 0.0), (COUNTS[0], 1, SPREAD)];
        for (count, threads, spread) in cases {
            let cost = measure(thesis, count, threads, spread)?;
            let row = Row { transfer, threads, spread, cost };
            if !json {
                print_line(&row)?;
            }
            rows.push(row);
        }
    }
    let ratios: Vec<Value> = rows.chunks(4).map(ratios).collect();
    if json {
        let rows: Vec<Value> = rows.iter().map(as_json).collect();
        let all = json!({ "name": "snow", "device": "cpu", "cases": rows, "ratios": ratios });
        outln!("{}", serde_json::to_string_pretty(&all)?);
    } else {
        for r in &ratios {
            outln!(
                "{}: two threads {:.2} times as fast as one, exponent in particles {:.3}, \
                 an empty kilometre costs a factor of {:.3}",
                r["transfer"].as_str().unwrap_or_default(),
                r["two_threads"].as_f64().unwrap_or_default(),
                r["exponent"].as_f64().unwrap_or_default(),
                r["empty_domain"].as_f64().unwrap_or_default(),
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One thread is measured in processor time, two in wall time.
fn measure(thesis: bool, count: usize, threads: usize, spread: f64) -> Result<Cost> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let clock = || match threads {
        1 => cpu.elapsed().as_secs_f64(),
        _ => wall.elapsed().as_secs_f64(),
    };
    let [rounds, steps] = ROUNDS;
    // Small cases get as many particle-steps as large ones.
    let rounds = [rounds, steps * COUNTS[0] / count];
    Ok(pool.install(|| cost(config(thesis), count, spread, rounds, &clock))?)
}

/// Ratios of the four cases of a method.
fn ratios(rows: &[Row]) -> Value {
    let [one, two, few, apart] = rows else { return Value::Null };
    let seconds = |row: &Row| row.cost.seconds;
    let growth = one.cost.particles as f64 / few.cost.particles as f64;
    json!({
        "transfer": one.transfer,
        "two_threads": seconds(one) / seconds(two),
        "exponent": 1.0 + (seconds(one) / seconds(few)).ln() / growth.ln(),
        "empty_domain": seconds(apart) / seconds(one),
    })
}

fn print_line(row: &Row) -> Result<()> {
    let Row { transfer, threads, spread, cost } = row;
    let phases: Vec<String> =
        cost.phases.iter().map(|(name, s)| format!("{name} {:.0}", 1e9 * s)).collect();
    let apart = if *spread > 0.0 { format!(", halves {spread} m apart") } else { String::new() };
    outln!(
        "{transfer:<13} {threads} thread{} {:>7} particles {:>6.1} ns per particle and step, \
         {:.0} bytes per particle ({}){apart}",
        if *threads == 1 { " " } else { "s" },
        cost.particles,
        1e9 * cost.seconds,
        cost.bytes,
        phases.join(", ")
    );
    Ok(())
}

fn as_json(row: &Row) -> Value {
    let Row { transfer, threads, spread, cost } = row;
    let phases: Map<String, Value> =
        cost.phases.iter().map(|&(name, s)| (name.to_owned(), json!(1e9 * s))).collect();
    json!({
        "transfer": transfer,
        "threads": threads,
        "particles": cost.particles,
        "halves_apart_m": spread,
        "ns_per_particle_step": 1e9 * cost.seconds,
        "bytes_per_particle": cost.bytes,
        "phases": phases,
    })
}
