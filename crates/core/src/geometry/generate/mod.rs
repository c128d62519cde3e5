//! Generators of shapes: grains on ellipsoids, Platonic solids, boxes and prisms, and their sizes.

mod ellipsoid;
mod sizes;
mod solids;

pub use ellipsoid::{EllipsoidGrain, Spread};
pub use sizes::{SizeDistribution, Sizes};
pub use solids::{Platonic, block, platonic, prism};

use super::{HullError, MeshError};

/// Why a shape cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length is zero, negative or not finite.
    #[error("{what} is {value} m; it must be positive and finite")]
    Length {
        /// Which length.
        what: &'static str,
        /// Its value [m].
        value: f64,
    },
    /// Fewer corners than a solid has.
    #[error("a polyhedron needs at least {needed} {what}, got {count}")]
    TooFew {
        /// Corners, or sides of a prism.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A variation outside its range.
    #[error("{what} is {value}; it must lie in [0, {limit})")]
    Variation {
        /// Which variation.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The end of its range.
        limit: f64,
    },
    /// A fraction outside [0, 1].
    #[error("the fraction of the first component is {0}; it must lie in [0, 1]")]
    Fraction(f64),
    /// A mesh is not the surface of a solid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The hull failed.
    #[error(transparent)]
    Hull(#[from] HullError),
}

/// An error unless the length is positive and finite.
fn check_length(what: &'static str, value: f64) -> Result<(), ShapeError> {
    let fine = value > 0.0 && value.is_finite();
    if fine { Ok(()) } else { Err(ShapeError::Length { what, value }) }
}

/// An error unless 0 ≤ `value` < `limit`.
fn check_variation(what: &'static str, value: f64, limit: f64) -> Result<(), ShapeError> {
    let fine = (0.0..limit).contains(&value);
    if fine { Ok(()) } else { Err(ShapeError::Variation { what, value, limit }) }
}

#[cfg(test)]
mod tests;
