//! What the descriptions of the keys provide: parameters of a scene, and the magnitudes of numbers.

use super::schema::SceneFile;
use super::toml::inline;
use lawine_settings::{Magnitudes, Setting, Settings, Table};

/// The magnitudes of every unit: far beyond what anybody simulates, and near enough that sums, squares
/// and products of a few such numbers neither overflow nor vanish.
pub const MAGNITUDES: &[Magnitudes] = &[
    Magnitudes { unit: "", least: 1e-12, most: 1e12 },
    Magnitudes { unit: "m", least: 1e-9, most: 1e6 },
    Magnitudes { unit: "m³", least: 1e-27, most: 1e6 },
    Magnitudes { unit: "s", least: 1e-12, most: 1e9 },
    Magnitudes { unit: "1/s", least: 1e-9, most: 1e9 },
    Magnitudes { unit: "m/s", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "m/s²", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "m²/s", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "rad", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "rad/s", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "°", least: 1e-9, most: 1e6 },
    Magnitudes { unit: "°/s", least: 1e-9, most: 1e6 },
    Magnitudes { unit: "kg/m³", least: 1e-6, most: 1e6 },
    Magnitudes { unit: "kg", least: 1e-12, most: 1e12 },
    Magnitudes { unit: "N/m", least: 1e-12, most: 1e6 },
    Magnitudes { unit: "Pa", least: 1e-9, most: 1e15 },
];

/// The keys of a whole scene file.
pub fn scene_table() -> &'static Table {
    const { &SceneFile::TABLE }
}

/// A parameter of a scene, for reports and panels.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Path of the key, for example `body.0.motion.0.vibration.amplitude`; `--set` takes the same.
    pub key: String,
    /// The value as a scene file spells it.
    pub value: String,
    /// Its description.
    pub setting: &'static Setting,
    /// Whether it cannot change once a run has begun.
    pub fixed: bool,
}

/// Every parameter of a scene, defaults included, in the order of the file.
pub fn parameters(scene: &SceneFile) -> Vec<Parameter> {
    let value = scene.to_value();
    let leaves = scene_table().leaves(&value).into_iter();
    leaves
        .map(|leaf| Parameter {
            key: leaf.key,
            value: inline(leaf.value).to_string(),
            setting: leaf.setting,
            fixed: leaf.fixed,
        })
        .collect()
}
