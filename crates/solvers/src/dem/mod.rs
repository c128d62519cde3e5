//! Grains: convex polyhedra by the discrete element method.
//!
//! Schinner 1995; Lin and Canny 1991; Mirtich 1998; Baraff 1993. A step moves the grains, finds the
//! pairs whose boxes overlap, and for each pair the closest features. State, configuration and
//! scratch are kept apart: [`State`] is what a checkpoint holds, [`Config`] what the scene says, and
//! the rest can be dropped without changing anything but speed.

pub mod bench;
pub mod broad;
pub mod narrow;

mod block;
mod config;
mod method;
mod motion;
mod state;
mod step;

pub use block::{Block, BlockError};
pub use config::{Config, GrainsError, Integrator};
pub use state::{Grain, State};

use broad::{BroadPhase, Extremes};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::{Aabb, Shape};
use lawine_core::phases::Phases;
use lawine_core::rigid::Inertia;
use lawine_core::space::Space;
use narrow::{Closest, Pose, Track};
use std::sync::Arc;

/// The parts of a step that are timed.
const PHASES: &[&str] = &["motion", "boxes", "pairs", "distances"];

/// A pair of grains whose boxes overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbors {
    /// The grains' places in the state, the first smaller than the second.
    pub pair: [u32; 2],
    /// Their closest features; the second grain stands where its image next to the first is.
    pub closest: Closest,
    /// Where the next query starts.
    track: Option<Track>,
}

/// Grains that move freely and know their neighbours.
pub struct Grains {
    config: Config,
    space: Space,
    shapes: Vec<Arc<Shape>>,
    inertias: Vec<Inertia>,
    state: State,
    /// Kinetic energy of each grain [J], which follows from the state.
    kinetic: Vec<f64>,
    work: Work,
    phases: Phases,
}

/// Scratch: dropping it changes nothing but speed, and the last bits of distances.
struct Work {
    broad: BroadPhase,
    poses: Vec<Pose>,
    extremes: Vec<Extremes>,
    boxes: Vec<Aabb>,
    neighbors: Vec<Neighbors>,
    spare: Vec<Neighbors>,
}

impl Work {
    fn new(config: &Config) -> Self {
        Self {
            broad: BroadPhase::new(config.search),
            poses: Vec::new(),
            extremes: Vec::new(),
            boxes: Vec::new(),
            neighbors: Vec::new(),
            spare: Vec::new(),
        }
    }
}

impl Grains {
    /// Grains of the given shapes, none yet, in the environment's space.
    ///
    /// # Errors
    /// When a value of the configuration is out of its range, there is no shape, or the space is
    /// planar.
    pub fn new(
        config: Config,
        shapes: Vec<Arc<Shape>>,
        env: &Environment,
    ) -> Result<Self, GrainsError> {
        config.check()?;
        if shapes.is_empty() {
            return Err(GrainsError::NoShapes);
        }
        if env.space.is_planar() {
            return Err(GrainsError::Planar);
        }
        let inertia = |shape: &Arc<Shape>| Inertia {
            mass: config.density * shape.volume,
            moments: config.density * shape.moments,
        };
        let inertias = shapes.iter().map(inertia).collect();
        let (state, work) = (State::default(), Work::new(&config));
        let (space, phases) = (env.space, Phases::new(PHASES));
        Ok(Self { config, space, shapes, inertias, state, kinetic: Vec::new(), work, phases })
    }

    /// The same grains, none yet, with a density [kg/m³] for each shape in place of the one for all.
    ///
    /// # Errors
    /// When one is not positive.
    pub fn with_densities(mut self, densities: &[f64]) -> Result<Self, GrainsError> {
        for (inertia, &density) in self.inertias.iter_mut().zip(densities) {
            Config { density, ..self.config }.check()?;
            let ratio = density / self.config.density;
            *inertia = Inertia { mass: ratio * inertia.mass, moments: ratio * inertia.moments };
        }
        Ok(self)
    }

    /// Adds a grain and gives its identifier.
    ///
    /// # Errors
    /// When there is no such shape, a number is not finite, or all identifiers are taken.
    pub fn add(&mut self, grain: &Grain) -> Result<u32, GrainsError> {
        let inertia = self
            .inertias
            .get(grain.shape as usize)
            .ok_or(GrainsError::UnknownShape { shape: grain.shape, count: self.shapes.len() })?;
        let finite = [grain.position, grain.velocity, grain.omega].iter().all(|v| v.is_finite());
        let orientation = grain.orientation.is_finite() && grain.orientation.length() > 0.0;
        if !(finite && orientation) {
            return Err(GrainsError::NotFinite);
        }
        if self.state.next_id() == u32::MAX {
            return Err(GrainsError::TooMany);
        }
        let position = self.space.wrap(grain.position);
        let grain = Grain { position, ..*grain };
        let id = self.state.push(&grain, inertia, self.config.gear_numbers());
        self.kinetic.push(self.state.rigid(self.state.id.len() - 1).kinetic_energy(inertia));
        Ok(id)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The state of all grains.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The shape of the grain at place `i`.
    ///
    /// # Panics
    /// When there is no such grain.
    pub fn shape(&self, i: usize) -> &Arc<Shape> {
        &self.shapes[self.state.shape[i] as usize]
    }

    /// All shapes.
    pub fn shapes(&self) -> &[Arc<Shape>] {
        &self.shapes
    }

    /// The pairs whose boxes overlapped after the last step, in ascending order.
    pub fn neighbors(&self) -> &[Neighbors] {
        &self.work.neighbors
    }

    /// Total linear and angular momentum about the origin [kg m/s], [kg m²/s].
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let State { x, v, l, shape, .. } = &self.state;
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..x.len() {
            let p = self.inertias[shape[i] as usize].mass * v[i];
            linear += p;
            angular += x[i].cross(p) + l[i];
        }
        (linear, angular)
    }
}
