//! Shows what a step of snow costs: `cargo run --release -p lawine-solvers --example snow_cost`.
#![allow(clippy::print_stdout, reason = "a program that prints")]

use cpu_time::ThreadTime;
use lawine_solvers::mpm::bench::{config, cost};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build();
    for (name, thesis) in [("APIC quadratic", false), ("FLIP cubic", true)] {
        for (threads, spread, count) in
            [(1, 0.0, 100_000), (2, 0.0, 100_000), (1, 1e4, 100_000), (1, 0.0, 1_000_000)]
        {
            let found = pool(threads)?.install(|| {
                let (cpu, wall) = (ThreadTime::now(), Instant::now());
                let clock: &dyn Fn() -> f64 = if threads == 1 {
                    &|| cpu.elapsed().as_secs_f64()
                } else {
                    &|| wall.elapsed().as_secs_f64()
                };
                cost(config(thesis), count, spread, [5, 2_000_000 / count], clock)
            })?;
            let phases: Vec<String> =
                found.phases.iter().map(|(name, s)| format!("{name} {:.0}", 1e9 * s)).collect();
            println!(
                "{name:<15} {threads} threads, {:>7} particles, {spread:>5} m apart: {:>5.0} ns, {:.0} \
                 bytes ({})",
                found.particles,
                1e9 * found.seconds,
                found.bytes,
                phases.join(", ")
            );
        }
    }
    Ok(())
}
