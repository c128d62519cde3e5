//! From particles to the grid: mass and momentum of each cell, summed in tiles without atomics.

use super::SPLINE;
use crate::pass::{Plan, Sees, Size};

/// The pass.
pub(super) const PLAN: Plan = Plan {
    name: "particles to grid",
    entry: "p2g",
    sources: &[SPLINE, include_str!("p2g.wgsl")],
    reads: &[Sees::Params, Sees::Particles, Sees::Lists, Sees::Cells, Sees::Counters, Sees::Coords],
    writes: &[Sees::Tiles],
    size: Size::Occupied,
};
