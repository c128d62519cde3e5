//! A settled pile: what a step with forces costs.

use glam::DVec3;
use lawine_core::body::{Body, BodyError};
use lawine_core::environment::Environment;
use lawine_core::geometry::{Aabb, EllipsoidGrain, HullError, Random, Shape, ShapeError};
use lawine_core::method::{Method, StepError};
use lawine_core::space::{Dimension, Space};
use std::sync::Arc;

use crate::dem::contact::{Contacts, Pairing};
use crate::dem::step::SubStep;
use crate::dem::{Block, BlockError, Config, Grain, Grains, GrainsError};

/// Largest half axis of a grain [m].
const SIZE: f64 = 0.01;
/// How long the first tile settles [s].
const SETTLING: f64 = 0.35;

/// Why a pile cannot be made: never for sensible numbers.
#[derive(Debug, thiserror::Error)]
pub enum PileError {
    /// The grains' shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The grains' shape.
    #[error(transparent)]
    Hull(#[from] HullError),
    /// The floor.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The grains.
    #[error(transparent)]
    Grains(#[from] GrainsError),
    /// Their places.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// Their motion.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// A pile that has come to rest on a floor, periodic to the sides.
pub struct Pile {
    /// Floor and gravity.
    pub env: Environment,
    /// The grains.
    pub grains: Grains,
    side: f64,
}

impl Pile {
    /// Lets `side`³ grains of a number of corners settle.
    ///
    /// # Errors
    /// When there are fewer than four corners.
    pub fn settled(corners: usize, side: usize) -> Result<Self, PileError> {
        let body = EllipsoidGrain::new(DVec3::new(1.0, 0.9, 0.8) * SIZE, corners);
        let (polyhedron, axes) = body.make(&mut Random::new(1))?;
        let shape = Arc::new(Shape::from_polyhedron(&polyhedron)?.with_ellipsoid(axes));
        let spacing = 2.05 * SIZE;
        let mut pile = Self::empty(shape, side as f64 * spacing)?;
        let extent = DVec3::splat(pile.side * (1.0 + 1e-9));
        let block = Block { origin: DVec3::ZERO, size: extent, spacing: DVec3::splat(spacing) };
        let mut random = Random::new(2);
        for position in block.places(None, 2.0 * SIZE)? {
            let (velocity, omega) = (DVec3::ZERO, DVec3::ZERO);
            let orientation = random.orientation();
            pile.grains.add(&Grain { shape: 0, position, velocity, orientation, omega })?;
        }
        let mut time = 0.0;
        while time < SETTLING {
            let dt = pile.grains.dt_limit(&pile.env).dt;
            pile.grains.step(&mut pile.env, dt)?;
            time += dt;
        }
        Ok(pile)
    }

    fn empty(shape: Arc<Shape>, side: f64) -> Result<Self, PileError> {
        let high = DVec3::new(side, 1e3 * SIZE, side);
        let domain = Some(Aabb::new(DVec3::new(0.0, -SIZE, 0.0), high));
        let periodic = [true, false, true];
        let space = Space { domain, periodic, ..Space::unbounded(Dimension::Full) };
        let mut env = Environment::new(space, DVec3::NEG_Y * 9.81);
        env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y)?);
        let contacts = Contacts::new(Pairing::new(1e6, 0.1, 0.5));
        let grains = Grains::new(Config::new(2500.0), vec![shape], &env)?;
        let grains = grains.with_contacts(&contacts, &env)?;
        Ok(Self { env, grains, side })
    }

    /// The same pile `times` × `times` times, side by side.
    ///
    /// # Errors
    /// When there are more grains than identifiers.
    pub fn repeated(&self, times: usize) -> Result<Self, PileError> {
        let shape = self.grains.shape(0).clone();
        let mut pile = Self::empty(shape, self.side * times as f64)?;
        let state = self.grains.state();
        for tile in 0..times * times {
            let shift = DVec3::new((tile % times) as f64, 0.0, (tile / times) as f64) * self.side;
            for i in 0..state.id.len() {
                let (position, velocity) = (state.x[i] + shift, state.v[i]);
                let (orientation, omega) = (state.q[i], state.omega[i]);
                pile.grains.add(&Grain { shape: 0, position, velocity, orientation, omega })?;
            }
        }
        Ok(pile)
    }

    /// Measures steps of the pile.
    ///
    /// # Errors
    /// When a step fails.
    pub fn resting(&mut self, steps: usize, clock: &dyn Fn() -> f64) -> Result<Resting, StepError> {
        let Self { env, grains, .. } = self;
        let dt = grains.dt_limit(env).dt;
        // The first steps find everything and do not count.
        for _ in 0..3 {
            grains.step(env, dt)?;
        }
        let start = clock();
        for _ in 0..steps {
            grains.step(env, dt)?;
        }
        let middle = clock();
        for _ in 0..steps {
            grains.find_forces(env, SubStep::whole(dt));
        }
        let end = clock();
        let (count, contacts) = (grains.particle_count(), grains.contacts().len());
        let pairs = grains.neighbors().len();
        let steps = steps.max(1) as f64;
        Ok(Resting {
            grains: count,
            contacts,
            pairs,
            step: (middle - start) / steps,
            contact: (end - middle) / (steps * contacts.max(1) as f64),
            bytes: grains.bytes_without_lists() as f64 / count.max(1) as f64,
        })
    }
}

/// What a step of a pile at rest costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resting {
    /// Number of grains.
    pub grains: usize,
    /// Contacts in the last step.
    pub contacts: usize,
    /// Pairs whose boxes overlapped.
    pub pairs: usize,
    /// Seconds for a step [s].
    pub step: f64,
    /// Seconds for a contact: overlap, force and friction [s].
    pub contact: f64,
    /// Bytes for a grain, without contacts and neighbours.
    pub bytes: f64,
}
