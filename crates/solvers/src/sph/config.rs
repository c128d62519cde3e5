//! What the scene says about a liquid.

use super::eos::{Equation, StateEquation};
use lawine_core::kernel::KernelKind;
use lawine_core::neighbors::SearchKind;
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
    /// How viscosity acts.
    pub viscosity_solver: ViscositySolver,
    /// ε of XSPH: the share of the difference to the neighbours' mean velocity that a step takes
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViscositySolver {
    /// As a force: simple, and the step must stay below h²/(8ν).
    Explicit,
    /// By a system without such a limit: Weiler et al. 2018.
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
        let require = |key, value: f64, fine: bool, allowed| {
            if fine { Ok(()) } else { Err(ConfigError { key, value, allowed }) }
        };
        let is_positive = |x: f64| x > 0.0 && x.is_finite();
        match *self {
            Self::StateEquation(StateEquation { equation, stiffness, .. }) => {
                let exponent = match equation {
                    Equation::Linear => 1.0,
                    Equation::Tait { exponent } => exponent,
                };
                let positive = "it must be positive and finite";
                require("pressure.stiffness", stiffness, is_positive(stiffness), positive)?;
                require("pressure.exponent", exponent, is_positive(exponent), positive)
            }
            Self::Iisph(solver) | Self::Dfsph(solver) => {
                let Iterations { tolerance, min, max, relaxation, target, .. } = solver;
                let fine = tolerance > 0.0 && tolerance < 1.0;
                require("pressure.tolerance", tolerance, fine, "above 0 and below 1")?;
                let fine = relaxation > 0.0 && relaxation <= 1.0;
                require("pressure.relaxation", relaxation, fine, "above 0, at most 1")?;
                let fine = target.is_none_or(|target| target >= min);
                let least = "pressure.min_iterations or more";
                require("pressure.target_iterations", f64::from(target.unwrap_or(0)), fine, least)?;
                let allowed = "1 or more, and not more than pressure.max_iterations";
                require("pressure.min_iterations", f64::from(min), min >= 1 && min <= max, allowed)
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
    /// Fewest iterations.
    pub min: u32,
    /// Most iterations.
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
        Self {
            tolerance: 1e-3,
            min: 2,
            max: 1000,
            linear_solver: LinearSolver::Jacobi,
            relaxation: 0.5,
            target: None,
            strict: false,
        }
    }
}

/// How the iterations of a pressure solver follow from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearSolver {
    /// Relaxed Jacobi: Ihmsen et al. 2014.
    Jacobi,
    /// Jacobi with Nesterov's momentum, projected on p ≥ 0: far fewer iterations for tall columns.
    Accelerated,
}

/// How bodies are covered with boundary particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryMethod {
    /// In so many layers one spacing apart, each particle like one of the liquid: Hunkler 4.2.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallPressure {
    /// The force is the derivative of the density, so that walls keep the energy.
    Consistent,
    /// The pressure of a boundary particle is that of the particle that asks: Hunkler 4.2. Walls count
    /// once in the density and twice in the force, which makes energy.
    Mirror,
}

/// A value out of its range.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{key} = {value} is not allowed: {allowed}")]
pub struct ConfigError {
    /// The key, as in a scene file.
    pub key: &'static str,
    /// Its value.
    pub value: f64,
    /// What is allowed.
    pub allowed: &'static str,
}

impl Config {
    /// Checks every number.
    pub fn check(&self) -> Result<(), ConfigError> {
        let positive = "it must be positive and finite";
        let not_negative = "it must not be negative, and finite";
        let is_positive = |x: f64| x > 0.0 && x.is_finite();
        let is_not_negative = |x: f64| x >= 0.0 && x.is_finite();
        let layers = self.boundary.layers();
        let one_layer = self.boundary == BoundaryMethod::Volumes;
        let checks = [
            ("liquid.spacing", self.spacing, is_positive(self.spacing), positive),
            (
                "liquid.support",
                self.support,
                self.support > self.spacing && self.support.is_finite(),
                "it must be larger than the spacing",
            ),
            (
                "liquid.support",
                self.support,
                !one_layer || self.support <= MAX_SUPPORT_OF_VOLUMES * self.spacing,
                "at most 2.25 spacings with boundary.method = \"volumes\": one layer does not hold \
                 liquid with a wider kernel",
            ),
            ("liquid.rest_density", self.rest_density, is_positive(self.rest_density), positive),
            ("liquid.viscosity", self.viscosity, is_not_negative(self.viscosity), not_negative),
            (
                "liquid.viscosity",
                self.viscosity,
                self.viscosity > 0.0 || self.viscosity_solver == ViscositySolver::Explicit,
                "it must be above zero with the implicit viscosity solver",
            ),
            ("liquid.xsph", self.xsph, (0.0..=1.0).contains(&self.xsph), "0 to 1"),
            (
                "liquid.surface_tension",
                self.surface_tension,
                is_not_negative(self.surface_tension),
                not_negative,
            ),
            (
                "boundary.viscosity",
                self.wall_viscosity,
                is_not_negative(self.wall_viscosity),
                not_negative,
            ),
            ("boundary.layers", layers as f64, (1..=5).contains(&layers), "1 to 5"),
            ("solver.cfl", self.cfl, self.cfl > 0.0 && self.cfl <= 1.0, "above 0, at most 1"),
        ];
        for (key, value, fine, allowed) in checks {
            if !fine {
                return Err(ConfigError { key, value, allowed });
            }
        }
        self.pressure.check()
    }
}
