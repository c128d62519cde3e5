//! Infinite planes in an unbounded space: covered with boundary particles where there is liquid.
//!
//! The lattice of a plane lies in its own frame, and is cut into square tiles. Before a step those tiles
//! are added that a particle may see. Boundary particles stand in the order of their places, and the
//! neighbour search orders them by cell: the ones that a particle sees, and their order, do not depend on which
//! other tiles there are. So tiles are no part of the state: a run that is resumed has the same bits with
//! other tiles, and layers give the same bits as with a domain.

use super::boundary::Wall;
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use rayon::prelude::*;

/// Boundary particles along a side of a tile.
const SIDE: i64 = 16;

/// The tiles of one plane.
#[derive(Debug)]
pub(super) struct InfinitePlane {
    /// Index of its body.
    pub(super) body: usize,
    /// Places of the tiles along local z and x, in order, with their particles.
    tiles: Vec<([i64; 2], Vec<Wall>)>,
}

/// How far particles see, and how boundary particles lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub(super) spacing: f64,
    pub(super) layers: usize,
    pub(super) support: f64,
    pub(super) planar: bool,
}

impl InfinitePlane {
    pub(super) fn new(body: usize) -> Self {
        Self { body, tiles: Vec::new() }
    }

    /// Number of boundary particles.
    pub(super) fn len(&self) -> usize {
        self.tiles.iter().map(|(_, walls)| walls.len()).sum()
    }

    /// The boundary particles of all tiles, layer by layer and row by row: as those of a plane that ends at
    /// a domain.
    pub(super) fn walls(&self) -> Vec<Wall> {
        let mut walls: Vec<Wall> =
            self.tiles.iter().flat_map(|(_, walls)| walls).copied().collect();
        walls.sort_by(|a, b| {
            let (a, b) = (a.local, b.local);
            b.y.total_cmp(&a.y).then(a.z.total_cmp(&b.z)).then(a.x.total_cmp(&b.x))
        });
        walls
    }

    /// Whether particles at x [m] see a tile that is not there yet.
    pub(super) fn misses(&self, x: &[DVec3], lattice: Lattice, env: &Environment) -> bool {
        let body = &env.bodies[self.body];
        x.par_iter().any(|&x| lattice.tiles_in_reach(body, x).any(|tile| self.is_new(tile)))
    }

    fn is_new(&self, tile: [i64; 2]) -> bool {
        self.tiles.binary_search_by_key(&tile, |t| t.0).is_err()
    }

    /// Adds the tiles that particles at x [m] see. `make` turns a place in the frame of the body into a
    /// boundary particle, unless none is needed there.
    pub(super) fn add(
        &mut self,
        x: &[DVec3],
        lattice: Lattice,
        env: &Environment,
        make: impl Fn(DVec3) -> Option<Wall> + Sync,
    ) {
        let body = &env.bodies[self.body];
        let tiles = x.iter().flat_map(|&x| lattice.tiles_in_reach(body, x));
        let mut new: Vec<[i64; 2]> = tiles.filter(|&tile| self.is_new(tile)).collect();
        new.sort_unstable();
        new.dedup();
        let filled = |tile: [i64; 2]| (tile, lattice.places(tile).filter_map(&make).collect());
        let made: Vec<_> = new.into_par_iter().map(filled).collect();
        self.tiles.extend(made);
        self.tiles.sort_unstable_by_key(|(tile, _)| *tile);
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let walls: usize = self.tiles.iter().map(|(_, walls)| walls.capacity()).sum();
        walls * size_of::<Wall>() + self.tiles.capacity() * size_of::<([i64; 2], Vec<Wall>)>()
    }
}

impl Lattice {
    /// The tiles that a particle at x [m] sees; up to four.
    fn tiles_in_reach(self, body: &Body, x: DVec3) -> impl Iterator<Item = [i64; 2]> {
        let local = body.pose.to_local(x);
        let side = SIDE as f64 * self.spacing;
        // Half a spacing more, for what moves within the step.
        let reach = self.support + 0.5 * self.spacing;
        let near = local.y.abs() <= reach;
        let range =
            move |x: f64| ((x - reach) / side).floor() as i64..=((x + reach) / side).floor() as i64;
        let across = if self.planar { 0..=0 } else { range(local.z) };
        let tiles = across.flat_map(move |k| range(local.x).map(move |i| [k, i]));
        tiles.filter(move |_| near)
    }

    /// Where the boundary particles of a tile are, in the frame of the body [m].
    fn places(self, [k, i]: [i64; 2]) -> impl Iterator<Item = DVec3> {
        let d = self.spacing;
        let along = |tile: i64| SIDE * tile..SIDE * (tile + 1);
        let across = if self.planar { 0..1 } else { along(k) };
        (0..self.layers).flat_map(move |layer| {
            let across = across.clone();
            across.flat_map(move |k| {
                along(i).map(move |i| {
                    let z = if self.planar { 0.0 } else { (k as f64 + 0.5) * d };
                    DVec3::new((i as f64 + 0.5) * d, -(layer as f64 + 0.5) * d, z)
                })
            })
        })
    }
}
