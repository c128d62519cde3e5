//! The `.pvd` file that lists all frames with their times: the one to open in ParaView.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{VtkError, VtkProblem, attribute, escape};
use crate::output::atomic::atomic_write_unsynced;
use lawine_scene::matter::kinds;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
     <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
     <Collection>\n";
const TAIL: &str = "</Collection>\n</VTKFile>\n";

/// The blocks that come after those of the matters.
const OTHERS: [&str; 3] = ["bodies", "shapes", "surface"];

/// The index of a block: ParaView joins the files of one.
fn part(block: &str) -> usize {
    let matters = kinds().iter().map(|kind| kind.key());
    let known = matters.chain(OTHERS).position(|name| name == block);
    known.unwrap_or(kinds().len() + OTHERS.len())
}

/// One file of a [`Collection`].
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionEntry {
    /// Time of the frame [s].
    pub time: f64,
    /// Name of the block: a matter, `shapes` of grains, the `surface` of matter, or `bodies`.
    pub block: String,
    /// Path relative to the `.pvd` file, with `/` between folders.
    pub file: String,
}

impl CollectionEntry {
    fn line(&self) -> String {
        let Self { time, block, file } = self;
        let (part, block, file) = (part(block), escape(block), escape(file));
        format!(
            "<DataSet timestep=\"{time:?}\" group=\"\" part=\"{part}\" name=\"{block}\" file=\"{file}\"/>\n"
        )
    }

    /// From what follows after `<DataSet `; none if it is not whole.
    fn parse(tag: &str) -> Option<Self> {
        let (tag, _) = tag.split_once("/>")?;
        let time = attribute(tag, "timestep")?.parse().ok()?;
        Some(Self { time, block: attribute(tag, "name")?, file: attribute(tag, "file")? })
    }
}

/// The list of all files of all frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collection {
    /// The files in the order of time.
    pub entries: Vec<CollectionEntry>,
}

impl Collection {
    /// Adds one file.
    pub fn push(&mut self, time: f64, block: &str, file: impl Into<String>) {
        self.entries.push(CollectionEntry { time, block: block.to_owned(), file: file.into() });
    }

    /// Forgets the files after `time` [s]: for a run that is resumed from there.
    pub fn truncate_after(&mut self, time: f64) {
        self.entries.retain(|entry| entry.time <= time);
    }

    /// Writes the list atomically. For one that grows there is [`CollectionWriter`].
    ///
    /// # Errors
    /// [`VtkError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), VtkError> {
        atomic_write_unsynced(path, |out| out.write_all(self.text().as_bytes()))
            .map_err(|source| VtkError::Io { action: "write", path: path.to_owned(), source })
    }

    fn text(&self) -> String {
        let lines: String = self.entries.iter().map(CollectionEntry::line).collect();
        [HEAD, &lines, TAIL].concat()
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
        let damaged = || {
            let tag = tag.split_once("/>").map_or(tag, |(tag, _)| tag);
            VtkProblem::Damaged(format!("the entry `{tag}`"))
        };
        collection.entries.push(CollectionEntry::parse(tag).ok_or_else(damaged)?);
    }
    Ok(collection)
}

/// A list that grows frame by frame, at a cost that does not depend on its length. The new lines are
/// written over the end of the file together with a new end, in one go, so that the file can be read
/// at any time.
#[derive(Debug)]
pub struct CollectionWriter {
    path: PathBuf,
    /// The file and where its end begins; none before the first frame.
    file: Option<(File, u64)>,
    pending: String,
}

impl CollectionWriter {
    /// A new list; its file appears with the first frame.
    pub fn create(path: &Path) -> Self {
        Self { path: path.to_owned(), file: None, pending: String::new() }
    }

    /// Goes on with the list of a run that is resumed from `time` [s], if there is one. What a failing
    /// disk may have left half written is dropped.
    ///
    /// # Errors
    /// [`VtkError::Io`].
    pub fn resume(path: &Path, time: f64) -> Result<Self, VtkError> {
        let mut writer = Self::create(path);
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(writer),
            other => other.map_err(|e| writer.error("read", e))?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let entries = text.split("<DataSet ").skip(1).filter_map(CollectionEntry::parse);
        let mut collection = Collection { entries: entries.collect() };
        collection.truncate_after(time);
        collection.save(path)?;
        writer.open(OpenOptions::new().write(true).open(path))?;
        Ok(writer)
    }

    /// Adds one file; [`Self::commit`] writes it.
    pub fn push(&mut self, time: f64, block: &str, file: impl Into<String>) {
        let (block, file) = (block.to_owned(), file.into());
        self.pending += &CollectionEntry { time, block, file }.line();
    }

    /// Writes what was added since the last call. To be called after each frame, so that the frames of
    /// an interrupted run can be opened.
    ///
    /// # Errors
    /// [`VtkError::Io`]; the list is as it was before.
    pub fn commit(&mut self) -> Result<(), VtkError> {
        if self.file.is_none() {
            Collection::default().save(&self.path)?;
            self.open(OpenOptions::new().write(true).open(&self.path))?;
        }
        let Some((file, end)) = &mut self.file else { return Ok(()) };
        let lines = [&self.pending, TAIL].concat();
        if let Err(error) = write_at(file, *end, &lines) {
            // What was there before needs no room on the disk.
            let length = *end + TAIL.len() as u64;
            let _ = write_at(file, *end, TAIL).and_then(|()| file.set_len(length));
            return Err(self.error("write", error));
        }
        *end += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Takes the file of a list that is whole.
    fn open(&mut self, file: io::Result<File>) -> Result<(), VtkError> {
        let file = file.map_err(|e| self.error("open", e))?;
        let length = file.metadata().map_err(|e| self.error("open", e))?.len();
        self.file = Some((file, length.saturating_sub(TAIL.len() as u64)));
        Ok(())
    }

    fn error(&self, action: &'static str, source: io::Error) -> VtkError {
        VtkError::Io { action, path: self.path.clone(), source }
    }
}

fn write_at(file: &mut File, at: u64, text: &str) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use super::*;

    /// On a disk that is full the list stays as it was.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_collection_that_cannot_grow_is_an_error() {
        let mut writer = CollectionWriter::create(Path::new("/dev/full"));
        writer.file = Some((OpenOptions::new().write(true).open("/dev/full").unwrap(), 0));
        writer.push(0.0, "liquid", "frames/a.vtp");
        let error = writer.commit().unwrap_err().to_string();
        assert!(error.contains("/dev/full") && error.contains("No space left"), "{error}");
    }
}
