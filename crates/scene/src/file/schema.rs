//! The scene file as Rust data: the contents of a TOML file, with the defaults filled in.
//!
//! Numbers are in SI units. In a plane (dimension 2) everything counts per metre of depth.

use super::body::Body;
use super::flow::Flow;
use super::measure::Measure;
use super::opening::{Emitter, Mouth, Outlet};
use super::placement::Placement;
use super::probe::{Probe, ProbeKind};
use super::shape::{FillMesh, Solid};
use super::surface::Surface;
use super::vector::Vector;
use super::view::View;
use super::words::{Axis, Lattice};
use crate::matter;
use crate::matter::grains::settings::{Block, Grain, Pour};
use lawine_core::space::Leaving;
use lawine_settings::{OpenTables, Settings};

/// A whole scene file.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct SceneFile {
    /// Title for lists, pictures and the report.
    #[setting(filled)]
    pub title: String,
    /// What to watch for, in a sentence.
    #[setting(default = "")]
    pub watch: String,
    /// Simulated time at which the clock starts [s].
    #[setting(default = 0.0, fixed)]
    pub start: f64,
    /// Simulated time at which the run ends, after `start` [s].
    pub end: f64,
    /// Seed of the random number generator.
    #[setting(default = 1, fixed)]
    pub seed: u64,
    /// The space of the scene.
    pub space: Space,
    /// The time step.
    #[setting(default)]
    pub time: Time,
    /// The tables of its matter.
    #[setting(open = matter::tables)]
    pub tables: OpenTables,
    /// Initial liquid or snow; or grains of the scene's shapes, placed where there is room.
    #[setting(default, fixed)]
    pub fill: Vec<Fill>,
    /// Inlets of liquid or snow during the run.
    #[setting(default, fixed, of = "continuous")]
    pub emitter: Vec<Emitter>,
    /// Regions in which matter is removed during the run.
    #[setting(default, fixed)]
    pub outlet: Vec<Outlet>,
    /// Single grains.
    #[setting(default, fixed, of = "grains")]
    pub grain: Vec<Grain>,
    /// Blocks of sand.
    #[setting(default, fixed, of = "grains")]
    pub block: Vec<Block>,
    /// Inlets of grains during the run.
    #[setting(default, fixed, of = "grains")]
    pub pour: Vec<Pour>,
    /// Walls and other rigid bodies.
    #[setting(default)]
    pub body: Vec<Body>,
    /// Additional columns of `series.csv`.
    #[setting(default)]
    pub probe: Vec<Probe>,
    /// Figures of the report, computed at the end of the run.
    #[setting(default)]
    pub measure: Vec<Measure>,
    /// What the run writes and how often.
    #[setting(default)]
    pub output: Output,
    /// Appearance of pictures and the movie.
    #[setting(default)]
    pub view: View,
    /// Surface reconstruction of liquid or snow, to draw and to save.
    #[setting(without = "particles are drawn, in 2D the filled area", of = "continuous")]
    pub surface: Option<Surface>,
}

impl SceneFile {
    /// Fills in the defaults that follow from other keys: the support radius, the axis of a rotation
    /// in a plane, and how many numbers a default vector has. Loading a scene does this.
    pub fn resolve(&mut self) {
        let dimension = self.space.dimension;
        matter::kinds().iter().for_each(|kind| kind.resolve(self));
        for fill in &mut self.fill {
            fill.velocity.resolve(dimension);
            fill.placement.resolve(dimension);
            if let Solid::Mesh(FillMesh { mesh, .. }) = &mut fill.shape {
                mesh.position.resolve(dimension);
            }
            if let Some(flow) = &mut fill.flow {
                flow.resolve(dimension);
            }
        }
        for outlet in &mut self.outlet {
            outlet.placement.resolve(dimension);
        }
        for emitter in &mut self.emitter {
            if let Mouth::Rectangle(rectangle) = &mut emitter.shape {
                rectangle.resolve(dimension);
            }
        }
        for probe in &mut self.probe {
            if let ProbeKind::Flow(rectangle) = &mut probe.kind {
                rectangle.resolve(dimension);
            }
        }
        for body in &mut self.body {
            body.resolve(dimension);
        }
        for grain in &mut self.grain {
            grain.velocity.resolve(dimension);
            grain.angular_velocity.resolve(dimension);
        }
        for block in &mut self.block {
            block.velocity.resolve(dimension);
        }
        for pour in &mut self.pour {
            pour.velocity.resolve(dimension);
        }
        if let (Some(steps), Some(dt)) = (self.output.every_steps, self.time.step) {
            self.output.every = f64::from(steps) * dt;
        }
    }
}

/// The space of a scene.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Space {
    /// Dimension: 2 (planar) or 3.
    #[setting(at_least = 2, at_most = 3, fixed)]
    pub dimension: u32,
    /// Gravity [m/s²].
    pub gravity: Vector,
    /// Simulation domain; required for periodic axes.
    #[setting(without = "no bounds")]
    pub domain: Option<Extent>,
    /// Axes with periodic boundary conditions.
    #[setting(default)]
    pub periodic: Vec<Axis>,
    /// What to do with particles that leave the domain.
    #[setting(default = Leaving::Error)]
    pub leaving: Leaving,
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Extent {
    /// Corner with the smallest coordinates [m].
    pub min: Vector,
    /// Corner with the largest coordinates [m].
    pub max: Vector,
}

/// The time step.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Time {
    /// Fixed time step [s].
    #[setting(without = "adaptive", above = 0, was = "solver.time_step")]
    pub step: Option<f64>,
    /// Factor λ in Δt ≤ λ d / |v| for an adaptive step [1].
    #[setting(default = 0.4, above = 0, at_most = 1, of = "liquid snow", was = "solver.cfl")]
    pub cfl: f64,
    /// Largest adaptive step [s].
    #[setting(default = 0.01, above = 0, was = "solver.max_time_step")]
    pub max_step: f64,
    /// Largest ratio of consecutive adaptive steps [1].
    #[setting(default = 1.1, above = 1, was = "solver.growth")]
    pub growth: f64,
}

/// A volume of matter at the start.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Fill {
    /// Its matter: `liquid`, `grains` or `snow`.
    #[setting(without = "the only matter of the scene")]
    pub of: Option<String>,
    /// Region that is filled.
    pub shape: Solid,
    /// What is done to the shape.
    #[setting(flatten)]
    pub placement: Placement,
    /// Name of its material.
    #[setting(without = "the only material", of = "snow")]
    pub material: Option<String>,
    /// Velocity of the matter [m/s].
    #[setting(default)]
    pub velocity: Vector,
    /// Velocity field, in addition to `velocity`.
    #[setting(without = "none")]
    pub flow: Option<Flow>,
    /// Particle lattice.
    #[setting(default = Lattice::Square)]
    pub lattice: Lattice,
    /// Whether particles inside a body are left out, and liquid is packed against it; otherwise
    /// they are an error.
    #[setting(default = false)]
    pub carve: bool,
}

impl Fill {
    /// Matter at rest, all else as where a file says nothing.
    pub fn new(shape: Solid) -> Self {
        Self {
            of: None,
            shape,
            placement: Placement::default(),
            material: None,
            velocity: Vector::default(),
            flow: None,
            lattice: Lattice::Square,
            carve: false,
        }
    }
}

/// What the run writes and how often.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Output {
    /// Time between frames and pictures [s], hit exactly.
    #[setting(default = 0.02, above = 0, fixed)]
    pub every: f64,
    /// Steps between frames and pictures [1], with a fixed time step; replaces `every`.
    #[setting(without = "set by `every`", at_least = 1)]
    pub every_steps: Option<u32>,
    /// Whether frames are written, for ParaView and for redrawing.
    #[setting(default = true)]
    pub frames: bool,
    /// Whether pictures are written.
    #[setting(default = true)]
    pub pictures: bool,
    /// Whether a movie is made, in MP4.
    #[setting(default = true)]
    pub movie: bool,
    /// Whether an animated GIF is made.
    #[setting(default = false)]
    pub gif: bool,
    /// Wall time between checkpoints [s].
    #[setting(default = 60.0, above = 0)]
    pub checkpoint_every: f64,
    /// Steps between rows of `series.csv` [1]; 0 writes rows at frames only.
    #[setting(default = 1, at_least = 0)]
    pub series_every: u32,
}
