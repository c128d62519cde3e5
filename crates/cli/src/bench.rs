//! `lawine bench`: speed and memory on fixed scenes, with outputs off.

use crate::Usage;
use crate::run::cores;
use crate::words::say;
use anyhow::Result;
use clap::Args;
use cpu_time::ProcessTime;
use lawine_core::simulation::Simulation;
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use serde_json::{Map, Value, json};
use std::process::ExitCode;
use std::time::Instant;

/// Measures the time per particle and step and the memory on fixed scenes.
///
/// One thread is measured in processor time, several in wall time; the best of several rounds
/// counts.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lawine bench\n  \
    lawine bench dam-break-3d --threads 1 --json")]
pub(crate) struct Arguments {
    /// One of the benchmarks [default: all]
    name: Option<String>,
    /// Prints an array of JSON objects
    #[arg(long)]
    json: bool,
    /// Number of threads [default: one, then all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// A benchmark: a built-in scene with changes, and how long to look at it.
struct Benchmark {
    name: &'static str,
    scene: &'static str,
    set: &'static [&'static str],
    /// Steps of a round.
    steps: u64,
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "dam-break", scene: "dam-break", set: &[], steps: 200 },
    Benchmark { name: "dam-break-3d", scene: "dam-break-3d", set: &[], steps: 20 },
    Benchmark {
        name: "dam-break-3d-1m",
        scene: "dam-break-3d",
        set: &["liquid.spacing=0.01"],
        steps: 3,
    },
];

const ROUNDS: usize = 5;

/// The best round.
struct Measured {
    particles: usize,
    steps: u64,
    ns: f64,
    bytes: f64,
    phases: Vec<(&'static str, f64)>,
    method: &'static str,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let chosen: Vec<&Benchmark> = BENCHMARKS
            .iter()
            .filter(|b| self.name.as_deref().is_none_or(|n| n == b.name))
            .collect();
        if chosen.is_empty() {
            let names: Vec<&str> = BENCHMARKS.iter().map(|b| b.name).collect();
            let name = self.name.unwrap_or_default();
            return Err(Usage(format!(
                "there is no benchmark \"{name}\"; there are: {}",
                names.join(", ")
            ))
            .into());
        }
        let threads: Vec<usize> = match self.threads {
            Some(n) => vec![usize::from(n)],
            None if cores() > 1 => vec![1, cores()],
            None => vec![1],
        };
        let mut all = Vec::new();
        for benchmark in chosen {
            for &threads in &threads {
                let measured = benchmark.measure(threads)?;
                if !self.json {
                    print_line(benchmark.name, threads, &measured)?;
                }
                all.push(as_json(benchmark.name, threads, &measured));
            }
        }
        if self.json {
            say!("{}", serde_json::to_string_pretty(&all)?);
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Benchmark {
    fn measure(&self, threads: usize) -> Result<Measured> {
        let set: Vec<String> = self.set.iter().map(|&s| s.to_owned()).collect();
        let loaded = load(&Source::BuiltIn(self.scene.to_owned()), &set)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| {
            let mut simulation = build(&loaded)?.simulation;
            take_steps(&mut simulation, 3)?;
            let mut best: Option<Measured> = None;
            for _ in 0..ROUNDS {
                let round = self.round(&mut simulation, threads)?;
                if best.as_ref().is_none_or(|best| round.ns < best.ns) {
                    best = Some(round);
                }
            }
            best.ok_or_else(|| anyhow::anyhow!("no round was run"))
        })
    }

    fn round(&self, simulation: &mut Simulation, threads: usize) -> Result<Measured> {
        simulation.methods.iter_mut().for_each(|m| m.reset_phases());
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        take_steps(simulation, self.steps)?;
        let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        let seconds = if threads == 1 { cpu } else { wall };
        let particles = simulation.particle_count();
        let per = 1e9 / (self.steps as f64 * particles as f64);
        // Phases are timed by the wall clock; other programs stretch it, so they get their share
        // of the time that counts.
        let stretch = seconds / wall;
        let phases = simulation.methods.iter().flat_map(|m| m.phases().iter());
        Ok(Measured {
            particles,
            steps: self.steps,
            ns: seconds * per,
            bytes: simulation.methods.iter().map(|m| m.bytes()).sum::<usize>() as f64
                / particles as f64,
            phases: phases.map(|(name, s)| (name, s * stretch * per)).collect(),
            method: simulation.methods[0].name(),
        })
    }
}

/// Steps as in a run, without observers.
fn take_steps(simulation: &mut Simulation, steps: u64) -> Result<()> {
    use lawine_core::simulation::{Flow, Moment, Observer};
    struct Until(u64);
    impl Observer for Until {
        fn observe(&mut self, now: &Moment<'_>) -> std::io::Result<Flow> {
            let enough = now.simulation.steps() >= self.0;
            Ok(if enough { Flow::Stop } else { Flow::Continue })
        }
    }
    let mut until = Until(simulation.steps() + steps);
    simulation.advance_to(f64::MAX, &mut [&mut until])?;
    Ok(())
}

fn print_line(name: &str, threads: usize, m: &Measured) -> Result<()> {
    let plural = if threads == 1 { " " } else { "s" };
    let phases: Vec<String> = m.phases.iter().map(|(n, ns)| format!("{n} {ns:.0}")).collect();
    say!(
        "{name:<16} {} {threads:>2} thread{plural} {:>8} particles {:>7.1} ns per particle and step, \
         {:.0} bytes per particle ({})",
        m.method,
        m.particles,
        m.ns,
        m.bytes,
        phases.join(", ")
    );
    Ok(())
}

fn as_json(name: &str, threads: usize, m: &Measured) -> Value {
    let phases: Map<String, Value> =
        m.phases.iter().map(|&(name, ns)| (name.to_owned(), json!(ns))).collect();
    json!({
        "name": name,
        "method": m.method,
        "device": "cpu",
        "threads": threads,
        "particles": m.particles,
        "steps": m.steps,
        "ns_per_particle_step": m.ns,
        "bytes_per_particle": m.bytes,
        "phases": phases,
    })
}
