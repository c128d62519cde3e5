//! Output at the end of a run: movie, summary and report.

use super::columns::Heading;
use super::pictures::Pictures;
use super::totals::Totals;
use super::{Progress, Setup, frame_time};
use crate::measures::{Record, measure, table};
use crate::output::report::{Movie, Parameter, Picture, choose_pictures, standard_plots};
use crate::output::series::Column;
use crate::output::{
    Report, RunDirectory, Series, Status, Summary, WeighedBody, atomic_write_named,
};
use lawine_core::watchdog::Findings;
use lawine_render::{Image, MovieWriter, RenderError};
use lawine_scene::build::Built;
use lawine_scene::file::{SceneFile, parameters};
use lawine_scene::matter::ElasticMatter;
use std::fs;
use std::io;
use std::path::Path;

/// How a run ended.
pub(super) struct Ending {
    pub(super) status: Status,
    pub(super) message: Option<String>,
    pub(super) findings: Findings,
    pub(super) totals: Totals,
    /// Number of frames.
    pub(super) frames: u64,
    pub(super) scene_text: String,
    pub(super) headings: Vec<Heading>,
}

/// Writes summary, movie and report. Where one of them fails the others are written all the same, and
/// the summary reports that the run failed.
pub(super) fn finish(
    built: &Built,
    setup: &Setup<'_>,
    ending: Ending,
    progress: &mut dyn Progress,
) -> io::Result<Summary> {
    let directory = &setup.directory;
    let mut summary = summary(built, setup, &ending);
    // First, so that it is there should the program be killed while it codes the movie.
    let saved = summary.save(&directory.summary()).map_err(io::Error::other);
    let mut pictures = Pictures::of_run(directory, built);
    let movies = match ending.frames {
        0 => Ok(()),
        _ => movies(directory, &built.scene, &mut pictures, progress),
    };
    note(&mut summary, &movies);
    progress.stage("writing the report");
    let strip = strip(&mut pictures, &built.scene, progress);
    let report = strip.and_then(|strip| write_report(&strip, built, setup, &ending, &summary));
    note(&mut summary, &report);
    let result = saved.and(movies).and(report);
    if result.is_ok() {
        // A run that can be resumed needs its pictures for the movie.
        if summary.status == Status::Finished && !built.scene.output.pictures {
            remove_pictures(directory)?;
        }
        return Ok(summary);
    }
    // A disk that is full for the report may be full for the summary as well. The one from before
    // must not report success.
    if summary.save(&directory.summary()).is_err() {
        let _ = fs::remove_file(directory.summary());
    }
    result.map(|()| summary)
}

/// Notes in the summary that a file could not be written.
fn note(summary: &mut Summary, written: &io::Result<()>) {
    if let Err(error) = written {
        summary.status = Status::Failed;
        summary.message.get_or_insert_with(|| error.to_string());
    }
}

fn remove_pictures(directory: &RunDirectory) -> io::Result<()> {
    for frame in directory.saved_pictures().map_err(io::Error::other)? {
        let path = directory.picture(frame);
        fs::remove_file(&path).map_err(|e| {
            io::Error::new(e.kind(), format!("cannot remove {}: {e}", path.display()))
        })?;
    }
    Ok(())
}

fn summary(built: &Built, setup: &Setup<'_>, ending: &Ending) -> Summary {
    let (simulation, totals) = (&built.simulation, &ending.totals);
    let steps = simulation.steps();
    let per_step = |sum: f64| if steps > 0 { sum / steps as f64 } else { 0.0 };
    let energy = simulation.methods.iter().map(|m| m.energy(&simulation.env));
    let has_density_error = built.scene.has_solver_column("mean_density_error");
    let names: Vec<&str> = simulation.methods.iter().map(|method| method.name()).collect();
    Summary {
        scene: setup.scene_name.clone(),
        method: names.join(" + "),
        device: setup.device.clone(),
        version: setup.version.to_owned(),
        status: ending.status,
        message: ending.message.clone(),
        warnings: ending.findings.warnings.clone(),
        notes: ending.findings.notes.clone(),
        particles: simulation.particle_count() as u64,
        steps,
        simulated_time: simulation.time(),
        wall_time: totals.wall_time,
        cpu_time: totals.cpu_time,
        threads: setup.threads as u32,
        ns_per_particle_step: if totals.particle_steps > 0.0 {
            1e9 * totals.step_time / totals.particle_steps
        } else {
            0.0
        },
        mean_iterations: per_step(totals.iterations as f64),
        mean_density_error: has_density_error.then(|| per_step(totals.density_error)),
        max_density_error: has_density_error.then_some(totals.max_density_error),
        convergence: totals.convergence.clone(),
        bodies: weighed_bodies(built),
        materials: elastic_materials(&built.scene),
        dt_min: totals.dt_min.unwrap_or(0.0),
        dt_max: totals.dt_max,
        explicit_limits: (totals.explicit_limits > 0.0).then_some(totals.explicit_limits),
        dt_mean: per_step(simulation.time() - built.scene.start),
        energy_initial: Some(totals.energy_initial),
        energy_final: Some(energy.map(|e| e.kinetic + e.potential).sum()),
        state_hash: format!("{:016x}", simulation.state_hash()),
        phases: totals.phases.clone(),
    }
}

fn weighed_bodies(built: &Built) -> Vec<WeighedBody> {
    let bodies = built.scene.body.iter().zip(&built.simulation.env.bodies);
    let weighed = bodies.filter_map(|(described, body)| {
        let space = &built.simulation.env.space;
        let density = body.free_density(space).or(described.density)?;
        let mass = body.mass_properties_in(space, density)?;
        Some(WeighedBody {
            name: body.name.clone(),
            volume: mass.volume,
            mass: mass.mass,
            center: mass.center.to_array(),
            moments: mass.principal_axes().moments.to_array(),
        })
    });
    weighed.collect()
}

fn elastic_materials(scene: &SceneFile) -> Vec<ElasticMatter> {
    scene.matters().flat_map(|kind| kind.elastic_materials(scene)).collect()
}

/// Makes the movies that the scene asks for from the pictures on disk.
pub(super) fn movies(
    directory: &RunDirectory,
    scene: &SceneFile,
    pictures: &mut Pictures<'_>,
    progress: &mut dyn Progress,
) -> io::Result<()> {
    if scene.output.movie && cfg!(feature = "video") {
        progress.stage("encoding the movie");
        movie(pictures, &directory.movie(), scene.view.fps, |image| image, progress)?;
    }
    // Without the encoder there is a GIF instead of no movie.
    if scene.output.gif || (scene.output.movie && cfg!(not(feature = "video"))) {
        progress.stage("encoding the GIF");
        movie(pictures, &directory.movie_gif(), scene.view.fps, small, progress)?;
    }
    Ok(())
}

fn movie(
    pictures: &mut Pictures<'_>,
    path: &Path,
    fps: u32,
    prepare: impl Fn(Image) -> Image,
    progress: &mut dyn Progress,
) -> io::Result<()> {
    let bad = |e: RenderError| io::Error::other(e);
    let mut writer: Option<MovieWriter> = None;
    for frame in pictures.saved()? {
        let Some(image) = pictures.read(frame, progress).map(&prepare) else { continue };
        let writer = match &mut writer {
            Some(writer) => writer,
            None => writer.insert(
                MovieWriter::new(path, image.width(), image.height(), fps.into()).map_err(bad)?,
            ),
        };
        writer.push(&image).map_err(bad)?;
    }
    writer.map_or(Ok(()), |writer| writer.finish().map_err(bad))
}

/// Pictures for a GIF: halved until they are at most 800 pixels wide.
fn small(mut image: Image) -> Image {
    while image.width() > 800 {
        image = image.halved();
    }
    image
}

/// Whether a column shows anything: the number of particles and what a pressure solver leaves behind
/// only do if they change.
fn is_worth_a_plot(column: &Column) -> bool {
    let dull = ["particles", "iterations", "mean_density_error", "max_density_error"];
    let changes = column.values.windows(2).any(|w| (w[0] - w[1]).abs() > 0.0);
    changes || !dull.contains(&column.name.as_str())
}

/// The pictures of the strip in the report, with their captions.
fn strip(
    pictures: &mut Pictures<'_>,
    scene: &SceneFile,
    progress: &mut dyn Progress,
) -> io::Result<Vec<(String, Vec<u8>)>> {
    let available = pictures.saved()?;
    let mut strip = Vec::new();
    for frame in choose_pictures(available.len()).into_iter().map(|i| available[i]) {
        if let Some(image) = pictures.read(frame, progress) {
            let time = frame_time(frame, scene.start, scene.output.every);
            let mut png = Vec::new();
            image.encode_png(&mut png).map_err(io::Error::other)?;
            strip.push((format!("t = {time:.3} s"), png));
        }
    }
    Ok(strip)
}

fn write_report(
    strip: &[(String, Vec<u8>)],
    built: &Built,
    setup: &Setup<'_>,
    ending: &Ending,
    summary: &Summary,
) -> io::Result<()> {
    let (scene, directory) = (&built.scene, &setup.directory);
    let pictures: Vec<Picture<'_>> =
        strip.iter().map(|(caption, png)| Picture { caption, png }).collect();

    let movie_bytes = fs::read(directory.movie()).ok();
    let gif_bytes = fs::read(directory.movie_gif()).ok();
    let movie = match (&movie_bytes, &gif_bytes) {
        (Some(bytes), _) => Some(Movie { file: "movie.mp4", bytes: Some(bytes) }),
        (None, Some(bytes)) => Some(Movie { file: "movie.gif", bytes: Some(bytes) }),
        (None, None) => None,
    };

    let mut series = Series::read(&directory.series()).map_err(io::Error::other)?;
    let space = &built.simulation.env.space;
    let record = Record { directory, series: &series, headings: &ending.headings, space, scene };
    let findings = measure(&scene.measure, &record)?;
    if !findings.is_empty() {
        let table = table(&findings);
        atomic_write_named(&directory.measures(), |out| out.write_all(table.as_bytes()))?;
    }
    let figures: Vec<(String, String)> =
        findings.iter().map(|finding| (finding.title.clone(), finding.svg())).collect();
    series.columns.retain(is_worth_a_plot);
    for column in &mut series.columns {
        if let Some(heading) = ending.headings.iter().find(|h| h.name == column.name) {
            column.name = heading.label();
        }
    }
    let plots = standard_plots(&series);
    let parameters = parameters(scene);
    let parameters: Vec<Parameter<'_>> = parameters
        .iter()
        .map(|p| Parameter {
            key: &p.key,
            value: &p.value,
            unit: p.setting.unit,
            help: p.setting.help,
        })
        .collect();
    let html = Report {
        title: &scene.title,
        description: &scene.watch,
        pictures: &pictures,
        movie,
        figures: &figures,
        plots: &plots,
        summary,
        parameters: &parameters,
        command: &setup.command,
        scene_text: &ending.scene_text,
    }
    .html();
    atomic_write_named(&directory.report(), |out| out.write_all(html.as_bytes()))
}
