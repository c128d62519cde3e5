//! Screenshots and movies: both are captured from the window.

use super::Viewer;
#[cfg(not(target_arch = "wasm32"))]
use crate::movie::Recording;
use eframe::egui::{ColorImage, Context};
use lawine_render::Image;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What a picture is for.
enum Purpose {
    /// A file in the user's folder, by the first part of its name.
    Keep(String),
    /// A file at a path.
    At(String),
    /// A frame of the movie.
    #[cfg(not(target_arch = "wasm32"))]
    Movie,
}

/// Pictures that were asked for, and those that have come.
pub(super) struct Shots {
    sender: Sender<(Purpose, Arc<ColorImage>)>,
    receiver: Receiver<(Purpose, Arc<ColorImage>)>,
    #[cfg(not(target_arch = "wasm32"))]
    recording: Option<Recording>,
}

impl Default for Shots {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self {
            sender,
            receiver,
            #[cfg(not(target_arch = "wasm32"))]
            recording: None,
        }
    }
}

impl Shots {
    /// Takes a screenshot for the user's folder.
    pub(super) fn take(&self, ctx: &Context, stem: String) {
        self.request(ctx, Purpose::Keep(stem));
    }

    /// Takes a screenshot into a file.
    pub(super) fn take_into(&self, ctx: &Context, path: String) {
        self.request(ctx, Purpose::At(path));
    }

    fn request(&self, ctx: &Context, purpose: Purpose) {
        let (sender, waker) = (self.sender.clone(), ctx.clone());
        ctx.request_screenshot(move |image| {
            // The receiver may be gone when the window has closed.
            let _ = sender.send((purpose, image));
            waker.request_repaint();
        });
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn is_recording(&self) -> bool {
        self.recording.is_some()
    }
}

/// A picture without transparency.
fn opaque(image: &ColorImage) -> Result<Image, String> {
    let rgb = image.pixels.iter().flat_map(|p| [p.r(), p.g(), p.b()]).collect();
    let [width, height] = image.size.map(|n| n as u32);
    Image::from_rgb(width, height, rgb).map_err(|e| e.to_string())
}

impl Viewer {
    /// Keeps the pictures that have come.
    pub(super) fn receive_shots(&mut self, ctx: &Context) {
        let arrived: Vec<_> = self.shots.receiver.try_iter().collect();
        for (purpose, image) in arrived {
            match purpose {
                Purpose::Keep(stem) => {
                    let saved = png(&image).and_then(|png| self.files.save(&stem, "png", &png));
                    self.tell_saved(saved);
                }
                Purpose::At(path) => {
                    let saved = png(&image).and_then(|png| write(&path, &png)).map(|()| path);
                    self.tell_saved(saved);
                }
                #[cfg(not(target_arch = "wasm32"))]
                Purpose::Movie => self.add_to_movie(&image, ctx),
            }
        }
        #[cfg(not(target_arch = "wasm32"))]
        if self.shots.recording.as_mut().is_some_and(Recording::is_due) {
            self.shots.request(ctx, Purpose::Movie);
        }
        #[cfg(target_arch = "wasm32")]
        let _ = ctx;
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn write(path: &str, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {path}: {e}"))
}

#[cfg(target_arch = "wasm32")]
fn write(path: &str, _bytes: &[u8]) -> Result<(), String> {
    Err(format!("cannot write {path} from a browser"))
}

fn png(image: &ColorImage) -> Result<Vec<u8>, String> {
    let mut png = Vec::new();
    opaque(image)?.encode_png(&mut png).map_err(|e| e.to_string())?;
    Ok(png)
}

#[cfg(not(target_arch = "wasm32"))]
impl Viewer {
    /// Starts or stops the movie.
    pub(super) fn record(&mut self) {
        match self.shots.recording.take() {
            Some(recording) => {
                let saved = recording.finish();
                self.tell_saved(saved);
            }
            None => {
                let ending = if cfg!(feature = "video") { "mp4" } else { "gif" };
                match self.files.free_path(&crate::files::file_name(&self.name), ending) {
                    Ok(path) => {
                        self.tell(format!("recording {}; M stops", path.display()), false);
                        self.shots.recording = Some(Recording::start(path));
                    }
                    Err(error) => self.tell(error, true),
                }
            }
        }
    }

    /// Finishes a movie that is being recorded, when the window closes.
    pub(super) fn end_movie(&mut self) {
        if self.shots.is_recording() {
            self.record();
        }
    }

    fn add_to_movie(&mut self, image: &ColorImage, ctx: &Context) {
        let Some(recording) = &mut self.shots.recording else { return };
        let view = image.region(&self.stage.rect(), Some(ctx.pixels_per_point()));
        let pushed = opaque(&view).and_then(|image| recording.push(image));
        if let Err(error) = pushed {
            self.tell(format!("recording stopped: {error}"), true);
            self.record();
        }
    }
}

#[cfg(target_arch = "wasm32")]
impl Viewer {
    /// A browser has no encoder; its own recorder of the screen does better.
    pub(super) fn record(&mut self) {
        self.tell("movies can be recorded in the desktop program only", true);
    }
}

/// Writes a directory that `lawine run --resume` can resume.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn keep_state(
    files: &crate::files::Files,
    name: &str,
    state: &[u8],
    steps: u64,
    info: &crate::snapshot::SceneInfo,
) -> Result<std::path::PathBuf, String> {
    use lawine_record::output::RunDirectory;
    let path = files.free_path(&crate::files::file_name(name), "run")?;
    let directory = RunDirectory::create(&path).map_err(|e| e.to_string())?;
    lawine_record::run::keep(
        &directory,
        &info.resolved,
        name,
        env!("CARGO_PKG_VERSION"),
        steps,
        state,
    )
    .map_err(|e| e.to_string())?;
    Ok(path)
}
