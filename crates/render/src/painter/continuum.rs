//! Matter without gaps in planar pictures: its particles become one filled area with a line around it.
//!
//! The area is where the particles, smeared out by a kernel, fill more than half of the plane, so that a flat surface
//! lies where it is. United with it is a disc about each particle, larger where it is alone: drops that are torn off
//! stay, as round as they are and of their own area. Colours are means by the same kernel.

use glam::{Vec2, Vec3, Vec4};

use super::canvas::Canvas;
use super::parallel::{Bins, for_strips};

/// Rows of pixels in a strip.
const STRIP: usize = 16;
/// Radius of the kernel, in spacings: a lattice is even to 1.4 % with it.
const SUPPORT: f32 = 2.0;
/// Radius of the disc of a particle among others and of a particle alone, which has the area of a cell of the
/// lattice, in spacings.
const DISC: [f32; 2] = [0.42, 0.564];
/// How widely the two are blended, in spacings.
const BLEND: f32 = 0.2;
/// The smallest distance between particles that is drawn as it is [px]; closer ones are smeared out as far.
const FINEST: f32 = 1.2;

/// How much darker the line is than the area [1].
const RIM: f32 = 0.6;

/// A particle in the picture [px].
pub(super) struct Particle {
    pub(super) at: Vec2,
    pub(super) color: Vec3,
}

/// Fills the area of particles that are `spacing` [px] apart, over what is there.
pub(super) fn fill(particles: &[Particle], spacing: f32, canvas: &mut Canvas) {
    let (width, height) = (canvas.width, canvas.height);
    let step = spacing.max(FINEST);
    let cover = cover(particles, spacing, SUPPORT * step, width, height);
    let inside = inside(particles, spacing, step, &cover, width, height);
    let line = (height as f32 / 720.0).max(0.8);
    let at =
        |x: usize, y: usize| inside[y.min(height - 1) * width + x.min(width - 1)].max(-4.0 * step);
    for_strips(&mut canvas.light, width, |y, row| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let (inside, cover) = (at(x, y), cover[y * width + x]);
            if inside < -2.0 || cover.w <= 0.0 {
                continue;
            }
            // The function over its slope is nearly the distance to the border.
            let across = at(x + 1, y) - at(x.saturating_sub(1), y);
            let along = at(x, y + 1) - at(x, y.saturating_sub(1));
            let depth = inside / (0.5 * across.hypot(along)).clamp(0.3, 1.5);
            let part = (0.5 + depth).clamp(0.0, 1.0);
            let rim = (0.5 + line - depth).clamp(0.0, 1.0) * RIM;
            let color = cover.truncate() / cover.w;
            *pixel = pixel.lerp(color * (1.0 - rim), part);
        }
    });
}

/// At each pixel the part of the plane that particles fill (w), and the sum of their colours with the same weights.
fn cover(
    particles: &[Particle],
    spacing: f32,
    support: f32,
    width: usize,
    height: usize,
) -> Vec<Vec4> {
    let mut cover = vec![Vec4::ZERO; width * height];
    let bins = bins(particles, |_| support, height);
    // The kernel (1 - r²/R²)³ in a plane, times the area of a particle.
    let peak = 4.0 / (std::f32::consts::PI * support * support) * spacing * spacing;
    let inverse2 = 1.0 / (support * support);
    for_strips(&mut cover, width * STRIP, |number, strip| {
        for i in bins.strip(number) {
            let Particle { at, color } = &particles[i];
            let weighted = color.extend(1.0) * peak;
            each_pixel(strip, number, width, *at, support, |pixel, distance2| {
                let free = 1.0 - distance2 * inverse2;
                if free > 0.0 {
                    *pixel += weighted * (free * free * free);
                }
            });
        }
    });
    cover
}

/// At each pixel how far it lies within the area [px], where that is little; negative outside.
fn inside(
    particles: &[Particle],
    spacing: f32,
    step: f32,
    cover: &[Vec4],
    width: usize,
    height: usize,
) -> Vec<f32> {
    let alone = 4.0 / (std::f32::consts::PI * SUPPORT * SUPPORT);
    let radius = |particle: &Particle| {
        let (x, y) = (particle.at.x as usize, particle.at.y as usize);
        let filled = if x < width && y < height { cover[y * width + x].w } else { 1.0 };
        let own = alone * (spacing / step).powi(2);
        let among = ((filled - own) / (0.8 - own)).clamp(0.0, 1.0);
        (DISC[1] + (DISC[0] - DISC[1]) * among) * spacing.max(0.5 * FINEST)
    };
    let radii: Vec<f32> = particles.iter().map(radius).collect();
    let blend = BLEND * step;
    let reach = |i: usize| radii[i] + 2.0 + blend;
    let bins = bins(particles, reach, height);
    let mut discs = vec![f32::NEG_INFINITY; width * height];
    for_strips(&mut discs, width * STRIP, |number, strip| {
        for i in bins.strip(number) {
            each_pixel(strip, number, width, particles[i].at, reach(i), |pixel, distance2| {
                *pixel = pixel.max(radii[i] - distance2.sqrt());
            });
        }
        // A flat border of the smeared matter has this slope.
        let slope = 128.0 / (35.0 * std::f32::consts::PI * SUPPORT * step);
        for (disc, cover) in strip.iter_mut().zip(&cover[number * STRIP * width..]) {
            let bulk = (cover.w - 0.5) / slope;
            let near = (1.0 - (bulk - *disc).abs() / blend).max(0.0);
            *disc = disc.max(bulk) + 0.25 * blend * near * near;
        }
    });
    discs
}

fn bins(particles: &[Particle], reach: impl Fn(usize) -> f32, height: usize) -> Bins {
    let rows = particles.iter().enumerate().map(|(i, particle)| {
        let (y, reach) = (particle.at.y, reach(i));
        ((y - reach).floor() as i32, (y + reach).ceil() as i32)
    });
    Bins::new(height, STRIP, rows)
}

/// Calls `work` for each pixel of a strip in a square about a place, with the square of its distance.
fn each_pixel<T>(
    strip: &mut [T],
    number: usize,
    width: usize,
    at: Vec2,
    reach: f32,
    mut work: impl FnMut(&mut T, f32),
) {
    let first = (number * STRIP) as f32;
    let low = (at.y - reach - 0.5 - first).ceil().max(0.0) as usize;
    let high = ((at.y + reach + 0.5 - first).floor().max(0.0) as usize).min(strip.len() / width);
    let left = (at.x - reach - 0.5).ceil().max(0.0) as usize;
    let right = ((at.x + reach + 0.5).floor().max(0.0) as usize).min(width);
    if left >= right {
        return;
    }
    for row in low..high {
        let dy = first + row as f32 + 0.5 - at.y;
        for (column, pixel) in (left..right).zip(&mut strip[row * width..][left..right]) {
            let dx = column as f32 + 0.5 - at.x;
            work(pixel, dx * dx + dy * dy);
        }
    }
}
