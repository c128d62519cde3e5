//! Forces on the grains from their contacts.

use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::neighbors::CHUNK;
use lawine_core::space::Space;
use rayon::prelude::*;
use std::slice::from_ref;

use super::contact::{self, Contact, Extent, Placed, Rules, Side, Wall, WallKind};
use super::narrow::{Pose, Scratch, closest, lowest};
use super::overlap::{Clipper, Warm, overlap_parts};
use super::step::SubStep;
use super::{Grains, GrainsError, Neighbors, State, Work};

/// Grains whose overlap at the start is more than this fraction of the smaller one are refused.
const START_OVERLAP: f64 = 1e-6;

/// What the forces of a step are made from.
struct Scene<'a> {
    rules: &'a Rules,
    state: &'a State,
    poses: &'a [Pose],
    velocities: &'a [[DVec3; 2]],
    placed: &'a [Placed],
    space: &'a Space,
}

impl Grains {
    /// Puts the walls where they are at the end of a step, and notes the grains near them.
    pub(super) fn find_walls(&mut self, env: &Environment, dt: f64) {
        let Some(rules) = &self.rules else { return };
        let (work, shapes) = (&mut self.work, &self.shapes);
        let place = |wall: &Wall| wall.placed(&env.bodies[wall.body], dt);
        work.placed.clear();
        work.placed.extend(rules.walls.iter().map(place));
        std::mem::swap(&mut work.at_walls, &mut work.spare);
        work.at_walls.clear();
        let mut old = work.spare.iter().peekable();
        let reach = 2.0 * self.config.margin;
        for (i, (pose, bounds)) in work.poses.iter().zip(&work.boxes).enumerate() {
            let radius = shapes[self.state.shape[i] as usize].radius;
            for (w, placed) in work.placed.iter().enumerate() {
                let near = match &placed.extent {
                    Extent::Gone => false,
                    Extent::HalfSpace(plane) => plane.distance(pose.position) <= radius + reach,
                    Extent::Solid(solid) => {
                        let half = 0.5 * (solid.size() + bounds.size());
                        let apart = self.space.difference(bounds.center(), solid.center());
                        apart.abs().cmple(half + 0.5 * reach).all()
                    }
                };
                if near {
                    let pair = [i as u32, w as u32];
                    while old.next_if(|n| n.pair < pair).is_some() {}
                    let known = old.next_if(|n| n.pair == pair).copied();
                    work.at_walls.push(known.unwrap_or_else(|| Neighbors::new(pair)));
                }
            }
        }
        self.find_wall_distances();
    }

    fn find_wall_distances(&mut self) {
        let Some(rules) = &self.rules else { return };
        let Work { at_walls, placed, poses, .. } = &mut self.work;
        contact::mark(at_walls, &self.state.contacts, true);
        let (state, shapes, space) = (&self.state, &self.shapes, &self.space);
        let (placed, poses) = (&*placed, &*poses);
        let wet = rules.bridges.is_some();
        let chunks = at_walls.par_chunks_mut(CHUNK);
        chunks.for_each_init(Scratch::default, |scratch, neighbors| {
            for neighbor in neighbors.iter_mut().filter(|n| wet || !n.touching) {
                let [i, w] = neighbor.pair.map(|k| k as usize);
                let body = (&shapes[state.shape[i] as usize].polyhedron, &poses[i]);
                let track = &mut neighbor.track;
                match (&placed[w].extent, &rules.walls[w].kind) {
                    (Extent::HalfSpace(plane), _) => {
                        neighbor.closest = lowest(body, plane, track);
                    }
                    (Extent::Solid(_), WallKind::Solid(solid)) => {
                        let pose = placed[w].pose_near(poses[i].position, space);
                        neighbor.closest = closest(body, (solid, &pose), track, scratch);
                    }
                    _ => {}
                }
            }
        });
    }

    /// Finds the contacts and their forces, and adds those on the bodies to them.
    pub(super) fn find_forces(&mut self, env: &mut Environment, step: SubStep) {
        let Some(rules) = &self.rules else { return };
        let (state, work) = (&mut self.state, &mut self.work);
        std::mem::swap(&mut state.contacts, &mut work.old_contacts);
        let mut contacts = std::mem::take(&mut state.contacts);
        let near = contact::in_order(&work.neighbors, &work.at_walls)
            .map(|(pair, neighbor)| (pair, neighbor, work.poses[pair[0] as usize].position));
        contact::merge(near, rules.bridges.is_some(), &work.old_contacts, &mut contacts);
        work.clippers.resize_with(contacts.len().div_ceil(CHUNK), Clipper::default);
        let scene = Scene {
            rules,
            state,
            poses: &work.poses,
            velocities: &work.velocities,
            placed: &work.placed,
            space: &self.space,
        };
        let chunks = contacts.par_chunks_mut(CHUNK).zip(work.clippers.par_iter_mut());
        chunks.for_each(|(contacts, clipper)| {
            for contact in contacts {
                scene.evaluate(contact, step.dt, clipper);
            }
        });
        state.contacts = contacts;
        self.add_up(env, step);
    }

    /// Sums forces, losses and the limit of the next step, in the order of the contacts.
    fn add_up(&mut self, env: &mut Environment, step: SubStep) {
        let Some(rules) = &self.rules else { return };
        let State { contacts, force, torque, ledger, shape, .. } = &mut self.state;
        let (rates, velocities, bodies) =
            (&mut self.work.rates, &self.work.velocities, self.bodies.len());
        rates.clear();
        rates.resize(shape.len(), 0.0);
        force.fill(DVec3::ZERO);
        torque.fill(DVec3::ZERO);
        for contact in contacts.iter() {
            let (i, load) = (contact.first(), contact.load());
            force[i] -= load.force;
            torque[i] += load.torques[0];
            rates[i] += load.rates[0];
            if let Some(j) = contact.grain() {
                force[j] += load.force;
                torque[j] += load.torques[1];
                rates[j] += load.rates[1];
            } else if let Some(w) = contact.wall() {
                let body = &mut env.bodies[rules.walls[w].body];
                let [force, torque] = [load.force, load.torques[1]].map(|f| step.fraction * f);
                body.add_force_and_torque(force, torque);
                ledger.bodies += load.work;
            }
            for (k, force, torque) in [
                (Some(i), -load.force, load.torques[0]),
                (contact.grain(), load.force, load.torques[1]),
            ] {
                // What a free body does to a grain, it does from outside.
                if let Some([v, omega]) = k.filter(|k| *k < bodies).map(|k| velocities[k]) {
                    ledger.bodies -= step.dt * (force.dot(v) + torque.dot(omega));
                }
            }
            ledger.damping += load.lost[0];
            ledger.friction += load.lost[1];
            ledger.cohesion += load.lost[2];
        }
        if self.planar {
            force.iter_mut().for_each(|force| force.z = 0.0);
            torque.iter_mut().for_each(|torque| *torque *= DVec3::Z);
        }
        let limits = shape.iter().zip(rates.iter());
        let gravity = env.gravity.length();
        let limit = |(&shape, &rate): (&u32, &f64)| rules.step_limit(shape as usize, rate, gravity);
        self.state.limit = limits.map(limit).fold(f64::INFINITY, f64::min);
    }

    /// Refuses grains that overlap each other or a body.
    ///
    /// # Errors
    /// Names the first two that do.
    pub fn check_overlaps(&mut self, env: &Environment) -> Result<(), GrainsError> {
        self.find_boxes();
        self.find_pairs();
        self.find_walls(env, 0.0);
        let Some(rules) = &self.rules else { return Ok(()) };
        let work = &self.work;
        let scene = Scene {
            rules,
            state: &self.state,
            poses: &work.poses,
            velocities: &work.velocities,
            placed: &work.placed,
            space: &self.space,
        };
        let mut clipper = Clipper::default();
        for (pair, _) in contact::in_order(&work.neighbors, &work.at_walls) {
            let contact = Contact::new(pair);
            let [a, b] = scene.sides(&contact, [[DVec3::ZERO; 2]; 2]);
            let bodies = ((a.planes, &a.pose), (b.planes, &b.pose));
            let found = overlap_parts(bodies.0, bodies.1, &mut Warm::default(), &mut clipper);
            let volume = found.map_or(0.0, |o| o.volume);
            let i = contact.first();
            let least = contact.grain().map_or(f64::INFINITY, |j| self.shape(j).volume);
            if volume > START_OVERLAP * self.shape(i).volume.min(least) {
                let name = |k: usize| match self.bodies.get(k) {
                    Some(body) => format!("the body \"{}\"", env.bodies[body.number].name),
                    None => format!("grain {}", self.state.id[k]),
                };
                let other = contact.grain().map(name).or_else(|| {
                    let wall = &rules.walls[contact.wall()?];
                    Some(format!("the body \"{}\"", env.bodies[wall.body].name))
                });
                let (first, second) = (name(i), other.unwrap_or_default());
                return Err(GrainsError::Overlap { first, second, position: self.state.x[i] });
            }
        }
        Ok(())
    }
}

impl Scene<'_> {
    /// Both bodies of a contact, the second at its image next to the first.
    fn sides(&self, contact: &Contact, [va, vb]: [[DVec3; 2]; 2]) -> [Side<'_>; 2] {
        let grain = |k: usize, [velocity, omega]: [DVec3; 2]| {
            let grip = &self.rules.grips[self.state.shape[k] as usize];
            let material = grip.material();
            Side {
                planes: &grip.planes,
                grip: Some(grip),
                pose: self.poses[k],
                velocity,
                omega,
                material,
            }
        };
        let a = grain(contact.first(), va);
        let mut b = match (contact.grain(), contact.wall()) {
            (Some(j), _) => grain(j, vb),
            (_, w) => {
                let w = w.unwrap_or(0);
                let (wall, placed) = (&self.rules.walls[w], &self.placed[w]);
                let pose = placed.pose_near(a.pose.position, self.space);
                let Placed { velocity, omega, .. } = *placed;
                let material = wall.material;
                return [
                    a,
                    Side {
                        planes: from_ref(&wall.planes),
                        grip: None,
                        pose,
                        velocity,
                        omega,
                        material,
                    },
                ];
            }
        };
        let x = a.pose.position;
        b.pose.position = x + self.space.difference(b.pose.position, x);
        [a, b]
    }

    fn evaluate(&self, contact: &mut Contact, dt: f64, clipper: &mut Clipper) {
        let still = [DVec3::ZERO; 2];
        let va = self.velocities[contact.first()];
        let vb = contact.grain().map_or(still, |j| self.velocities[j]);
        let [a, b] = self.sides(contact, [va, vb]);
        self.rules.evaluate(contact, [&a, &b], dt, clipper);
    }
}
