//! One time step with an equation of state: Hunkler, Algorithm 9.

use super::sweeps::{self, Acceleration, ChunkReport, Density, ForceConstants, Scratch};
use super::{Liquid, PHASES, WallPressure};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::kernel::{CubicSplineLanes, KernelKind, LaneShape, WendlandC2Lanes};
use lawine_core::method::{DtLimit, StepError, StepReport};
use lawine_core::neighbors::{CHUNK, SearchError, UNITS_PER_SUPPORT};
use lawine_core::simd::Record;
use lawine_core::space::Leaving;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::sync::Mutex;
use web_time::Instant;

// Places in PHASES.
const NEIGHBORS: usize = 0;
const DENSITY: usize = 1;
const PRESSURE: usize = 2;
const FORCES: usize = 3;
const _: () = assert!(PHASES.len() == FORCES + 1);

impl Liquid {
    pub(super) fn make_step(
        &mut self,
        env: &mut Environment,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        match self.config.kernel {
            KernelKind::CubicSpline => self.step_with::<CubicSplineLanes>(env, dt),
            KernelKind::WendlandC2 => self.step_with::<WendlandC2Lanes>(env, dt),
        }
    }

    fn step_with<K: LaneShape>(
        &mut self,
        env: &mut Environment,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.sort_by_cell(env)?;
        self.compute_density::<K>();
        self.compute_pressure();
        self.accelerate_and_move::<K>(env, dt);
        self.collect_reports(env, dt)
    }

    /// Sorts the particles by cell and makes room for the chunks.
    fn sort_by_cell(&mut self, env: &Environment) -> Result<(), SearchError> {
        let start = Instant::now();
        let (particles, work) = (&mut self.particles, &mut self.work);
        work.index.update(&mut particles.x, &mut work.spare_vectors)?;
        if let Some(order) = work.index.order() {
            order.apply(&mut particles.id, &mut work.spare_ids);
            order.apply(&mut particles.v, &mut work.spare_vectors);
        }
        self.boundary.place(env, &self.space)?;
        let n = particles.x.len();
        work.neighbors.resize(n);
        work.boundary_neighbors.resize(n);
        work.records.resize(n, Record::default());
        work.reports.resize(n.div_ceil(CHUNK), ChunkReport::default());
        for report in &mut work.reports {
            // Keeps the memory of the forces.
            let mut forces = std::mem::take(&mut report.forces);
            forces.clear();
            forces.resize(env.bodies.len(), [0.0; 6]);
            *report = ChunkReport { forces, ..ChunkReport::default() };
        }
        work.scratch.resize_with(rayon::current_num_threads(), Mutex::default);
        Scratch::level(&mut work.scratch);
        self.phases.lap(NEIGHBORS, start);
        Ok(())
    }

    /// Neighbours and densities in one pass, chunk by chunk, while the distances are at hand.
    fn compute_density<K: LaneShape>(&mut self) {
        let start = Instant::now();
        let scale = self.mass() * self.kernel.factor() / self.lattice_sum;
        let (work, boundary) = (&mut self.work, &self.boundary);
        let (index, level, scratch) = (&work.index, work.level, &work.scratch);
        self.particles
            .rho
            .par_chunks_mut(CHUNK)
            .zip(&mut work.neighbors.chunks)
            .zip(&mut work.boundary_neighbors.chunks)
            .zip(&mut work.reports)
            .enumerate()
            .for_each(|(chunk, (((rho, neighbors), wall_neighbors), report))| {
                with_scratch(scratch, |scratch| {
                    level.run(Density::<K> {
                        index,
                        walls: boundary.index(),
                        wall_records: boundary.records(),
                        range: chunk * CHUNK..chunk * CHUNK + rho.len(),
                        neighbors,
                        wall_neighbors,
                        scratch,
                        scale,
                        rho,
                        report,
                        shape: PhantomData,
                    });
                });
            });
        // The two parts ran interleaved: share the wall time as they shared the threads.
        let search: f64 = work.reports.iter().map(|r| r.search_time).sum();
        let density: f64 = work.reports.iter().map(|r| r.density_time).sum();
        let share = if search + density > 0.0 { search / (search + density) } else { 0.0 };
        let wall = start.elapsed().as_secs_f64();
        self.phases.add(NEIGHBORS, share * wall);
        self.phases.add(DENSITY, (1.0 - share) * wall);
    }

    /// The equation of state, and what the force loop will gather.
    fn compute_pressure(&mut self) {
        let start = Instant::now();
        let (law, rho0) = (self.config.state_equation, self.config.rest_density);
        let (fixed, particles) = (self.work.index.positions(), &mut self.particles);
        let (rho, v) = (&particles.rho, &particles.v);
        particles
            .p
            .par_chunks_mut(CHUNK)
            .zip(self.work.records.par_chunks_mut(CHUNK))
            .zip(&mut self.work.reports)
            .enumerate()
            .for_each(|(chunk, ((p, records), report))| {
                for (k, (p, record)) in p.iter_mut().zip(records).enumerate() {
                    let i = chunk * CHUNK + k;
                    let rho_i = f64::from(rho[i]);
                    let p_i = law.pressure(rho_i / rho0);
                    *p = p_i as f32;
                    let [x, y, z] = fixed.at(i).map(|q| q as u32);
                    let [u, v, w] = v[i].to_array().map(|v| (v as f32).to_bits());
                    let pressure = (p_i / (rho_i * rho_i)) as f32;
                    let volume = (1.0 / rho_i) as f32;
                    *record = [x, y, z, pressure.to_bits(), u, v, w, volume.to_bits()];
                    if p_i > 0.0 {
                        let error = (rho_i / rho0 - 1.0).abs();
                        report.pressed += 1;
                        report.error_sum += error;
                        report.error_max = report.error_max.max(error);
                    }
                }
            });
        self.phases.lap(PRESSURE, start);
    }

    /// Accelerations, and symplectic Euler: Hunkler (2.29), (2.30). Neighbours are read from the
    /// records, so a particle can move as soon as its own sum is done.
    fn accelerate_and_move<K: LaneShape>(&mut self, env: &Environment, dt: f64) {
        let start = Instant::now();
        let constants = self.force_constants(env);
        let (work, space, gravity) = (&mut self.work, self.space, env.gravity);
        let (records, level, scratch) = (&work.records, work.level, &work.scratch);
        let (walls, particles) = (self.boundary.records(), &mut self.particles);
        particles
            .x
            .par_chunks_mut(CHUNK)
            .zip(particles.v.par_chunks_mut(CHUNK))
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .zip(&mut work.reports)
            .enumerate()
            .for_each(|(chunk, ((((x, v), neighbors), wall_neighbors), report))| {
                with_scratch(scratch, |scratch| {
                    let out = scratch.accelerations(x.len());
                    level.run(Acceleration::<K> {
                        constants: &constants,
                        records,
                        wall_records: walls,
                        first: chunk * CHUNK,
                        neighbors,
                        wall_neighbors,
                        positions: x,
                        report,
                        out,
                        shape: PhantomData,
                    });
                    for (k, a) in out.iter().enumerate() {
                        let a = DVec3::from_array(*a) + gravity;
                        v[k] += dt * a;
                        x[k] = space.wrap(x[k] + dt * v[k]);
                        report.speed_squared = report.speed_squared.max(v[k].length_squared());
                        report.acceleration_squared =
                            report.acceleration_squared.max(a.length_squared());
                        if !(x[k].is_finite() && v[k].is_finite()) {
                            report.not_finite.get_or_insert(chunk * CHUNK + k);
                        } else if !space.contains(x[k]) {
                            report.outside.get_or_insert(chunk * CHUNK + k);
                        }
                    }
                });
            });
        self.phases.lap(FORCES, start);
    }

    fn force_constants(&self, env: &Environment) -> ForceConstants {
        let unit = self.config.support / UNITS_PER_SUPPORT as f64;
        let h = self.kernel.h();
        let mass = self.mass();
        let weight = match self.config.wall_pressure {
            WallPressure::Mirror => DVec3::ZERO,
            WallPressure::Hydrostatic => env.gravity * unit / self.config.rest_density,
        };
        let laplacian = 2.0 * f64::from(self.space.dimensions() + 2) / unit;
        ForceConstants {
            scale: mass * self.kernel.factor() / (h * h) * unit,
            viscosity: (laplacian * self.config.viscosity) as f32,
            wall_viscosity: (laplacian * self.config.wall_viscosity) as f32,
            inverse_rest_density_squared: self.config.rest_density.powi(-2) as f32,
            weight: weight.to_array().map(|w| w as f32),
            mass,
            periods: self.work.index.periods(),
        }
    }

    /// Combines what the chunks have to say, in order.
    fn collect_reports(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError> {
        let reports = &self.work.reports;
        let particles = &mut self.particles;
        if let Some(i) = reports.iter().find_map(|r| r.not_finite) {
            let field = if particles.v[i].is_finite() { "position" } else { "velocity" };
            return Err(StepError::NotFinite { field, id: particles.id[i], dt });
        }
        for report in reports {
            for (body, f) in env.bodies.iter_mut().zip(&report.forces) {
                let force = DVec3::new(f[0], f[1], f[2]);
                body.force += force;
                body.torque += DVec3::new(f[3], f[4], f[5]) - body.pose.position.cross(force);
            }
        }
        let max = |value: fn(&ChunkReport) -> f64| reports.iter().map(value).fold(0.0, f64::max);
        let pressed: u32 = reports.iter().map(|r| r.pressed).sum();
        let error_sum: f64 = reports.iter().map(|r| r.error_sum).sum();
        particles.max_acceleration = max(|r| r.acceleration_squared).sqrt();
        let mut report = StepReport {
            iterations: 0,
            mean_density_error: if pressed > 0 { error_sum / f64::from(pressed) } else { 0.0 },
            max_density_error: max(|r| r.error_max),
            max_speed: max(|r| r.speed_squared).sqrt(),
            removed: 0,
        };
        if let Some(i) = reports.iter().find_map(|r| r.outside) {
            if self.space.leaving == Leaving::Error {
                let (id, position) = (particles.id[i], particles.x[i]);
                return Err(StepError::LeftDomain { id, position });
            }
            let keep: Vec<bool> = particles.x.iter().map(|&x| self.space.contains(x)).collect();
            report.removed = particles.retain(&keep);
        }
        Ok(report)
    }

    /// CFL with the speed of sound, force and viscosity: Hunkler (2.31), Monaghan 1992.
    pub(super) fn time_step_limit(&self) -> DtLimit {
        let config = &self.config;
        let h = self.kernel.h();
        let sound = config.state_equation.sound_speed(config.rest_density);
        let speed = self.max_speed();
        let mut limit = DtLimit { dt: config.cfl * h / (sound + speed), reason: "sound" };
        if self.particles.max_acceleration > 0.0 {
            let dt = 0.25 * (h / self.particles.max_acceleration).sqrt();
            limit = limit.min(DtLimit { dt, reason: "force" });
        }
        let viscosity = config.viscosity.max(config.wall_viscosity);
        if viscosity > 0.0 {
            let dt = 0.125 * h * h / viscosity;
            limit = limit.min(DtLimit { dt, reason: "viscosity" });
        }
        limit
    }

    fn max_speed(&self) -> f64 {
        self.particles.v.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt()
    }
}

/// Runs `work` with the scratch of the current thread.
fn with_scratch(scratch: &[Mutex<Scratch>], work: impl FnOnce(&mut Scratch)) {
    let thread = rayon::current_thread_index().unwrap_or(0) % scratch.len();
    sweeps::with(&scratch[thread], work);
}
