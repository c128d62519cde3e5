//! The stress of another time step, folded into the affine matrices when the step changes.

use super::{AFFINE, MATERIAL};
use crate::pass::{Plan, Sees, Size};

/// The pass.
pub(super) const PLAN: Plan = Plan {
    name: "stress",
    entry: "bake",
    sources: &[MATERIAL, AFFINE, include_str!("bake.wgsl")],
    reads: &[Sees::Params, Sees::Materials, Sees::Identity],
    writes: &[Sees::Particles],
    size: Size::Particles(256),
};
