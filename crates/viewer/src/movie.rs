//! A movie of the window, encoded on a separate thread so that the window does not block.

use lawine_render::{Image, MovieWriter};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Pictures per second.
const FPS: u32 = 30;
/// Pictures that may wait for the encoder; more are dropped.
const QUEUE: usize = 8;

/// A movie that is being recorded.
pub struct Recording {
    path: PathBuf,
    next: Instant,
    size: Option<[u32; 2]>,
    frames: Option<SyncSender<Image>>,
    encoder: Option<JoinHandle<Result<(), String>>>,
}

impl Recording {
    /// Begins a movie; the file appears when it is finished.
    pub fn start(path: PathBuf) -> Self {
        let (frames, queue) = sync_channel::<Image>(QUEUE);
        let target = path.clone();
        let encoder = std::thread::spawn(move || {
            let mut writer: Option<MovieWriter> = None;
            for image in queue {
                let movie = match &mut writer {
                    Some(movie) => movie,
                    None => {
                        let (width, height) = (image.width(), image.height());
                        let movie = MovieWriter::new(&target, width, height, f64::from(FPS));
                        writer.insert(movie.map_err(|e| e.to_string())?)
                    }
                };
                movie.push(&image).map_err(|e| e.to_string())?;
            }
            let movie = writer.ok_or("the movie has no frame")?;
            movie.finish().map_err(|e| e.to_string())
        });
        let next = Instant::now();
        Self { path, next, size: None, frames: Some(frames), encoder: Some(encoder) }
    }

    /// Whether it is time for a picture; counts on from there.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = now >= self.next;
        if due {
            self.next =
                (self.next + Duration::from_secs(1) / FPS).max(now - Duration::from_secs(1));
        }
        due
    }

    /// Adds a picture, cut to an even size as encoders want it.
    pub fn push(&mut self, image: Image) -> Result<(), String> {
        let image = even(&image)?;
        let size = [image.width(), image.height()];
        if *self.size.get_or_insert(size) != size {
            return Err("the size of the view has changed".to_owned());
        }
        match self.frames.as_ref().map(|frames| frames.try_send(image)) {
            Some(Err(TrySendError::Disconnected(_))) => Err("the encoder has stopped".to_owned()),
            _ => Ok(()),
        }
    }

    /// Ends the movie; returns where it is.
    pub fn finish(mut self) -> Result<String, String> {
        self.frames = None;
        let encoder = self.encoder.take().map(JoinHandle::join);
        match encoder {
            Some(Ok(Ok(()))) => Ok(self.path.display().to_string()),
            Some(Ok(Err(error))) => Err(format!("cannot record {}: {error}", self.path.display())),
            _ => Err(format!("cannot record {}: the encoder failed", self.path.display())),
        }
    }
}

/// Without the last column and row where their number is odd.
fn even(image: &Image) -> Result<Image, String> {
    let (width, height) = (image.width() & !1, image.height() & !1);
    let row = 3 * image.width() as usize;
    let rows = image.rgb().chunks_exact(row).take(height as usize);
    let rgb = rows.flat_map(|r| r[..3 * width as usize].iter().copied()).collect();
    Image::from_rgb(width, height, rgb).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_movie_is_recorded_and_other_sizes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let mut recording = Recording::start(path.clone());
        assert!(recording.is_due() && !recording.is_due());
        for _ in 0..3 {
            recording.push(Image::new(33, 21)).unwrap();
        }
        assert!(recording.push(Image::new(40, 21)).unwrap_err().contains("size"));
        assert_eq!(recording.finish().unwrap(), path.display().to_string());
        assert!(std::fs::metadata(&path).unwrap().len() > 20);
    }

    #[test]
    fn a_movie_without_a_frame_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let recording = Recording::start(folder.path().join("a.gif"));
        assert!(recording.finish().unwrap_err().contains("no frame"));
    }
}
