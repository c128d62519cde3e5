//! From a file, a built-in scene or a text to a checked [`SceneFile`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lawine_core::geometry::TriangleMesh;
use lawine_render::ColorMap;
use lawine_settings::{Magnitudes, Settings, read};
use toml_edit::Document;

use super::check::check_relations;
use super::error::{Place, Problem, SceneError};
use super::locations::{LineIndex, Locations};
use super::overrides::Override;
use super::reference::MAGNITUDES;
use super::schema::SceneFile;
use super::toml::value_of;
use crate::builtin;
use crate::input::{self, LARGEST_TEXT};
use crate::mesh::{MeshFileError, load_mesh, parse_mesh};
use crate::select::MATTER;

/// Where a scene comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// A built-in scene, by name.
    BuiltIn(String),
    /// A text, with a name for error messages.
    Text {
        /// The name.
        name: String,
        /// The TOML text.
        text: String,
    },
}

impl Source {
    /// What the command line means by SCENE: a built-in name, or else the path of a file.
    pub fn from_argument(argument: &str) -> Result<Self, SceneError> {
        if builtin::get(argument).is_ok() {
            return Ok(Self::BuiltIn(argument.to_string()));
        }
        let path = Path::new(argument);
        let looks_like_path = path.extension().is_some() || path.components().count() > 1;
        if looks_like_path || path.exists() {
            return Ok(Self::File(path.to_path_buf()));
        }
        Err(builtin::unknown(argument))
    }

    /// The name error messages use.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::BuiltIn(name) => format!("built-in scene {name}"),
            Self::Text { name, .. } => name.clone(),
        }
    }

    /// The folder that relative paths in the scene start from; for scenes without a file, the
    /// current one.
    pub fn folder(&self) -> PathBuf {
        match self {
            Self::File(path) => path.parent().map(Path::to_path_buf).unwrap_or_default(),
            _ => PathBuf::new(),
        }
    }

    /// The TOML text.
    pub fn text(&self) -> Result<String, SceneError> {
        match self {
            Self::File(path) => input::read_text(path, LARGEST_TEXT)
                .map_err(|source| SceneError::Read { path: path.clone(), source }),
            Self::BuiltIn(name) => builtin::get(name).map(str::to_string),
            Self::Text { text, .. } => Ok(text.clone()),
        }
    }
}

/// A loaded scene.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene, resolved and checked.
    pub scene: SceneFile,
    /// Where its keys come from, for later complaints.
    pub locations: Locations,
    /// The folder that relative paths in the scene start from.
    pub folder: PathBuf,
    /// Files that are in memory, by their names; a browser has no others.
    pub files: BTreeMap<String, Arc<[u8]>>,
}

impl LoadedScene {
    /// The path of a file the scene names, for example that of a mesh.
    pub fn path(&self, file: &str) -> PathBuf {
        match builtin::mesh_name(file) {
            Some(_) => file.into(),
            None => self.folder.join(file),
        }
    }

    /// The mesh in a file that the scene names; see [`load_mesh`].
    pub fn mesh(&self, file: &str) -> Result<TriangleMesh, MeshFileError> {
        let Some(bytes) = self.files.get(file) else { return load_mesh(&self.path(file)) };
        let ending = Path::new(file).extension().map(|e| e.to_string_lossy().to_lowercase());
        parse_mesh(&ending.unwrap_or_default(), bytes)
            .map_err(|problem| MeshFileError { path: file.into(), problem })
    }

    /// The scene with absolute paths of meshes, so that it can be written into any folder.
    pub fn portable(&self) -> SceneFile {
        let mut scene = self.scene.clone();
        for (_, file) in scene.mesh_files_mut() {
            if builtin::mesh_name(file).is_none()
                && !self.files.contains_key(file)
                && let Ok(path) = std::path::absolute(self.folder.join(&*file))
            {
                *file = path.display().to_string();
            }
        }
        scene
    }

    /// A problem that shows only when the scene is built, told like those found here. The message
    /// should name the value and what is allowed; where it does not name the key, that is added.
    pub fn error(&self, key: &str, message: impl Into<String>) -> SceneError {
        let message = message.into();
        let message = if message.contains(key) { message } else { format!("{key}: {message}") };
        SceneError::Invalid(vec![self.locations.problem(key, message)])
    }
}

/// Loads a scene, applies overrides (`KEY=VALUE`, later ones win), resolves and checks it.
pub fn load(source: &Source, overrides: &[String]) -> Result<LoadedScene, SceneError> {
    load_with(source, &Override::parse_all(overrides)?)
}

/// As [`load`], with overrides that know what to call themselves.
pub fn load_with(source: &Source, overrides: &[Override]) -> Result<LoadedScene, SceneError> {
    let (scene, locations) = parse(&source.name(), &source.text()?, overrides)?;
    Ok(LoadedScene { scene, locations, folder: source.folder(), files: BTreeMap::new() })
}

/// Reads a scene from text alone.
pub fn parse_scene_text(text: &str) -> Result<SceneFile, SceneError> {
    parse("scene", text, &[]).map(|(scene, _)| scene)
}

/// Text and overrides to a checked scene.
fn parse(
    name: &str,
    text: &str,
    overrides: &[Override],
) -> Result<(SceneFile, Locations), SceneError> {
    let (mut scene, locations) = read_toml::<SceneFile>(name, text, overrides, MAGNITUDES)?;
    let is_set = |key: &str| overrides.iter().any(|set| set.is_of(key));
    if scene.view.colors == ColorMap::Cfl && is_set("view.colors") && !is_set("view.range") {
        // The meter has a range of its own; that of the file belongs to the file's colours.
        scene.view.range = None;
    }
    // Whoever asks for colours asks for a field.
    let asks = |is_set: &dyn Fn(&str) -> bool| {
        !is_set("view.field") && (is_set("view.colors") || is_set("view.range"))
    };
    if scene.view.field == MATTER && (asks(&is_set) || asks(&|key| locations.has_line(key))) {
        scene.view.field = "speed".into();
    }
    scene.resolve();
    check_relations(&scene, &locations)?;
    Ok((scene, locations))
}

/// Text and overrides to the settings of a file, whose numbers must have magnitudes that their units allow.
/// Everything that is wrong is found at once.
pub fn read_toml<T: Settings>(
    name: &str,
    text: &str,
    overrides: &[Override],
    units: &[Magnitudes],
) -> Result<(T, Locations), SceneError> {
    let document = parse_toml(name, text)?;
    let locations = Locations::of(name, &document, overrides);
    let mut document = document.into_mut();
    for set in overrides {
        set.apply(&mut document)?;
    }
    let file = value_of(document.as_item());
    let data = read(&file, units).map_err(|problems| locations.error(problems))?;
    Ok((data, locations))
}

/// Text to a TOML document that knows its lines.
fn parse_toml<'a>(name: &str, text: &'a str) -> Result<Document<&'a str>, SceneError> {
    Document::parse(text).map_err(|error| {
        let index = LineIndex::new(text);
        let line = error.span().map(|span| index.line(span.start));
        let shown = line.and_then(|line| text.lines().nth(line - 1)).unwrap_or_default().trim();
        let shown: String = shown.chars().take(80).collect();
        SceneError::Invalid(vec![Problem {
            place: Place::Line(name.into(), line),
            key: String::new(),
            message: format!("this is not TOML: {} in `{shown}`", error.message()),
        }])
    })
}
