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
    pub(crate) back: Back,
    /// As above, and they look out for speeds, forces and trouble.
    pub(crate) back_watching: Back,
    pub(crate) bake: Pass,
    /// Blocks and order of the particles for the next step.
    pub(crate) sort: [Pass; 7],
}

/// On the grid and back to the particles.
#[derive(Debug)]
pub(crate) struct Back {
    pub(crate) grid: Pass,
    pub(crate) g2p: Pass,
    /// The same for blocks near bodies, where particles are moved block by block.
    pub(crate) g2p_near: Option<Pass>,
}

impl Passes {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, constants: &Constants) -> Self {
        let has_bodies = constants.get("HAS_BODIES") != 0;
        let tiled = constants.get("TILED") != 0;
        let with = |set: &[(&'static str, bool)]| {
            let mut constants = constants.clone();
            constants.set("G2P_SIZE", g2p::GROUP);
            for &(name, value) in
                [("AT_WALLS", false), ("NEAR", false), ("WATCH", false)].iter().chain(set)
            {
                constants.set(name, u32::from(value));
            }
            constants
        };
        let make = |constants: &Constants, plan: &Plan| Pass::new(gpu, buffers, constants, plan);
        let back = |watch| {
            let g2p =
                |near| make(&with(&[("NEAR", near), ("WATCH", watch)]), &g2p::plan(near, tiled));
            Back {
                grid: make(&with(&[("WATCH", watch)]), &grid::plan(has_bodies)),
                g2p: g2p(has_bodies && !tiled),
                g2p_near: (has_bodies && tiled).then(|| g2p(true)),
            }
        };
        let plain = with(&[]);
        let ([occupy, reach, link], [count, place, fill, order]) = (blocks::plans(), sort::plans());
        Self {
            p2g: make(&plain, &p2g::PLAN),
            p2g_at_walls: has_bodies.then(|| make(&with(&[("AT_WALLS", true)]), &p2g::PLAN)),
            back: back(false),
            back_watching: back(true),
            bake: make(&plain, &bake::PLAN),
            sort: [occupy, reach, link, count, place, fill, order].map(|plan| make(&plain, &plan)),
        }
    }
}
