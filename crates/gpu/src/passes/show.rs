//! Particles as spheres for rendering on the same GPU.

use crate::pass::{Plan, Sees, Size};

/// The pass.
pub(crate) const PLAN: Plan = Plan {
    name: "show",
    entry: "show",
    sources: &[include_str!("show.wgsl")],
    reads: &[Sees::Params, Sees::Particles, Sees::Identity, Sees::Lists, Sees::Coords],
    writes: &[],
    size: Size::Particles(256),
};
