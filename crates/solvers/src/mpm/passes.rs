//! The passes of a step: particles to grid, grid update, grid to particles.

use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::neighbors::CHUNK;
use lawine_core::quad::Quad;
use lawine_core::simd::{LANES, Level, Simd, Work};
use lawine_core::space::Space;
use rayon::prelude::*;

use super::collide::{self, Contacts, Forces, Near};
use super::config::Config;
use super::grid::{Block, Grid};
use super::state::{Gradient, Particles, Point};
use super::strain::Group;
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
        let Self { grid, particles, block, tile, old, dt } = self;
        tile.fill(Quad::ZERO);
        old.fill(Quad::ZERO);
        let geometry = grid.geometry;
        // −Δt V τ times the gradient of the weights (Hu et al. 2018, eq. 16; Meyer 26).
        let moment = if G { 1.0 } else { inverse_moment::<N>() * geometry.inverse.powi(2) };
        for run in grid.runs_of(block) {
            for k in run {
                let (x, v, point) = (particles.x[k], particles.v[k], &particles.points[k]);
                let stencil = Stencil::<N>::new::<NZ, G>(&geometry, x);
                let m = f64::from(point.m);
                let value = Quad([m * v.x, m * v.y, m * v.z, m]);
                let k_tau = -dt * moment * f64::from(point.volume);
                let [xx, yy, zz, yz, xz, xy] = point.tau.map(|t| k_tau * f64::from(t));
                let mut slopes =
                    [Quad([xx, xy, xz, 0.0]), Quad([xy, yy, yz, 0.0]), Quad([xz, yz, zz, 0.0])];
                if G {
                    stencil.spread::<NZ>(old, value);
                } else {
                    let c = particles.gradients[k].map(f64::from);
                    let [x, y, z] = stencil.spread.map(|spread| m * spread);
                    slopes[0] += Quad([c[0], c[1], c[2], 0.0]) * x;
                    slopes[1] += Quad([c[3], c[4], c[5], 0.0]) * y;
                    slopes[2] += Quad([c[6], c[7], c[8], 0.0]) * z;
                }
                stencil.scatter::<NZ>(tile, value, slopes);
            }
        }
    }
}

/// Adds the tiles up and makes velocities of momenta, after forces and gravity; `share` is α of FLIP.
pub(super) fn update(grid: &mut Grid, gravity: DVec3, dt: f64, share: f64) {
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
            *node = *node * (share / node.w());
        }
    });
    (grid.nodes, grid.old) = (nodes, old);
}

/// Contact of the nodes with bodies; adds to the forces, of which there are those of each node block.
pub(super) fn collide_nodes(
    grid: &mut Grid,
    contacts: Contacts<'_>,
    near: &[Near],
    forces: &mut [Forces],
) {
    let geometry = grid.geometry;
    let rows = grid.nodes.par_chunks_mut(geometry.block()).zip(&grid.node_blocks);
    rows.zip(near).zip(forces).filter(|((_, near), _)| **near != 0).for_each(
        |(((nodes, block), &near), forces)| {
            let corner = geometry.position(block.key);
            for (k, node) in nodes.iter_mut().enumerate().filter(|(_, node)| node.w() > 0.0) {
                let (x, m) = (corner + geometry.offset(k), node.w());
                *node = Quad::new(contacts.node(near, x, node.xyz(), m, forces), m);
            }
        },
    );
}

/// What a chunk of particles has to say after the step.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkReport {
    /// Squares of the largest speed and of the fastest wave [m²/s²].
    pub(super) speeds: [f64; 2],
    /// The first particle that is not finite any more, with the name of its field.
    pub(super) not_finite: Option<(usize, &'static str)>,
    /// The first particle outside the domain.
    pub(super) outside: Option<usize>,
    pub(super) forces: Forces,
}

/// Grid to particles: velocities, positions, deformation and stress.
pub(super) struct ToParticles<'a> {
    pub(super) level: Level,
    pub(super) particles: &'a mut Particles,
    pub(super) grid: &'a Grid,
    pub(super) config: &'a Config,
    pub(super) env: &'a Environment,
    pub(super) near: &'a [Near],
    pub(super) dt: f64,
    /// α of FLIP.
    pub(super) share: f64,
    pub(super) reports: &'a mut [ChunkReport],
}

impl Kernel for ToParticles<'_> {
    type Output = ();

    fn run<const N: usize, const NZ: usize, const G: bool>(self) {
        let Self { grid, config, env, near, dt, share, .. } = self;
        let p = self.particles;
        let contacts = Contacts { config, bodies: &env.bodies, dt, h: config.cell };
        let columns = (
            p.x.par_chunks_mut(CHUNK),
            p.v.par_chunks_mut(CHUNK),
            p.points.par_chunks_mut(CHUNK),
            p.material.par_chunks(CHUNK),
            p.plastic_volume.par_chunks_mut(CHUNK),
            p.density.par_chunks_mut(CHUNK),
            p.pressure.par_chunks_mut(CHUNK),
            self.reports.par_iter_mut(),
        );
        let chunks = columns.into_par_iter().enumerate();
        let level = self.level;
        let run = |(chunk, columns): (usize, ChunkColumns<'_>), gradients: &mut [Gradient]| {
            let first = chunk * CHUNK;
            let job = MoveChunk::<N, NZ, G> {
                first,
                columns,
                gradients,
                grid,
                contacts,
                env,
                near,
                share,
            };
            level.run(job);
        };
        if G {
            chunks.for_each(|chunk| {
                let n = chunk.1.0.len();
                run(chunk, &mut [[0.0; 9]; CHUNK][..n]);
            });
        } else {
            let gradients = p.gradients.par_chunks_mut(CHUNK);
            chunks.zip(gradients).for_each(|(chunk, gradients)| run(chunk, gradients));
        }
    }
}

/// Positions, velocities, points, materials, J_P, densities and pressures of a chunk, and its report.
type ChunkColumns<'a> = (
    &'a mut [DVec3],
    &'a mut [DVec3],
    &'a mut [Point],
    &'a [u32],
    &'a mut [f64],
    &'a mut [f32],
    &'a mut [f32],
    &'a mut ChunkReport,
);

struct MoveChunk<'a, const N: usize, const NZ: usize, const G: bool> {
    first: usize,
    columns: ChunkColumns<'a>,
    gradients: &'a mut [Gradient],
    grid: &'a Grid,
    contacts: Contacts<'a>,
    env: &'a Environment,
    near: &'a [Near],
    share: f64,
}

impl<const N: usize, const NZ: usize, const G: bool> Work for MoveChunk<'_, N, NZ, G> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { first, columns, gradients, grid, contacts, env, near, share } = self;
        let (x, v, points, material, plastic_volume, density, pressure, report) = columns;
        collide::clear(&mut report.forces, env.bodies.len());
        let fastest = move_particles::<N, NZ, G>(
            Moved { first, x, v, points, gradients },
            grid,
            &contacts,
            &env.space,
            near,
            share,
            &mut report.forces,
        );
        report.speeds = [fastest, 0.0];
        for (k, points) in points.chunks_mut(LANES).enumerate() {
            let range = k * LANES..k * LANES + points.len();
            let group = Group {
                points,
                gradients: &gradients[range.clone()],
                material: &material[range.clone()],
                plastic_volume: &mut plastic_volume[range.clone()],
                density: &mut density[range.clone()],
                pressure: &mut pressure[range],
            };
            let wave = group.deform(s, &contacts.config.materials, contacts.dt as f32);
            report.speeds[1] = report.speeds[1].max(wave);
        }
        let outside = |x: &DVec3| !(env.space.contains(*x) && grid.geometry.holds(*x));
        report.outside = x.iter().position(outside).map(|k| first + k);
        let bad = |what, k: Option<usize>| k.map(|k| (first + k, what));
        report.not_finite = bad("position", x.iter().position(|x| !x.is_finite()))
            .or(bad("velocity", v.iter().position(|v| !v.is_finite())))
            .or(bad("stress", pressure.iter().position(|p| !p.is_finite())))
            .or(bad("plastic volume", plastic_volume.iter().position(|p| !p.is_finite())));
    }
}

/// The columns of a chunk that the grid changes.
struct Moved<'a> {
    first: usize,
    x: &'a mut [DVec3],
    v: &'a mut [DVec3],
    points: &'a [Point],
    gradients: &'a mut [Gradient],
}

/// Interpolates new velocities and gradients and moves the particles of a chunk; gives the square of
/// the largest speed.
#[inline(always)]
fn move_particles<const N: usize, const NZ: usize, const G: bool>(
    chunk: Moved<'_>,
    grid: &Grid,
    contacts: &Contacts<'_>,
    space: &Space,
    near: &[Near],
    share: f64,
    forces: &mut Forces,
) -> f64 {
    let Moved { first, x, v, points, gradients } = chunk;
    let (geometry, dt) = (grid.geometry, contacts.dt);
    let moment = if G { 1.0 } else { inverse_moment::<N>() * geometry.inverse.powi(2) };
    let fade = (-contacts.config.damping * dt).exp();
    let [mut tile, mut old, mut strays] = [[Quad::ZERO; LARGEST_TILE]; 3];
    let mut loaded = None;
    let mut fastest = 0.0_f64;
    let start = grid.runs.partition_point(|run| (run.start + run.length) as usize <= first);
    for run in &grid.runs[start..] {
        if run.start as usize >= first + x.len() {
            break;
        }
        let block = &grid.blocks[run.block as usize];
        // A few strays are not worth a tile; they use another one, node by node.
        let stray = loaded != Some(run.block) && run.length < 8;
        if !stray && loaded != Some(run.block) {
            grid.load(&grid.nodes, block, &mut tile);
            if G {
                grid.load(&grid.old, block, &mut old);
            }
            loaded = Some(run.block);
        }
        let near = near[block.nodes[0] as usize];
        let from = (run.start as usize).max(first) - first;
        let to = ((run.start + run.length) as usize - first).min(x.len());
        for k in from..to {
            let stencil = Stencil::<N>::new::<NZ, G>(&geometry, x[k]);
            if stray {
                grid.load_stencil::<N, NZ>(&grid.nodes, block, stencil.base, &mut strays);
            }
            let (pic, slopes) = stencil.gather::<NZ>(if stray { &strays } else { &tile });
            let mut v_new = pic.xyz();
            if G {
                if stray {
                    grid.load_stencil::<N, NZ>(&grid.old, block, stencil.base, &mut strays);
                }
                // (1 − α) v_PIC + α v_FLIP = α v + Σ w (v_new − α v_old).
                let old = stencil.interpolate::<NZ>(if stray { &strays } else { &old });
                v_new += v[k] * share - old.xyz();
            }
            v_new *= fade;
            let mut way = v_new * dt;
            if near != 0 {
                (v_new, way) = contacts.particle(near, x[k], v_new, f64::from(points[k].m), forces);
            }
            v[k] = v_new;
            x[k] = space.wrap(x[k] + way);
            for (axis, slope) in slopes.iter().enumerate() {
                for i in 0..3 {
                    gradients[k][3 * axis + i] = (slope.0[i] * moment) as f32;
                }
            }
            fastest = fastest.max(v_new.length_squared());
        }
    }
    fastest
}
