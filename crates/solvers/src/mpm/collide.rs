//! Contact of matter with rigid bodies, at nodes and at particles (Meyer 4.4).

use glam::DVec3;
use lawine_core::body::{Body, Distance};
use lawine_core::environment::Environment;
use rayon::prelude::*;

use super::config::{BodyContact, Config};
use super::grid::Grid;

/// Force and moment about the origin on each body [N], [N m].
pub(super) type Forces = Vec<[f64; 6]>;

/// The bodies that are near, one bit each; the last bit stands for all bodies from 63 on.
pub(super) type Near = u64;

/// Cells around a block within which its particles may be.
const MARGIN: f64 = 3.0;

/// Finds the bodies near each node block.
pub(super) fn find_near(grid: &Grid, env: &Environment, near: &mut Vec<Near>) {
    near.resize(grid.node_blocks.len(), 0);
    if env.bodies.is_empty() {
        return;
    }
    let h = grid.geometry.h;
    let middle = DVec3::new(1.5, 1.5, if grid.geometry.planar { 0.0 } else { 1.5 }) * h;
    let reach = middle.length() + MARGIN * h;
    near.par_iter_mut().zip(&grid.node_blocks).for_each(|(near, block)| {
        let center = grid.geometry.position(block.key) + middle;
        *near = 0;
        for (k, body) in env.bodies.iter().enumerate() {
            if body.signed_distance(center).distance < reach {
                *near |= 1 << k.min(63);
            }
        }
    });
}

/// The indices of nearby bodies.
pub(super) fn numbers(near: Near, count: usize) -> impl Iterator<Item = usize> {
    (0..count).filter(move |k| near >> k.min(&63) & 1 == 1)
}

/// Nodes up to so many cells away from a surface are on it, and faces that differ by less are equally
/// near, irrespective of rounding, also in single precision on a GPU.
pub(super) const ON_SURFACE: f64 = 1e-4;

/// What contact needs to know of a step.
#[derive(Clone, Copy)]
pub(super) struct Contacts<'a> {
    pub(super) config: &'a Config,
    pub(super) bodies: &'a [Body],
    pub(super) dt: f64,
    /// Edge of a cell [m].
    pub(super) h: f64,
}

impl Contacts<'_> {
    /// The bodies that a point is in or at, with their distance.
    pub(super) fn touching(&self, near: Near, x: DVec3) -> impl Iterator<Item = (usize, Distance)> {
        let found = numbers(near, self.bodies.len());
        let found =
            found.map(move |k| (k, self.bodies[k].settled_distance(x, ON_SURFACE * self.h)));
        found.filter(|(_, found)| found.distance <= ON_SURFACE * self.h)
    }

    /// Adds the impulse [kg m/s] that a node at `x` gave to the first body that it touches.
    pub(super) fn react(&self, near: Near, x: DVec3, impulse: DVec3, forces: &mut Forces) {
        if let Some((k, _)) = self.touching(near, x).next() {
            self.push(&mut forces[k], impulse, x);
        }
    }

    /// The velocity of a node at `x` [m] with mass `m` [kg] after contact; adds to the forces.
    pub(super) fn node(
        &self,
        near: Near,
        x: DVec3,
        mut v: DVec3,
        m: f64,
        forces: &mut Forces,
    ) -> DVec3 {
        for (k, found) in self.touching(near, x) {
            let body = &self.bodies[k];
            let before = v;
            v = slide(self.config.contact_with(k), v - body.velocity_at(x), found.normal, f64::MAX)
                + body.velocity_at(x);
            self.push(&mut forces[k], (before - v) * m, x);
        }
        v
    }

    /// The velocity and displacement of a particle after contact. It may not end in a body: the part of its
    /// velocity that would bring it there is lost, and if it is in already, it is pushed out by up
    /// to a tenth of a cell.
    pub(super) fn particle(
        &self,
        near: Near,
        x: DVec3,
        mut v: DVec3,
        m: f64,
        forces: &mut Forces,
    ) -> (DVec3, DVec3) {
        let mut shift = DVec3::ZERO;
        for k in numbers(near, self.bodies.len()) {
            let body = &self.bodies[k];
            let Distance { distance, normal } =
                body.settled_distance(x + v * self.dt, ON_SURFACE * self.h);
            let depth = -distance;
            if depth <= 0.0 {
                continue;
            }
            let (before, relative) = (v, v - body.velocity_at(x));
            let most = depth / self.dt;
            let contact = self.config.contact_with(k);
            v = slide(contact, relative, normal, most) + body.velocity_at(x);
            self.push(&mut forces[k], (before - v) * m, x);
            let stopped = (v - before).dot(normal) * self.dt;
            shift += normal * (depth - stopped).clamp(0.0, 0.1 * self.h);
        }
        (v, v * self.dt + shift)
    }

    /// Adds an impulse [kg m/s] on a body as a force over the step.
    fn push(&self, total: &mut [f64; 6], impulse: DVec3, x: DVec3) {
        let force = impulse / self.dt;
        let moment = x.cross(force);
        for k in 0..3 {
            total[k] += force[k];
            total[3 + k] += moment[k];
        }
    }
}

/// A relative velocity after contact with a surface (Meyer, listing 10): nothing goes in, and Coulomb's
/// friction acts on what slides. At most `most` [m/s] of the normal speed is taken away.
fn slide(contact: BodyContact, v: DVec3, normal: DVec3, most: f64) -> DVec3 {
    if contact.sticking {
        return DVec3::ZERO;
    }
    let v_n = v.dot(normal);
    if v_n >= 0.0 {
        return v;
    }
    let taken = (-v_n).min(most);
    let v_t = v - normal * v_n;
    let speed = v_t.length();
    let lost = contact.friction * taken;
    let v_t = if speed <= lost { DVec3::ZERO } else { v_t * (1.0 - lost / speed) };
    v_t + normal * (v_n + taken)
}

/// Adds the forces of all parts to the bodies, in order.
pub(super) fn apply<'a>(env: &mut Environment, parts: impl Iterator<Item = &'a Forces>) {
    for part in parts {
        for (body, total) in env.bodies.iter_mut().zip(part) {
            let [x, y, z, a, b, c] = *total;
            let (force, moment) = (DVec3::new(x, y, z), DVec3::new(a, b, c));
            let about = moment - body.pose.position.cross(force);
            body.add_force_and_torque(force, about);
        }
    }
}

/// Makes room for the forces on all bodies and sets them to zero, keeping memory.
pub(super) fn clear(forces: &mut Forces, bodies: usize) {
    forces.clear();
    forces.resize(bodies, [0.0; 6]);
}
