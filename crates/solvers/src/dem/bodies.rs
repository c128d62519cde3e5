//! Free bodies among the grains.
//!
//! To contacts and to motion a free body is a grain, of a shape of its own: the same overlap, friction and restitution,
//! the same velocity Verlet. Such grains are the first in the columns; nobody else sees them. At the beginning of a step
//! they stand where their bodies are, and at its end the bodies where they are.
//!
//! What other methods do to a body is held over the sub-steps of a step, and acts where the body was at its beginning:
//! the momentum that they lost is what the body gets. Contacts with grains follow the law of the grains. Among each
//! other and with walls bodies have the normal force Y V/l: it is a linear spring face on face, so that a body that
//! lies lightly asks for no shorter steps than one that falls (under κ V^{3/2} they were a thousand times as short).
//!
//! In the plane, where there are no grains, bodies are slabs, one metre thick; walls are thicker, so that no end faces
//! meet.

use glam::{DQuat, DVec3};
use lawine_core::body::{Body, BodyContacts, Capsule, ConvexPolyhedron, Free, Shape as Solid};
use lawine_core::environment::Environment;
use lawine_core::geometry::{Polyhedron, Shape};
use lawine_core::method::{DtLimit, Method};
use lawine_core::space::{Dimension, Space};
use std::f64::consts::TAU;
use std::io::{self, Read, Write};
use std::sync::Arc;

use super::broad::Search;
use super::contact::{Contacts, Materials, Pairing, convex_parts};
use super::{Config, Grain, Grains, GrainsError, Integrator};

/// Sides of the prism that stands for a disc.
const ROUND_SIDES: u32 = 64;
/// Half the thickness of slabs that are free, and of those that are walls [m].
const FREE: f64 = 0.5;
const WALL: f64 = 1.0;

/// A free body that is a grain.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyGrain {
    /// Its number in the environment.
    pub(super) number: usize,
    /// Where it was at the beginning of the step [m].
    start: DVec3,
    /// The torque of other methods about that place [N m].
    torque: DVec3,
    /// Impulses of its contacts over the step: force and torque times time.
    impulse: [DVec3; 2],
}

impl Grains {
    /// Takes in the free bodies of the environment, before there are other grains. Their materials are those of the
    /// bodies.
    pub(super) fn admit_bodies(
        &mut self,
        contacts: &mut Contacts,
        env: &Environment,
    ) -> Result<(), GrainsError> {
        contacts.of_shapes.resize(self.shapes.len(), 0);
        for (number, body) in env.bodies.iter().enumerate() {
            let Some((state, inertia)) = body.rigid() else { continue };
            let bad = |why: String| GrainsError::Body { name: body.name.clone(), why };
            if self.config.integrator != Integrator::Symplectic {
                return Err(bad("Gear's method does not move free bodies".to_owned()));
            }
            // The body's own axes: facets move the centre of mass a little.
            let axes = body.free().map_or(DQuat::IDENTITY, |free| free.axes());
            let shape = shape(body)?.in_frame(DVec3::ZERO, axes).map_err(|e| bad(e.to_string()))?;
            contacts.of_shapes.push(contacts.of_bodies.get(number).copied().unwrap_or(0));
            let grain = Grain {
                shape: self.shapes.len() as u32,
                position: state.x,
                velocity: state.v,
                orientation: state.q,
                omega: body.angular_velocity,
            };
            self.shapes.push(Arc::new(shape));
            self.inertias.push(inertia);
            self.state.insert_body(self.bodies.len(), &grain, &inertia);
            let [start, torque, impulse] = [state.x, DVec3::ZERO, DVec3::ZERO];
            self.bodies.push(BodyGrain { number, start, torque, impulse: [impulse; 2] });
        }
        self.find_energies();
        Ok(())
    }

    /// Puts the free bodies where they are, and takes note of what other methods do to them and to the grains.
    pub(super) fn begin_step(&mut self, env: &Environment) {
        let (state, held) = (&mut self.state, &mut self.work.held);
        held.clear();
        held.resize(state.id.len(), [DVec3::ZERO; 2]);
        for (i, grain) in self.bodies.iter_mut().enumerate() {
            let body = &env.bodies[grain.number];
            let Some((motion, _)) = body.rigid() else { continue };
            (state.x[i], state.v[i], state.q[i], state.l[i]) =
                (motion.x, motion.v, motion.q, motion.l);
            state.omega[i] = body.angular_velocity;
            held[i] = [body.force, body.torque];
            if self.planar {
                held[i] = [body.force.with_z(0.0), body.torque * DVec3::Z];
            }
            grain.start = motion.x;
            grain.torque = held[i][1];
            grain.impulse = [DVec3::ZERO; 2];
        }
    }

    /// In the middle of a sub-step `dt` [s] long, after the drift, and at its end: bodies that are not released yet
    /// stay, wheels stay on their axles, torques of other methods follow the place, and the contacts' impulses are
    /// summed.
    pub(super) fn hold_bodies(&mut self, env: &Environment, dt: f64) {
        let Self { state, work, bodies, space, .. } = self;
        for (i, grain) in bodies.iter_mut().enumerate() {
            let body = &env.bodies[grain.number];
            grain.impulse[0] += 0.5 * dt * state.force[i];
            grain.impulse[1] += 0.5 * dt * state.torque[i];
            let moved = space.difference(grain.start, state.x[i]);
            work.held[i][1] = grain.torque + moved.cross(work.held[i][0]);
            if let (None, Some((motion, _))) = (body.released(), body.rigid()) {
                (state.x[i], state.q[i]) = (motion.x, motion.q);
                [state.v[i], state.l[i], state.omega[i]] = [DVec3::ZERO; 3];
                work.velocities[i] = [DVec3::ZERO; 2];
            } else if let Some(axle) = body.released().and_then(Free::axle) {
                (state.x[i], state.v[i], work.velocities[i][0]) =
                    (grain.start, DVec3::ZERO, DVec3::ZERO);
                state.l[i] = axle * axle.dot(state.l[i]);
            }
        }
    }

    /// Moves the bodies to where their grains are after a step of `dt` [s], and tells them what their contacts did in
    /// the mean.
    pub(super) fn end_step(&mut self, env: &mut Environment, dt: f64) {
        for (i, grain) in self.bodies.iter().enumerate() {
            let body = &mut env.bodies[grain.number];
            let [force, torque] = grain.impulse;
            if body.released().is_some() {
                body.set_rigid(&self.state.rigid(i));
            }
            body.add_contact(force / dt, torque / dt);
        }
    }

    /// Whether something can touch within a step `dt` [s] long: grains always, bodies alone if they are near each
    /// other or a wall. All pairs of bodies are a few milliseconds for a thousand; mostly two that are near are found
    /// at once.
    pub(super) fn may_touch(&mut self, env: &Environment, dt: f64) -> bool {
        if self.state.id.len() > self.bodies.len() {
            return true;
        }
        let (balls, space) = (&mut self.work.balls, &self.space);
        balls.clear();
        balls.extend(self.bodies.iter().map(|grain| {
            let body = &env.bodies[grain.number];
            let [speed, turning] = fastest(body, env.gravity, dt);
            let radius = body.radius();
            (body.pose.position, radius + dt * (speed + turning * radius))
        }));
        let is_wall = |body: &&Body| !body.is_free() && !body.is_gone();
        balls.iter().enumerate().any(|(i, &(center, own))| {
            let is_near = |&(other, reach): &(DVec3, f64)| {
                space.difference(other, center).length_squared() < (own + reach).powi(2)
            };
            balls[i + 1..].iter().any(is_near)
                || env.bodies.iter().filter(is_wall).any(|wall| {
                    let moves = dt * wall.velocity_at(center).length();
                    wall.signed_distance(center).distance < own + moves
                })
        })
    }

    /// The longest sub-step when a shared step has a time `left` [s]; contacts count where something may touch.
    pub(super) fn limit(&self, env: &Environment, left: f64, may_touch: bool) -> DtLimit {
        let mut limit = self.motion_limit();
        if may_touch {
            limit = limit.min(DtLimit { dt: self.contact_limit(), reason: "contact stiffness" });
        }
        // Forces may make a light body fast within the step.
        let bodies = self.bodies.iter().map(|grain| &env.bodies[grain.number]);
        let ends = bodies.map(|body| fastest(body, env.gravity, left));
        let [speed, turning] = ends.fold([0.0_f64; 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
        limit.min(self.limit_of_speeds(speed, turning))
    }
}

/// The larger of speed and angular speed of a body now and after `dt` [s] with the forces on it and gravity.
fn fastest(body: &Body, gravity: DVec3, dt: f64) -> [f64; 2] {
    let now = [body.velocity, body.angular_velocity];
    let then = body.released().map_or(now, |free| {
        let a = free.pushed_by(body.force, gravity);
        let alpha = free.turned_by(body.pose.rotation, body.torque);
        [now[0] + dt * a, now[1] + dt * alpha]
    });
    [0, 1].map(|k| now[k].length().max(then[k].length()))
}

/// How the bodies of an environment without grains touch each other.
pub struct TouchingBodies {
    grains: Grains,
    /// The bodies as they are for contacts, where they have another shape.
    slabs: Option<Environment>,
}

impl TouchingBodies {
    /// Contacts between the free bodies of `env` and with all others; `pairing` says how two bodies touch, by
    /// their numbers.
    ///
    /// # Errors
    /// When a body is no union of convex parts, or two overlap.
    pub fn new(
        env: &Environment,
        pairing: impl Fn(usize, usize) -> Pairing,
    ) -> Result<Self, GrainsError> {
        let slabs = env.space.is_planar().then(|| slabs(env)).transpose()?;
        let world = slabs.as_ref().unwrap_or(env);
        let n = env.bodies.len();
        let mut contacts = Contacts::new(Pairing::new(1.0, 1.0, 0.0));
        contacts.materials = Materials::new(n, Pairing::new(1.0, 1.0, 0.0));
        for a in 0..n {
            for b in a..n {
                contacts.materials.set(a, b, pairing(a, b))?;
            }
        }
        contacts.of_bodies = (0..n).collect();
        let radii = env.bodies.iter().filter(|body| body.is_free()).map(Body::radius);
        let smallest = radii.fold(f64::INFINITY, f64::min);
        let config = Config { search: Search::Grid { skin: 0.1 * smallest }, ..Config::new(1.0) };
        let mut grains = Grains::of_shapes(config, Vec::new(), world);
        grains.planar = env.space.is_planar();
        grains.is_shared = true;
        let mut grains = grains.with_contacts(&contacts, world)?;
        grains.check_overlaps(world)?;
        Ok(Self { grains, slabs })
    }
}

impl BodyContacts for TouchingBodies {
    fn advance(&mut self, env: &mut Environment, dt: f64) {
        let Self { grains, slabs } = self;
        let stepped = match slabs {
            None => grains.make_step(env, dt),
            Some(slabs) => {
                slabs.gravity = env.gravity;
                slabs.bodies.iter_mut().zip(&env.bodies).for_each(|(slab, b)| slab.follow(b));
                let stepped = grains.make_step(slabs, dt);
                env.bodies.iter_mut().zip(&slabs.bodies).for_each(|(b, slab)| b.follow(slab));
                stepped
            }
        };
        debug_assert!(stepped.is_ok(), "there is no grain that could be lost");
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        Method::save(&self.grains, out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        Method::load(&mut self.grains, from)
    }
}

/// The bodies of a plane as they are for contacts.
fn slabs(env: &Environment) -> Result<Environment, GrainsError> {
    let space = Space { dimension: Dimension::Full, ..env.space };
    let mut slabs = Environment::new(space, env.gravity);
    for body in &env.bodies {
        slabs.bodies.push(slab(body, if body.is_free() { FREE } else { WALL })?);
    }
    Ok(slabs)
}

/// A body of the plane as a slab with half a thickness [m].
fn slab(body: &Body, half: f64) -> Result<Body, GrainsError> {
    let mut made = body.clone();
    let disc = |radius: f64, y: f64, from: f64, to: f64| {
        let angle = move |k: u32| from + (to - from) * f64::from(k) / f64::from(ROUND_SIDES);
        (0..ROUND_SIDES).map(move |k| {
            let (s, c) = angle(k).sin_cos();
            DVec3::new(radius * c, y + radius * s, 0.0)
        })
    };
    let outline: Vec<DVec3> = match &body.shape {
        Solid::Cuboid { half: size } => {
            made.shape = Solid::Cuboid { half: size.with_z(half) };
            return Ok(made);
        }
        Solid::Sphere { radius } => disc(*radius, 0.0, 0.0, TAU).collect(),
        Solid::Capsule(Capsule { half, radius }) => {
            let upper = disc(*radius, *half, 0.0, 0.5 * TAU);
            upper.chain(disc(*radius, -*half, 0.5 * TAU, TAU)).collect()
        }
        Solid::Polyhedron(p) => p.vertices().to_vec(),
        Solid::Plane | Solid::Container { .. } | Solid::Frustum(_) | Solid::Mesh(_) => {
            return Ok(made);
        }
    };
    let ends = [-half, half];
    let corners: Vec<DVec3> =
        ends.iter().flat_map(|&z| outline.iter().map(move |x| x.with_z(z))).collect();
    let bad = |why: String| GrainsError::Body { name: body.name.clone(), why };
    let prism = ConvexPolyhedron::new(&corners).map_err(|e| bad(e.to_string()))?;
    made.shape = Solid::Polyhedron(prism);
    Ok(made)
}

/// The shape of a free body for contacts. A mesh of one part that is not convex touches with its hull.
fn shape(body: &Body) -> Result<Shape, GrainsError> {
    let bad = |why: String| GrainsError::Body { name: body.name.clone(), why };
    let parts = convex_parts(body);
    match (&body.shape, parts) {
        (Solid::Mesh(mesh), Ok(parts)) if parts.len() > 1 => {
            let corners: Vec<Vec<DVec3>> = parts.iter().map(|p| p.vertices().to_vec()).collect();
            Shape::of_parts(mesh.mesh(), &corners).map_err(|e| bad(e.to_string()))
        }
        (Solid::Mesh(mesh), _) => Shape::new(&mesh.mesh().vertices).map_err(|e| bad(e.to_string())),
        (_, parts) => {
            let parts: Vec<Polyhedron> = parts?;
            let only = parts.first().ok_or_else(|| bad("it has no volume".to_owned()))?;
            Shape::from_polyhedron(only).map_err(|e| bad(e.to_string()))
        }
    }
}
