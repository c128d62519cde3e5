//! Packing of liquid next to bodies that do not fit its lattice.
//!
//! Where a slanting or bent surface cuts through a lattice, particles that keep half a spacing from it
//! leave gaps of up to a spacing, which collapse under the pressure of the liquid around them: half a
//! metre deep, liquid shot into the gaps at a tetrahedron with 1.5 m/s. Here the cells that are cut give
//! as many particles as the parts outside the bodies are worth, and what is near them is packed: moved
//! against the gradient of Σ V W, as by an even pressure (Colagrossi et al. 2012, section 3), until it is
//! evenly spread between the bodies and the rest of the liquid.

use super::sample::{CoverError, cover};
use glam::{DQuat, DVec3};
use lawine_core::body::{Body, Shape};
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::kernel::Kernel;
use lawine_core::neighbors::{CHUNK, ChunkList, PointIndex, SearchError, SearchKind};
use lawine_core::simd::Portable;
use lawine_core::space::Space;
use rayon::prelude::*;
use thiserror::Error;

/// A cell whose middle is nearer than this many spacings to a surface is cut by it: half a spacing,
/// and room for rounding.
const CUT: f64 = 0.499;

/// What cannot get this many spacings away from all bodies, as in a slit, is left out.
const TOO_CLOSE: f64 = 0.4;

/// How often particles are moved. With 60 rounds liquid at a wedge started with 0.44 m/s, with 240 with 0.19.
const ROUNDS: usize = 240;

/// The displacement in a round is so many square spacings times the gradient, and at most so many spacings.
const MOBILITY: f64 = 0.2;
const FURTHEST: f64 = 0.25;

/// Why liquid cannot be packed.
#[derive(Debug, Error)]
pub enum PackError {
    /// A body cannot be covered with particles.
    #[error(transparent)]
    Cover(#[from] CoverError),
    /// The neighbour search cannot work.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// The points of a lattice, `spacing` [m] apart, that lie `within` the liquid and outside the bodies
/// of `env`, in order. Those near surfaces that the lattice does not fit are moved; all others keep
/// their bits. The lattice is to reach as far beyond the liquid as `kernel`.
///
/// # Errors
/// When a body cannot be sampled, or the space is too narrow for the kernel.
pub fn fit(
    lattice: &[DVec3],
    within: impl Fn(DVec3) -> bool + Sync,
    env: &Environment,
    spacing: f64,
    kernel: &Kernel,
) -> Result<Vec<DVec3>, PackError> {
    let surfaces = Surfaces::new(env, spacing);
    let cells: Vec<Cell> = lattice.par_iter().map(|&x| Cell::new(x, &within, &surfaces)).collect();
    let packing = Packing { env, surfaces: &surfaces, spacing, kernel };
    let mut cut: Vec<DVec3> = lattice
        .iter()
        .zip(&cells)
        .filter(|(_, c)| c.cut && c.within)
        .map(|(x, _)| env.space.wrap(*x))
        .collect();
    let cut = packing.index(&mut cut)?;
    let chosen = choose(&cells, &cut);
    let queries = packing.index(&mut chosen.clone())?;
    let moves = around(&cut, &queries, chosen.len(), |_, near| !near.is_empty());
    if !moves.contains(&true) {
        return Ok(chosen);
    }
    let (moving, resting): (Vec<_>, Vec<_>) = chosen.iter().zip(&moves).partition(|(_, m)| **m);
    // What stays: the liquid further away, the lattice beyond the liquid, and the bodies.
    let beyond = cells.iter().filter(|c| !c.within && c.fraction > 0.5).map(|c| c.place);
    let beyond = beyond.filter(|&x| env.space.wrap(x) == x);
    let resting = resting.into_iter().map(|(x, _)| *x).chain(beyond).collect();
    let moving: Vec<DVec3> = moving.into_iter().map(|(x, _)| *x).collect();
    let walls = packing.boundary(&moving)?;
    let mut packed = packing.spread(moving, resting, &walls)?.into_iter();
    let merged = chosen.iter().zip(&moves);
    let merged = merged.filter_map(|(x, moves)| if *moves { packed.next() } else { Some(*x) });
    let is_free = |x: &DVec3| surfaces.nearest(*x).0 >= TOO_CLOSE * spacing;
    Ok(merged.filter(is_free).collect())
}

/// The points of a lattice with the spacing d around one of them, itself included, as far as a
/// kernel reaches.
pub fn lattice_around(kernel: &Kernel, d: f64) -> impl Iterator<Item = DVec3> {
    let n = (kernel.support() / d).ceil() as i32;
    let depth = if kernel.dimension() == 2 { 0..=0 } else { -n..=n };
    depth.flat_map(move |z| {
        (-n..=n)
            .flat_map(move |y| (-n..=n).map(move |x| d * DVec3::new(x.into(), y.into(), z.into())))
    })
}

/// Liquid at rest that fills the space outside bodies.
#[derive(Clone, Debug)]
pub struct LiquidAtRest {
    /// The sites of the lattice around a point with their W.
    sites: Vec<(DVec3, f64)>,
    /// Σ W over all of them.
    complete: f64,
    spacing: f64,
    support: f64,
}

impl LiquidAtRest {
    /// For particles `spacing` [m] apart.
    pub fn new(kernel: &Kernel, spacing: f64) -> Self {
        let sites = lattice_around(kernel, spacing).map(|x| (x, kernel.w(x.length())));
        let sites: Vec<_> = sites.filter(|(_, w)| *w > 0.0).collect();
        let complete = sites.iter().map(|(_, w)| w).sum();
        Self { sites, complete, spacing, support: kernel.support() }
    }

    /// Σ W where no body is near.
    pub fn complete(&self) -> f64 {
        self.complete
    }

    /// What the point x [m] in or near a body sees: Σ W over the sites of a lattice around it, turned by
    /// `rotation`, each as far as its cell is outside the bodies, and Σ W times their displacement from x, not
    /// turned.
    pub fn seen_from<'a>(
        &self,
        x: DVec3,
        rotation: DQuat,
        bodies: impl Iterator<Item = &'a Body>,
    ) -> (f64, DVec3) {
        // A distance changes at most as much as the place: bodies far from x are far from all sites.
        let far = self.support + 0.5 * self.spacing;
        let near: Vec<&Body> =
            bodies.filter(|body| body.signed_distance(x).distance < far).collect();
        self.sites.iter().fold((0.0, DVec3::ZERO), |(sum, moment), &(offset, w)| {
            let site = x + rotation * offset;
            let distances = near.iter().map(|body| body.signed_distance(site).distance);
            let distance = distances.fold(f64::INFINITY, f64::min);
            let w = w * (distance / self.spacing + 0.5).clamp(0.0, 1.0);
            (sum + w, moment + w * offset)
        })
    }
}

/// A cell of the lattice.
struct Cell {
    /// Where a particle of it goes [m].
    place: DVec3,
    /// Whether it belongs to the liquid.
    within: bool,
    /// The part of it outside all bodies, 0 to 1.
    fraction: f64,
    /// Whether a surface goes through it.
    cut: bool,
}

impl Cell {
    fn new(x: DVec3, within: impl Fn(DVec3) -> bool, surfaces: &Surfaces<'_>) -> Self {
        let distance = surfaces.nearest(x).0 / surfaces.spacing;
        if distance.abs() >= CUT {
            let fraction = if distance > 0.0 { 1.0 } else { 0.0 };
            return Self { place: x, within: within(x), fraction, cut: false };
        }
        let place = surfaces.keep_off(x);
        Self { place, within: within(x) || within(place), fraction: 0.5 + distance, cut: true }
    }
}

/// Places for as many particles as the fractions of liquid in the cells add up to, in order: what a cut cell
/// has too little or too much for a whole particle is shared out to those cut cells around it that
/// come later (Floyd & Steinberg 1976).
fn choose(cells: &[Cell], cut: &PointIndex) -> Vec<DVec3> {
    let count = cells.iter().filter(|c| c.cut && c.within).count();
    let later = around(cut, cut, count, |i, near| {
        near.iter().map(|&j| j as usize).filter(|&j| j > i).collect::<Vec<_>>()
    });
    let mut owed = vec![0.0; count];
    let mut index = 0;
    let takes = |cell: &&Cell| {
        if !cell.cut {
            return cell.fraction > 0.5;
        }
        let sum = cell.fraction + owed[index];
        let takes = sum >= 0.5;
        let later = &later[index];
        for &j in later {
            owed[j] += (sum - f64::from(takes)) / later.len() as f64;
        }
        index += 1;
        takes
    };
    cells.iter().filter(|c| c.within).filter(takes).map(|c| c.place).collect()
}

/// The bodies, each with a box that holds all places within a spacing of it: in a flood of boulders most are far away.
struct Surfaces<'a> {
    bodies: Vec<(Aabb, &'a Body)>,
    spacing: f64,
}

impl<'a> Surfaces<'a> {
    fn new(env: &'a Environment, spacing: f64) -> Self {
        let reach = |body: &Body| {
            let is_near_all = body.holds_matter() || matches!(body.shape, Shape::Plane);
            if is_near_all { EVERYWHERE } else { body.bounds().grow(spacing) }
        };
        Self { bodies: env.bodies.iter().map(|body| (reach(body), body)).collect(), spacing }
    }

    /// Distance of the nearest body [m] and the way away from it; infinite if none is within a spacing.
    fn nearest(&self, x: DVec3) -> (f64, DVec3) {
        let near = self.bodies.iter().filter(|(reach, _)| reach.contains(x));
        let distances = near.map(|(_, body)| body.signed_distance(x));
        let nearest = distances.min_by(|a, b| a.distance.total_cmp(&b.distance));
        nearest.map_or((f64::INFINITY, DVec3::ZERO), |to| (to.distance, to.normal))
    }

    /// Half a spacing from all surfaces, if there is such a place nearby.
    fn keep_off(&self, mut x: DVec3) -> DVec3 {
        for _ in 0..4 {
            let (distance, away) = self.nearest(x);
            if distance >= 0.5 * self.spacing {
                break;
            }
            x += (0.5 * self.spacing - distance) * away;
        }
        x
    }
}

/// All of space.
const EVERYWHERE: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

/// What `of` makes of each of the `n` points of `queries` and the points of `index` around it.
fn around<T: Send>(
    index: &PointIndex,
    queries: &PointIndex,
    n: usize,
    of: impl Fn(usize, &[u32]) -> T + Sync,
) -> Vec<T> {
    let chunks = (0..n.div_ceil(CHUNK)).into_par_iter().map(|chunk| {
        let first = chunk * CHUNK;
        let range = first..(first + CHUNK).min(n);
        let (mut list, mut distances) = (ChunkList::default(), Vec::new());
        index.collect(Portable, queries, range.clone(), &mut list, &mut distances);
        range.map(|i| of(i, list.neighbors(i - first))).collect::<Vec<T>>()
    });
    chunks.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// What all rounds share.
struct Packing<'a> {
    env: &'a Environment,
    surfaces: &'a Surfaces<'a>,
    spacing: f64,
    kernel: &'a Kernel,
}

impl Packing<'_> {
    fn index(&self, points: &mut Vec<DVec3>) -> Result<PointIndex, SearchError> {
        let support = self.kernel.support();
        let mut index = PointIndex::new(SearchKind::Hash, support, &self.env.space)?;
        index.update(points, &mut Vec::new())?;
        Ok(index)
    }

    /// The boundary particles around the `moving` points. Where bodies overlap, those of the first count.
    fn boundary(&self, moving: &[DVec3]) -> Result<Vec<Wall>, PackError> {
        let Self { env, spacing, kernel, .. } = *self;
        let cell = spacing.powi(kernel.dimension() as i32);
        let layers = (kernel.support() / spacing).ceil() as usize;
        let at_rest = LiquidAtRest::new(kernel, spacing);
        let region = self.region(moving);
        let mut walls = Vec::new();
        for (index, body) in env.bodies.iter().enumerate() {
            // A plane in a space without bounds is needed around the moving points only.
            let space = Space { domain: env.space.domain.or(Some(region)), ..env.space };
            let samples = cover(body, spacing, layers, &space)?;
            let places = samples.iter().map(|s| (body.pose.to_world(s.position), s.volume / cell));
            let earlier = &env.bodies[..index];
            let is_covered =
                |x| earlier.iter().any(|b| -b.signed_distance(x).distance > 0.25 * spacing);
            let places = places.filter(|(x, _)| region.contains(*x) && !is_covered(*x));
            walls.extend(places.map(|(x, volume)| {
                let (sum, _) = at_rest.seen_from(x, DQuat::IDENTITY, env.bodies.iter());
                Wall { x, volume, at_rest: sum }
            }));
        }
        Ok(walls)
    }

    /// Where points may come that are moved, and as far as they see from there [m].
    fn region(&self, moving: &[DVec3]) -> Aabb {
        const WANDERING: f64 = 4.0;
        let reach = self.kernel.support() + WANDERING * self.spacing;
        let mut region = Aabb::from_points(moving.iter().copied()).grow(reach);
        for axis in (0..3).filter(|&axis| self.env.space.periodic[axis]) {
            region.min[axis] = f64::NEG_INFINITY;
            region.max[axis] = f64::INFINITY;
        }
        region
    }

    /// Packs points between the liquid that stays and the walls, which count as much as the liquid that
    /// they see.
    fn spread(
        &self,
        mut points: Vec<DVec3>,
        mut resting: Vec<DVec3>,
        walls: &[Wall],
    ) -> Result<Vec<DVec3>, SearchError> {
        let Self { env, spacing, kernel, .. } = *self;
        let resting_index = self.index(&mut resting)?;
        let wall_index = self.index(&mut walls.iter().map(|wall| wall.x).collect())?;
        let w = |b: usize, x: DVec3| kernel.w(env.space.difference(walls[b].x, x).length());
        let seen_resting = around(&resting_index, &wall_index, walls.len(), |b, near| {
            near.iter().map(|&j| w(b, resting[j as usize])).sum::<f64>()
        });
        let mobility = MOBILITY * spacing.powi(2 + kernel.dimension() as i32);
        for _ in 0..ROUNDS {
            let index = self.index(&mut points)?;
            let weights = around(&index, &wall_index, walls.len(), |b, near| {
                let sum: f64 = near.iter().map(|&j| w(b, points[j as usize])).sum();
                walls[b].weight(seen_resting[b] + sum)
            });
            let gradient = |i: usize, x: DVec3| kernel.gradient(env.space.difference(points[i], x));
            let own = around(&index, &index, points.len(), |i, near| {
                near.iter().map(|&j| gradient(i, points[j as usize])).sum::<DVec3>()
            });
            let others = around(&resting_index, &index, points.len(), |i, near| {
                near.iter().map(|&j| gradient(i, resting[j as usize])).sum::<DVec3>()
            });
            let displacements = around(&wall_index, &index, points.len(), |i, near| {
                let of = |&b: &u32| weights[b as usize] * gradient(i, walls[b as usize].x);
                -mobility * (own[i] + others[i] + near.iter().map(of).sum::<DVec3>())
            });
            points = (points.par_iter().zip(displacements))
                .map(|(x, displacement)| {
                    let x = *x + displacement.clamp_length_max(FURTHEST * spacing);
                    env.space.wrap(self.surfaces.keep_off(x))
                })
                .collect();
        }
        Ok(points)
    }
}

/// A boundary particle.
struct Wall {
    /// Where it is [m].
    x: DVec3,
    /// Its volume in cells.
    volume: f64,
    /// Σ W of the liquid that it sees at rest.
    at_rest: f64,
}

impl Wall {
    /// What it counts where it sees `sum`.
    fn weight(&self, sum: f64) -> f64 {
        if self.at_rest > 0.0 { self.volume * sum / self.at_rest } else { self.volume }
    }
}
