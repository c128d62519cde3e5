//! A step of the material point method.

use crate::mpm::quad::Quad;
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::method::{DtLimit, StepError, StepReport};
use lawine_core::neighbors::CHUNK;
use lawine_core::space::Leaving;
use web_time::Instant;

use super::collide::{self, Contacts, Forces};
use super::config::{Blend, Config, Integrator, Transfer, Volume};
use super::grid::{Geometry, Grid};
use super::passes::{self, ToGrid};
use super::state::Particles;
use super::to_particles::{ChunkReport, ToParticles};
use super::transfer::{Kernel, Stencil, dispatch};
use super::walls::Walls;
use super::{Matter, PHASES};

// Places in PHASES.
const SORT: usize = 0;
const TO_GRID: usize = 1;
const GRID: usize = 2;
const TO_PARTICLES: usize = 3;
const _: () = assert!(PHASES.len() == TO_PARTICLES + 1);

impl Matter {
    pub(super) fn make_step(
        &mut self,
        env: &mut Environment,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        let start = Instant::now();
        let explicit = self.config.wave_cfl * self.config.cell / self.particles.speeds[1];
        self.sort();
        self.measure_volumes();
        let Geometry { h, origin, .. } = self.grid.geometry;
        self.grid.geometry.walls = Walls::find(&env.bodies, h, origin);
        collide::find_near(&self.grid, env, &mut self.work.near);
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
        self.collide_grid(env, dt);
        let start = self.phases.lap(GRID, start);
        self.grid_to_particles(env, dt);
        let mut report = self.finish(env, dt, iterations);
        if let (Ok(report), Integrator::SemiImplicit(_)) = (&mut report, self.config.integrator) {
            report.explicit_limits = dt / explicit;
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

    fn collide_grid(&mut self, env: &Environment, dt: f64) {
        if env.bodies.is_empty() {
            return;
        }
        let (config, h) = (&self.config, self.config.cell);
        let contacts = Contacts { config, bodies: &env.bodies, dt, h };
        passes::collide_nodes(&mut self.grid, contacts, &self.work.near, &mut self.work.forces);
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
        dt: f64,
        iterations: u32,
    ) -> Result<StepReport, StepError> {
        let (work, particles) = (&mut self.work, &mut self.particles);
        collide::apply(env, work.forces.iter().chain(work.reports.iter().map(|r| &r.forces)));
        let mut report = StepReport { iterations, ..StepReport::default() };
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
        let [flow, wave] = self.particles.speeds;
        let moving = |body: &Body| if body.is_moving() { body.velocity.length() } else { 0.0 };
        let speed = env.bodies.iter().map(moving).fold(flow, f64::max);
        let limit = |speed: f64, cells: f64, reason| {
            let dt = if speed > 0.0 { cells * cell / speed } else { f64::INFINITY };
            DtLimit { dt, reason }
        };
        let ratio = match integrator {
            Integrator::Explicit => 1.0,
            Integrator::SemiImplicit(implicit) => implicit.max_ratio,
        };
        limit(speed, cfl, "speed").min(limit(wave, wave_cfl * ratio, "elastic waves"))
    }
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
