//! What a state rests on: the keys that cannot change when a run goes on, kept in its checkpoints.

use crate::build::derived;
use crate::builtin;
use crate::file::{LoadedScene, SceneError, SceneFile, parameters, parse_scene_text};
use lawine_core::hash::Fnv;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// Values in messages are cut to this many letters.
const LONGEST_VALUE: usize = 60;

/// The first key that differs although the state in a checkpoint, or the files beside it, rest on
/// it: a run cannot go on with another value.
pub fn fixed_key_that_differs(before: &SceneFile, after: &SceneFile) -> Option<&'static str> {
    let bits = |a: f64, b: f64| a.to_bits() == b.to_bits();
    let cell = |s: &SceneFile| s.snow.as_ref().map(|snow| snow.cell.to_bits());
    let spacing = |s: &SceneFile| s.liquid.as_ref().map(|l| l.spacing.to_bits());
    let density = |s: &SceneFile| s.liquid.as_ref().map(|l| l.rest_density.to_bits());
    [
        ("space.dimension", before.space.dimension == after.space.dimension),
        ("seed", before.seed == after.seed),
        ("liquid.spacing", spacing(before) == spacing(after)),
        ("snow.cell", cell(before) == cell(after)),
        ("material", derived(&before.material) == derived(&after.material)),
        ("liquid.rest_density", density(before) == density(after)),
        ("start", bits(before.start, after.start)),
        ("fill", before.fill == after.fill),
        ("grains", before.grains == after.grains),
        ("grain", before.grain == after.grain),
        ("block", before.block == after.block),
        ("contact", before.contact == after.contact),
        ("pour", before.pour == after.pour),
        ("emitter", before.emitter == after.emitter),
        ("outlet", before.outlet == after.outlet),
        ("output.every", bits(before.output.every, after.output.every)),
    ]
    .into_iter()
    .find_map(|(key, same)| (!same).then_some(key))
}

/// A key with another value than the one that a state rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// Its value when the state was made; none if it was not given.
    pub before: Option<String>,
    /// Its value now.
    pub after: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.as_deref().map_or("not given".into(), shorten);
        let (before, after) = (value(&self.before), value(&self.after));
        write!(f, "{} was {before} and is now {after}", self.key)
    }
}

/// A value on one line, of a readable length.
fn shorten(value: &str) -> String {
    let line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_VALUE {
        return line;
    }
    line.chars().take(LONGEST_VALUE - 3).chain("...".chars()).collect()
}

/// The first fixed key that differs, to the single value within its table.
///
/// # Errors
/// When a scene cannot be written as TOML.
pub fn fixed_difference(
    before: &SceneFile,
    after: &SceneFile,
) -> Result<Option<Difference>, SceneError> {
    let Some(table) = fixed_key_that_differs(before, after) else { return Ok(None) };
    let values = |scene: &SceneFile| -> Result<BTreeMap<String, String>, SceneError> {
        let is_inside = |key: &str| {
            key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let scene = SceneFile { material: derived(&scene.material), ..scene.clone() };
        let all = parameters(&scene)?.into_iter().filter(|p| is_inside(&p.key));
        Ok(all.map(|p| (p.key, p.value)).collect())
    };
    let (before, after) = (values(before)?, values(after)?);
    let key = before.keys().chain(after.keys()).find(|&key| before.get(key) != after.get(key));
    let key = key.map_or(table, String::as_str);
    let value = |values: &BTreeMap<String, String>| values.get(key).cloned();
    Ok(Some(Difference { key: key.to_owned(), before: value(&before), after: value(&after) }))
}

/// The scene that a state belongs to.
///
/// The whole text is kept, and not only a hash: a message can name key and values, and a later
/// version of the program fills in the same defaults on both sides.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Origin {
    /// The resolved scene file.
    scene: String,
    /// What the meshes hold from which matter is made, by their keys.
    meshes: BTreeMap<String, String>,
}

impl Origin {
    /// Of a scene in the folder of its meshes.
    pub(super) fn new(scene: &SceneFile, folder: &Path) -> Result<Self, SceneError> {
        let mut meshes = contents(scene, |file| fs::read(folder.join(file)));
        meshes.retain(|key, _| is_matter(key));
        Ok(Self { scene: scene.to_toml()?, meshes })
    }

    /// The scene.
    pub(super) fn scene(&self) -> Result<SceneFile, SceneError> {
        parse_scene_text(&self.scene)
    }

    /// The first mesh of fixed matter that is not the same any more.
    pub(super) fn mesh_difference(&self, loaded: &LoadedScene) -> Option<Difference> {
        let mut meshes = loaded_contents(loaded).into_iter().filter(|(key, _)| is_matter(key));
        meshes.find_map(|(key, after)| {
            let before = self.meshes.get(&key).cloned();
            let differs = before.as_ref() != Some(&after);
            differs.then_some(Difference { key, before, after: Some(after) })
        })
    }
}

/// The first fixed key that has another value, wherever the meshes lie and whatever they hold.
pub(super) fn matter_difference(
    before: SceneFile,
    after: SceneFile,
) -> Result<Option<Difference>, SceneError> {
    fixed_difference(&nameless(before), &nameless(after))
}

/// The scene without the names of mesh files.
fn nameless(mut scene: SceneFile) -> SceneFile {
    for (_, file) in scene.mesh_files_mut() {
        file.clear();
    }
    scene
}

/// A number that changes with every value of a scene and with every byte of its meshes.
///
/// # Errors
/// When the scene cannot be written as TOML.
pub fn fingerprint(loaded: &LoadedScene) -> Result<u64, SceneError> {
    let mut hash = Fnv::default();
    hash.update(loaded.scene.to_toml()?.as_bytes());
    for (key, content) in loaded_contents(loaded) {
        hash.update(key.as_bytes());
        hash.update(content.as_bytes());
    }
    Ok(hash.finish())
}

/// Whether matter is made from the mesh that this key names. Bodies may change while a run goes on.
fn is_matter(key: &str) -> bool {
    !key.starts_with("body.")
}

/// What the meshes of a loaded scene hold.
fn loaded_contents(loaded: &LoadedScene) -> BTreeMap<String, String> {
    contents(&loaded.scene, |file| match loaded.files.get(file) {
        Some(bytes) => Ok(bytes.to_vec()),
        None => fs::read(loaded.path(file)),
    })
}

/// What mesh files hold, by the keys that name them.
fn contents(
    scene: &SceneFile,
    read: impl Fn(&str) -> io::Result<Vec<u8>>,
) -> BTreeMap<String, String> {
    let mut scene = scene.clone();
    scene
        .mesh_files_mut()
        .map(|(key, file)| {
            let content = if builtin::mesh_name(file).is_some() {
                file.clone()
            } else {
                describe(read(file))
            };
            (key, content)
        })
        .collect()
}

fn describe(content: io::Result<Vec<u8>>) -> String {
    match content {
        Ok(bytes) => format!("a mesh of {} bytes with hash {:016x}", bytes.len(), Fnv::of(&bytes)),
        Err(error) => format!("a mesh that cannot be read ({error})"),
    }
}
