//! Liquid between bodies that lie face to face.
//!
//! A gap of less than a spacing has no room for particles, but in nature it carries pressure all the same: a cube on the
//! floor floats up when the water around it is deep enough. Places of a free body's surface that face another body
//! within a spacing get the pressure of the open places around them, as far as they see no liquid themselves: weighted
//! with r⁻⁴, each carried on by the weight of the liquid in between; dry places count with no pressure. The other body gets
//! the opposite at the same place. The pressures are those of the step before.

use super::Liquid;
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::space::Space;

/// What sees less than this fraction of the liquid that it would see at rest is dry.
const DRY: f32 = 0.05;

/// A place of the surface of a free body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skin {
    /// The boundary particle below it.
    pub(super) wall: usize,
    /// The number of its body.
    body: usize,
    /// Where it is [m], in the frame of its body, and the direction out of it.
    local: DVec3,
    normal: DVec3,
    /// Its area [m²], in the plane its length [m].
    area: f64,
}

/// The surface of a free body from its boundary particles, given with their numbers and places [m].
pub(super) fn skin(
    number: usize,
    body: &Body,
    walls: impl Iterator<Item = (usize, DVec3)>,
    spacing: f64,
    space: &Space,
) -> Vec<Skin> {
    let below = walls.map(|(wall, x)| (wall, x, body.local_distance(x)));
    let mut skin: Vec<Skin> = below
        .filter(|(_, _, found)| -found.distance < 0.75 * spacing)
        .map(|(wall, x, found)| {
            let (local, normal) = (x - found.distance * found.normal, found.normal);
            Skin { wall, body: number, local, normal, area: 1.0 }
        })
        .collect();
    // The divergence theorem says how large they are.
    let sum: f64 = skin.iter().map(|place| place.local.dot(place.normal)).sum();
    let volume = body.mass_properties_in(space, 1.0).map_or(0.0, |unit| unit.volume);
    let area = volume * space.dimensions() as f64 / sum;
    skin.iter_mut().for_each(|place| place.area = area);
    skin
}

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Films {
    /// Fraction of liquid that each boundary particle sees, and that times the pressure [Pa] of it.
    seen: Vec<[f32; 2]>,
    /// Bodies near the one at hand.
    near: Vec<usize>,
    /// Places that face another body, with its number and the fraction that no liquid presses on.
    closed: Vec<(Skin, DVec3, usize, f32)>,
    /// Other places, with the pressure there [Pa] unless they are dry.
    open: Vec<(DVec3, Option<f64>)>,
    /// Forces [N], where they act [m], and the bodies that get them and the opposite.
    pushes: Vec<(DVec3, DVec3, [usize; 2])>,
}

impl Liquid {
    /// Adds the forces of the films to those on the bodies.
    pub(super) fn press_films(&mut self, env: &mut Environment) {
        let Self { particles, work, boundary, config, .. } = self;
        if boundary.skin.is_empty() {
            return;
        }
        let part = &particles.p_divergence;
        let pressure = |j: usize| particles.p[j] + part.get(j).copied().unwrap_or(0.0);
        work.coverage.press(work.level, pressure);
        let Films { seen, near, closed, open, pushes } = &mut work.films;
        seen.clear();
        seen.resize(boundary.len(), [0.0; 2]);
        let found = work.coverage.filled.iter().zip(&work.coverage.pressures);
        for (k, (&filled, &pressed)) in found.enumerate() {
            seen[boundary.wall_of(k)] = [filled, pressed];
        }
        pushes.clear();
        for places in boundary.skin.chunk_by(|a, b| a.body == b.body) {
            let number = places[0].body;
            let body = &env.bodies[number];
            let reach = body.bounds().grow(config.spacing);
            near.clear();
            near.extend((0..env.bodies.len()).filter(|&other| {
                let it = &env.bodies[other];
                // Of two free bodies the first looks at both.
                let looks = other == number || it.is_free() && other < number;
                !looks && !it.is_gone() && (it.holds_matter() || it.bounds().overlaps(&reach))
            }));
            closed.clear();
            open.clear();
            for place in places {
                let x = body.pose.to_world(place.local);
                let [filled, pressed] = seen[place.wall];
                let faces = |other: &&usize| {
                    env.bodies[**other].signed_distance(x).distance < config.spacing
                };
                match near.iter().find(faces) {
                    Some(&other) => closed.push((*place, x, other, 1.0 - filled.min(1.0))),
                    None => {
                        let p = (filled > DRY).then(|| f64::from(pressed / filled));
                        open.push((x, p));
                    }
                }
            }
            for (place, x, other, hidden) in &*closed {
                let (mut sum, mut weights) = (0.0, 0.0);
                for (from, p) in &*open {
                    let away = *x - *from;
                    let weight = away.length_squared().max(1e-6 * place.area).powi(-2);
                    let head = config.rest_density * env.gravity.dot(away);
                    sum += weight * p.map_or(0.0, |p| (p + head).max(0.0));
                    weights += weight;
                }
                if sum > 0.0 {
                    let out = body.pose.rotation * place.normal;
                    let force = -f64::from(*hidden) * place.area * (sum / weights) * out;
                    pushes.push((force, *x, [number, *other]));
                }
            }
        }
        for &(force, x, [body, other]) in &*pushes {
            env.bodies[body].add_force_at(force, x);
            env.bodies[other].add_force_at(-force, x);
        }
    }
}
