//! The scenes that come with the program: the files of `scenes/`, and those of `validation/` that are
//! worth a look, embedded.

use crate::file::SceneError;
use lawine_settings::closest;

/// Scenes of one kind, for lists.
pub struct Group {
    /// What they have in common.
    pub title: &'static str,
    /// Names and texts.
    scenes: &'static [(&'static str, &'static str)],
}

impl Group {
    /// The names of its scenes.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.scenes.iter().map(|&(name, _)| name)
    }
}

/// The text of a file of `scenes/`, or of a case of `validation/`, with its name.
macro_rules! scene {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../scenes/", $name, ".toml")))
    };
    ($name:literal, $case:literal) => {
        ($name, include_str!(concat!("../../../validation/", $case, "/scene.toml")))
    };
}

/// All scenes, in the order of lists.
const GROUPS: &[Group] = &[
    Group {
        title: "Dams, slopes and waves",
        scenes: &[
            scene!("dam-break"),
            scene!("dam-break-3d"),
            scene!("dam-obstacle", "spheric-2"),
            scene!("leaking-dam"),
            scene!("platform"),
            scene!("inclined-plane"),
            scene!("resting"),
            scene!("sloshing"),
        ],
    },
    Group {
        title: "Several matters, and bodies that float",
        scenes: &[
            scene!("three-matters"),
            scene!("floating"),
            scene!("dam-cubes"),
            scene!("flood"),
            scene!("water-wheel"),
            scene!("boulders"),
        ],
    },
    Group {
        title: "Drops, jets and drums",
        scenes: &[
            scene!("drop"),
            scene!("pour-sphere"),
            scene!("thick-column"),
            scene!("drum-liquid"),
            scene!("shapes"),
        ],
    },
    Group {
        title: "Flows with a known solution",
        scenes: &[
            scene!("poiseuille", "poiseuille"),
            scene!("couette", "couette"),
            scene!("taylor-green", "taylor-green"),
            scene!("elliptical-drop", "elliptical-drop"),
        ],
    },
    Group {
        title: "Scenarios and column test of Meiers (2024)",
        scenes: &[
            scene!("meiers-box"),
            scene!("meiers-bowl"),
            scene!("meiers-barriers"),
            scene!("meiers-funnel"),
            scene!("column"),
        ],
    },
    Group {
        title: "The five scenes of Hunkler (2022), in the units of the thesis",
        scenes: &[
            scene!("hunkler-dam"),
            scene!("hunkler-leak"),
            scene!("hunkler-platform"),
            scene!("hunkler-incline"),
            scene!("hunkler-resting"),
        ],
    },
    Group {
        title: "Grains",
        scenes: &[
            scene!("free-tetrahedron"),
            scene!("asymmetric-top"),
            scene!("two-polyhedra"),
            scene!("drifting-grains"),
        ],
    },
    Group {
        title: "Sand, gravel and dice",
        scenes: &[
            scene!("settling-sand"),
            scene!("sand-pile"),
            scene!("grain-by-grain"),
            scene!("wet-pile"),
            scene!("column-plane"),
            scene!("column-collapse"),
            scene!("sand-drum"),
            scene!("vibrated-sand"),
            scene!("convection"),
            scene!("uneven-floor"),
            scene!("brazil-nut"),
            scene!("conveyor"),
            scene!("conveyor-80"),
            scene!("hopper"),
            scene!("hopper-clogs"),
            scene!("density-waves"),
            scene!("silo"),
            scene!("dice"),
        ],
    },
    Group {
        title: "Snow and sand by the material point method",
        scenes: &[
            scene!("snowballs"),
            scene!("hare"),
            scene!("snow-kinds"),
            scene!("snow-plough"),
            scene!("snow-roll"),
            scene!("snow-press"),
            scene!("avalanche"),
            scene!("sand-column"),
            scene!("spinning-cube"),
            scene!("elastic-bar"),
            scene!("cantilever"),
            scene!("p-wave"),
        ],
    },
    Group { title: "For measuring", scenes: &[scene!("bench-cube")] },
];

/// The built-in scenes by kind.
pub fn groups() -> &'static [Group] {
    GROUPS
}

/// The names of the built-in scenes.
pub fn names() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(Group::names)
}

/// The TOML text of a built-in scene.
pub fn get(name: &str) -> Result<&'static str, SceneError> {
    let mut scenes = GROUPS.iter().flat_map(|group| group.scenes);
    scenes.find(|(scene, _)| *scene == name).map(|&(_, text)| text).ok_or_else(|| unknown(name))
}

/// Names and PLY files of the meshes that come with the program.
const MESHES: &[(&str, &[u8])] = &[
    ("hare", include_bytes!("../../../scenes/meshes/hare.ply")),
    ("boat", include_bytes!("../../../scenes/meshes/boat.ply")),
    ("water-wheel", include_bytes!("../../../scenes/meshes/water-wheel.ply")),
];

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

#[cfg(test)]
mod hare;
