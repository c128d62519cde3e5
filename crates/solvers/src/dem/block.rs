//! A block of sand: places for grains on a lattice.

use glam::DVec3;

/// A block that is filled with grains on a lattice (Schinner, Appendix D).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Lowest corner [m].
    pub origin: DVec3,
    /// Edge lengths [m].
    pub size: DVec3,
    /// Distance of neighbouring places along the axes [m].
    pub spacing: DVec3,
}

/// Why grains cannot be put into a block.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlockError {
    /// More grains than places.
    #[error("{asked} grains do not fit into the block, which has {places} sites")]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many fit.
        places: usize,
    },
    /// A length is not positive and finite.
    #[error("the {what} of the block is ({}, {}, {}) m; it must be positive", .value.x, .value.y, .value.z)]
    Length {
        /// Size or spacing.
        what: &'static str,
        /// What it is [m].
        value: DVec3,
    },
    /// Grains would overlap at the start.
    #[error("the spacing of the block is {spacing} m, but grains are up to {diameter} m across")]
    TooClose {
        /// The smallest spacing [m].
        spacing: f64,
        /// The largest diameter [m].
        diameter: f64,
    },
}

impl Block {
    /// How many grains fit along each axis.
    ///
    /// # Errors
    /// When a length is not positive.
    pub fn counts(&self) -> Result<[usize; 3], BlockError> {
        for (what, value) in [("size", self.size), ("spacing", self.spacing)] {
            if !(value.is_finite() && value.min_element() > 0.0) {
                return Err(BlockError::Length { what, value });
            }
        }
        // A few roundings must not cost a layer.
        let count = |k: usize| (self.size[k] / self.spacing[k] * (1.0 + 1e-12)).min(1e6) as usize;
        Ok([count(0), count(1), count(2)])
    }

    /// Places for `count` grains no larger than `diameter` [m], in layers from the bottom (y up, then
    /// z, then x). All places are taken when no number is given.
    ///
    /// # Errors
    /// When a length is not positive, the spacing is smaller than the grains, or they do not fit.
    pub fn places(&self, count: Option<usize>, diameter: f64) -> Result<Vec<DVec3>, BlockError> {
        let [nx, ny, nz] = self.counts()?;
        let spacing = self.spacing.min_element();
        if spacing < diameter {
            return Err(BlockError::TooClose { spacing, diameter });
        }
        let places = nx.saturating_mul(ny).saturating_mul(nz);
        let asked = count.unwrap_or(places);
        if asked > places {
            return Err(BlockError::TooMany { asked, places });
        }
        let at = |i: usize| {
            let lattice = [i % nx, i / (nx * nz), i / nx % nz].map(|k| k as f64 + 0.5);
            self.origin + DVec3::from_array(lattice) * self.spacing
        };
        Ok((0..asked).map(at).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_inside_and_too_many_are_refused() {
        let block = Block {
            origin: DVec3::ONE,
            size: DVec3::new(0.4, 0.3, 0.2),
            spacing: DVec3::splat(0.1),
        };
        let places = block.places(None, 0.1).unwrap();
        assert_eq!((places.len(), block.counts()), (24, Ok([4, 3, 2])));
        let inside = |p: &DVec3| (*p - DVec3::ONE).cmpge(DVec3::splat(0.049)).all();
        assert!(places.iter().all(inside));
        assert!(places.windows(2).all(|w| w[0].distance(w[1]) > 0.099));
        assert_eq!(block.places(Some(5), 0.1).unwrap(), places[..5]);
        let error = block.places(Some(25), 0.1).unwrap_err().to_string();
        assert_eq!(error, "25 grains do not fit into the block, which has 24 sites");
        assert!(matches!(block.places(None, 0.2), Err(BlockError::TooClose { .. })));
        let flat = Block { size: DVec3::new(1.0, 0.0, 1.0), ..block };
        assert!(flat.places(None, 0.1).unwrap_err().to_string().contains("must be positive"));
    }
}
