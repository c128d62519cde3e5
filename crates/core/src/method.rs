//! The interface of simulation methods.

use crate::environment::Environment;
use crate::field::{Field, TensorField};
use crate::neighbors::SearchError;
use crate::phases::Phases;
use glam::{DQuat, DVec3};
use std::any::Any;
use std::io::{self, Read, Write};
use thiserror::Error;

/// A simulation method: it owns its particles and advances them one step at a time. [`Any`] allows
/// downcasting to the concrete type, for example to move its state to another device.
pub trait Method: Any + Send {
    /// Name in reports.
    fn name(&self) -> &'static str;

    /// Key of its matter: the table in scene files, and the prefix of its field names.
    fn matter(&self) -> &'static str {
        self.name()
    }

    /// Number of particles.
    fn particle_count(&self) -> usize;

    /// The longest step that is stable and accurate now.
    fn dt_limit(&self, env: &Environment) -> DtLimit;

    /// The stability limit for a fixed step; scenes with a longer step are refused. It may exceed
    /// [`Self::dt_limit`], which has a safety margin.
    fn stable_limit(&self, env: &Environment) -> DtLimit {
        self.dt_limit(env)
    }

    /// The longest step that it can share with other methods, in sub-steps of its own where [`Self::dt_limit`]
    /// is shorter.
    fn shared_limit(&self, env: &Environment) -> DtLimit {
        self.dt_limit(env)
    }

    /// Offers its particles to a liquid for the next step, in the empty [`Environment::immersed`] at the method's place
    /// `index`, where [`Self::step`] finds the forces on them; or moves the bodies that stand for its grains
    /// ([`Body::grain`]).
    ///
    /// [`Body::grain`]: crate::body::Body::grain
    fn immerse(&mut self, _index: usize, _env: &mut Environment) {}

    /// Whether it is a liquid that flows between small grains and drags them along.
    fn takes_grains_along(&self) -> bool {
        false
    }

    /// Whether its step also moves the free bodies, since they touch its grains.
    fn moves_bodies(&self) -> bool {
        false
    }

    /// Advances by `dt` [s]; adds to the forces on the bodies in `env`.
    fn step(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError>;

    /// The columns that can be drawn, written and probed.
    fn fields(&self) -> Vec<Field<'_>>;

    /// One of the columns, without computing the other derived ones.
    fn field(&self, name: &str) -> Option<Field<'_>> {
        self.fields().into_iter().find(|field| field.name == name)
    }

    /// Tensors for frames, in the order of the columns; none for most methods.
    fn tensors(&self) -> Vec<TensorField> {
        Vec::new()
    }

    /// Mechanical energy of the particles.
    fn energy(&self, env: &Environment) -> Energy;

    /// Mass of all particles [kg], per metre of depth in planar space.
    fn total_mass(&self) -> f64;

    /// The energy balance, if the method tracks it.
    fn energy_balance(&self, _env: &Environment) -> Option<EnergyBalance> {
        None
    }

    /// Upper bound of the stored energy that may be released in addition to [`Self::energy`] [J]. It is
    /// read after the first step, when a method knows how compressed its matter was at the start.
    fn stored_energy(&self) -> f64 {
        0.0
    }

    /// Momentum of the particles, if the method tracks it.
    fn momentum(&self) -> Option<Momentum> {
        None
    }

    /// Further totals for columns of the series: always the same ones in the same order.
    fn accounts(&self, _env: &Environment) -> Vec<Account> {
        Vec::new()
    }

    /// Radius to draw particles with [m].
    fn particle_radius(&self) -> f64;

    /// Largest transient depth of a particle's centre inside a body [m]; a deeper particle has
    /// penetrated the surface.
    fn penetration_limit(&self) -> f64 {
        2.0 * self.particle_radius()
    }

    /// Whether the particles are in host memory and can be read without a transfer from a device.
    fn is_on_host(&self) -> bool {
        true
    }

    /// Adds particles, between steps.
    fn insert(&mut self, particles: &[NewParticle]) -> Result<(), EditError>;

    /// Removes the particles at positions for which `remove` is true, between steps; returns their count.
    fn remove(&mut self, remove: &dyn Fn(DVec3) -> bool) -> usize;

    /// Adds a grain where there is room for it, between steps, and tells whether there was. Only matter of
    /// single grains can do this.
    fn place(&mut self, _grain: &Grain) -> Result<bool, EditError> {
        Err(EditError::NoGrains(self.matter()))
    }

    /// Moves grains elsewhere, between steps: `to` gives the new position for a grain at a position, or nothing if
    /// it stays. They come to rest there if there is room. Gives the number of those moved. Only matter of single
    /// grains can do this.
    fn relocate(
        &mut self,
        _to: &mut dyn FnMut(DVec3) -> Option<DVec3>,
    ) -> Result<usize, EditError> {
        Err(EditError::NoGrains(self.matter()))
    }

    /// Sets the velocity of particles at positions for which `velocity` returns one, between steps; a
    /// method may prescribe it during the next step. If a method ignores this, particles in the
    /// mouth of an emitter can be pushed back.
    fn drive(&mut self, _velocity: &dyn Fn(DVec3) -> Option<DVec3>) {}

    /// Time spent in each part of the step so far.
    fn phases(&self) -> &Phases;

    /// Forgets the times of the phases.
    fn reset_phases(&mut self);

    /// Bytes of memory held.
    fn bytes(&self) -> usize;

    /// Writes the state: everything that determines the following steps, and nothing else.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Loads a state that [`Method::save`] wrote.
    fn load(&mut self, from: &mut dyn Read) -> io::Result<()>;
}

/// A time step limit and its reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DtLimit {
    /// The step [s]; infinite if nothing limits it.
    pub dt: f64,
    /// The limiting condition, in a word or two.
    pub reason: &'static str,
}

impl DtLimit {
    /// No limit.
    pub const NONE: Self = Self { dt: f64::INFINITY, reason: "none" };

    /// The stricter of the two.
    pub fn min(self, other: Self) -> Self {
        if other.dt < self.dt { other } else { self }
    }
}

/// Diagnostics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Iterations of a solver; zero for an equation of state and explicit steps.
    pub iterations: u32,
    /// Mean of |ρ/ρ0 − 1| over the particles under pressure.
    pub mean_density_error: f64,
    /// Largest |ρ/ρ0 − 1| among them.
    pub max_density_error: f64,
    /// Tolerance and residual of the solver; none for methods without a solver.
    pub convergence: Option<Convergence>,
    /// Length of a semi-implicit step in explicit limits; zero for explicit steps.
    pub explicit_limits: f64,
    /// Largest speed after the step [m/s].
    pub max_speed: f64,
    /// Particles removed because they left the domain or entered an outlet.
    pub removed: usize,
    /// Of these, particles that entered an outlet.
    pub drained: usize,
}

impl StepReport {
    /// The report of two methods that made a step together: of numbers of their solvers the largest.
    pub fn merge(self, other: Self) -> Self {
        Self {
            iterations: self.iterations.max(other.iterations),
            mean_density_error: self.mean_density_error.max(other.mean_density_error),
            max_density_error: self.max_density_error.max(other.max_density_error),
            convergence: match (self.convergence, other.convergence) {
                (Some(a), Some(b)) => Some(if b.ratio() > a.ratio() { b } else { a }),
                (a, b) => a.or(b),
            },
            explicit_limits: self.explicit_limits.max(other.explicit_limits),
            max_speed: self.max_speed.max(other.max_speed),
            removed: self.removed + other.removed,
            drained: self.drained + other.drained,
        }
    }
}

/// Tolerance and residual of an iterative solver in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Tolerance for the mean density error.
    pub tolerance: f64,
    /// Largest mean density error of the step's solves.
    pub residual: f64,
}

impl Convergence {
    /// Whether the residual is within the tolerance; false if it is not a number.
    pub fn has_converged(&self) -> bool {
        self.residual <= self.tolerance
    }

    /// The residual over the tolerance.
    fn ratio(&self) -> f64 {
        self.residual / self.tolerance
    }
}

/// Kinetic and potential energy [J], per metre of depth in planar space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// ½ Σ m v².
    pub kinetic: f64,
    /// −Σ m g·x.
    pub potential: f64,
}

/// Energy balance of a method [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyBalance {
    /// Total energy including stored energy, minus inflow and work of bodies, plus dissipation: constant
    /// except for numerical errors.
    pub total: f64,
    /// Energy dissipated so far. Errors of the total grow with it.
    pub lost: f64,
}

/// Linear momentum [kg m/s], and angular momentum about the origin [kg m²/s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// Σ m v.
    pub linear: DVec3,
    /// Σ x × m v + I ω.
    pub angular: DVec3,
}

/// A sum over the whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    /// Name, without blanks.
    pub name: &'static str,
    /// Unit; empty for pure numbers.
    pub unit: &'static str,
    /// Its value now.
    pub value: f64,
}

/// A particle to add.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewParticle {
    /// Where [m].
    pub position: DVec3,
    /// How fast [m/s].
    pub velocity: DVec3,
}

/// A single grain to add.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Index of its shape among the method's.
    pub shape: u32,
    /// Centre of mass [m].
    pub position: DVec3,
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Turns the shape's principal axes into space.
    pub orientation: DQuat,
    /// Angular velocity in space [1/s].
    pub omega: DVec3,
}

/// Why a step failed. The state must not be used afterwards.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StepError {
    /// A number is infinite or not a number.
    #[error(
        "the {field} of particle {id} is no longer finite; the time step ({dt:e} s) is probably \
         too long"
    )]
    NotFinite {
        /// Name of the field.
        field: &'static str,
        /// The particle's identifier.
        id: u32,
        /// The step [s].
        dt: f64,
    },
    /// A free body has a place or a velocity that is infinite or not a number.
    #[error(
        "the body \"{name}\" is not at a finite place any more, or moves with no finite velocity; the time step \
         ({dt:e} s) is probably too long"
    )]
    BodyNotFinite {
        /// Name of the body.
        name: String,
        /// The step [s].
        dt: f64,
    },
    /// A particle left the domain, and `space.leaving` is `error`.
    #[error(
        "particle {id} has left the domain at ({}, {}, {}) m; enlarge space.domain, or set \
         space.leaving = \"remove\"",
        .position.x, .position.y, .position.z
    )]
    LeftDomain {
        /// The particle's identifier.
        id: u32,
        /// Current position [m].
        position: DVec3,
    },
    /// A solver did not reach its tolerance.
    #[error(
        "the pressure solver did not converge: residual {error:.2e} after {iterations} iterations, \
         tolerance {tolerance:.2e}; shorten the step, or allow more iterations"
    )]
    NotConverged {
        /// Iterations done.
        iterations: u32,
        /// Mean density error reached.
        error: f64,
        /// Mean density error asked for.
        tolerance: f64,
    },
    /// The implicit viscosity solver did not converge.
    #[error(
        "the viscosity solver did not converge: residual {error:.2e} after {iterations} iterations; \
         shorten the step"
    )]
    ViscosityNotConverged {
        /// Iterations done.
        iterations: u32,
        /// Residual relative to the velocities.
        error: f64,
    },
    /// The compute device failed.
    #[error("{0}")]
    Device(String),
    /// The neighbour search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Why particles cannot be added.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EditError {
    /// A position or velocity is not finite.
    #[error("a new particle has a position or velocity that is not finite")]
    NotFinite,
    /// A position off the plane of a planar simulation.
    #[error("a new particle has z = {0} m, but the simulation is planar")]
    NotPlanar(f64),
    /// Too many particles.
    #[error("too many particles: {0}; at most 4,294,967,295 can have identifiers")]
    TooMany(u64),
    /// A shape that the grains do not have.
    #[error("a new grain has shape {0}, which does not exist")]
    UnknownShape(u32),
    /// Matter that cannot be poured.
    #[error("{0} does not consist of single grains: they cannot be poured or come back")]
    NoGrains(&'static str),
}
