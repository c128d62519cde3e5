//! A step of the material point method.

use crate::mpm::quad::Quad;
use glam::DVec3;
use lawine_core::body::{Body, Drive};
use lawine_core::environment::Environment;
use lawine_core::method::{DtLimit, StepError, StepReport};
use lawine_core::neighbors::CHUNK;
use lawine_core::space::Leaving;
use web_time::Instant;

use super::collide::{self, Contacts, Forces};
use super::config::{Blend, Config, Integrator, Transfer, Volume};
use super::free_bodies::FreeBodies;
use super::grid::{Geometry, Grid};
use super::passes::{self, ToGrid};
use super::state::Particles;
use super::to_particles::{ChunkReport, ToParticles};
use super::transfer::{Kernel, Stencil, dispatch};
use super::walls::Walls;
use super::{Matter, PHASES, Work};

// Places in PHASES.
const SORT: usize = 0;
const TO_GRID: usize = 1;
const GRID: usize = 2;
const TO_PARTICLES: usize = 3;
const _: () = assert!(PHASES.len() == TO_PARTICLES + 1);

/// Most sub-steps of a shared step: where the matter is stiffer, the others wait for it.
const MOST_SUB_STEPS: f64 = 100.0;

impl Matter {
    /// A step, which may be one of several methods: then it is as many of its own as it needs.
    pub(super) fn make_step(
        &mut self,
        env: &mut Environment,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        let mut free = std::mem::take(&mut self.work.free);
        free.begin(env);
        let mut report = StepReport::default();
        let mut left = dt;
        while left > 0.0 {
            let limit = if env.is_shared() { self.time_step_limit(env).dt } else { left };
            let steps = (left / limit * (1.0 - 1e-9)).ceil().max(1.0);
            let h = left / steps;
            report = report.merge(self.sub_step(env, &mut free, h, h / dt)?);
            left = if steps > 1.0 { left - h } else { 0.0 };
        }
        free.end(env, dt);
        self.work.free = free;
        Ok(report)
    }

    /// A sub-step, which is a share of the whole step.
    fn sub_step(
        &mut self,
        env: &mut Environment,
        free: &mut FreeBodies,
        dt: f64,
        share: f64,
    ) -> Result<StepReport, StepError> {
        let start = Instant::now();
        let explicit = self.config.wave_cfl * self.config.cell / self.particles.speeds[1];
        self.sort();
        self.measure_volumes();
        let Geometry { h, origin, .. } = self.grid.geometry;
        self.grid.geometry.walls = Walls::find(&env.bodies, h, origin);
        let contacts = Contacts { config: &self.config, env, dt, h };
        collide::find_near(&self.grid, &contacts, &mut self.work.near);
        let start = self.phases.lap(SORT, start);
        self.particles_to_grid(dt);
        let start = self.phases.lap(TO_GRID, start);
        self.work.forces.resize_with(self.grid.node_blocks.len(), Forces::new);
        self.work.forces.iter_mut().for_each(|f| collide::clear(f, env.bodies.len()));
        let fraction = self.flip_fraction(dt);
        passes::update(&mut self.grid, env.gravity, dt, fraction);
        let iterations = match self.config.integrator {
            Integrator::Explicit => 0,
            Integrator::SemiImplicit(implicit) => self.solve_implicit(env, dt, implicit),
        };
        self.collide_grid(env, free, dt);
        let start = self.phases.lap(GRID, start);
        self.grid_to_particles(env, dt);
        let mut report = self.finish(env, free, dt, share);
        if let Ok(report) = &mut report {
            report.iterations = iterations;
            if matches!(self.config.integrator, Integrator::SemiImplicit(_)) {
                report.explicit_limits = dt / explicit;
            }
        }
        self.phases.lap(TO_PARTICLES, start);
        report
    }

    /// Sorts the particles by block, in memory only when many have strayed.
    pub(super) fn sort(&mut self) {
        if self.grid.sort(&self.particles.x) {
            self.grid.permutation(&mut self.work.places);
            self.particles.permute(&self.work.places);
            // Seldom needed and as long as a column.
            self.work.places = Vec::new();
            self.grid.sort(&self.particles.x);
            self.grid.shrink();
        }
        self.grid.link(self.config.transfer != Transfer::Apic);
    }

    /// Measures the volumes of particles that have none yet, as the next step would.
    pub fn measure(&mut self) {
        self.sort();
        self.measure_volumes();
    }

    /// Volumes of new particles from the density on the grid: V = m / Σ w m_i h^-dim (Meyer 3.4, step 2).
    fn measure_volumes(&mut self) {
        if self.config.volume == Volume::Given
            || self.particles.points.iter().all(|p| p.volume > 0.0)
        {
            return;
        }
        self.particles_to_grid(0.0);
        passes::update(&mut self.grid, DVec3::ZERO, 0.0, 0.0);
        let planar = self.space.is_planar();
        let pass = MeasureVolumes { particles: &mut self.particles, grid: &self.grid };
        dispatch(&self.config, planar, pass);
    }

    pub(super) fn particles_to_grid(&mut self, dt: f64) {
        let (particles, level) = (&self.particles, self.work.level);
        let pass = ToGrid { level, particles, grid: &mut self.grid, dt };
        dispatch(&self.config, self.space.is_planar(), pass);
    }

    /// α of FLIP for a step.
    pub(super) fn flip_fraction(&self, dt: f64) -> f64 {
        match self.config.transfer {
            Transfer::Apic => 0.0,
            Transfer::Flip(Blend::PerStep(alpha)) => alpha,
            Transfer::Flip(Blend::PerTime(rate)) => (-rate * dt).exp(),
        }
    }

    fn collide_grid(&mut self, env: &mut Environment, free: &mut FreeBodies, dt: f64) {
        if env.bodies.is_empty() {
            return;
        }
        let (config, h) = (&self.config, self.config.cell);
        let Work { near, forces, .. } = &mut self.work;
        free.collide(&mut self.grid, env, config, dt, near, forces);
        let contacts = Contacts { config, env, dt, h };
        passes::collide_nodes(&mut self.grid, contacts, near, |near| free.touch(near), forces);
    }

    pub(super) fn grid_to_particles(&mut self, env: &Environment, dt: f64) {
        let fraction = self.flip_fraction(dt);
        let n = self.particles.len();
        let work = &mut self.work;
        work.reports.resize_with(n.div_ceil(CHUNK), ChunkReport::default);
        let pass = ToParticles {
            level: work.level,
            particles: &mut self.particles,
            grid: &self.grid,
            config: &self.config,
            env,
            near: &work.near,
            dt,
            fraction,
            reports: &mut work.reports,
        };
        dispatch(&self.config, self.space.is_planar(), pass);
    }

    /// Adds forces to bodies, checks the particles and removes those that have left the domain.
    fn finish(
        &mut self,
        env: &mut Environment,
        free: &mut FreeBodies,
        dt: f64,
        share: f64,
    ) -> Result<StepReport, StepError> {
        let (work, particles) = (&mut self.work, &mut self.particles);
        free.push_particles(env, dt, work.reports.iter_mut().map(|r| &mut r.forces));
        let parts = work.forces.iter().chain(work.reports.iter().map(|r| &r.forces));
        collide::apply(env, share, parts);
        let mut report = StepReport::default();
        let mut speeds = [0.0_f64; 2];
        for chunk in &work.reports {
            if let Some((k, field)) = chunk.not_finite {
                return Err(StepError::NotFinite { field, id: particles.id[k], dt });
            }
            speeds = [0, 1].map(|k| speeds[k].max(chunk.speeds[k]));
        }
        if let Some(k) = work.reports.iter().find_map(|r| r.outside) {
            if env.space.leaving == Leaving::Error || !self.grid.geometry.holds(particles.x[k]) {
                let (id, position) = (particles.id[k], particles.x[k]);
                return Err(StepError::LeftDomain { id, position });
            }
            work.keep.clear();
            work.keep.extend(particles.x.iter().map(|&x| env.space.contains(x)));
            report.removed = particles.retain(&work.keep);
        }
        particles.speeds = speeds.map(f64::sqrt);
        report.max_speed = particles.speeds[0];
        Ok(report)
    }

    /// The longest step: no particle or body goes further than a part of a cell, nor, in an explicit
    /// step, an elastic wave.
    pub(super) fn time_step_limit(&self, env: &Environment) -> DtLimit {
        let Config { cell, cfl, wave_cfl, integrator, .. } = self.config;
        let wave = self.particles.speeds[1];
        let ratio = match integrator {
            Integrator::Explicit => 1.0,
            Integrator::SemiImplicit(implicit) => implicit.max_ratio,
        };
        let waves = limit(wave_cfl * ratio * cell, wave, "elastic waves");
        limit(cfl * cell, self.top_speed(env), "speed").min(waves)
    }

    /// The longest step to share with other methods. Elastic waves pass in sub-steps; particles and bodies go no
    /// further than in a step of its own, so that all meet what they touch.
    pub(super) fn shared_step_limit(&self, env: &Environment) -> DtLimit {
        let own = self.time_step_limit(env);
        let most = DtLimit { dt: MOST_SUB_STEPS * own.dt, ..own };
        let Config { cell, cfl, .. } = self.config;
        limit(cfl * cell, self.top_speed(env), "speed").min(most)
    }

    /// The largest speed of particles and moving bodies [m/s].
    fn top_speed(&self, env: &Environment) -> f64 {
        let moving = |body: &Body| match body.drive {
            Drive::Free(_) => body.top_speed(),
            Drive::Scripted(_) => body.velocity.length(),
            Drive::Fixed => 0.0,
        };
        env.bodies.iter().map(moving).fold(self.particles.speeds[0], f64::max)
    }
}

/// The time in which something goes so far [m] at a speed [m/s].
fn limit(distance: f64, speed: f64, reason: &'static str) -> DtLimit {
    let dt = if speed > 0.0 { distance / speed } else { f64::INFINITY };
    DtLimit { dt, reason }
}

/// Sets the volumes of particles that have none yet from the masses of the nodes.
struct MeasureVolumes<'a> {
    particles: &'a mut Particles,
    grid: &'a Grid,
}

impl Kernel for MeasureVolumes<'_> {
    type Output = ();

    fn run<const N: usize, const NZ: usize, const G: bool>(self) {
        let grid = self.grid;
        let geometry = grid.geometry;
        let mut tile = [Quad::ZERO; passes::LARGEST_TILE];
        let per_volume = geometry.inverse.powi(if NZ == 1 { 2 } else { 3 });
        for block in &grid.blocks {
            grid.load(&grid.nodes, block, &mut tile);
            for run in grid.runs_of(block) {
                for k in run {
                    let point = &mut self.particles.points[k];
                    if point.volume < 0.0 {
                        let stencil =
                            Stencil::<N>::near::<NZ, G, true>(&geometry, self.particles.x[k]);
                        let density = stencil.interpolate::<NZ>(&tile).w() * per_volume;
                        point.volume = (f64::from(point.m) / density) as f32;
                        self.particles.density[k] = density as f32;
                    }
                }
            }
        }
    }
}
