//! The forces of one contact.

use glam::DVec3;
use lawine_core::geometry::{Shape, TriangleMesh};
use lawine_core::rigid::Inertia;

use super::friction::{History, Spring, Strain};
use super::law::{Law, Push};
use super::{Contact, Load, Pairing, Rules};
use crate::dem::narrow::Pose;
use crate::dem::overlap::{Clipper, Overlap, Planes, Spread, overlap_parts};

/// Contacts of faces that are less deep than this fraction of the length l do not limit the step: face
/// on face κ V^{3/2} is infinitely stiff at first touch, but hardly pushes.
const LIGHT: f64 = 3e-4;
/// A step is this fraction of the time in which an oscillation turns by a radian.
const SAFETY: f64 = 0.2;
/// Damping and friction belong to oscillations of at most this many radians a step.
const PHASE: f64 = 0.5;

/// What contacts need to know of a shape.
#[derive(Clone, Debug)]
pub(in crate::dem) struct Grip {
    /// One set for each convex part.
    pub(in crate::dem) planes: Vec<Planes>,
    /// Radius of the ball with the same volume [m].
    radius: f64,
    /// Area of the largest face [m²].
    face: f64,
    inverse_mass: f64,
    inverse_moments: DVec3,
    pub(super) material: usize,
    /// Whether it belongs to a free body instead of a grain.
    is_body: bool,
}

impl Grip {
    pub(in crate::dem) fn material(&self) -> usize {
        self.material
    }

    pub(in crate::dem) fn new(shape: &Shape, inertia: &Inertia, is_body: bool) -> Self {
        let mut face = 0.0_f64;
        for f in 0..shape.polyhedron.faces().len() as u32 {
            let rim: Vec<DVec3> = shape.polyhedron.rim(f).map(|(_, h)| h.tail).collect();
            let triangles = (1..rim.len() as u32 - 1).map(|k| [0, k, k + 1]).collect();
            face = face.max(TriangleMesh { vertices: rim, triangles }.area());
        }
        Self {
            planes: shape.convex_parts().iter().map(Planes::of).collect(),
            radius: (0.75 * shape.volume / std::f64::consts::PI).cbrt(),
            face,
            inverse_mass: 1.0 / inertia.mass,
            inverse_moments: 1.0 / inertia.moments,
            material: 0,
            is_body,
        }
    }
}

/// A body in a contact.
pub(in crate::dem) struct Side<'a> {
    pub(in crate::dem) planes: &'a [Planes],
    /// Nothing for a wall, which does not give way.
    pub(in crate::dem) grip: Option<&'a Grip>,
    pub(in crate::dem) pose: Pose,
    pub(in crate::dem) velocity: DVec3,
    pub(in crate::dem) omega: DVec3,
    pub(in crate::dem) material: usize,
}

impl Side<'_> {
    /// How easily a force and a torque move the body: (F²/m + M·I⁻¹M) [1/kg N²].
    fn compliance(&self, force_squared: f64, torque: DVec3) -> f64 {
        self.grip.map_or(0.0, |grip| {
            let m = self.pose.rotation.transpose() * torque;
            force_squared * grip.inverse_mass + m.dot(grip.inverse_moments * m)
        })
    }

    fn is_body(&self) -> bool {
        self.grip.is_none_or(|grip| grip.is_body)
    }

    fn radius(&self) -> f64 {
        self.grip.map_or(f64::INFINITY, |grip| grip.radius)
    }

    fn face(&self) -> f64 {
        self.grip.map_or(f64::INFINITY, |grip| grip.face)
    }
}

/// 4 r₁ r₂/(r₁ + r₂) [m].
fn length(a: f64, b: f64) -> f64 {
    4.0 / (1.0 / a + 1.0 / b)
}

/// The law, with the bound for the step that light contacts do not exceed.
fn push(law: Law, pairing: &Pairing, l: f64, (volume, area): (f64, f64), face: f64) -> Push {
    let y = pairing.stiffness;
    let mut push = law.push(y, l, volume, area);
    let depth = LIGHT * l;
    if volume < depth * area {
        let reference = law.push(y, l, depth * face, face);
        push.bound = push.bound.min(reference.bound);
    }
    push
}

/// The law of bodies among each other and with walls.
const OF_BODIES: Law = Law::Matuttis;

impl Rules {
    /// Brings the contact of A and B up to date after a step of `dt` [s].
    pub(in crate::dem) fn evaluate(
        &self,
        contact: &mut Contact,
        [a, b]: [&Side<'_>; 2],
        dt: f64,
        clipper: &mut Clipper,
    ) {
        let found =
            overlap_parts((a.planes, &a.pose), (b.planes, &b.pose), &mut contact.warm, clipper);
        let l = length(a.radius(), b.radius());
        contact.load = Load::default();
        contact.alive = true;
        match found.filter(|o| o.area != DVec3::ZERO) {
            Some(found) => {
                contact.bridged = self.bridges.is_some();
                self.press(contact, [a, b], &found, l, dt);
                self.bridge(
                    contact,
                    [a, b],
                    (0.0, contact.history.normal, contact.load.point),
                    l,
                    dt,
                );
            }
            None => {
                contact.history = History::default();
                let gap = contact.gap;
                let torn = self.bridges.is_none_or(|w| gap.distance > w.rupture_distance());
                contact.bridged &= !torn;
                // A body inside the other has no direction to go.
                contact.alive = contact.bridged || found.is_some();
                self.bridge(contact, [a, b], (gap.distance, gap.normal, gap.point), l, dt);
            }
        }
        if b.grip.is_none() {
            let [_, torque] = contact.load.torques;
            contact.load.work = -dt * (contact.load.force.dot(b.velocity) + torque.dot(b.omega));
        }
    }

    /// Overlap, damping and friction.
    fn press(
        &self,
        contact: &mut Contact,
        [a, b]: [&Side<'_>; 2],
        found: &Overlap,
        l: f64,
        dt: f64,
    ) {
        let (pairing, zeta) = self.pairing(a.material, b.material);
        let Overlap { volume, centroid: c, area: s, .. } = *found;
        let arm = b.pose.position - a.pose.position;
        let law = if a.is_body() && b.is_body() { OF_BODIES } else { self.law };
        let g_a = if law.is_gradient() { found.moment } else { c.cross(s) };
        let g_b = g_a - arm.cross(s);
        let size = s.length();
        let normal = -s / size;
        let push = push(law, pairing, l, (volume, size), a.face().min(b.face()));
        // Rate of the volume, and the mass that resists it.
        let turn = b.omega - a.omega;
        let growth = s.dot(b.velocity - b.omega.cross(arm) - a.velocity) + g_a.dot(turn);
        let square = size * size;
        let compliance = [a.compliance(square, g_a), b.compliance(square, g_b)];
        let mass = square / (compliance[0] + compliance[1]);
        let strictness = (1.0 + zeta * zeta).sqrt() + zeta;
        // What is stiffer than the step can follow must not be damped or rubbed harder.
        let followed = PHASE / (dt * strictness);
        let stiffness = push.stiffness.min(mass * followed * followed);
        let damping = 2.0 * zeta * (mass * stiffness).sqrt();
        let pressure = (push.pressure + damping * growth / square).max(0.0);
        let load = &mut contact.load;
        load.force = -pressure * s;
        load.torques = [pressure * g_a, -pressure * g_b];
        load.normal_force = pressure * size;
        // The middle of the patch. The middle of the volume lies towards its deeper side: a bridge that
        // pulled there would tilt the bodies.
        let point = if law.is_gradient() { found.middle() } else { c };
        (load.point, load.volume) = (point, volume);
        load.lost[0] = (pressure - push.pressure) * growth * dt;
        self.hold(load, &found.spread, (normal, turn), damping, dt);
        let bound = 2.0 * push.bound * strictness * strictness / square;
        load.rates = compliance.map(|k| k * bound);
        let springs =
            (pairing.tangential_ratio * stiffness, pairing.tangential_ratio.sqrt() * damping);
        self.rub(contact, [a, b], pairing, normal, springs, (&found.spread, l), dt);
        contact.load.elastic = push.energy + contact.history.energy();
    }

    /// Damps the rocking of bodies that touch with a patch: the damping of the normal motion, spread
    /// over the patch like dashpots, has the torque −c ⟨r × n (r × n)·ω⟩. A rocking body keeps its
    /// volume of overlap nearly constant, and V̇ alone would let it rock on. No dashpot pulls: on a disc
    /// the pressure vanishes at the rim when the torque is half the normal force times √⟨x²⟩.
    fn hold(
        &self,
        load: &mut Load,
        spread: &Spread,
        (normal, turn): (DVec3, DVec3),
        damping: f64,
        dt: f64,
    ) {
        let u = normal.cross(turn);
        let torque = -damping * spread.times(u).cross(normal);
        let (size, square) = (torque.length(), u.dot(spread.times(u)));
        if size > 0.0 && square > 0.0 {
            let most = 0.5 * load.normal_force * square.sqrt() / u.length();
            let torque = torque * (most / size).min(1.0);
            load.torques[0] -= torque;
            load.torques[1] += torque;
            load.lost[0] -= torque.dot(turn) * dt;
        }
    }

    /// Sliding, twisting and rolling friction.
    #[allow(clippy::too_many_arguments, reason = "the parts of one formula")]
    fn rub(
        &self,
        contact: &mut Contact,
        [a, b]: [&Side<'_>; 2],
        pairing: &Pairing,
        normal: DVec3,
        (stiffness, damping): (f64, f64),
        (spread, l): (&Spread, f64),
        dt: f64,
    ) {
        let Contact { history, load, .. } = contact;
        let push = load.normal_force;
        let (c, arm) = (load.point, load.point - (b.pose.position - a.pose.position));
        history.turn(normal, 0.5 * dt * normal.dot(a.omega + b.omega));
        let limits = [pairing.static_friction * push, pairing.friction * push];
        if pairing.static_friction > 0.0 {
            let v = b.velocity + b.omega.cross(arm) - a.velocity - a.omega.cross(c);
            let rate = v - normal * normal.dot(v);
            let (force, lost) =
                history.slide.strain(&Strain { rate, dt, stiffness, damping, limits });
            load.force += force;
            load.torques[0] -= c.cross(force);
            load.torques[1] += arm.cross(force);
            load.lost[1] += lost;
        }
        // A patch has the torsional stiffness k ⟨r²⟩; a disc of radius a, k a²/2, slips at ⅔ a μ F.
        let turn = b.omega - a.omega;
        let spin = normal * normal.dot(turn);
        let half = spread.trace();
        let radius = (2.0 * half).sqrt();
        let mut resist = |spring: &mut Spring, rate, limits| {
            let (stiffness, damping) = (stiffness * half, damping * half);
            let (torque, lost) = spring.strain(&Strain { rate, dt, stiffness, damping, limits });
            load.torques[0] -= torque;
            load.torques[1] += torque;
            load.lost[1] += lost;
        };
        if pairing.static_friction > 0.0 {
            resist(&mut history.twist, spin, limits.map(|limit| 2.0 / 3.0 * radius * limit));
        }
        if pairing.rolling_friction > 0.0 {
            // Coefficient times the reduced radius l/4.
            let limit = pairing.rolling_friction * 0.25 * l * push;
            resist(&mut history.roll, turn - spin, [limit; 2]);
        }
    }

    /// The pull of a bridge over a distance along a normal, at a point.
    fn bridge(
        &self,
        contact: &mut Contact,
        [a, b]: [&Side<'_>; 2],
        (distance, normal, point): (f64, DVec3, DVec3),
        l: f64,
        dt: f64,
    ) {
        let Some(bridges) = self.bridges.filter(|_| contact.bridged) else { return };
        let arm = point - (b.pose.position - a.pose.position);
        let force = -bridges.force(distance, 0.5 * l) * normal;
        let load = &mut contact.load;
        load.force += force;
        load.torques[0] -= point.cross(force);
        load.torques[1] += arm.cross(force);
        let v = b.velocity + b.omega.cross(arm) - a.velocity - a.omega.cross(point);
        load.lost[2] -= force.dot(v) * dt;
    }

    /// The longest step [s] for a grain of a shape in a field of gravity [m/s²], with the sum of its
    /// contacts' rates [1/s²]. It may meet a face of its like within the step, whose rate counts from
    /// the next one on; and it may lie on its largest face and carry nothing but its weight, which is
    /// stiff under κ V^{3/2}, k ∝ 1/F, and shivers in longer steps.
    pub(in crate::dem) fn step_limit(&self, shape: usize, rate: f64, gravity: f64) -> f64 {
        let meeting = PHASE / self.meeting_rate(shape).sqrt();
        let touching = if rate > 0.0 { SAFETY / rate.sqrt() } else { f64::INFINITY };
        let grip = &self.grips[shape];
        let weight = gravity / (grip.inverse_mass * grip.face);
        let lying = if weight > 0.0 {
            let (y, l) = (self.hardest(grip.material).0, 2.0 * grip.radius);
            let law = self.law_of(grip);
            let volume = law.volume(y, l, weight, grip.face);
            PHASE / (law.push(y, l, volume, grip.face).bound * grip.inverse_mass).sqrt()
        } else {
            f64::INFINITY
        };
        meeting.min(touching).min(lying)
    }

    /// The law under which something meets its like.
    fn law_of(&self, grip: &Grip) -> Law {
        if grip.is_body { OF_BODIES } else { self.law }
    }

    /// The rate of a contact with a face of a grain's like [1/s²].
    fn meeting_rate(&self, shape: usize) -> f64 {
        let grip = &self.grips[shape];
        let (y, zeta) = self.hardest(grip.material);
        let l = 2.0 * grip.radius;
        let bound = self.law_of(grip).push(y, l, LIGHT * l * grip.face, grip.face).bound;
        let strictness = (1.0 + zeta * zeta).sqrt() + zeta;
        2.0 * bound * grip.inverse_mass * strictness * strictness
    }

    /// The longest step for a grain of a shape if the step does not follow its contacts [s].
    pub(in crate::dem) fn fixed_step_limit(&self, shape: usize, gravity: f64) -> f64 {
        self.step_limit(shape, self.meeting_rate(shape), gravity)
    }
}
