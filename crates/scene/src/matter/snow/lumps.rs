//! Lumps: snow that has frozen together breaks where its bonds are weak.
//!
//! Lumps are the cells of a Voronoi diagram of one random seed in each cube of a lattice (Worley 1996).
//! The snow at the faces between them is a material of its own, which bears less stretch.

use glam::{DVec3, IVec3};
use lawine_core::geometry::Random;

/// Thickness of the bond between two lumps, in sizes of a lump.
const BOND: f64 = 0.3;

/// Lumps of a size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lumps {
    /// Distance between the middles of lumps, on average [m].
    pub(super) size: f64,
    pub(super) seed: u64,
    pub(super) planar: bool,
}

impl Lumps {
    /// Whether the snow at `x` [m] lies between two lumps.
    pub(super) fn is_bond(&self, x: DVec3) -> bool {
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
        second - first < BOND
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
    fn bonds_are_thick_and_leave_lumps() {
        for planar in [false, true] {
            let lumps = Lumps { size: 0.1, seed: 3, planar };
            let at = |i: i32| {
                let z = if planar { 0.0 } else { 0.011 * f64::from(i) };
                lumps.is_bond(DVec3::new(0.013 * f64::from(i), -0.007 * f64::from(i), z))
            };
            let bonds = (0..2000).filter(|&i| at(i)).count();
            assert!((800..1800).contains(&bonds), "{bonds} of 2000 are between lumps");
        }
    }
}
