//! On the grid: tiles are summed to node velocities, gravity and contact with bodies.

use super::BODIES;
use crate::pass::{Plan, Sees, Size};

const GRID: &str = include_str!("grid.wgsl");

/// The pass, for scenes with bodies or without.
pub(super) fn plan(has_bodies: bool) -> Plan {
    Plan {
        name: "grid",
        entry: "grid",
        sources: if has_bodies { &[BODIES, GRID] } else { &[GRID] },
        reads: &[Sees::Params, Sees::Coords, Sees::Tiles, Sees::Shapes],
        writes: &[Sees::Atomics, Sees::Links, Sees::Nodes],
        size: Size::Reached,
    }
}
