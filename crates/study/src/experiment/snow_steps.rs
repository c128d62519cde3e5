//! Steps per second of snow over particles and over the nodes of the domain (Meyer, Figures 10, 11).

use super::{Experiment, Measured, Parameter, Settings, thread_time};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_solvers::mpm::{Config, Matter, NewMatter, SnowKind};

/// Edge of a cell [m].
const CELL: f64 = 0.05;

const DEVICES: &[&str] = &["cpu", "gpu"];
const METHODS: &[&str] = &["default", "thesis"];

pub(super) const SNOW_STEPS: Experiment = Experiment {
    name: "snow-steps",
    about: "steps per second of a cube of snow in two halves, on one CPU thread or on a GPU",
    parameters: &[
        Parameter::word("device", DEVICES, "compute device"),
        Parameter::word("method", METHODS, "how"),
        Parameter::number("particles", 47063.0, "number"),
        Parameter::number("per_cell", 8.0, "of them"),
        Parameter::number(
            "nodes",
            1.0,
            "minimum for the bounding box; the halves are moved apart accordingly",
        ),
        Parameter::number("steps", 20.0, "per round"),
        Parameter::number("rounds", 3.0, "the best is reported"),
    ],
    numbers: &[
        ("particles", "actual number"),
        ("nodes", "of the bounding box"),
        ("rate", "steps per second: processor time of a thread, or wall time of a GPU [1/s]"),
        ("per_particle", "time per particle and step [s]"),
    ],
    columns: &[],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let snow = SnowKind::Dry.material();
    let config = match settings.word("method") {
        "thesis" => Config::thesis(CELL, snow),
        _ => Config::new(CELL, snow),
    };
    let (new, nodes) = halves(settings);
    let mut env = Environment::new(Space::unbounded(Dimension::Full), DVec3::new(0.0, -9.81, 0.0));
    let mut matter = Matter::new(config, &env).map_err(|e| e.to_string())?;
    matter.add(&new).map_err(|e| e.to_string())?;
    let (steps, rounds) = (settings.count("steps").max(1), settings.count("rounds").max(1));
    let seconds = match settings.word("device") {
        "gpu" => gpu::seconds(matter, &mut env, [rounds, steps])?,
        _ => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let run = || seconds(&mut matter, &mut env, [rounds, steps], thread_time, |_| Ok(()));
            pool.map_err(|e| e.to_string())?.install(run)?
        }
    };
    let n = new.len() as f64;
    let rate = steps as f64 / seconds;
    Ok(Measured { numbers: vec![n, nodes, rate, 1.0 / (rate * n)], rows: Vec::new() })
}

/// Two halves of a cube, jittered, with velocities that deform them, and the nodes of their box.
fn halves(settings: &Settings) -> (Vec<NewMatter>, f64) {
    let count = settings.count("particles").max(2);
    let d = CELL / settings.number("per_cell").cbrt();
    let side = (count as f64).cbrt().ceil() as usize;
    let across = (side as f64 * d / CELL).ceil() + 3.0;
    let wanted = settings.number("nodes");
    let gap = CELL * (wanted / (across * across) - across).max(0.0).round();
    let mut random = Random::new(1);
    let particle = |i: usize| {
        let place = [i % side, i / side % side, i / side / side].map(|k| k as f64 + 0.5);
        let x = d * (DVec3::from_array(place) + 0.2 * random.direction());
        let middle = x - DVec3::splat(0.5 * d * side as f64);
        let away = if middle.x > 0.0 { gap } else { 0.0 };
        NewMatter {
            position: x + DVec3::X * away,
            velocity: 2.0 * DVec3::new(middle.y - middle.x, -middle.x, middle.y - middle.z),
            volume: d.powi(3),
            material: 0,
        }
    };
    ((0..count).map(particle).collect(), across * across * (across + gap / CELL))
}

/// Seconds of the best round, after one that does not count.
fn seconds<M: Method>(
    method: &mut M,
    env: &mut Environment,
    [rounds, steps]: [usize; 2],
    clock: impl Fn() -> f64,
    finish: impl Fn(&mut M) -> Result<(), String>,
) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for round in 0..=rounds {
        let start = clock();
        for _ in 0..steps {
            env.clear_forces();
            let dt = method.dt_limit(env).dt;
            method.step(env, dt).map_err(|e| e.to_string())?;
        }
        finish(method)?;
        if round > 0 {
            best = best.min(clock() - start);
        }
    }
    Ok(best)
}

#[cfg(feature = "gpu")]
mod gpu {
    use super::{Environment, Matter};
    use lawine_gpu::{Gpu, Snow};
    use std::time::Instant;

    /// Steps go to the GPU in batches: a round must be so many times longer than one of the CPU.
    const BATCHES: usize = 20;

    pub(super) fn seconds(
        matter: Matter,
        env: &mut Environment,
        [rounds, steps]: [usize; 2],
    ) -> Result<f64, String> {
        let gpu = Gpu::open().map_err(|e| e.to_string())?;
        if gpu.is_software() {
            return Err(format!("{} is a software driver, not a GPU", gpu.name()));
        }
        let mut snow = Snow::new(&gpu, matter, env).map_err(|e| e.to_string())?;
        let start = Instant::now();
        let clock = || start.elapsed().as_secs_f64();
        let finish = |snow: &mut Snow| snow.finish().map_err(|e| e.to_string());
        let total = super::seconds(&mut snow, env, [rounds, BATCHES * steps], clock, finish)?;
        Ok(total / BATCHES as f64)
    }
}

#[cfg(not(feature = "gpu"))]
mod gpu {
    use super::{Environment, Matter};

    pub(super) fn seconds(_: Matter, _: &mut Environment, _: [usize; 2]) -> Result<f64, String> {
        Err("this program was built without GPU support; build it with --features gpu".into())
    }
}
