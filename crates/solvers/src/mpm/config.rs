//! Configuration of MPM matter.

use super::material::Material;
use super::settings::Snow;
use lawine_settings::{OutOfRange, Settings, Word};

/// Interpolation function between particles and grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Spline {
    /// Quadratic B-spline: 3 nodes along each axis.
    #[default]
    Quadratic,
    /// Cubic B-spline, as in the thesis: 4 nodes along each axis (Meyer 18).
    Cubic,
}

/// Velocity transfer between particles and grid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Transfer {
    /// Affine particle-in-cell with moving-least-squares forces (Jiang et al. 2015, Hu et al. 2018):
    /// keeps angular momentum.
    #[default]
    Apic,
    /// A blend of FLIP and PIC, as in the thesis.
    Flip(Blend),
}

/// How much of FLIP there is in the blend with PIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blend {
    /// α = e^{−rate Δt}: damping by time, whatever the step is. The rate is in 1/s.
    PerTime(f64),
    /// α fixed, 0.95 in the thesis: every step damps, so results depend on its length.
    PerStep(f64),
}

/// Time integration of grid velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Integrator {
    /// Forces of the beginning of the step; limited by the speed of elastic waves.
    #[default]
    Explicit,
    /// Stomakhin's semi-implicit step (2013, eq. 9).
    SemiImplicit(Implicit),
}

/// Settings of the semi-implicit step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Implicit {
    /// β: 1 is backward Euler, 1/2 the trapezoidal rule.
    pub beta: f64,
    /// Residual at which the solver stops, over that at its start.
    pub tolerance: f64,
    /// Most iterations; what is reached then is used, and the report shows the number.
    pub max_iterations: u32,
    /// Longest step, in explicit limits of elastic waves.
    pub max_ratio: f64,
}

impl Implicit {
    /// What scene files have where they do not say anything else.
    pub const DEFAULT: Self =
        Self { beta: 1.0, tolerance: 1e-4, max_iterations: 200, max_ratio: 20.0 };
}

impl Default for Implicit {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How initial particle volumes are determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Volume {
    /// As they were inserted.
    #[default]
    Given,
    /// From the density on the grid in their first step, as in the thesis (3.4, step 2). Particles at
    /// surfaces then count as larger than they are.
    FromGrid,
}

/// What happens where matter meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// Coulomb's coefficient of friction μ.
    pub friction: f64,
    /// Matter takes the velocity of the body and never comes off.
    pub sticking: bool,
}

impl BodyContact {
    /// What scene files have where they do not say anything else.
    pub const DEFAULT: Self = Self { friction: 0.5, sticking: false };
}

impl Default for BodyContact {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Configuration of the material point method.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Edge of a grid cell h [m].
    pub cell: f64,
    /// Interpolation function between particles and grid.
    pub spline: Spline,
    /// Velocity transfer between particles and grid.
    pub transfer: Transfer,
    /// Time integration of grid velocities.
    pub integrator: Integrator,
    /// How initial particle volumes are determined.
    pub volume: Volume,
    /// The materials; particles name them by number.
    pub materials: Vec<Material>,
    /// Contact with bodies that `contacts` does not list.
    pub contact: BodyContact,
    /// Contact with each body, in the order of the environment.
    pub contacts: Vec<BodyContact>,
    /// Velocities fade by e^{−damping Δt} [1/s].
    pub damping: f64,
    /// Largest displacement of a particle in a step, in cells.
    pub cfl: f64,
    /// Largest distance of an elastic wave in an explicit step, in cells.
    pub wave_cfl: f64,
}

impl Config {
    /// The default method with cells of `cell` [m] and one material.
    #[must_use]
    pub fn new(cell: f64, material: Material) -> Self {
        Self {
            cell,
            spline: Spline::default(),
            transfer: Transfer::default(),
            integrator: Integrator::default(),
            volume: Volume::default(),
            materials: vec![material],
            contact: BodyContact::default(),
            contacts: Vec::new(),
            damping: 0.0,
            cfl: 0.4,
            wave_cfl: 0.4,
        }
    }

    /// The thesis' method: cubic splines, FLIP with α = 0.95 in every step, volumes from the grid.
    #[must_use]
    pub fn thesis(cell: f64, material: Material) -> Self {
        Self {
            spline: Spline::Cubic,
            transfer: Transfer::Flip(Blend::PerStep(0.95)),
            volume: Volume::FromGrid,
            ..Self::new(cell, material)
        }
    }

    /// The contact with a body.
    pub(super) fn contact_with(&self, body: usize) -> BodyContact {
        self.contacts.get(body).copied().unwrap_or(self.contact)
    }

    /// Checks all values.
    ///
    /// # Errors
    /// The first value out of its range.
    pub fn check(&self) -> Result<(), ConfigError> {
        let snow = &Snow::TABLE;
        snow.check([
            ("cell", self.cell),
            ("damping", self.damping),
            ("wave_cfl", self.wave_cfl),
            ("friction", self.contact.friction),
        ])?;
        if self.materials.is_empty() {
            return Err(ConfigError::NoMaterials);
        }
        self.materials.iter().try_for_each(Material::check)?;
        for contact in &self.contacts {
            snow.check([("friction", contact.friction)])?;
        }
        let fine = self.cfl > 0.0 && self.cfl <= 1.0;
        ConfigError::unless(fine, "cfl", self.cfl, "above 0 and at most 1")?;
        match self.transfer {
            Transfer::Flip(Blend::PerTime(rate)) => snow.check([("flip_damping", rate)])?,
            Transfer::Flip(Blend::PerStep(alpha)) => snow.check([("flip_fraction", alpha)])?,
            Transfer::Apic => {}
        }
        if let Integrator::SemiImplicit(implicit) = self.integrator {
            snow.check([
                ("beta", implicit.beta),
                ("tolerance", implicit.tolerance),
                ("max_ratio", implicit.max_ratio),
                ("max_iterations", f64::from(implicit.max_iterations)),
            ])?;
        }
        Ok(())
    }
}

/// Why matter cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// A setting is out of its range.
    #[error(transparent)]
    Setting(#[from] OutOfRange),
    /// A value is out of its range.
    #[error("the {what} is {value}; it must be {allowed}")]
    Value {
        /// Which value.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// There is nothing to be made of.
    #[error("at least one material is needed")]
    NoMaterials,
    /// A particle names a material that does not exist.
    #[error("a particle has material {material}, but there are only {count} materials")]
    UnknownMaterial {
        /// Its index, from 0.
        material: u32,
        /// How many there are.
        count: usize,
    },
    /// A period does not fit the grid.
    #[error(
        "the period of axis {} is {length} m, but must be a multiple of four cells ({} m)",
        ["x", "y", "z"][*.axis], 4.0 * .cell
    )]
    Period {
        /// The axis.
        axis: usize,
        /// Its period [m].
        length: f64,
        /// Edge of a cell [m].
        cell: f64,
    },
    /// Every particle is inside a body.
    #[error(
        "all {count} particles are inside the body \"{body}\"; make it hollow, or move the body or the particles"
    )]
    Buried {
        /// The body's name.
        body: String,
        /// How many particles there are.
        count: usize,
    },
    /// A particle starts beyond the domain.
    #[error(
        "a particle at ({}, {}, {}) m lies outside the domain; enlarge it or move the particle",
        .0.x, .0.y, .0.z
    )]
    OutsideDomain(glam::DVec3),
    /// Particles cannot be added.
    #[error(transparent)]
    Edit(#[from] lawine_core::method::EditError),
}

impl ConfigError {
    /// The error for a value that is not fine.
    pub(super) fn unless(
        fine: bool,
        what: &'static str,
        value: f64,
        allowed: &'static str,
    ) -> Result<(), Self> {
        if fine { Ok(()) } else { Err(Self::Value { what, value, allowed }) }
    }

    pub(super) fn positive(what: &'static str, value: f64) -> Result<(), Self> {
        Self::unless(value > 0.0 && value.is_finite(), what, value, "finite and positive")
    }
}
