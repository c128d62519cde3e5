//! Time of a step of a pile at rest over the number of its grains: everything, contacts and forces included.

use super::{Experiment, Measured, Parameter, Settings, thread_time};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::method::Method;
use lawine_solvers::dem::bench::Pile;
use lawine_solvers::dem::broad::Search;
use lawine_solvers::dem::contact::{Contacts, Pairing};
use lawine_solvers::dem::{Config, Grain, Grains};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Piles that have settled, by the grains along an edge: all rows of a study copy the same one, and settling takes far
/// longer than measuring.
static TILES: Mutex<BTreeMap<usize, Arc<Pile>>> = Mutex::new(BTreeMap::new());

/// Corners of a grain.
const CORNERS: usize = 20;
/// As in the pile that has settled: density [kg/m³], stiffness [Pa], restitution and friction.
const DENSITY: f64 = 2500.0;
const STIFFNESS: f64 = 1e6;
const RESTITUTION: f64 = 0.1;
const FRICTION: f64 = 0.5;

const SEARCHES: &[&str] = &["sort-and-sweep", "grid"];

pub(super) const SAND_PILE: Experiment = Experiment {
    name: "sand-pile",
    about: "copies of a settled pile, side by side: time per step with contacts and forces",
    parameters: &[
        Parameter::word("search", SEARCHES, "how"),
        Parameter::number("side", 10.0, "grains along an edge of the initial block"),
        Parameter::number("copies", 1.0, "copies along both horizontal axes"),
        Parameter::number(
            "work",
            100_000.0,
            "number of grains times number of measured steps; at least ten steps",
        ),
    ],
    numbers: &[
        ("grains", "actual number"),
        ("pairs", "pairs whose boxes overlap"),
        ("contacts", "contacts between grains and with the floor"),
        ("seconds", "time per step [s]"),
        ("search", "time per step for boxes and box pairs [s]"),
        ("rest", "time per step for everything else [s]"),
    ],
    columns: &[],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    // The clock is that of one thread, which must do all the work.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|e| e.to_string())?.install(|| measure(settings))
}

/// Lets a pile settle, copies it and measures its steps.
fn measure(settings: &Settings) -> Result<Measured, String> {
    let search = match settings.word("search") {
        "grid" => Search::Auto,
        _ => Search::SortAndSweep,
    };
    let tile = settled(settings.count("side").max(1))?;
    let copies = settings.count("copies").max(1);
    let (mut env, mut grains) = repeated(&tile, copies, search)?;
    let steps = (settings.count("work") / grains.particle_count()).max(10);
    let failed = |error: lawine_core::method::StepError| error.to_string();
    let dt = grains.dt_limit(&env).dt;
    // The first steps find everything and do not count.
    for _ in 0..3 {
        grains.step(&mut env, dt).map_err(failed)?;
    }
    grains.reset_phases();
    let start = thread_time();
    for _ in 0..steps {
        grains.step(&mut env, dt).map_err(failed)?;
    }
    let seconds = (thread_time() - start) / steps as f64;
    let phases = || grains.phases().iter();
    let whole: f64 = phases().map(|(_, s)| s).sum();
    let is_search = |name: &str| matches!(name, "boxes" | "pairs");
    let searching: f64 = phases().filter(|(name, _)| is_search(name)).map(|(_, s)| s).sum();
    // Phases have the wall clock, of which their fractions are right on a busy machine, too.
    let search = seconds * searching / whole;
    let numbers = vec![
        grains.particle_count() as f64,
        grains.neighbors().len() as f64,
        grains.contacts().len() as f64,
        seconds,
        search,
        seconds - search,
    ];
    Ok(Measured { numbers, rows: Vec::new() })
}

/// The same pile `copies` × `copies` times, side by side, with the tile's contacts and a search of its own.
fn repeated(tile: &Pile, copies: usize, search: Search) -> Result<(Environment, Grains), String> {
    let mut env = tile.env.clone();
    let domain = env.space.domain.ok_or("a pile has a domain")?;
    let (size, times) = (domain.size(), copies as f64);
    let max = domain.min + size * DVec3::new(times, 1.0, times);
    env.space.domain = Some(Aabb::new(domain.min, max));
    let config = Config { search, ..Config::new(DENSITY) };
    let contacts = Contacts::new(Pairing::new(STIFFNESS, RESTITUTION, FRICTION));
    let grains = Grains::new(config, tile.grains.shapes().to_vec(), &env);
    let grains = grains.and_then(|grains| grains.with_contacts(&contacts, &env));
    let mut grains = grains.map_err(|e| e.to_string())?;
    let state = tile.grains.state();
    for copy in 0..copies * copies {
        let shift = size * DVec3::new((copy % copies) as f64, 0.0, (copy / copies) as f64);
        for i in 0..state.id.len() {
            let grain = Grain {
                shape: 0,
                position: state.x[i] + shift,
                velocity: state.v[i],
                orientation: state.q[i],
                omega: state.omega[i],
            };
            grains.add(&grain).map_err(|e| e.to_string())?;
        }
    }
    Ok((env, grains))
}

/// A pile of `side`³ grains that has settled.
fn settled(side: usize) -> Result<Arc<Pile>, String> {
    let mut tiles = TILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tile) = tiles.get(&side) {
        return Ok(tile.clone());
    }
    let tile = Arc::new(Pile::settled(CORNERS, side).map_err(|e| e.to_string())?);
    tiles.insert(side, tile.clone());
    Ok(tile)
}
