//! GIF movies.

use std::path::{Path, PathBuf};

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use super::{check_size, no_frame};
use crate::atomic::AtomicFile;
use crate::{Image, RenderError};

/// Writes a GIF that loops for ever. Each frame has its own 256 colours.
pub struct GifWriter {
    path: PathBuf,
    encoder: Encoder<AtomicFile>,
    width: u32,
    height: u32,
    fps: f64,
    frames: u64,
}

/// Speed against quality of the choice of colours, 1 to 30.
const SPEED: i32 = 10;

impl GifWriter {
    /// Begins a movie with `fps` frames a second, at most 50: programs show faster ones slowly.
    ///
    /// # Errors
    /// When the size or the frame rate is not possible, or the file cannot be created.
    pub fn new(
        path: impl AsRef<Path>,
        width: u32,
        height: u32,
        fps: f64,
    ) -> Result<Self, RenderError> {
        let path = path.as_ref();
        if !(0.01..=50.0).contains(&fps) {
            return Err(RenderError::FrameRate { fps, allowed: "0.01 to 50" });
        }
        let (Ok(columns @ 1..), Ok(rows @ 1..)) = (u16::try_from(width), u16::try_from(height))
        else {
            let allowed = "a GIF has sides of 1 to 65535 pixels".to_owned();
            return Err(RenderError::Size { width, height, allowed });
        };
        let file = AtomicFile::create(path).map_err(RenderError::io(path))?;
        let encoder = Encoder::new(file, columns, rows, &[]);
        let mut encoder = encoder.map_err(|error| failed(path, error))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|error| failed(path, error))?;
        Ok(Self { path: path.to_path_buf(), encoder, width, height, fps, frames: 0 })
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// When the image has another size than the movie, or the frame cannot be written.
    pub fn push(&mut self, image: &Image) -> Result<(), RenderError> {
        check_size(image, self.width, self.height)?;
        let (columns, rows) = (self.width as u16, self.height as u16);
        let mut frame = Frame::from_rgb_speed(columns, rows, image.rgb(), SPEED);
        // Delays count hundredths of a second; the error of rounding must not add up.
        let end = |frames: u64| (frames as f64 * 100.0 / self.fps).round() as u64;
        frame.delay = u16::try_from(end(self.frames + 1) - end(self.frames)).unwrap_or(u16::MAX);
        frame.dispose = DisposalMethod::Keep;
        self.encoder.write_frame(&frame).map_err(|error| failed(&self.path, error))?;
        self.frames += 1;
        Ok(())
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the movie has no frame or cannot be written.
    pub fn finish(self) -> Result<(), RenderError> {
        if self.frames == 0 {
            return Err(no_frame(&self.path));
        }
        let file = self.encoder.into_inner().map_err(|error| failed(&self.path, error))?;
        file.commit().map_err(RenderError::io(&self.path))
    }
}

fn failed(path: &Path, error: EncodingError) -> RenderError {
    let path = path.to_path_buf();
    match error {
        EncodingError::Io(source) => RenderError::Io { path, source },
        other => RenderError::Codec { path, cause: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gif_has_its_frames_and_its_speed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let mut movie = GifWriter::new(&path, 32, 24, 30.0).unwrap();
        for i in 0..6_u8 {
            let image = Image::from_rgb(32, 24, vec![i * 40; 32 * 24 * 3]).unwrap();
            movie.push(&image).unwrap();
        }
        movie.finish().unwrap();

        let file = std::fs::File::open(&path).unwrap();
        let mut reader = gif::DecodeOptions::new().read_info(file).unwrap();
        assert_eq!((reader.width(), reader.height()), (32, 24));
        let (mut frames, mut time) = (0, 0);
        while let Some(frame) = reader.read_next_frame().unwrap() {
            frames += 1;
            time += frame.delay;
        }
        assert_eq!((frames, time), (6, 20));
        assert!(matches!(reader.repeat(), Repeat::Infinite));
    }

    #[test]
    fn impossible_movies_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        assert!(GifWriter::new(&path, 0, 10, 25.0).is_err());
        assert!(GifWriter::new(&path, 10, 70_000, 25.0).is_err());
        assert!(GifWriter::new(&path, 10, 10, 100.0).is_err());
        assert!(GifWriter::new(&path, 10, 10, 25.0).unwrap().finish().is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
