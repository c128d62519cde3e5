//! From a scene file to a simulation.

mod bodies;
mod contacts;
mod fill;
mod lattice;
mod openings;
mod probes;
pub mod room;
mod scale;
#[cfg(test)]
mod tests;

pub(crate) use bodies::check_reach;
pub(crate) use contacts::pairing_of_bodies;
pub(crate) use fill::{Filled, fills_of};
pub use fill::{fill_particles, sites_for_grains};
pub(crate) use openings::extent;

use crate::file::{LoadedScene, SceneError, SceneFile};
use crate::grain_surface::GrainSurface;
use crate::matter::kind;
use glam::DVec3;
pub use lattice::Sites;
use lawine_core::body::Shape;
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::method::{Method, NewParticle};
use lawine_core::opening::{Emitter, Openings, Pour};
use lawine_core::simulation::{Simulation, TimeControl};
use lawine_core::space::{Dimension, Space};
pub use scale::Scale;

/// A simulation and the scene it was made from, with everything decided that the file left open.
pub struct Built {
    /// The simulation, at time zero.
    pub simulation: Simulation,
    /// The scene with the values that were derived.
    pub scene: SceneFile,
    /// A box around matter and bodies at the start, for the camera [m].
    pub bounds: Aabb,
    /// Particles that the walls of a liquid are made of.
    pub boundary: usize,
    /// What the shapes of grains look like, in the order of the field `shape`.
    pub grain_surfaces: Vec<GrainSurface>,
    /// Warnings about settings that are valid, but probably unintended.
    pub warnings: Vec<String>,
}

/// Builds the simulation of a scene.
pub fn build(loaded: &LoadedScene) -> Result<Built, SceneError> {
    let mut scene = loaded.portable().derived();
    let mut env = environment(&scene);
    for index in 0..scene.body.len() {
        env.bodies.push(bodies::body(loaded, index, &env.space)?);
    }
    bodies::check_boundary(loaded, &env.bodies)?;
    env.set_time(scene.start);
    let (mut methods, mut openings): (Vec<Box<dyn Method>>, _) = (Vec::new(), Openings::default());
    let (mut bounds, mut scale) = (Aabb::EMPTY, None::<Scale>);
    let (mut boundary, mut grain_surfaces, mut warnings) = (0, Vec::new(), Vec::new());
    for kind in loaded.scene.matters() {
        let made = kind.build(&mut Site { loaded, scene: &mut scene, env: &env })?;
        openings.emitters.extend(made.emitters);
        openings.pours.extend(made.pours);
        methods.push(made.method);
        bounds = bounds.union(made.bounds);
        scale = Some(scale.map_or(made.scale, |scale| scale.max(made.scale)));
        boundary += made.boundary;
        grain_surfaces.extend(made.grain_surfaces);
        warnings.extend(made.warnings);
    }
    let Some(scale) = scale else {
        return Err(loaded.error("fill", "a scene needs at least one kind of matter"));
    };
    if methods.len() > 1 {
        let keys: Vec<&str> = methods.iter().map(|method| method.matter()).collect();
        warnings.push(format!(
            "{} share the bodies, but do not interact with each other",
            keys.join(" and ")
        ));
    }
    openings.outlets = openings::outlets(&scene);
    if scene.view.range.is_none() {
        scene.view.range = scale.range(&scene);
    }
    let control =
        TimeControl { fixed: scene.time.step, max: scene.time.max_step, growth: scene.time.growth };
    let contacts = if methods.iter().any(|method| method.moves_bodies()) {
        None
    } else {
        contacts::contacts(loaded, &env, scale.speed())?
    };
    let bounds = view_bounds(&env, bounds);
    warnings.extend(probes::warnings(&scene, &env, bounds));
    let mut simulation = Simulation::new(env, methods, control).starting_at(scene.start);
    (simulation.openings, simulation.contacts) = (openings, contacts);
    Ok(Built { simulation, scene, boundary, bounds, grain_surfaces, warnings })
}

/// Where matter is built.
pub struct Site<'a> {
    /// The scene as it was loaded.
    pub loaded: &'a LoadedScene,
    /// The scene in which everything is decided that the file left open.
    pub scene: &'a mut SceneFile,
    /// Space, gravity and bodies.
    pub env: &'a Environment,
}

/// A method that is ready to run, and what comes with it.
pub struct Matter {
    /// The method.
    pub method: Box<dyn Method>,
    /// What lets it in during the run.
    pub emitters: Vec<Emitter>,
    /// What lets its grains in during the run.
    pub pours: Vec<Pour>,
    /// Particles that walls are made of.
    pub boundary: usize,
    /// A box around what there is, and around where it will come in [m].
    pub bounds: Aabb,
    /// Speeds and heights to expect.
    pub scale: Scale,
    /// What the shapes of its grains look like.
    pub grain_surfaces: Vec<GrainSurface>,
    /// Warnings about settings that are valid, but probably unintended.
    pub warnings: Vec<String>,
}

/// What lies in the fills of one matter and comes in through its emitters, and what that lets expect.
pub struct Expected {
    emitters: Vec<Emitter>,
    /// Speeds and heights to expect.
    pub scale: Scale,
    /// A box around what there is, and around where it will come in [m].
    bounds: Aabb,
}

impl Site<'_> {
    /// The particles of the fills of a matter.
    ///
    /// # Errors
    /// With the key of a fill that cannot be.
    pub fn particles(&self, matter: &str) -> Result<Vec<NewParticle>, SceneError> {
        Ok(self.filled(matter)?.particles)
    }

    /// The same, with the fill that each belongs to.
    pub(crate) fn filled(&self, matter: &str) -> Result<Filled, SceneError> {
        fill::particles(self.loaded, self.env, matter)
    }

    /// What particles at the start and the emitters let expect.
    ///
    /// # Errors
    /// With the key of an emitter that has no room, or of an outlet that takes all.
    pub fn expected(
        &self,
        matter: &'static str,
        particles: Vec<NewParticle>,
    ) -> Result<Expected, SceneError> {
        let spacing = kind(matter).map_or(1.0, |kind| kind.spacing(&self.loaded.scene));
        let emitters = openings::emitters(self.loaded, self.env, matter, &particles)?;
        let expected = openings::expected(particles, &emitters);
        let scale = Scale::of(self.env, &expected, spacing);
        let bounds = Aabb::from_points(expected.iter().map(|p| p.position)).grow(0.5 * spacing);
        Ok(Expected { emitters, scale, bounds })
    }

    /// The matter that a method moves.
    ///
    /// # Errors
    /// When the scene has a fixed step that the matter at the start does not allow.
    pub fn matter(
        &self,
        method: Box<dyn Method>,
        expected: Expected,
    ) -> Result<Matter, SceneError> {
        let limit = method.stable_limit(self.env);
        if let Some(dt) = self.loaded.scene.time.step.filter(|dt| *dt > limit.dt) {
            let message = format!(
                "time.step = {dt} is not allowed; allowed: at most {:.3e} s (limited by {}); \
                 without a fixed step Lawine chooses it",
                limit.dt, limit.reason
            );
            return Err(self.loaded.error("time.step", message));
        }
        let Expected { emitters, scale, bounds } = expected;
        let (pours, grain_surfaces, warnings) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Matter { method, emitters, pours, boundary: 0, bounds, scale, grain_surfaces, warnings })
    }
}

fn environment(scene: &SceneFile) -> Environment {
    let space = &scene.space;
    let mut periodic = [false; 3];
    for axis in &space.periodic {
        periodic[axis.index()] = true;
    }
    let space = Space {
        dimension: if space.dimension == 2 { Dimension::Planar } else { Dimension::Full },
        domain: space.domain.map(|d| Aabb { min: d.min.get(), max: d.max.get() }),
        periodic,
        leaving: space.leaving,
    };
    Environment::new(space, scene.space.gravity.get())
}

/// The bounds with what lies under them on planes without end, unless that is far away.
fn with_ground(env: &Environment, bounds: Aabb) -> Aabb {
    let Some(down) = env.gravity.try_normalize() else { return bounds };
    let most = 2.0 * bounds.size().max_element();
    let planes = env.bodies.iter().filter(|body| matches!(body.shape, Shape::Plane));
    planes.fold(bounds, |all, plane| {
        let steep = -down.dot(plane.pose.rotation * DVec3::Y);
        let feet = bounds.corners().map(|x| {
            let height = plane.signed_distance(x).distance / steep;
            (steep > 0.1 && (0.0..most).contains(&height)).then(|| x + height * down)
        });
        feet.into_iter().flatten().fold(all, Aabb::with_point)
    })
}

/// What the camera should see.
fn view_bounds(env: &Environment, mut bounds: Aabb) -> Aabb {
    for body in &env.bodies {
        let own = body.bounds();
        // Planes and planar boxes have no end along some axes.
        if own.min.x.is_finite() && own.max.x.is_finite() && own.min.y.is_finite() {
            bounds = bounds.union(own);
        } else if let Some(domain) = env.space.domain {
            bounds = bounds.union(own.intersection(domain));
        }
    }
    if env.space.domain.is_none() {
        bounds = with_ground(env, bounds);
    }
    if env.space.is_planar() || !bounds.is_finite() {
        bounds.min.z = if bounds.min.z.is_finite() { bounds.min.z } else { 0.0 };
        bounds.max.z = if bounds.max.z.is_finite() { bounds.max.z } else { 0.0 };
    }
    bounds
}
