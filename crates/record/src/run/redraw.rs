//! Pictures and movie again, from the frames of a run: `lawine render`.

use super::pictures::Pictures;
use super::{Progress, RunFailure, finish};
use crate::draw::{Artist, Scenery, usual_range};
use crate::output::{ParticleFrame, RunDirectory, SavedFrame, Series};
use crate::surface::{MatterSurface, Surfacer};
use glam::{DQuat, DVec3};
use lawine_core::body::Pose;
use lawine_core::environment::Environment;
use lawine_render::{ColorMap, Image};
use lawine_scene::build::build;
use lawine_scene::file::{LoadedScene, SceneFile};
use lawine_scene::select::select;
use std::fs;
use std::io;
use std::path::Path;

/// What was drawn again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redraw {
    /// Where the pictures are.
    pub directory: RunDirectory,
    /// Number of pictures.
    pub pictures: usize,
}

/// Draws every saved frame of `source` with the view of `loaded` (the run's own scene, perhaps with
/// changes), into the new directory `target`, or in place of its own pictures and movies.
pub fn redraw(
    loaded: &LoadedScene,
    source: &RunDirectory,
    target: Option<&Path>,
    progress: &mut dyn Progress,
) -> Result<Redraw, RunFailure> {
    let output = RunFailure::Output;
    let other = |e: &dyn std::fmt::Display| output(io::Error::other(e.to_string()));
    let mut built = build(loaded)?;
    let frames = source.saved_frames().map_err(|e| other(&e))?;
    if frames.is_empty() {
        let root = source.root().display();
        return Err(other(&format!(
            "{root} has no frames to draw: it was run with output.frames = false"
        )));
    }
    // A mistake in the view must not cost the pictures there are.
    let first = SavedFrame::read(source, &built.scene, frames[0]).map_err(|e| other(&e))?;
    select(&first.fields(), &built.scene.view.field).map_err(|e| loaded.error("view.field", e))?;
    if built.scene.view.range.is_none() && built.scene.view.colors != ColorMap::Cfl {
        progress.stage("finding the colour range");
        built.scene.view.range = range(loaded, &built.scene, source, &frames)?;
    }
    let artist =
        Artist::new(&built.scene, built.bounds).with_grain_surfaces(built.grain_surfaces.clone());
    let surfacer = Surfacer::new(&built.scene);
    let series = Series::read(&source.series()).ok();
    let target = match target {
        Some(path) => RunDirectory::create(path).map_err(|e| other(&e))?,
        None => source.clone(),
    };
    for (k, &frame) in frames.iter().enumerate() {
        progress.stage(&format!("drawing frame {} of {}", k + 1, frames.len()));
        let saved = SavedFrame::read(source, &built.scene, frame).map_err(|e| other(&e))?;
        let path = |ending: &str| target.surface(frame, ending);
        let env = &mut built.simulation.env;
        place_bodies(&saved, env, series.as_ref());
        let particles = surfacer.as_ref().and_then(|s| Some((s, saved.of(s.matter())?)));
        let record = |(s, frame): (&Surfacer, &ParticleFrame)| {
            s.record(path, saved.time, &frame.fields(), &env.bodies)
        };
        let surface = particles.map(record).transpose().map_err(output)?;
        let image = draw_saved(&artist, &saved, env, series.as_ref(), surface.as_ref())
            .map_err(|e| RunFailure::Scene(loaded.error("view.field", e)))?;
        image.write_png(target.picture(frame)).map_err(|e| other(&e))?;
    }
    for frame in target.saved_pictures().map_err(|e| other(&e))? {
        if !frames.contains(&frame) {
            fs::remove_file(target.picture(frame)).map_err(output)?;
        }
    }
    let mut pictures = Pictures::drawn(&target, built.scene.view.size);
    finish::movies(&target, &built.scene, &mut pictures, progress).map_err(output)?;
    Ok(Redraw { directory: target, pictures: frames.len() })
}

/// Moves the bodies to where they were in a saved frame.
pub(super) fn place_bodies(saved: &SavedFrame, env: &mut Environment, series: Option<&Series>) {
    env.set_time(saved.time);
    let value = |name: &str| series.and_then(|s| value_at(s, name, saved.time));
    for body in env.bodies.iter_mut().filter(|body| body.is_free()) {
        let number = |what: &str| value(&format!("{}.{what}", body.name));
        let axis = |k: &str| number(&format!("position.{k}")).unwrap_or(0.0);
        let position = DVec3::new(axis("x"), axis("y"), axis("z"));
        let [x, y, z, w] = ["x", "y", "z", "w"].map(|k| number(&format!("rotation.{k}")));
        if let (Some(x), Some(y), Some(z), Some(w)) = (x, y, z, w) {
            body.pose = Pose { position, rotation: DQuat::from_xyzw(x, y, z, w).normalize() };
        }
    }
}

/// Draws a saved frame, with the bodies where they are.
pub(super) fn draw_saved(
    artist: &Artist,
    saved: &SavedFrame,
    env: &Environment,
    series: Option<&Series>,
    surface: Option<&MatterSurface>,
) -> Result<Image, String> {
    let value = |name: &str| series.and_then(|s| value_at(s, name, saved.time));
    artist.draw(&Scenery {
        time: saved.time,
        dt: value("dt").unwrap_or(0.0),
        lines: &artist.lines(value),
        matters: &saved.fields(),
        bodies: &env.bodies,
        surface,
    })
}

/// Smallest and largest value of a field in all frames, without the outliers of each.
fn range(
    loaded: &LoadedScene,
    scene: &SceneFile,
    source: &RunDirectory,
    frames: &[u64],
) -> Result<Option<[f64; 2]>, RunFailure> {
    let mut range: Option<[f64; 2]> = None;
    for &frame in frames {
        let saved = SavedFrame::read(source, scene, frame).map_err(RunFailure::Output)?;
        let fields = saved.fields();
        let shown =
            select(&fields, &scene.view.field).map_err(|e| loaded.error("view.field", e))?;
        let ends = [range, usual_range(&shown)].into_iter().flatten();
        range = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    }
    Ok(range.filter(|[low, high]| low < high))
}

/// The value of a column in the row of `time`, or the one after it.
fn value_at(series: &Series, name: &str, time: f64) -> Option<f64> {
    let (times, values) = (series.column("time")?, series.column(name)?);
    let k = times.partition_point(|&t| t < time).min(values.len().saturating_sub(1));
    values.get(k).copied()
}
