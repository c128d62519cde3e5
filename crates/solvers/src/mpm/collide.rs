//! Contact of matter with rigid bodies, at nodes and at particles (Meyer 4.4).

use glam::DVec3;
use lawine_core::body::Distance;
use lawine_core::environment::Environment;
use rayon::prelude::*;

use super::config::{BodyContact, Config};
use super::grid::Grid;
use crate::rigid::{Six, add, angular, join, linear};

/// Force and torque about its position on each body [N], [N m].
pub(super) type Forces = Vec<Six>;

/// The bodies that are near, one bit each; the last bit stands for all bodies from 63 on.
pub(super) type Near = u64;

/// Cells around a block within which its particles may be.
const MARGIN: f64 = 3.0;

/// Finds the bodies near each node block.
pub(super) fn find_near(grid: &Grid, contacts: &Contacts<'_>, near: &mut Vec<Near>) {
    near.resize(grid.node_blocks.len(), 0);
    let bodies = contacts.env.bodies.len();
    if bodies == 0 {
        return;
    }
    let h = grid.geometry.h;
    let middle = DVec3::new(1.5, 1.5, if grid.geometry.planar { 0.0 } else { 1.5 }) * h;
    let reach = middle.length() + MARGIN * h;
    near.par_iter_mut().zip(&grid.node_blocks).for_each(|(near, block)| {
        let center = grid.geometry.position(block.key) + middle;
        *near = 0;
        for k in 0..bodies {
            if contacts.distance(k, center, 0.0).distance < reach {
                *near |= bit(k);
            }
        }
    });
}

/// The bit of a body.
pub(super) fn bit(body: usize) -> Near {
    1 << body.min(63)
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
    pub(super) env: &'a Environment,
    pub(super) dt: f64,
    /// Edge of a cell [m].
    pub(super) h: f64,
}

impl Contacts<'_> {
    /// From the position of a body to a point, or its nearest image: a free body may cross a periodic side.
    pub(super) fn arm(&self, body: usize, x: DVec3) -> DVec3 {
        let body = &self.env.bodies[body];
        let position = body.pose.position;
        if body.is_free() { self.env.space.difference(x, position) } else { x - position }
    }

    /// Signed distance of a point to a body; of faces that differ by less than `tie` [m] it takes the first.
    fn distance(&self, body: usize, x: DVec3, tie: f64) -> Distance {
        let found = &self.env.bodies[body];
        let x = if found.is_free() { found.pose.position + self.arm(body, x) } else { x };
        found.settled_distance(x, tie)
    }

    /// Distance of a point to the surface of a body, with a normal that does not depend on rounding.
    pub(super) fn to_surface(&self, body: usize, x: DVec3) -> Distance {
        self.distance(body, x, ON_SURFACE * self.h)
    }

    /// The bodies that a point is in or at, with their distance.
    pub(super) fn touching(&self, near: Near, x: DVec3) -> impl Iterator<Item = (usize, Distance)> {
        let found = numbers(near, self.env.bodies.len());
        let found = found.map(move |k| (k, self.to_surface(k, x)));
        found.filter(|(_, found)| found.distance <= ON_SURFACE * self.h)
    }

    /// Velocity of a body's matter at a point.
    pub(super) fn velocity(&self, body: usize, x: DVec3) -> DVec3 {
        let found = &self.env.bodies[body];
        found.velocity + found.angular_velocity.cross(self.arm(body, x))
    }

    /// The velocity `v` of matter at `x` after contact with a surface of a body that has this normal, see [`slide`].
    pub(super) fn slid(
        &self,
        body: usize,
        x: DVec3,
        v: DVec3,
        normal: DVec3,
        most: f64,
    ) -> (DVec3, Option<f64>) {
        let u = self.velocity(body, x);
        let (relative, stuck) = slide(self.config.contact_with(body), v - u, normal, most);
        (relative + u, stuck)
    }

    /// Adds the impulse [kg m/s] that a node at `x` gave to the first body that it touches.
    pub(super) fn react(&self, near: Near, x: DVec3, impulse: DVec3, forces: &mut Forces) {
        if let Some((k, _)) = self.touching(near, x).next() {
            self.push(&mut forces[k], k, impulse, x);
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
            let before = v;
            v = self.slid(k, x, v, found.normal, f64::MAX).0;
            self.push(&mut forces[k], k, (before - v) * m, x);
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
        for k in numbers(near, self.env.bodies.len()) {
            let Distance { distance, normal } = self.to_surface(k, x + v * self.dt);
            let depth = -distance;
            if depth <= 0.0 {
                continue;
            }
            let before = v;
            v = self.slid(k, x, v, normal, depth / self.dt).0;
            self.push(&mut forces[k], k, (before - v) * m, x);
            let stopped = (v - before).dot(normal) * self.dt;
            shift += normal * (depth - stopped).clamp(0.0, 0.1 * self.h);
        }
        (v, v * self.dt + shift)
    }

    /// Adds an impulse [kg m/s] on a body as a force over the step.
    pub(super) fn push(&self, total: &mut Six, body: usize, impulse: DVec3, x: DVec3) {
        let force = impulse / self.dt;
        add(total, 1.0, &join(force, self.arm(body, x).cross(force)));
    }
}

/// A relative velocity after contact with a surface (Meyer, listing 10): nothing goes in, and Coulomb's
/// friction acts on what slides. At most `most` [m/s] of the normal speed is taken away. If anything is, the second
/// value is the part of the speed along the surface that is lost as well.
fn slide(contact: BodyContact, v: DVec3, normal: DVec3, most: f64) -> (DVec3, Option<f64>) {
    if contact.sticking {
        return (DVec3::ZERO, Some(1.0));
    }
    let v_n = v.dot(normal);
    if v_n >= 0.0 {
        return (v, None);
    }
    let taken = (-v_n).min(most);
    let v_t = v - normal * v_n;
    let speed = v_t.length();
    let lost = contact.friction * taken;
    let (v_t, stuck) =
        if speed <= lost { (DVec3::ZERO, 1.0) } else { (v_t * (1.0 - lost / speed), lost / speed) };
    (v_t + normal * (v_n + taken), Some(stuck))
}

/// Adds a share of the forces of all parts to the bodies, in order.
pub(super) fn apply<'a>(
    env: &mut Environment,
    share: f64,
    parts: impl Iterator<Item = &'a Forces>,
) {
    for part in parts {
        for (body, total) in env.bodies.iter_mut().zip(part) {
            body.add_force_and_torque(share * linear(total), share * angular(total));
        }
    }
}

/// Makes room for the forces on all bodies and sets them to zero, keeping memory.
pub(super) fn clear(forces: &mut Forces, bodies: usize) {
    forces.clear();
    forces.resize(bodies, [0.0; 6]);
}
