//! Grains: convex polyhedra by the discrete element method.
//!
//! Schinner 1995; Lin and Canny 1991; Mirtich 1998; Baraff 1993; Matuttis and Chen 2014; Feng 2021;
//! Cundall and Strack 1979. A step moves the grains, finds the pairs whose boxes overlap, for each
//! pair the closest features, and for those that touch the overlap and its forces. State, configuration and
//! scratch are kept apart: [`State`] is what a checkpoint holds, [`Config`] the settings of the scene, and
//! the rest can be dropped without changing anything but speed.
//!
//! Where to read: `step.rs` has the step, `forces.rs` what contacts do to grains, `contact/` their laws, `narrow/` the
//! closest features, `overlap/` the common part of two bodies.
//!
//! Grains share their shapes: a scene makes each once, and a grain holds the index of its own. A concave shape has convex
//! parts, which are summed before the potential U' is applied; mass and inertia are those of its mesh, boxes those of its
//! hull. Bodies are sets of convex walls, half spaces or polyhedra, under the same laws, and collect the forces on them.
//!
//! The overlap is an intersection of half spaces on a graph in which every corner has three edges. Each corner is decided
//! against each plane once and the topology follows from the signs, so aligned cubes and coplanar faces are ordinary cases.
//! Closest features tell which pairs may overlap, and a pair that only touches is among them: boxes with sides in the same
//! planes have no corner and no edge inside each other, however deep they are.
//!
//! Everything comes from three integrals: the volume V, the area vector S = ∂V/∂x and its moment G = ∂V/∂φ. One scalar, the
//! pressure p = U'(V) + c V̇/S², never negative, makes the whole normal force (−p S, −p G): conservative without damping,
//! whatever the shapes, and with the asked restitution for faces, edges and corners alike, because the damping belongs to
//! the stiffness K = m/2 F S/V. A body that rocks on a face keeps V nearly constant, so the dashpots are also spread over
//! the patch, by its second moments, and damp its turning. Friction and bridges act in the middle of the patch, S × G/S²:
//! in the middle of the volume, which lies towards the deeper side, a bridge would tilt what hangs from it.
//!
//! Contacts are part of the state: friction springs, the planes of the overlap and the closest features that queries start
//! from are saved, and a run goes on with the same bits. Contacts are evaluated in parallel and added up in their order.
//! The step is limited by a bound on the stiffness, dF/dδ ≤ (m − ⅓) F S/V (Brunn and Minkowski), summed over the contacts
//! of a grain: a fifth of a radian a step. A face that is met within a step may take half a radian in that one, and so may
//! a grain that lies on its largest face under its weight, where V^{3/2} has k ∝ 1/F. Lighter touches, which are stiffer
//! still but carry nothing, do not count.

pub mod bench;
pub mod broad;
pub mod contact;
pub mod narrow;
pub mod overlap;
pub mod settings;

mod block;
mod bodies;
mod config;
mod forces;
mod gaps;
mod ledger;
mod method;
mod motion;
mod state;
mod step;

pub use block::{Block, BlockError};
pub use bodies::TouchingBodies;
pub use config::{Config, GrainsError, Integrator};
pub use gaps::NarrowGap;
pub use lawine_core::method::Grain;
pub use ledger::{Balance, Ledger};
pub use state::State;

use bodies::BodyGrain;
use broad::{BroadPhase, Extremes};
use contact::{Contact, Contacts, Grip, Placed, Rules};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::{Aabb, Shape};
use lawine_core::phases::Phases;
use lawine_core::rigid::Inertia;
use lawine_core::space::Space;
use narrow::{Closest, Pose, Track};
use overlap::Clipper;
use std::sync::Arc;

/// The parts of a step that are timed.
const PHASES: &[&str] = &["motion", "boxes", "pairs", "distances", "forces"];

/// A pair of grains whose boxes overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbors {
    /// The grains' places in the state, the first smaller than the second.
    pub pair: [u32; 2],
    /// Their closest features; the second grain stands where its image next to the first is.
    pub closest: Closest,
    /// Where the next query starts.
    track: Option<Track>,
    /// Whether a contact holds the pair already; its closest features are then not looked for.
    touching: bool,
}

/// Grains that move, with neighbours and, if configured, contacts.
pub struct Grains {
    config: Config,
    space: Space,
    /// Those of the grains, then those of the free bodies.
    shapes: Vec<Arc<Shape>>,
    inertias: Vec<Inertia>,
    /// The first grains in the state stand for them.
    bodies: Vec<BodyGrain>,
    /// Whether everything stays in a plane: there are free bodies alone.
    planar: bool,
    /// Whether a step is divided into sub-steps where it is too long, since it is shared with other methods.
    is_shared: bool,
    /// Among the methods of the simulation, if there are several.
    index: Option<usize>,
    rules: Option<Rules>,
    /// That of the last step [m/s²].
    gravity: DVec3,
    state: State,
    /// Kinetic energy of each grain [J], which follows from the state.
    kinetic: Vec<f64>,
    volumes: Vec<f64>,
    work: Work,
    phases: Phases,
}

/// Scratch: dropping it changes nothing but speed, and the last bits of distances. The closest features
/// of neighbours are saved all the same, so that a resumed run has the same bits.
struct Work {
    broad: BroadPhase,
    poses: Vec<Pose>,
    extremes: Vec<Extremes>,
    boxes: Vec<Aabb>,
    neighbors: Vec<Neighbors>,
    /// Grains near walls: places of the grain and the wall.
    at_walls: Vec<Neighbors>,
    spare: Vec<Neighbors>,
    placed: Vec<Placed>,
    /// Velocity [m/s] and angular velocity [1/s] that forces depend on.
    velocities: Vec<[DVec3; 2]>,
    /// Force [N] and torque [N m] of other methods, held over a step.
    held: Vec<[DVec3; 2]>,
    /// Balls that hold free bodies over a step: center and radius [m].
    balls: Vec<(DVec3, f64)>,
    old_contacts: Vec<Contact>,
    /// One for each chunk of contacts.
    clippers: Vec<Clipper>,
    rates: Vec<f64>,
}

impl Work {
    fn new(config: &Config) -> Self {
        Self {
            broad: BroadPhase::new(config.search),
            poses: Vec::new(),
            extremes: Vec::new(),
            boxes: Vec::new(),
            neighbors: Vec::new(),
            at_walls: Vec::new(),
            spare: Vec::new(),
            placed: Vec::new(),
            velocities: Vec::new(),
            held: Vec::new(),
            balls: Vec::new(),
            old_contacts: Vec::new(),
            clippers: Vec::new(),
            rates: Vec::new(),
        }
    }

    /// Starts the search for pairs anew, after grains have got other places.
    fn forget_boxes(&mut self, config: &Config) {
        self.broad = BroadPhase::new(config.search);
        self.extremes.clear();
    }
}

impl Grains {
    /// Grains of the given shapes, none yet, in the environment's space.
    ///
    /// # Errors
    /// When a value of the configuration is out of its range, there is no shape, or the space is
    /// planar.
    pub fn new(
        config: Config,
        shapes: Vec<Arc<Shape>>,
        env: &Environment,
    ) -> Result<Self, GrainsError> {
        config.check()?;
        if shapes.is_empty() {
            return Err(GrainsError::NoShapes);
        }
        if env.space.is_planar() {
            return Err(GrainsError::Planar);
        }
        let mean = shapes.iter().map(|s| s.radius).sum::<f64>() / shapes.len() as f64;
        Ok(Self::of_shapes(config.with_search(mean), shapes, env))
    }

    /// The same, without any check.
    fn of_shapes(config: Config, shapes: Vec<Arc<Shape>>, env: &Environment) -> Self {
        let inertia = |shape: &Arc<Shape>| Inertia {
            mass: config.density * shape.volume,
            moments: config.density * shape.moments,
        };
        let inertias = shapes.iter().map(inertia).collect();
        let (state, work) = (State::default(), Work::new(&config));
        let (space, phases) = (env.space, Phases::new(PHASES));
        Self {
            config,
            space,
            shapes,
            inertias,
            bodies: Vec::new(),
            planar: false,
            is_shared: false,
            index: None,
            rules: None,
            gravity: env.gravity,
            state,
            kinetic: Vec::new(),
            volumes: Vec::new(),
            work,
            phases,
        }
    }

    /// The same grains, none yet, with a density [kg/m³] for each shape in place of the one for all.
    ///
    /// # Errors
    /// When one is not positive.
    pub fn with_densities(mut self, densities: &[f64]) -> Result<Self, GrainsError> {
        for (inertia, &density) in self.inertias.iter_mut().zip(densities) {
            Config { density, ..self.config }.check()?;
            let ratio = density / self.config.density;
            *inertia = Inertia { mass: ratio * inertia.mass, moments: ratio * inertia.moments };
        }
        Ok(self)
    }

    /// The same grains, none yet, with contacts among themselves and with the environment's bodies, of which they move
    /// the free ones.
    ///
    /// # Errors
    /// When a value is out of its range, a material does not exist, or grains cannot touch a body.
    pub fn with_contacts(
        mut self,
        contacts: &Contacts,
        env: &Environment,
    ) -> Result<Self, GrainsError> {
        let (mut contacts, own) = (contacts.clone(), self.shapes.len());
        self.admit_bodies(&mut contacts, env)?;
        let grips = self.shapes.iter().zip(&self.inertias).enumerate();
        let grips = grips.map(|(k, (s, i))| Grip::new(s, i, k >= own));
        self.rules = Some(Rules::new(&contacts, grips.collect(), &env.bodies)?);
        if let Some(bridges) = contacts.bridges {
            // Boxes must meet before a bridge tears.
            self.config.margin = self.config.margin.max(0.5 * bridges.rupture_distance());
        }
        Ok(self)
    }

    /// Refuses a fixed step [s] that is longer than the contacts allow.
    ///
    /// # Errors
    /// When it is.
    pub fn check_step(&self, dt: f64) -> Result<(), GrainsError> {
        let Some(rules) = &self.rules else { return Ok(()) };
        let (shapes, gravity) = (0..self.shapes.len(), self.gravity.length());
        let limits = shapes.map(|s| rules.fixed_step_limit(s, gravity));
        let limit = limits.fold(self.state.limit, f64::min);
        if dt > limit { Err(GrainsError::Step { dt, limit }) } else { Ok(()) }
    }

    /// The longest step that any contact allows [s].
    fn contact_limit(&self) -> f64 {
        let Some(rules) = &self.rules else { return f64::INFINITY };
        let (shapes, gravity) = (0..self.shapes.len(), self.gravity.length());
        shapes.map(|s| rules.step_limit(s, 0.0, gravity)).fold(self.state.limit, f64::min)
    }

    /// Adds a grain and gives its identifier.
    ///
    /// # Errors
    /// When there is no such shape, a number is not finite, or all identifiers are taken.
    pub fn add(&mut self, grain: &Grain) -> Result<u32, GrainsError> {
        let count = self.own_shapes().len();
        let known = self.inertias[..count].get(grain.shape as usize);
        let inertia = known.ok_or(GrainsError::UnknownShape { shape: grain.shape, count })?;
        let finite = [grain.position, grain.velocity, grain.omega].iter().all(|v| v.is_finite());
        let orientation = grain.orientation.is_finite() && grain.orientation.length() > 0.0;
        if !(finite && orientation) {
            return Err(GrainsError::NotFinite);
        }
        if self.state.next_id() as usize >= u32::MAX as usize - self.bodies.len() {
            return Err(GrainsError::TooMany);
        }
        let position = self.space.wrap(grain.position);
        let grain = Grain { position, ..*grain };
        let id = self.state.push(&grain, inertia, self.config.gear_numbers());
        self.kinetic.push(self.state.rigid(self.state.id.len() - 1).kinetic_energy(inertia));
        self.volumes.push(self.shapes[self.state.shape[self.state.id.len() - 1] as usize].volume);
        Ok(id)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The state of all grains, and of the free bodies before them.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The shape of the grain at place `i`.
    ///
    /// # Panics
    /// When there is no such grain.
    pub fn shape(&self, i: usize) -> &Arc<Shape> {
        &self.shapes[self.state.shape[i] as usize]
    }

    /// All shapes; those of free bodies last.
    pub fn shapes(&self) -> &[Arc<Shape>] {
        &self.shapes
    }

    /// The shapes that grains have.
    fn own_shapes(&self) -> &[Arc<Shape>] {
        &self.shapes[..self.shapes.len() - self.bodies.len()]
    }

    /// The pairs whose boxes overlapped after the last step, in ascending order.
    pub fn neighbors(&self) -> &[Neighbors] {
        &self.work.neighbors
    }

    /// The contacts of the last step, in ascending order.
    pub fn contacts(&self) -> &[Contact] {
        &self.state.contacts
    }

    /// Total linear and angular momentum about the origin [kg m/s], [kg m²/s].
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let State { x, v, l, shape, .. } = &self.state;
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for i in self.bodies.len()..x.len() {
            let p = self.inertias[shape[i] as usize].mass * v[i];
            linear += p;
            angular += x[i].cross(p) + l[i];
        }
        (linear, angular)
    }
}
