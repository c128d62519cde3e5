//! An interactive session: the scene file with its changes, and the simulation.
//!
//! A changed scene is built anew and takes over the state of the old simulation where the state
//! does not rest on what was changed; otherwise the change waits for a restart. So every key that
//! can be changed in flight is, without a list of them here.

use crate::compute::Compute;
use glam::DVec3;
use lawine_core::method::{Method, NewParticle};
use lawine_core::simulation::Simulation;
use lawine_core::{Field, field};
use lawine_record::probes::Probes;
use lawine_record::run::{self, Heading, fixed_difference};
use lawine_scene::build::room::{self, Needs, keep_with_room};
use lawine_scene::build::{Built, build, fill_particles, sites_for_grains};
use lawine_scene::file::{
    Body, Fill, LoadedScene, SceneError, SceneFile, Shape, Source, Vector, View, check, load,
};
use lawine_scene::matter::Kind;
use lawine_scene::select::{MatterFields, select};
use std::sync::Arc;

/// New particles keep this distance from others, in spacings.
const APART: f64 = 0.9;
/// New particles keep this distance from walls, in spacings: a half, and room for rounding.
const FROM_WALLS: f64 = 0.499;

/// A scene that is being played with.
pub struct Session {
    /// The scene with all changes so far.
    loaded: LoadedScene,
    built: Built,
    probes: Probes,
    headings: Vec<Heading>,
    /// The scene that the state belongs to.
    started: SceneFile,
    /// What computes.
    compute: Compute,
    /// The matter that is placed.
    placed: &'static dyn Kind,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It holds from now on.
    Live,
    /// It waits for a restart because of this key.
    NeedsRestart(String),
}

impl Session {
    /// Builds a scene, to be computed on what is given.
    pub fn open(loaded: LoadedScene, compute: &Compute) -> Result<Self, SceneError> {
        let mut built = build(&loaded)?;
        let first = loaded.scene.matters().next();
        if loaded.scene.runs_on_gpu() {
            let taken = compute.take_over(&mut built.simulation);
            taken.map_err(|e| loaded.error(first.map_or("", Kind::key), e))?;
        }
        let (probes, headings) = run::check(&loaded, &built)?;
        let started = loaded.scene.clone();
        let placed = first
            .ok_or_else(|| loaded.error("fill", "a scene needs at least one kind of matter"))?;
        Ok(Self { loaded, built, probes, headings, started, compute: compute.clone(), placed })
    }

    /// The matter that is placed.
    pub fn placed(&self) -> &'static dyn Kind {
        self.placed
    }

    /// Chooses the matter that is placed; one that the scene does not have changes nothing.
    pub fn place(&mut self, matter: &str) {
        let found = self.loaded.scene.matters().find(|kind| kind.key() == matter);
        self.placed = found.unwrap_or(self.placed);
    }

    /// The scene with all changes so far.
    pub fn loaded(&self) -> &LoadedScene {
        &self.loaded
    }

    /// The scene with everything decided that the file left open, and its size.
    pub fn built(&self) -> &Built {
        &self.built
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.built.simulation
    }

    /// The simulation, to be advanced.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.built.simulation
    }

    /// The simulation, and what measures it.
    pub fn parts(&mut self) -> (&mut Simulation, &Probes) {
        (&mut self.built.simulation, &self.probes)
    }

    /// The columns of its data.
    pub fn headings(&self) -> &[Heading] {
        &self.headings
    }

    /// The key because of which a change waits for a restart, if one does.
    pub fn pending(&self) -> Option<String> {
        fixed_difference(&self.started, &self.loaded.scene).map(|difference| difference.key)
    }

    /// Begins again, with all changes.
    pub fn restart(&mut self) -> Result<(), SceneError> {
        *self = Self::open(self.loaded.clone(), &self.compute)?;
        Ok(())
    }

    /// Changes keys, given as `KEY=VALUE`. After an error nothing is changed.
    pub fn set(&mut self, changes: &[String]) -> Result<Applied, SceneError> {
        let mut scene = self.loaded.portable();
        self.loaded.scene.matters().for_each(|kind| kind.before_change(&mut scene, changes));
        let source = Source::Text { name: "scene".to_owned(), text: scene.to_toml() };
        self.change(load(&source, changes)?)
    }

    /// Changes how the scene is drawn, which needs nothing to be built. After an error nothing is
    /// changed.
    pub fn set_view(&mut self, view: View) -> Result<(), SceneError> {
        let mut loaded = self.loaded.clone();
        loaded.scene.view = view;
        check(&loaded.scene, &loaded.locations)?;
        select(&MatterFields::of(self.simulation()), &loaded.scene.view.field)
            .map_err(|e| loaded.error("view.field", e))?;
        self.built.scene.view.clone_from(&loaded.scene.view);
        self.loaded = loaded;
        Ok(())
    }

    /// Takes over a changed scene. After an error nothing is changed.
    fn change(&mut self, mut loaded: LoadedScene) -> Result<Applied, SceneError> {
        loaded.folder.clone_from(&self.loaded.folder);
        loaded.files.clone_from(&self.loaded.files);
        let same_but_view =
            SceneFile { view: self.loaded.scene.view.clone(), ..loaded.scene.clone() };
        if same_but_view == self.loaded.portable() {
            return self.set_view(loaded.scene.view).map(|()| Applied::Live);
        }
        let next = Self::open(loaded, &self.compute)?;
        if let Some(difference) = fixed_difference(&self.started, &next.loaded.scene) {
            self.loaded = next.loaded;
            return Ok(Applied::NeedsRestart(difference.key));
        }
        self.become_next(next)?;
        Ok(Applied::Live)
    }

    /// Goes on in another session with the present state. After an error nothing is changed.
    fn become_next(&mut self, mut next: Self) -> Result<(), SceneError> {
        let mut state = Vec::new();
        let kept = self.simulation().save(&mut state);
        let kept = kept.and_then(|()| next.simulation_mut().load(&mut &state[..]));
        kept.map_err(|e| self.loaded.error("scene", format!("the state cannot be saved: {e}")))?;
        next.started = std::mem::replace(&mut self.started, next.started);
        next.place(self.placed.key());
        *self = next;
        Ok(())
    }

    /// Computes on something else from now on. After an error nothing is changed.
    pub fn compute_on(&mut self, compute: &Compute) -> Result<(), SceneError> {
        let next = Self::open(self.loaded.clone(), compute)?;
        self.become_next(next)
    }

    /// Whether the graphics device has the particles.
    pub fn is_on_gpu(&self) -> bool {
        self.compute.is_gpu() && self.loaded.scene.runs_on_gpu()
    }

    /// How far a particle is across [m]: the spacing at rest, or the diameter of the largest grain.
    pub fn spacing(&self) -> f64 {
        if self.placed.is_continuous() {
            return self.placed.spacing(&self.built.scene);
        }
        2.0 * self.method().map_or(0.5, Method::particle_radius)
    }

    /// Distance between particles that are placed [m]: grains a little apart, so that rounding leaves
    /// no two of them in touch.
    pub fn lattice(&self) -> f64 {
        if self.placed.is_continuous() { self.spacing() } else { room::APART * self.spacing() }
    }

    /// The method of the matter that is placed.
    fn method(&self) -> Option<&dyn Method> {
        let mut methods = self.simulation().methods.iter();
        methods.find(|method| method.matter() == self.placed.key()).map(|method| &**method)
    }

    /// Keeps a file in memory that the scene may name, such as a mesh.
    pub fn attach(&mut self, name: String, bytes: Arc<[u8]>) {
        self.loaded.files.insert(name, bytes);
    }

    /// Whether the scene is planar.
    pub fn is_planar(&self) -> bool {
        self.simulation().env.space.is_planar()
    }

    /// Puts particles where there is room for them; returns their number.
    pub fn insert(&mut self, points: &[DVec3], velocity: DVec3) -> Result<usize, SceneError> {
        let with = |&position: &DVec3| NewParticle { position, velocity };
        self.insert_particles(points.iter().map(with).collect())
    }

    fn insert_particles(&mut self, mut particles: Vec<NewParticle>) -> Result<usize, SceneError> {
        let d = self.spacing();
        let liquid =
            Needs { from_bodies: FROM_WALLS * d, from_others: APART * d, from_each_other: false };
        let needs = if self.placed.is_continuous() { liquid } else { Needs::of_grains(d) };
        for method in &self.simulation().methods {
            let column = method.field("position");
            let others = field::positions(column.as_slice()).unwrap_or_default();
            keep_with_room(&self.simulation().env, others, &mut particles, needs);
        }
        let key = self.placed.key();
        let mut methods = self.simulation_mut().methods.iter_mut();
        if let Some(method) = methods.find(|method| method.matter() == key) {
            let inserted = method.insert(&particles);
            inserted.map_err(|e| self.loaded.error("fill", e.to_string()))?;
        }
        Ok(particles.len())
    }

    /// Removes particles; returns their number.
    pub fn erase(&mut self, gone: &dyn Fn(DVec3) -> bool) -> usize {
        self.simulation_mut().methods.iter_mut().map(|method| method.remove(gone)).sum()
    }

    /// Adds matter to the scene and to the simulation, grains where there is room for them. The flag tells
    /// whether a restart will bring it again: not where it lies on top of other matter of the start.
    pub fn add_fill(&mut self, mut fill: Fill) -> Result<(usize, bool), SceneError> {
        let mut loaded = self.loaded.clone();
        fill.of = Some(self.placed.key().to_owned());
        let materials = self.placed.materials(&loaded.scene).into_iter();
        fill.material = materials.map(|(name, _)| name).next();
        loaded.scene.fill.push(fill);
        loaded.scene.resolve();
        check(&loaded.scene, &loaded.locations)?;
        let number = loaded.scene.fill.len() - 1;
        let env = &self.simulation().env;
        let particles = if self.placed.is_continuous() {
            fill_particles(&loaded, env, number)?
        } else {
            sites_for_grains(&loaded, env, number, self.spacing(), &[])?
        };
        let count = self.insert_particles(particles)?;
        let lasting = count > 0 && build(&loaded).is_ok();
        if lasting {
            self.started.fill.clone_from(&loaded.scene.fill);
            self.loaded = loaded;
        }
        Ok((count, lasting))
    }

    /// Adds an obstacle to the scene and to the simulation; what is in its way is removed. Gives the
    /// number of particles removed.
    pub fn add_body(&mut self, name: &str, shape: Shape) -> Result<usize, SceneError> {
        let mut loaded = self.loaded.clone();
        let names: Vec<&str> = loaded.scene.body.iter().map(|body| body.name.as_str()).collect();
        let name = (1..).map(|k| format!("{name} {k}")).find(|name| !names.contains(&&**name));
        loaded.scene.body.push(Body::new(name.unwrap_or_default(), shape));
        loaded.scene.resolve();
        check(&loaded.scene, &loaded.locations)?;
        self.change_bodies(loaded)?;
        let least = FROM_WALLS * self.spacing();
        let body = self.simulation().env.bodies.last().cloned();
        Ok(body.map_or(0, |body| self.erase(&|x| body.signed_distance(x).distance < least)))
    }

    /// Moves a body of the scene by an offset [m], now and after a restart.
    pub fn shift_body(&mut self, number: usize, offset: DVec3) -> Result<(), SceneError> {
        let mut loaded = self.loaded.clone();
        let Some(body) = loaded.scene.body.get_mut(number) else { return Ok(()) };
        let to = body.placement.position.get() + offset;
        body.placement.position = match loaded.scene.space.dimension {
            2 => Vector::planar(to.x, to.y),
            _ => Vector::full(to.x, to.y, to.z),
        };
        self.change_bodies(loaded)
    }

    /// Takes over a scene with other bodies. Matter that the file puts where one is now would be an
    /// error; it makes room.
    fn change_bodies(&mut self, mut loaded: LoadedScene) -> Result<(), SceneError> {
        loaded.scene.fill.iter_mut().for_each(|fill| fill.carve = true);
        self.started.fill.clone_from(&loaded.scene.fill);
        self.change(loaded).map(|_| ())
    }

    /// The columns of the matter that is placed.
    pub fn fields(&self) -> Vec<Field<'_>> {
        self.method().map_or_else(Vec::new, Method::fields)
    }
}
