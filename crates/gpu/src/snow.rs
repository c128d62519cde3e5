//! The material point method as a method of a simulation, on the GPU.

use crate::bodies::Solids;
use crate::change::{heaviest, load};
use crate::copy::Copy;
use crate::device::Gpu;
use crate::engine::{Engine, Params};
use crate::error::GpuError;
use crate::layout::MOST_IN_CELL;
use crate::readback::ReadbackTimes;
use crate::show::{Appearance, Show, Spheres};
use crate::status::Status;
use crate::transfer::{Blocks, Geometry};
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::field::Field;
use lawine_core::method::{DtLimit, EditError, Energy, Method, NewParticle, StepError, StepReport};
use lawine_core::opening::Openings;
use lawine_core::phases::Phases;
use lawine_core::simulation::Simulation;
use lawine_core::space::Space;
use lawine_solvers::mpm::{Blend, Config, ConfigError, Integrator, Matter, Transfer, Walls};
use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::io::{self, Read, Write};

/// The step is rounded down to powers of 2^(1/16): stresses are stored multiplied by the step, and a
/// new step costs another pass over the particles.
const STEPS_PER_DOUBLING: f64 = 16.0;
/// Force sums count impulses in units of 2⁻³⁰ of the heaviest particle at a cell per step.
const IMPULSE_UNIT: f64 = 1.0 / 1_073_741_824.0;

/// Why snow cannot be moved to a GPU.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnowError {
    /// The GPU does not support it.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The matter is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

/// Snow and other matter on a GPU, built from the CPU solver's [`Matter`].
///
/// Steps are submitted in batches. Their results, the largest speeds and the forces on bodies, are read
/// back one batch later, so that the GPU never waits for the host: limits of the time step
/// and forces lag behind by at most two batches. Steps that end at an observer's time
/// ([`Self::read_back_every`]) and steps that are shorter than the previous one are waited for, and their
/// forces are current.
///
/// In a browser the host must not block. There, call [`Self::poll`] first, make steps as long as there is
/// [room](Self::has_room), and to read or change the particles, call [`Self::fetch`] and make no step until
/// it returns true. Speeds and forces lag behind by at most four batches.
pub struct Snow {
    pub(crate) config: Config,
    space: Space,
    pub(crate) geometry: Geometry,
    pub(crate) gpu: Gpu,
    pub(crate) solids: Solids,
    pub(crate) engine: RefCell<Engine>,
    /// The particles on the host, while they are identical to those on the GPU.
    pub(crate) shown: OnceCell<Matter>,
    /// Storage for them, with outdated contents.
    pub(crate) spare: RefCell<Option<Matter>>,
    /// A pending copy of the particles to the host.
    pub(crate) copy: Option<Copy>,
    /// Whether the last step was to be waited for.
    pub(crate) is_blocking: bool,
    pub(crate) pending_error: RefCell<Option<GpuError>>,
    pub(crate) status: Status,
    /// Wave speed of the status before [m/s].
    last_wave: f64,
    readbacks: Option<ReadbackTimes>,
    /// Made when the particles are first drawn, and again for each engine.
    pub(crate) show: Option<Show>,
    pub(crate) count: usize,
    pub(crate) heaviest: f64,
    phases: Phases,
}

impl Snow {
    /// Moves matter to the GPU.
    ///
    /// # Errors
    /// When a feature is not supported on the GPU, or it has too little memory.
    pub fn new(gpu: &Gpu, mut matter: Matter, env: &Environment) -> Result<Self, SnowError> {
        let config = matter.config().clone();
        if config.integrator != Integrator::Explicit {
            return Err(GpuError::Unsupported { what: "the semi-implicit step" }.into());
        }
        if env.bodies.iter().any(Body::is_free) {
            return Err(GpuError::Unsupported { what: "snow with free bodies" }.into());
        }
        if config.materials.len() > 256 {
            return Err(
                GpuError::Unsupported { what: "a scene with more than 256 materials" }.into()
            );
        }
        if matter.particles().points.iter().any(|point| point.volume < 0.0) {
            matter.measure();
        }
        let mut geometry = Geometry::new(&config, &env.space);
        geometry.walls = Walls::find(&env.bodies, config.cell, geometry.origin);
        let solids = Solids::new(&env.bodies, config.cell, geometry.origin);
        let p = matter.particles();
        let blocks = Blocks::new(&geometry, &p.x);
        let engine = load(gpu, &config, &geometry, &solids, p, &blocks, p.len())?;
        let status = Status { speeds: p.speeds, ..Status::default() };
        let (count, heaviest) = (p.len(), heaviest(&matter));
        Ok(Self {
            config,
            space: env.space,
            geometry,
            gpu: gpu.clone(),
            solids,
            engine: RefCell::new(engine),
            shown: OnceCell::from(matter),
            spare: RefCell::new(None),
            copy: None,
            is_blocking: false,
            pending_error: RefCell::new(None),
            last_wave: status.speeds[1],
            status,
            readbacks: None,
            show: None,
            count,
            heaviest,
            phases: Phases::new(&["gpu"]),
        })
    }

    /// The particles, in the form of the CPU solver.
    ///
    /// # Errors
    /// When the GPU no longer responds, or the particles have not been read back and the host must not
    /// block.
    pub fn matter(&self) -> Result<&Matter, GpuError> {
        if let Some(shown) = self.shown.get() {
            return Ok(shown);
        }
        if !self.gpu.can_block {
            return Err(GpuError::NotReadBack);
        }
        let Some(mut matter) = self.spare.borrow_mut().take() else {
            return Err(GpuError::Lost { reason: "the particles could not be read before".into() });
        };
        let mut engine = self.engine.borrow_mut();
        let copied = engine.download(&self.geometry, matter.particles_mut());
        if let Err(error) = copied {
            *self.pending_error.borrow_mut() = Some(error.clone());
            *self.spare.borrow_mut() = Some(matter);
            return Err(error);
        }
        Ok(self.shown.get_or_init(|| matter))
    }

    /// Sets the times of observers: `start` and then every `every` seconds; it is `now` [s]. Steps that
    /// end at such a time report their own forces.
    pub fn read_back_every(&mut self, now: f64, start: f64, every: f64) {
        self.readbacks = Some(ReadbackTimes::new(now, start, every));
    }

    /// The particles as spheres in a GPU buffer, for a renderer on the same device.
    pub fn show(&mut self, appearance: &Appearance) -> Spheres {
        let engine = self.engine.get_mut();
        let show = self.show.get_or_insert_with(|| Show::new(&self.gpu, engine));
        show.run(&self.gpu, engine, &self.geometry, appearance)
    }

    /// Measures the passes from now on, if the GPU supports it; slightly slower.
    pub fn start_clock(&mut self) {
        self.engine.borrow_mut().start_clock();
    }

    /// Seconds in each pass since [`Self::start_clock`], in the order of the step.
    #[must_use]
    pub fn pass_seconds(&self) -> Vec<(&'static str, f64)> {
        self.engine.borrow().clock().map_or_else(Vec::new, |clock| clock.seconds().to_vec())
    }

    /// Bytes on the GPU that grow with particles, and those that grow with blocks.
    #[must_use]
    pub fn gpu_bytes(&self) -> [u64; 2] {
        let engine = self.engine.borrow();
        [engine.layout.particle_bytes(), engine.layout.block_bytes()]
    }

    /// Blocks with particles and blocks with nodes, as of the last status.
    #[must_use]
    pub fn blocks(&self) -> [u32; 2] {
        self.status.blocks
    }

    /// Waits until all steps are done.
    ///
    /// # Errors
    /// When a step failed or the GPU no longer responds.
    pub fn finish(&mut self) -> Result<(), StepError> {
        self.engine.borrow_mut().submit(false);
        self.gpu.wait().map_err(device)?;
        self.take_status(0, 0.0)
    }

    /// Takes over statuses until at most `behind` are pending.
    pub(crate) fn take_status(&mut self, behind: usize, dt: f64) -> Result<(), StepError> {
        loop {
            let next = self.engine.borrow_mut().status(behind).map_err(device)?;
            let Some(next) = next else { return Ok(()) };
            // The first status after a sort has no speeds.
            let speeds = if next.speeds[1] > 0.0 { next.speeds } else { self.status.speeds };
            self.last_wave = self.status.speeds[1];
            self.status = Status { speeds, ..next };
            if let Some(id) = self.status.broken {
                return Err(StepError::NotFinite { field: "velocity or stress", id, dt });
            }
            let engine = self.engine.borrow();
            if self.status.full {
                let most = engine.layout.occupied;
                return Err(device(GpuError::CapacityExceeded { what: "blocks of cells", most }));
            }
            if self.status.crowded {
                let what = "particles in one cell";
                return Err(device(GpuError::CapacityExceeded { what, most: MOST_IN_CELL }));
            }
        }
    }

    fn set_params(&self, params: &mut Params, env: &Environment, dt: f64) {
        let Config { cell, damping, transfer, .. } = self.config;
        let fraction = match transfer {
            Transfer::Apic => 0.0,
            Transfer::Flip(Blend::PerStep(alpha)) => alpha,
            Transfer::Flip(Blend::PerTime(rate)) => (-rate * dt).exp(),
        };
        let mut edges = [[-1e30_f32, 1e30]; 3];
        if let Some(domain) = self.space.domain {
            let axes = edges.iter_mut().enumerate().take(self.space.dimensions() as usize);
            for (axis, edge) in axes.filter(|(axis, _)| !self.space.periodic[*axis]) {
                let cells = |x: f64| ((x - self.geometry.origin[axis]) / cell) as f32;
                *edge = [cells(domain.min[axis]), cells(domain.max[axis])];
            }
        }
        let [x, y, z] = edges;
        let set = Params {
            bodies: env.bodies.len() as u32,
            h: cell as f32,
            inverse: (1.0 / cell) as f32,
            dt: dt as f32,
            flip_fraction: fraction as f32,
            fade: (-damping * dt).exp() as f32,
            bake: dt as f32,
            kick: (env.gravity * dt).as_vec3().to_array(),
            impulse: (IMPULSE_UNIT * self.heaviest * cell / dt) as f32,
            period: self.geometry.period.to_array(),
            low: [x[0], y[0], z[0], 0.0],
            high: [x[1], y[1], z[1], 0.0],
            ..*params
        };
        *params = set.between(&self.geometry.walls);
    }
}

/// Moves the snow of a simulation to a GPU. After an error the simulation has no snow.
///
/// # Errors
/// When a method is not snow, or the GPU does not support it.
pub fn take_over(gpu: &Gpu, simulation: &mut Simulation) -> Result<(), SnowError> {
    let Openings { emitters, outlets, .. } = &simulation.openings;
    let is_closed = emitters.is_empty() && outlets.is_empty();
    if !(gpu.can_block || is_closed) {
        return Err(GpuError::Unsupported { what: "emitters and outlets (in a browser)" }.into());
    }
    for method in std::mem::take(&mut simulation.methods) {
        let method: Box<dyn Any> = method;
        let other = |_| GpuError::Unsupported { what: "matter other than snow" };
        let matter = method.downcast::<Matter>().map_err(other)?;
        simulation.methods.push(Box::new(Snow::new(gpu, *matter, &simulation.env)?));
    }
    Ok(())
}

impl Snow {
    /// The snow among methods that a GPU has taken over.
    #[must_use]
    pub fn among(methods: &[Box<dyn Method>]) -> Option<&Self> {
        methods.iter().find_map(|method| (&**method as &dyn Any).downcast_ref())
    }

    /// The same, to be changed.
    pub fn among_mut(methods: &mut [Box<dyn Method>]) -> Option<&mut Self> {
        methods.iter_mut().find_map(|method| (&mut **method as &mut dyn Any).downcast_mut())
    }
}

pub(crate) fn device(error: GpuError) -> StepError {
    StepError::Device(error.to_string())
}

impl Method for Snow {
    fn name(&self) -> &'static str {
        "mpm"
    }

    fn matter(&self) -> &'static str {
        "snow"
    }

    fn particle_count(&self) -> usize {
        self.count
    }

    /// As on the CPU, from speeds that are up to two batches old. If waves are getting faster, as
    /// snow hardens, this is extrapolated.
    fn dt_limit(&self, env: &Environment) -> DtLimit {
        let Config { cell, cfl, wave_cfl, .. } = self.config;
        let [flow, wave] = self.status.speeds;
        let wave = wave * (wave / self.last_wave.max(f64::MIN_POSITIVE)).clamp(1.0, 2.0);
        let moving = env.bodies.iter().filter(|b| b.is_moving()).map(|b| b.velocity.length());
        let speed = moving.fold(flow, f64::max);
        let limit = |speed: f64, cells: f64, reason| {
            let dt = if speed > 0.0 { cells * cell / speed } else { f64::INFINITY };
            DtLimit { dt, reason }
        };
        let limit = limit(speed, cfl, "speed").min(limit(wave, wave_cfl, "elastic waves"));
        let power = (limit.dt.log2() * STEPS_PER_DOUBLING).floor() / STEPS_PER_DOUBLING;
        if limit.dt.is_finite() { DtLimit { dt: power.exp2(), ..limit } } else { limit }
    }

    fn step(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError> {
        if let Some(error) = self.pending_error.borrow_mut().take() {
            return Err(device(error));
        }
        if self.count == 0 {
            return Ok(StepReport::default());
        }
        let mut removed = 0;
        if env.bodies.len() != self.solids.bodies() || !self.gpu.can_block && self.is_ready() {
            removed = self.let_out(env)?;
            self.enlarge(env)?;
        }
        let start = web_time::Instant::now();
        if let Some(matter) = self.shown.take() {
            // The run continues from the state that was read, and maybe saved, including its speeds.
            self.take_status(0, dt)?;
            self.status.speeds = matter.particles().speeds;
            self.last_wave = self.status.speeds[1];
            *self.spare.borrow_mut() = Some(matter);
        }
        self.copy = None;
        self.geometry.walls = Walls::find(&env.bodies, self.config.cell, self.geometry.origin);
        let mut params = self.engine.borrow().params;
        self.set_params(&mut params, env, dt);
        let poses = self.solids.poses(env, &self.config, self.geometry.origin);
        let is_read = self.readbacks.as_mut().is_some_and(|readbacks| readbacks.hits(dt));
        self.is_blocking = {
            let mut engine = self.engine.borrow_mut();
            let waits = is_read || params.bake < engine.params.baked;
            let watch = engine.is_last() || waits;
            engine.params = params;
            engine.step(&poses, watch);
            waits
        };
        self.take_status(if self.is_blocking { 0 } else { 1 }, dt)?;
        for (body, [force, torque]) in env.bodies.iter_mut().zip(&self.status.forces) {
            body.add_force_and_torque(*force, *torque);
        }
        if self.gpu.can_block {
            removed += self.let_out(env)?;
            self.enlarge(env)?;
        }
        self.phases.lap(0, start);
        Ok(StepReport { max_speed: self.status.speeds[0], removed, ..StepReport::default() })
    }

    fn fields(&self) -> Vec<Field<'_>> {
        self.matter().map_or_else(|_| Vec::new(), Method::fields)
    }

    fn energy(&self, env: &Environment) -> Energy {
        self.matter().map_or_else(|_| Energy::default(), |matter| matter.energy(env))
    }

    fn total_mass(&self) -> f64 {
        self.matter().map_or(0.0, Method::total_mass)
    }

    fn particle_radius(&self) -> f64 {
        0.25 * self.config.cell
    }

    fn penetration_limit(&self) -> f64 {
        self.config.cell
    }

    fn is_on_host(&self) -> bool {
        self.shown.get().is_some()
    }

    fn insert(&mut self, new: &[NewParticle]) -> Result<(), EditError> {
        // If the GPU cannot take them, the next step reports it.
        match self.edit(|matter| matter.insert(new)) {
            Ok(result) => result,
            Err(error) => {
                *self.pending_error.borrow_mut() =
                    Some(GpuError::Lost { reason: error.to_string() });
                Ok(())
            }
        }
    }

    fn remove(&mut self, gone: &dyn Fn(DVec3) -> bool) -> usize {
        let Ok(matter) = self.matter() else { return 0 };
        if !matter.particles().x.iter().any(|&x| gone(x)) {
            return 0;
        }
        self.edit(|matter| matter.remove(gone)).unwrap_or_else(|error| {
            *self.pending_error.borrow_mut() = Some(GpuError::Lost { reason: error.to_string() });
            0
        })
    }

    fn drive(&mut self, velocity: &dyn Fn(DVec3) -> Option<DVec3>) {
        let Ok(matter) = self.matter() else { return };
        if matter.particles().x.iter().all(|&x| velocity(x).is_none()) {
            return;
        }
        if let Err(error) = self.edit(|matter| matter.drive(velocity)) {
            *self.pending_error.borrow_mut() = Some(GpuError::Lost { reason: error.to_string() });
        }
    }

    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn reset_phases(&mut self) {
        self.phases.reset();
    }

    fn bytes(&self) -> usize {
        self.gpu_bytes().iter().sum::<u64>() as usize
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.matter().map_err(io::Error::other)?.save(out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.edit(|matter| matter.load(from)).map_err(io::Error::other)?
    }
}
