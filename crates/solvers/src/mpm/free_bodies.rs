//! Bodies that matter pushes and carries.
//!
//! A node that presses against a free body gives it an impulse that depends on how fast the body moves after the step,
//!
//!   p_i(V) = m_i (v_i − v_i'(V)),    M (V − V*) = Σ_i J_iᵀ p_i(V),
//!
//! with V the six numbers of its velocity, V* those that gravity and all other forces give it, and J_i V its velocity at
//! the node. With V* in place of V the impulses would be explicit: a body lighter than the nodes that it touches would
//! get more than it can take, be thrown back and come again with more. With p_i of V it may be as light as it likes, at
//! the step of the matter alone: nodes and body then move as one. Newton's method finds V, with
//!
//!   −∂p_i/∂V ≈ m_i (n nᵀ + s_i (1 − n nᵀ)) J_i
//!
//! for the nodes that press, where friction has taken the part s_i of what slides along: one system of 6 × 6 a body.
//! What bodies do to each other at a node that touches two of them is left to the iterations. However exact V is, the
//! body gets what the nodes lose. So it does with the impulses of particles that would end in it (Meyer 4.4), which are
//! explicit: few remain once the nodes have been met. To solve for them as well changed no digit of tests with plates
//! of 1 kg/m³.
//!
//! A shared step moves the body only once, after all methods, with the mean force of each. Within it the body is
//! followed here, from sub-step to sub-step, with the forces of liquids and, as they were in the step before, of
//! contacts; then it is put back.

use crate::mpm::quad::Quad;
use glam::DVec3;
use lawine_core::body::FreeMotion;
use lawine_core::environment::Environment;
use rayon::prelude::*;

use super::collide::{self, Contacts, Forces, Near};
use super::config::Config;
use super::grid::{Geometry, Grid};
use crate::rigid::{FreeBody, Six, add, angular, dot, factor, join, linear, solve_factored};

/// The rest of the equation for V, over the impulses in it, at which Newton's method ends.
const TOLERANCE: f64 = 1e-9;
/// Its most iterations; it needs two to five.
const MAX_ITERATIONS: u32 = 30;

/// The body is not free.
const NONE: u32 = u32::MAX;

/// The free bodies during a step.
#[derive(Default)]
pub(super) struct FreeBodies {
    bodies: Vec<Follower>,
    /// Place of an environment's body among them, or [`NONE`].
    places: Vec<u32>,
    /// Their bits.
    bits: Near,
    /// Contacts in each node block.
    blocks: Vec<BlockContacts>,
}

/// A free body that is followed through a step.
struct Follower {
    inertia: FreeBody,
    /// Where it was at the beginning.
    start: FreeMotion,
    /// Force and torque of others, which are held, and of contacts.
    held: [DVec3; 2],
    contact: [DVec3; 2],
    /// Impulses of the matter so far, the moment about where it was at the beginning.
    impulse: Six,
    /// V*.
    before: Six,
    sum: Sum,
}

/// What contacts give a body, and what changes with its velocity.
#[derive(Clone, Copy, Default)]
struct Sum {
    impulse: Six,
    /// Σ |p_i|.
    size: f64,
    /// Σ −∂p/∂V.
    matrix: [Six; 6],
}

/// The nodes of a block that touch bodies.
#[derive(Default)]
struct BlockContacts {
    nodes: Vec<Touching>,
    touches: Vec<Touch>,
    sums: Vec<(u32, Sum)>,
}

/// A node, and where its touches end.
struct Touching {
    node: u32,
    end: u32,
}

/// A body that a node touches, and the normal there.
struct Touch {
    body: u32,
    normal: DVec3,
}

impl FreeBodies {
    /// Begins to follow the free bodies through a step.
    pub(super) fn begin(&mut self, env: &Environment) {
        self.bodies.clear();
        self.places.clear();
        self.bits = 0;
        for (number, body) in env.bodies.iter().enumerate() {
            self.places.push(NONE);
            let found = (FreeBody::new(number, body, 1.0), body.free_motion(), body.free());
            let (Some(inertia), Some(start), Some(free)) = found else { continue };
            self.places[number] = self.bodies.len() as u32;
            self.bits |= collide::bit(number);
            self.bodies.push(Follower {
                inertia,
                start,
                held: [body.force, body.torque],
                contact: free.contact(),
                impulse: [0.0; 6],
                before: [0.0; 6],
                sum: Sum::default(),
            });
        }
    }

    /// Whether a free body may be near a block: its nodes are then in contact here.
    pub(super) fn touch(&self, near: Near) -> bool {
        near & self.bits != 0
    }

    pub(super) fn bytes(&self) -> usize {
        let block = |b: &BlockContacts| {
            b.nodes.capacity() * size_of::<Touching>()
                + b.touches.capacity() * size_of::<Touch>()
                + b.sums.capacity() * size_of::<(u32, Sum)>()
        };
        self.bodies.capacity() * size_of::<Follower>()
            + self.blocks.capacity() * size_of::<BlockContacts>()
            + self.blocks.iter().map(block).sum::<usize>()
    }

    /// Contact of the nodes next to free bodies with these and all others in a sub-step, after which the bodies are
    /// where it ends.
    pub(super) fn collide(
        &mut self,
        grid: &mut Grid,
        env: &mut Environment,
        config: &Config,
        dt: f64,
        near: &[Near],
        forces: &mut [Forces],
    ) {
        if self.bodies.is_empty() {
            return;
        }
        self.predict(env, dt);
        let h = grid.geometry.h;
        self.find(grid, &Contacts { config, env, dt, h }, near);
        for iteration in 1..=MAX_ITERATIONS {
            self.evaluate(grid, &Contacts { config, env, dt, h }, near);
            if self.has_converged(env) || iteration == MAX_ITERATIONS {
                break;
            }
            self.improve(env);
        }
        self.push_nodes(grid, &Contacts { config, env, dt, h }, near, forces);
        for k in 0..self.bodies.len() {
            let Follower { inertia, before, sum, .. } = &self.bodies[k];
            let (number, impulse) = (inertia.number, sum.impulse);
            let body = &mut env.bodies[number];
            // The momenta know nothing of the velocities that were tried.
            (body.velocity, body.angular_velocity) = (linear(before), angular(before));
            self.push(k, env, &impulse);
            env.bodies[number].drift(dt, &env.space);
        }
    }

    /// V*: what the bodies' velocities would be without the matter.
    fn predict(&mut self, env: &mut Environment, dt: f64) {
        let Environment { space, gravity, bodies, .. } = env;
        for Follower { inertia, start, held, contact, before, .. } in &mut self.bodies {
            let number = inertia.number;
            let body = &mut bodies[number];
            if let Some(now) = FreeBody::new(number, body, 1.0) {
                *inertia = now;
            }
            // What is held acts where the body was.
            let moved = space.difference(start.pose.position, body.pose.position);
            let torque = held[1] + moved.cross(held[0]) + contact[1];
            body.kick(held[0] + contact[0], torque, *gravity, dt, space);
            *before = join(body.velocity, body.angular_velocity);
        }
    }

    /// Finds the contacts of nodes in blocks next to free bodies.
    fn find(&mut self, grid: &Grid, contacts: &Contacts<'_>, near: &[Near]) {
        let Self { blocks, bits, .. } = self;
        blocks.resize_with(grid.node_blocks.len(), BlockContacts::default);
        let nodes = grid.nodes.par_chunks(grid.geometry.block());
        let rows = blocks.par_iter_mut().zip(&grid.node_blocks).zip(near).zip(nodes);
        rows.for_each(|(((found, block), &near), nodes)| {
            found.nodes.clear();
            found.touches.clear();
            found.sums.clear();
            if near & *bits == 0 {
                return;
            }
            let corner = grid.geometry.position(block.key);
            for (k, _) in nodes.iter().enumerate().filter(|(_, node)| node.w() > 0.0) {
                let touching = contacts.touching(near, corner + grid.geometry.offset(k));
                let first = found.touches.len();
                found.touches.extend(
                    touching.map(|(body, at)| Touch { body: body as u32, normal: at.normal }),
                );
                if found.touches.len() > first {
                    let end = found.touches.len() as u32;
                    found.nodes.push(Touching { node: k as u32, end });
                }
            }
        });
    }

    /// Sums the impulses of all nodes on each body with its present velocity.
    fn evaluate(&mut self, grid: &Grid, contacts: &Contacts<'_>, near: &[Near]) {
        let Self { bodies, places, bits, blocks, .. } = self;
        let nodes = grid.nodes.par_chunks(grid.geometry.block());
        let rows = blocks.par_iter_mut().zip(&grid.node_blocks).zip(near).zip(nodes);
        rows.filter(|((_, near), _)| **near & *bits != 0).for_each(
            |(((found, block), _), nodes)| {
                let corner = grid.geometry.position(block.key);
                found.evaluate(contacts, &grid.geometry, corner, nodes, places);
            },
        );
        bodies.iter_mut().for_each(|body| body.sum = Sum::default());
        for block in blocks.iter() {
            for (place, part) in &block.sums {
                let sum = &mut bodies[*place as usize].sum;
                add(&mut sum.impulse, 1.0, &part.impulse);
                sum.size += part.size;
                for (row, part) in sum.matrix.iter_mut().zip(&part.matrix) {
                    add(row, 1.0, part);
                }
            }
        }
    }

    /// Whether each body gets the impulses that its velocity makes.
    fn has_converged(&self, env: &Environment) -> bool {
        self.bodies.iter().all(|body| {
            // In the norm of M⁻¹, as a velocity.
            let rest = body.rest(env);
            let energy = dot(&rest, &body.inertia.acceleration(&rest));
            let unit = body.inertia.entry(0, 0);
            energy * unit <= (TOLERANCE * body.sum.size).powi(2)
        })
    }

    /// A step of Newton's method.
    fn improve(&mut self, env: &mut Environment) {
        for body in &mut self.bodies {
            let rest = body.rest(env);
            let matrix = &mut body.sum.matrix;
            for (row, values) in matrix.iter_mut().enumerate() {
                for (column, value) in values.iter_mut().enumerate() {
                    *value += body.inertia.entry(row, column);
                }
            }
            factor(matrix);
            let change = solve_factored(matrix, &rest);
            let found = &mut env.bodies[body.inertia.number];
            found.velocity += linear(&change);
            found.angular_velocity += angular(&change);
        }
    }

    /// Gives the nodes their velocities after contact; adds to the forces on bodies that are not free.
    fn push_nodes(
        &self,
        grid: &mut Grid,
        contacts: &Contacts<'_>,
        near: &[Near],
        forces: &mut [Forces],
    ) {
        let geometry = grid.geometry;
        let nodes = grid.nodes.par_chunks_mut(geometry.block());
        let rows = self.blocks.par_iter().zip(&grid.node_blocks).zip(near).zip(nodes).zip(forces);
        rows.filter(|(((_, near), _), _)| self.touch(**near)).for_each(
            |((((found, block), _), nodes), forces)| {
                let corner = geometry.position(block.key);
                found.each(|node, touches| {
                    let (x, m) = (corner + geometry.offset(node), nodes[node].w());
                    let mut v = nodes[node].xyz();
                    for &Touch { body, normal } in touches {
                        let (k, before) = (body as usize, v);
                        v = contacts.slid(k, x, v, normal, f64::MAX).0;
                        if self.places[k] == NONE {
                            contacts.push(&mut forces[k], k, (before - v) * m, x);
                        }
                    }
                    nodes[node] = Quad::new(v, m);
                });
            },
        );
    }

    /// Gives the bodies the impulses of particles that would have ended in them, and takes these out of the forces.
    pub(super) fn push_particles<'a>(
        &mut self,
        env: &mut Environment,
        dt: f64,
        parts: impl Iterator<Item = &'a mut Forces>,
    ) {
        if self.bodies.is_empty() {
            return;
        }
        self.bodies.iter_mut().for_each(|body| body.sum.impulse = [0.0; 6]);
        for part in parts {
            for body in &mut self.bodies {
                let total = std::mem::take(&mut part[body.inertia.number]);
                add(&mut body.sum.impulse, dt, &total);
            }
        }
        for k in 0..self.bodies.len() {
            let impulse = self.bodies[k].sum.impulse;
            self.push(k, env, &impulse);
        }
    }

    /// Gives a body an impulse.
    fn push(&mut self, k: usize, env: &mut Environment, impulse: &Six) {
        let Follower { inertia, start, impulse: total, .. } = &mut self.bodies[k];
        let body = &mut env.bodies[inertia.number];
        let moved = env.space.difference(body.pose.position, start.pose.position);
        let (push, turn) = (linear(impulse), angular(impulse));
        body.kick(push, turn, DVec3::ZERO, 1.0, &env.space);
        add(total, 1.0, &join(push, turn + moved.cross(push)));
    }

    /// Puts the bodies back to where the step began and adds the mean force of the matter.
    pub(super) fn end(&mut self, env: &mut Environment, dt: f64) {
        for Follower { inertia, start, impulse, .. } in &self.bodies {
            let body = &mut env.bodies[inertia.number];
            body.set_free_motion(start);
            body.add_load(linear(impulse) / dt, angular(impulse) / dt);
        }
    }
}

impl Follower {
    /// Σ Jᵀ p(V) − M (V − V*).
    fn rest(&self, env: &Environment) -> Six {
        let body = &env.bodies[self.inertia.number];
        let mut change = join(body.velocity, body.angular_velocity);
        add(&mut change, -1.0, &self.before);
        let mut rest = self.sum.impulse;
        add(&mut rest, -1.0, &self.inertia.momentum(&change));
        rest
    }
}

impl BlockContacts {
    /// Calls `look(node, touches)` for each node.
    fn each(&self, mut look: impl FnMut(usize, &[Touch])) {
        let mut first = 0;
        for &Touching { node, end } in &self.nodes {
            look(node as usize, &self.touches[first..end as usize]);
            first = end as usize;
        }
    }

    /// Sums what the nodes do to free bodies.
    fn evaluate(
        &mut self,
        contacts: &Contacts<'_>,
        geometry: &Geometry,
        corner: DVec3,
        nodes: &[Quad],
        places: &[u32],
    ) {
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        self.each(|node, touches| {
            let (x, m) = (corner + geometry.offset(node), nodes[node].w());
            let mut v = nodes[node].xyz();
            for &Touch { body, normal } in touches {
                let (k, before) = (body as usize, v);
                let (after, stuck) = contacts.slid(k, x, v, normal, f64::MAX);
                v = after;
                if let Some(stuck) = stuck
                    && places[k] != NONE
                {
                    let found = sums.iter().position(|(place, _)| *place == places[k]);
                    let at = found.unwrap_or(sums.len());
                    if at == sums.len() {
                        sums.push((places[k], Sum::default()));
                    }
                    let arm = contacts.arm(k, x);
                    sums[at].1.add((before - v) * m, arm, normal, m, stuck);
                }
            }
        });
        self.sums = sums;
    }
}

impl Sum {
    /// Adds an impulse `p` that acts at `arm`, of mass `m` that lost the part `stuck` of its velocity across the
    /// normal.
    fn add(&mut self, p: DVec3, arm: DVec3, normal: DVec3, m: f64, stuck: f64) {
        add(&mut self.impulse, 1.0, &join(p, arm.cross(p)));
        self.size += p.length();
        let mut spread = |weight: f64, along: DVec3| {
            let c = join(along, arm.cross(along));
            for (row, c_row) in self.matrix.iter_mut().zip(&c) {
                add(row, weight * c_row, &c);
            }
        };
        spread(m * (1.0 - stuck), normal);
        if stuck > 0.0 {
            DVec3::AXES.into_iter().for_each(|axis| spread(m * stuck, axis));
        }
    }
}
