//! Sizes of grains.

use super::{ShapeError, check_length, check_variation};
use crate::geometry::Random;

/// A distribution of sizes, as the parameters describe it; sizes are in metres, or factors if the
/// lengths given are factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SizeDistribution {
    /// The same size for all.
    Fixed {
        /// The size [m].
        size: f64,
    },
    /// Uniform distribution between two sizes.
    Uniform {
        /// Smallest size [m].
        min: f64,
        /// Largest size [m].
        max: f64,
    },
    /// Log-normal distribution.
    LogNormal {
        /// Half of the grains are smaller [m].
        median: f64,
        /// Standard deviation of ln(size), from 0 to below 3.
        sigma: f64,
    },
    /// Two sizes.
    TwoComponents {
        /// Size of the first component [m].
        first: f64,
        /// Size of the second component [m].
        second: f64,
        /// Fraction of the first by number, 0 to 1.
        fraction: f64,
    },
}

/// A checked distribution, ready to draw sizes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes(SizeDistribution);

impl Sizes {
    /// Checks the distribution.
    ///
    /// # Errors
    /// When a size is not positive, the range is empty, or a fraction or deviation is out of range.
    pub fn new(distribution: SizeDistribution) -> Result<Self, ShapeError> {
        match distribution {
            SizeDistribution::Fixed { size } => check_length("the size", size)?,
            SizeDistribution::Uniform { min, max } => {
                check_length("the smallest size", min)?;
                check_length("the largest size", max)?;
                check_length("the largest size less the smallest", max - min)?;
            }
            SizeDistribution::LogNormal { median, sigma } => {
                check_length("the median size", median)?;
                check_variation("sigma", sigma, 3.0)?;
            }
            SizeDistribution::TwoComponents { first, second, fraction } => {
                check_length("the first size", first)?;
                check_length("the second size", second)?;
                if !(0.0..=1.0).contains(&fraction) {
                    return Err(ShapeError::Fraction(fraction));
                }
            }
        }
        Ok(Self(distribution))
    }

    /// Draws a size [m].
    pub fn draw(&self, random: &mut Random) -> f64 {
        match self.0 {
            SizeDistribution::Fixed { size } => size,
            SizeDistribution::Uniform { min, max } => random.range(min, max),
            SizeDistribution::LogNormal { median, sigma } => {
                median * (sigma * random.normal()).exp()
            }
            SizeDistribution::TwoComponents { first, second, fraction } => {
                if random.unit() < fraction { first } else { second }
            }
        }
    }
}
