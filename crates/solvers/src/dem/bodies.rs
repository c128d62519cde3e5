//! Free bodies touch each other, walls and moving bodies as grains do.
//!
//! A free body is a grain to the contacts: the same overlap, friction and restitution. The normal force is Y V/l: it is
//! a linear spring face on face, so that a body that lies lightly asks for no shorter steps than one that falls (under
//! κ V^{3/2} they were a thousand times as short). The motion is that of [`Body::drift`], since liquids know its pose
//! and mass as well. A shared step is divided into equal sub-steps of velocity Verlet, as short as the stiffness of the
//! contacts asks for if bodies can touch within it; the force and the torque that the other methods gave are held
//! over it: the momentum that they lost is what the body gets.
//!
//! In the plane bodies are slabs, one metre thick; walls are thicker, so that no end faces meet.

use glam::{DQuat, DVec3};
use lawine_core::body::{Body, BodyContacts, Capsule, ConvexPolyhedron, Shape as Solid};
use lawine_core::environment::Environment;
use lawine_core::geometry::{Polyhedron, Shape};
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use std::f64::consts::TAU;
use std::io::{self, Read, Write};
use std::sync::Arc;

use super::contact::{Contacts, Law, Materials, Pairing, convex_parts};
use super::{Config, Grain, Grains, GrainsError};

/// Sides of the prism that stands for a disc.
const ROUND_SIDES: u32 = 64;
/// Half the thickness of slabs that are free, and of those that are walls [m].
const FREE: f64 = 0.5;
const WALL: f64 = 1.0;
/// Largest angle of a sub-step [rad], and largest displacement over the smallest radius.
const MAX_ANGLE: f64 = 0.1;
const MAX_DISPLACEMENT: f64 = 0.1;
/// More sub-steps than this make no sense: a shared step is far too long.
const MAX_STEPS: f64 = 1e5;

/// How the bodies of an environment touch each other.
pub struct TouchingBodies {
    grains: Grains,
    /// The bodies that are not free, as walls.
    walls: Environment,
    /// Numbers of the free bodies and of the walls in the environment.
    free: Vec<usize>,
    fixed: Vec<usize>,
    /// Where the free bodies were at the beginning of a step [m].
    starts: Vec<DVec3>,
    /// Balls that hold them over a step: center and radius [m].
    balls: Vec<(DVec3, f64)>,
    /// Impulses of the contacts over a step: force and torque times time.
    impulses: Vec<[DVec3; 2]>,
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
        let numbers = |free: bool| {
            let all = env.bodies.iter().enumerate();
            all.filter(move |(_, body)| body.is_free() == free).map(|(k, _)| k).collect::<Vec<_>>()
        };
        let (free, fixed) = (numbers(true), numbers(false));
        let planar = env.space.is_planar();
        let space = Space { dimension: Dimension::Full, ..env.space };
        let mut walls = Environment::new(space, env.gravity);
        for &k in &fixed {
            walls.bodies.push(slab(&env.bodies[k], planar, WALL)?);
        }
        let mut shapes = Vec::new();
        for &k in &free {
            shapes.push(Arc::new(shape(&slab(&env.bodies[k], planar, FREE)?)?));
        }
        let mut grains = Grains::new(Config::new(1.0), shapes, &walls)?;
        for (inertia, &k) in grains.inertias.iter_mut().zip(&free) {
            if let Some(body) = env.bodies[k].free() {
                *inertia = body.inertia;
            }
        }
        let all: Vec<usize> = free.iter().chain(&fixed).copied().collect();
        let mut contacts = Contacts::new(Pairing::new(1.0, 1.0, 0.0));
        contacts.law = Law::Matuttis;
        contacts.materials = Materials::new(all.len(), Pairing::new(1.0, 1.0, 0.0));
        for (a, &first) in all.iter().enumerate() {
            for (b, &second) in all.iter().enumerate().skip(a) {
                contacts.materials.set(a, b, pairing(first, second))?;
            }
        }
        contacts.of_shapes = (0..free.len()).collect();
        contacts.of_bodies = (free.len()..all.len()).collect();
        grains = grains.with_contacts(&contacts, &walls)?;
        for (number, _) in free.iter().enumerate() {
            let grain = Grain {
                shape: number as u32,
                position: DVec3::ZERO,
                velocity: DVec3::ZERO,
                orientation: DQuat::IDENTITY,
                omega: DVec3::ZERO,
            };
            grains.add(&grain)?;
        }
        let impulses = vec![[DVec3::ZERO; 2]; free.len()];
        let starts = vec![DVec3::ZERO; free.len()];
        let balls = Vec::with_capacity(free.len());
        let mut touching = Self { grains, walls, free, fixed, starts, balls, impulses };
        touching.place_walls(env);
        touching.place_grains(env, 0.0);
        touching.check(env)?;
        Ok(touching)
    }

    /// Refuses bodies that overlap.
    fn check(&mut self, env: &Environment) -> Result<(), GrainsError> {
        let Self { grains, walls, free, .. } = self;
        grains.check_overlaps(walls).map_err(|error| match error {
            GrainsError::Overlap { first, second, position } => {
                let name = |grain: String| {
                    let known = (0..free.len()).find(|k| grain == format!("grain {k}"));
                    known.map_or(grain, |k| format!("the body \"{}\"", env.bodies[free[k]].name))
                };
                GrainsError::Overlap { first: name(first), second: name(second), position }
            }
            other => other,
        })
    }

    /// Puts the walls where their bodies are at the beginning of a step.
    fn place_walls(&mut self, env: &Environment) {
        for (wall, &k) in self.walls.bodies.iter_mut().zip(&self.fixed) {
            let body = &env.bodies[k];
            wall.pose = body.pose;
            wall.velocity = body.velocity;
            wall.angular_velocity = body.angular_velocity;
            wall.clear_forces();
        }
    }

    /// Puts the grains where their bodies are. Forces depend on velocities at the end of a sub-step: `ahead` [s]
    /// of what acts now is added.
    fn place_grains(&mut self, env: &Environment, ahead: f64) {
        let Grains { state, work, shapes, space, .. } = &mut self.grains;
        work.velocities.resize(self.free.len(), [DVec3::ZERO; 2]);
        for (i, &k) in self.free.iter().enumerate() {
            let (body, shape) = (&env.bodies[k], &shapes[i]);
            state.x[i] = space.wrap(body.pose.to_world(shape.center));
            state.q[i] = (body.pose.rotation * shape.rotation).normalize();
            let [v, omega] = predicted(body, env.gravity, [state.force[i], state.torque[i]], ahead);
            state.v[i] = v + omega.cross(body.pose.rotation * shape.center);
            state.omega[i] = omega;
            work.velocities[i] = [state.v[i], omega];
        }
    }

    /// Whether a free body can touch another body within a step `dt` [s] long. All pairs of free bodies are a few
    /// milliseconds for a thousand; mostly two that are near are found at once.
    fn may_touch(&mut self, env: &Environment, dt: f64) -> bool {
        let Self { free, fixed, balls, .. } = self;
        balls.clear();
        balls.extend(free.iter().map(|&k| {
            let body = &env.bodies[k];
            let [v, omega] = predicted(body, env.gravity, [DVec3::ZERO; 2], dt);
            let fastest = body.velocity.length().max(v.length());
            let turning = body.angular_velocity.length().max(omega.length());
            let radius = body.radius();
            (body.pose.position, radius + dt * (fastest + turning * radius))
        }));
        balls.iter().enumerate().any(|(i, &(center, own))| {
            let is_near = |&(other, reach): &(DVec3, f64)| {
                env.space.difference(other, center).length_squared() < (own + reach).powi(2)
            };
            balls[i + 1..].iter().any(is_near)
                || fixed.iter().any(|&other| {
                    let wall = &env.bodies[other];
                    let moves = dt * wall.velocity_at(center).length();
                    !wall.is_gone() && wall.signed_distance(center).distance < own + moves
                })
        })
    }

    /// Length of the sub-steps that fill a step [s], and their number.
    fn sub_steps(&mut self, env: &Environment, dt: f64) -> (f64, u32) {
        let near = self.may_touch(env, dt);
        let mut limit = if near { self.grains.contact_limit() } else { f64::INFINITY };
        let smallest = self.grains.shapes.iter().map(|s| s.radius).fold(f64::INFINITY, f64::min);
        for &k in &self.free {
            let body = &env.bodies[k];
            let [v, omega] = predicted(body, env.gravity, [DVec3::ZERO; 2], dt);
            limit = limit.min(MAX_DISPLACEMENT * smallest / v.length());
            limit = limit.min(MAX_ANGLE / omega.length());
        }
        let n = (dt / limit).ceil().clamp(1.0, MAX_STEPS);
        (dt / n, n as u32)
    }
}

/// Velocity and angular velocity of a body after `dt` [s], with the forces on it, gravity and those of contacts.
fn predicted(body: &Body, gravity: DVec3, contact: [DVec3; 2], dt: f64) -> [DVec3; 2] {
    let Some(free) = body.released() else { return [body.velocity, body.angular_velocity] };
    let pushed = free.pushed_by(body.force + contact[0], gravity);
    let turned = free.turned_by(body.pose.rotation, body.torque + contact[1]);
    [body.velocity + dt * pushed, body.angular_velocity + dt * turned]
}

impl BodyContacts for TouchingBodies {
    fn advance(&mut self, env: &mut Environment, dt: f64) {
        self.place_walls(env);
        let (h, n) = self.sub_steps(env, dt);
        let (gravity, space) = (env.gravity, env.space);
        self.impulses.fill([DVec3::ZERO; 2]);
        self.starts.clear();
        self.starts.extend(self.free.iter().map(|&k| env.bodies[k].pose.position));
        for step in 1..=n {
            self.kick(env, gravity, 0.5 * h);
            self.free.iter().for_each(|&k| env.bodies[k].drift(h, &space));
            self.place_grains(env, 0.5 * h);
            let grains = &mut self.grains;
            grains.find_boxes();
            grains.find_pairs();
            grains.find_distances();
            grains.find_walls(&self.walls, f64::from(step) * h);
            grains.find_forces(&mut self.walls, h);
            self.kick(env, gravity, 0.5 * h);
        }
        // What the contacts did, in the mean.
        for (&k, [force, torque]) in self.free.iter().zip(&self.impulses) {
            env.bodies[k].add_contact(*force / dt, *torque / dt);
        }
        for (&k, wall) in self.fixed.iter().zip(&self.walls.bodies) {
            let share = 1.0 / f64::from(n);
            env.bodies[k].add_force_and_torque(share * wall.force, share * wall.torque);
        }
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        Method::save(&self.grains, out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        Method::load(&mut self.grains, from)
    }
}

impl TouchingBodies {
    /// Half a sub-step, `dt` [s] long, of all forces.
    fn kick(&mut self, env: &mut Environment, gravity: DVec3, dt: f64) {
        let Environment { space, bodies, .. } = env;
        let Grains { state, shapes, .. } = &self.grains;
        for (i, &k) in self.free.iter().enumerate() {
            let body = &mut bodies[k];
            let force = state.force[i];
            // The grain's centre may lie beside that of the body by what its facets leave out.
            let arm = body.pose.rotation * shapes[i].center;
            let torque = state.torque[i] + arm.cross(force);
            let [sum, turn] = &mut self.impulses[i];
            (*sum, *turn) = (*sum + dt * force, *turn + dt * torque);
            // What the other methods gave acts where the body was then.
            let moved = space.difference(self.starts[i], body.pose.position);
            let held = body.torque + moved.cross(body.force);
            body.kick(body.force + force, held + torque, gravity, dt, space);
        }
    }
}

/// A body as it is for contacts: in the plane a slab with half a thickness [m].
fn slab(body: &Body, planar: bool, half: f64) -> Result<Body, GrainsError> {
    let mut made = body.clone();
    if !planar {
        return Ok(made);
    }
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
