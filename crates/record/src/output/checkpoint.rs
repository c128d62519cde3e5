//! The container of a checkpoint: named sections under one checksum.
//!
//! ```text
//! 0   magic          8 bytes   89 'L' 'A' 'W' 'I' 'N' 'E' 0A
//! 8   version        u32       this module writes and reads version 1
//! 12  section count  u32
//! 16  file length    u64       of the whole file, so that a missing end is recognised
//! 24  head checksum  u32       CRC-32 of the 24 bytes above
//! 28  sections, each: name length u16, name (UTF-8), payload length u64, payload
//! end checksum       u32       CRC-32 of everything above
//! ```
//!
//! All numbers are little endian. The first 28 bytes keep their meaning in later versions, so that
//! an older program can distinguish a newer file from a damaged one. What the sections mean is the
//! business of whoever writes them.

mod store;

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use store::{CheckpointStore, StoredCheckpoint};

use super::atomic::atomic_write;

/// The version that [`write_atomic`] writes and the newest that [`read`] understands.
pub const VERSION: u32 = 1;
/// More sections than any method has; a bound on the index that a hostile file can ask for.
pub const MAX_SECTIONS: usize = 1024;

const MAGIC: [u8; 8] = *b"\x89LAWINE\n";
const HEAD: usize = 28;
const CHECKSUM: usize = 4;

/// One named section to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// Name, unique in its checkpoint, at most 65,535 bytes.
    pub name: &'a str,
    /// The content, opaque to the container.
    pub payload: &'a [u8],
}

/// A checkpoint in memory, its checksum verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    bytes: Vec<u8>,
    index: Vec<Entry>,
}

/// Where a section lies in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: Range<usize>,
    payload: Range<usize>,
}

/// What is wrong with the bytes of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointProblem {
    /// The first bytes are not those of a checkpoint.
    #[error("it is not a Lawine checkpoint")]
    NotACheckpoint,
    /// Written by a newer program.
    #[error(
        "its format is version {found}, newer than version {VERSION}, the newest this program reads"
    )]
    NewerVersion {
        /// The version in the file.
        found: u32,
    },
    /// The end is missing.
    #[error("it is truncated: {found} bytes of {expected}")]
    Truncated {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// Some bytes changed since it was written.
    #[error("it is damaged: checksum {found:08x} instead of {expected:08x}")]
    Checksum {
        /// Computed from the bytes.
        found: u32,
        /// Stored in the file.
        expected: u32,
    },
    /// The checksum is right, but the content breaks the format.
    #[error("it is malformed: {0}")]
    Malformed(&'static str),
}

/// Why a checkpoint could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// No such file, no permission, a failing disk.
    #[error("cannot read the checkpoint {}: {source}", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file is there, but it is no good.
    #[error("cannot use the checkpoint {}: {problem}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: CheckpointProblem,
    },
    /// The newest checkpoint of a run is no good; there may be an older one.
    #[error("{newest}\n{}", offer(.fallback.as_deref()))]
    NewestUnusable {
        /// What is wrong with the newest.
        newest: Box<CheckpointError>,
        /// The next older one that is intact.
        fallback: Option<PathBuf>,
    },
    /// A directory without checkpoints.
    #[error("there is no checkpoint in {}", .directory.display())]
    NoneFound {
        /// The directory.
        directory: PathBuf,
    },
    /// The directory cannot be listed.
    #[error("cannot list the checkpoints in {}: {source}", .directory.display())]
    List {
        /// The directory.
        directory: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The checkpoint was not written; older ones are untouched.
    #[error("cannot write the checkpoint {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The new checkpoint is in place, but an old one could not be removed.
    #[error("cannot remove the old checkpoint {}: {source}", .path.display())]
    Remove {
        /// The old file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A section that the reader needs is not there.
    #[error("the checkpoint has no section `{name}`; it has: {available}")]
    MissingSection {
        /// The wanted name.
        name: String,
        /// The names there are.
        available: String,
    },
}

fn offer(fallback: Option<&Path>) -> String {
    match fallback {
        Some(path) => format!(
            "the checkpoint before it is intact; resume from it with: --resume {}",
            path.display()
        ),
        None => "there is no older intact checkpoint; the run must start again".to_owned(),
    }
}

impl Checkpoint {
    /// The payload of a section.
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        self.sections().find(|section| section.name == name).map(|section| section.payload)
    }

    /// The payload of a section that must be there.
    ///
    /// # Errors
    /// [`CheckpointError::MissingSection`], with the names there are.
    pub fn require(&self, name: &str) -> Result<&[u8], CheckpointError> {
        self.section(name).ok_or_else(|| CheckpointError::MissingSection {
            name: name.to_owned(),
            available: self.sections().map(|s| s.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// All sections in the order of the file.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        self.index.iter().map(|entry| entry.view(&self.bytes))
    }
}

impl Entry {
    fn view<'a>(&self, bytes: &'a [u8]) -> Section<'a> {
        Section {
            // `index` has checked that the name is UTF-8.
            name: std::str::from_utf8(&bytes[self.name.clone()]).unwrap_or_default(),
            payload: &bytes[self.payload.clone()],
        }
    }
}

/// Writes the sections to `path`: completely, or not at all, leaving an older file untouched.
///
/// # Errors
/// [`CheckpointError::Write`]; also for a name twice, or too many sections.
pub fn write_atomic(path: &Path, sections: &[Section<'_>]) -> Result<(), CheckpointError> {
    check_names(sections)
        .and_then(|()| atomic_write(path, |out| encode(sections, out)))
        .map_err(|source| CheckpointError::Write { path: path.to_owned(), source })
}

fn check_names(sections: &[Section<'_>]) -> io::Result<()> {
    let invalid = |text: String| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    if sections.len() > MAX_SECTIONS {
        return invalid(format!("{} sections, at most {MAX_SECTIONS}", sections.len()));
    }
    for (i, section) in sections.iter().enumerate() {
        if section.name.len() > usize::from(u16::MAX) {
            return invalid(format!("section {i} has a name of {} bytes", section.name.len()));
        }
        if sections[..i].iter().any(|other| other.name == section.name) {
            return invalid(format!("two sections are called `{}`", section.name));
        }
    }
    Ok(())
}

fn encode(sections: &[Section<'_>], out: &mut dyn Write) -> io::Result<()> {
    let body: usize = sections.iter().map(|s| 2 + s.name.len() + 8 + s.payload.len()).sum();
    let length = (HEAD + body + CHECKSUM) as u64;

    let mut head = Vec::with_capacity(HEAD);
    head.extend_from_slice(&MAGIC);
    head.extend_from_slice(&VERSION.to_le_bytes());
    head.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    head.extend_from_slice(&length.to_le_bytes());
    let head_checksum = crc32fast::hash(&head);
    head.extend_from_slice(&head_checksum.to_le_bytes());

    let mut hasher = crc32fast::Hasher::new();
    let mut put = |bytes: &[u8]| {
        hasher.update(bytes);
        out.write_all(bytes)
    };
    put(&head)?;
    for section in sections {
        put(&(section.name.len() as u16).to_le_bytes())?;
        put(section.name.as_bytes())?;
        put(&(section.payload.len() as u64).to_le_bytes())?;
        put(section.payload)?;
    }
    out.write_all(&hasher.finalize().to_le_bytes())
}

/// Reads and verifies a checkpoint. Memory is bounded by the size of the file on disk, whatever
/// the lengths in it claim.
///
/// # Errors
/// [`CheckpointError::Open`] or [`CheckpointError::Unusable`].
pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
    let bytes = read_file(path)
        .map_err(|source| CheckpointError::Open { path: path.to_owned(), source })?;
    let index = index(&bytes)
        .map_err(|problem| CheckpointError::Unusable { path: path.to_owned(), problem })?;
    Ok(Checkpoint { bytes, index })
}

/// The bytes of a regular file, and only as many as it has now.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(metadata.len()).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Verifies the bytes of a checkpoint and returns its sections, borrowed.
///
/// # Errors
/// What is wrong with the bytes.
pub fn parse(bytes: &[u8]) -> Result<Vec<Section<'_>>, CheckpointProblem> {
    Ok(index(bytes)?.iter().map(|entry| entry.view(bytes)).collect())
}

fn index(bytes: &[u8]) -> Result<Vec<Entry>, CheckpointProblem> {
    let found = bytes.len() as u64;
    let start = bytes.len().min(MAGIC.len());
    if bytes[..start] != MAGIC[..start] {
        return Err(CheckpointProblem::NotACheckpoint);
    }
    let Some(head) = bytes.first_chunk::<HEAD>() else {
        return Err(CheckpointProblem::Truncated { found, expected: (HEAD + CHECKSUM) as u64 });
    };
    check_crc(&head[..24], u32_at(head, 24))?;
    let version = u32_at(head, 8);
    if version > VERSION {
        return Err(CheckpointProblem::NewerVersion { found: version });
    }
    let expected = u64_at(head, 16);
    if found < expected {
        return Err(CheckpointProblem::Truncated { found, expected });
    }
    if found > expected {
        return Err(CheckpointProblem::Malformed("bytes follow after its end"));
    }
    let Some((content, checksum)) = bytes.split_last_chunk::<CHECKSUM>() else {
        return Err(CheckpointProblem::Malformed("it has no checksum"));
    };
    check_crc(content, u32::from_le_bytes(*checksum))?;
    sections_of(content, u32_at(head, 12) as usize)
}

fn sections_of(content: &[u8], count: usize) -> Result<Vec<Entry>, CheckpointProblem> {
    if count > MAX_SECTIONS {
        return Err(CheckpointProblem::Malformed("it has too many sections"));
    }
    let overrun = CheckpointProblem::Malformed("a section reaches beyond the end");
    let mut entries: Vec<Entry> = Vec::new();
    let mut at = HEAD;
    // The next `length` bytes, if there are as many.
    let mut take = |length: u64| {
        let length = usize::try_from(length).ok()?;
        let end = at.checked_add(length).filter(|&end| end <= content.len())?;
        Some(std::mem::replace(&mut at, end)..end)
    };
    for _ in 0..count {
        let length = take(2).ok_or(overrun.clone())?;
        let length = u16::from_le_bytes([content[length.start], content[length.start + 1]]);
        let name = take(u64::from(length)).ok_or(overrun.clone())?;
        if std::str::from_utf8(&content[name.clone()]).is_err() {
            return Err(CheckpointProblem::Malformed("the name of a section is not UTF-8"));
        }
        if entries.iter().any(|other| content[other.name.clone()] == content[name.clone()]) {
            return Err(CheckpointProblem::Malformed("two sections have the same name"));
        }
        let length = take(8).ok_or(overrun.clone())?;
        let payload = take(u64_at(content, length.start)).ok_or(overrun.clone())?;
        entries.push(Entry { name, payload });
    }
    if at != content.len() {
        return Err(CheckpointProblem::Malformed("bytes follow after the last section"));
    }
    Ok(entries)
}

fn check_crc(bytes: &[u8], expected: u32) -> Result<(), CheckpointProblem> {
    let found = crc32fast::hash(bytes);
    if found == expected { Ok(()) } else { Err(CheckpointProblem::Checksum { found, expected }) }
}

/// The caller has checked that the bytes are there.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests;
