//! Common parts of the steps of all pressure methods: sorting, moving, reporting, limits.

use super::chunk::{self, ChunkReport, Scratch};
use super::noise;
use super::pairs::ForceConstants;
use super::{Liquid, PHASES, PressureMethod, ViscositySolver, WallPressure};
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::kernel::{CubicSplineLanes, KernelKind, LaneShape, WendlandC2Lanes};
use lawine_core::method::{DtLimit, StepError, StepReport};
use lawine_core::neighbors::{CHUNK, SearchError, UNITS_PER_SUPPORT};
use lawine_core::simd::Record;
use lawine_core::space::{Leaving, Space};
use std::sync::Mutex;
use web_time::Instant;

// Places in PHASES.
const NEIGHBORS: usize = 0;
const DENSITY: usize = 1;
pub(super) const PRESSURE: usize = 2;
pub(super) const FORCES: usize = 3;
const _: () = assert!(PHASES.len() == FORCES + 1);

/// Under the pressure p a particle swings between its neighbours with the frequency √(p/ρ)/d or so. In a step
/// of more than this fraction of 1/frequency particles in corners begin to jump.
const SWING: f64 = 0.5;

/// The longest step of explicit viscosity, in h²/ν. On a lattice 0.134 (2.2 spacings in the plane) to 0.126
/// (2.22 in space) is where the shortest waves begin to grow; disorder and walls need room below that.
const VISCOUS: f64 = 0.1;

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
        match self.config.pressure {
            PressureMethod::StateEquation(law) => self.step_eos::<K>(env, dt, law),
            PressureMethod::Iisph(solver) => self.step_iisph::<K>(env, dt, solver),
            PressureMethod::Dfsph(solver) => self.step_dfsph::<K>(env, dt, solver),
        }
    }

    /// Sorts the particles by cell and makes room for the chunks.
    pub(super) fn sort_by_cell(&mut self, env: &Environment) -> Result<(), SearchError> {
        let start = Instant::now();
        let (particles, work) = (&mut self.particles, &mut self.work);
        work.index.update(&mut particles.x, &mut work.spare_vectors)?;
        if let Some(order) = work.index.order() {
            order.apply(&mut particles.id, &mut work.spare_ids);
            order.apply(&mut particles.v, &mut work.spare_vectors);
            if self.config.pressure.is_implicit() {
                // Pressures are where the next solve starts.
                order.apply(&mut particles.p, &mut work.spare_scalars);
                order.apply(&mut particles.p_divergence, &mut work.spare_scalars);
            }
        }
        self.boundary.reach(&particles.x, &self.config, env);
        self.boundary.place(env)?;
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

    /// Constants of the forces; without viscosity if it has a solver of its own.
    pub(super) fn force_constants(&self, dt: f64) -> ForceConstants {
        let unit = self.config.support / UNITS_PER_SUPPORT as f64;
        let ahead = (noise::time(&self.config, dt) / unit) as f32;
        let constants = ForceConstants { ahead, ..self.viscous_constants() };
        match self.config.viscosity_solver {
            ViscositySolver::Explicit => constants,
            ViscositySolver::Implicit => {
                ForceConstants { viscosity: 0.0, wall_viscosity: 0.0, ..constants }
            }
        }
    }

    /// The constants with viscosity.
    pub(super) fn viscous_constants(&self) -> ForceConstants {
        let unit = self.config.support / UNITS_PER_SUPPORT as f64;
        let h = self.kernel.h();
        let mass = self.mass();
        let laplacian = 2.0 * f64::from(self.space.dimensions() + 2) / unit;
        ForceConstants {
            scale: mass * self.kernel.factor() / (h * h) * unit,
            viscosity: (laplacian * self.config.viscosity) as f32,
            wall_viscosity: (laplacian * self.config.wall_viscosity) as f32,
            density_scale: mass * self.kernel.factor() / self.lattice_sum,
            rest_density: self.config.rest_density as f32,
            inverse_rest_density: self.config.rest_density.recip() as f32,
            mirror: self.config.wall_pressure == WallPressure::Mirror,
            mass,
            ahead: 0.0,
            unsheared: self.unsheared as f32,
            half_spacing: (0.5 * self.config.spacing / unit) as f32,
            periods: self.work.index.periods(),
        }
    }

    /// Books the time since `start`, in which chunks searched and summed in turns: the wall time is
    /// shared as the two shared the threads.
    pub(super) fn time_search_and_density(&mut self, start: Instant) {
        let reports = &self.work.reports;
        let search: f64 = reports.iter().map(|r| r.search_time).sum();
        let density: f64 = reports.iter().map(|r| r.density_time).sum();
        let fraction = if search + density > 0.0 { search / (search + density) } else { 0.0 };
        let wall = start.elapsed().as_secs_f64();
        self.phases.add(NEIGHBORS, fraction * wall);
        self.phases.add(DENSITY, (1.0 - fraction) * wall);
    }

    /// What moves the particles at the end of a step of length `dt`.
    pub(super) fn mover<'a>(&self, env: &'a Environment, dt: f64) -> Mover<'a> {
        let bodies = match self.config.wall_pressure {
            WallPressure::Consistent => &env.bodies[..],
            WallPressure::Mirror => &[],
        };
        Mover { space: self.space, bodies, mass: self.mass(), spacing: self.config.spacing, dt }
    }

    /// Combines the reports of the chunks, in order.
    pub(super) fn collect_reports(
        &mut self,
        env: &mut Environment,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        let reports = &self.work.reports;
        let particles = &self.particles;
        if let Some(i) = reports.iter().find_map(|r| r.not_finite) {
            let field = if particles.v[i].is_finite() { "position" } else { "velocity" };
            return Err(StepError::NotFinite { field, id: particles.id[i], dt });
        }
        for report in &self.work.reports {
            for (body, f) in env.bodies.iter_mut().zip(&report.forces) {
                let force = DVec3::new(f[0], f[1], f[2]);
                body.add_force_and_torque(force, DVec3::new(f[3], f[4], f[5]));
            }
        }
        self.work.system.suspension.give(env);
        self.end_balance(env, dt);
        let (reports, particles) = (&self.work.reports, &mut self.particles);
        let max = |value: fn(&ChunkReport) -> f64| reports.iter().map(value).fold(0.0, f64::max);
        particles.max_acceleration = max(|r| r.acceleration_squared).sqrt();
        let mut report =
            StepReport { max_speed: max(|r| r.speed_squared).sqrt(), ..StepReport::default() };
        if let Some(i) = reports.iter().find_map(|r| r.outside) {
            if self.space.leaving == Leaving::Error {
                let (id, position) = (particles.id[i], particles.x[i]);
                return Err(StepError::LeftDomain { id, position });
            }
            let keep = &mut self.work.keep;
            keep.clear();
            keep.extend(particles.x.iter().map(|&x| self.space.contains(x)));
            report.removed = self.retain();
        }
        Ok(report)
    }

    /// CFL, force and viscosity: Hunkler (2.31), Monaghan 1992. With an equation of state sound
    /// must not overtake the step; a pressure system only limits how far a particle moves.
    pub(super) fn time_step_limit(&self) -> DtLimit {
        let config = &self.config;
        let h = self.kernel.h();
        let speed = self.max_speed();
        let mut limit = match config.pressure {
            PressureMethod::StateEquation(law) => {
                let sound = law.sound_speed(config.rest_density);
                DtLimit { dt: config.cfl * h / (sound + speed), reason: "sound" }
            }
            PressureMethod::Iisph(_) | PressureMethod::Dfsph(_) => {
                let dt = config.cfl * config.spacing / speed;
                let swing = SWING * config.spacing / self.swing_speed();
                DtLimit { dt, reason: "speed" }.min(DtLimit { dt: swing, reason: "pressure" })
            }
        };
        if self.particles.max_acceleration > 0.0 {
            let dt = 0.25 * (h / self.particles.max_acceleration).sqrt();
            limit = limit.min(DtLimit { dt, reason: "force" });
        }
        limit = limit.min(DtLimit { dt: self.particles.iteration_limit, reason: "iterations" });
        let explicit = config.viscosity_solver == ViscositySolver::Explicit;
        if explicit && config.viscosity.max(config.wall_viscosity) > 0.0 {
            // At walls the distance to the surface counts, half a spacing, however wide the kernel.
            let d = config.spacing;
            let dt = VISCOUS * (h * h / config.viscosity).min(d * d / config.wall_viscosity);
            limit = limit.min(DtLimit { dt, reason: "viscosity" });
        }
        if config.surface_tension > 0.0 {
            // The shortest capillary wave: Brackbill et al. 1992.
            let wave =
                config.rest_density * h.powi(3) / (std::f64::consts::TAU * config.surface_tension);
            limit = limit.min(DtLimit { dt: 0.25 * wave.sqrt(), reason: "surface tension" });
        }
        limit
    }

    /// √(p/ρ) [m/s] with twice the mean pressure, which is the largest one in liquid at rest.
    fn swing_speed(&self) -> f64 {
        let p = &self.particles.p;
        let sum = p.iter().fold(0.0, |sum, &p| sum + f64::from(p));
        let mean = sum / p.len().max(1) as f64;
        (2.0 * mean / self.config.rest_density).sqrt()
    }

    fn max_speed(&self) -> f64 {
        self.particles.v.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt()
    }
}

/// Moves particles, and keeps them out of bodies.
#[derive(Clone, Copy)]
pub(super) struct Mover<'a> {
    space: Space,
    /// Those that nothing may enter; none for mirroring walls, which are as their thesis has them.
    bodies: &'a [Body],
    /// Of a particle [kg].
    mass: f64,
    spacing: f64,
    dt: f64,
}

impl Mover<'_> {
    /// Moves particle `i` by symplectic Euler, Hunkler (2.29), (2.30), and notes what is remarkable. `near_walls`
    /// is true if there are boundary particles around it.
    #[inline(always)]
    pub(super) fn step(
        &self,
        (x, v): (&mut DVec3, &mut DVec3),
        a: DVec3,
        near_walls: bool,
        report: &mut ChunkReport,
        i: usize,
    ) {
        *v += self.dt * a;
        if near_walls || self.dt * v.length() > self.spacing {
            self.keep_out(*x, v, report);
        }
        *x = self.space.wrap(*x + self.dt * *v);
        report.speed_squared = report.speed_squared.max(v.length_squared());
        report.acceleration_squared = report.acceleration_squared.max(a.length_squared());
        if !(x.is_finite() && v.is_finite()) {
            report.not_finite.get_or_insert(i);
        } else if !self.space.contains(*x) {
            report.outside.get_or_insert(i);
        }
    }

    /// Takes from a velocity the part that would bring a particle through the surface of a body, as a
    /// perfectly inelastic impact does. Pressure keeps liquid half a spacing away; a drop of one
    /// particle, which has hardly any, could pass between the particles of a wall.
    fn keep_out(&self, x: DVec3, v: &mut DVec3, report: &mut ChunkReport) {
        // In a corner the impact on one face may lead into another.
        for _ in 0..3 {
            let mut hit = false;
            for (body, total) in self.bodies.iter().zip(&mut report.forces) {
                let approach = *v - body.velocity_at(x);
                let to = body.signed_distance(x + self.dt * approach);
                let speed = -approach.dot(to.normal);
                if to.distance >= 0.0 || speed <= 0.0 {
                    continue;
                }
                // What is in a body already, like the mouth of a pipe in a wall, goes no deeper.
                let too_deep = body.signed_distance(x).distance.min(0.0) - to.distance;
                if too_deep > 1e-9 * self.spacing {
                    let change = speed.min(too_deep / self.dt) * to.normal;
                    *v += change;
                    hit = true;
                    let force = -self.mass / self.dt * change;
                    let moment = self.space.difference(x, body.pose.position).cross(force);
                    let push = force.to_array().into_iter().chain(moment.to_array());
                    total.iter_mut().zip(push).for_each(|(total, push)| *total += push);
                }
            }
            if !hit {
                break;
            }
        }
    }
}

/// Runs `work` with the scratch of the current thread.
pub(super) fn with_scratch(scratch: &[Mutex<Scratch>], work: impl FnOnce(&mut Scratch)) {
    let thread = rayon::current_thread_index().unwrap_or(0) % scratch.len();
    chunk::with(&scratch[thread], work);
}
