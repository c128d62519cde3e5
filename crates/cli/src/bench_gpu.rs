//! `lawine bench snow --device gpu`: cost of a step of snow on a graphics card.

use crate::print::outln;
use anyhow::Result;
use lawine_gpu::Gpu;
use lawine_gpu::bench::{BenchError, Cost, measure};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Particle-steps of a round: a fraction of a second on a fast card.
const WORK: usize = 1_000_000_000;

/// Measures both methods and prints lines, or an array of JSON objects.
pub(crate) fn run(as_json: bool, particles: Option<u32>) -> Result<ExitCode> {
    let gpu = Gpu::open()?;
    let bandwidth = gpu.bandwidth()?;
    let counts = match particles {
        Some(count) => vec![count as usize],
        None if gpu.is_software() => vec![20_000],
        None => vec![1_000_000, 8_000_000],
    };
    if !as_json {
        outln!("{}: copies at {:.1} GB/s", gpu.name(), 1e-9 * bandwidth);
    }
    let (mut all, mut failed) = (Vec::new(), true);
    for thesis in [false, true] {
        let name = if thesis { "cubic FLIP" } else { "quadratic APIC" };
        for &count in &counts {
            let work = if gpu.is_software() { WORK / 1000 } else { WORK };
            let cost = measure(&gpu, thesis, count, (work / count).clamp(16, 2000));
            failed &= cost.is_err();
            match cost {
                Ok(cost) if as_json => all.push(object(gpu.name(), name, &cost, bandwidth)),
                Ok(cost) => print_line(name, &cost, bandwidth)?,
                // The other method may fit.
                Err(error) if as_json => all.push(failure(gpu.name(), name, count, &error)),
                Err(error) => outln!("{name:15} {count:9} particles: {error}"),
            }
        }
    }
    if as_json {
        outln!("{}", serde_json::to_string_pretty(&all)?);
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn failure(adapter: &str, name: &str, count: usize, error: &BenchError) -> Value {
    json!({
        "name": "snow",
        "device": "gpu",
        "adapter": adapter,
        "method": name,
        "particles": count,
        "error": error.to_string(),
    })
}

fn print_line(name: &str, cost: &Cost, bandwidth: f64) -> Result<()> {
    let fractions: Vec<String> = cost
        .fractions
        .iter()
        .map(|(pass, fraction)| format!("{pass} {:.0} %", 100.0 * fraction))
        .collect();
    outln!(
        "{name:<14} {:>9} particles: {:.1} M particle-steps/s, {:.1} steps/s, {:.0} bytes per particle, \
         {:.1} % of the bandwidth bound ({})",
        cost.particles,
        1e-6 * cost.particle_steps_per_second(),
        cost.steps as f64 / cost.seconds,
        cost.bytes,
        100.0 * cost.bandwidth_fraction(bandwidth),
        fractions.join(", ")
    );
    Ok(())
}

fn object(adapter: &str, name: &str, cost: &Cost, bandwidth: f64) -> Value {
    let fractions: Map<String, Value> =
        cost.fractions.iter().map(|&(pass, fraction)| (pass.to_owned(), json!(fraction))).collect();
    json!({
        "name": "snow",
        "method": name,
        "device": "gpu",
        "adapter": adapter,
        "particles": cost.particles,
        "steps": cost.steps,
        "particle_steps_per_second": cost.particle_steps_per_second(),
        "steps_per_second": cost.steps as f64 / cost.seconds,
        "fractions": fractions,
        "bytes_per_particle": cost.bytes,
        "block_bytes": cost.block_bytes,
        "blocks": cost.blocks,
        "bandwidth": bandwidth,
        "bandwidth_fraction": cost.bandwidth_fraction(bandwidth),
    })
}
