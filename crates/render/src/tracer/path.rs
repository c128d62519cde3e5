//! One path of light, followed from the eye backwards (Kajiya 1986).

use glam::Vec3;

use super::bvh::Ray;
use super::random::Random;
use super::sky::{Sky, disc};
use super::world::{Spot, World};
use crate::Liquid;
use crate::material::{fresnel, mirrored, refracted};

/// Surfaces that a path meets at most.
const LONGEST: usize = 16;
/// From this surface on dark paths may end early.
const ROULETTE: usize = 2;
/// What one path adds at most: a glint of the sun in a mirror in a mirror would be seen as a white pixel.
const BRIGHTEST: f32 = 6.0;
/// How far ground is seen before it fades into the horizon, in sizes of the picture.
const HORIZON: f32 = 7.0;

/// What a path brings to the eye.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) light: Vec3,
    /// The colour of the first dull surface on it; white for the sky.
    pub(super) color: Vec3,
    /// The normal of the first surface, none for the sky.
    pub(super) normal: Vec3,
    /// How far away that is, in sizes of the picture.
    pub(super) depth: f32,
}

/// What light there is and what it meets.
pub(super) struct Light<'a> {
    pub(super) world: &'a World,
    pub(super) sky: &'a Sky,
}

impl Light<'_> {
    /// The light that comes back along a ray of length one.
    pub(super) fn follow(&self, mut ray: Ray, random: &mut Random) -> Seen {
        let mut seen =
            Seen { light: Vec3::ZERO, color: Vec3::ONE, normal: Vec3::ZERO, depth: f32::INFINITY };
        let mut part = Vec3::ONE;
        let mut inside: Option<Liquid> = None;
        // Whether only mirrors and clear surfaces were met so far.
        let mut sharp = true;
        for step in 0..LONGEST {
            let Some(spot) = self.world.meet(&ray) else {
                let sky = |d| if sharp { self.sky.light_with_sun(d) } else { self.sky.light(d) };
                // A liquid without an end does not let the sky in.
                if inside.is_none() {
                    seen.light += part * sky(ray.direction);
                }
                break;
            };
            if step == 0 {
                seen.normal = spot.normal;
                seen.depth = spot.t / self.world.extent;
            }
            // What lies before an inner side is inside, even if a path slipped through on its way in.
            if spot.from_inside && inside.is_none() {
                inside = spot.liquid;
            }
            if let Some(liquid) = inside {
                let left = liquid.left(spot.t);
                let glow = liquid.tint.to_linear() * self.sky.mean() * liquid.cloudy;
                seen.light += part * glow * (Vec3::ONE - left);
                part *= left;
            }
            if let Some(liquid) = spot.liquid {
                self.cross(&mut ray, &spot, liquid, &mut inside, random.pair().0);
                if step >= 2 * ROULETTE && !survives(&mut part, random) {
                    break;
                }
                continue;
            }
            if sharp {
                seen.color = spot.color;
            }
            if spot.is_ground && sharp {
                let clear = self.clear(&ray, &spot);
                let level = ray.direction.reject_from(self.sky.up).normalize_or(self.sky.up);
                seen.light += part * (1.0 - clear) * self.sky.light(level);
                part *= clear;
                if clear < 0.01 {
                    break;
                }
            }
            self.scatter(&mut ray, &spot, &mut part, &mut seen.light, inside, random);
            sharp = false;
            if step >= ROULETTE && !survives(&mut part, random) {
                break;
            }
        }
        let most = seen.light.max_element();
        if most > BRIGHTEST {
            seen.light *= BRIGHTEST / most;
        }
        seen
    }

    /// The part of light from ground that reaches the eye through the haze.
    fn clear(&self, ray: &Ray, spot: &Spot) -> f32 {
        let away = (ray.origin + ray.direction * spot.t).length() / (HORIZON * self.world.extent);
        (-away * away).exp()
    }

    /// Takes the light of the sun at a dull surface and goes on in any direction above it.
    fn scatter(
        &self,
        ray: &mut Ray,
        spot: &Spot,
        part: &mut Vec3,
        light: &mut Vec3,
        inside: Option<Liquid>,
        random: &mut Random,
    ) {
        let origin = ray.origin + ray.direction * spot.t + spot.face * self.world.skin();
        *part *= spot.color;
        let toward = self.sky.toward_sun(random.pair());
        let cosine = spot.normal.dot(toward);
        if cosine > 0.0 && spot.face.dot(toward) > 0.0 {
            let sun = Ray { origin, direction: toward, time: ray.time };
            *light += *part * cosine * self.sky.sunlight * self.world.passed(&sun, inside);
        }
        let (u, v) = random.pair();
        let (x, y) = disc(u, v);
        let (right, front) = spot.normal.any_orthonormal_pair();
        let up = (1.0 - x * x - y * y).max(0.0).sqrt();
        let direction = right * x + front * y + spot.normal * up;
        // Below a face that looks round there is nothing to be seen.
        let down = direction.dot(spot.face);
        let direction = if down < 0.0 { direction - 2.0 * down * spot.face } else { direction };
        *ray = Ray { origin, direction: direction.normalize(), time: ray.time };
    }

    /// Goes on behind the surface of a liquid, or back where it mirrors.
    fn cross(
        &self,
        ray: &mut Ray,
        spot: &Spot,
        liquid: Liquid,
        inside: &mut Option<Liquid>,
        chance: f32,
    ) {
        let ratio = if spot.from_inside { 1.0 / liquid.index } else { liquid.index };
        let cosine = -ray.direction.dot(spot.normal);
        let at = ray.origin + ray.direction * spot.t;
        let through = refracted(ray.direction, spot.normal, ratio)
            .filter(|_| chance >= fresnel(cosine, ratio))
            .filter(|d| d.dot(spot.face) < 0.0);
        let (direction, side) = match through {
            Some(direction) => {
                *inside = (!spot.from_inside).then_some(liquid);
                (direction, -spot.face)
            }
            None => {
                let direction = mirrored(ray.direction, spot.normal);
                let flat = direction.dot(spot.face) <= 0.0;
                let normal = if flat { spot.face } else { spot.normal };
                (mirrored(ray.direction, normal), spot.face)
            }
        };
        let origin = at + side * self.world.skin();
        *ray = Ray { origin, direction, time: ray.time };
    }
}

/// Ends dark paths by chance; those that go on stand for them.
fn survives(part: &mut Vec3, random: &mut Random) -> bool {
    let stays = part.max_element().min(0.95);
    let goes_on = random.pair().0 < stays;
    if goes_on {
        *part /= stays;
    }
    goes_on
}
