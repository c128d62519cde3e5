//! The sparse grid: blocks that hold particles, those that particles reach, and their neighbours.

use crate::pass::{Plan, Sees, Size};

/// The three passes, one after the other.
pub(super) fn plans() -> [Plan; 3] {
    ["occupy", "reach", "link"].map(|entry| Plan {
        name: entry,
        entry,
        sources: &[include_str!("blocks.wgsl")],
        reads: &[Sees::Params],
        writes: &[Sees::Atomics, Sees::Coords, Sees::Links, Sees::SharedCells, Sees::Dispatches],
        size: Size::Blocks,
    })
}
