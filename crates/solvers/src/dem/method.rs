//! Grains as a method of a simulation.

use glam::{DQuat, DVec3};
use lawine_core::environment::Environment;
use lawine_core::field::{Field, FieldValues};
use lawine_core::geometry::{Aabb, Part, Random};
use lawine_core::method::{
    Account, DtLimit, EditError, Energy, EnergyBalance, Grain, Method, Momentum, NewParticle,
    StepError, StepReport,
};
use lawine_core::phases::Phases;
use lawine_core::reduce;
use std::io::{self, Read, Write};

use super::broad::Extremes;
use super::contact::{Contact, GrainMap};
use super::narrow::{Closest, Ending, Pose, Status};
use super::state::{load_tracks, save_tracks};
use super::{Grains, GrainsError, Ledger, Neighbors, State, Work};

/// Largest angle of a step [rad].
const MAX_ANGLE: f64 = 0.1;
/// Largest displacement of a grain in a step, over the smallest radius.
const MAX_DISPLACEMENT: f64 = 0.1;

impl Neighbors {
    /// A pair whose distance is not known yet.
    pub(super) fn new(pair: [u32; 2]) -> Self {
        let closest = Closest {
            status: Status::Separated,
            distance: f64::INFINITY,
            points: [DVec3::ZERO; 2],
            normal: DVec3::X,
            parts: [Part::Vertex(0); 2],
            cycles: 0,
            ending: Ending::Walked,
        };
        Self { pair, closest, track: None, touching: false }
    }
}

impl Method for Grains {
    fn name(&self) -> &'static str {
        "grains"
    }

    fn particle_count(&self) -> usize {
        self.state.id.len() - self.bodies.len()
    }

    /// No grain turns by more than a tenth of a radian; with contacts none oscillates by more than a
    /// fifth of a radian or moves by more than a tenth of the smallest radius.
    fn dt_limit(&self, env: &Environment) -> DtLimit {
        self.limit(env, 0.0, true)
    }

    /// It divides whatever step there is.
    fn shared_limit(&self, _env: &Environment) -> DtLimit {
        DtLimit::NONE
    }

    fn immerse(&mut self, index: usize, _env: &mut Environment) {
        (self.index, self.is_shared) = (Some(index), true);
    }

    fn moves_bodies(&self) -> bool {
        !self.bodies.is_empty()
    }

    fn step(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError> {
        self.make_step(env, dt)
    }

    fn fields(&self) -> Vec<Field<'_>> {
        self.columns().into()
    }

    fn field(&self, name: &str) -> Option<Field<'_>> {
        self.columns().into_iter().find(|field| field.name == name)
    }

    fn energy(&self, env: &Environment) -> Energy {
        let (s, inertias) = (&self.state, &self.inertias);
        let inertia = |i: usize| &inertias[s.shape[i] as usize];
        Energy {
            kinetic: self.sum(|i| s.rigid(i).kinetic_energy(inertia(i))),
            potential: self.sum(|i| -inertia(i).mass * env.gravity.dot(s.x[i])),
        }
    }

    fn total_mass(&self) -> f64 {
        let (shape, inertias) = (&self.state.shape, &self.inertias);
        self.sum(|i| inertias[shape[i] as usize].mass)
    }

    fn energy_balance(&self, env: &Environment) -> Option<EnergyBalance> {
        let balance = self.balance(env);
        let Ledger { damping, friction, cohesion, .. } = balance.ledger;
        let lost = damping.abs() + friction.abs() + cohesion.abs();
        Some(EnergyBalance { total: balance.total(), lost })
    }

    fn momentum(&self) -> Option<Momentum> {
        let (linear, angular) = Self::momentum(self);
        Some(Momentum { linear, angular })
    }

    /// With contacts, the balance of energy and their number.
    fn accounts(&self, env: &Environment) -> Vec<Account> {
        if self.rules.is_none() {
            return Vec::new();
        }
        let balance = self.balance(env);
        let Ledger { damping, friction, cohesion, bodies, added } = balance.ledger;
        let energies = [
            ("elastic_energy", balance.elastic),
            ("damping_loss", damping),
            ("friction_loss", friction),
            ("cohesion_loss", cohesion),
            ("work_of_bodies", bodies),
            ("energy_added", added),
            ("energy_balance", balance.total()),
        ];
        let contacts = self.state.contacts.len() as f64;
        let energies = energies.map(|(name, value)| Account { name, unit: "J", value });
        let contacts = Account { name: "contacts", unit: "", value: contacts };
        energies.into_iter().chain([contacts]).collect()
    }

    fn particle_radius(&self) -> f64 {
        self.own_shapes().iter().map(|s| s.radius).fold(0.0, f64::max)
    }

    /// Contacts are far shallower than this, and floors of a grain's radius are thicker.
    fn penetration_limit(&self) -> f64 {
        0.25 * self.particle_radius()
    }

    /// New grains have any of the shapes, are turned at random, by their identifiers, and do not spin.
    fn insert(&mut self, new: &[NewParticle]) -> Result<(), EditError> {
        let total = u64::from(self.state.next_id()) + new.len() as u64;
        if total > u64::from(u32::MAX) {
            return Err(EditError::TooMany(total));
        }
        if !new.iter().all(|p| p.position.is_finite() && p.velocity.is_finite()) {
            return Err(EditError::NotFinite);
        }
        for &NewParticle { position, velocity } in new {
            let mut random = Random::stream(0, u64::from(self.state.next_id()));
            let shape = random.below(self.own_shapes().len()) as u32;
            let (orientation, omega) = (random.orientation(), DVec3::ZERO);
            self.admit(&Grain { shape, position, velocity, orientation, omega })?;
        }
        Ok(())
    }

    fn remove(&mut self, gone: &dyn Fn(DVec3) -> bool) -> usize {
        let first = self.bodies.len();
        if !self.state.x[first..].iter().any(|&x| gone(x)) {
            return 0;
        }
        let stays = |(i, &x): (usize, &DVec3)| i < first || !gone(x);
        let keep: Vec<bool> = self.state.x.iter().enumerate().map(stays).collect();
        self.keep_grains(&keep)
    }

    /// There is room where the balls around grains do not overlap.
    fn place(&mut self, grain: &Grain) -> Result<bool, EditError> {
        let shape = self.own_shapes().get(grain.shape as usize);
        let radius = shape.ok_or(EditError::UnknownShape(grain.shape))?.radius;
        let has_room = self.has_room(self.space.wrap(grain.position), radius);
        if has_room {
            self.admit(grain)?;
        }
        Ok(has_room)
    }

    fn relocate(&mut self, to: &mut dyn FnMut(DVec3) -> Option<DVec3>) -> Result<usize, EditError> {
        let mut moved = Vec::new();
        for i in self.bodies.len()..self.state.id.len() {
            let Some(position) = to(self.state.x[i]).map(|x| self.space.wrap(x)) else { continue };
            if self.has_room(position, self.shape(i).radius) {
                self.state.ledger.added -= self.energy_of(i);
                self.state.put(i, position);
                self.state.ledger.added += self.energy_of(i);
                moved.push(i);
            }
        }
        if !moved.is_empty() {
            let stays = |i: usize| moved.binary_search(&i).is_err();
            let contacts = &mut self.state.contacts;
            contacts.retain(|c| stays(c.first()) && c.grain().is_none_or(stays));
            self.find_energies();
        }
        Ok(moved.len())
    }

    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn reset_phases(&mut self) {
        self.phases.reset();
    }

    fn bytes(&self) -> usize {
        let work = &self.work;
        let pairs = work.neighbors.capacity() + work.at_walls.capacity() + work.spare.capacity();
        let contacts = self.state.contacts.capacity() + work.old_contacts.capacity();
        let lists = pairs * size_of::<Neighbors>() + contacts * size_of::<Contact>();
        self.bytes_without_lists() + lists
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.state.save(out)?;
        save_tracks(&self.work.neighbors, "tracks", out)?;
        save_tracks(&self.work.at_walls, "wall_tracks", out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.state = State::load(from, self)?;
        self.find_energies();
        self.work = Work::new(&self.config);
        let n = self.state.id.len();
        let walls = self.rules.as_ref().map_or(0, |rules| rules.walls.len());
        self.work.neighbors = load_tracks(from, "tracks", [n, n])?;
        self.work.at_walls = load_tracks(from, "wall_tracks", [n, walls])?;
        Ok(())
    }
}

impl Grains {
    /// The step in which no grain turns by more than a tenth of a radian and, with contacts, none moves by more than a
    /// tenth of the smallest radius.
    pub(super) fn motion_limit(&self) -> DtLimit {
        let fastest = |column: &[DVec3]| column.iter().map(|w| w.length()).fold(0.0, f64::max);
        self.limit_of_speeds(fastest(&self.state.v), fastest(&self.state.omega))
    }

    /// The same for a speed [m/s] and an angular speed [1/s].
    pub(super) fn limit_of_speeds(&self, speed: f64, turning: f64) -> DtLimit {
        let within = |most: f64, rate: f64| if rate > 0.0 { most / rate } else { f64::INFINITY };
        let limit = DtLimit { dt: within(MAX_ANGLE, turning), reason: "rotation" };
        if self.rules.is_none() {
            return limit;
        }
        let smallest = self.shapes.iter().map(|s| s.radius).fold(f64::INFINITY, f64::min);
        let speed = within(MAX_DISPLACEMENT * smallest, speed);
        limit.min(DtLimit { dt: speed, reason: "grain speed" })
    }

    /// Σ over the grains, without free bodies.
    fn sum(&self, term: impl Fn(usize) -> f64 + Sync) -> f64 {
        let first = self.bodies.len();
        reduce::sum(self.state.id.len() - first, |i| term(first + i))
    }

    fn columns<'a>(&'a self) -> [Field<'a>; 10] {
        let (s, first) = (&self.state, self.bodies.len());
        let vectors = |column: &'a [DVec3]| FieldValues::Vec3(&column[first..]);
        [
            Field { name: "position", unit: "m", values: vectors(&s.x) },
            Field { name: "velocity", unit: "m/s", values: vectors(&s.v) },
            Field { name: "force", unit: "N", values: vectors(&s.force) },
            Field { name: "orientation", unit: "rad", values: FieldValues::Quat(&s.q[first..]) },
            Field { name: "angular_velocity", unit: "1/s", values: vectors(&s.omega) },
            Field { name: "angular_momentum", unit: "kg m²/s", values: vectors(&s.l) },
            Field {
                name: "kinetic_energy",
                unit: "J",
                values: FieldValues::F64(&self.kinetic[first..]),
            },
            Field { name: "volume", unit: "m³", values: FieldValues::F64(&self.volumes[first..]) },
            Field { name: "shape", unit: "", values: FieldValues::U32(&s.shape[first..]) },
            Field { name: "id", unit: "", values: FieldValues::U32(&s.id[first..]) },
        ]
    }

    /// Adds a grain and books its energy.
    fn admit(&mut self, grain: &Grain) -> Result<(), EditError> {
        self.add(grain).map_err(|error| match error {
            GrainsError::TooMany => EditError::TooMany(u64::from(u32::MAX) + 1),
            _ => EditError::NotFinite,
        })?;
        self.state.ledger.added += self.energy_of(self.state.id.len() - 1);
        Ok(())
    }

    /// Whether a ball touches none around a grain.
    fn has_room(&self, position: DVec3, radius: f64) -> bool {
        (0..self.state.id.len()).all(|i| {
            let reach = radius + self.shape(i).radius;
            self.space.difference(self.state.x[i], position).length_squared() > reach * reach
        })
    }

    /// Keeps the grains whose flag is set; the energy of the others is booked.
    pub(super) fn keep_grains(&mut self, keep: &[bool]) -> usize {
        for i in (0..keep.len()).filter(|&i| !keep[i]) {
            self.state.ledger.added -= self.energy_of(i);
        }
        let removed = self.state.retain(keep);
        if removed > 0 {
            self.find_energies();
            let Work { neighbors, at_walls, velocities, held, .. } = &mut self.work;
            GrainMap::new(keep).rename(&mut self.state.contacts, neighbors, at_walls);
            for column in [velocities, held] {
                let mut flags = keep.iter();
                column.retain(|_| flags.next().copied().unwrap_or(true));
            }
            self.work.forget_boxes(&self.config);
        }
        removed
    }

    /// Bytes of memory held for the grains themselves, without neighbours and contacts.
    pub(super) fn bytes_without_lists(&self) -> usize {
        let state = 2 * size_of::<u32>() + 6 * size_of::<DVec3>() + size_of::<DQuat>();
        let boxes = size_of::<Pose>() + size_of::<Extremes>() + size_of::<Aabb>();
        let forces = 2 * size_of::<[DVec3; 2]>() + size_of::<f64>();
        self.state.id.capacity() * (state + boxes + forces)
            + self.state.gear.capacity() * size_of::<f64>()
            + self.work.broad.bytes()
    }
}
