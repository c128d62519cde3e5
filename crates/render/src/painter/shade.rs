//! From what is seen at the samples to light in the pixels.

use glam::Vec3;

use super::canvas::Canvas;
use super::parallel::for_strips;
use super::samples::{FLOOR, FloorPlane, NOTHING, Sample, Samples};
use super::shadow::LightMap;
use super::solid::{Ball, Face};
use super::view::View;
use crate::material::{fresnel, mirrored};
use crate::{Background, Liquid};

/// Everything that shading reads. All vectors are in camera space.
pub(super) struct Scene<'a> {
    pub(super) view: &'a View,
    pub(super) samples: &'a Samples,
    pub(super) balls: &'a [Ball],
    pub(super) faces: &'a [Face],
    pub(super) floor: Option<&'a FloorPlane>,
    pub(super) light_map: Option<&'a LightMap>,
    /// Towards the light.
    pub(super) light: Vec3,
    /// Up.
    pub(super) up: Vec3,
    /// How far neighbours darken each other: among grains, and among larger shapes [m].
    pub(super) reach: [f32; 2],
    /// Samples across a pixel.
    pub(super) fineness: usize,
    /// How far ground is seen [m].
    pub(super) horizon: f32,
    /// What is reflected.
    pub(super) sky: Background,
}

/// Part of the light that comes straight from the lamp.
const LAMP: f32 = 0.78;
/// Part of the light that comes from everywhere.
const SKY: f32 = 0.52;
/// Depth of the shadow on the soft floor.
const FLOOR_SHADOW: f32 = 0.5;

impl Scene<'_> {
    /// Puts the light of all samples on the canvas, which holds the background.
    pub(super) fn shade(&self, canvas: &mut Canvas) {
        let width = canvas.width;
        for_strips(&mut canvas.light, width, |y, row| {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = self.pixel(x, y, *pixel);
            }
        });
    }

    /// Samples of a pixel that see the same thing are shaded once, and all grains of a pixel
    /// share the sky that their neighbours leave, which is the costly part.
    fn pixel(&self, x: usize, y: usize, background: Vec3) -> Vec3 {
        let n = self.fineness;
        let mut sum = Vec3::ZERO;
        let mut last = (NOTHING, background);
        let mut open = None;
        for row in y * n..(y + 1) * n {
            for column in x * n..(x + 1) * n {
                let sample = self.samples.seen[row * self.samples.columns + column];
                if sample.thing != last.0 {
                    last =
                        (sample.thing, self.light_of(sample, (column, row), background, &mut open));
                }
                sum += last.1;
            }
        }
        sum / (n * n) as f32
    }

    fn light_of(
        &self,
        sample: Sample,
        place: (usize, usize),
        background: Vec3,
        open_among_grains: &mut Option<f32>,
    ) -> Vec3 {
        let point = self.view.ray(place.0, place.1) * sample.depth;
        match (sample.thing, self.floor) {
            (NOTHING, _) | (FLOOR, None) => background,
            (FLOOR, Some(floor)) => self.floor_light(floor, point, place, background),
            (thing, _) => {
                let thing = thing as usize;
                if let Some(ball) = self.balls.get(thing) {
                    let normal = (point - ball.center) / ball.radius;
                    let reached = self.reached(point + normal * (0.1 * ball.radius), ball.radius);
                    let open = *open_among_grains.get_or_insert_with(|| {
                        1.0 - self.occlusion(point, normal, place, Around::Grain)
                    });
                    self.surface(point, normal, ball.color, reached, open)
                } else {
                    let face = &self.faces[thing - self.balls.len()];
                    if face.glass >= 1.0 {
                        return background;
                    }
                    let reached =
                        self.light_map.map_or(1.0, |map| map.light_on_face(point, face.normal));
                    let (normal, color) = face.at(point);
                    let open = 1.0 - self.occlusion(point, normal, place, Around::Plane);
                    let own = self.surface(point, normal, color, reached, open);
                    if face.is_ground {
                        let away = point.length() / self.horizon;
                        return background.lerp(own, (-away * away).exp());
                    }
                    let behind = background * (1.0 - 0.4 * (1.0 - reached)) * open;
                    own.lerp(behind, face.glass)
                }
            }
        }
    }

    fn reached(&self, point: Vec3, grain: f32) -> f32 {
        self.light_map.map_or(1.0, |map| map.light_at(point, grain))
    }

    /// A liquid: Fresnel's mixture of what it mirrors and of what is seen through so much of it, which it tints.
    pub(super) fn liquid(
        &self,
        liquid: Liquid,
        (point, normal): (Vec3, Vec3),
        thickness: f32,
        behind: Vec3,
    ) -> Vec3 {
        let sight = point.normalize_or_zero();
        let mirror = mirrored(sight, normal);
        let reached = self.light_map.map_or(1.0, |map| map.light_at(point, 0.0));
        // Without the shadows in it and the colour of its surroundings, liquid needs more of its own, also where it is thin.
        let left = liquid.left(3.5 * thickness.max(0.0)) * 0.85;
        let lit = 0.7 + 0.3 * normal.dot(self.light).max(0.0) * reached;
        let deep = liquid.tint.to_linear();
        let body = behind * left + deep * deep * (0.85 * lit) * (Vec3::ONE - left);
        let glint = mirror.dot(self.light).max(0.0).powi(160) * 1.5 * reached;
        let part = fresnel(-sight.dot(normal).min(0.0), liquid.index);
        body.lerp(self.sky_light(mirror), part) + Vec3::splat(glint)
    }

    /// What is seen of the surroundings in a direction.
    fn sky_light(&self, direction: Vec3) -> Vec3 {
        let (high, low) = (self.sky.top.to_linear(), self.sky.bottom.to_linear());
        let height = direction.dot(self.up);
        let above = low.lerp(high * Vec3::new(0.55, 0.78, 1.0), height.max(0.0).sqrt());
        above.lerp(low * 0.55, (-4.0 * height).clamp(0.0, 1.0))
    }

    /// A dull surface with a soft highlight. `reached` is the part of the lamp's light that
    /// arrives, `open` the part of the sky that is not hidden by neighbours.
    fn surface(&self, point: Vec3, normal: Vec3, color: Vec3, reached: f32, open: f32) -> Vec3 {
        let to_eye = -point.normalize_or_zero();
        let toward_lamp = normal.dot(self.light);
        // The lamp reaches a little around the edge, which keeps the dark side soft.
        let lamp = ((toward_lamp + 0.2) / 1.2).max(0.0) * reached * (0.45 + 0.55 * open);
        let sky = (0.66 + 0.34 * normal.dot(self.up)) * open;
        let middle = (self.light + to_eye).normalize_or_zero();
        let shine = normal.dot(middle).max(0.0).powi(32) * 0.12 * reached * open;
        let edge = (1.0 - normal.dot(to_eye).clamp(0.0, 1.0)).powi(3);
        let rim = edge * 0.10 * open;
        color * (SKY * sky + LAMP * lamp) * (1.0 - 0.25 * edge) + Vec3::splat(shine + rim * sky)
    }

    /// The floor is the background, a little lighter in the middle, with shadow on it.
    fn floor_light(
        &self,
        floor: &FloorPlane,
        point: Vec3,
        place: (usize, usize),
        background: Vec3,
    ) -> Vec3 {
        let away = ((point - floor.center).length() / floor.radius).min(1.0);
        let near = (1.0 - away) * (1.0 - away) * (1.0 + 2.0 * away);
        let reached = self.light_map.map_or(1.0, |map| map.light_on_floor(point));
        let hidden = self.occlusion(point, floor.normal, place, Around::Plane);
        let shade = (1.0 - FLOOR_SHADOW * (1.0 - reached)) * (1.0 - 0.6 * hidden);
        let lighter = (background * 1.7 + 0.01).min(Vec3::splat(0.93));
        let bright = background.lerp(lighter.max(background), 0.55 * near);
        bright * (1.0 - (1.0 - shade) * near.sqrt().min(1.0))
    }

    /// The part of the sky above a surface that nearby things hide, guessed from the depths of
    /// samples around (as in Shanmugam and Arikan 2007, with a fixed pattern).
    fn occlusion(
        &self,
        point: Vec3,
        normal: Vec3,
        (column, row): (usize, usize),
        around: Around,
    ) -> f32 {
        let mut hidden = 0.0;
        let across = self.reach.map(|r| (r * self.view.focal / point.z).clamp(2.0, 160.0));
        let inverse2 = self.reach.map(|r| 1.0 / (r * r));
        for (i, &(dx, dy)) in PATTERN.iter().enumerate() {
            let (kind, weight) = match around {
                Around::Plane => (1, 0.45),
                Around::Grain if i & 1 == 0 => (0, 1.25),
                Around::Grain => (1, 0.65),
            };
            let reach = self.reach[kind];
            let x = column as i32 + (dx * across[kind]) as i32;
            let y = row as i32 + (dy * across[kind]) as i32;
            if x < 0 || y < 0 {
                continue;
            }
            let (x, y) = (x as usize, y as usize);
            if x >= self.samples.columns || y >= self.samples.rows {
                continue;
            }
            let other = self.samples.seen[y * self.samples.columns + x];
            if other.thing == NOTHING {
                continue;
            }
            let between = self.view.ray(x, y) * other.depth - point;
            let distance2 = between.length_squared() + 1e-12;
            let height = normal.dot(between) - 0.05 * reach;
            let near = 1.0 - distance2 * inverse2[kind];
            if height > 0.0 && near > 0.0 {
                hidden += height / distance2.sqrt() * near * weight;
            }
        }
        (hidden * 2.6 / PATTERN.len() as f32).min(0.85)
    }
}

/// Where to look for neighbours. On smooth planes only larger shapes count, and they count less,
/// because the eye finds the fixed pattern there.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Grain,
    Plane,
}

/// Places around a sample, in parts of the reach: a spiral, its turns taken in such an order
/// that both reaches look in all directions.
const PATTERN: [(f32, f32); 16] = [
    (0.30, 0.00),
    (0.21, 0.21),
    (-0.05, 0.36),
    (-0.42, 0.05),
    (-0.33, 0.31),
    (-0.33, -0.33),
    (0.00, -0.52),
    (0.40, -0.40),
    (0.56, -0.14),
    (0.62, 0.20),
    (0.42, 0.55),
    (0.00, 0.74),
    (-0.56, 0.56),
    (-0.84, 0.00),
    (-0.60, -0.60),
    (0.10, -0.92),
];
