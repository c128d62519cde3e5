//! Neighbour search: which points lie within the support of which.
//!
//! Three searches with the same results: a compact uniform grid ([`SearchKind::Grid`]), spatial
//! hashing for domains without bounds ([`SearchKind::Hash`]) and the comparison of everything with
//! everything as a reference ([`SearchKind::BruteForce`]). All decide by the same fixed-point
//! distance, r ≤ support, so they agree to the last bit.

mod fixed;
mod grid;
mod hash;
mod list;

pub use fixed::{Cell, FixedPositions, Quantizer, UNITS_PER_SUPPORT};
pub use grid::Order;
pub use hash::SpatialHash;
pub use list::{CHUNK, ChunkList, NeighborList};

use crate::simd::{F32x8, I32x8, LANES, Simd, Vec3x8};
use crate::space::Space;
use fixed::{SUPPORT_SQUARED, distance_squared};
use glam::DVec3;
use grid::{CellGrid, Run, Runs};
use lawine_settings::Word;
use rayon::prelude::*;
use std::ops::Range;
use thiserror::Error;

/// How neighbours are found; all searches give the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum SearchKind {
    /// Compact uniform grid over the bounding box of the points; keeps them sorted by cell.
    Grid,
    /// Hash table of cells, for scenes without bounds; does not sort the points.
    Hash,
    /// Every point against every point: the reference, for small scenes.
    BruteForce,
}

/// Why a search cannot be done.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SearchError {
    /// The grid would consist of empty cells.
    #[error(
        "the neighbour grid would have {} × {} × {} cells for {points} particles (at most {allowed} \
         are allowed): the particles have spread too far; if the time step is not too long, set \
         space.domain, or use liquid.neighbors = \"hash\"",
        .size[0], .size[1], .size[2]
    )]
    TooSparse {
        /// Cells along each axis.
        size: [u64; 3],
        /// Number of points.
        points: usize,
        /// Largest number of cells.
        allowed: u64,
    },
    /// A point would meet its own image.
    #[error(
        "the period of axis {} is {length} m, but must be at least three supports ({} m)",
        ["x", "y", "z"][*.axis], 3.0 * .support
    )]
    ShortPeriod {
        /// The axis.
        axis: usize,
        /// Its period [m].
        length: f64,
        /// The support [m].
        support: f64,
    },
}

/// A set of points that can be asked for the neighbours of any point.
#[derive(Debug)]
pub struct PointIndex {
    quantizer: Quantizer,
    positions: FixedPositions,
    cells: Vec<Cell>,
    search: Search,
}

#[derive(Debug)]
enum Search {
    Grid(CellGrid),
    Hash(SpatialHash),
    BruteForce,
}

impl Search {
    fn order(&self) -> Option<Order<'_>> {
        match self {
            Self::Grid(grid) => Some(grid.order()),
            Self::Hash(_) | Self::BruteForce => None,
        }
    }
}

impl PointIndex {
    /// An empty index for neighbours within `support` [m].
    pub fn new(kind: SearchKind, support: f64, space: &Space) -> Result<Self, SearchError> {
        let quantizer = Quantizer::new(support, space)
            .map_err(|(axis, length)| SearchError::ShortPeriod { axis, length, support })?;
        let search = match kind {
            SearchKind::Grid => Search::Grid(CellGrid::default()),
            SearchKind::Hash => Search::Hash(SpatialHash::default()),
            SearchKind::BruteForce => Search::BruteForce,
        };
        Ok(Self { quantizer, positions: FixedPositions::default(), cells: Vec::new(), search })
    }

    /// Takes new positions, and sorts them by cell if the search wants that: [`Self::order`] then
    /// describes how the caller must sort its other columns. `spare` is memory to sort with.
    pub fn update(
        &mut self,
        positions: &mut Vec<DVec3>,
        spare: &mut Vec<DVec3>,
    ) -> Result<(), SearchError> {
        let n = positions.len();
        self.cells.resize(n, [0; 3]);
        self.positions.resize(n);
        if let Search::Grid(grid) = &mut self.search {
            let quantizer = self.quantizer;
            self.cells.par_chunks_mut(CHUNK).zip(positions.par_chunks(CHUNK)).for_each(
                |(cells, positions)| {
                    for (cell, &x) in cells.iter_mut().zip(positions) {
                        *cell = quantizer.quantize(x).1;
                    }
                },
            );
            grid.build(&self.cells)?;
            grid.order().apply(positions, spare);
        }
        self.place(positions);
        if let Search::Hash(hash) = &mut self.search {
            hash.update(&self.cells);
        }
        Ok(())
    }

    /// Fixed-point positions and cells, in the present order.
    fn place(&mut self, positions: &[DVec3]) {
        let quantizer = self.quantizer;
        let [x, y, z] = self.positions.axes_mut();
        x.par_chunks_mut(CHUNK)
            .zip(y.par_chunks_mut(CHUNK))
            .zip(z.par_chunks_mut(CHUNK))
            .zip(self.cells.par_chunks_mut(CHUNK))
            .zip(positions.par_chunks(CHUNK))
            .for_each(|((((x, y), z), cells), positions)| {
                for (k, &position) in positions.iter().enumerate() {
                    let (q, cell) = quantizer.quantize(position);
                    (x[k], y[k], z[k], cells[k]) = (q[0], q[1], q[2], cell);
                }
            });
    }

    /// The order that the last [`Self::update`] brought the points into, if it sorts them.
    pub fn order(&self) -> Option<Order<'_>> {
        self.search.order()
    }

    /// Releases memory that only the next [`Self::update`] needs.
    pub fn forget_scratch(&mut self) {
        if let Search::Grid(grid) = &mut self.search {
            grid.forget_scratch();
        }
    }

    /// The positions in fixed point, in the order of the last [`Self::update`].
    pub fn positions(&self) -> &FixedPositions {
        &self.positions
    }

    /// The periods in fixed-point units, wrapping; zero along axes without one.
    pub fn periods(&self) -> [i32; 3] {
        self.quantizer.periods()
    }

    /// Lists the points of this index that are neighbours of the points `range` of `queries`
    /// (which may be this index itself). `distances` gets (r/support)² of every entry, in the
    /// layout of the list, with 1 in the padding.
    #[inline(always)]
    pub fn collect<S: Simd>(
        &self,
        s: S,
        queries: &PointIndex,
        range: Range<usize>,
        list: &mut ChunkList,
        distances: &mut Vec<f32>,
    ) {
        list.clear();
        let mut runs = Runs::default();
        let mut runs_of: Option<Cell> = None;
        for i in range {
            let (q, cell) = (queries.positions.at(i), queries.cells[i]);
            match &self.search {
                Search::Grid(grid) => {
                    if runs_of != Some(cell) {
                        grid.find_runs(cell, &self.quantizer, &mut runs);
                        runs_of = Some(cell);
                    }
                    list.begin(runs.points(), distances);
                    let (indices, distances, mut at) = list.space(distances);
                    for run in runs.iter() {
                        at = self.collect_run(s, q, run, indices, distances, at);
                    }
                    list.advance_to(at);
                }
                Search::Hash(hash) => self.collect_hash(hash, q, cell, list, distances),
                Search::BruteForce => self.collect_all(q, cell, list, distances),
            }
            list.end(0, distances);
        }
    }

    /// Eight points of a run at a time: compare, make a mask, move the hits to the front. Writes
    /// from `at` on and gives the new end. Storing always instead of asking whether there was a hit
    /// was tried: 178 instead of 148 ns per particle.
    #[inline(always)]
    fn collect_run<S: Simd>(
        &self,
        s: S,
        q: [i32; 3],
        run: &Run,
        indices: &mut [u32],
        distances: &mut [f32],
        mut at: usize,
    ) -> usize {
        let [xs, ys, zs] = self.positions.axes();
        let origin: [I32x8<S>; 3] =
            std::array::from_fn(|k| s.splat_i(q[k].wrapping_sub(run.shift[k])));
        let lanes = s.load_i(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let (mut k, end) = (run.start as usize, run.end as usize);
        while k < end {
            let d = Vec3x8([
                offset(s, origin[0], &xs[k..]),
                offset(s, origin[1], &ys[k..]),
                offset(s, origin[2], &zs[k..]),
            ]);
            let r2 = d.dot(d);
            let valid = if end - k >= LANES { 0xFF } else { (1 << (end - k)) - 1 };
            let mask = r2.le(SUPPORT_SQUARED).bits() & valid;
            if mask != 0 {
                let found = (lanes - s.splat_i(-(k as i32))).compact(mask);
                let found_r2 = r2.compact(mask) * (1.0 / SUPPORT_SQUARED);
                indices[at..at + LANES].copy_from_slice(&found.to_array().map(|j| j as u32));
                distances[at..at + LANES].copy_from_slice(&found_r2.to_array());
                at += mask.count_ones() as usize;
            }
            k += LANES;
        }
        at
    }

    fn collect_hash(
        &self,
        hash: &SpatialHash,
        q: [i32; 3],
        cell: Cell,
        list: &mut ChunkList,
        distances: &mut Vec<f32>,
    ) {
        let around = || {
            (0..27).map(|n| {
                let offset = [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1];
                let wrapped: [(i32, i32); 3] = std::array::from_fn(|k| {
                    self.quantizer.wrap_cell(k, cell[k].wrapping_add(offset[k]))
                });
                (hash.points(wrapped.map(|w| w.0)), wrapped.map(|w| w.1))
            })
        };
        list.begin(around().map(|(points, _)| points.len()).sum(), distances);
        for (points, shift) in around() {
            for &j in points {
                self.collect_one(q, j, shift, list, distances);
            }
        }
    }

    fn collect_all(&self, q: [i32; 3], cell: Cell, list: &mut ChunkList, distances: &mut Vec<f32>) {
        list.begin(self.positions.len(), distances);
        for j in 0..self.positions.len() {
            // The image of j that is nearest in cells; there are at least three in a period.
            let mut near = true;
            let shift = std::array::from_fn(|k| {
                let c = self.cells[j][k];
                let offset = i64::from(c) - i64::from(cell[k]);
                let image = match self.quantizer.period_cells(k) {
                    Some(n) if offset > 1 => c - n,
                    Some(n) if offset < -1 => c + n,
                    _ => c,
                };
                near &= (i64::from(image) - i64::from(cell[k])).abs() <= 1;
                self.quantizer.wrap_cell(k, image).1
            });
            // The wrapping distance of points that are not near means nothing.
            if near {
                self.collect_one(q, j as u32, shift, list, distances);
            }
        }
    }

    fn collect_one(
        &self,
        q: [i32; 3],
        j: u32,
        shift: [i32; 3],
        list: &mut ChunkList,
        distances: &mut [f32],
    ) {
        let p = self.positions.at(j as usize);
        let image = std::array::from_fn(|k| p[k].wrapping_add(shift[k]));
        let r2 = distance_squared(q, image);
        if r2 <= SUPPORT_SQUARED {
            list.push(j, r2 * (1.0 / SUPPORT_SQUARED), distances);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let search = match &self.search {
            Search::Grid(grid) => grid.bytes(),
            Search::Hash(hash) => hash.bytes(),
            Search::BruteForce => 0,
        };
        self.positions.bytes() + self.cells.capacity() * size_of::<Cell>() + search
    }
}

/// a − b for the next eight b, as floats.
#[inline(always)]
fn offset<S: Simd>(s: S, a: I32x8<S>, b: &[i32]) -> F32x8<S> {
    let b = b.first_chunk().expect("positions are padded by a block");
    (a - s.load_i(b)).to_float()
}

#[cfg(test)]
mod tests;
