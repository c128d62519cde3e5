//! Monitors every simulation for unphysical results: energy growth, unexplained speeds,
//! and matter that has penetrated a body or left the domain.
//!
//! The loop reports every step to the watchdog. Before a step it may inspect the particles: at energy,
//! speed and bodies every `INSPECT_EVERY` steps, at meshes, which cost more, every `MESHES_EVERY`. When
//! it looks depends on what was computed alone, so that a run that was interrupted finds the same.
//!
//! The energy of a closed system may fall, by friction and viscosity, but not rise. Its growth is
//! compared with the energy that the matter can move with: its motion at the start, its height above
//! its lowest point, what it can set free and the work of moving bodies. None of these depends on where
//! the height is zero. Grains keep a balance of their energy, which is used as it is; what they
//! lost by friction and damping counts as energy to move with, since the balance is as exact as that is. For other
//! matter no growth is counted while it comes in or goes out, while an emitter pumps, or where gravity
//! acts along a periodic axis.

mod survey;
#[cfg(test)]
mod tests;

use crate::environment::Environment;
use crate::method::StepReport;
use crate::simulation::Simulation;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use survey::Survey;
use thiserror::Error;

/// Steps between two looks at energy, speed and bodies. A look costs up to 15 ns a particle, a step of
/// the cheapest liquid 190 ns: a quarter of a percent.
const INSPECT_EVERY: u64 = 32;
/// A hundredth of all particles that left the domain is a reason to look earlier: maybe they went through
/// a body.
const MANY_LEFT: u64 = 100;
/// Steps between two looks at bodies that are meshes.
const MESHES_EVERY: u64 = 2048;

/// Growth of the energy, over what the matter can move with, that is worth a warning.
const GROWTH_WARNING: f64 = 0.01;
/// Growth that ends the run.
const GROWTH_ALARM: f64 = 1.0;
/// Speed, over the largest that fall, bodies and emitters explain, that is worth a warning. Jets and
/// spray are two or three times as fast.
const SPEED_WARNING: f64 = 10.0;
/// Speed that ends the run.
const SPEED_ALARM: f64 = 30.0;

/// Findings so far. They are saved next to the state, so that a resumed run is
/// compared with its own start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Watchdog {
    /// Whether the start has been seen.
    begun: bool,
    /// Particles after the last step, and all that ever were.
    particles: u64,
    came: u64,
    /// Particles that left the domain.
    left: Option<Left>,
    /// Gravity, by which a changed scene is detected [m/s²].
    gravity: [f64; 3],
    /// Steps at the last look, and at the last one at meshes.
    looked: u64,
    looked_at_meshes: u64,
    energy: EnergyWatch,
    speed: SpeedWatch,
    /// For each body, what is inside or behind it.
    inside: Vec<Option<Inside>>,
    /// What has fallen below all bodies.
    below: Option<Inside>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Left {
    since: f64,
    count: u64,
    /// Their number at the last look.
    looked: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct EnergyWatch {
    /// Energy at the last look, or the balance of it [J], and all particles that had come by then.
    last: f64,
    came: u64,
    /// Whether particles have been added or removed since then, or an emitter was active.
    open: bool,
    /// Work of the bodies since then [J].
    work: f64,
    /// Growth since the start, and its lowest value [J].
    growth: f64,
    lowest: f64,
    /// Energy to move with, but for what was stored and the work of bodies [J].
    available: f64,
    /// Energy that matter may set free, which is known after the first step [J].
    stored: Option<f64>,
    /// All work that bodies have done on the matter [J].
    supplied: f64,
    /// Growth that was too large.
    grown: Option<Grown>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Grown {
    since: f64,
    /// Most growth, over the energy to move with [J].
    growth: f64,
    #[serde(alias = "fraction")]
    fraction: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SpeedWatch {
    /// Largest speed since the last look [m/s].
    largest: f64,
    /// Square of the largest speed of matter at the start, emitters and bodies [m²/s²].
    given: f64,
    /// The highest place that matter fell from [m]; none before there was any.
    top: Option<f64>,
    /// A speed that was too large.
    fast: Option<Fast>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Fast {
    since: f64,
    speed: f64,
    explained: f64,
}

/// Particles where none should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Inside {
    since: f64,
    most: u64,
    now: u64,
}

/// What a run ended with that its user should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// What is wrong, in sentences.
    pub warnings: Vec<String>,
    /// What may be intended.
    pub notes: Vec<String>,
}

/// Why a run was stopped.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Alarm {
    /// More energy than there was.
    #[error(
        "the energy grew by {} {unit} without a source, more than the {} {unit} that were available \
         to the matter (since t = {since:.4} s); try shorter steps (time.cfl, \
         time.step), more iterations or a smaller tolerance of a pressure solver, or a \
         stiffness that suits the scene",
        short(*.growth), short(*.available)
    )]
    Energy {
        /// Growth [J].
        growth: f64,
        /// What the matter had to move with [J].
        available: f64,
        /// Its unit: per metre of depth in planar space.
        unit: &'static str,
        /// When a warning would have been due [s].
        since: f64,
    },
    /// Faster than can be.
    #[error(
        "a particle moves at {} m/s, but gravity, bodies and emitters explain at most {} m/s; try \
         shorter steps (time.cfl, time.step), or more iterations of a pressure solver",
        short(*.speed), short(*.explained)
    )]
    Speed {
        /// Largest speed [m/s].
        speed: f64,
        /// Largest speed that can be explained [m/s].
        explained: f64,
    },
    /// Nothing is left where matter may be.
    #[error(
        "no matter is left: {inside} of {particles} particles got inside or behind \"{body}\" \
         (since t = {since:.4} s), and {left} left the domain; try shorter steps, or a stiffer liquid \
         or stiffer contacts (liquid.pressure.stiffness, grains.contact.stiffness)"
    )]
    Lost {
        /// All particles that ever were.
        particles: u64,
        /// Most of them that were inside a body at a time.
        inside: u64,
        /// The name of the body.
        body: String,
        /// Particles that left the domain.
        left: u64,
        /// When the first was inside [s].
        since: f64,
    },
}

impl Watchdog {
    /// Records a step, before the bodies move on: the work of scripted ones is force times velocity. `dt` [s].
    pub(crate) fn add_work(&mut self, env: &Environment, dt: f64) {
        for body in env.bodies.iter().filter(|body| !body.is_free()) {
            let power = body.force.dot(body.velocity) + body.torque.dot(body.angular_velocity);
            // The forces are those on the bodies.
            let work = -power * dt;
            self.energy.work += work;
            self.energy.supplied += work.max(0.0);
        }
    }

    /// Records what a step and the openings after it reported.
    pub(crate) fn add_step(&mut self, simulation: &Simulation, report: &StepReport) {
        let particles = simulation.particle_count() as u64;
        let removed = report.removed as u64;
        let came = (particles + removed).saturating_sub(self.particles);
        let gone = removed - report.drained.min(report.removed) as u64;
        let pumps = simulation.openings.is_pumping(simulation.time());
        self.energy.open |= came > 0 || removed > 0 || pumps;
        self.came += came;
        self.particles = particles;
        self.speed.largest = self.speed.largest.max(report.max_speed);
        if self.energy.stored.is_none() {
            let stored = simulation.methods.iter().map(|method| method.stored_energy());
            self.energy.stored = Some(stored.sum());
        }
        if gone > 0 {
            let time = simulation.time();
            let left = self.left.get_or_insert(Left { since: time, ..Left::default() });
            left.count += gone;
        }
    }

    /// Looks at the simulation before a step, if it is time to.
    pub(crate) fn inspect(&mut self, simulation: &Simulation) -> Result<(), Alarm> {
        let edited = self.begun
            && (simulation.particle_count() as u64 != self.particles
                || simulation.env.gravity.distance(self.gravity.into()) > 0.0);
        let since = simulation.steps().saturating_sub(self.looked);
        let many = |left: Left| MANY_LEFT * (left.count - left.looked) >= self.came;
        let due = since >= INSPECT_EVERY || self.left.is_some_and(many);
        if self.begun && !edited && !due || !simulation.methods.iter().all(|m| m.is_on_host()) {
            return Ok(());
        }
        if !self.begun || edited {
            self.begin(simulation);
            return Ok(());
        }
        let meshes = simulation.steps().saturating_sub(self.looked_at_meshes) >= MESHES_EVERY;
        self.examine(simulation, meshes)
    }

    /// Starts, or restarts after the particles were changed from outside.
    fn begin(&mut self, simulation: &Simulation) {
        let survey = Survey::new(simulation);
        self.begun = true;
        self.came += (survey.particles).saturating_sub(self.particles);
        self.particles = survey.particles;
        self.gravity = simulation.env.gravity.to_array();
        (self.looked, self.looked_at_meshes) = (simulation.steps(), simulation.steps());
        self.energy = EnergyWatch {
            last: survey.balance.unwrap_or(survey.energy),
            came: self.came,
            available: survey.available(),
            grown: self.energy.grown,
            ..EnergyWatch::default()
        };
        self.speed = SpeedWatch {
            given: survey::largest_speed(simulation).powi(2),
            top: (survey.particles > 0).then_some(survey.high),
            fast: self.speed.fast,
            ..SpeedWatch::default()
        };
        self.inside.resize(simulation.env.bodies.len(), None);
    }

    /// Looks at everything, at meshes if asked to.
    fn examine(&mut self, simulation: &Simulation, meshes: bool) -> Result<(), Alarm> {
        let survey = Survey::new(simulation);
        if self.came > self.energy.came && survey.particles > 0 {
            let (watch, top) = (&mut self.energy, &mut self.speed.top);
            watch.available = watch.available.max(survey.available());
            *top = Some(top.map_or(survey.high, |top| top.max(survey.high)));
            watch.came = self.came;
        }
        self.examine_energy(simulation, &survey)?;
        self.examine_speed(simulation, &survey)?;
        self.looked = simulation.steps();
        self.left.iter_mut().for_each(|left| left.looked = left.count);
        self.examine_bodies(simulation, meshes);
        if meshes {
            self.looked_at_meshes = simulation.steps();
        }
        self.examine_fall(simulation, &survey);
        self.all_lost(simulation).map_or(Ok(()), Err)
    }

    fn examine_energy(&mut self, simulation: &Simulation, survey: &Survey) -> Result<(), Alarm> {
        let watch = &mut self.energy;
        let grown = match survey.balance {
            _ if survey.gravity_is_periodic => 0.0,
            // Everything that comes and goes is in the balance.
            Some(balance) => balance - watch.last,
            None if watch.open => 0.0,
            None => survey.energy - watch.last - watch.work,
        };
        watch.growth += grown;
        watch.lowest = watch.lowest.min(watch.growth);
        watch.last = survey.balance.unwrap_or(survey.energy);
        let fallen = self.speed.top.map_or(0.0, |top| survey.fallen(top));
        watch.available = watch.available.max(fallen);
        (watch.open, watch.work) = (false, 0.0);
        let stored = watch.stored.unwrap_or(0.0);
        let available = watch.available + watch.supplied + stored + survey.lost;
        let growth = watch.growth - stored;
        let fraction = growth / available;
        let time = simulation.time();
        // Without any available energy its growth cannot be judged.
        if available <= 0.0 {
            return Ok(());
        }
        if fraction > GROWTH_WARNING {
            let grown = watch.grown.get_or_insert(Grown { since: time, ..Grown::default() });
            if fraction > grown.fraction {
                (grown.growth, grown.fraction) = (growth, fraction);
            }
        }
        // What has once been lost cannot come back from anywhere but from what is stored.
        let growth = watch.growth - watch.lowest;
        if growth > GROWTH_ALARM * available {
            let unit = survey.unit;
            let since = watch.grown.map_or(time, |grown| grown.since);
            return Err(Alarm::Energy { growth, available, unit, since });
        }
        Ok(())
    }

    fn examine_speed(&mut self, simulation: &Simulation, survey: &Survey) -> Result<(), Alarm> {
        let watch = &mut self.speed;
        let speed = std::mem::take(&mut watch.largest);
        let openings = &simulation.openings;
        let emitters = openings.emitters.iter().map(|e| e.velocity().length_squared());
        let pours = openings.pours.iter().map(|p| p.velocity.length_squared());
        // What moves free bodies is the matter itself, or what they had at the start.
        let given =
            simulation.env.bodies.iter().filter(|body| !body.is_free() || watch.given <= 0.0);
        let bodies = given.map(|body| body.top_speed().powi(2));
        watch.given = emitters.chain(pours).chain(bodies).fold(watch.given, f64::max);
        // Grains may be poured at any speed; their energy is known.
        if survey.balance.is_some() || survey.gravity_is_periodic || survey.mass <= 0.0 {
            return Ok(());
        }
        let top = watch.top.unwrap_or(survey.high);
        let fall = 2.0 * survey.g * (top - survey.low + 2.0 * survey.radius);
        let stored = self.energy.stored.unwrap_or(0.0) + self.energy.supplied;
        let stored = 2.0 * stored / survey.mass;
        let explained = (watch.given + fall.max(0.0) + stored).sqrt();
        if explained <= 0.0 || speed <= SPEED_WARNING * explained {
            return Ok(());
        }
        let since = simulation.time();
        let fast = watch.fast.get_or_insert(Fast { since, ..Fast::default() });
        if speed > fast.speed {
            (fast.speed, fast.explained) = (speed, explained);
        }
        if speed > SPEED_ALARM * explained {
            return Err(Alarm::Speed { speed, explained });
        }
        Ok(())
    }

    fn examine_bodies(&mut self, simulation: &Simulation, meshes: bool) {
        self.inside.resize(simulation.env.bodies.len(), None);
        let (bodies, time) = (&simulation.env.bodies, simulation.time());
        for (body, inside) in bodies.iter().zip(&mut self.inside) {
            if body.is_gone() {
                inside.iter_mut().for_each(|inside| inside.now = 0);
            } else if meshes || !survey::is_mesh(body) {
                note(inside, survey::count_inside(simulation, body), time);
            }
        }
    }

    /// Counts what is far below all bodies, in a space without an end.
    fn examine_fall(&mut self, simulation: &Simulation, survey: &Survey) {
        let endless = survey.g > 0.0 && simulation.env.space.domain.is_none();
        let lowest = survey::lowest_body(simulation).filter(|_| endless);
        let (Some(lowest), Some(top)) = (lowest, self.speed.top) else { return };
        let far = lowest - (top - lowest).max(0.0);
        let count = if survey.low < far { survey::count_below(simulation, far) } else { 0 };
        note(&mut self.below, count, simulation.time());
    }

    /// Whether all matter is inside bodies or has left the domain through them.
    fn all_lost(&self, simulation: &Simulation) -> Option<Alarm> {
        let inside: u64 = self.inside.iter().flatten().map(|inside| inside.now).sum();
        let waits = simulation.openings.is_active(simulation.time());
        let left = self.left.map_or(0, |left| left.count);
        let none = inside >= self.particles && (self.particles > 0 || left > 0) && !waits;
        let bodies = simulation.env.bodies.iter().zip(&self.inside);
        let most = bodies.filter_map(|(body, inside)| Some((body, (*inside)?)));
        let (body, most) = most.max_by_key(|(_, inside)| inside.most).filter(|_| none)?;
        let (particles, body) = (self.came, body.name.clone());
        Some(Alarm::Lost { particles, inside: most.most, body, left, since: most.since })
    }

    /// Findings at the end, after a final inspection.
    ///
    /// # Errors
    /// What should have stopped the run.
    pub fn findings(&self, simulation: &Simulation) -> Result<Findings, Alarm> {
        let mut last = self.clone();
        if last.begun && simulation.particle_count() as u64 == last.particles {
            last.examine(simulation, true)?;
        }
        Ok(last.words(simulation))
    }

    /// Number of things that there are warnings about so far.
    pub fn count(&self) -> usize {
        let is = usize::from;
        is(self.energy.grown.is_some())
            + is(self.speed.fast.is_some())
            + self.inside.iter().flatten().count()
            + is(self.below.is_some())
    }

    /// Findings so far.
    pub fn words(&self, simulation: &Simulation) -> Findings {
        let mut warnings = Vec::new();
        let unit = survey::energy_unit(&simulation.env);
        if let Some(Grown { since, growth, fraction }) = self.energy.grown {
            warnings.push(format!(
                "the energy grew by {} {unit} without a source, {:.1} % of what the matter had to \
                 move with (since t = {since:.4} s); shorter steps or more iterations may help",
                short(growth),
                100.0 * fraction
            ));
        }
        if let Some(Fast { since, speed, explained }) = self.speed.fast {
            warnings.push(format!(
                "a particle moved at {} m/s, but falls, bodies and emitters explain at most {} m/s \
                 (since t = {since:.4} s)",
                short(speed),
                short(explained)
            ));
        }
        let came = self.came;
        for (body, inside) in simulation.env.bodies.iter().zip(&self.inside) {
            if let Some(Inside { since, most, now }) = inside {
                warnings.push(format!(
                    "{now} of {came} particles are inside or behind \"{}\" ({most} at most, since \
                     t = {since:.4} s)",
                    body.name
                ));
            }
        }
        // What fell through the floor of a container is behind it, and has been reported.
        let behind = self.inside.iter().flatten().map(|inside| inside.now).sum();
        if let Some(Inside { since, now, .. }) = self.below.filter(|below| below.now > behind) {
            warnings.push(format!(
                "{now} of {came} particles have fallen far below all bodies (since t = {since:.4} s)"
            ));
        }
        let mut notes = Vec::new();
        if let Some(Left { since, count, .. }) = self.left {
            let text =
                format!("{count} of {came} particles left the domain (since t = {since:.4} s)");
            let all = count >= came && self.particles == 0;
            if all { warnings.push(text) } else { notes.push(text) }
        }
        Findings { warnings, notes }
    }
}

/// Records particles where none should be.
fn note(place: &mut Option<Inside>, now: u64, time: f64) {
    if now > 0 {
        place.get_or_insert(Inside { since: time, ..Inside::default() });
    }
    if let Some(inside) = place {
        (inside.now, inside.most) = (now, inside.most.max(now));
    }
}

/// A number with four digits.
fn short(x: f64) -> String {
    if (1e-3..1e6).contains(&x.abs()) {
        let decimals = (3.0 - x.abs().log10().floor()).max(0.0);
        format!("{x:.*}", decimals as usize)
    } else {
        format!("{x:.3e}")
    }
}

/// Unit vector against gravity; zero without it.
fn up(env: &Environment) -> DVec3 {
    -env.gravity.normalize_or_zero()
}
