//! `lawine bench`: speed and memory on fixed scenes, with outputs off.

use crate::Usage;
use crate::device::Device;
use crate::print::outln;
use crate::run::cores;
use anyhow::Result;
use clap::Args;
use cpu_time::ProcessTime;
use lawine_core::simulation::Simulation;
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use serde_json::{Map, Value, json};
use std::process::ExitCode;
use std::time::Instant;

/// Measure the time per particle and step and the memory on fixed scenes.
///
/// One thread is measured in processor time, several in wall time; the best of several rounds is
/// reported.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lawine bench\n  \
    lawine bench dam-break-3d --threads 1 --json\n  \
    lawine bench grains\n  \
    lawine bench snow --device gpu --json")]
pub(crate) struct Arguments {
    /// Name of a benchmark, `grains` for polyhedra or `snow` for the material point method
    /// [default: all liquid benchmarks]
    name: Option<String>,
    /// Print an array of JSON objects
    #[arg(long)]
    json: bool,
    /// Number of threads [default: one, then all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Compute device; only `snow` can be measured on a GPU
    #[arg(long, value_enum, default_value_t)]
    device: Device,
    /// Number of particles, on a GPU [default: 1 and 8 million; 20,000 with a software driver]
    #[cfg(feature = "gpu")]
    #[arg(long, value_name = "N", requires = "device", value_parser = clap::value_parser!(u32).range(1..))]
    particles: Option<u32>,
}

/// A benchmark: a built-in scene with changes, and the number of steps to measure.
struct Benchmark {
    name: &'static str,
    scene: &'static str,
    set: &'static [&'static str],
    /// Steps of a round.
    steps: u64,
    /// Whether every round starts from the initial state; otherwise it continues the previous one.
    fresh: bool,
}

const fn flow(name: &'static str, scene: &'static str, steps: u64) -> Benchmark {
    Benchmark { name, scene, set: &[], steps, fresh: false }
}

/// A pressure solver on the cube, from its first step on.
const fn cube(name: &'static str, set: &'static [&'static str], steps: u64) -> Benchmark {
    Benchmark { name, scene: "bench-cube", set, steps, fresh: true }
}

/// 64,000 particles and a step of 1 ms.
const FINE: &[&str] = &["liquid.spacing=0.025", "time.step=0.001"];
const FINE_IISPH: &[&str] =
    &["liquid.spacing=0.025", "time.step=0.001", "liquid.pressure.method=iisph"];

const BENCHMARKS: &[Benchmark] = &[
    flow("dam-break", "dam-break", 200),
    flow("dam-break-3d", "dam-break-3d", 20),
    Benchmark { set: &["liquid.spacing=0.01"], ..flow("dam-break-3d-1m", "dam-break-3d", 3) },
    cube("cube-8k-dfsph", &[], 250),
    cube("cube-8k-dfsph-tight", &["liquid.pressure.tolerance=1e-4"], 250),
    cube("cube-8k-iisph", &["liquid.pressure.method=iisph"], 250),
    cube(
        "cube-8k-iisph-tight",
        &["liquid.pressure.method=iisph", "liquid.pressure.tolerance=1e-4"],
        250,
    ),
    cube("cube-64k-dfsph", FINE, 60),
    cube("cube-64k-iisph", FINE_IISPH, 60),
];

const ROUNDS: usize = 4;

/// The best round.
struct Measured {
    particles: usize,
    steps: u64,
    ns: f64,
    bytes: f64,
    /// Mean iterations of the pressure solver per step.
    iterations: f64,
    phases: Vec<(&'static str, f64)>,
    method: &'static str,
}

impl Measured {
    fn ms_per_step(&self) -> f64 {
        1e-6 * self.ns * self.particles as f64
    }
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        if self.name.as_deref() == Some("grains") {
            // The clock counts the time of one thread: the work must be on it.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
            return pool.install(|| crate::bench_grains::run(self.json));
        }
        if self.device.wants_gpu(self.name.as_deref() == Some("snow")) {
            return self.on_gpu();
        }
        if self.name.as_deref() == Some("snow") {
            return crate::bench_snow::run(self.json);
        }
        let wanted = |fits: &dyn Fn(&str, &Benchmark) -> bool| -> Vec<&Benchmark> {
            let asked = self.name.as_deref();
            BENCHMARKS.iter().filter(|b| asked.is_none_or(|name| fits(name, b))).collect()
        };
        let mut chosen = wanted(&|name, b| name == b.name);
        if chosen.is_empty() {
            chosen = wanted(&|name, b| name == b.scene);
        }
        if chosen.is_empty() {
            let names: Vec<&str> =
                BENCHMARKS.iter().map(|b| b.name).chain(["grains", "snow"]).collect();
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
            outln!("{}", serde_json::to_string_pretty(&all)?);
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Arguments {
    fn on_gpu(&self) -> Result<ExitCode> {
        let name = self.name.as_deref().unwrap_or_default();
        if name != "snow" {
            return Err(Usage(format!(
                "the benchmark \"{name}\" runs on the CPU only; on a GPU there is: snow"
            ))
            .into());
        }
        #[cfg(feature = "gpu")]
        {
            crate::bench_gpu::run(self.json, self.particles)
        }
        #[cfg(not(feature = "gpu"))]
        {
            Err(crate::device::not_built_in("bench snow --device gpu"))
        }
    }
}

impl Benchmark {
    fn measure(&self, threads: usize) -> Result<Measured> {
        let set: Vec<String> = self.set.iter().map(|&s| s.to_owned()).collect();
        let loaded = load(&Source::BuiltIn(self.scene.to_owned()), &set)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| {
            let mut simulation = build(&loaded)?.simulation;
            if !self.fresh {
                take_steps(&mut simulation, 3)?;
            }
            let mut best: Option<Measured> = None;
            for number in 0..ROUNDS {
                if self.fresh && number > 0 {
                    simulation = build(&loaded)?.simulation;
                }
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
        let iterations = take_steps(simulation, self.steps)?;
        let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        let seconds = if threads == 1 { cpu } else { wall };
        let particles = simulation.particle_count();
        let per = 1e9 / (self.steps as f64 * particles as f64);
        // Phases are timed by the wall clock, which other programs stretch: scale them to the time
        // that is reported.
        let stretch = seconds / wall;
        let phases = simulation.methods.iter().flat_map(|m| m.phases().iter());
        Ok(Measured {
            particles,
            steps: self.steps,
            ns: seconds * per,
            bytes: simulation.methods.iter().map(|m| m.bytes()).sum::<usize>() as f64
                / particles as f64,
            iterations: iterations as f64 / self.steps as f64,
            phases: phases.map(|(name, s)| (name, s * stretch * per)).collect(),
            method: simulation.methods.first().map_or("none", |method| method.name()),
        })
    }
}

/// Steps as in a run, without output; returns the iterations of the pressure solver.
fn take_steps(simulation: &mut Simulation, steps: u64) -> Result<u64> {
    use lawine_core::simulation::{Flow, Moment, Observer};
    struct Count {
        last: u64,
        iterations: u64,
    }
    impl Observer for Count {
        fn observe(&mut self, now: &Moment<'_>) -> std::io::Result<Flow> {
            self.iterations += u64::from(now.report.iterations);
            let enough = now.simulation.steps() >= self.last;
            Ok(if enough { Flow::Stop } else { Flow::Continue })
        }
    }
    let mut count = Count { last: simulation.steps() + steps, iterations: 0 };
    simulation.advance_to(f64::MAX, &mut [&mut count])?;
    Ok(count.iterations)
}

fn print_line(name: &str, threads: usize, m: &Measured) -> Result<()> {
    let plural = if threads == 1 { " " } else { "s" };
    let phases: Vec<String> = m.phases.iter().map(|(n, ns)| format!("{n} {ns:.0}")).collect();
    let iterations = match m.iterations {
        n if n > 0.0 => format!(", {n:.1} iterations"),
        _ => String::new(),
    };
    outln!(
        "{name:<20} {:<5} {threads:>2} thread{plural} {:>8} particles {:>7.1} ns per particle and step, \
         {:.2} ms per step{iterations}, {:.0} bytes per particle ({})",
        m.method,
        m.particles,
        m.ns,
        m.ms_per_step(),
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
        "ms_per_step": m.ms_per_step(),
        "iterations": m.iterations,
        "bytes_per_particle": m.bytes,
        "phases": phases,
    })
}
