//! Study files: TOML, one schema, the same messages as scene files.

mod check;
mod schema;

pub(crate) use schema::with_unit;
pub use schema::{
    Case, Finding, FindingKind, Measure, Over, Pictures, Plot, PlotKind, PlotReference, Quick,
    Range, Reduction, Reference, Search, StudyFile, Vary,
};

use crate::{StudyError, builtin};
use lawine_scene::file::{Locations, SceneError, read_toml};
use lawine_scene::input::{self, LARGEST_TEXT};
use std::path::{Path, PathBuf};

/// A study that has been read and checked.
#[derive(Clone, Debug)]
pub struct LoadedStudy {
    /// Its name: that of the built-in study, or of the file without its ending.
    pub name: String,
    /// What a command line calls it by: the name or the path.
    pub argument: String,
    /// The text it was read from.
    pub text: String,
    /// Its contents.
    pub file: StudyFile,
    /// Where its keys stand, for later complaints.
    pub locations: Locations,
    /// The folder that relative paths in the study start from.
    pub folder: PathBuf,
}

impl LoadedStudy {
    /// Reads a built-in study by its name, or a file.
    ///
    /// # Errors
    /// When there is none of that name, it cannot be read, or something in it makes no sense.
    pub fn load(argument: &str) -> Result<Self, StudyError> {
        if let Some(text) = builtin::get(argument) {
            return Self::parse(argument, argument, text.to_owned(), PathBuf::new());
        }
        let path = Path::new(argument);
        if path.extension().is_none() && path.components().count() <= 1 && !path.exists() {
            return Err(builtin::unknown(argument));
        }
        let text = input::read_text(path, LARGEST_TEXT)
            .map_err(|e| StudyError::io("read the study file", path, e))?;
        let name = input::stem(path, "study");
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Self::parse(&name, argument, text, folder)
    }

    /// Reads a text under a name; relative paths in it start from the current folder.
    ///
    /// # Errors
    /// When something in it makes no sense.
    pub fn from_text(name: &str, text: String) -> Result<Self, StudyError> {
        Self::parse(name, name, text, PathBuf::new())
    }

    fn parse(
        name: &str,
        argument: &str,
        text: String,
        folder: PathBuf,
    ) -> Result<Self, StudyError> {
        let (file, locations) = read_toml::<StudyFile>(argument, &text, &[], &[])?;
        let (name, argument) = (name.to_owned(), argument.to_owned());
        let study = Self { name, argument, text, file, locations, folder };
        check::check(&study)?;
        Ok(study)
    }

    /// A problem with a key.
    pub fn error(&self, key: &str, message: impl Into<String>) -> StudyError {
        let problem = self.locations.problem(key, message.into());
        StudyError::File(SceneError::Invalid(vec![problem]))
    }
}
