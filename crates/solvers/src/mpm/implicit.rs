//! The semi-implicit step (Stomakhin et al. 2013, eq. 9): (M + β Δt² K) v = M v*.
//!
//! K is the second derivative of the elastic energy. Every particle's share is made positive
//! semi-definite, so that the matrix is positive definite however the matter is deformed, and
//! conjugate gradients are safe. No matrix is built: a product is one pass over the particles of each
//! block, from the nodes to the nodes. Nodes that press against a body keep their velocity along its
//! normal; the impulse that this takes is the body's.

use crate::mpm::quad::Quad;
use glam::{DMat3, DVec3};
use lawine_core::environment::Environment;
use lawine_core::simd::{Level, Simd, Work};
use rayon::prelude::*;

use super::Matter;
use super::collide::{Contacts, Near};
use super::config::Implicit;
use super::grid::{Block, Grid};
use super::passes::LARGEST_TILE;
use super::state::Particles;
use super::tangent::PointTangent;
use super::transfer::{Kernel, Stencil, dispatch, inverse_moment};

/// Scratch of the solver: values at the nodes of the grid.
#[derive(Default)]
pub(super) struct System {
    tangents: Vec<PointTangent>,
    /// Normal of the surface that a node presses against, and what is held: see [`held`].
    holds: Vec<Quad>,
    residual: Vec<Quad>,
    direction: Vec<Quad>,
    product: Vec<Quad>,
    sums: Vec<f64>,
}

/// Held along the normal.
const NORMAL: f64 = 1.0;
/// Held altogether.
const WHOLE: f64 = 2.0;

/// The part of a vector that a node may not change.
fn held(hold: Quad, v: DVec3) -> DVec3 {
    let normal = hold.xyz();
    match hold.w() {
        w if w >= WHOLE => v,
        w if w >= NORMAL => normal * normal.dot(v),
        _ => DVec3::ZERO,
    }
}

impl System {
    pub(super) fn bytes(&self) -> usize {
        let nodes = [&self.holds, &self.residual, &self.direction, &self.product];
        self.tangents.capacity() * size_of::<PointTangent>()
            + nodes.iter().map(|n| n.capacity() * size_of::<Quad>()).sum::<usize>()
            + self.sums.capacity() * size_of::<f64>()
    }

    /// Sets the direction to z + β·direction with z = M⁻¹ times the free part of the residual.
    fn turn(&mut self, masses: &[Quad], beta: f64) {
        let rows = self.direction.par_iter_mut().zip(&self.residual).zip(&self.holds).zip(masses);
        rows.for_each(|(((p, r), hold), mass)| {
            let free = if mass.w() > 0.0 {
                (r.xyz() - held(*hold, r.xyz())) / mass.w()
            } else {
                DVec3::ZERO
            };
            *p = Quad::new(free + p.xyz() * beta, 0.0);
        });
    }

    /// rᵀ M⁻¹ r of the free part of the residual.
    fn size(&mut self, masses: &[Quad], block: usize) -> f64 {
        let rows = self.residual.par_chunks(block).zip(self.holds.par_chunks(block));
        let rows = rows.zip(masses.par_chunks(block));
        rows.map(|((r, holds), masses)| {
            let square = |((r, hold), mass): ((&Quad, &Quad), &Quad)| {
                let free = r.xyz() - held(*hold, r.xyz());
                if mass.w() > 0.0 { free.length_squared() / mass.w() } else { 0.0 }
            };
            r.iter().zip(holds).zip(masses).map(square).sum::<f64>()
        })
        .collect_into_vec(&mut self.sums);
        self.sums.iter().sum()
    }

    /// directionᵀ product.
    fn work(&mut self, block: usize) -> f64 {
        let rows = self.direction.par_chunks(block).zip(self.product.par_chunks(block));
        rows.map(|(p, a)| p.iter().zip(a).map(|(p, a)| p.xyz().dot(a.xyz())).sum::<f64>())
            .collect_into_vec(&mut self.sums);
        self.sums.iter().sum()
    }
}

impl Matter {
    /// Replaces the explicit velocities of the nodes by the solution; returns the iterations.
    pub(super) fn solve_implicit(&mut self, env: &Environment, dt: f64, settings: Implicit) -> u32 {
        let mut system = std::mem::take(&mut self.work.system);
        let n = self.grid.nodes.len();
        for nodes in [&mut system.residual, &mut system.direction, &mut system.product] {
            nodes.resize(n, Quad::ZERO);
        }
        self.hold_nodes(env, dt, &mut system.holds);
        self.find_tangents(&mut system.tangents);
        let mut x = std::mem::take(&mut self.grid.nodes);
        let iterations = self.conjugate_gradients(&mut system, &mut x, dt, settings);
        self.grid.nodes = x;
        self.push_bodies(env, &system, dt);
        self.work.system = system;
        iterations
    }

    fn conjugate_gradients(
        &mut self,
        system: &mut System,
        x: &mut [Quad],
        dt: f64,
        settings: Implicit,
    ) -> u32 {
        let stiffness = settings.beta * dt * dt;
        let block = self.grid.geometry.block();
        // r = M v* − (M + β Δt² K) v*.
        self.multiply(&system.tangents, x, &mut system.product);
        let rows = system.residual.par_iter_mut().zip(&system.product);
        rows.for_each(|(r, k)| *r = *k * -stiffness);
        let mut size = system.size(x, block);
        let enough = settings.tolerance.powi(2) * size;
        let mut beta = 0.0;
        for iteration in 0..settings.max_iterations {
            if size <= enough {
                return iteration;
            }
            system.turn(x, beta);
            self.multiply(&system.tangents, &system.direction, &mut system.product);
            let rows = system.product.par_iter_mut().zip(&system.direction).zip(&*x);
            rows.for_each(|((a, p), x)| *a = *a * stiffness + *p * x.w());
            let work = system.work(block);
            if !(work > 0.0 && work.is_finite()) {
                return iteration;
            }
            let alpha = size / work;
            let rows = x.par_iter_mut().zip(&system.direction);
            rows.for_each(|(x, p)| *x += *p * alpha);
            let rows = system.residual.par_iter_mut().zip(&system.product);
            rows.for_each(|(r, a)| *r = *r - *a * alpha);
            let next = system.size(x, block);
            (beta, size) = (next / size, next);
        }
        settings.max_iterations
    }

    /// K times a field at the nodes.
    fn multiply(&mut self, tangents: &[PointTangent], field: &[Quad], product: &mut [Quad]) {
        let (particles, level) = (&self.particles, self.work.level);
        let pass = Multiply { level, particles, grid: &mut self.grid, tangents, field };
        dispatch(&self.config, self.space.is_planar(), pass);
        let grid = &self.grid;
        let rows = product.par_chunks_mut(grid.geometry.block()).zip(&grid.node_blocks);
        rows.for_each(|(nodes, block)| grid.collect(&grid.tiles, block, nodes));
    }

    fn find_tangents(&self, tangents: &mut Vec<PointTangent>) {
        let (p, materials) = (&self.particles, &self.config.materials);
        let rows = p.points.par_iter().zip(&p.material).zip(&p.plastic_volume);
        rows.map(|((point, &material), &plastic)| {
            PointTangent::new(point, materials[material as usize].law, plastic - 1.0)
        })
        .collect_into_vec(tangents);
    }

    /// Stops the nodes that press against bodies and remembers which.
    fn hold_nodes(&mut self, env: &Environment, dt: f64, holds: &mut Vec<Quad>) {
        holds.clear();
        holds.resize(self.grid.nodes.len(), Quad::ZERO);
        let (geometry, config) = (self.grid.geometry, &self.config);
        let contacts = Contacts { config, env, dt, h: geometry.h };
        let size = geometry.block();
        let rows = self.grid.nodes.par_chunks_mut(size).zip(holds.par_chunks_mut(size));
        let rows = rows.zip(&self.grid.node_blocks).zip(&self.work.near).zip(&mut self.work.forces);
        rows.for_each(|((((nodes, holds), block), &near), forces)| {
            if near == 0 {
                return;
            }
            let corner = geometry.position(block.key);
            for (k, node) in nodes.iter_mut().enumerate().filter(|(_, node)| node.w() > 0.0) {
                let (x, m) = (corner + geometry.offset(k), node.w());
                holds[k] = hold(&contacts, near, x, node.xyz());
                *node = Quad::new(contacts.node(near, x, node.xyz(), m, forces), m);
            }
        });
    }

    /// Adds the impulses of the held nodes to the bodies.
    fn push_bodies(&mut self, env: &Environment, system: &System, dt: f64) {
        let geometry = self.grid.geometry;
        let contacts = Contacts { config: &self.config, env, dt, h: geometry.h };
        let size = geometry.block();
        let rows = system.residual.par_chunks(size).zip(system.holds.par_chunks(size));
        let rows = rows.zip(&self.grid.node_blocks).zip(&self.work.near).zip(&mut self.work.forces);
        rows.for_each(|((((residual, holds), block), &near), forces)| {
            let corner = geometry.position(block.key);
            for (k, hold) in holds.iter().enumerate().filter(|(_, hold)| hold.w() > 0.0) {
                let x = corner + geometry.offset(k);
                contacts.react(near, x, held(*hold, residual[k].xyz()), forces);
            }
        });
    }
}

/// What a node with velocity `v` at `x` is held by.
fn hold(contacts: &Contacts<'_>, near: Near, x: DVec3, v: DVec3) -> Quad {
    let mut found = Quad::ZERO;
    for (k, distance) in contacts.touching(near, x) {
        let pressed = (v - contacts.velocity(k, x)).dot(distance.normal) < 0.0;
        let sticking = contacts.config.contact_with(k).sticking;
        found = match (sticking, pressed, found.w() > 0.0) {
            (true, _, _) | (_, true, true) => Quad::new(distance.normal, WHOLE),
            (false, true, false) => Quad::new(distance.normal, NORMAL),
            (false, false, _) => found,
        };
    }
    found
}

/// K times a field, as tiles.
struct Multiply<'a> {
    level: Level,
    particles: &'a Particles,
    grid: &'a mut Grid,
    tangents: &'a [PointTangent],
    field: &'a [Quad],
}

impl Kernel for Multiply<'_> {
    type Output = ();

    fn run<const N: usize, const NZ: usize, const G: bool>(self) {
        let mut tiles = std::mem::take(&mut self.grid.tiles);
        let Self { level, particles, grid, tangents, field } = self;
        let from = &*grid;
        let size = from.geometry.tile();
        tiles.par_chunks_mut(size).zip(&from.blocks).for_each(|(tile, block)| {
            level.run(MultiplyTile::<N, NZ, G> {
                particles,
                grid: from,
                tangents,
                field,
                block,
                tile,
            });
        });
        grid.tiles = tiles;
    }
}

struct MultiplyTile<'a, const N: usize, const NZ: usize, const G: bool> {
    particles: &'a Particles,
    grid: &'a Grid,
    tangents: &'a [PointTangent],
    field: &'a [Quad],
    block: &'a Block,
    tile: &'a mut [Quad],
}

impl<const N: usize, const NZ: usize, const G: bool> Work for MultiplyTile<'_, N, NZ, G> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { particles, grid, tangents, field, block, tile } = self;
        let geometry = grid.geometry;
        let moment = if G { 1.0 } else { inverse_moment::<N>() * geometry.inverse.powi(2) };
        let mut nodes = [Quad::ZERO; LARGEST_TILE];
        grid.load(field, block, &mut nodes);
        tile.fill(Quad::ZERO);
        for run in grid.runs_of(block) {
            let rows = particles.x[run.clone()].iter().zip(&particles.points[run.clone()]);
            for ((&x, point), tangent) in rows.zip(&tangents[run]) {
                let stencil = Stencil::<N>::near::<NZ, G, true>(&geometry, x);
                let (_, slopes) = stencil.gather::<NZ>(&nodes);
                let gradient = DMat3::from_cols(slopes[0].xyz(), slopes[1].xyz(), slopes[2].xyz());
                let scale = moment * moment * f64::from(point.volume);
                let stress = tangent.apply(gradient) * scale;
                let columns = [stress.x_axis, stress.y_axis, stress.z_axis];
                stencil.scatter::<NZ>(tile, Quad::ZERO, columns.map(|c| Quad::new(c, 0.0)));
            }
        }
    }
}
