//! The passes of a step, in order.

use crate::buffers::Buffers;
use crate::device::Gpu;
use crate::pass::{Pass, Plan, Sees, Size};
use crate::shader::Constants;

const SPLINE: &str = include_str!("spline.wgsl");
const MATERIAL: &str = include_str!("material.wgsl");
const AFFINE: &str = include_str!("affine.wgsl");
const BODIES: &str = include_str!("bodies.wgsl");
const P2G: &str = include_str!("p2g.wgsl");
const GRID: &str = include_str!("grid.wgsl");
const G2P: &str = include_str!("g2p.wgsl");
const BAKE: &str = include_str!("bake.wgsl");
const BLOCKS: &str = include_str!("blocks.wgsl");
const SORT: &str = include_str!("sort.wgsl");

/// Threads of a group that moves particles.
const G2P_SIZE: u32 = 128;

/// All passes.
#[derive(Debug)]
pub(crate) struct Passes {
    pub(crate) p2g: Pass,
    pub(crate) grid: Pass,
    pub(crate) g2p: Pass,
    /// As the two above, and they look out for speeds, forces and trouble.
    pub(crate) grid_watch: Pass,
    pub(crate) g2p_watch: Pass,
    pub(crate) bake: Pass,
    /// Blocks and order of the particles for the next step.
    pub(crate) sort: [Pass; 7],
}

impl Passes {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, constants: &Constants) -> Self {
        use Sees::{
            Atomics, Cells, Coords, Counters, Dispatches, Identity, Links, Lists, Materials, Nodes,
            Params, Particles, Shapes, SharedCells, Tiles,
        };
        let mut constants = constants.clone();
        constants.set("G2P_SIZE", G2P_SIZE);
        let mut watching = constants.clone();
        watching.set("WATCH", 1);
        let has_bodies = constants.get("HAS_BODIES") != 0;
        let make =
            |constants: &Constants, plan: Plan<'_>| Pass::new(gpu, buffers, constants, &plan);
        let p2g = Plan {
            name: "particles to grid",
            entry: "p2g",
            sources: &[SPLINE, P2G],
            reads: &[Params, Particles, Lists, Cells, Counters],
            writes: &[Tiles],
            size: Size::Occupied,
        };
        let grid = |constants: &Constants| {
            let sources: &[&str] = if has_bodies { &[BODIES, GRID] } else { &[GRID] };
            let plan = Plan {
                name: "grid",
                entry: "grid",
                sources,
                reads: &[Params, Coords, Tiles, Shapes],
                writes: &[Atomics, Links, Nodes],
                size: Size::Reached,
            };
            make(constants, plan)
        };
        let g2p = |constants: &Constants| {
            let with: &[&str] = &[SPLINE, MATERIAL, AFFINE, BODIES, G2P];
            let without: &[&str] = &[SPLINE, MATERIAL, AFFINE, G2P];
            let plan = Plan {
                name: "grid to particles",
                entry: "g2p",
                sources: if has_bodies { with } else { without },
                reads: &[Params, Materials, Links, Nodes, Coords, Shapes],
                writes: &[Particles, Identity, Lists, Atomics],
                size: Size::Particles(G2P_SIZE),
            };
            make(constants, plan)
        };
        let bake = Plan {
            name: "stress",
            entry: "bake",
            sources: &[MATERIAL, AFFINE, BAKE],
            reads: &[Params, Materials, Identity],
            writes: &[Particles],
            size: Size::Particles(256),
        };
        let blocks = |entry| Plan {
            name: entry,
            entry,
            sources: &[BLOCKS],
            reads: &[Params],
            writes: &[Atomics, Coords, Links, SharedCells, Dispatches],
            size: Size::Blocks,
        };
        let sort = |entry, size| Plan {
            name: entry,
            entry,
            sources: &[SORT],
            reads: &[Params, Links, Identity],
            writes: &[Atomics, Lists, SharedCells],
            size,
        };
        let each = Size::Particles(256);
        let sort = [
            blocks("occupy"),
            blocks("reach"),
            blocks("link"),
            sort("count", each),
            sort("place", Size::Occupied),
            sort("fill", each),
            sort("order", each),
        ];
        Self {
            p2g: make(&constants, p2g),
            grid: grid(&constants),
            g2p: g2p(&constants),
            grid_watch: grid(&watching),
            g2p_watch: g2p(&watching),
            bake: make(&constants, bake),
            sort: sort.map(|plan| make(&constants, plan)),
        }
    }
}
