//! Configuration of a liquid.

use super::eos::{Equation, StateEquation};
use super::settings::{Liquid, Pressure, Walls};
use lawine_core::kernel::KernelKind;
use lawine_core::neighbors::SearchKind;
use lawine_settings::{OutOfRange, Settings, Word};
use thiserror::Error;

/// Configuration of a [`super::Liquid`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Particle spacing d [m].
    pub spacing: f64,
    /// Support radius of the kernel [m].
    pub support: f64,
    /// Shape of the kernel.
    pub kernel: KernelKind,
    /// Neighbour search.
    pub search: SearchKind,
    /// Rest density ρ0 [kg/m³].
    pub rest_density: f64,
    /// Kinematic viscosity ν between particles of the liquid [m²/s].
    pub viscosity: f64,
    /// Time integration of viscosity.
    pub viscosity_solver: ViscositySolver,
    /// ε of XSPH: the fraction of the difference to the neighbours' mean velocity that a step takes
    /// away, 0 to 1.
    pub xsph: f64,
    /// Surface tension σ [N/m]. With a support of two spacings the attracting particles lock into a
    /// lattice and drops become round only by force; three let them flow.
    pub surface_tension: f64,
    /// Kinematic viscosity between liquid and walls [m²/s]; zero lets it slip.
    pub wall_viscosity: f64,
    /// How pressures are found.
    pub pressure: PressureMethod,
    /// How walls count.
    pub wall_pressure: WallPressure,
    /// How bodies are covered with boundary particles.
    pub boundary: BoundaryMethod,
    /// λ of the CFL condition dt ≤ λ d/(c + |v|).
    pub cfl: f64,
}

/// How viscosity acts on the velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum ViscositySolver {
    /// Explicit force; the step is limited to h²/(8ν).
    Explicit,
    /// Implicit system without that limit: Weiler et al. 2018.
    Implicit,
}

/// How pressures are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PressureMethod {
    /// From the density by an equation of state.
    StateEquation(StateEquation),
    /// Implicit incompressible SPH: Ihmsen et al. 2014.
    Iisph(Iterations),
    /// Divergence-free SPH: Bender & Koschier 2017.
    Dfsph(Iterations),
}

impl PressureMethod {
    fn check(&self) -> Result<(), ConfigError> {
        let within = |numbers| {
            Pressure::TABLE.check(numbers).map_err(|e| ConfigError::of("liquid.pressure", e))
        };
        match *self {
            Self::StateEquation(StateEquation { equation, stiffness, .. }) => {
                let exponent = match equation {
                    Equation::Linear => 1.0,
                    Equation::Tait { exponent } => exponent,
                };
                within([("stiffness", stiffness), ("exponent", exponent)])
            }
            Self::Iisph(solver) | Self::Dfsph(solver) => {
                let Iterations { tolerance, min, max, relaxation, target, .. } = solver;
                within([("tolerance", tolerance), ("relaxation", relaxation)])?;
                within([("min_iterations", f64::from(min)), ("max_iterations", f64::from(max))])?;
                let require = |key, value: u32, fine, allowed| {
                    ConfigError::unless(fine, key, f64::from(value), allowed)
                };
                let allowed = "at most liquid.pressure.max_iterations";
                require("liquid.pressure.min_iterations", min, min <= max, allowed)?;
                let target = target.unwrap_or(min);
                let allowed = "liquid.pressure.min_iterations or more";
                require("liquid.pressure.target_iterations", target, target >= min, allowed)
            }
        }
    }

    /// How the system is solved, if there is one.
    pub fn iterations(&self) -> Option<Iterations> {
        match *self {
            Self::StateEquation(_) => None,
            Self::Iisph(solver) | Self::Dfsph(solver) => Some(solver),
        }
    }

    /// Whether a system is solved.
    pub fn is_implicit(&self) -> bool {
        !matches!(self, Self::StateEquation(_))
    }
}

/// When an iterative pressure solver stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterations {
    /// Tolerance η for the mean of |ρ − ρ0|/ρ0 over particles under pressure.
    pub tolerance: f64,
    /// Minimum number of iterations.
    pub min: u32,
    /// Maximum number of iterations.
    pub max: u32,
    /// How iterations follow from each other.
    pub linear_solver: LinearSolver,
    /// Relaxation ω of the Jacobi method.
    pub relaxation: f64,
    /// The number of iterations above which the adaptive step becomes shorter.
    pub target: Option<u32>,
    /// Whether it is an error to stop at the most iterations without reaching the tolerance.
    pub strict: bool,
}

impl Default for Iterations {
    fn default() -> Self {
        Pressure::default().iterations()
    }
}

/// How the iterations of a pressure solver follow from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum LinearSolver {
    /// Relaxed Jacobi: Ihmsen et al. 2014.
    Jacobi,
    /// Jacobi with Nesterov momentum, projected to p ≥ 0: far fewer iterations for tall columns.
    Accelerated,
}

/// How bodies are covered with boundary particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryMethod {
    /// Layers one spacing apart, of particles like those of the liquid: Hunkler 4.2.
    Layers(usize),
    /// In one layer, each particle with the volume that its neighbours leave it: Akinci et al. 2012.
    Volumes,
}

impl BoundaryMethod {
    /// Number of layers.
    pub fn layers(self) -> usize {
        match self {
            Self::Layers(layers) => layers,
            Self::Volumes => 1,
        }
    }
}

/// Largest support of walls in one layer, in spacings. With 2.4 liquid leaks through it.
pub(super) const MAX_SUPPORT_OF_VOLUMES: f64 = 2.25;

/// How walls count in the density and in the force of pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum WallPressure {
    /// The force is the derivative of the density, so that walls conserve energy.
    Consistent,
    /// Mirrored pressure: a boundary particle has the pressure of the fluid particle, Hunkler 4.2. Walls count
    /// once in the density and twice in the force, which generates energy.
    Mirror,
}

/// A value out of its range.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{key} = {value} is not allowed; allowed: {allowed}")]
pub struct ConfigError {
    /// The key, as in a scene file.
    pub key: String,
    /// Its value.
    pub value: f64,
    /// What is allowed.
    pub allowed: String,
}

impl ConfigError {
    /// The error of a number of a table.
    fn of(table: &str, error: OutOfRange) -> Self {
        let OutOfRange { key, value, allowed } = error;
        Self { key: format!("{table}.{key}"), value, allowed }
    }

    fn unless(fine: bool, key: &str, value: f64, allowed: &str) -> Result<(), Self> {
        if fine { Ok(()) } else { Err(Self { key: key.into(), value, allowed: allowed.into() }) }
    }
}

impl Config {
    /// Checks every value by itself, as the settings describe it, and their combination.
    pub fn check(&self) -> Result<(), ConfigError> {
        let liquid = [
            ("spacing", self.spacing),
            ("support", self.support),
            ("rest_density", self.rest_density),
            ("viscosity", self.viscosity),
            ("xsph", self.xsph),
            ("surface_tension", self.surface_tension),
        ];
        Liquid::TABLE.check(liquid).map_err(|e| ConfigError::of("liquid", e))?;
        let layers = self.boundary.layers() as f64;
        let boundary = [("viscosity", self.wall_viscosity), ("layers", layers)];
        Walls::TABLE.check(boundary).map_err(|e| ConfigError::of("liquid.walls", e))?;
        let one_layer = self.boundary == BoundaryMethod::Volumes;
        for (key, value, fine, allowed) in [
            ("liquid.support", self.support, self.support > self.spacing, "above the spacing"),
            (
                "liquid.support",
                self.support,
                !one_layer || self.support <= MAX_SUPPORT_OF_VOLUMES * self.spacing,
                "at most 2.25 spacings with liquid.walls.method = \"volumes\": one layer does not hold \
                 liquid with a wider kernel",
            ),
            (
                "liquid.viscosity",
                self.viscosity,
                self.viscosity > 0.0 || self.viscosity_solver == ViscositySolver::Explicit,
                "above 0 m²/s with liquid.viscosity_solver = \"implicit\"",
            ),
            ("time.cfl", self.cfl, self.cfl > 0.0 && self.cfl <= 1.0, "above 0 and at most 1"),
        ] {
            ConfigError::unless(fine, key, value, allowed)?;
        }
        self.pressure.check()
    }
}
