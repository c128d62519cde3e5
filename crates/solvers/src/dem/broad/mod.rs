//! Pairs of boxes that overlap (Schinner 4.1): sort-and-sweep, a grid with a skin, and brute force.
//!
//! All three decide with the same comparisons of the same numbers, so they give the same pairs.

mod bounds;
mod boxes;
mod grid;
mod sweep;

pub use boxes::{BoxMethod, Extremes, ellipsoid_box, min_max_box};
pub use grid::SkinGrid;
pub use sweep::SortAndSweep;

use bounds::Wrapped;
use lawine_core::geometry::Aabb;
use lawine_core::space::Space;

/// Broad-phase collision detection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Search {
    /// A grid whose skin suits the grains.
    #[default]
    Auto,
    /// Three sorted lists, kept from step to step: O(n + c) with c exchanges. In a cloud c grows as
    /// n^(5/3) times the way of a step, because all boxes share the three axes: best for settled
    /// grains and up to about 10,000 moving ones.
    SortAndSweep,
    /// A uniform grid, built anew when a box has moved by more than the skin [m]: O(n) for boxes of
    /// similar size, however they move.
    Grid {
        /// Displacement of a box after which the grid is rebuilt [m].
        skin: f64,
    },
    /// Every box with every box, to compare with.
    BruteForce,
}

/// Keeps the pairs of overlapping boxes up to date.
pub enum BroadPhase {
    /// By sort-and-sweep.
    SortAndSweep(SortAndSweep),
    /// By a grid.
    Grid(SkinGrid),
    /// By brute force; holds the pairs.
    BruteForce(Vec<[u32; 2]>),
}

impl BroadPhase {
    /// A broad phase without boxes.
    #[must_use]
    pub fn new(search: Search) -> Self {
        match search {
            Search::SortAndSweep => Self::SortAndSweep(SortAndSweep::default()),
            Search::Auto => Self::Grid(SkinGrid::new(0.0)),
            Search::Grid { skin } => Self::Grid(SkinGrid::new(skin)),
            Search::BruteForce => Self::BruteForce(Vec::new()),
        }
    }

    /// The pairs [i, j], i < j, of boxes that overlap or touch, in ascending order. Along periodic
    /// axes of the space boxes also meet the images of others; they need not be inside the domain.
    pub fn update(&mut self, boxes: &[Aabb], space: &Space) -> &[[u32; 2]] {
        match self {
            Self::SortAndSweep(sweep) => sweep.update(boxes, space),
            Self::Grid(grid) => grid.update(boxes, space),
            Self::BruteForce(pairs) => {
                brute_force(boxes, space, pairs);
                pairs
            }
        }
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::SortAndSweep(sweep) => sweep.bytes(),
            Self::Grid(grid) => grid.bytes(),
            Self::BruteForce(pairs) => pairs.capacity() * size_of::<[u32; 2]>(),
        }
    }
}

/// Every box with every box.
fn brute_force(boxes: &[Aabb], space: &Space, pairs: &mut Vec<[u32; 2]>) {
    let wrapped: Vec<Wrapped> = boxes.iter().map(|b| Wrapped::new(b, space)).collect();
    pairs.clear();
    for i in 0..wrapped.len() {
        for j in i + 1..wrapped.len() {
            if wrapped[i].overlaps(&wrapped[j]) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
