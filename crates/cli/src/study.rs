//! `lawine study` and `lawine studies`.

use crate::chain;
use crate::device::Device;
use crate::print::{errln, outln};
use crate::run::{STOP, cores, free_directory, quoted, stop_on_ctrl_c};
use anyhow::{Result, bail};
use clap::Args;
use lawine_core::simulation::Simulation;
use lawine_study::file::LoadedStudy;
use lawine_study::{Collected, Listener, Outcome, Run, Status, Study, StudyError, batch, builtin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run a parameter study: a scene or an experiment with many settings, summarised in tables, plots
/// and a report.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lawine study hunkler-5-1                     a table, plots and report.html\n  \
    lawine study hunkler-5-1 --quick             the quick version\n  \
    lawine study meyer-12 --device gpu           all runs on a graphics card\n  \
    lawine study my.toml --out runs/mine --jobs 4\n  \
    lawine study my.toml --out runs/mine --resume\n  \
    lawine study my.toml --out runs/mine --list-runs | parallel\n  \
    lawine study my.toml --array                 scripts for Slurm and Snakemake\n  \
    lawine study my.toml --collect")]
pub(crate) struct Arguments {
    /// A built-in study (see `lawine studies`) or a study file
    study: String,
    /// Output directory [default: runs/NAME; a new study takes runs/NAME-2, … if that exists]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run the quick version: fewer and shorter runs
    #[arg(long)]
    quick: bool,
    /// Number of runs in parallel; a study that compares times runs them one by one [default: all
    /// cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Resume in a directory with results of the same study: interrupted runs are continued, finished runs are not
    /// repeated
    #[arg(long)]
    resume: bool,
    /// Print a command for each run, for a batch system
    #[arg(long, conflicts_with_all = ["run", "collect", "resume", "array"])]
    list_runs: bool,
    /// Write scripts for batch systems to the output directory: a Slurm job array and a Snakefile
    #[arg(long, conflicts_with_all = ["run", "collect", "resume"])]
    array: bool,
    /// Do only the run with this index, from 0
    #[arg(long, value_name = "I", conflicts_with = "collect")]
    run: Option<usize>,
    /// Make tables, plots and report from the finished runs
    #[arg(long, conflicts_with = "resume")]
    collect: bool,
    /// Compute device for scenes of snow; on a GPU, one run at a time unless --jobs is given
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    device: Device,
    /// Print only the table
    #[arg(long, short)]
    quiet: bool,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        #[cfg(not(feature = "gpu"))]
        if self.device == Device::Gpu {
            return Err(crate::device::not_built_in("study STUDY --device gpu"));
        }
        let loaded = LoadedStudy::load(&self.study)?;
        let mut study = Study::new(loaded, self.quick)?;
        // Every run has its own simulation to hand over, so that a plain function is enough.
        study = match self.device {
            Device::Cpu => study,
            Device::Gpu => study.placed(|simulation, frames| on(Device::Gpu, simulation, frames)),
            Device::Auto => study.placed(|simulation, frames| on(Device::Auto, simulation, frames)),
        };
        let is_known =
            self.resume || self.list_runs || self.array || self.collect || self.run.is_some();
        let name = &study.loaded().name;
        let out = match &self.out {
            Some(out) => out.clone(),
            None if is_known => Path::new("runs").join(name),
            None => free_directory(name),
        };
        if self.list_runs {
            return self.list(&study, &out);
        }
        if self.array {
            return self.write_scripts(&study, &out);
        }
        if self.collect {
            return report(&study.collect(&out)?, &out, self.quiet);
        }
        stop_on_ctrl_c()?;
        let words = Words { quiet: self.quiet, count: study.runs().len() };
        if let Some(index) = self.run {
            let outcome = study.run_one(&out, index, self.resume, &STOP, &words)?;
            let finished = outcome.status == Status::Finished;
            return Ok(if finished { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        if !self.resume && Study::is_taken(&out) {
            bail!(
                "{} is not empty; nothing was changed there; add --resume to continue the same \
                 study, or choose another directory with --out",
                out.display()
            );
        }
        let default_jobs = || if self.device.wants_gpu(true) { 1 } else { cores() };
        let jobs = self.jobs.map_or_else(default_jobs, usize::from);
        match study.run_all(&out, jobs, &STOP, &words) {
            Err(StudyError::Stopped) => {
                let (study, out) = (self.command(), quoted(&out.to_string_lossy()));
                errln!("stopped; resume with:\n  {study} --out {out} --resume");
                return Ok(ExitCode::from(130));
            }
            other => other?,
        }
        report(&study.collect(&out)?, &out, self.quiet)
    }

    fn list(&self, study: &Study, out: &Path) -> Result<ExitCode> {
        let (command, out) = (self.command(), quoted(&out.to_string_lossy()));
        for run in study.runs() {
            outln!("{command} --out {out} --run {}", run.index);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn write_scripts(&self, study: &Study, out: &Path) -> Result<ExitCode> {
        let (call, quoted_out) = (self.command(), quoted(&out.to_string_lossy()));
        let name = &quoted(&study.loaded().name);
        let command = batch::Command { name, study: &call, out: &quoted_out };
        let [array, snakefile] = study.write_scripts(out, &command)?;
        let [array, snakefile] = [array, snakefile].map(|path| quoted(&path.to_string_lossy()));
        let runs = study.runs().len();
        outln!(
            "{runs} runs; submit one of the scripts from this directory:\n  sbatch {array}\n  \
             snakemake --snakefile {snakefile} --cores all"
        );
        outln!("and collect what Slurm has done with:\n  {call} --out {quoted_out} --collect");
        Ok(ExitCode::SUCCESS)
    }

    /// The call of this study, without directory and without what is to be done.
    fn command(&self) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        format!("lawine study {}{quick}{}", quoted(&self.study), self.device.argument())
    }
}

/// Moves the simulation of a run to the device.
fn on(device: Device, simulation: &mut Simulation, frames: [f64; 2]) -> Result<String, String> {
    device.take(simulation, frames).map_err(|error| chain(&error))
}

/// Prints the table and the findings.
fn report(collected: &Collected, out: &Path, quiet: bool) -> Result<ExitCode> {
    outln!("{}", collected.table.aligned().trim_end());
    for answer in &collected.answers {
        outln!("{}", answer.sentence());
    }
    for text in &collected.skipped_findings {
        outln!("{text}: not answered by the quick version");
    }
    if !quiet {
        collected.missing_plots.iter().for_each(|reason| errln!("{reason}"));
        if collected.open > 0 {
            errln!("{} runs have not been done yet", collected.open);
        }
        outln!("files in {}: report.html, table.csv, table.md, plots/", out.display());
    }
    let mut success = collected.failed == 0;
    if !success {
        errln!("{} rows have failed runs", collected.failed);
    }
    for answer in collected.unexpected() {
        errln!("{}", answer.sentence());
        success = false;
    }
    Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints a line for every run.
struct Words {
    quiet: bool,
    count: usize,
}

impl Listener for Words {
    fn begins(&self, _: &Run, _: &str) {}

    fn changed(&self, run: &Run, label: &str) {
        if !self.quiet {
            let (number, count) = (run.index + 1, self.count);
            errln!("{number:>4} of {count}  {label}  its scene has changed; running it again");
        }
    }

    fn ended(&self, run: &Run, label: &str, outcome: &Outcome) {
        if self.quiet {
            return;
        }
        let (number, count) = (run.index + 1, self.count);
        let found =
            outcome.found.as_ref().map_or(String::new(), |(k, v)| format!(", {k} {v} found"));
        let reason = outcome.reason.as_ref().map_or(String::new(), |r| format!(": {r}"));
        let word = if outcome.status == Status::Finished { "done" } else { "failed" };
        let seconds = outcome.seconds;
        errln!("{number:>4} of {count}  {label}{found}  {word} in {seconds:.1} s{reason}");
    }
}

/// List the built-in studies, one per line.
#[derive(Args)]
#[command(after_help = "Example:\n  lawine studies")]
pub(crate) struct Studies {}

impl Studies {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let width = builtin::names().map(str::len).max().unwrap_or(0);
        for name in builtin::names() {
            let file = LoadedStudy::load(name)?.file;
            outln!("{name:width$}  {}. {}", file.title, file.source);
        }
        Ok(ExitCode::SUCCESS)
    }
}
