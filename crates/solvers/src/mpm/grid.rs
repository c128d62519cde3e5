//! The sparse grid: blocks of 4³ cells (4² in the plane), only where there is matter.
//!
//! Particles belong to the block of the first node they reach. They are kept nearly sorted by block:
//! a stretch of neighbours in memory that share a block is a *run*, and sorting the runs is sorting the
//! particles. Only when too many have strayed are they moved in memory.
//!
//! A block's particles reach the nodes of a *tile*, three or four nodes wider than the block, in
//! positive direction only. Each block writes its own tile; a node then adds up the at most eight
//! tiles that hold it, in fixed order. So nothing is shared between threads and sums have the same bits
//! for any number of them.

use crate::mpm::quad::Quad;
use glam::DVec3;
use lawine_core::space::Space;
use rayon::prelude::*;
use std::ops::Range;

use super::config::{Config, ConfigError, Spline};
use super::transfer::split;
use super::walls::Walls;

/// Blocks along an axis: keys have 21 bits for each.
const BLOCKS: i32 = 1 << 21;
/// Particles whose runs are found together.
const STRETCH: usize = 4096;
/// Particles are moved in memory when one in this many has strayed. Strays
/// cost little, a move touches all columns.
const STRAYS: usize = 16;
/// No such block.
pub(super) const NONE: u32 = u32::MAX;

/// Where nodes are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    /// Edge of a cell [m].
    pub(super) h: f64,
    /// 1/h [1/m].
    pub(super) inverse: f64,
    /// Position of node 0 [m].
    pub(super) origin: DVec3,
    /// Nodes that a particle reaches along an axis.
    pub(super) n: usize,
    pub(super) planar: bool,
    /// Where splines end.
    pub(super) walls: Walls,
    /// Period of each axis in blocks; zero without.
    period: [i32; 3],
}

impl Geometry {
    pub(super) fn new(config: &Config, space: &Space) -> Result<Self, ConfigError> {
        let h = config.cell;
        let (mut origin, mut period) = (DVec3::ZERO, [0; 3]);
        for axis in 0..3 {
            if let Some((min, length)) = space.period(axis) {
                let blocks = (length / (4.0 * h)).round();
                let fits = (blocks * 4.0 * h - length).abs() <= 1e-9 * length;
                if !(fits && blocks >= 1.0 && blocks < f64::from(BLOCKS / 2)) {
                    return Err(ConfigError::Period { axis, length, cell: h });
                }
                origin[axis] = min;
                period[axis] = blocks as i32;
            }
        }
        let n = match config.spline {
            Spline::Quadratic => 3,
            Spline::Cubic => 4,
        };
        let (planar, walls) = (space.is_planar(), Walls::NONE);
        Ok(Self { h, inverse: 1.0 / h, origin, n, planar, walls, period })
    }

    /// Nodes of a tile along an axis.
    pub(super) fn edge(&self) -> usize {
        self.n + 3
    }

    /// Nodes of a tile.
    pub(super) fn tile(&self) -> usize {
        self.edge() * self.edge() * if self.planar { 1 } else { self.edge() }
    }

    /// Nodes of a block.
    pub(super) fn block(&self) -> usize {
        if self.planar { 16 } else { 64 }
    }

    /// Blocks that a tile reaches into.
    pub(super) fn corners(&self) -> usize {
        if self.planar { 4 } else { 8 }
    }

    /// Whether a position is near enough to have a block.
    #[inline(always)]
    pub(super) fn holds(&self, x: DVec3) -> bool {
        let limit = f64::from(2 * BLOCKS - 64);
        ((x - self.origin) * self.inverse).abs().max_element() < limit
    }

    /// The key of the block that a particle belongs to.
    #[inline(always)]
    fn key<const N: usize>(&self, x: DVec3) -> u64 {
        let scaled = (x - self.origin) * self.inverse;
        let z = if self.planar { 0 } else { split::<N>(scaled.z).0 };
        self.pack([split::<N>(scaled.x).0 >> 2, split::<N>(scaled.y).0 >> 2, z >> 2])
    }

    #[inline(always)]
    fn pack(&self, mut block: [i32; 3]) -> u64 {
        for (b, &period) in block.iter_mut().zip(&self.period) {
            if period > 0 {
                *b = b.rem_euclid(period);
            }
        }
        let [x, y, z] = block.map(|b| (b + BLOCKS / 2) as u64 & (BLOCKS as u64 - 1));
        (z << 42) | (y << 21) | x
    }

    /// The block with a key, in blocks from node 0.
    pub(super) fn unpack(&self, key: u64) -> [i32; 3] {
        [0, 21, 42].map(|shift| (key >> shift & (BLOCKS as u64 - 1)) as i32 - BLOCKS / 2)
    }

    /// Whether splines of a block's particles may end at a wall.
    #[inline(always)]
    pub(super) fn is_walled(&self, key: u64) -> bool {
        let block = self.unpack(key);
        let reach = 2 + self.n as i32;
        (0..3).any(|k| {
            let node = 4 * block[k];
            node < self.walls.first[k] || node + reach > self.walls.last[k]
        })
    }

    /// Position of node (0, 0, 0) of a block [m].
    pub(super) fn position(&self, key: u64) -> DVec3 {
        let mut x = DVec3::from_array(self.unpack(key).map(|b| 4.0 * self.h * f64::from(b)));
        if self.planar {
            x.z = 0.0;
        }
        self.origin + x
    }

    /// Position of a node relative to the first of its block [m].
    #[inline(always)]
    pub(super) fn offset(&self, node: usize) -> DVec3 {
        let [x, y, z] = [node & 3, node >> 2 & 3, node >> 4].map(|k| k as f64 * self.h);
        DVec3::new(x, y, z)
    }

    /// The key of the neighbour in the direction of a corner: one step along the axes whose bit is set.
    fn neighbor(&self, key: u64, corner: usize) -> u64 {
        let mut block = self.unpack(key);
        for (k, b) in block.iter_mut().enumerate() {
            *b += (corner >> k & 1) as i32;
        }
        self.pack(block)
    }

    /// Calls `copy(node of the neighbour, node of the tile, length)` for the rows of a tile that lie in
    /// the neighbour at a corner.
    #[inline(always)]
    pub(super) fn rows(&self, corner: usize, mut copy: impl FnMut(usize, usize, usize)) {
        let edge = self.edge();
        let size = |axis: usize| if corner >> axis & 1 == 1 { edge - 4 } else { 4 };
        let start = |axis: usize| 4 * (corner >> axis & 1);
        let depth = if self.planar { 1 } else { size(2) };
        for z in 0..depth {
            for y in 0..size(1) {
                let tile = ((z + start(2)) * edge + y + start(1)) * edge + start(0);
                copy((z * 4 + y) * 4, tile, size(0));
            }
        }
    }
}

/// Particles side by side in memory that share a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    key: u64,
    pub(super) start: u32,
    pub(super) length: u32,
    /// Its block's place.
    pub(super) block: u32,
}

/// A block that has particles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) key: u64,
    /// Its runs' places in `order`.
    pub(super) runs: [u32; 2],
    /// The node blocks that its tile reaches into.
    pub(super) nodes: [u32; 8],
}

/// A block of nodes that some tile reaches into.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeBlock {
    pub(super) key: u64,
    /// The blocks whose tiles reach into it.
    pub(super) sources: [u32; 8],
}

/// The grid.
pub(super) struct Grid {
    pub(super) geometry: Geometry,
    /// Runs in the order of memory.
    pub(super) runs: Vec<Run>,
    /// Keys and places of the runs, sorted.
    pub(super) order: Vec<(u64, u32)>,
    pub(super) blocks: Vec<Block>,
    pub(super) node_blocks: Vec<NodeBlock>,
    /// A tile for every block: momentum and mass.
    pub(super) tiles: Vec<Quad>,
    /// The same without elastic impulse, for FLIP only.
    pub(super) old_tiles: Vec<Quad>,
    /// Velocity and mass at the nodes of every node block.
    pub(super) nodes: Vec<Quad>,
    /// What FLIP subtracts: α times the velocity before the forces.
    pub(super) old: Vec<Quad>,
    found: Vec<Vec<Run>>,
    links: Vec<(u64, u32)>,
}

impl Grid {
    pub(super) fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            runs: Vec::new(),
            order: Vec::new(),
            blocks: Vec::new(),
            node_blocks: Vec::new(),
            tiles: Vec::new(),
            old_tiles: Vec::new(),
            nodes: Vec::new(),
            old: Vec::new(),
            found: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Finds the runs of particles and sorts them by block. True when so many particles have strayed
    /// that they should be moved in memory.
    pub(super) fn sort(&mut self, x: &[DVec3]) -> bool {
        let geometry = self.geometry;
        self.found.resize_with(x.len().div_ceil(STRETCH), Vec::new);
        self.found.par_iter_mut().zip(x.par_chunks(STRETCH)).enumerate().for_each(
            |(stretch, (runs, x))| {
                runs.clear();
                let first = (stretch * STRETCH) as u32;
                match geometry.n {
                    3 => find_runs::<3>(&geometry, x, first, runs),
                    _ => find_runs::<4>(&geometry, x, first, runs),
                }
            },
        );
        self.runs.clear();
        self.found.iter().for_each(|found| self.runs.extend_from_slice(found));
        self.order.clear();
        self.order.extend(self.runs.iter().enumerate().map(|(k, run)| (run.key, k as u32)));
        self.order.par_sort_unstable();
        let mut blocks = 0;
        let mut last = None;
        for &(key, _) in &self.order {
            blocks += usize::from(last != Some(key));
            last = Some(key);
        }
        self.runs.len() > 2 * blocks + self.found.len() + x.len() / STRAYS
    }

    /// Releases the memory of runs that particles out of order needed.
    pub(super) fn shrink(&mut self) {
        let most = 2 * self.runs.len() + self.runs.len().max(STRETCH * self.found.len() / STRAYS);
        self.runs.shrink_to(most);
        self.order.shrink_to(most);
        self.found.iter_mut().for_each(|found| found.shrink_to(STRETCH / 12));
    }

    /// Makes blocks of the sorted runs, and the node blocks that they reach.
    pub(super) fn link(&mut self, flip: bool) {
        let keys = self.order.chunk_by(|a, b| a.0 == b.0).map(|runs| runs[0].0);
        if !keys.clone().eq(self.blocks.iter().map(|b| b.key)) {
            self.blocks.clear();
            self.blocks.extend(keys.map(|key| Block { key, runs: [0; 2], nodes: [NONE; 8] }));
            self.link_nodes();
        }
        let mut place = 0;
        for (k, runs) in self.order.chunk_by(|a, b| a.0 == b.0).enumerate() {
            self.blocks[k].runs = [place, place + runs.len() as u32];
            place += runs.len() as u32;
            for &(_, run) in runs {
                self.runs[run as usize].block = k as u32;
            }
        }
        fit(&mut self.tiles, self.blocks.len() * self.geometry.tile());
        fit(&mut self.nodes, self.node_blocks.len() * self.geometry.block());
        if flip {
            fit(&mut self.old_tiles, self.tiles.len());
            fit(&mut self.old, self.nodes.len());
        }
    }

    fn link_nodes(&mut self) {
        let (geometry, corners) = (self.geometry, self.geometry.corners());
        self.links.clear();
        for (k, block) in self.blocks.iter().enumerate() {
            let link = |corner| (geometry.neighbor(block.key, corner), (k * 8 + corner) as u32);
            self.links.extend((0..corners).map(link));
        }
        self.links.sort_unstable();
        self.node_blocks.clear();
        for links in self.links.chunk_by(|a, b| a.0 == b.0) {
            let mut sources = [NONE; 8];
            for &(_, link) in links {
                let (block, corner) = (link / 8, link as usize % 8);
                sources[corner] = block;
                self.blocks[block as usize].nodes[corner] = self.node_blocks.len() as u32;
            }
            self.node_blocks.push(NodeBlock { key: links[0].0, sources });
        }
    }

    /// The runs of a block as ranges of particles, in fixed order.
    pub(super) fn runs_of(&self, block: &Block) -> impl Iterator<Item = Range<usize>> {
        let [start, end] = block.runs.map(|k| k as usize);
        let runs = self.order[start..end].iter().map(|&(_, run)| &self.runs[run as usize]);
        runs.map(|run| run.start as usize..(run.start + run.length) as usize)
    }

    /// For every place in the order of blocks, the particle that belongs there.
    pub(super) fn permutation(&self, places: &mut Vec<u32>) {
        places.clear();
        for &(_, run) in &self.order {
            let run = &self.runs[run as usize];
            places.extend(run.start..run.start + run.length);
        }
    }

    /// Copies the nodes that a block's particles reach into a tile.
    pub(super) fn load(&self, from: &[Quad], block: &Block, tile: &mut [Quad]) {
        let size = self.geometry.block();
        for (corner, &slot) in block.nodes.iter().enumerate().take(self.geometry.corners()) {
            let nodes = &from[slot as usize * size..][..size];
            self.geometry.rows(corner, |node, at, length| {
                tile[at..at + length].copy_from_slice(&nodes[node..node + length]);
            });
        }
    }

    /// Copies only the nodes of a stencil that begins at node `base`, to the same places in a tile.
    #[inline(always)]
    pub(super) fn load_stencil<const N: usize, const NZ: usize>(
        &self,
        from: &[Quad],
        block: &Block,
        base: [i32; 3],
        tile: &mut [Quad],
    ) {
        let [x0, y0, z0] = base.map(|b| (b & 3) as usize);
        let size = self.geometry.block();
        for k in 0..NZ {
            for j in 0..N {
                for i in 0..N {
                    let z = if NZ == 1 { 0 } else { z0 + k };
                    let [x, y] = [x0 + i, y0 + j];
                    let corner = (x >> 2) | (y >> 2) << 1 | (z >> 2) << 2;
                    let node = ((z & 3) * 4 + (y & 3)) * 4 + (x & 3);
                    let at = (z * (N + 3) + y) * (N + 3) + x;
                    tile[at] = from[block.nodes[corner] as usize * size + node];
                }
            }
        }
    }

    /// Adds up the tiles that reach into a node block.
    pub(super) fn collect(&self, tiles: &[Quad], block: &NodeBlock, nodes: &mut [Quad]) {
        let size = self.geometry.tile();
        nodes.fill(Quad::ZERO);
        for (corner, &source) in block.sources.iter().enumerate() {
            if source == NONE {
                continue;
            }
            let tile = &tiles[source as usize * size..][..size];
            self.geometry.rows(corner, |node, at, length| {
                for k in 0..length {
                    nodes[node + k] += tile[at + k];
                }
            });
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let found: usize = self.found.iter().map(Vec::capacity).sum();
        (self.runs.capacity() + found) * size_of::<Run>()
            + (self.order.capacity() + self.links.capacity()) * size_of::<(u64, u32)>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.node_blocks.capacity() * size_of::<NodeBlock>()
            + (self.tiles.capacity() + self.old_tiles.capacity()) * size_of::<Quad>()
            + (self.nodes.capacity() + self.old.capacity()) * size_of::<Quad>()
    }
}

/// Sets the length of a column of nodes, with room for a few blocks more but not for twice as many.
fn fit(column: &mut Vec<Quad>, length: usize) {
    if length > column.capacity() {
        column.reserve_exact(length + length / 64 - column.len());
    }
    column.resize(length, Quad::ZERO);
}

/// Appends the runs of a stretch of particles.
fn find_runs<const N: usize>(geometry: &Geometry, x: &[DVec3], first: u32, runs: &mut Vec<Run>) {
    for (k, x) in x.iter().enumerate() {
        let key = geometry.key::<N>(*x);
        match runs.last_mut() {
            Some(run) if run.key == key => run.length += 1,
            _ => runs.push(Run { key, start: first + k as u32, length: 1, block: 0 }),
        }
    }
}
