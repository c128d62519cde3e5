//! The time loop.

use crate::body::BodyContacts;
use crate::columns;
use crate::environment::Environment;
use crate::hash::Fnv;
use crate::immersed::Immersed;
use crate::method::{DtLimit, EditError, Method, StepError, StepReport};
use crate::opening::Openings;
use crate::watchdog::{Alarm, Findings, Watchdog};
use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};
use thiserror::Error;

/// How time steps are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeControl {
    /// A fixed step [s]; otherwise the methods' limits decide.
    pub fixed: Option<f64>,
    /// Longest step [s].
    pub max: f64,
    /// Largest ratio of a step to the one before it.
    pub growth: f64,
}

/// Methods in an environment, and the clock.
pub struct Simulation {
    /// The environment of the particles: space, gravity and bodies.
    pub env: Environment,
    /// The methods that share it.
    pub methods: Vec<Box<dyn Method>>,
    /// How time steps are chosen.
    pub control: TimeControl,
    /// Where particles come in and go out, between steps.
    pub openings: Openings,
    /// How free bodies touch; without it they pass through everything solid.
    pub contacts: Option<Box<dyn BodyContacts>>,
    time: f64,
    steps: u64,
    /// The last step before it was cut to meet an observer [s]; zero before the first.
    wanted_dt: f64,
    watch: Watchdog,
}

/// What an observer is shown: the simulation after a step.
pub struct Moment<'a> {
    /// The simulation.
    pub simulation: &'a Simulation,
    /// Length of the step that led here [s]; zero at the start.
    pub dt: f64,
    /// What limited it: where there are several methods, with the matter of the one that did.
    pub limit: &'static str,
    /// What the step reported.
    pub report: StepReport,
}

/// Whether to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Return from the loop after this step.
    Stop,
}

/// Looks at the simulation after each step: progress, probes, writers, checkpoints, windows.
pub trait Observer {
    /// A time that must be hit exactly [s], later than now.
    fn next_time(&self) -> Option<f64> {
        None
    }

    /// Called once at the start and after every step.
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow>;
}

/// How [`Simulation::advance_to`] came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The end time was reached.
    Finished,
    /// An observer asked to stop.
    Stopped,
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError {
    /// A step failed.
    #[error("step {step} from t = {time} s failed: {source}")]
    Step {
        /// Its index, from 1.
        step: u64,
        /// When it began [s].
        time: f64,
        /// Why.
        source: StepError,
    },
    /// Matter could not come in or go out.
    #[error("the openings failed after step {step} at t = {time} s: {source}")]
    Openings {
        /// Steps done.
        step: u64,
        /// Time [s].
        time: f64,
        /// Why.
        source: EditError,
    },
    /// What was computed cannot be.
    #[error("stopped after step {step} at t = {time} s: {source}")]
    Impossible {
        /// Steps done.
        step: u64,
        /// Time [s].
        time: f64,
        /// Why.
        source: Alarm,
    },
    /// An observer could not do its work.
    #[error("after step {step} at t = {time} s: {source}")]
    Observer {
        /// Steps done.
        step: u64,
        /// Time [s].
        time: f64,
        /// Why.
        source: io::Error,
    },
    /// The step became too short to matter.
    #[error("the time step has shrunk to {dt} s at t = {time} s (limited by {reason})")]
    Stuck {
        /// Time [s].
        time: f64,
        /// Step [s].
        dt: f64,
        /// What limits it.
        reason: &'static str,
    },
}

impl Simulation {
    /// A simulation at time zero.
    pub fn new(env: Environment, methods: Vec<Box<dyn Method>>, control: TimeControl) -> Self {
        let (openings, watch) = (Openings::default(), Watchdog::default());
        let mut simulation = Self {
            env,
            methods,
            control,
            openings,
            contacts: None,
            time: 0.0,
            steps: 0,
            wanted_dt: 0.0,
            watch,
        };
        simulation.env.set_time(0.0);
        simulation
    }

    /// The same simulation with its clock at another time [s], before the first step.
    #[must_use]
    pub fn starting_at(mut self, time: f64) -> Self {
        self.time = time;
        self.env.set_time(time);
        self
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The method that moves this matter.
    pub fn method(&self, matter: &str) -> Option<&dyn Method> {
        self.methods.iter().map(|method| &**method).find(|method| method.matter() == matter)
    }

    /// The name of something about one of the methods, in files: it begins with the matter where there are
    /// several.
    pub fn of_matter(&self, method: &dyn Method, what: &str) -> String {
        if self.methods.len() > 1 { format!("{}.{what}", method.matter()) } else { what.to_owned() }
    }

    /// Time spent in each phase of the steps so far [s].
    pub fn phases(&self) -> impl Iterator<Item = (String, f64)> + '_ {
        let named = |method: &'_ dyn Method, name| self.of_matter(method, name);
        self.methods.iter().flat_map(move |method| {
            method.phases().iter().map(move |(name, s)| (named(&**method, name), s))
        })
    }

    /// Particles of all methods.
    pub fn particle_count(&self) -> usize {
        self.methods.iter().map(|m| m.particle_count()).sum()
    }

    /// Shows the present state to the observers, as at the start of a run.
    pub fn show(&self, observers: &mut [&mut dyn Observer]) -> Result<Flow, RunError> {
        self.notify(0.0, "start", StepReport::default(), observers)
    }

    /// Steps until `end` [s], which is hit exactly, or until an observer asks to stop.
    pub fn advance_to(
        &mut self,
        end: f64,
        observers: &mut [&mut dyn Observer],
    ) -> Result<Outcome, RunError> {
        while self.time < end {
            self.with_watchdog(Watchdog::inspect).map_err(|alarm| self.impossible(alarm))?;
            let poured = self.openings.pour(&self.env, &mut self.methods, self.time);
            poured.map_err(|source| self.not_opened(source))?;
            let next = observers.iter().filter_map(|o| o.next_time());
            let target = next.filter(|&t| t > self.time).fold(end, f64::min);
            let limit = self.limit();
            let dt = self.cut(limit.dt, target);
            let advances = self.time + dt > self.time;
            if !advances {
                return Err(RunError::Stuck { time: self.time, dt, reason: limit.reason });
            }
            let mut report = self.step(dt)?;
            self.watch.add_work(&self.env, dt);
            self.wanted_dt = limit.dt;
            self.time = if dt >= target - self.time { target } else { self.time + dt };
            self.env.set_time(self.time);
            let acted = self.openings.act(&self.env, &mut self.methods, self.time);
            let drained = acted.map_err(|source| self.not_opened(source))?;
            (report.removed, report.drained) = (report.removed + drained, report.drained + drained);
            self.with_watchdog(|watch, simulation| watch.add_step(simulation, &report));
            if self.notify(dt, limit.reason, report, observers)? == Flow::Stop {
                return Ok(Outcome::Stopped);
            }
        }
        Ok(Outcome::Finished)
    }

    /// Lends the watch the simulation that it is a part of.
    fn with_watchdog<T>(&mut self, look: impl FnOnce(&mut Watchdog, &Self) -> T) -> T {
        let mut watch = std::mem::take(&mut self.watch);
        let seen = look(&mut watch, self);
        self.watch = watch;
        seen
    }

    fn impossible(&self, source: Alarm) -> RunError {
        RunError::Impossible { step: self.steps, time: self.time, source }
    }

    /// What the watch has seen so far, to be saved with the state.
    pub fn watch(&self) -> &Watchdog {
        &self.watch
    }

    /// Goes on with what was seen before the state was saved. Without this, a state that was loaded
    /// is taken for a start.
    pub fn set_watchdog(&mut self, watch: Watchdog) {
        self.watch = watch;
    }

    /// Findings about energy, speeds and losses, after a final inspection.
    ///
    /// # Errors
    /// [`RunError::Impossible`] if the run should have been stopped.
    pub fn findings(&self) -> Result<Findings, RunError> {
        self.watch.findings(self).map_err(|alarm| self.impossible(alarm))
    }

    fn step(&mut self, dt: f64) -> Result<StepReport, RunError> {
        self.env.clear_forces();
        self.immerse();
        let mut report = StepReport::default();
        for method in &mut self.methods {
            let step = method.step(&mut self.env, dt).map_err(|source| RunError::Step {
                step: self.steps + 1,
                time: self.time,
                source,
            })?;
            report = report.merge(step);
        }
        match &mut self.contacts {
            Some(contacts) => contacts.advance(&mut self.env, dt),
            None if self.methods.iter().any(|method| method.moves_bodies()) => {}
            None => self.env.advance(dt),
        }
        if let Some(name) = self.env.lost_body() {
            let source = StepError::BodyNotFinite { name: name.to_owned(), dt };
            return Err(RunError::Step { step: self.steps + 1, time: self.time, source });
        }
        self.steps += 1;
        Ok(report)
    }

    /// Lets each method offer its particles to a liquid, where there are several.
    fn immerse(&mut self) {
        if self.methods.len() < 2 {
            return;
        }
        self.env.immersed.resize_with(self.methods.len(), Immersed::default);
        for (index, method) in self.methods.iter_mut().enumerate() {
            self.env.immersed[index].clear();
            method.immerse(index, &mut self.env);
        }
    }

    fn not_opened(&self, source: EditError) -> RunError {
        RunError::Openings { step: self.steps, time: self.time, source }
    }

    fn notify(
        &self,
        dt: f64,
        limit: &'static str,
        report: StepReport,
        observers: &mut [&mut dyn Observer],
    ) -> Result<Flow, RunError> {
        let moment = Moment { simulation: self, dt, limit, report };
        let mut flow = Flow::Continue;
        for observer in observers {
            let asked = observer.observe(&moment).map_err(|source| RunError::Observer {
                step: self.steps,
                time: self.time,
                source,
            })?;
            if asked == Flow::Stop {
                flow = Flow::Stop;
            }
        }
        Ok(flow)
    }

    /// The step that is taken next on the way to `target` [s], and what limits it.
    pub fn next_step(&self, target: f64) -> DtLimit {
        let limit = self.limit();
        let dt = self.cut(limit.dt, target);
        let whole = dt >= target - self.time && dt < limit.dt;
        DtLimit { dt, reason: if whole { "the next frame" } else { limit.reason } }
    }

    /// The longest step that all agree to.
    fn limit(&self) -> DtLimit {
        if let Some(dt) = self.control.fixed {
            return DtLimit { dt, reason: "fixed" };
        }
        let mut limit = DtLimit { dt: self.control.max, reason: "time.max_step" };
        let shared = self.methods.len() > 1;
        for method in &self.methods {
            limit = limit.min(if shared {
                let DtLimit { dt, reason } = method.shared_limit(&self.env);
                DtLimit { dt, reason: of_matter(method.matter(), reason) }
            } else {
                method.dt_limit(&self.env)
            });
        }
        limit = limit.min(self.openings.dt_limit());
        if self.wanted_dt > 0.0 {
            let dt = self.control.growth * self.wanted_dt;
            limit = limit.min(DtLimit { dt, reason: "growth" });
        }
        limit
    }

    /// Shortens the step so that `target` is met: all steps up to it become equally long, or, if the
    /// step is fixed, the last two. A single short step would disturb pressure solvers, which reach
    /// their tolerance with other pressures then: frames showed up to 1.6 times the right ones.
    fn cut(&self, dt: f64, target: f64) -> f64 {
        let remaining = target - self.time;
        // A few roundings are not worth another step.
        let steps = remaining / dt * (1.0 - 1e-12);
        let endless = !steps.is_finite();
        if endless || self.control.fixed.is_some() && steps > 2.0 {
            dt
        } else {
            remaining / steps.ceil().max(1.0)
        }
    }

    /// Writes the clock, what the openings remember and the state of free bodies and of every method.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        columns::write(out, "time", &[self.time, self.wanted_dt])?;
        columns::write(out, "steps", &[self.steps])?;
        self.openings.save(out)?;
        self.env.save(out)?;
        self.contacts.iter().try_for_each(|contacts| contacts.save(out))?;
        self.methods.iter().try_for_each(|method| method.save(out))
    }

    /// Takes over a state that [`Self::save`] wrote. After an error the state is not usable.
    pub fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        let clock = columns::read::<f64>(from, "time")?;
        let [time, wanted_dt] = clock[..] else { return Err(bad("the clock is incomplete")) };
        if !(time.is_finite() && wanted_dt.is_finite() && wanted_dt >= 0.0) {
            return Err(bad("the clock shows an impossible time"));
        }
        self.steps = columns::read_one(from, "steps")?;
        (self.time, self.wanted_dt) = (time, wanted_dt);
        self.openings.load(from)?;
        self.env.load(from, self.time)?;
        self.contacts.iter_mut().try_for_each(|contacts| contacts.load(from))?;
        self.methods.iter_mut().try_for_each(|method| method.load(from))?;
        self.env.set_time(self.time);
        self.openings.drive(&self.env, &mut self.methods, self.time);
        self.watch = Watchdog::default();
        Ok(())
    }

    /// A number that is the same if and, but for chance, only if the states are the same.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::default();
        // Hashing cannot fail, and neither can saving into it.
        self.save(&mut hash).map_or(0, |()| hash.finish())
    }
}

/// "MATTER: REASON", made once for each pair.
fn of_matter(matter: &str, reason: &str) -> &'static str {
    static KNOWN: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |name: &&&str| {
        name.strip_prefix(matter).and_then(|rest| rest.strip_prefix(": ")) == Some(reason)
    };
    if let Some(name) = known.iter().find(is_it) {
        return name;
    }
    let name = String::leak(format!("{matter}: {reason}"));
    known.push(name);
    name
}
