//! Planar pictures: filled bodies, areas of matter and discs.

use glam::{DVec2, Vec2, Vec3};

use super::canvas::Canvas;
use super::continuum::{self, Particle};
use super::lines::Line;
use super::parallel::{Bins, for_strips};
use super::samples::crossing;
use crate::{BodyMesh, BodyStyle, Picture, Planar, Sphere};

/// Rows of pixels in a strip.
const STRIP: usize = 16;
/// Discs below this radius [px] are too small for an outline; their colours are summed up, which
/// keeps dense rows of them even.
const SMALL: f32 = 2.2;

/// A disc in the picture [px].
struct Disc {
    x: f32,
    y: f32,
    radius: f32,
    color: Vec3,
}

/// Paints areas, bodies and discs, in this order, over the background.
pub(super) fn paint(picture: &Picture, camera: &Planar, canvas: &mut Canvas) {
    let size = DVec2::new(canvas.width as f64, canvas.height as f64);
    let scale = camera.scale(size.x, size.y);
    let place = |x: f64, y: f64| {
        let p = (DVec2::new(x, y) - camera.center) * scale;
        size / 2.0 + DVec2::new(p.x, -p.y)
    };
    let shapes: Vec<Shape> =
        picture.bodies.iter().map(|body| Shape::new(body, &place, size.y)).collect();
    let disc = |sphere: &Sphere| {
        let p = place(sphere.center.x, sphere.center.y).as_vec2();
        let radius = sphere.radius * scale as f32;
        let color = sphere.color.to_linear();
        (p.is_finite() && radius > 0.0).then_some(Disc { x: p.x, y: p.y, radius, color })
    };
    for continuum in &picture.continua {
        let discs = picture
            .spheres
            .get(continuum.spheres.clone())
            .unwrap_or_default()
            .iter()
            .filter_map(disc);
        let discs: Vec<Disc> = discs.collect();
        let radius = discs.iter().map(|disc| disc.radius).fold(0.0, f32::max);
        let particle = |disc: &Disc| Particle { at: Vec2::new(disc.x, disc.y), color: disc.color };
        let particles: Vec<Particle> = discs.iter().map(particle).collect();
        continuum::fill(&particles, 2.0 * radius, canvas);
    }
    let single = |i: &usize| !picture.continua.iter().any(|of| of.spheres.contains(i));
    let spheres = picture.spheres.iter().enumerate().filter(|(i, _)| single(i));
    let discs: Vec<Disc> = spheres.filter_map(|(_, sphere)| disc(sphere)).collect();
    let rows = discs.iter().map(|disc| {
        let reach = disc.radius.max(1.0) + 1.0;
        ((disc.y - reach).floor() as i32, (disc.y + reach).ceil() as i32)
    });
    let bins = Bins::new(canvas.height, STRIP, rows);
    let width = canvas.width;
    for_strips(&mut canvas.light, width * STRIP, |index, light| {
        let mut strip = Strip { width, first_row: index * STRIP, light };
        for shape in &shapes {
            strip.fill(shape);
        }
        strip.draw_small(bins.strip(index).map(|i| &discs[i]).filter(|d| d.radius < SMALL));
        for disc in bins.strip(index).map(|i| &discs[i]).filter(|d| d.radius >= SMALL) {
            strip.draw_disc(disc);
        }
        for shape in &shapes {
            strip.draw_edges(shape);
        }
    });
}

/// A body in the picture [px].
struct Shape {
    triangles: Vec<[DVec2; 3]>,
    /// Corners of the box around the triangles.
    low: DVec2,
    high: DVec2,
    lines: Vec<Line>,
    color: Vec3,
}

impl Shape {
    fn new(body: &BodyMesh, place: &impl Fn(f64, f64) -> DVec2, height: f64) -> Self {
        let points: Vec<DVec2> = body.positions.iter().map(|p| place(p.x, p.y)).collect();
        let color = body.color.to_linear();
        let half = (height / 720.0 * 0.6).max(0.5);
        let line = |edge: &[u32; 2]| Line {
            ends: edge.map(|i| points[i as usize]),
            inverse: [0.0; 2],
            color: color * 0.35,
            half,
            strength: 0.8,
        };
        let solid = matches!(body.style, BodyStyle::Solid | BodyStyle::Ground);
        let filled = if solid { &body.triangles[..] } else { &[] };
        let triangles: Vec<_> = filled.iter().map(|t| t.map(|i| points[i as usize])).collect();
        let corners = || triangles.iter().flatten();
        Self {
            low: corners().fold(DVec2::INFINITY, |low, &p| low.min(p)),
            high: corners().fold(DVec2::NEG_INFINITY, |high, &p| high.max(p)),
            triangles,
            lines: body.edges.iter().map(line).collect(),
            color,
        }
    }
}

/// Some rows of pixels.
struct Strip<'a> {
    width: usize,
    first_row: usize,
    light: &'a mut [Vec3],
}

impl Strip<'_> {
    fn row_count(&self) -> usize {
        self.light.len() / self.width
    }

    /// Fills the triangles of a body. Coverage is taken in four lines a row and exactly along
    /// each, in units of a quarter of a pixel, and all triangles of a body share it.
    fn fill(&mut self, shape: &Shape) {
        let left = shape.low.x.floor().max(0.0) as usize;
        let right = (shape.high.x.ceil().max(0.0) as usize).min(self.width);
        let top = shape.low.y.floor().max(self.first_row as f64) as usize;
        let bottom = shape.high.y.ceil().max(0.0) as usize;
        let bottom = bottom.min(self.first_row + self.row_count());
        if left >= right || top >= bottom {
            return;
        }
        let mut covered = vec![0_u16; right - left];
        for y in top..bottom {
            for triangle in &shape.triangles {
                for line in 0..4 {
                    let (from, to) = crossing(triangle, y as f64 + (line as f64 + 0.5) / 4.0);
                    let first = (from * 4.0 - 0.5 - 1e-6).ceil().max(left as f64 * 4.0) as usize;
                    let end = ((to * 4.0 - 0.5 + 1e-6).floor() + 1.0).max(0.0) as usize;
                    for quarter in first..end.min(right * 4) {
                        covered[quarter / 4 - left] |= 1 << (quarter % 4 * 4 + line);
                    }
                }
            }
            let start = (y - self.first_row) * self.width + left;
            for (pixel, mask) in self.light[start..].iter_mut().zip(&mut covered) {
                let part = std::mem::take(mask).count_ones() as f32 / 16.0;
                *pixel = pixel.lerp(shape.color, part);
            }
        }
    }

    fn draw_edges(&mut self, shape: &Shape) {
        let end = self.first_row + self.row_count();
        for line in &shape.lines {
            let (first, last) = line.rows();
            let first = (first.max(0) as usize).max(self.first_row);
            for y in first..end.min((last + 1).max(0) as usize) {
                let start = (y - self.first_row) * self.width;
                line.draw(&mut self.light[start..start + self.width], y, |_, _| 1.0);
            }
        }
    }

    /// The pixels within reach of a place: index, and offset of their middles from it.
    fn around(
        &self,
        x: f32,
        y: f32,
        reach: f32,
    ) -> impl Iterator<Item = (usize, f32, f32)> + use<> {
        let (width, first_row) = (self.width, self.first_row);
        let low = (y - reach - 0.5).ceil().max(first_row as f32) as usize;
        let high = ((y + reach + 0.5).floor().max(0.0) as usize).min(first_row + self.row_count());
        let left = (x - reach - 0.5).ceil().max(0.0) as usize;
        let right = ((x + reach + 0.5).floor().max(0.0) as usize).min(width);
        (low..high).flat_map(move |row| {
            let dy = row as f32 + 0.5 - y;
            (left..right).map(move |column| {
                ((row - first_row) * width + column, column as f32 + 0.5 - x, dy)
            })
        })
    }

    /// Sums up the colours of small discs and the area they cover, and puts the mean colour on
    /// the part that is covered.
    fn draw_small<'d>(&mut self, discs: impl Iterator<Item = &'d Disc>) {
        let mut sums: Vec<(Vec3, f32)> = Vec::new();
        for disc in discs {
            sums.resize(self.light.len(), (Vec3::ZERO, 0.0));
            // A disc below a pixel is spread over a pixel, with less weight.
            let radius = disc.radius.max(0.8);
            let weight = (disc.radius / radius).powi(2);
            for (i, dx, dy) in self.around(disc.x, disc.y, radius + 0.5) {
                let away = (dx * dx + dy * dy).sqrt();
                let part = (radius + 0.5 - away).clamp(0.0, 1.0) * weight;
                // A little darker towards the edge, which hints at the single disc.
                let tone = 1.0 - 0.22 * (away / radius).min(1.0).powi(2) * (radius / SMALL);
                sums[i].0 += disc.color * (part * tone);
                sums[i].1 += part;
            }
        }
        for (pixel, (sum, area)) in self.light.iter_mut().zip(sums) {
            if area > 0.0 {
                *pixel = pixel.lerp(sum / area, area.min(1.0));
            }
        }
    }

    /// A disc with a soft light from the upper left, and an outline if there is room for it.
    fn draw_disc(&mut self, disc: &Disc) {
        let radius = disc.radius;
        let outline_width = (0.09 * radius).clamp(0.7, 2.2);
        let outline_strength = ((radius - SMALL) / 2.5).clamp(0.0, 1.0) * 0.55 + 0.15;
        for (i, dx, dy) in self.around(disc.x, disc.y, radius + 0.5) {
            let away = (dx * dx + dy * dy).sqrt();
            let part = (radius + 0.5 - away).clamp(0.0, 1.0);
            if part <= 0.0 {
                continue;
            }
            let lit = -(0.6 * dx + 0.8 * dy) / radius;
            let round = 1.0 - (away / radius).min(1.0).powi(2);
            let inner = disc.color * (0.9 + 0.12 * lit + 0.10 * round) + 0.02 * round;
            let rim = (away - (radius - outline_width) + 0.5).clamp(0.0, 1.0) * outline_strength;
            let color = inner.lerp(disc.color * 0.30, rim);
            self.light[i] = self.light[i].lerp(color, part);
        }
    }
}
