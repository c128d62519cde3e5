//! Time to find all neighbours, with the three searches (Meiers, Figure 6).

use super::{Experiment, Measured, Parameter, Settings, thread_time};
use glam::DVec3;
use lawine_core::geometry::Random;
use lawine_core::neighbors::{CHUNK, ChunkList, PointIndex, SearchKind};
use lawine_core::simd::{Level, Simd, Work};
use lawine_core::space::{Dimension, Space};

const SEARCHES: &[&str] = &["grid", "hash", "brute-force"];

pub(super) const NEIGHBORS: Experiment = Experiment {
    name: "neighbors",
    about: "all neighbours within two spacings on a perturbed lattice: time on one thread",
    parameters: &[
        Parameter::word("search", SEARCHES, "how"),
        Parameter::number("particles", 1e4, "approximate number"),
        Parameter::number("dimension", 2.0, "2 or 3"),
        Parameter::number("rounds", 3.0, "the best is reported"),
    ],
    numbers: &[
        ("particles", "actual number"),
        ("seconds", "time to sort and to list all neighbours [s]"),
        ("per_particle", "the same per particle [s]"),
        ("neighbors", "neighbours per particle on average, including itself"),
    ],
    columns: &[],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let planar = settings.count("dimension") == 2;
    let kind = match settings.word("search") {
        "hash" => SearchKind::Hash,
        "brute-force" => SearchKind::BruteForce,
        _ => SearchKind::Grid,
    };
    let points = lattice(settings.number("particles"), planar);
    let space = Space::unbounded(if planar { Dimension::Planar } else { Dimension::Full });
    let mut index = PointIndex::new(kind, 2.0, &space).map_err(|e| e.to_string())?;
    let (mut best, mut found) = (f64::INFINITY, 0);
    // The first round makes room and does not count.
    for round in 0..=settings.count("rounds").max(1) {
        let (mut positions, mut spare) = (points.clone(), Vec::new());
        let start = thread_time();
        index.update(&mut positions, &mut spare).map_err(|e| e.to_string())?;
        found = Level::detect().run(CountAll(&index));
        if round > 0 {
            best = best.min(thread_time() - start);
        }
    }
    let n = points.len() as f64;
    Ok(Measured { numbers: vec![n, best, best / n, found as f64 / n], rows: Vec::new() })
}

/// A square or cube of points one metre apart, each moved by up to a tenth of that.
fn lattice(particles: f64, planar: bool) -> Vec<DVec3> {
    let side = particles.powf(if planar { 0.5 } else { 1.0 / 3.0 }).round().max(1.0) as usize;
    let mut random = Random::new(1);
    let layers = if planar { 1 } else { side };
    let flat = if planar { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE };
    (0..side * side * layers)
        .map(|i| {
            let x = [i % side, i / side % side, i / side / side].map(|k| k as f64);
            DVec3::from_array(x) + 0.1 * random.direction() * flat
        })
        .collect()
}

/// Lists the neighbours of all points, chunk by chunk as a method does, and counts them.
struct CountAll<'a>(&'a PointIndex);

impl Work for CountAll<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> usize {
        let n = self.0.positions().len();
        let (mut list, mut distances) = (ChunkList::default(), Vec::new());
        let mut count = 0;
        for start in (0..n).step_by(CHUNK) {
            let range = start..(start + CHUNK).min(n);
            let length = range.len();
            self.0.collect(s, self.0, range, &mut list, &mut distances);
            count += (0..length).map(|k| list.count(k)).sum::<usize>();
        }
        count
    }
}
