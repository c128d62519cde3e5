//! The table of a scene file about a liquid, and the configuration they make.

use super::config::{
    BoundaryMethod, Config, Iterations, LinearSolver, PressureMethod, ViscositySolver, WallPressure,
};
use super::eos::{Equation, StateEquation};
use lawine_core::kernel::KernelKind;
use lawine_core::neighbors::SearchKind;
use lawine_settings::{Settings, Word};

/// The liquid.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Liquid {
    /// Distance between particles at rest [m].
    #[setting(above = 0, fixed)]
    pub spacing: f64,
    /// Support radius of the kernel over the spacing [1], unless `support` is given.
    ///
    /// With the default the pressure of a liquid at rest rises with the depth as it should, to one percent;
    /// with 2 it is 2 to 3 % off, depending on the lattice that the particles form. Always there in a loaded
    /// scene. In space at most 4.
    #[setting(without = "2.2 in a plane, 2.22 in space", above = 1, at_most = 6)]
    pub relative_support: Option<f64>,
    /// Support radius of the kernel [m], above the spacing.
    ///
    /// Always there in a loaded scene.
    #[setting(without = "`relative_support` times `spacing`", above = 0)]
    pub support: Option<f64>,
    /// Rest density [kg/m³].
    #[setting(default = 1000.0, above = 0, fixed)]
    pub rest_density: f64,
    /// Kinematic viscosity [m²/s].
    #[setting(default = 1e-6, at_least = 0)]
    pub viscosity: f64,
    /// Time integration of viscosity.
    #[setting(default = ViscositySolver::Explicit)]
    pub viscosity_solver: ViscositySolver,
    /// XSPH viscosity: fraction of the velocity difference to neighbours removed per step [1].
    #[setting(default = 0.0, at_least = 0, at_most = 1)]
    pub xsph: f64,
    /// Surface tension [N/m]; needs a support of three spacings to flow freely.
    #[setting(default = 0.0, at_least = 0)]
    pub surface_tension: f64,
    /// Particle limit for emitters [1].
    #[setting(without = "50 million", at_least = 1)]
    pub max_particles: Option<u32>,
    /// Smoothing kernel.
    #[setting(default = KernelKind::CubicSpline, was = "solver.kernel")]
    pub kernel: KernelKind,
    /// Neighbour search.
    #[setting(default = SearchKind::Grid, was = "solver.neighbors")]
    pub neighbors: SearchKind,
    /// Pressure solver.
    #[setting(default, was = "pressure")]
    pub pressure: Pressure,
    /// Boundary handling.
    #[setting(default, was = "boundary")]
    pub walls: Walls,
}

/// The default of [`Liquid::relative_support`] in a plane and in space.
pub const RELATIVE_SUPPORT: [f64; 2] = [2.2, 2.22];

impl Liquid {
    /// Support radius [m]: as given, or in spacings.
    pub fn support(&self) -> f64 {
        let relative = self.relative_support.unwrap_or(RELATIVE_SUPPORT[0]);
        self.support.unwrap_or(relative * self.spacing)
    }
}

/// How the pressure of the liquid is found.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Pressure {
    /// Pressure solver.
    #[setting(default = PressureKind::Eos)]
    pub method: PressureKind,
    /// Equation of state.
    #[setting(default = EquationKind::Linear)]
    pub equation: EquationKind,
    /// Bulk modulus k of the equation of state [Pa].
    #[setting(without = "derived from the scene", above = 0)]
    pub stiffness: Option<f64>,
    /// Exponent γ of the Tait equation [1]; 7 for water.
    #[setting(default = 7.0, at_least = 1, at_most = 100)]
    pub exponent: f64,
    /// Whether negative pressures of the equation of state are set to zero.
    #[setting(default = true)]
    pub clamp: bool,
    /// Tolerance of the pressure solver for the mean relative density error [1].
    #[setting(default = 1e-3, above = 0, below = 1)]
    pub tolerance: f64,
    /// Linear solver of the pressure system.
    #[setting(default = LinearSolver::Jacobi)]
    pub linear_solver: LinearSolver,
    /// Relaxation factor ω of the iterations [1].
    #[setting(default = 0.5, above = 0, at_most = 1)]
    pub relaxation: f64,
    /// Minimum number of iterations [1].
    #[setting(default = 2, at_least = 1)]
    pub min_iterations: u32,
    /// Maximum number of iterations [1].
    #[setting(default = 1000, at_least = 1)]
    pub max_iterations: u32,
    /// Number of iterations above which the adaptive step is reduced [1].
    #[setting(without = "no limit", at_least = 1)]
    pub target_iterations: Option<u32>,
    /// What to do if not converged after `max_iterations`.
    #[setting(default = Unsolved::Report)]
    pub unsolved: Unsolved,
}

/// How the pressure of a liquid is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum PressureKind {
    /// Equation of state: from the density of each particle (weakly compressible).
    Eos,
    /// IISPH: from a system for constant density (Ihmsen et al. 2014).
    Iisph,
    /// DFSPH: from two systems, for constant density and zero divergence (Bender & Koschier 2017).
    Dfsph,
}

/// Equation of state: pressure from density.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum EquationKind {
    /// p = k (ρ/ρ0 − 1).
    Linear,
    /// p = k/γ ((ρ/ρ0)^γ − 1).
    Tait,
}

/// What to do if a solver has not converged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Unsolved {
    /// Continue; the report shows the residual.
    Report,
    /// The run stops with an error.
    Error,
}

/// Boundary handling.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Walls {
    /// How bodies are covered with boundary particles.
    #[setting(default = BoundaryKind::Layers)]
    pub method: BoundaryKind,
    /// Layers of boundary particles [1], for the method of that name.
    #[setting(default = 3, at_least = 1, at_most = 5)]
    pub layers: u32,
    /// How walls enter the density and the pressure force.
    #[setting(default = WallPressure::Consistent)]
    pub pressure: WallPressure,
    /// Kinematic viscosity between liquid and walls [m²/s]; zero for free slip.
    #[setting(without = "that of the liquid", at_least = 0)]
    pub viscosity: Option<f64>,
}

/// How bodies are covered with boundary particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum BoundaryKind {
    /// Layers of particles like those of the liquid (Hunkler 2022, 4.2).
    Layers,
    /// One layer of particles with individual volumes (Akinci et al. 2012).
    Volumes,
}

impl Config {
    /// The configuration that the table of a scene asks for, with the factor of adaptive steps.
    pub fn of(liquid: &Liquid, cfl: f64) -> Self {
        let Liquid { pressure, walls, .. } = liquid;
        Self {
            spacing: liquid.spacing,
            support: liquid.support(),
            kernel: liquid.kernel,
            search: liquid.neighbors,
            rest_density: liquid.rest_density,
            viscosity: liquid.viscosity,
            viscosity_solver: liquid.viscosity_solver,
            xsph: liquid.xsph,
            surface_tension: liquid.surface_tension,
            wall_viscosity: walls.viscosity.unwrap_or(liquid.viscosity),
            pressure: pressure.method(),
            wall_pressure: walls.pressure,
            boundary: match walls.method {
                BoundaryKind::Layers => BoundaryMethod::Layers(walls.layers as usize),
                BoundaryKind::Volumes => BoundaryMethod::Volumes,
            },
            cfl,
        }
    }
}

impl Pressure {
    /// When an iterative solver stops.
    pub(super) fn iterations(&self) -> Iterations {
        Iterations {
            tolerance: self.tolerance,
            min: self.min_iterations,
            max: self.max_iterations,
            linear_solver: self.linear_solver,
            relaxation: self.relaxation,
            target: self.target_iterations,
            strict: self.unsolved == Unsolved::Error,
        }
    }

    fn method(&self) -> PressureMethod {
        match self.method {
            PressureKind::Eos => PressureMethod::StateEquation(StateEquation {
                equation: match self.equation {
                    EquationKind::Linear => Equation::Linear,
                    EquationKind::Tait => Equation::Tait { exponent: self.exponent },
                },
                stiffness: self.stiffness.unwrap_or_default(),
                clamp: self.clamp,
            }),
            PressureKind::Iisph => PressureMethod::Iisph(self.iterations()),
            PressureKind::Dfsph => PressureMethod::Dfsph(self.iterations()),
        }
    }
}
