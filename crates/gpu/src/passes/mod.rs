//! The passes of a step, in order. Each has its shader beside it; what several of them include is here.

mod bake;
mod blocks;
mod g2p;
mod grid;
mod p2g;
pub(crate) mod show;
mod sort;

use crate::buffers::Buffers;
use crate::device::Gpu;
use crate::pass::{Pass, Plan};
use crate::shader::Constants;

const SPLINE: &str = include_str!("spline.wgsl");
const MATERIAL: &str = include_str!("material.wgsl");
const AFFINE: &str = include_str!("affine.wgsl");
const BODIES: &str = include_str!("bodies.wgsl");

/// All passes.
#[derive(Debug)]
pub(crate) struct Passes {
    pub(crate) p2g: Pass,
    /// The same for blocks at walls, in scenes with bodies.
    pub(crate) p2g_at_walls: Option<Pass>,
    pub(crate) grid: Pass,
    pub(crate) g2p: Pass,
    /// As the two above, and they look out for speeds, forces and pending_error.
    pub(crate) grid_watch: Pass,
    pub(crate) g2p_watch: Pass,
    pub(crate) bake: Pass,
    /// Blocks and order of the particles for the next step.
    pub(crate) sort: [Pass; 7],
}

impl Passes {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, constants: &Constants) -> Self {
        let mut constants = constants.clone();
        constants.set("G2P_SIZE", g2p::GROUP);
        constants.set("AT_WALLS", 0);
        let mut at_walls = constants.clone();
        at_walls.set("AT_WALLS", 1);
        let mut watching = constants.clone();
        watching.set("WATCH", 1);
        let has_bodies = constants.get("HAS_BODIES") != 0;
        let make = |constants: &Constants, plan: &Plan| Pass::new(gpu, buffers, constants, plan);
        let (grid, g2p) =
            (grid::plan(has_bodies), g2p::plan(has_bodies, constants.get("TILED") != 0));
        let ([occupy, reach, link], [count, place, fill, order]) = (blocks::plans(), sort::plans());
        Self {
            p2g: make(&constants, &p2g::PLAN),
            p2g_at_walls: has_bodies.then(|| make(&at_walls, &p2g::PLAN)),
            grid: make(&constants, &grid),
            g2p: make(&constants, &g2p),
            grid_watch: make(&watching, &grid),
            g2p_watch: make(&watching, &g2p),
            bake: make(&constants, &bake::PLAN),
            sort: [occupy, reach, link, count, place, fill, order]
                .map(|plan| make(&constants, &plan)),
        }
    }
}
