//! Which places are taken.

use glam::{DVec3, IVec3};
use lawine_core::environment::Environment;
use lawine_core::method::NewParticle;
use std::collections::HashMap;

/// Grains are put a little more than a diameter apart, so that rounding leaves no two of them in touch.
pub const APART: f64 = 1.001;

/// How much room something needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// Distance from bodies [m].
    pub from_bodies: f64,
    /// Distance from what is there already [m].
    pub from_others: f64,
    /// Whether new ones keep that distance from each other, too.
    pub from_each_other: bool,
}

impl Needs {
    /// What grains of a `diameter` [m] need: theirs, and half of it and room for rounding from bodies.
    #[must_use]
    pub fn of_grains(diameter: f64) -> Self {
        Self { from_bodies: 0.499 * diameter, from_others: diameter, from_each_other: true }
    }
}

/// Leaves those of the new particles for which there is room in the space, among bodies and `others`.
pub fn keep_with_room(
    env: &Environment,
    others: &[DVec3],
    new: &mut Vec<NewParticle>,
    needs: Needs,
) {
    new.retain(|p| {
        let free = |body: &lawine_core::body::Body| {
            body.signed_distance(p.position).distance >= needs.from_bodies
        };
        env.space.contains(p.position) && env.bodies.iter().all(free)
    });
    let mut crowd = Crowd::new(others, needs.from_others, new.iter().map(|p| p.position));
    new.retain(|p| {
        let free = !crowd.is_near(p.position);
        if free && needs.from_each_other {
            crowd.push(p.position);
        }
        free
    });
}

/// Particles near some places, sorted into cells.
struct Crowd {
    reach: f64,
    cells: HashMap<IVec3, Vec<DVec3>>,
}

impl Crowd {
    /// Those of `others` that may lie within `reach` [m] of one of the places.
    fn new(others: &[DVec3], reach: f64, places: impl Iterator<Item = DVec3>) -> Self {
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
    fn push(&mut self, x: DVec3) {
        self.cells.entry(self.cell(x)).or_default().push(x);
    }

    /// Whether someone is nearer than the reach.
    fn is_near(&self, x: DVec3) -> bool {
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
