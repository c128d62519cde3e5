//! The simulation's side of the viewer: takes commands, advances in short time slices, produces snapshots.
//!
//! It knows neither threads nor windows. [`crate::worker`] runs it on its own thread, or in slices
//! of a frame where there are no threads.

use crate::clock::{Clock, Meter};
use crate::compute::{Appearance, Compute};
use crate::messages::{Command, Notice};
use crate::session::{Applied, Session};
use crate::snapshot::{Columns, SceneInfo, Snapshot};
use crate::step_observer::{StepObserver, row};
use crate::stir::Stir;
use lawine_core::method::StepReport;
use lawine_core::simulation::Moment;
use lawine_scene::file::{SceneError, load};
use lawine_scene::select::MatterFields;
use std::collections::VecDeque;
use std::sync::Arc;
use web_time::Instant;

/// Seconds between copies of particles from the graphics device, for values, plots and colours, and
/// between those of all of the state, in case that the device is lost.
const COPY_EVERY: f64 = 0.5;
const KEEP_EVERY: f64 = 5.0;

/// The simulation, its clock and its notices.
pub struct Engine {
    session: Option<Session>,
    clock: Clock,
    stir: Option<Stir>,
    meter: Meter,
    last_turn: Option<Instant>,
    dt: f64,
    limit: &'static str,
    report: StepReport,
    rows: Vec<Vec<f64>>,
    /// Steps since the phases were last looked at.
    phase_steps: u64,
    phases: Vec<(String, f64)>,
    /// Whether something has changed since the last snapshot.
    changed: bool,
    /// Counts scenes and restarts.
    generation: u64,
    notices: Vec<Notice>,
    /// Warnings about energy, speeds and losses that have been reported.
    warned: usize,
    /// Orders that wait, the first of them for the particles.
    held: VecDeque<Command>,
    /// Whether the particles are in flight here, and a row of data waits for them.
    awaits: bool,
    row_due: bool,
    compute: Compute,
    appearance: Option<Box<Appearance>>,
    /// The last copies of the particles, and whether they must be taken again.
    columns: Arc<Columns>,
    copies_due: bool,
    copied: Instant,
    /// When the last row of data was taken down.
    measured: Option<Instant>,
    /// The last state that was kept, and when.
    kept: Option<(Vec<u8>, Instant)>,
}

impl Engine {
    /// An engine without a scene.
    pub fn new() -> Self {
        Self {
            session: None,
            clock: Clock::new(),
            stir: None,
            meter: Meter::default(),
            last_turn: None,
            dt: 0.0,
            limit: "start",
            report: StepReport::default(),
            rows: Vec::new(),
            phase_steps: 0,
            phases: Vec::new(),
            changed: false,
            generation: 0,
            notices: Vec::new(),
            warned: 0,
            held: VecDeque::new(),
            awaits: false,
            row_due: false,
            compute: Compute::default(),
            appearance: None,
            columns: Arc::default(),
            copies_due: true,
            copied: Instant::now(),
            measured: None,
            kept: None,
        }
    }

    /// The scene that is played, if one is open.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Does what was asked for: at once, or when the particles are here that it needs, and in the order
    /// of asking. What goes wrong becomes notices and changes nothing.
    pub fn execute(&mut self, command: Command) {
        self.held.push_back(command);
        self.obey_held();
    }

    fn obey_held(&mut self) {
        while let Some(command) = self.held.front() {
            if command.needs_particles() && !self.fetch() {
                return;
            }
            let Some(command) = self.held.pop_front() else { return };
            self.changed = true;
            self.copies_due |= !matches!(command, Command::Show(_) | Command::Stir(..));
            if let Err(error) = self.try_obey(command) {
                self.notices.push(Notice::Problem(error.to_string()));
            }
        }
    }

    /// Requests the particles; returns whether they can be read.
    fn fetch(&mut self) -> bool {
        self.session.as_mut().is_none_or(|session| Compute::fetch(session.simulation_mut()))
    }

    fn try_obey(&mut self, command: Command) -> Result<(), SceneError> {
        match command {
            Command::Open(source) => {
                let loaded = load(&source, &[])?;
                self.session = Some(match Session::open(loaded.clone(), &self.compute) {
                    Err(error) if self.compute.is_gpu() => {
                        let session = Session::open(loaded, &Compute::default())?;
                        self.note(format!("computing on the processor: {error}"));
                        session
                    }
                    session => session?,
                });
                self.begin();
                return Ok(());
            }
            Command::Show(appearance) => {
                self.appearance = appearance;
                return Ok(());
            }
            Command::Compute(compute) => {
                if let Some(session) = &mut self.session {
                    session.compute_on(&compute)?;
                }
                self.compute = *compute;
                self.tell_scene(false);
                return Ok(());
            }
            Command::Pause(paused) => self.clock.set_paused(paused),
            Command::Step => self.clock.request_step(),
            Command::Pace(pace) => self.clock.set_pace(pace),
            _ => {}
        }
        let Some(session) = &mut self.session else { return Ok(()) };
        match command {
            Command::Restart => {
                session.restart()?;
                self.begin();
            }
            Command::Set(changes) => {
                if let Applied::NeedsRestart(key) = session.set(&changes)? {
                    self.note(format!("{key} takes effect after the next restart (R)"));
                }
                self.tell_scene(false);
            }
            Command::View(view) => {
                session.set_view(*view)?;
                self.tell_scene(false);
            }
            Command::Insert(points, velocity) => {
                session.insert(&points, velocity)?;
            }
            Command::Erase(gone) => {
                session.erase(&*gone);
            }
            Command::Attach(name, bytes) => session.attach(name, bytes),
            Command::Place(matter) => {
                session.place(matter);
                self.tell_scene(false);
            }
            Command::AddFill(fill) => {
                let (count, lasting) = session.add_fill(*fill)?;
                let until = if lasting { "" } else { "; a restart will not place them again" };
                let what = session.placed().particles();
                self.note(format!("{count} {what} placed{until}"));
                self.tell_scene(false);
            }
            Command::AddBody(name, shape) => {
                let removed = session.add_body(name, *shape)?;
                self.note(format!("obstacle placed, {removed} particles removed"));
                self.tell_scene(false);
            }
            Command::Stir(index, offset) => {
                let stir = self.stir.get_or_insert_with(|| Stir::new(index));
                stir.pull(offset);
            }
            Command::Release => {
                if let Some(stir) = self.stir.take() {
                    let (index, offset) = stir.end(session.simulation_mut());
                    session.shift_body(index, offset)?;
                    self.tell_scene(false);
                }
            }
            Command::Save => {
                let mut state = Vec::new();
                let info = info(session, false, self.generation);
                let saved = session.simulation().save(&mut state);
                match (saved, self.kept.take()) {
                    (Ok(()), _) => self.notices.push(Notice::State(state, Box::new(info))),
                    (Err(_), Some((kept, _))) => {
                        self.notices.push(Notice::State(kept, Box::new(info)))
                    }
                    (Err(error), None) => self.notices.push(Notice::Problem(error.to_string())),
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn note(&mut self, text: String) {
        self.notices.push(Notice::Note(text));
    }

    /// After another scene or a restart.
    fn begin(&mut self) {
        self.generation += 1;
        self.clock.forget();
        self.stir = None;
        self.meter = Meter::default();
        self.rows.clear();
        (self.awaits, self.row_due, self.measured) = (false, false, None);
        self.kept = None;
        self.copies_due = true;
        self.phases.clear();
        self.phase_steps = 0;
        (self.dt, self.limit, self.report) = (0.0, "start", StepReport::default());
        self.tell_scene(true);
        self.changed = true;
    }

    fn tell_scene(&mut self, fresh: bool) {
        if let Some(session) = &self.session {
            self.notices.push(Notice::Scene(Box::new(info(session, fresh, self.generation))));
        }
    }

    /// Notices since the last call.
    pub fn take_news(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Whether a turn would do something now.
    pub fn is_busy(&self) -> bool {
        let waits = self.awaits || !self.held.is_empty();
        self.session.is_some() && (waits || !self.clock.is_paused() || self.clock.is_due())
    }

    /// Advances by what is due, for at most `budget` seconds of wall time; at least one step is made
    /// where one is due and nothing is waited for. Tells whether there was something to do.
    pub fn turn(&mut self, budget: f64) -> bool {
        let now = Instant::now();
        let wall = self.last_turn.map_or(0.0, |last| (now - last).as_secs_f64());
        self.last_turn = Some(now);
        self.obey_held();
        self.clock.elapse(wall);
        let waits = self.is_waiting();
        let Some(session) = &mut self.session else { return false };
        let before = (session.simulation().time(), session.simulation().steps());
        let due = self.clock.is_due();
        if due && !waits {
            let simulation = session.simulation_mut();
            if let Some(stir) = &mut self.stir {
                stir.steer(simulation, self.dt);
            }
            let on_gpu = session.is_on_gpu();
            let is_old = |since: Instant| since.elapsed().as_secs_f64() > COPY_EVERY;
            self.copies_due |= is_old(self.copied);
            let measures = !on_gpu || self.measured.is_none_or(is_old);
            let (simulation, probes) = session.parts();
            let mut watch = StepObserver {
                measures,
                once: on_gpu,
                awaits: false,
                clock: &mut self.clock,
                probes,
                rows: &mut self.rows,
                until: now + std::time::Duration::from_secs_f64(budget),
                last: (self.dt, self.limit, self.report),
            };
            let result = simulation.advance_to(f64::INFINITY, &mut [&mut watch]);
            (self.awaits, self.row_due) = (watch.awaits, watch.awaits);
            self.measured = if measures { Some(now) } else { self.measured };
            (self.dt, self.limit, self.report) = watch.last;
            self.changed = true;
            if let Err(error) = result {
                self.stop(&error.to_string());
            }
            self.warn();
        }
        let Some(session) = &self.session else { return false };
        let (time, steps) = (session.simulation().time(), session.simulation().steps());
        self.meter.add(wall, time - before.0, steps - before.1);
        self.phase_steps += steps - before.1;
        due || waits
    }

    /// Tells what the watch over the simulation has found since the last time.
    fn warn(&mut self) {
        let Some(simulation) = self.session.as_ref().map(Session::simulation) else { return };
        let (watch, told) = (simulation.watch(), self.warned);
        self.warned = watch.count();
        if self.warned > told {
            let warnings = watch.words(simulation).warnings;
            self.notices
                .extend(warnings.into_iter().map(|w| Notice::Note(format!("warning: {w}"))));
        }
    }

    /// After a step that failed.
    fn stop(&mut self, why: &str) {
        self.clock.set_paused(true);
        self.clock.forget();
        self.notices.push(Notice::Stopped(format!("{why}. Restart with R.")));
    }

    /// Whether no step can be made: somebody waits for the particles, or the graphics device has enough to
    /// do. On the processor, and where one may wait for the device, that never happens.
    fn is_waiting(&mut self) -> bool {
        if self.awaits && self.fetch() {
            (self.awaits, self.changed) = (false, true);
            self.copy();
        }
        let Some(session) = self.session.as_mut().filter(|_| self.clock.is_due()) else {
            return self.awaits || !self.held.is_empty();
        };
        let ready = Compute::poll(session.simulation_mut()).unwrap_or_else(|error| {
            self.stop(&error.to_string());
            true
        });
        self.awaits || !self.held.is_empty() || !ready
    }

    /// Takes down what was waiting for the particles, if they are here: a row of data, and copies of the
    /// particles and, now and then, of all of the state.
    fn copy(&mut self) {
        let Some(session) = self.session.as_mut().filter(|_| !self.awaits) else { return };
        if std::mem::take(&mut self.row_due) {
            let (dt, limit, report) = (self.dt, self.limit, self.report);
            let (simulation, probes) = session.parts();
            self.rows.push(row(&Moment { simulation, dt, limit, report }, probes));
        }
        self.columns = Arc::new(Columns::new(&MatterFields::of(session.simulation())));
        (self.copies_due, self.copied) = (false, Instant::now());
        let old = |kept: &(_, Instant)| kept.1.elapsed().as_secs_f64() > KEEP_EVERY;
        if session.is_on_gpu() && self.kept.as_ref().is_none_or(old) {
            let mut state = Vec::new();
            if session.simulation().save(&mut state).is_ok() {
                self.kept = Some((state, Instant::now()));
            }
        }
    }

    /// A copy of the present moment, if there is something new.
    pub fn snapshot(&mut self) -> Option<Snapshot> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        let session = self.session.as_mut()?;
        if self.phase_steps > 0 {
            let steps = self.phase_steps as f64;
            self.phases.clear();
            let simulation = session.simulation_mut();
            self.phases.extend(simulation.phases().map(|(name, s)| (name, s / steps)));
            simulation.methods.iter_mut().for_each(|method| method.reset_phases());
            self.phase_steps = 0;
        }
        let on_gpu = session.is_on_gpu();
        let shown = self.appearance.as_deref().filter(|_| on_gpu);
        let simulation = session.simulation_mut();
        let balls = shown.and_then(|look| self.compute.show(simulation, look));
        self.copies_due |= balls.is_none();
        if self.copies_due {
            self.awaits = !self.fetch();
            self.copy();
        }
        let simulation = self.session.as_ref()?.simulation();
        Some(Snapshot {
            time: simulation.time(),
            steps: simulation.steps(),
            dt: self.dt,
            limit: self.limit,
            report: self.report,
            columns: Arc::clone(&self.columns),
            balls,
            particles: simulation.particle_count(),
            bodies: simulation.env.bodies.clone(),
            phases: self.phases.clone(),
            rate: self.meter.rate,
            steps_per_second: self.meter.steps_per_second,
            rows: std::mem::take(&mut self.rows),
            generation: self.generation,
        })
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

fn info(session: &Session, fresh: bool, generation: u64) -> SceneInfo {
    SceneInfo {
        scene: session.loaded().portable(),
        resolved: session.built().scene.clone(),
        bounds: session.built().bounds,
        placed: session.placed(),
        lattice: session.lattice(),
        grain_surfaces: session.built().grain_surfaces.clone(),
        headings: session.headings().to_vec(),
        on_gpu: session.is_on_gpu(),
        pending: session.pending(),
        fresh,
        generation,
    }
}
