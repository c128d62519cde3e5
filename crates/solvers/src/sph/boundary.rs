//! Walls as boundary particles: in layers (Hunkler 4.2, Koschier et al. 2020), or in one layer with
//! volumes (Akinci et al. 2012, [`super::volumes`]).
//!
//! Every body is covered inside with particles that have the liquid's rest density. They take part
//! in the density and in the force as much as the liquid that they see ([`super::coverage`]), or mirror the
//! pressure of the particle that asks. They move with their body.

use super::config::{BoundaryMethod, Config, WallPressure};
use super::film::{Skin, skin};
use super::infinite_plane::{InfinitePlane, Lattice};
use super::sample::{CoverError, cover};
use super::volumes;
use crate::sph::packing::LiquidAtRest;
use glam::DVec3;
use lawine_core::body::{Body, Shape};
use lawine_core::environment::Environment;
use lawine_core::kernel::Kernel;
use lawine_core::neighbors::{PointIndex, SearchError};
use lawine_core::simd::Record;
use lawine_core::space::Space;
use thiserror::Error;

/// Why walls cannot be made.
#[derive(Debug, Error)]
pub enum BoundaryError {
    /// A body cannot be covered with particles.
    #[error(transparent)]
    Cover(#[from] CoverError),
    /// The neighbour search cannot work.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// One boundary particle, in the order of the bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    /// Position in the frame of its body [m].
    pub(super) local: DVec3,
    /// Its mass over that of a liquid particle.
    mass_ratio: f32,
    /// What it sees of liquid at rest.
    view: View,
    /// Index of its body.
    body: u32,
}

impl Wall {
    /// Current position [m].
    fn place(&self, env: &Environment) -> DVec3 {
        let mut x = env.space.wrap(env.bodies[self.body as usize].pose.to_world(self.local));
        if env.space.is_planar() {
            x.z = 0.0;
        }
        x
    }
}

/// The boundary particles of all bodies.
#[derive(Debug)]
pub struct Boundary {
    /// Those of the infinite planes last.
    walls: Vec<Wall>,
    /// The surfaces of free bodies.
    pub(super) skin: Vec<Skin>,
    /// Indices of those whose body has not vanished.
    present: Vec<u32>,
    /// Number of bodies that had vanished when they were placed.
    gone: usize,
    /// Planes in a space without bounds.
    planes: Vec<InfinitePlane>,
    space: Space,
    /// Where the bodies are [m]: torques are about these points.
    bodies: Vec<DVec3>,
    /// Scratch: where they are now [m].
    positions: Vec<DVec3>,
    spare: Vec<DVec3>,
    pub(super) index: PointIndex,
    /// In the order of the index: fixed-point position, mass ratio, velocity, body.
    pub(super) records: Vec<Record>,
    pub(super) factors: Vec<Factors>,
    /// Gravity when they were placed [m/s²].
    gravity: DVec3,
    placed: bool,
    rest_density: f64,
}

impl Boundary {
    /// Covers all bodies of `env`.
    pub(super) fn new(config: &Config, env: &Environment) -> Result<Self, BoundaryError> {
        let space = &env.space;
        let layers = config.boundary.layers();
        let kernel = Kernel::new(config.kernel, config.support, space.dimensions());
        let unit = config.spacing.powi(space.dimensions() as i32);
        let at_rest = LiquidAtRest::new(&kernel, config.spacing);
        let mut walls = Vec::new();
        let (mut planes, mut surfaces) = (Vec::new(), Vec::new());
        for (index, body) in env.bodies.iter().enumerate() {
            if matches!(body.shape, Shape::Plane) && space.domain.is_none() {
                planes.push(InfinitePlane::new(index));
                continue;
            }
            let mut samples = cover(body, config.spacing, layers, space)?;
            if config.boundary == BoundaryMethod::Volumes {
                volumes::assign(&mut samples, body, &kernel, config.spacing)?;
            }
            // A plane reaches beyond the domain; along a periodic axis that part is there already.
            let is_plane = matches!(body.shape, Shape::Plane);
            let is_image = |x: DVec3| space.wrap(x) != x;
            let own = samples.iter().filter(|sample| {
                let x = body.pose.to_world(sample.position);
                let is_double = is_covered(x, index, layers, config.spacing, env);
                // No liquid passes the surface, so that none comes near those that are as deep as this.
                let is_hidden = config.wall_pressure == WallPressure::Consistent
                    && -body.signed_distance(x).distance > config.support;
                !(is_double || is_hidden || is_plane && is_image(x))
            });
            let first = walls.len();
            walls.extend(own.map(|sample| Wall {
                local: sample.position,
                mass_ratio: (sample.volume / unit) as f32,
                view: match config.wall_pressure {
                    WallPressure::Mirror => View::NONE,
                    WallPressure::Consistent => {
                        View::new(sample.position, index, env, (&at_rest, kernel.factor()))
                    }
                },
                body: index as u32,
            }));
            if body.is_free() {
                let own = (first..).zip(walls[first..].iter().map(|wall: &Wall| wall.local));
                surfaces.extend(skin(index, body, own, config.spacing, space));
            }
        }
        let index = PointIndex::new(config.search, config.support, space)?;
        walls.shrink_to_fit();
        Ok(Self {
            walls,
            skin: surfaces,
            present: Vec::new(),
            gone: 0,
            planes,
            space: *space,
            bodies: Vec::new(),
            positions: Vec::new(),
            spare: Vec::new(),
            index,
            records: Vec::new(),
            factors: Vec::new(),
            gravity: DVec3::ZERO,
            placed: false,
            rest_density: config.rest_density,
        })
    }

    /// Covers infinite planes where liquid at x [m] is near.
    pub(super) fn reach(&mut self, x: &[DVec3], config: &Config, env: &Environment) {
        let layers = config.boundary.layers();
        let lattice = Lattice {
            spacing: config.spacing,
            layers,
            support: config.support,
            planar: env.space.is_planar(),
        };
        if !self.planes.iter().any(|plane| plane.misses(x, lattice, env)) {
            return;
        }
        let kernel = Kernel::new(config.kernel, config.support, env.space.dimensions());
        let at_rest = LiquidAtRest::new(&kernel, config.spacing);
        let volumes = config.boundary == BoundaryMethod::Volumes;
        let mass_ratio =
            if volumes { volumes::of_flat_wall(&kernel, config.spacing) as f32 } else { 1.0 };
        let before: usize = self.planes.iter().map(InfinitePlane::len).sum();
        for plane in &mut self.planes {
            let index = plane.body;
            let body = &env.bodies[index];
            let consistent = config.wall_pressure == WallPressure::Consistent;
            plane.add(x, lattice, env, |local| {
                let is_hidden = consistent && -local.y > config.support;
                let x = body.pose.to_world(local);
                let is_double = is_covered(x, index, layers, config.spacing, env);
                let view = || View::new(local, index, env, (&at_rest, kernel.factor()));
                (!is_hidden && !is_double).then(|| Wall {
                    local,
                    mass_ratio,
                    view: if consistent { view() } else { View::NONE },
                    body: index as u32,
                })
            });
        }
        self.walls.truncate(self.walls.len() - before);
        self.walls.extend(self.planes.iter().flat_map(InfinitePlane::walls));
        self.placed = false;
    }

    /// Puts the particles where their bodies are now.
    pub(super) fn place(&mut self, env: &Environment) -> Result<(), SearchError> {
        // Bodies vanish one after the other: the number tells which.
        let gone = env.bodies.iter().filter(|body| body.is_gone()).count();
        let stays = !env.bodies.iter().any(|body| body.is_moving())
            && (self.gravity, self.gone) == (env.gravity, gone);
        if self.placed && stays {
            return Ok(());
        }
        self.bodies.clear();
        self.bodies.extend(env.bodies.iter().map(|body| body.pose.position));
        let is_present = |wall: &Wall| !env.bodies[wall.body as usize].is_gone();
        let present = (0..).zip(&self.walls).filter(|(_, wall)| is_present(wall));
        self.present.clear();
        self.present.extend(present.map(|(k, _)| k));
        let wall = |k: usize| &self.walls[self.present[k] as usize];
        let n = self.present.len();
        self.positions.clear();
        self.positions.extend((0..n).map(|k| wall(k).place(env)));
        self.index.update(&mut self.positions, &mut self.spare)?;
        let (order, fixed) = (self.index.order(), self.index.positions());
        let wall = |k: usize| wall(order.map_or(k, |o| o.source(k)));
        self.records.clear();
        self.records.extend((0..n).map(|k| {
            let wall = wall(k);
            let body = &env.bodies[wall.body as usize];
            let v = body.velocity_at(body.pose.to_world(wall.local));
            let [x, y, z] = fixed.at(k).map(|q| q as u32);
            let [u, v, w] = v.to_array().map(|v| (v as f32).to_bits());
            [x, y, z, wall.mass_ratio.to_bits(), u, v, w, wall.body]
        }));
        self.factors.clear();
        self.factors.extend((0..n).map(|k| {
            let wall = wall(k);
            let up = env.bodies[wall.body as usize].pose.rotation * wall.view.mean;
            let lift = (-env.gravity.dot(up)).max(0.0) / self.rest_density;
            Factors { inverse: wall.view.inverse, lift: lift as f32 }
        }));
        (self.gravity, self.gone) = (env.gravity, gone);
        self.placed = true;
        if !env.bodies.iter().any(Body::is_moving) {
            (self.positions, self.spare) = (Vec::new(), Vec::new());
            self.index.forget_scratch();
        }
        Ok(())
    }

    /// The number of the boundary particle that is at the place `k` of the index.
    pub(super) fn wall_of(&self, k: usize) -> usize {
        self.present[self.index.order().map_or(k, |order| order.source(k))] as usize
    }

    /// Number of boundary particles, also of bodies that have vanished.
    pub fn len(&self) -> usize {
        self.walls.len()
    }

    /// True when there are no walls.
    pub fn is_empty(&self) -> bool {
        self.walls.is_empty()
    }

    /// From where the body `number` is to a place [m], on the shortest way.
    #[inline(always)]
    pub(super) fn arm(&self, number: usize, x: DVec3) -> DVec3 {
        self.space.difference(x, self.bodies[number])
    }

    pub(super) fn index(&self) -> &PointIndex {
        &self.index
    }

    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.walls.capacity() * size_of::<Wall>()
            + self.planes.iter().map(InfinitePlane::bytes).sum::<usize>()
            + self.present.capacity() * size_of::<u32>()
            + (self.positions.capacity() + self.spare.capacity()) * size_of::<DVec3>()
            + self.records.capacity() * size_of::<Record>()
            + self.index.bytes()
    }
}

/// Whether a place in the body `number` is also in an earlier one, and covered there: permanent bodies
/// may overlap, like planes that meet in a corner, and two particles in one place would push.
fn is_covered(x: DVec3, index: usize, layers: usize, spacing: f64, env: &Environment) -> bool {
    let covered = 0.25 * spacing..layers as f64 * spacing;
    env.bodies[index].is_permanent()
        && env.bodies[..index]
            .iter()
            .filter(|body| body.is_permanent())
            .any(|body| covered.contains(&-body.signed_distance(x).distance))
}

/// How a boundary particle counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Factors {
    /// One over σ, the Σ W of the liquid that it sees at rest; zero for one that sees none.
    pub(super) inverse: f32,
    /// The pressure over ρ0² that it has more than the liquid that it sees, which rests on it.
    pub(super) lift: f32,
}

/// What a boundary particle sees of liquid at rest.
#[derive(Clone, Copy, Debug)]
struct View {
    /// One over Σ W; zero if that is next to nothing.
    inverse: f32,
    /// Where that liquid is on average, seen from the particle, in the frame of the body [m].
    mean: DVec3,
}

impl View {
    /// Boundary particles that see less than this fraction of a complete kernel count as they are.
    const LEAST: f64 = 0.01;

    const NONE: Self = Self { inverse: 0.0, mean: DVec3::ZERO };

    /// Of a place in the frame of the body `number`. `factor` is that of the kernel.
    fn new(
        local: DVec3,
        index: usize,
        env: &Environment,
        (at_rest, factor): (&LiquidAtRest, f64),
    ) -> Self {
        let body = &env.bodies[index];
        let stays = |other: &Body| body.is_permanent() && other.is_permanent();
        let near = env.bodies.iter().enumerate();
        let near = near.filter(|&(other, it)| other == index || stays(it)).map(|(_, it)| it);
        let (sum, moment) = at_rest.seen_from(body.pose.to_world(local), body.pose.rotation, near);
        if sum < Self::LEAST * at_rest.complete() {
            return Self::NONE;
        }
        Self { inverse: (factor / sum) as f32, mean: moment / sum }
    }
}
