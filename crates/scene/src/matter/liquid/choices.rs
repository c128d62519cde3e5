//! Liquids that are offered in the viewer.

use crate::matter::choices::{Choice, Preset, is, presets, sizes, words, written};
use lawine_solvers::sph::settings::{Liquid, PressureKind};

/// Liquids. The viscosities are true ones but for water, which needs more to calm the sound waves of
/// an equation of state.
const LIQUIDS: &[Preset<3>] = &[
    ("water", "1000 kg/m³, with slightly increased viscosity", ["1000.0", "0.001", "\"explicit\""]),
    ("oil", "900 kg/m³, 0.01 m²/s: cold heavy engine oil", ["900.0", "0.01", "\"implicit\""]),
    ("honey", "1400 kg/m³, 0.1 m²/s: thick honey", ["1400.0", "0.1", "\"implicit\""]),
    ("mercury", "13,534 kg/m³", ["13534.0", "0.0005", "\"explicit\""]),
];

/// Pressure solver, size and material.
pub(super) fn choices(liquid: &Liquid) -> Vec<Choice> {
    let keys = ["liquid.rest_density", "liquid.viscosity", "liquid.viscosity_solver"];
    let is_now = |[density, viscosity, _]: &[&str; 3]| {
        is(density, liquid.rest_density) && is(viscosity, liquid.viscosity)
    };
    vec![
        words(
            "pressure",
            "liquid.pressure.method",
            PressureKind::WORDS,
            liquid.pressure.method.word(),
        ),
        sizes(format!("particle size {} m", liquid.spacing), |factor| {
            let spacing = format!("liquid.spacing={}", written(liquid.spacing * factor));
            let support = format!("liquid.support={}", written(liquid.support() * factor));
            vec![spacing, support]
        }),
        Choice { label: "material".to_owned(), offers: presets(keys, LIQUIDS, false, is_now) },
    ]
}
