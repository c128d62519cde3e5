//! `lawine run`.

use crate::Usage;
use crate::progress::progress;
use anyhow::{Context, Result, bail};
use clap::Args;
use cpu_time::ProcessTime;
use lawine_scene::file::{LoadedScene, Source, load};
use lawine_scene::output::{Checkpoint, RunDirectory, Status, Summary, checkpoint};
use lawine_scene::run::{RunFailure, Setup, run, scene_of};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Runs a scene and writes frames, pictures, a movie, data and a report.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lawine run dam-break\n  \
    lawine run dam-break --set liquid.spacing=0.01 --end 1 --out runs/coarse\n  \
    lawine run my.toml --threads 4 --quiet\n  \
    lawine run --resume runs/dam-break           go on after Ctrl-C\n  \
    lawine run --resume runs/dam-break --end 5   go on beyond the end")]
pub(crate) struct Arguments {
    /// A built-in scene (see `lawine scenes`) or a scene file; with --resume it may be left out
    #[arg(required_unless_present = "resume")]
    scene: Option<String>,
    /// Where the files go [default: runs/SCENE, or the next free number after it]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Changes any key of the scene for this run; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Simulated time at which the run ends [s]
    #[arg(long, value_name = "S")]
    end: Option<f64>,
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Goes on from the newest checkpoint of a run, or from a checkpoint file
    #[arg(long, value_name = "DIR|FILE")]
    resume: Option<PathBuf>,
    /// Makes an animated GIF as well
    #[arg(long)]
    gif: bool,
    /// Says nothing unless something is wrong
    #[arg(long, short)]
    quiet: bool,
}

/// What is to be run, and from where.
struct Job {
    loaded: LoadedScene,
    name: String,
    directory: RunDirectory,
    checkpoint: Option<Checkpoint>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let job = match &self.resume {
            Some(from) => self.resumed(from)?,
            None => self.fresh()?,
        };
        // A second Ctrl-C does not wait for the step.
        ctrlc::set_handler(|| {
            if STOP.swap(true, Relaxed) {
                std::process::exit(130);
            }
        })
        .context("cannot listen for Ctrl-C")?;
        let threads = self.threads.map_or_else(cores, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let root = job.directory.root().to_owned();
        let setup = Setup {
            directory: job.directory,
            scene_name: job.name,
            command: command_line(),
            version: env!("CARGO_PKG_VERSION"),
            threads,
            stop: &STOP,
            cpu_clock: || ProcessTime::now().as_duration().as_secs_f64(),
        };
        let quiet = self.quiet;
        let result = pool
            .install(|| run(&job.loaded, &setup, job.checkpoint.as_ref(), &mut *progress(quiet)));
        match result {
            Ok(summary) => Ok(self.report(&summary, &root)),
            Err(failure) => Err(explain(failure, &setup.directory)),
        }
    }

    fn overrides(&self) -> Vec<String> {
        let mut set = self.set.clone();
        set.extend(self.end.map(|end| format!("end={end:?}")));
        if self.gif {
            set.push("output.gif=true".to_owned());
        }
        set
    }

    fn fresh(&self) -> Result<Job> {
        let argument = self.scene.as_deref().unwrap_or_default();
        let source = Source::from_argument(argument)?;
        let loaded = load(&source, &self.overrides())?;
        let name = scene_name(&source);
        let directory = match &self.out {
            Some(out) => RunDirectory::create(out)?,
            None => RunDirectory::create(free_directory(&name))?,
        };
        Ok(Job { loaded, name, directory, checkpoint: None })
    }

    fn resumed(&self, from: &Path) -> Result<Job> {
        let (source, checkpoint) = if from.is_dir() {
            let directory = RunDirectory::open(from)?;
            let (_, checkpoint) = directory.checkpoints().latest()?;
            (directory, checkpoint)
        } else {
            (RunDirectory::of_checkpoint(from)?, checkpoint::read(from)?)
        };
        let name = scene_of(&checkpoint)?;
        if let Some(argument) = &self.scene {
            let asked = scene_name(&Source::from_argument(argument)?);
            if asked != name {
                bail!(
                    "{} is a run of the scene \"{name}\", not of \"{asked}\"; leave the scene out \
                     to go on with it",
                    from.display()
                );
            }
        }
        let loaded = load(&Source::File(source.scene()), &self.overrides())?;
        let directory = match &self.out {
            Some(out) if out != source.root() => RunDirectory::create(out)?,
            _ => source,
        };
        Ok(Job { loaded, name, directory, checkpoint: Some(checkpoint) })
    }

    fn report(&self, summary: &Summary, root: &Path) -> ExitCode {
        let root = root.display();
        if summary.status == Status::Interrupted {
            eprintln!(
                "stopped at t = {} s after {} steps; go on with:\n  lawine run --resume {root}",
                summary.simulated_time, summary.steps
            );
            return ExitCode::from(130);
        }
        if !self.quiet {
            println!(
                "{}: {} particles, {} steps to t = {} s in {:.1} s ({:.0} ns per particle and \
                 step)\nfiles in {root}: report.html, movie.mp4, pictures/, frames.pvd, series.csv",
                summary.scene,
                summary.particles,
                summary.steps,
                summary.simulated_time,
                summary.wall_time,
                summary.ns_per_particle_step,
            );
        }
        ExitCode::SUCCESS
    }
}

/// Adds what can be done about a failure.
fn explain(failure: RunFailure, directory: &RunDirectory) -> anyhow::Error {
    let advice = match &failure {
        RunFailure::Run(_) | RunFailure::Output(_) => {
            let root = directory.root().display();
            match directory.checkpoints().list().unwrap_or_default().first() {
                Some(newest) => format!(
                    "what was computed is in {root}; the last checkpoint is {}; go on from it, \
                     perhaps with a smaller step, with:\n  \
                     lawine run --resume {root} --set solver.cfl=0.2",
                    newest.path.display()
                ),
                None => format!("what was computed is in {root}; there is no checkpoint yet"),
            }
        }
        _ => String::new(),
    };
    match failure {
        RunFailure::Scene(error) => error.into(),
        failure if advice.is_empty() => failure.into(),
        failure => anyhow::anyhow!("{failure}\n{advice}"),
    }
}

/// A built-in scene's name, or a file's name without its ending.
fn scene_name(source: &Source) -> String {
    match source {
        Source::File(path) => {
            path.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned())
        }
        Source::BuiltIn(name) | Source::Text { name, .. } => name.clone(),
    }
}

/// runs/NAME, or runs/NAME-2, … if that is taken.
fn free_directory(name: &str) -> PathBuf {
    let first = Path::new("runs").join(name);
    std::iter::once(first.clone())
        .chain((2..).map(|n| Path::new("runs").join(format!("{name}-{n}"))))
        .find(|path| !path.exists())
        .unwrap_or(first)
}

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The command as it was typed, quoted where a shell needs it.
fn command_line() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    std::iter::once("lawine".to_owned())
        .chain(std::env::args().skip(1).map(quoted))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Refuses a pair of numbers that is not one.
pub(crate) fn numbers<const N: usize>(text: &str, what: &str) -> Result<[f64; N]> {
    let parts: Vec<f64> =
        text.split([',', 'x']).map(str::trim).map(str::parse).collect::<Result<_, _>>().map_err(
            |_| Usage(format!("{what} must be {N} numbers with commas between, got \"{text}\"")),
        )?;
    parts.try_into().map_err(|_| {
        Usage(format!("{what} must be {N} numbers with commas between, got \"{text}\"")).into()
    })
}
