//! What a checkpoint holds of the grains.

use glam::{DQuat, DVec3};
use lawine_core::columns;
use lawine_core::rigid::{Inertia, RigidState};
use std::io::{self, Read, Write};

use super::contact::{self, Contact};
use super::narrow::Track;
use super::{Grain, Grains, Ledger, Neighbors};

/// The grains, one column for each quantity, in the order in which they were added.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Identifiers that stay with a grain for its whole life.
    pub id: Vec<u32>,
    /// Numbers of their shapes.
    pub shape: Vec<u32>,
    /// Centres of mass [m].
    pub x: Vec<DVec3>,
    /// Velocities [m/s].
    pub v: Vec<DVec3>,
    /// Orientations, unit quaternions.
    pub q: Vec<DQuat>,
    /// Angular momenta in space [kg m²/s].
    pub l: Vec<DVec3>,
    /// Angular velocities in space [1/s], which follow from the rest.
    pub omega: Vec<DVec3>,
    /// What Gear's method knows of each grain: its step [s], zero before the first, and the scaled
    /// derivatives of position and orientation. Empty without it.
    pub(super) gear: Vec<f64>,
    /// Forces of the contacts [N].
    pub force: Vec<DVec3>,
    /// Torques of the contacts about the centres [N m].
    pub torque: Vec<DVec3>,
    pub(super) contacts: Vec<Contact>,
    pub(super) ledger: Ledger,
    /// The longest step that the contacts allow [s]; infinite before the first.
    pub(super) limit: f64,
    next_id: u32,
}

impl Default for State {
    fn default() -> Self {
        Self {
            id: Vec::new(),
            shape: Vec::new(),
            x: Vec::new(),
            v: Vec::new(),
            q: Vec::new(),
            l: Vec::new(),
            omega: Vec::new(),
            gear: Vec::new(),
            force: Vec::new(),
            torque: Vec::new(),
            contacts: Vec::new(),
            ledger: Ledger::default(),
            limit: f64::INFINITY,
            next_id: 0,
        }
    }
}

impl State {
    /// Adds the grain that stands for a free body, before there are others, which does not count as one.
    pub(super) fn insert_body(&mut self, index: usize, grain: &Grain, inertia: &Inertia) {
        self.push(grain, inertia, 0);
        (self.id[index], self.next_id) = (u32::MAX - index as u32, 0);
    }

    /// Adds a grain with room for the `numbers` of Gear's method and gives its identifier.
    pub(super) fn push(&mut self, grain: &Grain, inertia: &Inertia, numbers: usize) -> u32 {
        let q = grain.orientation.normalize();
        let id = self.next_id;
        self.next_id += 1;
        self.id.push(id);
        self.shape.push(grain.shape);
        self.x.push(grain.position);
        self.v.push(grain.velocity);
        self.q.push(q);
        self.l.push(q * (inertia.moments * (q.conjugate() * grain.omega)));
        self.omega.push(grain.omega);
        self.force.push(DVec3::ZERO);
        self.torque.push(DVec3::ZERO);
        self.gear.resize(self.gear.len() + numbers, 0.0);
        id
    }

    /// The next grain's identifier.
    pub(super) fn next_id(&self) -> u32 {
        self.next_id
    }

    /// The motion of the grain at place `i`.
    ///
    /// # Panics
    /// When there is no such grain.
    #[must_use]
    pub fn rigid(&self, i: usize) -> RigidState {
        RigidState { x: self.x[i], v: self.v[i], q: self.q[i], l: self.l[i] }
    }

    /// Puts the grain at place `i` elsewhere, at rest.
    pub(super) fn put(&mut self, i: usize, x: DVec3) {
        let numbers = self.gear.len() / self.id.len().max(1);
        // Gear's method starts anew where the step is zero.
        if let Some(step) = self.gear.get_mut(i * numbers) {
            *step = 0.0;
        }
        self.x[i] = x;
        for column in [&mut self.v, &mut self.l, &mut self.omega, &mut self.force, &mut self.torque]
        {
            column[i] = DVec3::ZERO;
        }
    }

    /// Keeps the grains whose flag is set, in order; returns the number of those removed.
    pub(super) fn retain(&mut self, keep: &[bool]) -> usize {
        fn retain<T>(column: &mut Vec<T>, keep: &[bool]) {
            let mut flags = keep.iter();
            column.retain(|_| flags.next().copied().unwrap_or(true));
        }
        let before = self.id.len();
        if let Some(numbers) = self.gear.len().checked_div(before) {
            let mut place = 0..;
            let stay = |_: &f64| place.next().is_none_or(|k: usize| keep[k / numbers.max(1)]);
            self.gear.retain(stay);
        }
        retain(&mut self.id, keep);
        retain(&mut self.shape, keep);
        retain(&mut self.x, keep);
        retain(&mut self.v, keep);
        retain(&mut self.q, keep);
        retain(&mut self.l, keep);
        retain(&mut self.omega, keep);
        retain(&mut self.force, keep);
        retain(&mut self.torque, keep);
        before - self.id.len()
    }

    pub(super) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        columns::write(out, "id", &self.id)?;
        columns::write(out, "shape", &self.shape)?;
        columns::write(out, "position", &self.x)?;
        columns::write(out, "velocity", &self.v)?;
        let parts = self.q.iter().flat_map(|q| q.to_array()).collect::<Vec<f64>>();
        columns::write(out, "orientation", &parts)?;
        columns::write(out, "angular_momentum", &self.l)?;
        columns::write(out, "angular_velocity", &self.omega)?;
        columns::write(out, "gear", &self.gear)?;
        columns::write(out, "force", &self.force)?;
        columns::write(out, "torque", &self.torque)?;
        contact::save(&self.contacts, out)?;
        let Ledger { damping, friction, cohesion, bodies, added } = self.ledger;
        let numbers = [damping, friction, cohesion, bodies, added, self.limit];
        columns::write(out, "ledger", &numbers)?;
        columns::write(out, "next_id", &[self.next_id])
    }

    /// Reads what [`Self::save`] wrote, for the shapes and walls of `grains`.
    pub(super) fn load(from: &mut dyn Read, grains: &Grains) -> io::Result<Self> {
        let (shapes, numbers) = (grains.shapes.len(), grains.config.gear_numbers());
        let bad = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let (id, shape) = (columns::read(from, "id")?, columns::read::<u32>(from, "shape")?);
        let (x, v) = (columns::read(from, "position")?, columns::read(from, "velocity")?);
        let parts = columns::read::<f64>(from, "orientation")?;
        let l = columns::read(from, "angular_momentum")?;
        let omega = columns::read(from, "angular_velocity")?;
        let gear = columns::read::<f64>(from, "gear")?;
        let force = columns::read(from, "force")?;
        let torque = columns::read(from, "torque")?;
        let walls = grains.rules.as_ref().map_or(0, |rules| rules.walls.len());
        let contacts = contact::load(from, x.len(), walls)?;
        let ledger = columns::read::<f64>(from, "ledger")?;
        let [damping, friction, cohesion, bodies, added, limit] = ledger[..] else {
            return Err(bad("the energy balance of the grains is incomplete"));
        };
        let ledger = Ledger { damping, friction, cohesion, bodies, added };
        let next_id = columns::read_one(from, "next_id")?;
        let q = parts.chunks_exact(4).map(DQuat::from_slice).collect::<Vec<_>>();
        let state = Self {
            id,
            shape,
            x,
            v,
            q,
            l,
            omega,
            gear,
            force,
            torque,
            contacts,
            ledger,
            limit,
            next_id,
        };
        if state.gear.len() != numbers * state.id.len() {
            return Err(bad("the grains were saved with another integrator"));
        }
        state.check(parts.len(), shapes)?;
        Ok(state)
    }

    /// Refuses what no save can have written.
    fn check(&self, parts: usize, shapes: usize) -> io::Result<()> {
        let bad = |what| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        let n = self.id.len();
        let vectors = [&self.x, &self.v, &self.l, &self.omega, &self.force, &self.torque];
        if self.shape.len() != n || vectors.iter().any(|column| column.len() != n) || parts != 4 * n
        {
            return bad("the columns of the grains differ in length");
        }
        if !vectors.iter().all(|column| column.iter().all(|v| v.is_finite()))
            || !self.gear.iter().all(|g| g.is_finite())
        {
            return bad("a position, velocity or momentum of a grain is not finite");
        }
        if !self.q.iter().all(|q| (q.length_squared() - 1.0).abs() < 1e-6) {
            return bad("the orientation of a grain is not a unit quaternion");
        }
        if self.shape.iter().any(|&s| s as usize >= shapes) {
            return bad("a grain has a shape that the scene does not have");
        }
        Ok(())
    }
}

/// Writes where the queries of the next step start.
pub(super) fn save_tracks(
    neighbors: &[Neighbors],
    name: &'static str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let numbers = |n: &Neighbors| {
        let [a, b, kind] = n.track.map_or([0; 3], Track::to_numbers);
        [n.pair[0], n.pair[1], a, b, kind]
    };
    columns::write(out, name, &neighbors.iter().flat_map(numbers).collect::<Vec<u32>>())
}

/// Reads what [`save_tracks`] wrote; grains are below the first limit, the others below the second.
pub(super) fn load_tracks(
    from: &mut dyn Read,
    name: &'static str,
    limits: [usize; 2],
) -> io::Result<Vec<Neighbors>> {
    let numbers = columns::read::<u32>(from, name)?;
    let mut all: Vec<Neighbors> = Vec::with_capacity(numbers.len() / 5);
    for n in numbers.chunks(5) {
        let &[i, j, a, b, kind] = n else { continue };
        let known = (i as usize) < limits[0] && (j as usize) < limits[1];
        if known && all.last().is_none_or(|last| last.pair < [i, j]) {
            let track = Track::from_numbers([a, b, kind]);
            all.push(Neighbors { track, ..Neighbors::new([i, j]) });
        }
    }
    Ok(all)
}
