//! Steps that solve a system for the pressure: IISPH and DFSPH.

use super::assemble::Assemble;
use super::chunk::Search;
use super::config::{Iterations, LinearSolver, WallPressure};
use super::coverage::PushBodies;
use super::pairs::{Chunk, Surroundings};
use super::step::{FORCES, PRESSURE, with_scratch};
use super::system::{Lists, Solved, StopCriterion};
use super::{Liquid, Particles};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::kernel::LaneShape;
use lawine_core::method::{Convergence, StepError, StepReport};
use lawine_core::neighbors::CHUNK;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::sync::OnceLock;
use web_time::Instant;

/// Warm start: this fraction of the last pressure (Ihmsen 2014).
const WARM_START: f32 = 0.5;

/// Tolerance of a solve that starts from no pressure at all. With the usual 0.1 % liquid at rest fell freely for as
/// long as that allows, 0.4 mm in a tank 0.4 m deep, and what it took to push it back was energy without a source:
/// 0.17 % of all with steps of 1 ms.
const COLD_TOLERANCE: f64 = 1e-5;

/// The time to take back a density error shrinks at most so much from step to step. An error ε over a
/// depth L that is taken back within Δt gives the speed ε L/Δt; if Δt follows that speed down, both run
/// away, and a column bursts.
const CORRECTION_DECAY: f64 = 0.95;

/// Largest relaxation times the stiffest wave. Two is where Jacobi's iterations begin to diverge on a
/// lattice, 4/3 with much momentum; walls and disorder take their part.
const LIMIT: f64 = 1.65;
const LIMIT_WITH_MOMENTUM: f64 = 1.42;

impl Liquid {
    /// Ihmsen et al. 2014, Algorithm 1; Hunkler, Algorithms 6 and 9.
    pub(super) fn step_iisph<K: LaneShape>(
        &mut self,
        env: &mut Environment,
        dt: f64,
        solver: Iterations,
    ) -> Result<StepReport, StepError> {
        self.sort_by_cell(env)?;
        self.find_held();
        self.begin_balance(env, dt);
        self.assemble::<K>(dt);
        self.find_free_bodies(env, dt);
        self.press_films(env);
        self.predict_velocity(env, dt);
        self.apply_surface::<K>(dt);
        self.apply_viscosity::<K>(dt)?;
        self.hold();
        self.predict_free_bodies::<K>(env, dt, false);
        let fraction = self.correction_fraction(dt);
        let solved = self.solve_density(dt, fraction, solver)?;
        self.finish_implicit::<K>(env, dt, [Solved::default(), solved])
    }

    /// Bender & Koschier 2017, Algorithm 1, from one search for neighbours to the next: first the
    /// divergence of the present velocities, then, with the other forces, the density.
    pub(super) fn step_dfsph<K: LaneShape>(
        &mut self,
        env: &mut Environment,
        dt: f64,
        solver: Iterations,
    ) -> Result<StepReport, StepError> {
        self.sort_by_cell(env)?;
        self.find_held();
        self.begin_balance(env, dt);
        // The pressure of a step is that of both solves; each starts from its own.
        let Particles { p, p_divergence, .. } = &mut self.particles;
        p.iter_mut().zip(&*p_divergence).for_each(|(p, part)| *p = (*p - part).max(0.0));
        self.assemble::<K>(dt);
        self.find_free_bodies(env, dt);
        self.press_films(env);
        let divergence = self.solve_divergence(dt, solver)?;
        self.predict_velocity(env, dt);
        self.apply_surface::<K>(dt);
        self.apply_viscosity::<K>(dt)?;
        self.hold();
        self.predict_free_bodies::<K>(env, dt, true);
        let fraction = self.correction_fraction(dt);
        let density = self.solve_density(dt, fraction, solver)?;
        let Particles { p, p_divergence, .. } = &mut self.particles;
        p.iter_mut().zip(&*p_divergence).for_each(|(p, part)| *p += part);
        self.finish_implicit::<K>(env, dt, [divergence, density])
    }

    /// Marks the particles that are in the mouth of an emitter now. They keep the prescribed velocity, whatever
    /// the pressure, as if they had no end of mass; otherwise it moved the layers in the mouth back, and
    /// a step of 10 ms let only four of five particles into a channel half a metre deep.
    fn find_held(&mut self) {
        let (held, found) = (&mut self.held, &mut self.work.system.held);
        found.clear();
        if held.is_empty() {
            return;
        }
        held.sort_unstable_by_key(|(id, _)| *id);
        for (i, id) in self.particles.id.iter().enumerate() {
            if let Ok(at) = held.binary_search_by_key(id, |(id, _)| *id) {
                found.push((i, held[at].1));
            }
        }
        held.clear();
    }

    /// Takes back what other forces did to held particles.
    fn hold(&mut self) {
        for &(i, velocity) in &self.work.system.held {
            self.particles.v[i] = velocity;
        }
    }

    /// Neighbours, densities, gradients and all sums that need no pressure.
    pub(super) fn assemble<K: LaneShape>(&mut self, dt: f64) {
        let start = Instant::now();
        let constants = self.force_constants(dt);
        let (particles, work) = (&mut self.particles, &mut self.work);
        work.system.resize(particles.x.len());
        let (fixed, v) = (work.index.positions(), &particles.v);
        let volume = constants.inverse_rest_density.to_bits();
        work.records.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(i, record)| {
            let [x, y, z] = fixed.at(i).map(|q| q as u32);
            let [u, v, w] = v[i].to_array().map(|v| (v as f32).to_bits());
            *record = [x, y, z, 0, u, v, w, volume];
        });
        self.fill_walls::<K>();
        self.assemble_walls::<K>(&constants);
        let (particles, work, boundary) = (&mut self.particles, &mut self.work, &self.boundary);
        let (index, level, scratch) = (&work.index, work.level, &work.scratch);
        let (records, coverage) = (&work.records[..], &work.coverage);
        let all = Surroundings { constants: &constants, records, boundary, coverage };
        particles
            .rho
            .par_chunks_mut(CHUNK)
            .zip(work.system.sums.par_chunks_mut(CHUNK))
            .zip(&mut work.system.blocks)
            .zip(&mut work.neighbors.chunks)
            .zip(&mut work.boundary_neighbors.chunks)
            .zip(&mut work.reports)
            .enumerate()
            .for_each(|(chunk, (((((rho, sums), blocks), neighbors), wall_neighbors), report))| {
                with_scratch(scratch, |scratch| {
                    let (liquid, walls) = (index, boundary.index());
                    let range = chunk * CHUNK..chunk * CHUNK + rho.len();
                    let search =
                        Search { liquid, walls, range, neighbors, wall_neighbors, scratch };
                    let shape = PhantomData;
                    level.run(Assemble::<K> { search, all, blocks, sums, rho, report, shape });
                });
            });
        self.time_search_and_density(start);
    }

    /// v_adv = v + Δt (g + a_other).
    fn predict_velocity(&mut self, env: &Environment, dt: f64) {
        let start = Instant::now();
        let (gravity, sums) = (env.gravity, &self.work.system.sums);
        self.particles.v.par_iter_mut().with_min_len(CHUNK).zip(sums).for_each(|(v, sums)| {
            *v += dt * (gravity + DVec3::from_array(sums.other.map(f64::from)));
        });
        self.phases.lap(FORCES, start);
    }

    /// The fraction of a density error that a step corrects: all of it, unless it is suddenly short.
    fn correction_fraction(&mut self, dt: f64) -> f32 {
        let time = &mut self.particles.correction_time;
        *time = dt.max(CORRECTION_DECAY * *time);
        (dt / *time) as f32
    }

    /// Pressures that take back a fraction of the density error, and all that the predicted velocities
    /// would add to it; [`System::vectors`] then holds their accelerations.
    ///
    /// [`System::vectors`]: super::system::System
    pub(super) fn solve_density(
        &mut self,
        dt: f64,
        fraction: f32,
        solver: Iterations,
    ) -> Result<Solved, StepError> {
        let start = Instant::now();
        let is_cold = self.particles.p.iter().all(|&p| p <= 0.0);
        let criterion = self.criterion(dt, if is_cold { self.cold(solver) } else { solver });
        let Particles { v, rho, p, .. } = &mut self.particles;
        let work = &mut self.work;
        work.system.vectors.par_iter_mut().with_min_len(CHUNK).zip(&*v).for_each(|(out, v)| {
            *out = [v.x as f32, v.y as f32, v.z as f32, 0.0];
        });
        // ρ0 − ρ_adv over Δt², in terms of the sum that the gradients belong to.
        let (rho0, lattice) = (self.config.rest_density as f32, self.lattice_sum as f32);
        let (inverse, dt32) = ((1.0 / (dt * dt)) as f32, dt as f32);
        let density = &*rho;
        let lists = Lists { liquid: &work.neighbors, walls: &work.boundary_neighbors };
        work.system.density_rate(work.level, lists, &mut work.coverage, |i, rate| {
            (fraction * lattice * (rho0 - density[i]) - dt32 * rate) * inverse
        });
        let solved = solve(&mut self.work, p, rho, &criterion);
        self.phases.lap(PRESSURE, start);
        check(solved, solver)
    }

    /// Pressures that stop the density from rising with the present velocities.
    fn solve_divergence(&mut self, dt: f64, solver: Iterations) -> Result<Solved, StepError> {
        let start = Instant::now();
        // Near a surface the divergence means little: too few neighbours, no correction.
        let fewest = if self.space.is_planar() { 9 } else { 20 };
        let criterion = self.criterion(dt, solver);
        let Particles { v, rho, p_divergence, .. } = &mut self.particles;
        let system = &mut self.work.system;
        let inverse = (1.0 / dt) as f32;
        for (source, sums) in system.source.iter_mut().zip(&system.sums) {
            let few = sums.neighbors < fewest;
            *source = if few { f32::INFINITY } else { -sums.rate * inverse };
        }
        let solved = solve(&mut self.work, p_divergence, rho, &criterion);
        let accelerations = &self.work.system.vectors;
        v.par_iter_mut().with_min_len(CHUNK).zip(accelerations).for_each(|(v, a)| {
            *v += dt * DVec3::new(f64::from(a[0]), f64::from(a[1]), f64::from(a[2]));
        });
        self.phases.lap(PRESSURE, start);
        check(solved, solver)
    }

    /// When to stop. The relaxation is bounded by what a lattice of particles bears: wide kernels
    /// bear less than the usual 0.5.
    fn criterion(&self, dt: f64, solver: Iterations) -> StopCriterion {
        let momentum = solver.linear_solver == LinearSolver::Accelerated;
        let bound = if momentum { LIMIT_WITH_MOMENTUM } else { LIMIT };
        StopCriterion {
            tolerance: solver.tolerance,
            scale: dt * dt / (self.config.rest_density * self.lattice_sum),
            min_iterations: solver.min,
            max_iterations: solver.max,
            relaxation: solver.relaxation.min(bound / self.stiffest_wave) as f32,
            momentum,
        }
    }

    /// How to solve from no pressure, once and well. Mirroring walls are as their thesis has them.
    fn cold(&self, solver: Iterations) -> Iterations {
        match self.config.wall_pressure {
            WallPressure::Mirror => solver,
            WallPressure::Consistent => Iterations {
                tolerance: solver.tolerance.min(COLD_TOLERANCE),
                linear_solver: LinearSolver::Accelerated,
                ..solver
            },
        }
    }

    /// v = v_adv + Δt a, x += Δt v, and what the walls got. `solves` are those for divergence and
    /// density.
    fn finish_implicit<K: LaneShape>(
        &mut self,
        env: &mut Environment,
        dt: f64,
        solves: [Solved; 2],
    ) -> Result<StepReport, StepError> {
        let start = Instant::now();
        let constants = self.force_constants(dt);
        let Particles { rho, p, .. } = &self.particles;
        self.work.records.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(i, record)| {
            record[3] = (p[i] / (rho[i] * rho[i])).to_bits();
        });
        self.press_walls();
        let (mover, boundary) = (self.mover(env, dt), &self.boundary);
        let work = &mut self.work;
        let (level, accelerations) = (work.level, &work.system.vectors);
        let (records, coverage) = (&work.records[..], &work.coverage);
        let all = Surroundings { constants: &constants, records, boundary, coverage };
        let Particles { x, v, .. } = &mut self.particles;
        x.par_chunks_mut(CHUNK)
            .zip(v.par_chunks_mut(CHUNK))
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .zip(&mut work.reports)
            .enumerate()
            .for_each(|(chunk, ((((x, v), neighbors), wall_neighbors), report))| {
                let first = chunk * CHUNK;
                level.run(PushBodies::<K> {
                    chunk: Chunk { all, first, neighbors, wall_neighbors },
                    positions: x,
                    report,
                    shape: PhantomData,
                });
                for k in 0..x.len() {
                    let a = accelerations[first + k].map(f64::from);
                    let a = DVec3::new(a[0], a[1], a[2]);
                    let i = first + k;
                    let near = wall_neighbors.count(k) > 0;
                    mover.step((&mut x[k], &mut v[k]), a, near, report, i);
                }
            });
        self.phases.lap(FORCES, start);
        (self.stress, self.work.last_dt) = (OnceLock::new(), dt);
        let report = self.collect_reports(env, dt)?;
        let [divergence, density] = solves;
        let iterations = divergence.iterations + density.iterations;
        self.limit_iterations(iterations, dt);
        let convergence = self.config.pressure.iterations().map(|solver| Convergence {
            tolerance: solver.tolerance,
            residual: divergence.mean_error.max(density.mean_error),
        });
        Ok(StepReport {
            iterations,
            mean_density_error: density.mean_error,
            max_density_error: density.max_error,
            convergence,
            ..report
        })
    }
}

impl Liquid {
    /// Shortens the next steps if this one, of length `dt`, took more iterations than the target,
    /// and lets them grow back otherwise. The iterations grow about with the square of the step.
    fn limit_iterations(&mut self, iterations: u32, dt: f64) {
        let target = self.config.pressure.iterations().and_then(|solver| solver.target);
        let Some(target) = target else { return };
        let limit = &mut self.particles.iteration_limit;
        let factor = (f64::from(target) / f64::from(iterations.max(1))).sqrt().clamp(0.7, 1.1);
        *limit = if factor < 1.0 { dt * factor } else { limit.max(dt) * factor };
    }
}

/// Solves with a warm start from the pressures `p`, which become the new ones.
fn solve(work: &mut super::Work, p: &mut [f32], rho: &[f32], criterion: &StopCriterion) -> Solved {
    p.iter_mut().zip(rho).for_each(|(p, rho)| *p *= WARM_START / (rho * rho));
    let lists = Lists { liquid: &work.neighbors, walls: &work.boundary_neighbors };
    let solved = work.system.solve(work.level, lists, &mut work.coverage, p, criterion);
    p.iter_mut().zip(rho).for_each(|(kappa, rho)| *kappa *= rho * rho);
    solved
}

fn check(solved: Solved, solver: Iterations) -> Result<Solved, StepError> {
    if solver.strict && solved.mean_error > solver.tolerance {
        return Err(StepError::NotConverged {
            iterations: solved.iterations,
            error: solved.mean_error,
            tolerance: solver.tolerance,
        });
    }
    Ok(solved)
}

#[cfg(test)]
mod tests {
    use super::super::config::{
        BoundaryMethod, Config, LinearSolver, PressureMethod, ViscositySolver, WallPressure,
    };
    use super::*;
    use lawine_core::body::Body;
    use lawine_core::kernel::{CubicSplineLanes, KernelKind};
    use lawine_core::method::{Method, NewParticle};
    use lawine_core::neighbors::SearchKind;
    use lawine_core::space::{Dimension, Space};

    const D: f64 = 0.05;

    /// A column of liquid in a tank.
    fn column(rows: u32, solver: Iterations) -> (Environment, Liquid) {
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        let mut env = Environment::new(Space::unbounded(Dimension::Planar), gravity);
        let open = [[false; 2], [false, true], [false; 2]];
        let size = DVec3::new(8.0 * D, f64::from(rows) * D + 1.0, 0.0);
        env.bodies.push(Body::container("tank", DVec3::ZERO, size, open).unwrap());
        let config = Config {
            spacing: D,
            support: 2.0 * D,
            kernel: KernelKind::CubicSpline,
            search: SearchKind::Grid,
            rest_density: 1000.0,
            viscosity: 0.01,
            viscosity_solver: ViscositySolver::Explicit,
            xsph: 0.0,
            surface_tension: 0.0,
            wall_viscosity: 0.0,
            pressure: PressureMethod::Iisph(solver),
            wall_pressure: WallPressure::Consistent,
            boundary: BoundaryMethod::Layers(3),
            cfl: 0.4,
        };
        let mut liquid = Liquid::new(config, &env).unwrap();
        let place = |k: u32| D * DVec3::new(f64::from(k % 8) + 0.5, f64::from(k / 8) + 0.5, 0.0);
        let particles: Vec<NewParticle> = (0..8 * rows)
            .map(|k| NewParticle { position: place(k), velocity: DVec3::ZERO })
            .collect();
        liquid.insert(&particles).unwrap();
        (env, liquid)
    }

    #[test]
    fn the_product_is_symmetric_and_has_the_diagonal() {
        let (mut env, mut liquid) = column(12, Iterations::default());
        // Some disorder, also along the walls.
        for _ in 0..20 {
            liquid.step(&mut env, 0.002).unwrap();
        }
        liquid.sort_by_cell(&env).unwrap();
        liquid.assemble::<CubicSplineLanes>(0.0);
        let n = liquid.particle_count();
        let work = &mut liquid.work;
        let mut product = |i: usize| {
            let mut unit = vec![0.0; n];
            unit[i] = 1.0;
            let lists = Lists { liquid: &work.neighbors, walls: &work.boundary_neighbors };
            work.system.accelerate(work.level, lists, &mut work.coverage, &unit);
            work.system.density_rate(work.level, lists, &mut work.coverage, |_, rate| rate);
            work.system.source.clone()
        };
        let columns: Vec<Vec<f32>> = (0..n).map(&mut product).collect();
        for (i, column) in columns.iter().enumerate() {
            let diagonal = -1.0 / work.system.sums[i].inverse_diagonal;
            let ratio = diagonal / column[i];
            let at_wall = work.boundary_neighbors.chunks[i / CHUNK].count(i % CHUNK) > 0;
            // Next to walls it is bounded, see [`super::super::system`].
            let allowed = if at_wall { 0.97..1.3 } else { 1.0 - 1e-4..1.0 + 1e-4 };
            assert!(allowed.contains(&ratio), "{i}: {} {diagonal}", column[i]);
            for (j, other) in columns.iter().enumerate() {
                assert!((column[j] - other[i]).abs() < -1e-5 * diagonal, "{i} and {j}");
            }
        }
        let near_wall = (0..n).filter(|&i| {
            let chunk = &work.boundary_neighbors.chunks[i / CHUNK];
            chunk.count(i % CHUNK) > 0
        });
        assert!(near_wall.count() > n / 4, "walls take part");
    }

    /// Mean iterations over the first steps of a column, after checking that each met its tolerance.
    fn mean_iterations(rows: u32, solver: Iterations) -> f64 {
        let (mut env, mut liquid) = column(rows, solver);
        let steps = 100;
        let mut total = 0;
        for _ in 0..steps {
            let report = liquid.step(&mut env, 0.002).unwrap();
            assert!(report.mean_density_error <= solver.tolerance);
            assert!(report.max_density_error >= report.mean_density_error);
            assert!(report.iterations >= solver.min);
            total += report.iterations;
        }
        f64::from(total) / f64::from(steps)
    }

    #[test]
    fn momentum_saves_most_iterations() {
        let jacobi = Iterations { tolerance: 1e-5, ..Iterations::default() };
        let accelerated = Iterations { linear_solver: LinearSolver::Accelerated, ..jacobi };
        let (slow, fast) = (mean_iterations(24, jacobi), mean_iterations(24, accelerated));
        assert!(fast < 0.4 * slow, "{fast} iterations instead of {slow}");
    }

    #[test]
    fn a_tall_tube_is_carried() {
        let (tolerance, linear_solver) = (1e-5, LinearSolver::Accelerated);
        let solver = Iterations { tolerance, linear_solver, ..Iterations::default() };
        let (mut env, mut liquid) = column(400, solver);
        for _ in 0..20 {
            let report = liquid.step(&mut env, 0.002).unwrap();
            assert!(report.mean_density_error <= tolerance);
            assert!(report.max_speed < 0.3, "{} m/s", report.max_speed);
        }
    }

    #[test]
    fn too_few_iterations_are_reported_or_an_error() {
        let hopeless = Iterations { tolerance: 1e-7, max: 3, ..Iterations::default() };
        let (mut env, mut liquid) = column(24, hopeless);
        let report = liquid.step(&mut env, 0.002).unwrap();
        assert!(report.iterations == 3 && report.mean_density_error > 1e-7);
        let (mut env, mut liquid) = column(24, Iterations { strict: true, ..hopeless });
        let error = liquid.step(&mut env, 0.002).unwrap_err();
        assert!(matches!(error, StepError::NotConverged { iterations: 3, .. }), "{error}");
    }
}
