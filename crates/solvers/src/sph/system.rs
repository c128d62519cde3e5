//! The matrix-free pressure system of IISPH and DFSPH.
//!
//! With G_ij = m ∇W_ij, S_i = Σ_f G_ij + w_i Σ_b μ_b (σ_b/σ⁰_b) G_ib over liquid and walls, and κ = p/ρ², the
//! pressure acceleration and the rate of density that it causes are
//!
//!   a_i = −(κ_i S_i + Σ_f κ_j G_ij + Σ_b π_b G_ib),
//!   (Bκ)_i = a_i·S_i − Σ_f a_j·G_ij + Σ_b μ_b W_ib Σ_j a_j·G_jb/σ⁰_b,
//!
//! with what walls see as in [`super::coverage`] and w_i = 1. The force is the derivative of the density, so
//! B = −AᵀA for a = −Aκ, symmetric and without a mode that grows. Its diagonal is
//!
//!   |S_i + Σ_b μ_b W_ib G_ib/σ⁰_b|² + Σ_j |G_ij − Σ_b μ_b W_ib G_jb/σ⁰_b|²,
//!
//! the inverse of the α of Bender & Koschier (2017) away from walls. Next to walls the second sum would take a loop
//! over neighbours and walls at once. It is Σ|G_ij|² and what walls add, for which twice Jensen's bound
//! Σ_b μ_b W_ib Σ_b μ_b W_ib Σ_j|G_jb|²/σ⁰_b² stands: 1.0 to 1.2 times the whole next to flat walls. A diagonal that is too
//! large is safe.
//!
//! Walls that mirror the pressure (Hunkler 4.2) see nothing: σ_b/σ⁰_b = 1, π_b = 0, and w_i = 1 + ρ_i²/ρ0². Their
//! velocity is mirrored too: it comes as near as the liquid does, which counts w_i times. With the wall counted
//! once in the rate, the slow modes of a tube of 400 rows had the wrong sign, and no solver could find
//! their pressure.
//!
//! Both methods solve Bκ = s with κ ≥ 0: s = (ρ0 − ρ_adv)/Δt² for constant density
//! (less of ρ0 − ρ in a step that is suddenly short),
//! s = −(dρ/dt)/Δt for a velocity without divergence. Gradients are computed once per step and kept.

use super::coverage::Coverage;
use super::free_bodies::FreeBodies;
use super::suspension::Suspension;
use glam::DVec3;
use lawine_core::neighbors::{CHUNK, ChunkList, NeighborList};
use lawine_core::simd::{LANES, Level, Simd, Work};
use rayon::prelude::*;

/// An error so many times the least of a solve means that the iterations diverge: from then on the
/// relaxation is halved.
const DIVERGENCE: f64 = 4.0;

/// The error of plain Jacobi iterations does not rise after the first few: then so little tells.
const DIVERGENCE_OF_JACOBI: f64 = 1.1;
const FIRST_FEW: u32 = 20;

/// The gradients G of a block of neighbours.
pub(super) type GradientBlock = [[f32; LANES]; 3];

/// What a chunk knows of its pairs.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) liquid: Vec<GradientBlock>,
    /// G_ib of boundary particles.
    pub(super) walls: Vec<GradientBlock>,
    /// μ_b W_ib of boundary particles.
    pub(super) shapes: Vec<[f32; LANES]>,
}

impl Blocks {
    pub(super) fn resize(&mut self, liquid: usize, walls: usize) {
        self.liquid.resize(liquid, GradientBlock::default());
        self.walls.resize(walls, GradientBlock::default());
        self.shapes.resize(walls, [0.0; LANES]);
    }

    fn bytes(&self) -> usize {
        (self.liquid.capacity() + self.walls.capacity()) * size_of::<GradientBlock>()
            + self.shapes.capacity() * size_of::<[f32; LANES]>()
    }
}

/// The neighbours of the liquid: liquid and boundary particles.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    pub(super) liquid: &'a NeighborList,
    pub(super) walls: &'a NeighborList,
}

/// Sums over a particle's neighbours that the system needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// S_i.
    pub(super) s: [f32; 3],
    /// −1/diagonal of B, or zero where the diagonal vanishes.
    pub(super) inverse_diagonal: f32,
    /// Acceleration by viscosity [m/s²].
    pub(super) other: [f32; 3],
    /// What moving walls add to the rate of density.
    pub(super) wall_rate: f32,
    /// dρ/dt of the present velocities [kg/m³/s].
    pub(super) rate: f32,
    /// Number of neighbours, walls included.
    pub(super) neighbors: u32,
}

/// Everything that is computed once per step: gradients and sums.
#[derive(Debug, Default)]
pub(super) struct System {
    pub(super) blocks: Vec<Blocks>,
    pub(super) sums: Vec<Sums>,
    /// Accelerations or velocities, to be gathered.
    pub(super) vectors: Vec<[f32; 4]>,
    pub(super) source: Vec<f32>,
    /// Particles that no pressure accelerates, and their velocities [m/s].
    pub(super) held: Vec<(usize, DVec3)>,
    pub(super) free: FreeBodies,
    pub(super) suspension: Suspension,
    /// Mass of a particle [kg].
    pub(super) mass: f64,
    states: Vec<State>,
    parts: Vec<Part>,
}

/// Report of a chunk about an iteration.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    error_sum: f64,
    error_max: f64,
    pressed: u32,
    /// Whether the last extrapolation went against the descent, if positive.
    uphill: f64,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Solved {
    pub(super) iterations: u32,
    /// Mean of |s − Bκ|·scale over particles with κ > 0, and the largest.
    pub(super) mean_error: f64,
    pub(super) max_error: f64,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopCriterion {
    /// Tolerance for the mean error, as a relative density.
    pub(super) tolerance: f64,
    /// Turns a residual of the system into a relative density error.
    pub(super) scale: f64,
    pub(super) min_iterations: u32,
    pub(super) max_iterations: u32,
    /// ω of the relaxed Jacobi method.
    pub(super) relaxation: f32,
    /// Whether iterations start from an extrapolation.
    pub(super) momentum: bool,
}

impl System {
    pub(super) fn resize(&mut self, n: usize) {
        self.blocks.resize_with(n.div_ceil(CHUNK), Blocks::default);
        self.sums.resize(n, Sums::default());
        self.vectors.resize(n, [0.0; 4]);
        self.source.resize(n, 0.0);
        self.parts.resize(n.div_ceil(CHUNK), Part::default());
    }

    /// Divides the inverse of the diagonal.
    pub(super) fn enlarge_diagonal(&mut self, times: f64) {
        if times > 1.0 {
            self.sums.iter_mut().for_each(|sums| sums.inverse_diagonal /= times as f32);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.blocks.iter().map(Blocks::bytes).sum::<usize>()
            + self.sums.capacity() * size_of::<Sums>()
            + self.vectors.capacity() * size_of::<[f32; 4]>()
            + self.source.capacity() * size_of::<f32>()
            + self.free.bytes()
            + self.suspension.bytes()
            + self.states.capacity() * size_of::<State>()
            + self.parts.capacity() * size_of::<Part>()
    }

    /// The accelerations −(κ_i S_i + Σ_f κ_j G_ij + Σ_b π_b G_ib), into [`Self::vectors`], and those of free bodies.
    pub(super) fn accelerate(
        &mut self,
        level: Level,
        lists: Lists<'_>,
        coverage: &mut Coverage,
        kappa: &[f32],
    ) {
        coverage.press(level, |j| kappa[j]);
        let (sums, pressures) = (&self.sums, &coverage.pressures);
        self.vectors
            .par_chunks_mut(CHUNK)
            .zip(&lists.liquid.chunks)
            .zip(&lists.walls.chunks)
            .zip(&self.blocks)
            .enumerate()
            .for_each(|(chunk, (((out, list), walls), blocks))| {
                let (pairs, first) = (Pairs { list, walls, blocks }, chunk * CHUNK);
                let sums = &sums[first..];
                level.run(Accelerate { pairs, first, sums, kappa, pressures, out });
            });
        self.suspension.accelerate(&mut self.vectors, self.mass);
        self.held.iter().for_each(|&(i, _)| self.vectors[i] = [0.0; 4]);
        self.free.accelerate(kappa);
    }

    /// f_i·S_i − Σ_f f_j·G_ij + Σ_b μ_b W_ib Σ_j f_j·G_jb/σ_b − Σ_B C_iB·f_B for the field in [`Self::vectors`] and
    /// what free bodies have of it, handed to `take` with the particle and what its chunk reports.
    fn divergence<T: Send>(
        &mut self,
        level: Level,
        lists: Lists<'_>,
        coverage: &mut Coverage,
        out: &mut [T],
        take: impl Fn(&mut T, usize, f32, &Sums, &mut Part) + Sync,
    ) {
        self.free.follow();
        let vectors = self.suspension.flux(&self.vectors);
        let (sums, of_bodies) = (&self.sums, &self.free.of_particles);
        coverage.follow(level, vectors);
        let changes = &coverage.changes;
        out.par_chunks_mut(CHUNK)
            .zip(&lists.liquid.chunks)
            .zip(&lists.walls.chunks)
            .zip(&self.blocks)
            .zip(&mut self.parts)
            .enumerate()
            .for_each(|(chunk, ((((out, list), walls), blocks), part))| {
                *part = Part::default();
                let first = chunk * CHUNK;
                level.run(Divergence {
                    pairs: Pairs { list, walls, blocks },
                    first,
                    sums: &sums[first..first + out.len()],
                    vectors,
                    changes,
                    take: |k: usize, value: f32, sums: &Sums| {
                        let value = value - of_bodies.get(first + k).copied().unwrap_or(0.0);
                        take(&mut out[k], first + k, value, sums, part);
                    },
                });
            });
    }

    /// The rate of density dρ/dt that the velocities in [`Self::vectors`] cause, moving walls
    /// included; `take` gets the particle's number and the rate.
    pub(super) fn density_rate(
        &mut self,
        level: Level,
        lists: Lists<'_>,
        coverage: &mut Coverage,
        take: impl Fn(usize, f32) -> f32 + Sync,
    ) {
        let mut source = std::mem::take(&mut self.source);
        self.divergence(level, lists, coverage, &mut source, |out, i, value, sums, _| {
            *out = take(i, value - sums.wall_rate);
        });
        self.source = source;
    }

    /// Solves Bκ = s, κ ≥ 0 by relaxed Jacobi iterations (Ihmsen 2014, eq. 12; Hunkler, Algorithm 6)
    /// from the κ given; with `criterion.momentum` each starts from an extrapolation of the last two
    /// (Nesterov 1983, projected, restarted after O'Donoghue & Candès 2015 when it would go uphill).
    ///
    /// When it ends, `kappa` is what the error was measured with, and [`Self::vectors`] holds its
    /// accelerations. One more update would cost nothing, but its pressures would not be those that
    /// act: they showed a column 2 % too heavy.
    pub(super) fn solve(
        &mut self,
        level: Level,
        lists: Lists<'_>,
        coverage: &mut Coverage,
        kappa: &mut [f32],
        criterion: &StopCriterion,
    ) -> Solved {
        let mut solved = Solved::default();
        // Where the next iteration starts from, and κ itself.
        let mut states = std::mem::take(&mut self.states);
        states.clear();
        states.extend(kappa.iter().map(|&kappa| State { start: kappa, kappa }));
        let (mut t, mut relaxation, mut least) = (1.0_f32, criterion.relaxation, f64::INFINITY);
        loop {
            kappa.iter_mut().zip(&states).for_each(|(start, state)| *start = state.start);
            self.accelerate(level, lists, coverage, kappa);
            let next_t = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
            let momentum = if criterion.momentum { (t - 1.0) / next_t } else { 0.0 };
            let update = Update { relaxation, momentum, scale: criterion.scale };
            self.iterate(level, lists, coverage, &mut states, update);
            let pressed: u32 = self.parts.iter().map(|p| p.pressed).sum();
            let sum: f64 = self.parts.iter().map(|p| p.error_sum).sum();
            solved = Solved {
                iterations: solved.iterations + 1,
                mean_error: if pressed > 0 { sum / f64::from(pressed) } else { 0.0 },
                max_error: self.parts.iter().map(|p| p.error_max).fold(0.0, f64::max),
            };
            let enough = solved.iterations >= criterion.min_iterations;
            if (enough && solved.mean_error <= criterion.tolerance)
                || solved.iterations >= criterion.max_iterations
            {
                break;
            }
            t = next_t;
            least = least.min(solved.mean_error);
            let is_plain = !criterion.momentum && solved.iterations > FIRST_FEW;
            let bound = if is_plain { DIVERGENCE_OF_JACOBI } else { DIVERGENCE };
            let diverges = solved.mean_error > bound * least;
            if diverges {
                relaxation *= 0.5;
                least = solved.mean_error;
            }
            if diverges || self.parts.iter().map(|p| p.uphill).sum::<f64>() > 0.0 {
                t = 1.0;
                states.iter_mut().for_each(|state| state.start = state.kappa);
            }
        }
        self.states = states;
        solved
    }
}

impl System {
    /// One iteration from where `states` start, with the accelerations that are there.
    fn iterate(
        &mut self,
        level: Level,
        lists: Lists<'_>,
        coverage: &mut Coverage,
        states: &mut [State],
        update: Update,
    ) {
        let source = std::mem::take(&mut self.source);
        if self.free.is_empty() {
            self.divergence(level, lists, coverage, states, |state, i, value, sums, part| {
                update.apply(state, source[i] - value, 0.0, sums, part);
            });
        } else {
            let mut residuals = std::mem::take(&mut self.free.residuals);
            self.divergence(level, lists, coverage, &mut residuals, |residual, i, value, _, _| {
                *residual = source[i] - value;
            });
            self.free.residuals = residuals;
            let sums = &self.sums;
            self.free.precondition(|i| states[i].start, |i| sums[i].inverse_diagonal);
            let FreeBodies { residuals, of_particles, .. } = &self.free;
            states
                .par_chunks_mut(CHUNK)
                .zip(residuals.par_chunks(CHUNK).zip(of_particles.par_chunks(CHUNK)))
                .zip(sums.par_chunks(CHUNK))
                .zip(&mut self.parts)
                .for_each(|(((states, (residuals, corrections)), sums), part)| {
                    *part = Part::default();
                    for (k, state) in states.iter_mut().enumerate() {
                        update.apply(state, residuals[k], corrections[k], &sums[k], part);
                    }
                });
        }
        self.source = source;
    }
}

/// How an iteration changes the pressures.
#[derive(Clone, Copy, Debug)]
struct Update {
    relaxation: f32,
    /// Fraction of the last change that the next iteration starts ahead.
    momentum: f32,
    scale: f64,
}

impl Update {
    /// Moves the pressure of a particle against its residual; `correction` is what free bodies take from it.
    #[inline(always)]
    fn apply(
        &self,
        state: &mut State,
        residual: f32,
        correction: f32,
        sums: &Sums,
        part: &mut Part,
    ) {
        let step = residual - correction;
        let updated = state.start - self.relaxation * step * sums.inverse_diagonal;
        // Also turns NaN into zero pressure, which the caller then finds in the velocities.
        let updated = if updated > 0.0 && sums.inverse_diagonal > 0.0 { updated } else { 0.0 };
        if updated > 0.0 {
            let error = f64::from(residual.abs()) * self.scale;
            part.error_sum += error;
            part.error_max = part.error_max.max(error);
            part.pressed += 1;
            let (back, change) = (state.start - updated, updated - state.kappa);
            // The change against the slope, P(start − updated).
            let slope = back / sums.inverse_diagonal + self.relaxation * correction;
            part.uphill += f64::from(slope * change);
        }
        let ahead = updated + self.momentum * (updated - state.kappa);
        *state = State { start: if ahead > 0.0 { ahead } else { 0.0 }, kappa: updated };
    }
}

/// The unknown of a particle during a solve.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Where the next iteration starts from.
    start: f32,
    kappa: f32,
}

/// The pairs of a chunk and their gradients.
#[derive(Clone, Copy)]
struct Pairs<'a> {
    list: &'a ChunkList,
    walls: &'a ChunkList,
    blocks: &'a Blocks,
}

/// [`System::accelerate`] for one chunk.
struct Accelerate<'a> {
    pairs: Pairs<'a>,
    /// Index of the chunk's first particle.
    first: usize,
    sums: &'a [Sums],
    kappa: &'a [f32],
    pressures: &'a [f32],
    out: &'a mut [[f32; 4]],
}

impl Work for Accelerate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (k, out) in self.out.iter_mut().enumerate() {
            let mut sum = s.splat_vector([0.0; 3]);
            let Pairs { list, walls, blocks } = self.pairs;
            let gradients = &blocks.liquid[list.block_span(k)];
            for (block, g) in list.blocks(k).iter().zip(gradients) {
                let kappa = s.load(&block.map(|j| self.kappa[j as usize]));
                sum += kappa * s.load_vectors(g);
            }
            let gradients = &blocks.walls[walls.block_span(k)];
            for (block, g) in walls.blocks(k).iter().zip(gradients) {
                let pressure = s.load(&block.map(|b| self.pressures[b as usize]));
                sum += pressure * s.load_vectors(g);
            }
            let (kappa, total, sum) = (self.kappa[self.first + k], &self.sums[k].s, sum.sum());
            let a = |c: usize| -(kappa * total[c] + sum[c]);
            *out = [a(0), a(1), a(2), 0.0];
        }
    }
}

/// [`System::divergence`] for one chunk.
struct Divergence<'a, F> {
    pairs: Pairs<'a>,
    /// Index of the chunk's first particle.
    first: usize,
    sums: &'a [Sums],
    vectors: &'a [[f32; 4]],
    changes: &'a [f32],
    take: F,
}

impl<F: FnMut(usize, f32, &Sums)> Work for Divergence<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        for (k, sums) in self.sums.iter().enumerate() {
            let mut sum = s.splat(0.0);
            let Pairs { list, walls, blocks } = self.pairs;
            let gradients = &blocks.liquid[list.block_span(k)];
            for (block, g) in list.blocks(k).iter().zip(gradients) {
                let f = s.transpose_vectors(block.map(|j| &self.vectors[j as usize]));
                sum += f.dot(s.load_vectors(g));
            }
            let shapes = &blocks.shapes[walls.block_span(k)];
            for (block, shape) in walls.blocks(k).iter().zip(shapes) {
                let change = s.load(&block.map(|b| self.changes[b as usize]));
                sum -= change * s.load(shape);
            }
            let (f, total) = (&self.vectors[self.first + k], &sums.s);
            let own = (f[0] * total[0] + f[1] * total[1]) + f[2] * total[2];
            (self.take)(k, own - sum.sum(), sums);
        }
    }
}
