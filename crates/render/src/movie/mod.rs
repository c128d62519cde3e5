//! Movies from images.

mod gif;
#[cfg(feature = "video")]
mod mp4;
#[cfg(feature = "video")]
mod yuv;

pub use gif::GifWriter;
#[cfg(feature = "video")]
pub use mp4::Mp4Writer;

use std::path::Path;

use crate::{Image, RenderError};

/// A movie of any known format. The file appears under its name when the movie is finished; a
/// movie that is dropped before leaves nothing behind.
pub enum MovieWriter {
    /// H.264 in an MP4 file.
    #[cfg(feature = "video")]
    Mp4(Box<Mp4Writer>),
    /// A GIF file, for places that show no video.
    Gif(GifWriter),
}

/// The endings of file names that [`MovieWriter::new`] knows.
#[cfg(feature = "video")]
const ENDINGS: &str = "mp4, gif";
/// The endings of file names that [`MovieWriter::new`] knows.
#[cfg(not(feature = "video"))]
const ENDINGS: &str = "gif";

impl MovieWriter {
    /// Begins a movie; the ending of `path` is the format.
    ///
    /// # Errors
    /// When the format is not known, does not have this size or frame rate, or when the file
    /// cannot be created.
    pub fn new(
        path: impl AsRef<Path>,
        width: u32,
        height: u32,
        fps: f64,
    ) -> Result<Self, RenderError> {
        let path = path.as_ref();
        let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            #[cfg(feature = "video")]
            Some("mp4") => {
                Mp4Writer::new(path, width, height, fps).map(|movie| Self::Mp4(Box::new(movie)))
            }
            Some("gif") => Ok(Self::Gif(GifWriter::new(path, width, height, fps)?)),
            _ => Err(RenderError::Format { path: path.to_path_buf(), allowed: ENDINGS }),
        }
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// When the image has another size than the movie, or the frame cannot be coded or written.
    pub fn push(&mut self, image: &Image) -> Result<(), RenderError> {
        match self {
            #[cfg(feature = "video")]
            Self::Mp4(movie) => movie.push(image),
            Self::Gif(movie) => movie.push(image),
        }
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the movie has no frame or cannot be written.
    pub fn finish(self) -> Result<(), RenderError> {
        match self {
            #[cfg(feature = "video")]
            Self::Mp4(movie) => movie.finish(),
            Self::Gif(movie) => movie.finish(),
        }
    }
}

/// Refuses a frame of another size than the movie's.
fn check_size(image: &Image, width: u32, height: u32) -> Result<(), RenderError> {
    if (image.width(), image.height()) == (width, height) {
        return Ok(());
    }
    let allowed = format!("the frames of this movie have {width}x{height}");
    Err(RenderError::Size { width: image.width(), height: image.height(), allowed })
}

/// A movie without a frame is no movie.
fn no_frame(path: &Path) -> RenderError {
    RenderError::Codec { path: path.to_path_buf(), cause: "the movie has no frame".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_endings_are_named() {
        let Err(error) = MovieWriter::new("wave.avi", 64, 48, 25.0) else { panic!("no error") };
        assert!(error.to_string().contains("wave.avi") && error.to_string().contains("gif"));
    }

    #[test]
    fn frames_of_another_size_are_refused_and_nothing_remains() {
        let folder = tempfile::tempdir().unwrap();
        let mut movie = MovieWriter::new(folder.path().join("a.gif"), 8, 8, 25.0).unwrap();
        assert!(movie.push(&Image::new(8, 10)).is_err());
        drop(movie);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
