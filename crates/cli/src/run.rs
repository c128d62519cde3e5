//! `lawine run`.

use crate::device::Device;
use crate::print::{errln, write_out};
use crate::progress::progress;
use crate::{Usage, chain};
use anyhow::{Context, Result, bail};
use clap::Args;
use cpu_time::ProcessTime;
use lawine_core::method::StepError;
use lawine_core::simulation::RunError;
use lawine_record::output::{Checkpoint, RunDirectory, Status, Summary, checkpoint};
use lawine_record::run::{RunFailure, Setup, fixed_difference, prepare, run, scene_of};
use lawine_scene::file::{LoadedScene, Override, Source, Time, load, load_with};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Signals within this time count as one request to stop.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// Set by Ctrl-C.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// Run a scene and write frames, pictures, a movie, data and a report.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lawine run dam-break\n  \
    lawine run dam-break --set liquid.spacing=0.01 --end 1 --out runs/coarse\n  \
    lawine run my.toml --threads 4 --quiet\n  \
    lawine run snowballs --device gpu            snow on a graphics card\n  \
    lawine run --resume runs/dam-break           resume after Ctrl-C\n  \
    lawine run --resume runs/dam-break --end 5   continue beyond the end")]
pub(crate) struct Arguments {
    /// A built-in scene (see `lawine scenes`) or a scene file; optional with --resume
    #[arg(required_unless_present = "resume")]
    scene: Option<String>,
    /// Output directory [default: runs/SCENE, or runs/SCENE-2, … if that exists]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Override a key of the scene for this run; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Simulated time at which the run ends [s]
    #[arg(long, value_name = "S")]
    end: Option<f64>,
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Compute device; only snow runs on a GPU, and checkpoints can be resumed on either
    #[arg(long, value_enum, default_value_t)]
    device: Device,
    /// Resume from the newest checkpoint of a run, or from a checkpoint file
    #[arg(long, value_name = "DIR|FILE")]
    resume: Option<PathBuf>,
    /// Draw the surface of liquid or snow; with a format (ply, obj, vtk) also save it
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "")]
    surface: Option<String>,
    /// How pictures are made: quick, or final with traced light
    #[arg(long, value_name = "QUALITY")]
    quality: Option<String>,
    /// Also make an animated GIF
    #[arg(long)]
    gif: bool,
    /// Print only warnings and errors
    #[arg(long, short)]
    quiet: bool,
}

/// The key that `--surface`, with or without a format, sets.
pub(crate) fn surface_key(format: &str) -> Result<Override> {
    match format {
        "" => setting("surface.draw=true", "--surface"),
        format => setting(&format!("surface.save={format:?}"), format!("--surface {format}")),
    }
}

/// The key that an argument sets; messages name the argument.
pub(crate) fn setting(key_value: &str, argument: impl Into<String>) -> Result<Override> {
    Ok(Override::parse(key_value)?.given_as(argument))
}

/// What to run, from which checkpoint, and where the files go.
struct Job {
    loaded: LoadedScene,
    name: String,
    target: Target,
    checkpoint: Option<Checkpoint>,
}

/// Where the files go.
enum Target {
    New(PathBuf),
    Used(RunDirectory),
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let mut job = match &self.resume {
            Some(from) => self.resumed(from)?,
            None => self.fresh()?,
        };
        let scene = &mut job.loaded.scene;
        if self.device.wants_gpu(scene.runs_on_gpu()) && scene.output.series_every == 1 {
            // A row needs all particles on the host, where they are at frames anyway.
            scene.output.series_every = 0;
        }
        let frames = [scene.start, scene.output.every];
        let threads = self.threads.map_or_else(cores, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        // An invalid scene must not leave files behind.
        let prepare = || pool.install(|| prepare(&job.loaded, job.checkpoint.as_ref()));
        let mut prepared = prepare()?;
        for warning in prepared.warnings() {
            errln!("warning: {warning}");
        }
        let placed = pool.install(|| self.device.take(prepared.simulation_mut(), frames));
        let device = match placed {
            Err(error) if self.device == Device::Auto => {
                errln!("running on the CPU: {}", chain(&error));
                prepared = prepare()?;
                "cpu".to_owned()
            }
            placed => placed?,
        };
        let directory = match job.target {
            Target::New(path) => RunDirectory::create_claimed(path)?,
            Target::Used(directory) => directory,
        };
        stop_on_ctrl_c()?;
        let setup = Setup {
            directory,
            scene_name: job.name,
            command: command_line(),
            version: env!("CARGO_PKG_VERSION"),
            device,
            threads,
            stop: &STOP,
            cpu_clock: || ProcessTime::now().as_duration().as_secs_f64(),
        };
        let quiet = self.quiet;
        let result = pool.install(|| run(prepared, &setup, &mut *progress(quiet)));
        match result {
            Ok(summary) => Ok(self.report(&summary, setup.directory.root())),
            Err(failure) => Err(explain(failure, &setup.directory, &job.loaded.scene.time)),
        }
    }

    fn overrides(&self) -> Result<Vec<Override>> {
        let mut set = Override::parse_all(&self.set)?;
        if let Some(end) = self.end {
            set.push(setting(&format!("end={end:?}"), format!("--end {end}"))?);
        }
        set.extend(self.surface.as_deref().map(surface_key).transpose()?);
        if let Some(quality) = &self.quality {
            let key_value = format!("view.quality={quality:?}");
            set.push(setting(&key_value, format!("--quality {quality}"))?);
        }
        if self.gif {
            set.push(setting("output.gif=true", "--gif")?);
        }
        Ok(set)
    }

    fn fresh(&self) -> Result<Job> {
        let argument = self.scene.as_deref().unwrap_or_default();
        let source = Source::from_argument(argument)?;
        let loaded = load_with(&source, &self.overrides()?)?;
        let name = scene_name(&source);
        let target = Target::New(self.out.clone().unwrap_or_else(|| free_directory(&name)));
        Ok(Job { loaded, name, target, checkpoint: None })
    }

    fn resumed(&self, from: &Path) -> Result<Job> {
        let found = std::fs::metadata(from);
        let found = found.with_context(|| format!("cannot resume from {}", from.display()))?;
        let source = if found.is_dir() {
            RunDirectory::open(from)?
        } else {
            RunDirectory::of_checkpoint(from)?
        };
        let (source, target) = match &self.out {
            Some(out) if !is_same(out, source.root()) => (source, Target::New(out.clone())),
            _ => {
                let claimed = source.claim()?;
                (claimed.clone(), Target::Used(claimed))
            }
        };
        let checkpoint =
            if found.is_dir() { source.checkpoints().latest()?.1 } else { checkpoint::read(from)? };
        let name = scene_of(&checkpoint)?;
        if let Some(argument) = &self.scene {
            let asked = scene_name(&Source::from_argument(argument)?);
            if asked != name {
                bail!(
                    "{} is a run of the scene \"{name}\", not of \"{asked}\"; leave the scene out \
                     to resume it",
                    from.display()
                );
            }
        }
        let scene = Source::File(source.scene());
        if let (Some(argument), false) = (&self.scene, self.quiet) {
            errln!("resuming with {}; {argument} is not read again", source.scene().display());
        }
        let loaded = load_with(&scene, &self.overrides()?)?;
        let before = load(&scene, &[])?.scene;
        if let Some(difference) = fixed_difference(&before, &loaded.scene) {
            bail!(
                "{} cannot change when a run is resumed: {difference}, and the checkpoint in {} \
                 depends on it; start a new run",
                difference.key,
                source.root().display()
            );
        }
        Ok(Job { loaded, name, target, checkpoint: Some(checkpoint) })
    }

    fn report(&self, summary: &Summary, root: &Path) -> ExitCode {
        summary.warnings.iter().for_each(|warning| errln!("warning: {warning}"));
        if !self.quiet {
            summary.notes.iter().for_each(|note| errln!("{note}"));
        }
        let directory = quoted(&root.to_string_lossy());
        if summary.status == Status::Interrupted {
            errln!(
                "stopped at t = {} s after {} steps; resume with:\n  lawine run --resume {directory}{}",
                summary.simulated_time,
                summary.steps,
                self.device.argument()
            );
            return ExitCode::from(130);
        }
        if !self.quiet {
            // The run is done and its files are there, whether or not this can be read.
            let _ = write_out(format_args!(
                "{}: {} particles, {} steps to t = {} s in {:.1} s ({:.0} ns per particle and \
                 step)\nfiles in {}: {}",
                summary.scene,
                summary.particles,
                summary.steps,
                summary.simulated_time,
                summary.wall_time,
                summary.ns_per_particle_step,
                root.display(),
                written(root).join(", ")
            ));
        }
        ExitCode::SUCCESS
    }
}

/// Handles Ctrl-C; a second one does not wait for the step. Signals that arrive together count as one
/// request: `timeout` sends one to the process and one to its group.
pub(crate) fn stop_on_ctrl_c() -> Result<()> {
    let mut first = None;
    ctrlc::set_handler(move || {
        STOP.store(true, Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() >= ONE_REQUEST {
            std::process::exit(130);
        }
    })
    .context("cannot install a handler for Ctrl-C")
}

/// Files of interest in the directory of a run.
fn written(root: &Path) -> Vec<&'static str> {
    let all = ["report.html", "movie.mp4", "movie.gif", "pictures/", "frames.pvd", "series.csv"];
    all.into_iter().filter(|name| root.join(name).exists()).collect()
}

/// Adds advice to a failure.
fn explain(failure: RunFailure, directory: &RunDirectory, time: &Time) -> anyhow::Error {
    let mut unstable = false;
    let advice = match &failure {
        RunFailure::Run(RunError::Step { source: StepError::LeftDomain { .. }, .. }) => {
            " --set space.leaving=remove".to_owned()
        }
        RunFailure::Run(RunError::Step { source: StepError::Device(_), .. }) => {
            " --device cpu".to_owned()
        }
        RunFailure::Run(
            RunError::Step { .. } | RunError::Stuck { .. } | RunError::Impossible { .. },
        ) => {
            unstable = true;
            match time.step {
                Some(dt) => format!(" --set time.step={:?}", dt / 10.0),
                None => format!(" --set time.cfl={:?}", 0.5 * time.cfl),
            }
        }
        RunFailure::Run(RunError::Observer { .. } | RunError::Openings { .. })
        | RunFailure::Output(_) => String::new(),
        _ => return failure.into(),
    };
    let root = directory.root().display();
    let checkpoints = directory.checkpoints().list().unwrap_or_default();
    let Some(newest) = checkpoints.first() else {
        return anyhow::anyhow!(
            "{failure}\nthe results so far are in {root}; there is no checkpoint"
        );
    };
    // An instability has often begun some steps before the last valid one.
    let (which, from) = match checkpoints.get(1) {
        Some(older) if unstable => {
            (", the last valid step; resume from the one before it", older.path.as_path())
        }
        _ => ("; resume from it", directory.root()),
    };
    anyhow::anyhow!(
        "{failure}\nthe results so far are in {root}; the last checkpoint is {}{which} with:\n  \
         lawine run --resume {}{advice}",
        newest.path.display(),
        quoted(&from.to_string_lossy())
    )
}

/// Whether two paths lead to the same directory.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A built-in scene's name, or a file's name without its ending.
fn scene_name(source: &Source) -> String {
    match source {
        Source::File(path) => lawine_scene::input::stem(path, "scene"),
        Source::BuiltIn(name) | Source::Text { name, .. } => name.clone(),
    }
}

/// runs/NAME, or runs/NAME-2, … if that is taken.
pub(crate) fn free_directory(name: &str) -> PathBuf {
    let first = Path::new("runs").join(name);
    std::iter::once(first.clone())
        .chain((2..).map(|n| Path::new("runs").join(format!("{name}-{n}"))))
        .find(|path| !path.exists())
        .unwrap_or(first)
}

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The command as it was typed.
fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("lawine".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word in quotes where a shell needs them.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Parses `N` numbers; the error names the argument.
pub(crate) fn numbers<const N: usize>(text: &str, what: &str) -> Result<[f64; N]> {
    let parts: Vec<f64> = text
        .split([',', 'x'])
        .map(str::trim)
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| {
            Usage(format!("{what} must be {N} numbers separated by commas (or x), got \"{text}\""))
        })?;
    parts.try_into().map_err(|_| {
        Usage(format!("{what} must be {N} numbers separated by commas (or x), got \"{text}\""))
            .into()
    })
}
