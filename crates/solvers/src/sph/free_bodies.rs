//! Bodies that float, inside the pressure system.
//!
//! A wall sample b of a free body B feels the opposite of what it does to the liquid,
//!
//!   F_b = m Σ_i (w_i κ_i μ_b σ_b/σ⁰_b + π_b) G_ib,    π_b = μ_b Σ_j κ_j W_jb/σ⁰_b,
//!
//! so that force and torque on B are m Σ_i κ_i C_iB with six numbers for each pair of particle and body,
//!
//!   C_iB = w_i Σ_{b∈B} μ_b σ_b/σ⁰_b [G_ib; r_i × G_ib] + Σ_{b∈B} μ_b W_ib Σ_j [G_jb; r_j × G_jb]/σ⁰_b,
//!
//! where r points from the centre of mass to the particle. Forces of pairs act on both at the place of the particle,
//! so that momentum and angular momentum are kept to rounding. C is sparse: only particles next to B are in it.
//!
//! The body is accelerated by M_B⁻¹ m Σ_i κ_i C_iB, and its motion changes the density by −C_iB·(v_B, ω_B): the same
//! numbers, since the force is the derivative of the density. With its velocity eliminated the product becomes
//!
//!   B' = −(AᵀA + m C M⁻¹ Cᵀ),
//!
//! symmetric like B, with the added mass in it: a body may be as light as it likes, at the liquid's own step.
//!
//! The second part is dense over all particles at a body, and the lighter the body the larger it is. The diagonal D
//! of AᵀA alone would let iterations diverge, and one of B' would stop the body's motion. Iterations therefore step
//! along P⁻¹r with P = D + m C M⁻¹ Cᵀ, by the formula of Woodbury:
//!
//!   P⁻¹r = D⁻¹(r − C y),    (M/m + CᵀD⁻¹C) y = CᵀD⁻¹r.
//!
//! The eigenvalues of P⁻¹B' are at most the larger of one and those of D⁻¹AᵀA, so that the relaxation stays as it is.
//! Particles whose pressure is zero and would become negative are left out of C there: a projection after a step that
//! is not along the gradient descends only then (Bertsekas 1982). y is found by conjugate gradients with the blocks
//! of 6 × 6 of each body in front. Where no particle is next to two bodies these blocks are all, and one
//! iteration is exact.

use super::Liquid;
use super::chunk::ChunkReport;
use super::coverage::PushBodies;
use super::pairs::{Chunk, Surroundings};
use super::system::{Blocks, System};
use crate::rigid::{FreeBody, Six, add, dot, factor, join, solve_factored};
use glam::DVec3;
use lawine_core::body::Free;
use lawine_core::environment::Environment;
use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::{CHUNK, ChunkList};
use lawine_core::simd::LANES;
use rayon::prelude::*;
use std::marker::PhantomData;

/// Conjugate gradients end when the residual is so much smaller than at the start.
const TOLERANCE: f64 = 1e-6;
/// Their most iterations; even an unfinished y gives a step downhill.
const MAX_ITERATIONS: u32 = 30;

/// The body of a wall sample is not free.
const NONE: u32 = u32::MAX;

/// A particle next to a free body.
#[derive(Clone, Copy, Debug)]
struct Pair {
    particle: u32,
    /// Among the free bodies.
    body: u32,
    /// C_iB.
    c: Six,
}

/// What the pressure system knows of the free bodies.
#[derive(Debug, Default)]
pub(super) struct FreeBodies {
    bodies: Vec<FreeBody>,
    /// Number of an environment's body among the free ones, or [`NONE`].
    free_number: Vec<u32>,
    /// In the order of particles and bodies.
    pairs: Vec<Pair>,
    /// Those of each chunk of particles.
    of_chunks: Vec<Vec<Pair>>,
    /// Pairs of each body in turn, and where each begins.
    of_bodies: Vec<u32>,
    starts: Vec<usize>,
    /// Whether a particle is next to two bodies.
    shared: bool,
    /// Σ_j [G_jb; r_j × G_jb]/σ⁰_b of wall samples.
    views: Vec<Six>,
    /// The bodies' part of the field that [`System::vectors`] holds the liquid's part of.
    pub(super) motions: Vec<Six>,
    /// C·motion, or C·y, of every particle; empty without free bodies.
    pub(super) of_particles: Vec<f32>,
    /// s − B'κ of every particle.
    pub(super) residuals: Vec<f32>,
    /// Scratch of the conjugate gradients: y, residual, preconditioned, search, product; and the blocks.
    vectors: [Vec<Six>; 5],
    blocks: Vec<[Six; 6]>,
    /// CᵀD⁻¹ of active pairs: D⁻¹, or zero.
    weights: Vec<f64>,
    reports: Vec<ChunkReport>,
}

impl FreeBodies {
    pub(super) fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        let in_chunks: usize = self.of_chunks.iter().map(Vec::capacity).sum();
        (self.pairs.capacity() + in_chunks) * size_of::<Pair>()
            + self.views.capacity() * size_of::<Six>()
            + (self.of_particles.capacity() + self.residuals.capacity()) * size_of::<f32>()
            + self.weights.capacity() * size_of::<f64>()
            + self.of_bodies.capacity() * size_of::<u32>()
    }

    /// Takes the free bodies of the environment.
    fn find(&mut self, env: &Environment, particle_mass: f64) {
        self.bodies.clear();
        self.free_number.clear();
        for (number, body) in env.bodies.iter().enumerate() {
            let free = FreeBody::new(number, body, particle_mass);
            self.free_number.push(free.map_or(NONE, |_| self.bodies.len() as u32));
            self.bodies.extend(free);
        }
        self.of_particles.clear();
        self.motions.clear();
        self.motions.resize(self.bodies.len(), [0.0; 6]);
        self.blocks.resize(self.bodies.len(), [[0.0; 6]; 6]);
        for vector in &mut self.vectors {
            vector.resize(self.bodies.len(), [0.0; 6]);
        }
    }

    /// Puts the pairs of the chunks in their order, and in that of the bodies.
    fn order(&mut self, particles: usize) {
        let Self { pairs, of_chunks, of_bodies, starts, .. } = self;
        pairs.clear();
        of_chunks.iter().for_each(|chunk| pairs.extend_from_slice(chunk));
        self.shared = pairs.windows(2).any(|pair| pair[0].particle == pair[1].particle);
        starts.clear();
        starts.resize(self.bodies.len() + 1, 0);
        pairs.iter().for_each(|pair| starts[pair.body as usize + 1] += 1);
        for body in 0..self.bodies.len() {
            starts[body + 1] += starts[body];
        }
        of_bodies.resize(pairs.len(), 0);
        // Filled from the back, so that `starts` ends where it began.
        for body in 0..self.bodies.len() {
            starts[body] = starts[body + 1];
        }
        for (k, pair) in pairs.iter().enumerate().rev() {
            let start = &mut starts[pair.body as usize];
            *start -= 1;
            of_bodies[*start] = k as u32;
        }
        self.weights.resize(pairs.len(), 0.0);
        self.of_particles.clear();
        self.of_particles.resize(particles, 0.0);
        self.residuals.resize(particles, 0.0);
    }

    /// Σ_i x_i C_iB of each body into `out`, with x for each pair.
    fn gather(&self, out: &mut [Six], x: impl Fn(usize, &Pair) -> f64 + Sync) {
        out.par_iter_mut().enumerate().for_each(|(body, out)| {
            *out = [0.0; 6];
            for &k in &self.of_bodies[self.starts[body]..self.starts[body + 1]] {
                let pair = &self.pairs[k as usize];
                add(out, x(k as usize, pair), &pair.c);
            }
        });
    }

    /// C x of every particle, with x for each body.
    fn scatter(&self, x: &[Six], out: &mut [f32]) {
        self.pairs.iter().for_each(|pair| out[pair.particle as usize] = 0.0);
        for pair in &self.pairs {
            out[pair.particle as usize] += dot(&pair.c, &x[pair.body as usize]) as f32;
        }
    }

    /// The accelerations m M⁻¹ Σ_i κ_i C_iB, into [`Self::motions`].
    pub(super) fn accelerate(&mut self, kappa: &[f32]) {
        let mut motions = std::mem::take(&mut self.motions);
        self.gather(&mut motions, |_, pair| f64::from(kappa[pair.particle as usize]));
        for (motion, body) in motions.iter_mut().zip(&self.bodies) {
            *motion = body.acceleration(motion);
        }
        self.motions = motions;
    }

    /// C·motion of every particle, which the motion of the bodies takes from the rate of density.
    pub(super) fn follow(&mut self) {
        if !self.is_empty() {
            let mut out = std::mem::take(&mut self.of_particles);
            self.scatter(&self.motions, &mut out);
            self.of_particles = out;
        }
    }

    /// C y into [`Self::of_particles`]: what a step along P⁻¹r takes from each residual. `start` is where it
    /// starts from, `inverse_diagonal` 1/D of a particle.
    pub(super) fn precondition(
        &mut self,
        start: impl Fn(usize) -> f32,
        inverse_diagonal: impl Fn(usize) -> f32,
    ) {
        let mut weights = std::mem::take(&mut self.weights);
        for (weight, pair) in weights.iter_mut().zip(&self.pairs) {
            let i = pair.particle as usize;
            let residual = self.residuals[i];
            let is_active = residual.is_finite() && (start(i) > 0.0 || residual < 0.0);
            *weight = if is_active { f64::from(inverse_diagonal(i)) } else { 0.0 };
        }
        self.weights = weights;
        self.find_blocks();
        let [mut y, mut rest, mut z, mut search, mut product] = std::mem::take(&mut self.vectors);
        self.gather(&mut rest, |k, pair| {
            let weight = self.weights[k];
            if weight > 0.0 {
                weight * f64::from(self.residuals[pair.particle as usize])
            } else {
                0.0
            }
        });
        y.iter_mut().for_each(|y| *y = [0.0; 6]);
        self.solve_blocks(&rest, &mut z);
        search.copy_from_slice(&z);
        let inner = |a: &[Six], b: &[Six]| a.iter().zip(b).map(|(a, b)| dot(a, b)).sum::<f64>();
        let mut square = inner(&rest, &z);
        let goal = TOLERANCE * TOLERANCE * square;
        let mut out = std::mem::take(&mut self.of_particles);
        for _ in 0..if self.shared { MAX_ITERATIONS } else { 1 } {
            if square <= goal {
                break;
            }
            if !self.shared {
                // The blocks are all: no need for another product.
                y.copy_from_slice(&z);
                break;
            }
            self.scatter(&search, &mut out);
            self.gather(&mut product, |k, pair| {
                self.weights[k] * f64::from(out[pair.particle as usize])
            });
            for ((product, search), body) in product.iter_mut().zip(&search).zip(&self.bodies) {
                add(product, 1.0, &body.momentum(search));
            }
            let alpha = square / inner(&search, &product);
            y.iter_mut().zip(&search).for_each(|(y, search)| add(y, alpha, search));
            rest.iter_mut().zip(&product).for_each(|(rest, product)| add(rest, -alpha, product));
            self.solve_blocks(&rest, &mut z);
            let next = inner(&rest, &z);
            let beta = next / square;
            for (search, z) in search.iter_mut().zip(&z) {
                let old = *search;
                *search = *z;
                add(search, beta, &old);
            }
            square = next;
        }
        // Only active particles are corrected.
        self.scatter(&y, &mut out);
        for (weight, pair) in self.weights.iter().zip(&self.pairs) {
            if *weight <= 0.0 {
                out[pair.particle as usize] = 0.0;
            }
        }
        self.of_particles = out;
        self.vectors = [y, rest, z, search, product];
    }

    /// The Cholesky factors of M/m + CᵀD⁻¹C of each body for itself.
    fn find_blocks(&mut self) {
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.par_iter_mut().enumerate().for_each(|(body, block)| {
            for (row, values) in block.iter_mut().enumerate() {
                for (column, value) in values.iter_mut().enumerate() {
                    *value = self.bodies[body].entry(row, column);
                }
            }
            for &k in &self.of_bodies[self.starts[body]..self.starts[body + 1]] {
                let (c, weight) = (&self.pairs[k as usize].c, self.weights[k as usize]);
                for (row, values) in block.iter_mut().enumerate() {
                    add(values, weight * c[row], c);
                }
            }
            factor(block);
        });
        self.blocks = blocks;
    }

    /// Solves with the blocks of [`Self::find_blocks`].
    fn solve_blocks(&self, right: &[Six], out: &mut [Six]) {
        for ((out, right), block) in out.iter_mut().zip(right).zip(&self.blocks) {
            *out = solve_factored(block, right);
        }
    }
}

impl Liquid {
    /// Finds C for the system that [`Liquid::assemble`] made. Without free bodies it does nothing.
    pub(super) fn find_free_bodies(&mut self, env: &Environment, dt: f64) {
        let constants = self.force_constants(dt);
        let (mass, n) = (self.mass(), self.particles.x.len());
        let (x, rho, boundary) = (&self.particles.x, &self.particles.rho, &self.boundary);
        let work = &mut self.work;
        let System { free, blocks, .. } = &mut work.system;
        free.find(env, mass);
        if free.is_empty() {
            return;
        }
        let free_of = |b: usize| {
            let number = boundary.records[b][7] as usize;
            (free.free_number[number], number)
        };
        let coverage = &work.coverage;
        let mut views = std::mem::take(&mut free.views);
        views.resize(boundary.len(), [0.0; 6]);
        views.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, views)| {
            for (k, view) in views.iter_mut().enumerate() {
                *view = [0.0; 6];
                let (free, number) = free_of(chunk * CHUNK + k);
                if free == NONE {
                    continue;
                }
                for (j, g) in coverage.slopes(chunk, k) {
                    let arm = boundary.arm(number, x[j]);
                    add(view, 1.0, &join(g, arm.cross(g)));
                }
            }
        });
        let mut of_chunks = std::mem::take(&mut free.of_chunks);
        of_chunks.resize_with(n.div_ceil(CHUNK), Vec::new);
        of_chunks
            .par_iter_mut()
            .zip(&work.boundary_neighbors.chunks)
            .zip(blocks)
            .enumerate()
            .for_each(|(chunk, ((pairs, walls), blocks))| {
                pairs.clear();
                for i in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
                    let first = pairs.len();
                    let weight = f64::from(constants.wall_weight(rho[i]));
                    for (b, g, shape) in wall_pairs(walls, blocks, i - chunk * CHUNK) {
                        let (body, number) = free_of(b);
                        if body == NONE {
                            continue;
                        }
                        let own = pairs[first..].iter().position(|pair: &Pair| pair.body == body);
                        let at = own.map_or(pairs.len(), |own| first + own);
                        if at == pairs.len() {
                            pairs.push(Pair { particle: i as u32, body, c: [0.0; 6] });
                        }
                        let g = weight * f64::from(coverage.filled[b]) * g;
                        let direct = join(g, boundary.arm(number, x[i]).cross(g));
                        add(&mut pairs[at].c, 1.0, &direct);
                        add(&mut pairs[at].c, shape, &views[b]);
                    }
                    pairs[first..].sort_unstable_by_key(|pair| pair.body);
                }
            });
        (free.views, free.of_chunks) = (views, of_chunks);
        free.order(n);
    }

    /// How much the free bodies' velocities change before the pressure acts, into [`FreeBodies::motions`]:
    /// by `earlier` accelerations that are there already if it is set, by gravity, viscosity, the weight of the
    /// liquid on them, and contacts and snow of the step before. Without these liquid would be pushed in each step
    /// as if a body that lies on the ground began to sink.
    pub(super) fn predict_free_bodies<K: LaneShape>(
        &mut self,
        env: &Environment,
        dt: f64,
        earlier: bool,
    ) {
        if self.work.system.free.is_empty() {
            return;
        }
        // What walls get without any pressure, beside what the implicit viscosity has given them.
        let constants = self.force_constants(dt);
        let mut free = std::mem::take(&mut self.work.system.free);
        free.reports.resize_with(self.work.reports.len(), ChunkReport::default);
        for (own, report) in free.reports.iter_mut().zip(&self.work.reports) {
            own.forces.clone_from(&report.forces);
        }
        self.work.coverage.pressures.fill(0.0);
        let work = &self.work;
        let (level, records, coverage) = (work.level, &work.records[..], &work.coverage);
        let all =
            Surroundings { constants: &constants, records, boundary: &self.boundary, coverage };
        free.reports
            .par_iter_mut()
            .zip(self.particles.x.par_chunks(CHUNK))
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .enumerate()
            .for_each(|(chunk, (((report, positions), neighbors), wall_neighbors))| {
                level.run(PushBodies::<K> {
                    chunk: Chunk { all, first: chunk * CHUNK, neighbors, wall_neighbors },
                    positions,
                    report,
                    shape: PhantomData,
                });
            });
        let mass = self.mass();
        let planar = env.space.is_planar();
        for (body, motion) in free.bodies.iter().zip(&mut free.motions) {
            let mut push = [0.0; 6];
            free.reports
                .iter()
                .for_each(|report| add(&mut push, 1.0 / mass, &report.forces[body.number]));
            let other = &env.bodies[body.number];
            add(&mut push, 1.0 / mass, &join(other.force, other.torque));
            if let Some([force, torque]) = other.free().map(Free::expected) {
                add(&mut push, 1.0 / mass, &join(force, torque));
            }
            if planar {
                (push[2], push[3], push[4]) = (0.0, 0.0, 0.0);
            }
            let mut change = body.acceleration(&push);
            let falls = other.free().map_or(DVec3::ZERO, |f| f.pushed_by(DVec3::ZERO, env.gravity));
            add(&mut change, 1.0, &join(falls, DVec3::ZERO));
            if earlier {
                add(&mut change, 1.0, motion);
            }
            *motion = change.map(|change| dt * change);
        }
        self.work.system.free = free;
    }
}

/// The wall samples next to particle `k` of a chunk, with G and μ W of each.
fn wall_pairs<'a>(
    walls: &'a ChunkList,
    blocks: &'a Blocks,
    k: usize,
) -> impl Iterator<Item = (usize, DVec3, f64)> + 'a {
    let span = walls.block_span(k);
    let values = blocks.walls[span.clone()].iter().zip(&blocks.shapes[span]);
    let lanes = walls.blocks(k).iter().zip(values).flat_map(|(block, (g, shape))| {
        (0..LANES).map(move |lane| {
            let g = DVec3::from_array([0, 1, 2].map(|axis| f64::from(g[axis][lane])));
            (block[lane] as usize, g, f64::from(shape[lane]))
        })
    });
    lanes.take(walls.count(k))
}
