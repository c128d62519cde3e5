//! Errors of writing and reading pictures and movies.

use std::io;
use std::path::PathBuf;

/// An error of this crate. Messages name the file and the cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A file could not be created, read, written or renamed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file could not be encoded or decoded.
    #[error("{}: {cause}", path.display())]
    Codec {
        /// The file.
        path: PathBuf,
        /// Message of the encoder or decoder.
        cause: String,
    },
    /// A picture could not be encoded or decoded, and no file was involved.
    #[error("cannot encode the picture: {0}")]
    Picture(String),
    /// The size of a picture does not fit its purpose.
    #[error("picture size {width}x{height}: {allowed}")]
    Size {
        /// Width [px].
        width: u32,
        /// Height [px].
        height: u32,
        /// What is allowed.
        allowed: String,
    },
    /// The frame rate is outside of the range the file format knows.
    #[error("frame rate {fps} 1/s is outside of {allowed} 1/s")]
    FrameRate {
        /// The rejected frame rate [1/s].
        fps: f64,
        /// The allowed range, as text.
        allowed: &'static str,
    },
    /// The ending of a movie's file name is not a known format.
    #[error("{}: a movie's name ends in one of: {allowed}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The known endings.
        allowed: &'static str,
    },
}

impl RenderError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
