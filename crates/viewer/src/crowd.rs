//! Which places are taken.

use glam::{DVec3, IVec3};
use std::collections::HashMap;

/// Particles near some places, sorted into cells.
pub(crate) struct Crowd {
    reach: f64,
    cells: HashMap<IVec3, Vec<DVec3>>,
}

impl Crowd {
    /// Those of `others` that may lie within `reach` [m] of one of the places.
    pub(crate) fn new(others: &[DVec3], reach: f64, places: impl Iterator<Item = DVec3>) -> Self {
        let mut crowd = Self { reach, cells: HashMap::new() };
        let (low, high) = places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| {
            (low.min(p), high.max(p))
        });
        let inside = |x: &&DVec3| x.cmpge(low - reach).all() && x.cmple(high + reach).all();
        for &x in others.iter().filter(inside) {
            crowd.push(x);
        }
        crowd
    }

    /// Takes another place.
    pub(crate) fn push(&mut self, x: DVec3) {
        self.cells.entry(self.cell(x)).or_default().push(x);
    }

    /// Whether someone is nearer than the reach.
    pub(crate) fn is_near(&self, x: DVec3) -> bool {
        let middle = self.cell(x);
        let reach2 = self.reach * self.reach;
        (-1..=1).any(|i| {
            (-1..=1).any(|j| {
                (-1..=1).any(|k| {
                    let there = self.cells.get(&(middle + IVec3::new(i, j, k)));
                    there.is_some_and(|c| c.iter().any(|y| x.distance_squared(*y) < reach2))
                })
            })
        })
    }

    fn cell(&self, x: DVec3) -> IVec3 {
        (x / self.reach).floor().as_ivec3()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_near_across_cells() {
        let others = [DVec3::new(0.99, 0.5, 0.0), DVec3::new(-3.0, 0.0, 0.0)];
        let places = [DVec3::new(1.2, 0.5, 0.0), DVec3::new(2.0, 0.5, 0.0)];
        let crowd = Crowd::new(&others, 1.0, places.into_iter());
        assert!(crowd.is_near(places[0]) && !crowd.is_near(places[1]));
        let mut crowd = Crowd::new(&[], 1.0, places.into_iter());
        assert!(!crowd.is_near(places[0]));
        crowd.push(places[1]);
        assert!(crowd.is_near(places[0]));
    }
}
