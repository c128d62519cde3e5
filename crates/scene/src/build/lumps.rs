//! Lumps: snow that has frozen together breaks where its bonds are weak.
//!
//! Lumps are the cells of a Voronoi diagram of one random seed in each cube of a lattice (Worley 1996).
//! Near the faces between them snow starts as if it had been stretched already: J_P > 1 softens it.

use glam::{DVec3, IVec3};
use lawine_core::geometry::Random;

/// Share of a lump's size over which the bond between two lumps fades.
const BOND: f64 = 0.35;

/// Lumps of a size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lumps {
    /// Distance between the middles of lumps, on average [m].
    pub(super) size: f64,
    /// J_P − 1 in the middle of a bond.
    pub(super) weakness: f64,
    pub(super) seed: u64,
    pub(super) planar: bool,
}

impl Lumps {
    /// J_P of the snow at `x` [m]: 1 within lumps, up to 1 + weakness between them.
    pub(super) fn plastic_volume(&self, x: DVec3) -> f64 {
        let place = x / self.size;
        let home = place.floor().as_ivec3();
        let (mut first, mut second) = (f64::INFINITY, f64::INFINITY);
        let depth = if self.planar { 0..=0 } else { -1..=1 };
        for dz in depth {
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let d = place.distance(self.middle(home + IVec3::new(dx, dy, dz)));
                    (first, second) = (first.min(d), second.min(first.max(d)));
                }
            }
        }
        1.0 + self.weakness * (1.0 - (second - first) / BOND).max(0.0)
    }

    /// The seed of a cube of the lattice, in sizes.
    fn middle(&self, cube: IVec3) -> DVec3 {
        let key = cube.to_array().iter().fold(0_u64, |key, &k| key << 21 | (k as u64 & 0x1f_ffff));
        let mut random = Random::stream(self.seed, key);
        let place = DVec3::new(random.unit(), random.unit(), random.unit());
        let middle = cube.as_dvec3() + place;
        if self.planar { middle.with_z(0.0) } else { middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lumps_are_whole_and_bonds_are_weak() {
        for planar in [false, true] {
            let lumps = Lumps { size: 0.1, weakness: 0.2, seed: 3, planar };
            let at = |i: i32| {
                let z = if planar { 0.0 } else { 0.011 * f64::from(i) };
                lumps.plastic_volume(DVec3::new(0.013 * f64::from(i), -0.007 * f64::from(i), z))
            };
            let values: Vec<f64> = (0..2000).map(at).collect();
            assert!(values.iter().all(|j| (1.0..=1.2).contains(j)));
            let whole = values.iter().filter(|j| **j <= 1.0).count();
            assert!((200..1800).contains(&whole), "{whole} of 2000 are within lumps");
            assert!(values.iter().any(|j| *j > 1.15));
        }
    }
}
