//! From the grid to particles: velocities, deformation, plasticity, and displacement.

use super::{AFFINE, BODIES, MATERIAL, SPLINE};
use crate::pass::{Plan, Sees, Size};

const G2P: &str = include_str!("g2p.wgsl");

/// Threads of a group.
pub(super) const GROUP: u32 = 128;

/// The pass, for scenes with bodies or without; by blocks or by particles.
pub(super) fn plan(has_bodies: bool, tiled: bool) -> Plan {
    Plan {
        name: "grid to particles",
        entry: "g2p",
        sources: if has_bodies {
            &[SPLINE, MATERIAL, AFFINE, BODIES, G2P]
        } else {
            &[SPLINE, MATERIAL, AFFINE, G2P]
        },
        reads: &[
            Sees::Params,
            Sees::Materials,
            Sees::Links,
            Sees::Nodes,
            Sees::Coords,
            Sees::Shapes,
        ],
        writes: &[Sees::Particles, Sees::Identity, Sees::Lists, Sees::Atomics],
        size: if tiled { Size::Occupied } else { Size::Particles(GROUP) },
    }
}
