//! The `.pvd` file that lists all frames with their times: the one to open in ParaView.

use std::fs;
use std::path::Path;

use super::{VtkError, VtkProblem, attribute, escape};
use crate::output::atomic::atomic_write_unsynced;

/// The part number of the particles.
pub const PARTICLES_PART: u32 = 0;
/// The part number of the bodies.
pub const BODIES_PART: u32 = 1;

/// The part number of the surfaces of grains.
pub const GRAINS_PART: u32 = 2;
/// The part with the surface of liquid or snow.
pub const MATTER_PART: u32 = 3;

/// One file of a [`Collection`].
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionEntry {
    /// Time of the frame [s].
    pub time: f64,
    /// [`PARTICLES_PART`], [`BODIES_PART`] or [`GRAINS_PART`].
    pub part: u32,
    /// Path relative to the `.pvd` file, with `/` between folders.
    pub file: String,
}

/// The list of all files of all frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collection {
    /// The files in the order of time.
    pub entries: Vec<CollectionEntry>,
}

impl Collection {
    /// Adds one file.
    pub fn push(&mut self, time: f64, part: u32, file: impl Into<String>) {
        self.entries.push(CollectionEntry { time, part, file: file.into() });
    }

    /// Forgets the files after `time` [s]: for a run that is resumed from there.
    pub fn truncate_after(&mut self, time: f64) {
        self.entries.retain(|entry| entry.time <= time);
    }

    /// Writes the list atomically. To be called after each frame, so that the frames of an
    /// interrupted run can be opened.
    ///
    /// # Errors
    /// [`VtkError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), VtkError> {
        atomic_write_unsynced(path, |out| out.write_all(self.text().as_bytes()))
            .map_err(|source| VtkError::Io { action: "write", path: path.to_owned(), source })
    }

    fn text(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
             <Collection>\n",
        );
        for CollectionEntry { time, part, file } in &self.entries {
            let file = escape(file);
            text += &format!(
                "<DataSet timestep=\"{time:?}\" group=\"\" part=\"{part}\" file=\"{file}\"/>\n"
            );
        }
        text + "</Collection>\n</VTKFile>\n"
    }

    /// Reads a list that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// [`VtkError::Io`], [`VtkError::Unusable`].
    pub fn read(path: &Path) -> Result<Self, VtkError> {
        let bytes = fs::read(path).map_err(|source| VtkError::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        parse(&String::from_utf8_lossy(&bytes))
            .map_err(|problem| VtkError::Unusable { path: path.to_owned(), problem })
    }
}

fn parse(text: &str) -> Result<Collection, VtkProblem> {
    if !text.contains("<VTKFile type=\"Collection\"") {
        return Err(VtkProblem::Foreign("it is not a collection".to_owned()));
    }
    if !text.contains("</Collection>") {
        return Err(VtkProblem::Truncated("the end of the list is missing".to_owned()));
    }
    let mut collection = Collection::default();
    for tag in text.split("<DataSet ").skip(1) {
        let tag = tag.split_once("/>").map_or(tag, |(tag, _)| tag);
        let entry = || {
            let time = attribute(tag, "timestep")?.parse().ok()?;
            let part = attribute(tag, "part")?.parse().ok()?;
            Some(CollectionEntry { time, part, file: attribute(tag, "file")? })
        };
        collection
            .entries
            .push(entry().ok_or_else(|| VtkProblem::Damaged(format!("the entry `{tag}`")))?);
    }
    Ok(collection)
}
