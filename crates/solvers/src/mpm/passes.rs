//! The first passes of a step: particles to grid, and the grid update.

use crate::mpm::quad::Quad;
use glam::DVec3;
use lawine_core::simd::{Level, Simd, Work};
use rayon::prelude::*;

use super::collide::{Contacts, Forces, Near};
use super::grid::{Block, Grid};
use super::state::Particles;
use super::transfer::{Kernel, Stencil, inverse_moment};

/// The largest tile: seven nodes along each axis.
pub(super) const LARGEST_TILE: usize = 343;

/// Particles to grid: every block's tile gets momentum, elastic impulse and mass.
pub(super) struct ToGrid<'a> {
    pub(super) level: Level,
    pub(super) particles: &'a Particles,
    pub(super) grid: &'a mut Grid,
    pub(super) dt: f64,
}

impl Kernel for ToGrid<'_> {
    type Output = ();

    fn run<const N: usize, const NZ: usize, const G: bool>(self) {
        let mut tiles = std::mem::take(&mut self.grid.tiles);
        let mut old_tiles = std::mem::take(&mut self.grid.old_tiles);
        let (grid, particles, dt) = (&*self.grid, self.particles, self.dt);
        let size = grid.geometry.tile();
        let fill = |tile, old: &mut [Quad], block| {
            self.level.run(FillTile::<N, NZ, G> { grid, particles, block, tile, old, dt });
        };
        let rows = tiles.par_chunks_mut(size).zip(&grid.blocks);
        if G {
            let rows = rows.zip(old_tiles.par_chunks_mut(size));
            rows.for_each(|((tile, block), old)| fill(tile, old, block));
        } else {
            rows.for_each(|(tile, block)| fill(tile, &mut [], block));
        }
        (self.grid.tiles, self.grid.old_tiles) = (tiles, old_tiles);
    }
}

struct FillTile<'a, const N: usize, const NZ: usize, const G: bool> {
    grid: &'a Grid,
    particles: &'a Particles,
    block: &'a Block,
    tile: &'a mut [Quad],
    old: &'a mut [Quad],
    dt: f64,
}

impl<const N: usize, const NZ: usize, const G: bool> Work for FillTile<'_, N, NZ, G> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        if self.grid.geometry.is_walled(self.block.key) {
            self.fill::<true>()
        } else {
            self.fill::<false>()
        }
    }
}

impl<const N: usize, const NZ: usize, const G: bool> FillTile<'_, N, NZ, G> {
    #[inline(always)]
    fn fill<const E: bool>(self) {
        let Self { grid, particles, block, tile, old, dt } = self;
        tile.fill(Quad::ZERO);
        old.fill(Quad::ZERO);
        let geometry = grid.geometry;
        // −Δt V τ times the gradient of the weights (Hu et al. 2018, eq. 16; Meyer 26).
        let moment = if G { 1.0 } else { inverse_moment::<N>() * geometry.inverse.powi(2) };
        for run in grid.runs_of(block) {
            for k in run {
                let (x, v, point) = (particles.x[k], particles.v[k], &particles.points[k]);
                let stencil = Stencil::<N>::near::<NZ, G, E>(&geometry, x);
                let m = f64::from(point.m);
                let value = Quad([m * v.x, m * v.y, m * v.z, m]);
                let k_tau = -dt * moment * f64::from(point.volume);
                let [xx, yy, zz, yz, xz, xy] = point.tau.map(|t| k_tau * f64::from(t));
                let mut slopes =
                    [Quad([xx, xy, xz, 0.0]), Quad([xy, yy, yz, 0.0]), Quad([xz, yz, zz, 0.0])];
                if G {
                    stencil.spread::<NZ>(old, value);
                } else {
                    let c = particles.gradients[k].map(|c| m * f64::from(c));
                    let [x, y, z] = if E { stencil.spread } else { [1.0; 3] };
                    slopes[0] += Quad([c[0], c[1], c[2], 0.0]) * x;
                    slopes[1] += Quad([c[3], c[4], c[5], 0.0]) * y;
                    slopes[2] += Quad([c[6], c[7], c[8], 0.0]) * z;
                }
                stencil.scatter::<NZ>(tile, value, slopes);
            }
        }
    }
}

/// Adds the tiles up and makes velocities of momenta, after forces and gravity; `fraction` is α of FLIP.
pub(super) fn update(grid: &mut Grid, gravity: DVec3, dt: f64, fraction: f64) {
    let (mut nodes, mut old) = (std::mem::take(&mut grid.nodes), std::mem::take(&mut grid.old));
    let size = grid.geometry.block();
    let kick = Quad::new(gravity * dt, 0.0);
    nodes.par_chunks_mut(size).zip(&grid.node_blocks).for_each(|(nodes, block)| {
        grid.collect(&grid.tiles, block, nodes);
        for node in nodes.iter_mut().filter(|node| node.w() > 0.0) {
            let m = node.w();
            *node = Quad::new((*node * (1.0 / m) + kick).xyz(), m);
        }
    });
    old.par_chunks_mut(size).zip(&grid.node_blocks).for_each(|(nodes, block)| {
        grid.collect(&grid.old_tiles, block, nodes);
        for node in nodes.iter_mut().filter(|node| node.w() > 0.0) {
            *node = *node * (fraction / node.w());
        }
    });
    (grid.nodes, grid.old) = (nodes, old);
}

/// Contact of the nodes with bodies, in blocks that are not `done` already; adds to the forces, of which there are
/// those of each node block.
pub(super) fn collide_nodes(
    grid: &mut Grid,
    contacts: Contacts<'_>,
    near: &[Near],
    done: impl Fn(Near) -> bool + Sync,
    forces: &mut [Forces],
) {
    let geometry = grid.geometry;
    let rows = grid.nodes.par_chunks_mut(geometry.block()).zip(&grid.node_blocks);
    let left = |near: Near| near != 0 && !done(near);
    rows.zip(near).zip(forces).filter(|((_, near), _)| left(**near)).for_each(
        |(((nodes, block), &near), forces)| {
            let corner = geometry.position(block.key);
            for (k, node) in nodes.iter_mut().enumerate().filter(|(_, node)| node.w() > 0.0) {
                let (x, m) = (corner + geometry.offset(k), node.w());
                *node = Quad::new(contacts.node(near, x, node.xyz(), m, forces), m);
            }
        },
    );
}
