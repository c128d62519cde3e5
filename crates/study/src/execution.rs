//! Execution of one run: a scene or an experiment.

use crate::file::{Case, LoadedStudy};
use crate::matrix::Run;
use crate::measure::Data;
use crate::outcome::{Outcome, Status};
use crate::{StudyError, experiment, search};
use cpu_time::{ProcessTime, ThreadTime};
use lawine_core::hash::Fnv;
use lawine_core::simulation::Simulation;
use lawine_record::output::{
    Checkpoint, DirectoryError, RunDirectory, Series, SeriesWriter, Summary,
};
use lawine_record::run::{Progress, ProgressReport, Setup, check, fingerprint, prepare, run};
use lawine_scene::build::build;
use lawine_scene::file::{LoadedScene, SceneFile, Source, load};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Hands a simulation that is ready to run to what is to compute it, with the time of the first frame and the time
/// between frames [s]; returns the name of the device, or the reason of the failure.
pub type Placement = fn(&mut Simulation, [f64; 2]) -> Result<String, String>;

/// What all runs of a study share.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    /// The study.
    pub(crate) study: &'a LoadedStudy,
    /// What computes scenes; the processor without it.
    pub(crate) placement: Option<Placement>,
    /// Set to end the run after its step.
    pub(crate) stop: &'a AtomicBool,
}

/// What is run.
pub(crate) enum Subject<'a> {
    /// A scene, by name or path.
    Scene(&'a str),
    /// A built-in experiment.
    Experiment(&'static experiment::Experiment),
}

/// The scene or experiment of a case.
pub(crate) fn subject<'a>(study: &'a LoadedStudy, case: usize) -> Result<Subject<'a>, StudyError> {
    let spec: &Case = &study.file.case[case];
    let file = &study.file;
    let (scene, experiment) = match (&spec.scene, &spec.experiment) {
        (None, None) => (&file.scene, &file.experiment),
        own => own,
    };
    match (scene, experiment) {
        (Some(scene), None) => Ok(Subject::Scene(scene)),
        (None, Some(name)) => experiment::get(name)
            .map(Subject::Experiment)
            .map_err(|message| study.error("experiment", message)),
        _ => Err(study.error(
            &format!("case.{case}"),
            format!("case.{case} needs either a scene or an experiment, here or for all cases"),
        )),
    }
}

/// The scene of a run. Files are looked for beside the study first.
pub(crate) fn scene(
    study: &LoadedStudy,
    name: &str,
    set: &[String],
) -> Result<LoadedScene, StudyError> {
    let beside = study.folder.join(name);
    let source = match Source::from_argument(name) {
        Ok(Source::BuiltIn(name)) => Source::BuiltIn(name),
        _ if beside.is_file() => Source::File(beside),
        other => other?,
    };
    Ok(load(&source, set)?)
}

/// A scene without its materials, and what its runs offer to be measured.
pub(crate) type Offer = (SceneFile, Vec<String>);

/// What the runs of a case offer to be measured; finds mistakes in settings without running. A scene that differs from the
/// last one in its materials alone offers the same and is not built: large ones take seconds.
pub(crate) fn offered(
    study: &LoadedStudy,
    run: &Run,
    last: &mut Option<Offer>,
) -> Result<Vec<String>, StudyError> {
    match subject(study, run.case)? {
        Subject::Scene(name) => {
            let loaded = scene(study, name, &run.overrides())?;
            let mut bare = loaded.scene.clone();
            loaded.scene.matters().for_each(|kind| kind.forget_materials(&mut bare));
            if let Some((_, names)) = last.as_ref().filter(|(scene, _)| *scene == bare) {
                return Ok(names.clone());
            }
            let built = build(&loaded)?;
            let (_, headings) = check(&loaded, &built)?;
            let mut data = Data::of_summary(&Summary::default());
            let phases = built.simulation.phases();
            data.numbers.extend(phases.map(|(name, _)| (format!("phases.{name}"), 0.0)));
            let optional = ["energy_initial", "energy_final"].into_iter();
            let of_solvers = ["mean_density_error", "max_density_error"];
            let of_solvers = of_solvers.into_iter().filter(|c| built.scene.has_solver_column(c));
            let optional = optional.chain(of_solvers).map(|name| format!("summary.{name}"));
            let columns = headings.iter().map(|h| format!("series.{}", h.name));
            let names = data.names().into_iter().chain(optional).chain(columns);
            let names: Vec<String> = names.collect();
            *last = Some((bare, names.clone()));
            Ok(names)
        }
        Subject::Experiment(experiment) => {
            experiment::settings(experiment, &run.overrides())
                .map_err(|message| study.error(&format!("case.{}", run.case), message))?;
            let numbers = experiment.numbers.iter().map(|(name, _)| format!("result.{name}"));
            let columns = experiment.columns.iter().map(|n| format!("series.{n}"));
            Ok(numbers.chain(columns).collect())
        }
    }
}

/// Does a run in its folder.
pub(crate) fn perform(shared: Shared<'_>, run: &Run, folder: &Path) -> Result<Outcome, StudyError> {
    let start = Instant::now();
    let mut outcome = match &shared.study.file.case[run.case].search {
        Some(spec) => search::search(shared, run, spec, folder)?,
        None => once(shared, run, &run.overrides(), folder)?,
    };
    outcome.seconds = start.elapsed().as_secs_f64();
    Ok(outcome)
}

/// A single run with the given settings.
pub(crate) fn once(
    shared: Shared<'_>,
    run: &Run,
    set: &[String],
    folder: &Path,
) -> Result<Outcome, StudyError> {
    let Shared { study, stop, .. } = shared;
    let data = match subject(study, run.case)? {
        Subject::Scene(name) => run_scene(shared, run, (name, set), folder)?,
        Subject::Experiment(experiment) => run_experiment(experiment, set, folder),
    };
    if stop.load(Relaxed) {
        return Err(StudyError::Stopped);
    }
    let (data, reason) = match data {
        Ok(data) => (data, None),
        Err((data, reason)) => (data, Some(reason)),
    };
    Ok(Outcome {
        status: if reason.is_none() { Status::Finished } else { Status::Failed },
        measures: data.measure(&study.file.measure),
        warnings: data.warnings,
        ..Outcome::failed(reason.clone().unwrap_or_default())
    })
    .map(|outcome| Outcome { reason, ..outcome })
}

/// The scene of a run; repetitions have seeds of their own, unless times are compared.
fn repetition(
    study: &LoadedStudy,
    run: &Run,
    name: &str,
    set: &[String],
) -> Result<LoadedScene, StudyError> {
    let loaded = scene(study, name, set)?;
    if run.repetition == 0 || study.file.timing {
        return Ok(loaded);
    }
    let seed = loaded.scene.seed.wrapping_add(u64::from(run.repetition));
    scene(study, name, &[set, &[format!("seed={seed}")]].concat())
}

/// Hash of what a run does, to check whether a result is still valid; none if it is invalid.
pub(crate) fn input(study: &LoadedStudy, run: &Run) -> Option<String> {
    let set = run.overrides();
    let hash = match subject(study, run.case).ok()? {
        Subject::Scene(name) => fingerprint(&repetition(study, run, name, &set).ok()?),
        Subject::Experiment(_) => Fnv::of(set.join("\n").as_bytes()),
    };
    Some(format!("{hash:016x}"))
}

/// What could be measured, and why the run failed if it did.
type Measured = Result<Data, (Data, String)>;

fn run_scene(
    Shared { study, placement, stop }: Shared<'_>,
    run_: &Run,
    (name, set): (&str, &[String]),
    folder: &Path,
) -> Result<Measured, StudyError> {
    let loaded = repetition(study, run_, name, set)?;
    let threads = study.file.threads.unwrap_or(1).max(1) as usize;
    let failed = |reason: String| Ok(Err((Data::default(), reason)));
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool,
        Err(error) => return failed(error.to_string()),
    };
    let (directory, checkpoint) = match open(folder) {
        Ok(opened) => opened,
        Err(error) => return failed(error.to_string()),
    };
    let mut prepared = match pool.install(|| prepare(&loaded, checkpoint.as_ref())) {
        Ok(prepared) => prepared,
        Err(error) => return failed(error.to_string()),
    };
    let frames = [loaded.scene.start, loaded.scene.output.every];
    let device = match placement {
        None => "cpu".to_owned(),
        Some(place) => match pool.install(|| place(prepared.simulation_mut(), frames)) {
            Ok(name) => name,
            Err(reason) => return failed(reason),
        },
    };
    let setup = Setup {
        directory,
        scene_name: name.to_owned(),
        command: format!("lawine study {} --run {}", study.argument, run_.index),
        version: env!("CARGO_PKG_VERSION"),
        device,
        threads,
        stop,
        cpu_clock: if threads == 1 { thread_clock } else { process_clock },
    };
    let result = pool.install(|| run(prepared, &setup, &mut Silent));
    // A run that blew up has measures, too: up to there.
    let summary = Summary::read(&setup.directory.summary());
    let mut data = summary.map(|s| Data::of_summary(&s)).unwrap_or_default();
    data.series = Series::read(&setup.directory.series()).unwrap_or_default();
    Ok(result.map(|_| data.clone()).map_err(|error| (data, error.to_string())))
}

/// The folder of a run with the checkpoint of the one that was interrupted there, or emptied if there is none.
fn open(folder: &Path) -> Result<(RunDirectory, Option<Checkpoint>), DirectoryError> {
    if let Ok(directory) = RunDirectory::open(folder) {
        let directory = directory.claim()?;
        if let Ok((_, checkpoint)) = directory.checkpoints().latest() {
            return Ok((directory, Some(checkpoint)));
        }
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|source| DirectoryError::Io {
            action: "empty",
            path: folder.to_owned(),
            source,
        })?;
    }
    Ok((RunDirectory::create_claimed(folder)?, None))
}

fn run_experiment(experiment: &experiment::Experiment, set: &[String], folder: &Path) -> Measured {
    let fail = |reason: String| (Data::default(), reason);
    let settings = experiment::settings(experiment, set).map_err(fail)?;
    let result = (experiment.run)(&settings).map_err(fail)?;
    let path = folder.join("series.csv");
    if !result.rows.is_empty() {
        fs::create_dir_all(folder).map_err(|e| fail(e.to_string()))?;
        let written = SeriesWriter::create(&path, experiment.columns).and_then(|mut out| {
            result.rows.iter().try_for_each(|row| out.row(row))?;
            out.flush()
        });
        written.map_err(|e| fail(e.to_string()))?;
    }
    let numbers = experiment.numbers.iter().zip(&result.numbers);
    let numbers = numbers.map(|((name, _), &value)| (format!("result.{name}"), value)).collect();
    let series = Series::read(&path).unwrap_or_default();
    Ok(Data { numbers, series, ..Data::default() })
}

/// Processor time of all threads so far [s].
fn process_clock() -> f64 {
    ProcessTime::now().as_duration().as_secs_f64()
}

/// Processor time of this thread so far [s]. A run with one thread is all in it, and does not count
/// those beside it.
fn thread_clock() -> f64 {
    ThreadTime::now().as_duration().as_secs_f64()
}

struct Silent;

impl Progress for Silent {
    fn step(&mut self, _: &ProgressReport) {}
    fn stage(&mut self, _: &str) {}
    fn warning(&mut self, _: &str) {}
}
