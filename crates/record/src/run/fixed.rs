//! What a state depends on: the keys that cannot change when a run is resumed, stored in its checkpoints.

use lawine_core::hash::Fnv;
use lawine_scene::builtin;
use lawine_scene::file::{LoadedScene, SceneError, SceneFile, parse_scene_text, scene_table};
use lawine_settings::Leaf;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// Values in messages are truncated to this many characters.
const LONGEST_VALUE: usize = 60;

/// A key with another value than the one that a state rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// Its value when the state was made; none if it was not set.
    pub before: Option<String>,
    /// Its value now.
    pub after: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.as_deref().map_or("not set".into(), shorten);
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

/// The first fixed key that differs: the state in a checkpoint, or the files beside it, rest on it, and a run
/// cannot be resumed with another value.
pub fn fixed_difference(before: &SceneFile, after: &SceneFile) -> Option<Difference> {
    differences(before, after).into_iter().next()
}

/// The fixed keys that differ.
fn differences(before: &SceneFile, after: &SceneFile) -> Vec<Difference> {
    let [before, after] = [before, after].map(|scene| scene.clone().derived().to_value());
    let keys = |leaves: &[Leaf<'_>]| -> Vec<String> {
        leaves.iter().filter(|leaf| leaf.fixed).map(|leaf| leaf.key.clone()).collect()
    };
    let (before, after) = (scene_table().leaves(&before), scene_table().leaves(&after));
    let (mut all, more) = (keys(&before), keys(&after));
    let by_key = |leaves: Vec<Leaf<'_>>| -> BTreeMap<String, String> {
        leaves.into_iter().map(|leaf| (leaf.key, leaf.value.to_string())).collect()
    };
    let (mut before, mut after) = (by_key(before), by_key(after));
    all.extend(more.into_iter().filter(|key| !before.contains_key(key)));
    // What is new, such as a body, may have switches that are off.
    let is_on = |value: &&String| *value != "false";
    all.retain(|key| before.get(key).filter(is_on) != after.get(key).filter(is_on));
    let difference = |key: String| {
        let (before, after) = (before.remove(&key), after.remove(&key));
        Difference { key, before, after }
    };
    all.into_iter().map(difference).collect()
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
    pub(super) fn new(scene: &SceneFile, folder: &Path) -> Self {
        let mut meshes = contents(scene, |file| fs::read(folder.join(file)));
        meshes.retain(|key, _| is_matter(key));
        Self { scene: scene.to_toml(), meshes }
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

/// The first fixed key that has another value, wherever the meshes lie and whatever they hold. A scene may leave keys
/// open that were decided when it was built.
pub(super) fn matter_difference(
    before: SceneFile,
    after: SceneFile,
    built: SceneFile,
) -> Option<Difference> {
    let open = differences(&nameless(after.clone()), &nameless(built));
    let is_open = |key: &String| open.iter().any(|d| d.key == *key && d.before.is_none());
    let mut found = differences(&nameless(before), &nameless(after)).into_iter();
    found.find(|difference| !is_open(&difference.key))
}

/// The scene without the names of mesh files.
fn nameless(mut scene: SceneFile) -> SceneFile {
    for (_, file) in scene.mesh_files_mut() {
        file.clear();
    }
    scene
}

/// A number that changes with every value of a scene and with every byte of its meshes.
pub fn fingerprint(loaded: &LoadedScene) -> u64 {
    let mut hash = Fnv::default();
    hash.update(loaded.scene.to_toml().as_bytes());
    for (key, content) in loaded_contents(loaded) {
        hash.update(key.as_bytes());
        hash.update(content.as_bytes());
    }
    hash.finish()
}

/// Whether matter is made from the mesh that this key names. Bodies may change when a run is resumed.
fn is_matter(key: &str) -> bool {
    let along = scene_table().along(key.split('.'));
    along.is_some_and(|settings| settings.iter().any(|setting| setting.fixed))
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
