//! Liquids by smoothed particle hydrodynamics.
//!
//! Meiers 2024; Hunkler 2022; Koschier et al. 2020. State, configuration and scratch are kept
//! apart: [`Particles`] is what a checkpoint holds, [`Config`] the settings of the scene, and the rest can
//! be dropped without changing anything but speed.
//!
//! Where to read: `Liquid::step_with` in `step.rs` chooses between `eos.rs` (equation of state) and
//! `implicit.rs` (IISPH, DFSPH), whose functions are the steps of the papers line by line. `plain/` has the same sums in
//! double precision over all pairs; tests compare both, and readers begin there.
//!
//! # Pair loops
//!
//! - State is `f64`, kept sorted by cell (a stable counting sort every step).
//! - Pairs work on 32-bit fixed-point positions, unit support/2²⁴, wrapping: differences are exact and equally fine
//!   everywhere, and a pair gives opposite bits from its two sides. Cells are made from the same numbers, so the three
//!   searches agree to the last bit.
//! - A chunk of 512 particles is the unit of parallel work and of every sum. Neighbours and densities of a chunk are
//!   found in one pass while the distances are in the cache; the lists hold indices only, and the force loop computes
//!   gradients again from gathered 32-byte records. Pressure systems keep the gradients of a step: a product with the
//!   matrix is two sweeps over them.
//! - Loops are written once over the trait `Simd`, with operators on eight lanes, and run on AVX2 registers or plain
//!   arrays with the same bits: fixed order, no fused multiply-add.
//!
//! # Decisions worth knowing
//!
//! - Densities are divided by the sum of the kernel over a perfect lattice. The masses are true (ρ0 d^dim), and a block
//!   of liquid starts at rest with any kernel and support.
//! - IISPH and DFSPH solve the same system with different right-hand sides (`system.rs`), by relaxed Jacobi or with
//!   Nesterov's momentum, which needs a sixth of the iterations at a tolerance of 0.001 %. Bounds p ≥ 0 that come and go
//!   keep plain conjugate gradients out.
//! - A kernel's support is 2.2 spacings in a plane and 2.22 in space if a scene says nothing. The slope of the pressure in
//!   a liquid at rest is one over the discrete moment Σ V x ∂W/∂x, which depends on how the particles lie: with 2.2 it is
//!   0.997 to 1.006 for squares, hexagons, cubes and close packing (0.978 for body-centred cubes), with 2 it is 0.966 to
//!   1.020. In space 2.22 is best: 0.989 to 1.010, the body-centred included.
//! - One layer of boundary particles (`volumes.rs`) is complete for supports up to 2.25 spacings; wider kernels are refused.
//! - A stored pressure is the one that acted in the step. A further Jacobi update would be a better start for the next
//!   step, but showed forces 2 % too large.
//! - The steps up to a frame are equally long, since a solver that stops at a tolerance finds other pressures in a step of
//!   another length.
//! - The viscous term uses the mean of 1/ρ of both particles instead of the neighbour's, which conserves momentum.

mod assemble;
mod boundary;
mod chunk;
mod config;
mod coverage;
mod eos;
mod film;
mod free_bodies;
mod implicit;
mod infinite_plane;
mod lattice;
mod momentum;
mod no_slip;
mod noise;
pub mod packing;
mod pairs;
#[cfg(test)]
mod plain;
mod sample;
pub mod selftest;
pub mod settings;
mod settle;
mod step;
mod stress;
mod surface;
mod sweeps;
mod system;
mod viscosity;
mod volumes;

pub use boundary::{Boundary, BoundaryError};
pub use config::{
    BoundaryMethod, Config, ConfigError, Iterations, LinearSolver, PressureMethod, ViscositySolver,
    WallPressure,
};
pub use eos::{Equation, StateEquation};
pub use sample::{CoverError, MAX_SAMPLES, Sample, SampleError};

use chunk::{ChunkReport, Scratch};
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::columns;
use lawine_core::environment::Environment;
use lawine_core::field::{Field, FieldValues};
use lawine_core::kernel::Kernel;
use lawine_core::method::{DtLimit, EditError, Energy, Method, NewParticle, StepError, StepReport};
use lawine_core::neighbors::{NeighborList, PointIndex, SearchError};
use lawine_core::phases::Phases;
use lawine_core::reduce;
use lawine_core::simd::{Level, Record};
use lawine_core::space::Space;
use std::io::{self, Read, Write};
use std::sync::OnceLock;
use system::System;
use viscosity::Viscous;

/// The parts of a step that are timed.
const PHASES: &[&str] = &["neighbors", "density", "pressure", "forces"];

/// The columns of a liquid.
const FIELDS: [&str; 5] = ["position", "velocity", "density", "pressure", "id"];

/// The liquid's particles, kept in the order of the neighbour search.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Identifiers that stay with a particle for its whole life.
    pub id: Vec<u32>,
    /// Positions [m].
    pub x: Vec<DVec3>,
    /// Velocities [m/s].
    pub v: Vec<DVec3>,
    /// Densities at the beginning of the last step [kg/m³].
    pub rho: Vec<f32>,
    /// Pressures of the last step [Pa]; for DFSPH those of both solves together.
    pub p: Vec<f32>,
    /// The part of the last divergence solve [Pa]: DFSPH starts the next one from it.
    p_divergence: Vec<f32>,
    /// The next identifier.
    next_id: u32,
    /// Largest acceleration in the last step [m/s²].
    max_acceleration: f64,
    /// The longest step that keeps to the target of iterations [s]; infinite without one.
    iteration_limit: f64,
    /// The time within which a pressure system takes back a density error [s].
    correction_time: f64,
}

/// A liquid.
pub struct Liquid {
    config: Config,
    kernel: Kernel,
    /// Σ d^dim W over a perfect lattice of the spacing d. Densities are divided by it, so that
    /// liquid on a lattice is at rest with any kernel: it is 1.0009 for a cubic spline with a
    /// support of 2 d in the plane, but 1.04 for Wendland's kernel.
    lattice_sum: f64,
    /// 1/q0²: [`noise::unsheared`].
    unsheared: f64,
    /// Bounds the relaxation of the pressure solvers: [`lattice::stiffest_wave`].
    stiffest_wave: f64,
    space: Space,
    particles: Particles,
    /// [`Self::stress`], once it has been requested.
    stress: OnceLock<Vec<f32>>,
    boundary: Boundary,
    /// Identifiers and velocities [m/s] of particles that a pressure system must not move in the next step.
    held: Vec<(u32, DVec3)>,
    work: Work,
    phases: Phases,
}

/// Scratch: dropping it changes nothing but speed.
struct Work {
    level: Level,
    index: PointIndex,
    neighbors: NeighborList,
    boundary_neighbors: NeighborList,
    /// Particles as the pair loops gather them.
    records: Vec<Record>,
    system: System,
    coverage: coverage::Coverage,
    films: film::Films,
    /// Normals of the surface and densities, to be gathered; empty without surface tension.
    normals: Vec<Record>,
    viscous: Viscous,
    reports: Vec<ChunkReport>,
    /// One for each thread.
    scratch: Vec<std::sync::Mutex<Scratch>>,
    spare_ids: Vec<u32>,
    spare_vectors: Vec<DVec3>,
    spare_scalars: Vec<f32>,
    /// Which particles stay.
    keep: Vec<bool>,
    /// Length of the last step [s].
    last_dt: f64,
}

impl Liquid {
    /// A liquid without particles, in the environment's space and around its bodies.
    pub fn new(config: Config, env: &Environment) -> Result<Self, LiquidError> {
        config.check()?;
        let space = env.space;
        let kernel = Kernel::new(config.kernel, config.support, space.dimensions());
        let lattice_sum = lattice::sum(&kernel, config.spacing);
        let stiffest_wave = lattice::stiffest_wave(&kernel, config.spacing);
        let index = PointIndex::new(config.search, config.support, &space)?;
        let boundary = Boundary::new(&config, env)?;
        let work = Work {
            level: Level::detect(),
            index,
            neighbors: NeighborList::default(),
            boundary_neighbors: NeighborList::default(),
            records: Vec::new(),
            system: System::default(),
            coverage: coverage::Coverage::default(),
            films: film::Films::default(),
            normals: Vec::new(),
            viscous: Viscous::default(),
            reports: Vec::new(),
            scratch: Vec::new(),
            spare_ids: Vec::new(),
            spare_vectors: Vec::new(),
            spare_scalars: Vec::new(),
            keep: Vec::new(),
            last_dt: 0.0,
        };
        let particles = Particles { iteration_limit: f64::INFINITY, ..Particles::default() };
        let phases = Phases::new(PHASES);
        Ok(Self {
            config,
            kernel,
            lattice_sum,
            unsheared: noise::unsheared(&kernel, config.spacing),
            stiffest_wave,
            space,
            particles,
            stress: OnceLock::from(Vec::new()),
            boundary,
            held: Vec::new(),
            work,
            phases,
        })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// The walls, as particles.
    pub fn boundary(&self) -> &Boundary {
        &self.boundary
    }

    /// Mass of every particle: ρ0·d^dim [kg], per metre of depth in planar space.
    pub fn mass(&self) -> f64 {
        self.config.rest_density * self.config.spacing.powi(self.space.dimensions() as i32)
    }

    /// Chooses the instructions of the pair loops; the results are the same.
    pub fn set_level(&mut self, level: Level) {
        self.work.level = level;
    }

    /// Removes the particles that [`Work::keep`] leaves out; returns their number.
    fn retain(&mut self) -> usize {
        if self.work.keep.iter().all(|&keep| keep) {
            return 0;
        }
        let keep = std::mem::take(&mut self.work.keep);
        self.edit_stress(|stress| retain(stress, &keep));
        let removed = self.particles.retain(&keep);
        self.work.keep = keep;
        removed
    }

    /// Neighbour lists of the last step, for tests and studies.
    pub fn neighbors(&self) -> &NeighborList {
        &self.work.neighbors
    }
}

/// Why a liquid cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum LiquidError {
    /// A value is out of its range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The neighbour search cannot work.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A body cannot be covered with particles.
    #[error(transparent)]
    Boundary(#[from] BoundaryError),
}

impl Method for Liquid {
    fn matter(&self) -> &'static str {
        "liquid"
    }

    fn name(&self) -> &'static str {
        match self.config.pressure {
            PressureMethod::StateEquation(_) => "eos",
            PressureMethod::Iisph(_) => "iisph",
            PressureMethod::Dfsph(_) => "dfsph",
        }
    }

    fn particle_count(&self) -> usize {
        self.particles.id.len()
    }

    fn dt_limit(&self, env: &Environment) -> DtLimit {
        let free = env.bodies.iter().filter(|body| body.is_free());
        let speed = free.map(Body::top_speed).fold(0.0, f64::max);
        let dt = self.config.cfl * self.config.spacing / speed;
        self.time_step_limit().min(DtLimit { dt, reason: "body speed" })
    }

    /// Symplectic Euler's limit for the stiffest sound wave of a lattice, ω Δt = 2. Pressure systems
    /// have no sound.
    fn stable_limit(&self, _env: &Environment) -> DtLimit {
        let PressureMethod::StateEquation(law) = self.config.pressure else {
            return DtLimit::NONE;
        };
        let sound = law.sound_speed(self.config.rest_density);
        let wave = lattice::largest_wave_number(&self.kernel, self.config.spacing);
        DtLimit { dt: 2.0 / (sound * wave), reason: "sound" }
    }

    fn step(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError> {
        self.make_step(env, dt)
    }

    fn fields(&self) -> Vec<Field<'_>> {
        FIELDS.iter().filter_map(|name| self.field(name)).collect()
    }

    fn field(&self, name: &str) -> Option<Field<'_>> {
        let name = *FIELDS.iter().find(|&&field| field == name)?;
        let p = &self.particles;
        let (unit, values) = match name {
            "position" => ("m", FieldValues::Vec3(&p.x)),
            "velocity" => ("m/s", FieldValues::Vec3(&p.v)),
            "density" => ("kg/m³", FieldValues::F32(&p.rho)),
            "pressure" => ("Pa", FieldValues::F32(self.stress())),
            _ => ("", FieldValues::U32(&p.id)),
        };
        Some(Field { name, unit, values })
    }

    fn energy(&self, env: &Environment) -> Energy {
        let Particles { x, v, .. } = &self.particles;
        let m = self.mass();
        Energy {
            kinetic: reduce::sum(v.len(), |i| 0.5 * m * v[i].length_squared()),
            potential: reduce::sum(x.len(), |i| -m * env.gravity.dot(x[i])),
        }
    }

    fn total_mass(&self) -> f64 {
        self.mass() * self.particles.id.len() as f64
    }

    /// Surface energy if every particle were at the surface, and the energy of compression: the work of
    /// the pressures, and that of one percent with an equation of state.
    fn stored_energy(&self) -> f64 {
        let Particles { id, rho, p, .. } = &self.particles;
        let (m, rho_0) = (self.mass(), self.config.rest_density);
        let area = self.config.spacing.powi(self.space.dimensions() as i32 - 1);
        let surface = self.config.surface_tension * area * id.len() as f64;
        let sound = match self.config.pressure {
            PressureMethod::StateEquation(law) => law.sound_speed(rho_0),
            PressureMethod::Iisph(_) | PressureMethod::Dfsph(_) => 0.0,
        };
        let work = |i: usize| f64::from(p[i]) * (f64::from(rho[i]) / rho_0 - 1.0);
        let compression = 0.5 * m / rho_0 * reduce::sum(id.len(), |i| work(i).abs());
        surface + compression + 0.5 * self.total_mass() * (0.01 * sound).powi(2)
    }

    fn particle_radius(&self) -> f64 {
        0.5 * self.config.spacing
    }

    fn insert(&mut self, new: &[NewParticle]) -> Result<(), EditError> {
        let total = self.particles.id.len() as u64 + new.len() as u64;
        let last_id = u64::from(self.particles.next_id) + new.len() as u64;
        if total.max(last_id) > u64::from(u32::MAX) {
            return Err(EditError::TooMany(total.max(last_id)));
        }
        for particle in new {
            let NewParticle { position, velocity } = particle;
            if !(position.is_finite() && velocity.is_finite()) {
                return Err(EditError::NotFinite);
            }
            if self.space.is_planar() && (position.z.abs() > 0.0 || velocity.z.abs() > 0.0) {
                return Err(EditError::NotPlanar(position.z));
            }
        }
        self.edit_stress(|stress| stress.resize(stress.len() + new.len(), 0.0));
        let p = &mut self.particles;
        for particle in new {
            p.id.push(p.next_id);
            p.next_id += 1;
            p.x.push(self.space.wrap(particle.position));
            p.v.push(particle.velocity);
            p.rho.push(self.config.rest_density as f32);
            p.p.push(0.0);
            p.p_divergence.push(0.0);
        }
        Ok(())
    }

    fn remove(&mut self, gone: &dyn Fn(DVec3) -> bool) -> usize {
        let keep = &mut self.work.keep;
        keep.clear();
        keep.extend(self.particles.x.iter().map(|&x| !gone(x)));
        self.retain()
    }

    fn drive(&mut self, velocity: &dyn Fn(DVec3) -> Option<DVec3>) {
        let Particles { id, x, v, .. } = &mut self.particles;
        for ((id, x), v) in id.iter().zip(&*x).zip(v) {
            if let Some(driven) = velocity(*x) {
                *v = driven;
                self.held.push((*id, driven));
            }
        }
    }

    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn reset_phases(&mut self) {
        self.phases.reset();
    }

    fn bytes(&self) -> usize {
        let n = self.particles.id.capacity();
        let state = n * (size_of::<u32>() + 2 * size_of::<DVec3>() + 4 * size_of::<f32>());
        let work = &self.work;
        let scratch: usize = work.scratch.iter().map(|s| chunk::with(s, |s| s.bytes())).sum();
        state
            + work.index.bytes()
            + work.neighbors.bytes()
            + work.boundary_neighbors.bytes()
            + (work.records.capacity() + work.normals.capacity()) * size_of::<Record>()
            + work.system.bytes()
            + work.coverage.bytes()
            + work.viscous.bytes()
            + work.reports.capacity() * size_of::<ChunkReport>()
            + work.spare_ids.capacity() * size_of::<u32>()
            + work.spare_vectors.capacity() * size_of::<DVec3>()
            + work.spare_scalars.capacity() * size_of::<f32>()
            + work.keep.capacity()
            + scratch
            + self.boundary.bytes()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let p = &self.particles;
        columns::write(out, "id", &p.id)?;
        columns::write(out, "position", &p.x)?;
        columns::write(out, "velocity", &p.v)?;
        columns::write(out, "density", &p.rho)?;
        columns::write(out, "pressure", &p.p)?;
        columns::write(out, "divergence_pressure", &p.p_divergence)?;
        columns::write(out, "next_id", &[p.next_id])?;
        columns::write(out, "max_acceleration", &[p.max_acceleration])?;
        columns::write(out, "iteration_limit", &[p.iteration_limit])?;
        columns::write(out, "correction_time", &[p.correction_time])?;
        columns::write(out, "stress", self.stress())
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let particles = Particles {
            id: columns::read(from, "id")?,
            x: columns::read(from, "position")?,
            v: columns::read(from, "velocity")?,
            rho: columns::read(from, "density")?,
            p: columns::read(from, "pressure")?,
            p_divergence: columns::read(from, "divergence_pressure")?,
            next_id: columns::read_one(from, "next_id")?,
            max_acceleration: columns::read_one(from, "max_acceleration")?,
            iteration_limit: columns::read_one(from, "iteration_limit")?,
            correction_time: columns::read_one(from, "correction_time")?,
        };
        let stress: Vec<f32> = columns::read(from, "stress")?;
        particles.check(&stress)?;
        (self.particles, self.stress) = (particles, OnceLock::from(stress));
        self.held.clear();
        Ok(())
    }
}

/// Keeps the elements whose flag is set, in order.
fn retain<T>(column: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    column.retain(|_| flags.next().copied().unwrap_or(true));
}

impl Particles {
    /// Keeps the particles whose flag is set, in order; returns the number of those removed.
    fn retain(&mut self, keep: &[bool]) -> usize {
        let before = self.id.len();
        retain(&mut self.id, keep);
        retain(&mut self.x, keep);
        retain(&mut self.v, keep);
        retain(&mut self.rho, keep);
        retain(&mut self.p, keep);
        retain(&mut self.p_divergence, keep);
        before - self.id.len()
    }

    /// Refuses what no save can have written.
    fn check(&self, stress: &[f32]) -> io::Result<()> {
        let bad = |what| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        let n = self.id.len();
        let scalars = [&self.rho[..], &self.p, &self.p_divergence, stress];
        if [self.x.len(), self.v.len()] != [n; 2] || scalars.map(<[f32]>::len) != [n; 4] {
            return bad("the columns of the liquid differ in length");
        }
        let is_limit = self.iteration_limit > 0.0 && self.correction_time >= 0.0;
        if !is_limit {
            return bad("the saved step limit of the liquid is invalid");
        }
        if !self.x.iter().chain(&self.v).all(|v| v.is_finite()) {
            return bad("a position or velocity of the liquid is not finite");
        }
        Ok(())
    }
}
