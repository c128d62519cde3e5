//! Snow and other matter by the material point method.
//!
//! Meyer 2015; Stomakhin et al. 2013; Jiang et al. 2015; Hu et al. 2018. Particles carry mass, velocity,
//! deformation and material; a grid that is forgotten after every step carries the forces between
//! them. State, configuration and scratch are kept apart: [`Particles`] is what a checkpoint holds,
//! [`Config`] the settings of the scene, and the rest can be dropped without changing anything but speed.
//!
//! Where to read: `step.rs` has the step, explicit and semi-implicit (`implicit.rs`), `passes.rs` and `to_particles.rs` its
//! passes, `plain.rs` the papers' sums in double precision, which tests compare with and readers begin with.
//!
//! - Particles belong to blocks of 4³ cells (4² in the plane), which exist only where there is matter: the size of the
//!   empty space costs nothing. They lie nearly sorted in memory. A stretch that shares a block is a *run*; sorting the runs
//!   is sorting the particles, and they are moved only when one in sixteen has strayed.
//! - Each block writes momentum and mass into a tile of its own; a node adds the at most eight tiles that hold it, in fixed
//!   order. No atomics, and the same bits for any number of threads.
//! - Grid sums, positions, velocities and J_P are `f64`: momentum is constant to 1e−14. Strain (as b − 1), stress and
//!   velocity gradient are `f32`, as differences from rest; their rounding cannot change mass or momentum.
//! - All materials are isotropic, so the left stretch b = F_E F_Eᵀ replaces F_E: an eigen-solve eight lanes wide instead of a
//!   singular value decomposition. A test follows F_E and F_P with the decomposition in double precision beside it.
//! - One loop over nodes serves both transfers: beside its weight a node has a second one, the weight's derivative (FLIP of
//!   the thesis) or its moment (APIC and MLS).
//! - The semi-implicit step projects every particle's stiffness to be positive, so that conjugate gradients are safe; nodes
//!   that press against a body are held along its normal.
//! - Nodes in a body follow it by Coulomb's law; particles that would end in it lose the part of their velocity that would
//!   bring them there. Both impulses are the body's force. A free body's velocity is solved for together with its
//!   impulses (`free_bodies.rs`).

pub mod bench;
pub mod settings;

mod collide;
mod config;
mod eigen;
mod free_bodies;
mod grid;
mod implicit;
mod material;
mod method;
mod passes;
#[cfg(test)]
mod plain;
mod quad;
mod state;
mod step;
mod strain;
mod tangent;
mod to_particles;
mod transfer;
mod walls;

pub use config::{
    Blend, BodyContact, Config, ConfigError, Implicit, Integrator, Spline, Transfer, Volume,
};
pub use material::{
    Elastic, Law, Laws, Liquid, Material, Principal, Sand, Snow, SnowClass, SnowKind, Tangent,
};
pub use state::{Gradient, NewMatter, Particles, Point};
pub use walls::{Walls, ended};

use collide::{Forces, Near};
use free_bodies::FreeBodies;
use glam::{DMat3, DVec3};
use grid::{Geometry, Grid};
use implicit::System;
use lawine_core::environment::Environment;
use lawine_core::method::EditError;
use lawine_core::phases::Phases;
use lawine_core::reduce;
use lawine_core::simd::Level;
use lawine_core::space::Space;
use to_particles::ChunkReport;

/// The parts of a step that are timed.
const PHASES: &[&str] = &["sort", "to grid", "grid", "to particles"];

/// Snow, and everything else that deforms: particles of one or more materials.
pub struct Matter {
    config: Config,
    space: Space,
    particles: Particles,
    grid: Grid,
    work: Work,
    phases: Phases,
}

/// Scratch: dropping it changes nothing but speed.
struct Work {
    level: Level,
    /// Bodies near each node block.
    near: Vec<Near>,
    /// Forces on bodies from each node block.
    forces: Vec<Forces>,
    free: FreeBodies,
    reports: Vec<ChunkReport>,
    places: Vec<u32>,
    keep: Vec<bool>,
    system: System,
}

impl Matter {
    /// Matter without particles, in the environment's space.
    ///
    /// # Errors
    /// When a value of the configuration is out of its range, or a period does not fit the grid.
    pub fn new(config: Config, env: &Environment) -> Result<Self, ConfigError> {
        config.check()?;
        let grid = Grid::new(Geometry::new(&config, &env.space)?);
        let work = Work {
            level: Level::detect(),
            near: Vec::new(),
            forces: Vec::new(),
            free: FreeBodies::default(),
            reports: Vec::new(),
            places: Vec::new(),
            keep: Vec::new(),
            system: System::default(),
        };
        let (particles, phases) = (Particles::default(), Phases::new(PHASES));
        Ok(Self { config, space: env.space, particles, grid, work, phases })
    }

    /// Adds particles of any materials.
    ///
    /// # Errors
    /// When a material does not exist, a volume is not positive, a number is not finite, a particle is
    /// off the plane or the domain, or all identifiers are taken.
    pub fn add(&mut self, new: &[NewMatter]) -> Result<(), ConfigError> {
        let last_id = u64::from(self.particles.next_id) + new.len() as u64;
        if last_id > u64::from(u32::MAX) {
            return Err(EditError::TooMany(last_id).into());
        }
        for matter in new {
            self.check(matter)?;
        }
        let apic = self.config.transfer == Transfer::Apic;
        let p = &mut self.particles;
        p.reserve(new.len(), apic);
        for matter in new {
            let material = &self.config.materials[matter.material as usize];
            p.id.push(p.next_id);
            p.next_id += 1;
            p.material.push(matter.material);
            p.x.push(self.space.wrap(matter.position));
            p.v.push(matter.velocity);
            p.plastic_volume.push(1.0);
            p.density.push(material.density as f32);
            p.pressure.push(0.0);
            let sign = if self.config.volume == Volume::FromGrid { -1.0 } else { 1.0 };
            p.points.push(Point {
                m: (material.density * matter.volume) as f32,
                volume: (sign * matter.volume) as f32,
                ..Point::default()
            });
            if apic {
                p.gradients.push(Gradient::default());
            }
            p.speeds[0] = p.speeds[0].max(matter.velocity.length());
            p.speeds[1] = p.speeds[1].max((material.modulus() / material.density).sqrt());
        }
        Ok(())
    }

    fn check(&self, matter: &NewMatter) -> Result<(), ConfigError> {
        let NewMatter { position, velocity, volume, material } = *matter;
        if !(position.is_finite() && velocity.is_finite()) {
            return Err(EditError::NotFinite.into());
        }
        if self.space.is_planar() && (position.z.abs() > 0.0 || velocity.z.abs() > 0.0) {
            return Err(EditError::NotPlanar(position.z).into());
        }
        ConfigError::positive("volume of a particle", volume)?;
        let count = self.config.materials.len();
        if material as usize >= count {
            return Err(ConfigError::UnknownMaterial { material, count });
        }
        let wrapped = self.space.wrap(position);
        if !(self.space.contains(wrapped) && self.grid.geometry.holds(wrapped)) {
            return Err(ConfigError::OutsideDomain(position));
        }
        Ok(())
    }

    /// Refuses bodies that contain all particles.
    ///
    /// # Errors
    /// Names the first such body.
    pub fn check_bodies(&self, env: &Environment) -> Result<(), ConfigError> {
        let x = &self.particles.x;
        for body in &env.bodies {
            if !x.is_empty() && x.iter().all(|&x| body.signed_distance(x).distance < 0.0) {
                return Err(ConfigError::Buried { body: body.name.clone(), count: x.len() });
            }
        }
        Ok(())
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Changes the particles, for studies that deform matter beforehand. Columns must keep their length.
    pub fn particles_mut(&mut self) -> &mut Particles {
        &mut self.particles
    }

    /// Chooses the instructions of the hot loops; the results are the same.
    pub fn set_level(&mut self, level: Level) {
        self.work.level = level;
    }

    /// Total mass [kg], momentum [kg m/s] and angular momentum about the origin [kg m²/s]. The last
    /// counts the affine motion of APIC's particles, m D C with D = h²/4 or h²/3.
    #[must_use]
    pub fn totals(&self) -> (f64, DVec3, DVec3) {
        let p = &self.particles;
        let moment = self.config.cell.powi(2) / if self.grid.geometry.n == 3 { 4.0 } else { 3.0 };
        let part = |range: std::ops::Range<usize>| {
            let mut sum = (0.0, DVec3::ZERO, DVec3::ZERO);
            for i in range {
                let m = f64::from(p.points[i].m);
                sum.0 += m;
                sum.1 += m * p.v[i];
                sum.2 += m * p.x[i].cross(p.v[i]);
                if let Some(c) = p.gradients.get(i) {
                    let c = DMat3::from_cols_array(&c.map(f64::from));
                    let spin = DVec3::new(
                        c.y_axis.z - c.z_axis.y,
                        c.z_axis.x - c.x_axis.z,
                        c.x_axis.y - c.y_axis.x,
                    );
                    sum.2 += m * moment * spin;
                }
            }
            sum
        };
        let zero = (0.0, DVec3::ZERO, DVec3::ZERO);
        reduce::fold(p.len(), zero, part, |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2))
    }

    /// Volume now, Σ J V [m³], in the plane [m²].
    #[must_use]
    pub fn volume(&self) -> f64 {
        let p = &self.particles;
        reduce::sum(p.len(), |i| f64::from(p.points[i].m / p.density[i]))
    }
}
