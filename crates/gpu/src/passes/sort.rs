//! The order of particles: stably by block and cell.

use crate::pass::{Plan, Sees, Size};

/// The four passes, one after the other.
pub(super) fn plans() -> [Plan; 4] {
    let each = Size::Particles(256);
    let passes = [("count", each), ("place", Size::Occupied), ("fill", each), ("order", each)];
    passes.map(|(entry, size)| Plan {
        name: entry,
        entry,
        sources: &[include_str!("sort.wgsl")],
        reads: &[Sees::Params, Sees::Links, Sees::Identity],
        writes: &[Sees::Atomics, Sees::Lists, Sees::SharedCells],
        size,
    })
}
