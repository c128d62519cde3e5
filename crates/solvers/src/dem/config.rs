//! Configuration of grains.

use lawine_core::rigid::{Dependence, GearBody, GearError, gear_coefficients};

use super::broad::{BoxMethod, Search};
use super::settings;
use lawine_settings::{OutOfRange, Settings};

/// Time integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Velocity Verlet with a symplectic rotation: conserves energy and angular momentum.
    #[default]
    Symplectic,
    /// Gear's predictor–corrector, as in the thesis.
    Gear {
        /// Number of values, 4 to 8.
        values: usize,
        /// What forces depend on: decides about c0 for five and six values.
        on: Dependence,
    },
}

/// Configuration of the grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Density of the grains' material [kg/m³].
    pub density: f64,
    /// Time integrator.
    pub integrator: Integrator,
    /// How boxes around grains are found.
    pub boxes: BoxMethod,
    /// Broad-phase collision detection.
    pub search: Search,
    /// Boxes are this much larger on every side [m]: pairs up to twice as far apart are neighbours.
    pub margin: f64,
}

impl Config {
    /// Grains of a density [kg/m³].
    #[must_use]
    pub fn new(density: f64) -> Self {
        Self {
            density,
            integrator: Integrator::Symplectic,
            boxes: BoxMethod::Auto,
            search: Search::Auto,
            margin: 0.0,
        }
    }

    /// The search, chosen where it is left open: a grid whose skin is a tenth of the mean radius [m] of
    /// the shapes.
    pub(super) fn with_search(mut self, radius: f64) -> Self {
        if self.search == Search::Auto {
            self.search = Search::Grid { skin: 0.1 * radius };
        }
        self
    }

    /// Numbers of Gear's method for each grain; none for the other.
    pub(super) fn gear_numbers(&self) -> usize {
        match self.integrator {
            Integrator::Symplectic => 0,
            Integrator::Gear { values, .. } => GearBody::numbers(values),
        }
    }

    /// Checks all values.
    ///
    /// # Errors
    /// The first value out of its range.
    pub fn check(&self) -> Result<(), GrainsError> {
        let positive = |what, value: f64, fine: bool| {
            if fine && value.is_finite() { Ok(()) } else { Err(GrainsError::Value { what, value }) }
        };
        settings::Grains::TABLE.check([("density", self.density)])?;
        positive("margin", self.margin, self.margin >= 0.0)?;
        if let Integrator::Gear { values, on } = self.integrator {
            gear_coefficients(values, on)?;
        }
        if let Search::Grid { skin } = self.search {
            positive("skin", skin, skin >= 0.0)?;
        }
        Ok(())
    }
}

/// Why grains cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GrainsError {
    /// A setting is out of its range.
    #[error(transparent)]
    Setting(#[from] OutOfRange),
    /// A value is out of its range.
    #[error("the {what} of the grains is {value}; it must be finite and positive")]
    Value {
        /// Which value.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// Gear's method with a wrong number of values.
    #[error(transparent)]
    Gear(#[from] GearError),
    /// A value of the contacts is out of its range.
    #[error("{key} = {value} must be {allowed}")]
    Contact {
        /// Which value.
        key: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// A material that is not in the table.
    #[error("there is no material with index {material}; the table has {count}")]
    UnknownMaterial {
        /// Its index, from 0.
        material: usize,
        /// How many there are.
        count: usize,
    },
    /// A body that grains cannot touch.
    #[error("grains cannot touch the body \"{name}\": {why}")]
    Body {
        /// Its name.
        name: String,
        /// Why not.
        why: String,
    },
    /// Bodies share volume at the start.
    #[error(
        "{first} at ({}, {}, {}) m overlaps {second} at the start; move them apart",
        .position.x, .position.y, .position.z
    )]
    Overlap {
        /// A grain.
        first: String,
        /// A grain or a body.
        second: String,
        /// Where the first grain is [m].
        position: glam::DVec3,
    },
    /// A fixed step that is too long.
    #[error(
        "the time step is {dt:e} s; it must be at most {limit:e} s for these grains, whose contacts \
         would be unstable otherwise"
    )]
    Step {
        /// The step [s].
        dt: f64,
        /// The longest that is stable [s].
        limit: f64,
    },
    /// There is no shape.
    #[error("grains need at least one shape")]
    NoShapes,
    /// A grain names a shape that does not exist.
    #[error("a grain has shape {shape}, but there are only {count} shapes")]
    UnknownShape {
        /// The shape's number, from 0.
        shape: u32,
        /// How many there are.
        count: usize,
    },
    /// A number is not finite.
    #[error("a new grain has a position, velocity or orientation that is not finite")]
    NotFinite,
    /// No identifiers are left.
    #[error("there are no identifiers left for more than 4,294,967,295 grains")]
    TooMany,
    /// Polyhedra need all three dimensions.
    #[error("grains are polyhedra and need space = \"full\", not \"planar\"")]
    Planar,
}
