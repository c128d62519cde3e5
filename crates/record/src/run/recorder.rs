//! The observer that turns a simulation into files.

use super::columns::{self, Heading};
use super::fixed::Origin;
use super::pictures::Pictures;
use super::totals::Totals;
use super::{Progress, ProgressReport, Setup, frame_time};
use crate::draw::{self, Artist, Scenery};
use crate::output::checkpoint::Section;
use crate::output::vtk::{self, CollectionWriter, Surface};
use crate::output::{Checkpoint, LIMIT, RunDirectory, SeriesWriter};
use crate::probes::Probes;
use crate::surface::Surfacer;
use lawine_core::body::Body;
use lawine_core::field::{Field, TensorField};
use lawine_core::geometry::Aabb;
use lawine_core::simulation::{Flow, Moment, Observer, Simulation};
use lawine_core::watchdog::Watchdog;
use lawine_scene::build::Built;
use lawine_scene::file::SurfaceFormat;
use lawine_scene::grain_surface::{GrainPoses, GrainSurface};
use lawine_scene::select::MatterFields;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Metadata of a run in its checkpoint, in addition to the state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Meta {
    pub(super) scene: String,
    pub(super) version: String,
    pub(super) next_frame: u64,
    pub(super) totals: Totals,
    /// The scene that the state belongs to; missing in checkpoints of older versions, which are refused.
    #[serde(default)]
    pub(super) origin: Option<Origin>,
    /// What the watch over energy, speed and losses has seen.
    #[serde(default)]
    pub(super) watch: Option<Watchdog>,
}

/// Names of the sections of a checkpoint.
pub(super) const META: &str = "run";
pub(super) const STATE: &str = "state";

/// Writes all output of a run in progress.
pub(super) struct Recorder<'a> {
    setup: &'a Setup<'a>,
    progress: &'a mut dyn Progress,
    artist: Option<Artist>,
    surfacer: Option<Surfacer>,
    probes: Probes,
    region: Aabb,
    start: f64,
    every: f64,
    /// What the shapes of grains look like.
    grain_surfaces: Vec<GrainSurface>,
    /// When the next frame is due [s].
    next_time: f64,
    series_every: u64,
    checkpoint_every: f64,
    frames: bool,
    planar: bool,
    has_density_error: bool,
    end: f64,
    series: SeriesWriter,
    /// `bodies.csv`, where there are too many free bodies for columns in the series.
    bodies: Option<SeriesWriter>,
    collection: CollectionWriter,
    pub(super) meta: Meta,
    /// Wall and processor time of earlier sessions, already in the totals.
    started: Instant,
    cpu_started: f64,
    last_checkpoint: Instant,
    /// Whether the run is new, instead of resumed.
    is_new: bool,
    /// Number and time [s] of the last step whose files are written.
    last_step: (u64, f64),
    /// When the last observation ended: the next step begins there [s].
    left: f64,
    row: Vec<f64>,
    /// The names of its columns.
    names: Vec<String>,
}

impl<'a> Recorder<'a> {
    /// A recorder for a new run, or for one resumed after `meta`.
    pub(super) fn new(
        setup: &'a Setup<'a>,
        built: &Built,
        probes: Probes,
        headings: &[Heading],
        resumed: Option<Meta>,
        progress: &'a mut dyn Progress,
    ) -> io::Result<Self> {
        let directory = &setup.directory;
        let scene = &built.scene;
        let names = headings.iter().map(|h| h.name.as_str());
        let names: Vec<&str> = names.chain([LIMIT]).collect();
        let time = built.simulation.time();
        let is_new = resumed.is_none();
        let goes_on = !is_new && directory.series().exists();
        let (series, collection, meta) = match resumed {
            Some(meta) if goes_on => {
                let series = SeriesWriter::resume(&directory.series(), &names, time)
                    .map_err(io::Error::other)?;
                prune(directory, &meta)?;
                let collection = CollectionWriter::resume(&directory.collection(), time)
                    .map_err(io::Error::other)?;
                (series, collection, meta)
            }
            resumed => {
                let series =
                    SeriesWriter::create(&directory.series(), &names).map_err(io::Error::other)?;
                let collection = CollectionWriter::create(&directory.collection());
                (series, collection, resumed.unwrap_or_default())
            }
        };
        let bodies = columns::has_many_bodies(&built.simulation).then(|| {
            let names = columns::body_table(&built.simulation);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let path = directory.bodies_table();
            if goes_on && path.exists() {
                SeriesWriter::resume(&path, &names, time)
            } else {
                SeriesWriter::create(&path, &names)
            }
        });
        let bodies = bodies.transpose().map_err(io::Error::other)?;
        let wants_pictures = scene.output.pictures || scene.output.movie || scene.output.gif;
        let artist = wants_pictures.then(|| {
            Artist::new(scene, built.bounds).with_grain_surfaces(built.grain_surfaces.clone())
        });
        if artist.is_some() && goes_on {
            Pictures::of_run(directory, built).complete(meta.next_frame, progress)?;
        }
        let domain = built.simulation.env.space.domain;
        let started = Instant::now();
        Ok(Self {
            setup,
            progress,
            artist,
            surfacer: Surfacer::new(scene),
            probes,
            region: domain.unwrap_or(draw::around(&built.bounds, 1.0)),
            every: scene.output.every,
            start: scene.start,
            next_time: frame_time(meta.next_frame, scene.start, scene.output.every),
            grain_surfaces: built.grain_surfaces.clone(),
            series_every: u64::from(scene.output.series_every),
            checkpoint_every: scene.output.checkpoint_every,
            frames: scene.output.frames,
            planar: scene.space.dimension == 2,
            has_density_error: scene.has_solver_column("mean_density_error"),
            end: scene.end,
            series,
            bodies,
            collection,
            meta: Meta {
                scene: setup.scene_name.clone(),
                version: setup.version.to_owned(),
                ..meta
            },
            started,
            cpu_started: (setup.cpu_clock)(),
            last_checkpoint: Instant::now(),
            is_new,
            last_step: (built.simulation.steps(), time),
            left: step_clock(setup, started),
            row: Vec::new(),
            names: headings.iter().map(|h| h.name.clone()).collect(),
        })
    }

    fn write_frame(&mut self, now: &Moment<'_>) -> io::Result<()> {
        let frame = self.meta.next_frame;
        let directory = &self.setup.directory;
        let (simulation, time) = (now.simulation, now.simulation.time());
        if let Some(table) = &mut self.bodies {
            columns::body_rows(simulation, |row| table.row(row).map_err(io::Error::other))?;
        }
        let tensors: Vec<Vec<TensorField>> =
            simulation.methods.iter().map(|method| method.tensors()).collect();
        let mut matters = MatterFields::of(simulation);
        for (matter, tensors) in matters.iter_mut().zip(&tensors) {
            matter.fields.extend(tensors.iter().map(TensorField::view));
        }
        if self.frames {
            for MatterFields { kind, fields } in &matters {
                let key = kind.key();
                vtk::save_particles(&directory.particles(key, frame), time, fields)
                    .map_err(io::Error::other)?;
                let name = RunDirectory::particles_name(key, frame);
                self.collection.push(time, key, name);
                self.write_shapes(frame, time, fields)?;
            }
            self.write_bodies(frame, time, &simulation.env.bodies)?;
            self.collection.commit().map_err(io::Error::other)?;
        }
        let surfacer = self.surfacer.as_ref();
        let around = surfacer.and_then(|s| matters.iter().find(|m| m.kind.key() == s.matter()));
        let surface = match surfacer.zip(around) {
            Some((surfacer, MatterFields { fields, .. })) => {
                let path = |ending: &str| directory.surface(frame, ending);
                let surface = surfacer.record(path, time, fields, &simulation.env.bodies)?;
                if let (Some(SurfaceFormat::Vtk), true) = (surfacer.format(), self.frames) {
                    let name = RunDirectory::surface_name(frame, SurfaceFormat::Vtk.ending());
                    self.collection.push(time, "surface", name);
                    self.collection.commit().map_err(io::Error::other)?;
                }
                Some(surface)
            }
            None => None,
        };
        if let Some(artist) = &self.artist {
            let bodies = &simulation.env.bodies;
            let surface = surface.as_ref();
            let value = |name: &str| {
                let column = self.names.iter().position(|known| known == name)?;
                self.row.get(column).copied()
            };
            let (dt, lines) = (now.dt, &*artist.lines(value));
            let scenery = Scenery { time, dt, matters: &matters, bodies, surface, lines };
            let image = artist.draw(&scenery).map_err(io::Error::other)?;
            image.write_png(directory.picture(frame)).map_err(io::Error::other)?;
        }
        self.meta.next_frame += 1;
        self.next_time = frame_time(self.meta.next_frame, self.start, self.every);
        Ok(())
    }

    /// The surfaces of the grains, if there are any.
    fn write_shapes(&mut self, frame: u64, time: f64, fields: &[Field<'_>]) -> io::Result<()> {
        let Some(places) = GrainPoses::of(fields).filter(|_| !self.grain_surfaces.is_empty())
        else {
            return Ok(());
        };
        let (mut points, mut triangles, mut owner) = (Vec::new(), Vec::new(), Vec::new());
        for (i, surface, x, q) in places.each(&self.grain_surfaces) {
            let first = points.len() as u32;
            points.extend(surface.placed(x, q));
            triangles.extend(surface.triangles.iter().map(|t| t.map(|k| k + first)));
            owner.resize(triangles.len(), i as u32);
        }
        let surface = Surface { points: &points, triangles: &triangles, body: &owner };
        let path = self.setup.directory.shapes(frame);
        vtk::save_grains(&path, time, &surface, fields).map_err(io::Error::other)?;
        self.collection.push(time, "shapes", RunDirectory::shapes_name(frame));
        Ok(())
    }

    /// The surfaces of the bodies: anew for each frame if one moves or vanishes, otherwise once.
    fn write_bodies(&mut self, frame: u64, time: f64, bodies: &[Body]) -> io::Result<()> {
        let moving = !bodies.iter().all(|body| body.is_permanent());
        let file = if moving { frame } else { 0 };
        let directory = &self.setup.directory;
        let path = directory.bodies(file);
        if moving || !path.exists() {
            let (mut points, mut triangles, mut owner) = (Vec::new(), Vec::new(), Vec::new());
            for (index, body) in bodies.iter().enumerate().filter(|(_, b)| !b.is_gone()) {
                let surface = body.surface(Some(&self.region), self.planar);
                let first = points.len() as u32;
                points.extend(surface.vertices.iter().map(|&v| body.pose.to_world(v)));
                triangles.extend(surface.triangles.iter().map(|t| t.map(|k| k + first)));
                owner.resize(triangles.len(), index as u32);
            }
            let surface = Surface { points: &points, triangles: &triangles, body: &owner };
            vtk::save_surface(&path, time, &surface).map_err(io::Error::other)?;
        }
        if !bodies.is_empty() {
            self.collection.push(time, "bodies", RunDirectory::bodies_name(file));
        }
        Ok(())
    }

    /// Writes a checkpoint of the simulation as it is now.
    pub(super) fn checkpoint(&mut self, simulation: &Simulation) -> io::Result<()> {
        // The series must be at least as long as at the checkpoint.
        self.flush()?;
        let mut meta = self.meta.clone();
        meta.totals = self.totals(simulation);
        meta.watch = Some(simulation.watch().clone());
        let mut state = Vec::new();
        simulation.save(&mut state)?;
        write_checkpoint(&self.setup.directory, &meta, simulation.steps(), &state)?;
        self.last_checkpoint = Instant::now();
        Ok(())
    }

    /// The totals with the times of this session.
    pub(super) fn totals(&self, simulation: &Simulation) -> Totals {
        let mut totals = self.meta.totals.clone();
        totals.wall_time += self.started.elapsed().as_secs_f64();
        totals.cpu_time += (self.setup.cpu_clock)() - self.cpu_started;
        for (name, seconds) in simulation.phases() {
            match totals.phases.iter_mut().find(|(n, _)| *n == name) {
                Some((_, total)) => *total += seconds,
                None => totals.phases.push((name, seconds)),
            }
        }
        totals
    }

    /// Whether the run is new, instead of resumed.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Whether the directory has a checkpoint to resume from.
    pub(super) fn has_checkpoint(&self) -> bool {
        self.setup.directory.checkpoints().list().is_ok_and(|list| !list.is_empty())
    }

    /// Number and time [s] of the last step whose files are written.
    pub(super) fn last_step(&self) -> (u64, f64) {
        self.last_step
    }

    /// Tells what begins now.
    pub(super) fn stage(&mut self, what: &str) {
        self.progress.stage(what);
    }

    /// Tells what is not as it should be.
    pub(super) fn warning(&mut self, what: &str) {
        self.progress.warning(what);
    }

    /// Makes sure that every row is in the file.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let mut files = std::iter::once(&mut self.series).chain(&mut self.bodies);
        files.try_for_each(|file| file.flush().map_err(io::Error::other))
    }
}

impl Observer for Recorder<'_> {
    fn next_time(&self) -> Option<f64> {
        Some(self.next_time)
    }

    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        let simulation = now.simulation;
        let particles = simulation.particle_count();
        let first = now.dt <= 0.0;
        if first {
            let energy = simulation.methods.iter().map(|m| m.energy(&simulation.env));
            self.meta.totals.energy_initial = energy.map(|e| e.kinetic + e.potential).sum();
        } else {
            self.meta.totals.step_time += step_clock(self.setup, self.started) - self.left;
            self.meta.totals.add(now);
        }
        let frame = simulation.time() >= self.next_time;
        if frame || simulation.steps().is_multiple_of(self.series_every) {
            columns::row(now, &self.probes, &mut self.row);
            self.series.row_with_limit(&self.row, now.limit).map_err(io::Error::other)?;
        }
        if frame {
            self.write_frame(now)?;
        }
        self.last_step = (simulation.steps(), simulation.time());
        self.progress.step(&ProgressReport {
            time: simulation.time(),
            end: self.end,
            steps: simulation.steps(),
            particles,
            dt: now.dt,
            limit: now.limit,
            density_error: self.has_density_error.then_some(now.report.mean_density_error),
        });
        let stop = self.setup.stop.load(Relaxed);
        if stop || self.last_checkpoint.elapsed().as_secs_f64() >= self.checkpoint_every {
            self.checkpoint(simulation)?;
        }
        self.left = step_clock(self.setup, self.started);
        Ok(if stop { Flow::Stop } else { Flow::Continue })
    }
}

/// The clock by which the cost of steps is measured [s]: that of the processor, on which it does not
/// count what else the machine does. While a GPU computes the processor waits.
fn step_clock(setup: &Setup<'_>, started: Instant) -> f64 {
    if setup.device == "cpu" { (setup.cpu_clock)() } else { started.elapsed().as_secs_f64() }
}

/// Writes a state after `steps` steps as a checkpoint.
pub(super) fn write_checkpoint(
    directory: &RunDirectory,
    meta: &Meta,
    steps: u64,
    state: &[u8],
) -> io::Result<()> {
    let meta = serde_json::to_vec(meta).map_err(io::Error::other)?;
    let sections =
        [Section { name: META, payload: &meta }, Section { name: STATE, payload: state }];
    directory.checkpoints().write(steps, &sections).map(drop).map_err(io::Error::other)
}

/// Reads the parts of a checkpoint.
pub(super) fn parts(checkpoint: &Checkpoint) -> io::Result<(Meta, &[u8])> {
    let meta = checkpoint.require(META).map_err(io::Error::other)?;
    let state = checkpoint.require(STATE).map_err(io::Error::other)?;
    Ok((serde_json::from_slice(meta)?, state))
}

/// Takes away what a directory holds from after the checkpoint.
fn prune(directory: &RunDirectory, meta: &Meta) -> io::Result<()> {
    directory.prepare_resume().map_err(io::Error::other)?;
    directory.prune_frames_after(meta.next_frame.checked_sub(1)).map_err(io::Error::other)
}
