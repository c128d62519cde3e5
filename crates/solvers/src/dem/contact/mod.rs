//! Contacts: forces from the overlap, damping, friction and liquid bridges.
//!
//! The pressure p of a contact, elastic and viscous together, acts through the area vector S and its
//! moment G: force −p S and torque −p G on the second body. With p = U'(V) alone that is the gradient
//! of U, whatever the shapes (Feng 2021). The viscous part belongs to V̇ = S·v + G·ω, the rate at
//! which the overlap grows, so that a collision loses the same fraction of its energy for all shapes.

mod bridge;
mod evaluate;
mod friction;
mod law;
mod list;
mod material;
mod restitution;
mod walls;

pub use bridge::Bridges;
pub use law::Law;
pub use material::{Materials, Pairing};
pub use restitution::{contact_time, damping_ratio, restitution};

pub(super) use evaluate::{Grip, Side};
pub(super) use list::{GrainMap, in_order, load, mark, merge, save};
pub(super) use walls::{Extent, Placed, Wall, WallKind, convex_parts};

use friction::History;
use glam::DVec3;
use lawine_core::body::Body;

use super::GrainsError;
use super::overlap::Warm;

/// The second number of a contact with a wall has this bit.
const WALL: u32 = 1 << 31;

/// How grains touch each other and the bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    /// Normal force.
    pub law: Law,
    /// How materials touch.
    pub materials: Materials,
    /// The material of each shape; the first where none is given.
    pub of_shapes: Vec<usize>,
    /// The material of each body; the first where none is given.
    pub of_bodies: Vec<usize>,
    /// Liquid bridges, if the grains are wet.
    pub bridges: Option<Bridges>,
}

impl Contacts {
    /// Grains and bodies of one material, dry.
    #[must_use]
    pub fn new(pairing: Pairing) -> Self {
        Self {
            law: Law::default(),
            materials: Materials::new(1, pairing),
            of_shapes: Vec::new(),
            of_bodies: Vec::new(),
            bridges: None,
        }
    }
}

/// Two bodies that touch, or that a bridge holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    pair: [u32; 2],
    history: History,
    warm: Warm,
    bridged: bool,
    alive: bool,
    gap: Gap,
    load: Load,
}

/// The closest points of a bridge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Gap {
    pub(super) distance: f64,
    /// From the first body to the second.
    pub(super) normal: DVec3,
    /// Between the closest points, from the first body's centre.
    pub(super) point: DVec3,
}

/// What a contact does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Force on the second body [N].
    pub force: DVec3,
    /// Torques on the first and the second body, each about its own centre [N m].
    pub torques: [DVec3; 2],
    /// Where it acts [m], from the first body's centre.
    pub point: DVec3,
    /// Normal force, positive when it pushes [N].
    pub normal_force: f64,
    /// Volume of the overlap [m³].
    pub volume: f64,
    /// Energy stored [J].
    pub elastic: f64,
    /// Energy lost in the step by damping, by friction and to bridges [J].
    pub(super) lost: [f64; 3],
    /// Work of the second body in the step, if it is a wall [J].
    pub(super) work: f64,
    /// Stiffness over mass for each body [1/s²].
    pub(super) rates: [f64; 2],
}

impl Contact {
    pub(super) fn new(pair: [u32; 2]) -> Self {
        Self {
            pair,
            history: History::default(),
            warm: Warm::default(),
            bridged: false,
            alive: true,
            gap: Gap::default(),
            load: Load::default(),
        }
    }

    /// The first grain's place in the state.
    #[must_use]
    pub fn first(&self) -> usize {
        self.pair[0] as usize
    }

    /// The second grain's place, if it is a grain.
    #[must_use]
    pub fn grain(&self) -> Option<usize> {
        (self.pair[1] & WALL == 0).then_some(self.pair[1] as usize)
    }

    /// The wall's number, if the second body is one.
    pub(super) fn wall(&self) -> Option<usize> {
        (self.pair[1] & WALL != 0).then_some((self.pair[1] & !WALL) as usize)
    }

    /// What it does now.
    #[must_use]
    pub fn load(&self) -> &Load {
        &self.load
    }
}

/// The configuration, checked and looked up once.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) law: Law,
    pub(super) bridges: Option<Bridges>,
    pub(super) walls: Vec<Wall>,
    /// One for each shape.
    pub(super) grips: Vec<Grip>,
    table: Vec<(Pairing, f64)>,
    materials: usize,
    /// The largest stiffness [Pa] and damping ratio of each material with any other.
    hardest: Vec<(f64, f64)>,
}

impl Rules {
    pub(super) fn new(
        contacts: &Contacts,
        grips: Vec<Grip>,
        bodies: &[Body],
    ) -> Result<Self, GrainsError> {
        let table = contacts.materials.prepared()?;
        let materials = contacts.materials.count();
        for &material in contacts.of_shapes.iter().chain(&contacts.of_bodies) {
            if material >= materials {
                return Err(GrainsError::UnknownMaterial { material, count: materials });
            }
        }
        if let Some(bridges) = &contacts.bridges {
            bridges.check()?;
        }
        let walls = walls::walls(bodies, &contacts.of_bodies)?;
        let mut grips = grips;
        for (shape, grip) in grips.iter_mut().enumerate() {
            grip.material = contacts.of_shapes.get(shape).copied().unwrap_or(0);
        }
        let hardest = table.chunks(materials).map(|row: &[(Pairing, f64)]| {
            row.iter().fold((0.0_f64, 0.0_f64), |(y, zeta), (pairing, ratio)| {
                (pairing.stiffness.max(y), ratio.max(zeta))
            })
        });
        let hardest = hardest.collect();
        let (law, bridges) = (contacts.law, contacts.bridges);
        Ok(Self { law, bridges, walls, grips, table, materials, hardest })
    }

    /// How two materials touch, and their damping ratio.
    fn pairing(&self, a: usize, b: usize) -> &(Pairing, f64) {
        &self.table[a * self.materials + b]
    }

    fn hardest(&self, material: usize) -> (f64, f64) {
        self.hardest[material]
    }
}

#[cfg(test)]
mod tests;
