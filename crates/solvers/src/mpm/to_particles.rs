//! The last pass of a step: velocities, positions, deformation and stress from the grid.

use crate::mpm::quad::Quad;
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::neighbors::CHUNK;
use lawine_core::simd::{LANES, Level, Simd, Work};
use lawine_core::space::Space;
use rayon::prelude::*;
use std::ops::Range;

use super::collide::{self, Contacts, Forces, Near};
use super::config::Config;
use super::grid::{Block, Grid};
use super::passes::LARGEST_TILE;
use super::state::{Gradient, Particles, Point};
use super::strain::Group;
use super::transfer::{Kernel, Stencil, inverse_moment};

/// Report of a chunk of particles after the step.
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
    pub(super) fraction: f64,
    pub(super) reports: &'a mut [ChunkReport],
}

impl Kernel for ToParticles<'_> {
    type Output = ();

    fn run<const N: usize, const NZ: usize, const G: bool>(self) {
        let Self { grid, config, env, near, dt, fraction, .. } = self;
        let p = self.particles;
        let contacts = Contacts { config, env, dt, h: config.cell };
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
                fraction,
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
    fraction: f64,
}

impl<const N: usize, const NZ: usize, const G: bool> Work for MoveChunk<'_, N, NZ, G> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { first, columns, gradients, grid, contacts, env, near, fraction } = self;
        let (x, v, points, material, plastic_volume, density, pressure, report) = columns;
        collide::clear(&mut report.forces, env.bodies.len());
        let fastest = move_particles::<N, NZ, G>(
            Moved { first, x, v, points, gradients },
            grid,
            &contacts,
            &env.space,
            near,
            fraction,
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

/// Interpolates new velocities and gradients and moves the particles of a chunk; returns the square of
/// the largest speed.
#[inline(always)]
fn move_particles<const N: usize, const NZ: usize, const G: bool>(
    mut chunk: Moved<'_>,
    grid: &Grid,
    contacts: &Contacts<'_>,
    space: &Space,
    near: &[Near],
    fraction: f64,
    forces: &mut Forces,
) -> f64 {
    let first = chunk.first;
    let mut tiles = Tiles { nodes: [Quad::ZERO; LARGEST_TILE], old: [Quad::ZERO; LARGEST_TILE] };
    let mut strays = tiles;
    let mut loaded = None;
    let mut fastest = 0.0_f64;
    let start = grid.runs.partition_point(|run| (run.start + run.length) as usize <= first);
    for run in &grid.runs[start..] {
        if run.start as usize >= first + chunk.x.len() {
            break;
        }
        let block = &grid.blocks[run.block as usize];
        // A few strays are not worth a tile; they use another one, node by node.
        let stray = loaded != Some(run.block) && run.length < 8;
        if !stray && loaded != Some(run.block) {
            grid.load(&grid.nodes, block, &mut tiles.nodes);
            if G {
                grid.load(&grid.old, block, &mut tiles.old);
            }
            loaded = Some(run.block);
        }
        let near = near[block.nodes[0] as usize];
        let from = (run.start as usize).max(first) - first;
        let to = ((run.start + run.length) as usize - first).min(chunk.x.len());
        let job = MoveRun::<N, NZ, G> { grid, contacts, space, block, stray, near, fraction };
        let tiles = if stray { &mut strays } else { &mut tiles };
        let speed = if grid.geometry.is_walled(block.key) {
            job.run::<true>(&mut chunk, from..to, tiles, forces)
        } else {
            job.run::<false>(&mut chunk, from..to, tiles, forces)
        };
        fastest = fastest.max(speed);
    }
    fastest
}

/// Nodes that particles reach, now and before the forces.
#[derive(Clone, Copy)]
struct Tiles {
    nodes: [Quad; LARGEST_TILE],
    old: [Quad; LARGEST_TILE],
}

/// What particles of a run need to know to move.
struct MoveRun<'a, const N: usize, const NZ: usize, const G: bool> {
    grid: &'a Grid,
    contacts: &'a Contacts<'a>,
    space: &'a Space,
    block: &'a Block,
    stray: bool,
    near: Near,
    fraction: f64,
}

impl<const N: usize, const NZ: usize, const G: bool> MoveRun<'_, N, NZ, G> {
    /// Moves particles of a chunk, next to a wall if `E`; returns the square of the largest speed.
    #[inline(always)]
    fn run<const E: bool>(
        &self,
        chunk: &mut Moved<'_>,
        range: Range<usize>,
        tiles: &mut Tiles,
        forces: &mut Forces,
    ) -> f64 {
        let &Self { grid, contacts, space, block, stray, near, fraction } = self;
        let Moved { x, v, points, gradients, .. } = chunk;
        let (geometry, dt) = (grid.geometry, contacts.dt);
        let moment = if G { 1.0 } else { inverse_moment::<N>() * geometry.inverse.powi(2) };
        let fade = (-contacts.config.damping * dt).exp();
        let mut fastest = 0.0_f64;
        for k in range {
            let stencil = Stencil::<N>::near::<NZ, G, E>(&geometry, x[k]);
            if stray {
                grid.load_stencil::<N, NZ>(&grid.nodes, block, stencil.base, &mut tiles.nodes);
            }
            let (pic, slopes) = stencil.gather::<NZ>(&tiles.nodes);
            let mut v_new = pic.xyz();
            if G {
                if stray {
                    grid.load_stencil::<N, NZ>(&grid.old, block, stencil.base, &mut tiles.old);
                }
                // (1 − α) v_PIC + α v_FLIP = α v + Σ w (v_new − α v_old).
                let old = stencil.interpolate::<NZ>(&tiles.old);
                v_new += v[k] * fraction - old.xyz();
            }
            v_new *= fade;
            let mut displacement = v_new * dt;
            if near != 0 {
                (v_new, displacement) =
                    contacts.particle(near, x[k], v_new, f64::from(points[k].m), forces);
            }
            v[k] = v_new;
            x[k] = space.wrap(x[k] + displacement);
            for (axis, slope) in slopes.iter().enumerate() {
                for i in 0..3 {
                    gradients[k][3 * axis + i] = (slope.0[i] * moment) as f32;
                }
            }
            fastest = fastest.max(v_new.length_squared());
        }
        fastest
    }
}
