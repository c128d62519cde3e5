//! A saved run, for scrubbing.

use crate::snapshot::{Columns, SceneInfo, Snapshot};
use lawine_core::environment::Environment;
use lawine_core::field::positions;
use lawine_record::output::{RunDirectory, SavedFrame, Series};
use lawine_record::run;
use lawine_scene::build::build;
use lawine_scene::file::{SceneFile, Source, load};
use lawine_scene::select::MatterFields;
use std::path::Path;

/// A run and where in it we are.
pub struct Replay {
    directory: RunDirectory,
    frames: Vec<u64>,
    scene: SceneFile,
    env: Environment,
    series: Option<Series>,
    /// Place in the list of frames.
    pub at: usize,
    /// Whether it plays by itself.
    pub playing: bool,
}

impl Replay {
    /// Opens the directory of a run; also gives what there is to know about its scene.
    pub fn open(path: &Path) -> Result<(Self, SceneInfo), String> {
        let directory = RunDirectory::open(path).map_err(|e| e.to_string())?;
        let source = Source::File(directory.scene());
        let loaded = load(&source, &[]).map_err(|e| e.to_string())?;
        let built = build(&loaded).map_err(|e| e.to_string())?;
        let (_, headings) = run::check(&loaded, &built).map_err(|e| e.to_string())?;
        let frames = directory.saved_frames().map_err(|e| e.to_string())?;
        if frames.is_empty() {
            return Err(format!("{} has no frames to show", path.display()));
        }
        let placed =
            loaded.scene.matters().next().ok_or("a scene needs at least one kind of matter")?;
        let info = SceneInfo {
            scene: loaded.portable(),
            placed,
            lattice: placed.spacing(&built.scene),
            resolved: built.scene,
            bounds: built.bounds,
            grain_surfaces: built.grain_surfaces.clone(),
            headings,
            pending: None,
            on_gpu: false,
            fresh: true,
            generation: 0,
        };
        let series = Series::read(&directory.series()).ok();
        let (env, scene) = (built.simulation.env, loaded.scene);
        Ok((Self { directory, frames, scene, env, series, at: 0, playing: false }, info))
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are none, which [`Replay::open`] refuses.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The rows of its data.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let Some(series) = &self.series else { return Vec::new() };
        let columns: Vec<&[f64]> =
            series.columns.iter().map(|column| column.values.as_slice()).collect();
        (0..series.rows()).map(|i| columns.iter().map(|c| c[i]).collect()).collect()
    }

    /// The moment of the frame where we are.
    pub fn snapshot(&mut self) -> Result<Snapshot, String> {
        let frame = self.frames[self.at.min(self.frames.len() - 1)];
        let saved = SavedFrame::read(&self.directory, &self.scene, frame);
        let saved = saved.map_err(|e| e.to_string())?;
        self.env.set_time(saved.time);
        let matters = saved.fields();
        let columns = Columns::new(&matters);
        let count = |m: &MatterFields<'_>| positions(&m.fields).map_or(0, <[_]>::len);
        let particles = matters.iter().map(count).sum();
        Ok(Snapshot {
            time: saved.time,
            dt: self.series.as_ref().map_or(0.0, |s| dt_at(s, saved.time)),
            limit: "saved run",
            columns: columns.into(),
            particles,
            bodies: self.env.bodies.clone(),
            ..Snapshot::default()
        })
    }
}

/// The time step of the row nearest to `time`.
fn dt_at(series: &Series, time: f64) -> f64 {
    let (Some(times), Some(dts)) = (series.column("time"), series.column("dt")) else { return 0.0 };
    let k = times.partition_point(|&t| t < time).min(dts.len().saturating_sub(1));
    dts.get(k).copied().unwrap_or(0.0)
}
