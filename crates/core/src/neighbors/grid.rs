//! Compact uniform grid by counting sort: Hunkler 4.4; Lagae & Dutré 2008.
//!
//! Cells as large as the support, row by row with x fastest, over the bounding box of the points.
//! Points are sorted by cell, stably, and the caller keeps its columns in that order, so that the
//! three cells along x are one contiguous run of memory: nine runs hold all neighbours in 3D.

use super::fixed::{Cell, Quantizer, Shift};
use super::{SearchError, list::CHUNK};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Cells a grid may have beyond 64 for each point, before it is refused as too sparse.
const SPARE_CELLS: u64 = 1 << 22;

/// Points of consecutive cells, to be shifted by whole periods.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) shift: Shift,
}

/// The runs around one cell: nine rows, each split in two at most where x is periodic.
#[derive(Debug, Default)]
pub(super) struct Runs {
    runs: [Run; 18],
    len: usize,
    points: usize,
}

impl Runs {
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.runs[..self.len].iter()
    }

    /// Points in all runs.
    #[inline(always)]
    pub(super) fn points(&self) -> usize {
        self.points
    }

    fn push(&mut self, start: u32, end: u32, shift: Shift) {
        if start < end {
            self.runs[self.len] = Run { start, end, shift };
            self.len += 1;
            self.points += (end - start) as usize;
        }
    }
}

/// The order a sort has found: place k takes what was at `source(k)`.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a>(&'a [AtomicU32]);

impl Order<'_> {
    /// Where the thing at place `k` was before.
    #[inline(always)]
    pub fn source(&self, k: usize) -> usize {
        self.0[k].load(Relaxed) as usize
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there is nothing to sort.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sorts a column into `spare`, then swaps the two.
    pub fn apply<T: Copy + Send + Sync>(&self, column: &mut Vec<T>, spare: &mut Vec<T>) {
        let Some(&first) = column.first() else { return };
        spare.resize(column.len(), first);
        let source = &*column;
        spare.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, values)| {
            for (k, value) in values.iter_mut().enumerate() {
                *value = source[self.source(chunk * CHUNK + k)];
            }
        });
        std::mem::swap(column, spare);
    }
}

/// The cells' ranges in the sorted order, and the sort itself.
#[derive(Debug, Default)]
pub(super) struct CellGrid {
    /// Lowest cell.
    origin: Cell,
    /// Cells along each axis.
    size: [i32; 3],
    /// First point of each cell, and the number of points at the end (Hunkler's array C).
    starts: Vec<u32>,
    /// The new order (Hunkler's array L). Places of different segments interleave, so all threads
    /// write into one array: atomics make that safe and cost nothing on the way.
    order: Vec<AtomicU32>,
    /// Counts of each segment of points, then where its points of a cell go.
    counts: Vec<Vec<u32>>,
}

impl CellGrid {
    /// Sorts points by their `cells`; [`Self::order`] is the result.
    pub(super) fn build(&mut self, cells: &[Cell]) -> Result<(), SearchError> {
        self.fit(cells)?;
        let cell_count = self.cell_count();
        let segments = rayon::current_num_threads().clamp(1, cells.len().div_ceil(CHUNK).max(1));
        let segment = cells.len().div_ceil(segments).max(1);

        let mut counts = std::mem::take(&mut self.counts);
        counts.resize_with(segments, Vec::new);
        counts.par_iter_mut().zip(cells.par_chunks(segment)).for_each(|(count, cells)| {
            count.clear();
            count.resize(cell_count, 0);
            for &cell in cells {
                count[self.index(cell)] += 1;
            }
        });
        let used = cells.len().div_ceil(segment);

        // Where each segment's points of each cell begin.
        let mut starts = std::mem::take(&mut self.starts);
        starts.resize(cell_count + 1, 0);
        let mut next = 0;
        for (cell, start) in starts[..cell_count].iter_mut().enumerate() {
            *start = next;
            for count in &mut counts[..used] {
                next += std::mem::replace(&mut count[cell], next);
            }
        }
        starts[cell_count] = next;
        self.starts = starts;

        let mut order = std::mem::take(&mut self.order);
        order.resize_with(cells.len(), AtomicU32::default);
        counts.par_iter_mut().zip(cells.par_chunks(segment)).enumerate().for_each(
            |(s, (place, cells))| {
                for (k, &cell) in cells.iter().enumerate() {
                    let place = &mut place[self.index(cell)];
                    order[*place as usize].store((s * segment + k) as u32, Relaxed);
                    *place += 1;
                }
            },
        );
        self.order = order;
        self.counts = counts;
        Ok(())
    }

    /// The order that [`Self::build`] found.
    pub(super) fn order(&self) -> Order<'_> {
        Order(&self.order)
    }

    /// The runs of points that can be neighbours of a point in `cell`.
    pub(super) fn find_runs(&self, cell: Cell, quantizer: &Quantizer, runs: &mut Runs) {
        (runs.len, runs.points) = (0, 0);
        for dz in -1..=1 {
            let (z, shift_z) = quantizer.wrap_cell(2, cell[2].wrapping_add(dz));
            let Some(z) = self.inside(2, z) else { continue };
            for dy in -1..=1 {
                let (y, shift_y) = quantizer.wrap_cell(1, cell[1].wrapping_add(dy));
                let Some(y) = self.inside(1, y) else { continue };
                let row = (z * self.size[1] as usize + y) * self.size[0] as usize;
                self.push_row(runs, row, cell[0], quantizer, [0, shift_y, shift_z]);
            }
        }
    }

    /// The cells x−1, x and x+1 of a row: one run, or two where a period ends between them.
    fn push_row(&self, runs: &mut Runs, row: usize, x: i32, quantizer: &Quantizer, shift: Shift) {
        let [_, shift_y, shift_z] = shift;
        let (mut lo, mut hi) = (x.saturating_sub(1), x.saturating_add(1));
        if let Some(cells) = quantizer.period_cells(0) {
            let wrapped = if lo < 0 {
                lo = 0;
                Some(-1)
            } else if hi >= cells {
                hi = cells - 1;
                Some(cells)
            } else {
                None
            };
            if let Some(c) = wrapped {
                let (c, shift_x) = quantizer.wrap_cell(0, c);
                if let Some(c) = self.inside(0, c) {
                    let shift = [shift_x, shift_y, shift_z];
                    runs.push(self.starts[row + c], self.starts[row + c + 1], shift);
                }
            }
        }
        let last = self.origin[0] + self.size[0] - 1;
        let (lo, hi) = (lo.max(self.origin[0]), hi.min(last));
        if lo <= hi {
            let (lo, hi) = ((lo - self.origin[0]) as usize, (hi - self.origin[0]) as usize);
            runs.push(self.starts[row + lo], self.starts[row + hi + 1], [0, shift_y, shift_z]);
        }
    }

    /// Index of cell coordinate `c` along axis `k` within the grid.
    fn inside(&self, k: usize, c: i32) -> Option<usize> {
        let c = c.checked_sub(self.origin[k])?;
        (0..self.size[k]).contains(&c).then_some(c as usize)
    }

    #[inline(always)]
    fn index(&self, cell: Cell) -> usize {
        let at = |k: usize| (cell[k] - self.origin[k]) as usize;
        (at(2) * self.size[1] as usize + at(1)) * self.size[0] as usize + at(0)
    }

    fn cell_count(&self) -> usize {
        self.size.iter().map(|&n| n as usize).product()
    }

    /// Lays the grid around the points.
    fn fit(&mut self, cells: &[Cell]) -> Result<(), SearchError> {
        const EMPTY: (Cell, Cell) = ([i32::MAX; 3], [i32::MIN; 3]);
        let merge = |a: (Cell, Cell), b: (Cell, Cell)| {
            (
                std::array::from_fn(|k| a.0[k].min(b.0[k])),
                std::array::from_fn(|k| a.1[k].max(b.1[k])),
            )
        };
        let (min, max) = cells
            .par_chunks(CHUNK)
            .map(|chunk| chunk.iter().fold(EMPTY, |b, &c| merge(b, (c, c))))
            .reduce(|| EMPTY, merge);
        if cells.is_empty() {
            (self.origin, self.size) = ([0; 3], [0; 3]);
            return Ok(());
        }
        let size: [u64; 3] =
            std::array::from_fn(|k| (i64::from(max[k]) - i64::from(min[k]) + 1) as u64);
        let count = u128::from(size[0]) * u128::from(size[1]) * u128::from(size[2]);
        let allowed = 64 * cells.len() as u64 + SPARE_CELLS;
        if count > u128::from(allowed) {
            return Err(SearchError::TooSparse { size, points: cells.len(), allowed });
        }
        self.origin = min;
        self.size = size.map(|n| n as i32);
        Ok(())
    }

    /// Releases memory that only the next [`Self::build`] needs; the order is lost.
    pub(super) fn forget_scratch(&mut self) {
        (self.order, self.counts) = (Vec::new(), Vec::new());
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let counts: usize = self.counts.iter().map(Vec::capacity).sum();
        (self.starts.capacity() + self.order.capacity() + counts) * size_of::<u32>()
    }
}
