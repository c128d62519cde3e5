//! The pictures of a run, for its movie and its report. Those that are missing or cannot be used are
//! drawn again from the frames, where there are frames.

use super::Progress;
use super::redraw::{draw_saved, place_bodies};
use crate::draw::Artist;
use crate::output::{RunDirectory, SavedFrame, Series};
use lawine_core::environment::Environment;
use lawine_render::Image;
use lawine_scene::build::Built;
use lawine_scene::file::SceneFile;
use std::collections::BTreeSet;
use std::io;

/// Reads the pictures of a run.
pub(super) struct Pictures<'a> {
    directory: &'a RunDirectory,
    size: [u32; 2],
    restorer: Option<Restorer>,
    /// Pictures that have been reported as unusable.
    told: BTreeSet<u64>,
}

/// Draws saved frames.
struct Restorer {
    scene: SceneFile,
    artist: Artist,
    env: Environment,
    series: Option<Series>,
}

impl<'a> Pictures<'a> {
    /// Those of a run that can draw its frames again.
    pub(super) fn of_run(directory: &'a RunDirectory, built: &Built) -> Self {
        let restorer = Restorer {
            scene: built.scene.clone(),
            artist: Artist::new(&built.scene, built.bounds)
                .with_grain_surfaces(built.grain_surfaces.clone()),
            env: built.simulation.env.clone(),
            series: None,
        };
        Self { restorer: Some(restorer), ..Self::drawn(directory, built.scene.view.size) }
    }

    /// Those that have just been drawn.
    pub(super) fn drawn(directory: &'a RunDirectory, size: [u32; 2]) -> Self {
        Self { directory, size, restorer: None, told: BTreeSet::new() }
    }

    /// The numbers of the pictures there are.
    pub(super) fn saved(&self) -> io::Result<Vec<u64>> {
        self.directory.saved_pictures().map_err(io::Error::other)
    }

    /// Draws the frames before `next_frame` whose pictures are missing, because the scene does not
    /// keep them, or have another size, because the view has changed: the movie needs them all.
    pub(super) fn complete(
        &mut self,
        next_frame: u64,
        progress: &mut dyn Progress,
    ) -> io::Result<()> {
        let is_usable = |frame: &u64| {
            Image::png_size(self.directory.picture(*frame)).is_ok_and(|size| size == self.size)
        };
        let drawn = self.saved()?.into_iter().filter(|&frame| frame < next_frame);
        let mut usable: BTreeSet<u64> = drawn.filter(is_usable).collect();
        for frame in self.directory.saved_frames().map_err(io::Error::other)? {
            if frame < next_frame && !usable.contains(&frame) && self.restore(frame)?.is_some() {
                usable.insert(frame);
            }
        }
        let lost = next_frame - usable.len() as u64;
        if lost > 0 {
            progress.warning(&format!(
                "{lost} of the first {next_frame} pictures will be missing from the movie: there are \
                 no frames to draw them from"
            ));
        }
        Ok(())
    }

    /// A picture for movie or report; none if it cannot be used, which is reported once.
    pub(super) fn read(&mut self, frame: u64, progress: &mut dyn Progress) -> Option<Image> {
        let path = self.directory.picture(frame);
        let [width, height] = self.size;
        let problem = match Image::read_png(&path) {
            Ok(image) if [image.width(), image.height()] == self.size => return Some(image),
            Ok(image) => format!(
                "{}: it has {}x{} instead of {width}x{height} pixels",
                path.display(),
                image.width(),
                image.height()
            ),
            Err(error) => error.to_string(),
        };
        let restored = self.restore(frame);
        if self.told.insert(frame) {
            match &restored {
                Ok(Some(_)) => progress.warning(&format!("{problem}; the picture was redrawn")),
                Ok(None) => progress.warning(&format!("{problem}; the picture is left out")),
                Err(error) => progress.warning(&format!(
                    "{problem}; the picture is left out, since redrawing it failed: {error}"
                )),
            }
        }
        restored.ok().flatten()
    }

    /// Draws a frame again and saves the picture; none if there is no such frame.
    fn restore(&mut self, frame: u64) -> io::Result<Option<Image>> {
        let Some(restorer) = self.restorer.as_mut() else { return Ok(None) };
        let mut matters = restorer.scene.matters();
        if !matters.all(|kind| self.directory.particles(kind.key(), frame).exists()) {
            return Ok(None);
        }
        let saved = SavedFrame::read(self.directory, &restorer.scene, frame)?;
        if restorer.series.is_none() {
            restorer.series = Series::read(&self.directory.series()).ok();
        }
        let Restorer { artist, env, series, .. } = restorer;
        place_bodies(&saved, env, series.as_ref());
        let image = draw_saved(artist, &saved, env, series.as_ref(), None);
        let image = image.map_err(io::Error::other)?;
        image.write_png(self.directory.picture(frame)).map_err(io::Error::other)?;
        Ok(Some(image))
    }
}
