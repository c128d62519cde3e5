//! The scene file as Rust data: what a TOML file says, with the defaults filled in.
//!
//! Numbers are in SI units. In a plane (dimension 2) everything counts per metre of depth.

use serde::{Deserialize, Serialize};

use super::body::Body;
use super::contact::{Contact, Pour};
use super::flow::Flow;
use super::grains::{Block, Grain, Grains};
use super::measure::Measure;
use super::opening::{Emitter, Mouth, Outlet};
use super::probe::{Probe, ProbeKind};
use super::shape::Shape;
use super::snow::{Material, Snow};
use super::surface::Surface;
use super::vector::Vector;
use super::view::View;
use super::words::{
    Axis, BoundaryMethod, EquationOfState, KernelShape, Lattice, Leaving, LinearSolver,
    NeighborSearch, PressureMethod, Unsolved, ViscositySolver, WallPressure,
};

/// A whole scene file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Title, for lists, pictures and the report.
    pub title: String,
    /// A sentence on what to watch.
    #[serde(default)]
    pub watch: String,
    /// Simulated time at which the clock starts [s].
    #[serde(default)]
    pub start: f64,
    /// Simulated time at which the run ends [s].
    pub end: f64,
    /// Seed of everything random.
    #[serde(default = "defaults::seed")]
    pub seed: u64,
    /// The space the scene happens in.
    pub space: Space,
    /// The method and its time step.
    #[serde(default)]
    pub solver: Solver,
    /// The liquid. A scene has one kind of matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub liquid: Option<Liquid>,
    /// Snow, and what else deforms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snow: Option<Snow>,
    /// What the matter of `snow` is made of.
    #[serde(default)]
    pub material: Vec<Material>,
    /// How the pressure of the liquid is found.
    #[serde(default)]
    pub pressure: Pressure,
    /// How bodies appear to the liquid.
    #[serde(default)]
    pub boundary: Boundary,
    /// The liquid or snow at the start, and grains of the scene's shapes where there is room for them.
    #[serde(default)]
    pub fill: Vec<Fill>,
    /// Where liquid comes in during the run.
    #[serde(default)]
    pub emitter: Vec<Emitter>,
    /// Where liquid goes out during the run.
    #[serde(default)]
    pub outlet: Vec<Outlet>,
    /// The grains. A scene has one kind of matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grains: Option<Grains>,
    /// Single grains.
    #[serde(default)]
    pub grain: Vec<Grain>,
    /// Blocks of sand.
    #[serde(default)]
    pub block: Vec<Block>,
    /// Forces between grains; none if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    /// Where grains come in during the run.
    #[serde(default)]
    pub pour: Vec<Pour>,
    /// Walls and other rigid bodies.
    #[serde(default)]
    pub body: Vec<Body>,
    /// Extra columns of `series.csv`.
    #[serde(default)]
    pub probe: Vec<Probe>,
    /// Figures of the report, measured when the run has ended.
    #[serde(default)]
    pub measure: Vec<Measure>,
    /// What the run writes, and how often.
    #[serde(default)]
    pub output: Output,
    /// How pictures and the movie look.
    #[serde(default)]
    pub view: View,
    /// The surface that liquid or snow is drawn and saved with; particles if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<Surface>,
}

impl SceneFile {
    /// Fills in the defaults that follow from other keys: the support radius, the axis of a rotation
    /// in a plane, and how many numbers a default vector has. Loading a scene does this.
    pub fn resolve(&mut self) {
        let dimension = self.space.dimension;
        if let Some(liquid) = &mut self.liquid {
            liquid.relative_support.get_or_insert(if dimension == 2 { 2.2 } else { 2.22 });
            liquid.support = Some(liquid.support());
        }
        for fill in &mut self.fill {
            fill.velocity.resolve(dimension);
            fill.shape.resolve(dimension);
            if let Some(flow) = &mut fill.flow {
                flow.resolve(dimension);
            }
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
        if let (Some(steps), Some(dt)) = (self.output.every_steps, self.solver.time_step) {
            self.output.every = f64::from(steps) * dt;
        }
    }

    /// Distance between particles at rest [m], by which things are drawn and placed: that of the
    /// liquid, or about the size of the smallest grains; one metre where none is known.
    pub fn spacing(&self) -> f64 {
        if let Some(liquid) = &self.liquid {
            return liquid.spacing;
        }
        if let Some(snow) = &self.snow {
            return snow.spacing();
        }
        let grains = self.grain.iter().filter_map(|grain| grain.shape.diameter());
        let poured = self.pour.iter().filter_map(|pour| pour.shape.diameter());
        let sizes = grains.chain(poured).chain(self.block.iter().map(|block| block.spacing));
        sizes.filter(|size| *size > 0.0).reduce(f64::min).unwrap_or(1.0)
    }

    /// Distance over which fields are smoothed [m]: the support of the kernel.
    pub fn smoothing(&self) -> f64 {
        self.liquid.as_ref().map_or(2.0 * self.spacing(), Liquid::support)
    }
}

/// The space of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// 2 (a plane) or 3.
    pub dimension: u32,
    /// Gravity [m/s²].
    pub gravity: Vector,
    /// The box particles may be in; needed for periodic axes and for planes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Extent>,
    /// Axes along which what leaves the domain on one side comes in on the other.
    #[serde(default)]
    pub periodic: Vec<Axis>,
    /// What happens to particles that leave the domain.
    #[serde(default = "defaults::leaving")]
    pub leaving: Leaving,
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// The corner with the smallest coordinates [m].
    pub min: Vector,
    /// The corner with the largest coordinates [m].
    pub max: Vector,
}

/// The time step and how neighbours are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Solver {
    /// How neighbours are found.
    pub neighbors: NeighborSearch,
    /// The smoothing kernel.
    pub kernel: KernelShape,
    /// Fixed time step [s]; without it the step adapts to the motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_step: Option<f64>,
    /// The factor lambda in dt <= lambda d / |v| [1], for an adaptive step.
    pub cfl: f64,
    /// Largest adaptive step [s].
    pub max_time_step: f64,
    /// Largest growth of the adaptive step from one step to the next [1].
    pub growth: f64,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            neighbors: NeighborSearch::Grid,
            kernel: KernelShape::CubicSpline,
            time_step: None,
            cfl: 0.4,
            max_time_step: 0.01,
            growth: 1.1,
        }
    }
}

/// The liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Liquid {
    /// Distance d between particles at rest [m].
    pub spacing: f64,
    /// Support radius of the kernel over the spacing [1], where `support` is not given.
    ///
    /// Without it 2.2 in a plane and 2.22 in space: there the pressure of a liquid at rest rises with
    /// the depth as it should, to one percent; with 2 it is 2 to 3 % off, depending on the lattice
    /// that the particles form. Always there in a loaded scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_support: Option<f64>,
    /// Support radius of the kernel [m]. Always there in a loaded scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<f64>,
    /// Rest density [kg/m³].
    #[serde(default = "defaults::rest_density")]
    pub rest_density: f64,
    /// Kinematic viscosity [m²/s].
    #[serde(default = "defaults::viscosity")]
    pub viscosity: f64,
    /// How viscosity acts.
    #[serde(default = "defaults::viscosity_solver")]
    pub viscosity_solver: ViscositySolver,
    /// XSPH viscosity: the share of the difference to the neighbours' velocity that a step takes
    /// away [1].
    #[serde(default)]
    pub xsph: f64,
    /// Surface tension [N/m].
    #[serde(default)]
    pub surface_tension: f64,
    /// While there are so many particles, emitters add none [1]; 50 million if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_particles: Option<u32>,
}

impl Liquid {
    /// Support radius [m]: as given, or in spacings.
    pub fn support(&self) -> f64 {
        self.support.unwrap_or(self.relative_support.unwrap_or(2.2) * self.spacing)
    }
}

/// How the pressure of the liquid is found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pressure {
    /// The method.
    pub method: PressureMethod,
    /// The equation of state.
    pub equation: EquationOfState,
    /// Bulk modulus k [Pa]; derived from the scene if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Exponent gamma of the Tait equation [1].
    pub exponent: f64,
    /// Whether negative pressures are set to zero.
    pub clamp: bool,
    /// Tolerance for the mean relative density error of a system [1].
    pub tolerance: f64,
    /// How the system is solved.
    pub linear_solver: LinearSolver,
    /// Relaxation of the iterations [1].
    pub relaxation: f64,
    /// Fewest iterations [1].
    pub min_iterations: u32,
    /// Most iterations [1].
    pub max_iterations: u32,
    /// The number of iterations [1] above which the adaptive step becomes shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_iterations: Option<u32>,
    /// What happens when they were not enough.
    pub unsolved: Unsolved,
}

impl Default for Pressure {
    fn default() -> Self {
        Self {
            method: PressureMethod::Eos,
            equation: EquationOfState::Linear,
            stiffness: None,
            exponent: 7.0,
            clamp: true,
            tolerance: 1e-3,
            linear_solver: LinearSolver::Jacobi,
            relaxation: 0.5,
            min_iterations: 2,
            max_iterations: 1000,
            target_iterations: None,
            unsolved: Unsolved::Report,
        }
    }
}

/// How bodies appear to the liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Boundary {
    /// How bodies are covered with boundary particles.
    pub method: BoundaryMethod,
    /// Layers of boundary particles [1]; the method with volumes has one in any case.
    pub layers: u32,
    /// How walls count in the density and in the force of pressure.
    pub pressure: WallPressure,
    /// Kinematic viscosity between liquid and walls [m²/s]; that of the liquid if not given, and
    /// zero lets the liquid slip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<f64>,
}

impl Default for Boundary {
    fn default() -> Self {
        Self {
            method: BoundaryMethod::Layers,
            layers: 3,
            pressure: WallPressure::Consistent,
            viscosity: None,
        }
    }
}

/// A volume of matter at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// Where the matter is; any shape but a plane and a container.
    pub shape: Shape,
    /// Name of its material, in scenes with `snow`; the only one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Its velocity [m/s].
    #[serde(default)]
    pub velocity: Vector,
    /// A velocity that differs from place to place, on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// The lattice of its particles.
    #[serde(default = "defaults::lattice")]
    pub lattice: Lattice,
    /// Whether particles inside a body are left out and liquid is packed next to it; otherwise they are an
    /// error.
    #[serde(default)]
    pub carve: bool,
}

/// What the run writes, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Time between frames and pictures [s]; the times are hit exactly.
    pub every: f64,
    /// Steps between frames and pictures instead, with a fixed time step [1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_steps: Option<u32>,
    /// Whether frames are written, for ParaView and for rendering again.
    pub frames: bool,
    /// Whether pictures are written.
    pub pictures: bool,
    /// Whether a movie (MP4) is made.
    pub movie: bool,
    /// Whether an animated GIF is made.
    pub gif: bool,
    /// Wall time between checkpoints [s].
    pub checkpoint_every: f64,
    /// Steps between rows of `series.csv` [1]; none but those of frames with zero.
    pub series_every: u32,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            every: 0.02,
            every_steps: None,
            frames: true,
            pictures: true,
            movie: true,
            gif: false,
            checkpoint_every: 60.0,
            series_every: 1,
        }
    }
}

/// Defaults that serde calls by name.
mod defaults {
    use super::{Lattice, Leaving, ViscositySolver};

    pub(super) fn seed() -> u64 {
        1
    }

    pub(super) fn lattice() -> Lattice {
        Lattice::Square
    }

    pub(super) fn leaving() -> Leaving {
        Leaving::Error
    }

    pub(super) fn rest_density() -> f64 {
        1000.0
    }

    pub(super) fn viscosity_solver() -> ViscositySolver {
        ViscositySolver::Explicit
    }

    pub(super) fn viscosity() -> f64 {
        1e-6
    }
}
