//! The scenes that come with the program: the files of `scenes/`, embedded.

use crate::file::{SceneError, closest};

/// Names and texts, in the order of lists.
const SCENES: &[(&str, &str)] = &[
    ("dam-break", include_str!("../../../scenes/dam-break.toml")),
    ("dam-break-3d", include_str!("../../../scenes/dam-break-3d.toml")),
    ("column", include_str!("../../../scenes/column.toml")),
    ("resting", include_str!("../../../scenes/resting.toml")),
    ("hunkler-dam", include_str!("../../../scenes/hunkler-dam.toml")),
    ("hunkler-leak", include_str!("../../../scenes/hunkler-leak.toml")),
    ("hunkler-platform", include_str!("../../../scenes/hunkler-platform.toml")),
    ("hunkler-incline", include_str!("../../../scenes/hunkler-incline.toml")),
    ("hunkler-resting", include_str!("../../../scenes/hunkler-resting.toml")),
    ("leaking-dam", include_str!("../../../scenes/leaking-dam.toml")),
    ("platform", include_str!("../../../scenes/platform.toml")),
    ("inclined-plane", include_str!("../../../scenes/inclined-plane.toml")),
    ("dam-obstacle", include_str!("../../../scenes/dam-obstacle.toml")),
    ("sloshing", include_str!("../../../scenes/sloshing.toml")),
    ("drop", include_str!("../../../scenes/drop.toml")),
    ("drum-liquid", include_str!("../../../scenes/drum-liquid.toml")),
    ("poiseuille", include_str!("../../../scenes/poiseuille.toml")),
    ("couette", include_str!("../../../scenes/couette.toml")),
    ("taylor-green", include_str!("../../../scenes/taylor-green.toml")),
    ("elliptical-drop", include_str!("../../../scenes/elliptical-drop.toml")),
    ("snowballs", include_str!("../../../scenes/snowballs.toml")),
    ("bench-cube", include_str!("../../../scenes/bench-cube.toml")),
];

/// The names of the built-in scenes.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|&(name, _)| name)
}

/// The TOML text of a built-in scene.
pub fn get(name: &str) -> Result<&'static str, SceneError> {
    let found = SCENES.iter().find(|&&(scene, _)| scene == name);
    found.map(|&(_, text)| text).ok_or_else(|| unknown(name))
}

/// Names and PLY files of the meshes that come with the program.
const MESHES: &[(&str, &[u8])] = &[("hare", include_bytes!("../../../scenes/meshes/hare.ply"))];

/// The names of the built-in meshes; a scene calls them `builtin:NAME`.
pub fn meshes() -> impl Iterator<Item = &'static str> {
    MESHES.iter().map(|&(name, _)| name)
}

/// The PLY file of a built-in mesh.
pub fn mesh(name: &str) -> Option<&'static [u8]> {
    MESHES.iter().find(|&&(mesh, _)| mesh == name).map(|&(_, file)| file)
}

/// The name of the built-in mesh that a scene means by `file`, if it does.
pub fn mesh_name(file: &str) -> Option<&str> {
    file.strip_prefix("builtin:")
}

/// The error for a name that does not exist: the closest name and the list.
pub(crate) fn unknown(name: &str) -> SceneError {
    SceneError::UnknownScene {
        name: name.into(),
        suggestion: closest(name, names()).map(str::to_string),
        names: names().collect::<Vec<_>>().join(", "),
    }
}
