//! The frames of a run: the particles of each matter at one time.

use super::directory::RunDirectory;
use super::vtk::{ParticleFrame, read_particles};
use lawine_scene::file::SceneFile;
use lawine_scene::matter::Kind;
use lawine_scene::select::MatterFields;
use std::io;

/// A saved moment.
#[derive(Debug)]
pub struct SavedFrame {
    /// Simulated time [s].
    pub time: f64,
    matters: Vec<(&'static dyn Kind, ParticleFrame)>,
}

impl SavedFrame {
    /// Reads the frame of a run with this scene.
    ///
    /// # Errors
    /// When a file is missing or cannot be used; the message names it.
    pub fn read(directory: &RunDirectory, scene: &SceneFile, index: u64) -> io::Result<Self> {
        let read = |kind: &'static dyn Kind| {
            let frame = read_particles(&directory.particles(kind.key(), index));
            Ok((kind, frame.map_err(io::Error::other)?))
        };
        let matters: Vec<_> = scene.matters().map(read).collect::<io::Result<_>>()?;
        let time = matters.first().map_or(0.0, |(_, frame)| frame.time);
        Ok(Self { time, matters })
    }

    /// The particles of one matter.
    pub fn of(&self, matter: &str) -> Option<&ParticleFrame> {
        let found = self.matters.iter().find(|(kind, _)| kind.key() == matter);
        found.map(|(_, frame)| frame)
    }

    /// The columns of each matter.
    pub fn fields(&self) -> Vec<MatterFields<'_>> {
        self.matters
            .iter()
            .map(|(kind, frame)| MatterFields { kind: *kind, fields: frame.fields() })
            .collect()
    }
}
