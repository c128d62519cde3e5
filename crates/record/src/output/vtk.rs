//! VTK XML files for ParaView: particles and bodies of a frame (`.vtp`), all frames (`.pvd`).
//!
//! The `.vtp` files are PolyData with raw appended data, little endian, 64-bit block lengths:
//! a short XML header with the offset of each array, then the arrays as they are in memory.
//! Numbers are Float32, which is enough to draw; checkpoints keep every bit.

mod collection;
mod particles;
mod piece;
mod read;
mod surface;

use std::io;
use std::path::PathBuf;

pub use collection::{Collection, CollectionEntry, CollectionWriter};
pub use particles::save_particles;
pub use read::{FrameField, FrameValues, ParticleFrame, parse_particles, read_particles};
pub use surface::{Surface, save_grains, save_matter, save_surface};

/// Why a frame could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VtkError {
    /// The file system failed.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// What was to be written does not make a frame.
    #[error("cannot write {}: {reason}", .path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file is there, but it is no good.
    #[error("cannot use {}: {problem}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: VtkProblem,
    },
}

/// What is wrong with the bytes of a frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VtkProblem {
    /// Something else, or a VTK file that another program wrote in another way.
    #[error("it is not a frame written by Lawine: {0}")]
    Foreign(String),
    /// The end is missing.
    #[error("it is truncated: {0}")]
    Truncated(String),
    /// The head and the data do not fit together.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// Text for an XML attribute or element.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

/// The reverse of [`escape`].
fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The `NAME="VALUE"` pairs of an XML tag that this module wrote.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, String)> {
    let mut parts = tag.split('"');
    std::iter::from_fn(move || {
        let name = parts.next()?.trim().strip_suffix('=')?;
        let value = parts.next()?;
        Some((name.rsplit(char::is_whitespace).next().unwrap_or(name), unescape(value)))
    })
}

/// One attribute of an XML tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    attributes(tag).find(|(found, _)| *found == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests;
