//! Snow that is made of two things: lumps with bonds between them, or snow with water in its pores.

use super::lumps::Lumps;
use super::materials;
use crate::file::SceneFile;
use glam::DVec3;
use lawine_core::geometry::Random;
use lawine_solvers::mpm::settings::{Law, NamedMaterial};
use lawine_solvers::mpm::{Laws, Liquid, Material};

/// Water in the pores of snow. Its bulk modulus is far below that of water, which would cost short
/// steps; waves of 45 m/s are fast against any snowball.
pub(super) const WATER: Material =
    Material { density: 1000.0, law: Laws::Liquid(Liquid { bulk_modulus: 2e6 }) };

/// the components of a material of the scene, by index.
#[derive(Clone, Debug, Default)]
struct Mixture {
    /// Lumps, and the number of what lies between them.
    lumps: Option<(Lumps, usize)>,
    /// Fraction of the particles that are water.
    water: f64,
}

/// What the materials of a scene are mixed of.
pub(super) struct Mixtures(Vec<Mixture>);

impl Mixtures {
    pub(super) fn new(scene: &SceneFile, planar: bool) -> Self {
        let index = |name: &String| materials(scene).iter().position(|m| m.name == *name);
        let mixture = |material: &NamedMaterial| {
            let Law::Snow(law) = &material.law else { return Mixture::default() };
            let lumps = law.lumps.map(|size| Lumps { size, seed: scene.seed, planar });
            let lumps = lumps.zip(law.bonds.as_ref().and_then(index));
            Mixture { lumps, water: law.water.unwrap_or(law.kind.water()) }
        };
        Self(materials(scene).iter().map(mixture).collect())
    }

    /// Whether there is water; it is the material after those of the scene.
    pub(super) fn have_water(&self) -> bool {
        self.0.iter().any(|mixture| mixture.water > 0.0)
    }

    /// The index of the material at `x` [m] in a fill with material `index`.
    pub(super) fn at(&self, index: usize, x: DVec3, random: &mut Random) -> usize {
        let index = match self.0.get(index).and_then(|mixture| mixture.lumps) {
            Some((lumps, bond)) if lumps.is_bond(x) => bond,
            _ => index,
        };
        let water = self.0.get(index).map_or(0.0, |mixture| mixture.water);
        if water > 0.0 && random.unit() < water { self.0.len() } else { index }
    }
}
