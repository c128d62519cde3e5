//! Water and snow in pictures of space, from their particles alone: the front of the particles as the eye sees it,
//! made smooth, and how much matter lies behind it (screen-space fluids, van der Laan, Green and Sainz 2009, with the
//! narrow-range filter of Truong and Yuksel 2018).

use glam::{Vec3, Vec4};

use super::canvas::Canvas;
use super::parallel::{Bins, for_strips};
use super::samples::Samples;
use super::shade::{Scene, WATER};
use super::solid::Ball;
use super::view::View;
use crate::Matter;

/// Radius of the spheres that have the volume of the matter, in halves of the distance between particles.
pub(super) const SWOLLEN: f32 = 1.2407;
/// Rows of pixels in a strip.
const STRIP: usize = 16;
/// Rounds of smoothing, each across and along.
const ROUNDS: usize = 3;
/// Width of the filter, in radii of particles.
const WIDTH: f32 = 1.3;
/// The widest filter [px].
const WIDEST: i32 = 18;
/// What lies further behind or before a place does not belong to the same surface, in radii of particles.
const RANGE: f32 = 5.0;

/// Directions in which something may hide the sky.
const AROUND: [(f32, f32); 8] = [
    (1.0, 0.0),
    (-0.7, 0.7),
    (0.0, -1.0),
    (0.7, 0.7),
    (-1.0, 0.0),
    (0.7, -0.7),
    (0.0, 1.0),
    (-0.7, -0.7),
];

/// The matter that one pixel sees.
#[derive(Clone, Copy)]
struct Texel {
    /// Of its front, along the line of sight; infinite where there is none [m].
    depth: f32,
    /// Length of the line of sight within it [m].
    thickness: f32,
    /// Sum of the colours along the line of sight, weighted with the thickness (w).
    color: Vec4,
}

const EMPTY: Texel = Texel { depth: f32::INFINITY, thickness: 0.0, color: Vec4::ZERO };

/// The matter of one kind that is seen, pixel by pixel.
pub(super) struct Layer {
    width: usize,
    texels: Vec<Texel>,
    /// Radius of the particles [m].
    radius: f32,
    matter: Matter,
}

impl Layer {
    /// The balls of one matter, with a view whose samples are pixels. `behind` is the depth of what hides them.
    pub(super) fn new(
        matter: Matter,
        balls: &[Ball],
        view: &View,
        (width, height): (usize, usize),
        behind: &[f32],
    ) -> Self {
        let radius = balls.iter().map(|ball| ball.radius).sum::<f32>() / balls.len().max(1) as f32;
        let mut texels = vec![EMPTY; width * height];
        let bins = Bins::new(height, STRIP, balls.iter().map(|ball| ball.rows));
        for_strips(&mut texels, width * STRIP, |number, strip| {
            for i in bins.strip(number) {
                splat(strip, number * STRIP, width, view, &balls[i], behind);
            }
        });
        for _ in 0..ROUNDS {
            for step in [(1, 0), (0, 1)] {
                let old = texels.clone();
                for_strips(&mut texels, width, |y, row| {
                    for (x, texel) in row.iter_mut().enumerate() {
                        *texel = smoothed(&old, (x, y), (width, height), step, radius, view.focal);
                    }
                });
            }
        }
        Self { width, texels, radius, matter }
    }

    /// Depth of the front at a pixel [m].
    pub(super) fn depth(&self, i: usize) -> f32 {
        self.texels[i].depth
    }

    /// Paints it over what lies behind it.
    pub(super) fn paint(
        &self,
        scene: &Scene<'_>,
        view: &View,
        behind: &[f32],
        canvas: &mut Canvas,
    ) {
        let below = canvas.light.clone();
        let (width, height) = (self.width, canvas.height);
        for_strips(&mut canvas.light, width, |y, row| {
            for (x, pixel) in row.iter_mut().enumerate() {
                let texel = self.texels[y * width + x];
                // Where there is next to nothing, one sees next to nothing of it: borders are smooth.
                let solid = (texel.thickness / self.radius).min(1.0);
                if texel.depth.is_infinite() || solid <= 0.0 {
                    continue;
                }
                let point = view.ray(x, y) * texel.depth;
                let normal = self.normal(x, y, height, view);
                let color = texel.color.truncate() / texel.color.w.max(f32::MIN_POSITIVE);
                let light = match self.matter {
                    Matter::Snow => scene.snow(point, normal, color, self.open(x, y, height, view)),
                    Matter::Water => {
                        let bent = bent(-point.normalize_or_zero(), normal);
                        let far = behind[y * width + x] - texel.depth;
                        let end = point + bent * texel.thickness.min(far.max(0.0));
                        let at = view.project(end);
                        let seen = (at.x.max(0.0) as usize).min(width - 1)
                            + (at.y.max(0.0) as usize).min(height - 1) * width;
                        // What stands before the water is not seen through it.
                        let seen = if behind[seen] < texel.depth { y * width + x } else { seen };
                        scene.water(point, normal, color, texel.thickness, below[seen])
                    }
                };
                *pixel = pixel.lerp(light, solid * self.free(x, y, scene));
            }
        });
    }

    /// The part of a pixel where nothing stands before it.
    fn free(&self, x: usize, y: usize, scene: &Scene<'_>) -> f32 {
        let n = scene.fineness;
        let depth = self.texels[y * self.width + x].depth;
        let rows = (y * n..(y + 1) * n).map(|row| row * scene.samples.columns + x * n);
        let samples = rows.flat_map(|start| &scene.samples.seen[start..start + n]);
        samples.filter(|sample| sample.depth > depth).count() as f32 / (n * n) as f32
    }

    /// Takes note of what it hides.
    pub(super) fn hide(&self, behind: &mut [f32]) {
        if self.matter == Matter::Snow {
            for (behind, texel) in behind.iter_mut().zip(&self.texels) {
                *behind = behind.min(texel.depth);
            }
        }
    }

    /// The part of the sky that the matter itself leaves open at a pixel: less where the surroundings stand out.
    fn open(&self, x: usize, y: usize, height: usize, view: &View) -> f32 {
        let own = self.texels[y * self.width + x].depth;
        let reach = 6.0 * self.radius;
        let far = (reach * view.focal / own).clamp(2.0, 60.0);
        let mut hidden = 0.0;
        for (k, (dx, dy)) in AROUND.into_iter().enumerate() {
            let part = (k + 1) as f32 / AROUND.len() as f32;
            let u = x as i32 + (dx * part * far) as i32;
            let v = y as i32 + (dy * part * far) as i32;
            if u < 0 || v < 0 || u >= self.width as i32 || v >= height as i32 {
                continue;
            }
            let nearer = own - self.texels[v as usize * self.width + u as usize].depth;
            if nearer > 0.0 && nearer < 2.0 * reach {
                hidden += (nearer / (part * reach)).min(1.0);
            }
        }
        1.0 - 0.55 * hidden / AROUND.len() as f32
    }

    /// The normal at a pixel, towards the eye, from the neighbours that are nearer in depth.
    fn normal(&self, x: usize, y: usize, height: usize, view: &View) -> Vec3 {
        let own = self.texels[y * self.width + x].depth;
        let point = |x: usize, y: usize| view.ray(x, y) * self.texels[y * self.width + x].depth;
        let here = view.ray(x, y) * own;
        let slope = |back: Option<(usize, usize)>, on: Option<(usize, usize)>| {
            let back = back.map(|(x, y)| here - point(x, y)).filter(|d| d.is_finite());
            let on = on.map(|(x, y)| point(x, y) - here).filter(|d| d.is_finite());
            match (back, on) {
                (Some(a), Some(b)) => {
                    if a.z.abs() < b.z.abs() {
                        a
                    } else {
                        b
                    }
                }
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => Vec3::ZERO,
            }
        };
        let across =
            slope(x.checked_sub(1).map(|x| (x, y)), (x + 1 < self.width).then_some((x + 1, y)));
        let along = slope(y.checked_sub(1).map(|y| (x, y)), (y + 1 < height).then_some((x, y + 1)));
        // Right times down points away from the eye.
        along.cross(across).normalize_or(-here.normalize_or_zero())
    }
}

/// The depth that the middle of each pixel sees [m].
pub(super) fn depths(samples: &Samples, fineness: usize, canvas: &Canvas) -> Vec<f32> {
    let middle = fineness / 2;
    let at = |x: usize, y: usize| (y * fineness + middle) * samples.columns + x * fineness + middle;
    let pixels = (0..canvas.height).flat_map(|y| (0..canvas.width).map(move |x| (x, y)));
    pixels.map(|(x, y)| samples.seen[at(x, y)].depth).collect()
}

/// Adds a ball to the texels of a strip that it covers, unless something hides it.
fn splat(
    strip: &mut [Texel],
    first_row: usize,
    width: usize,
    view: &View,
    ball: &Ball,
    behind: &[f32],
) {
    let rows = (ball.rows.0.max(first_row as i32) as usize)
        ..((ball.rows.1 + 1).max(0) as usize).min(first_row + strip.len() / width);
    let columns =
        (ball.columns.0.max(0) as usize)..((ball.columns.1 + 1).max(0) as usize).min(width);
    for row in rows {
        for column in columns.clone() {
            let ray = view.ray(column, row);
            let off = ray * ball.center.z - ball.center;
            let (a, b) = (ray.length_squared(), off.dot(ray));
            let root2 = b * b - a * (off.length_squared() - ball.radius * ball.radius);
            if root2 <= 0.0 || ball.center.z > behind[row * width + column] {
                continue;
            }
            let root = root2.sqrt();
            let texel = &mut strip[(row - first_row) * width + column];
            texel.depth = texel.depth.min(ball.center.z - (b + root) / a);
            let chord = 2.0 * root / a.sqrt();
            texel.thickness += chord;
            texel.color += ball.color.extend(1.0) * chord;
        }
    }
}

/// A texel after a round of smoothing in one direction.
fn smoothed(
    old: &[Texel],
    (x, y): (usize, usize),
    (width, height): (usize, usize),
    (dx, dy): (i32, i32),
    radius: f32,
    focal: f32,
) -> Texel {
    let own = old[y * width + x];
    if own.depth.is_infinite() {
        return own;
    }
    let sigma = (WIDTH * radius * focal / own.depth).max(0.7);
    let reach = ((2.0 * sigma) as i32).clamp(1, WIDEST);
    let falloff = -0.5 / (sigma * sigma);
    let range = RANGE * radius;
    let (mut sum, mut depth, mut thickness, mut color) = (0.0, 0.0, 0.0, Vec4::ZERO);
    let mut near = 0.0;
    for k in -reach..=reach {
        let (u, v) = (x as i32 + k * dx, y as i32 + k * dy);
        if u < 0 || v < 0 || u >= width as i32 || v >= height as i32 {
            continue;
        }
        let other = old[v as usize * width + u as usize];
        let weight = ((k * k) as f32 * falloff).exp();
        let off = other.depth - own.depth;
        sum += weight;
        thickness += weight * other.thickness;
        color += weight * other.color;
        // What lies far before belongs to another sheet.
        if off > -range && off < range {
            near += weight;
            depth += weight * other.depth;
        }
    }
    Texel { depth: depth / near, thickness: thickness / sum, color: color / sum }
}

/// The direction of a line of sight behind the surface of water. `to_eye` and `normal` have length one.
fn bent(to_eye: Vec3, normal: Vec3) -> Vec3 {
    let ratio = 1.0 / WATER;
    let cosine = normal.dot(to_eye).clamp(0.0, 1.0);
    let inner = (1.0 - ratio * ratio * (1.0 - cosine * cosine)).sqrt();
    normal * (ratio * cosine - inner) - to_eye * ratio
}
