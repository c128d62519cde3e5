//! White paper for plots: lines, filled shapes and words with smooth edges.

use crate::text::{Writer, blend};
use crate::{Color, Image};
use glam::Vec2;

/// A sheet of paper. Places and sizes are pixels times a scale.
pub struct Sheet {
    image: Image,
    writer: Writer,
    scale: f32,
}

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl Sheet {
    /// An empty sheet; one unit of length is `scale` pixels.
    pub fn new(width: f64, height: f64, scale: f64) -> Self {
        let [width, height] = [width, height].map(|x| (x * scale).ceil() as u32);
        let white = vec![255; width as usize * height as usize * 3];
        let image =
            Image::from_rgb(width, height, white).unwrap_or_else(|_| Image::new(width, height));
        Self { image, writer: Writer::new(), scale: scale as f32 }
    }

    /// A straight line with round ends.
    pub fn line(&mut self, ends: [[f64; 2]; 2], width: f64, color: Color) {
        let [a, b] = ends.map(|p| self.place(p));
        let (along, half) = (b - a, 0.5 * width as f32 * self.scale);
        let square = along.length_squared().max(f32::MIN_POSITIVE);
        self.cover(a.min(b) - half, a.max(b) + half, color, |p| {
            let nearest = a + along * ((p - a).dot(along) / square).clamp(0.0, 1.0);
            p.distance(nearest) - half
        });
    }

    /// A filled convex polygon.
    pub fn fill(&mut self, corners: &[[f64; 2]], color: Color) {
        let corners: Vec<Vec2> = corners.iter().map(|&p| self.place(p)).collect();
        let Some((&first, &last)) = corners.first().zip(corners.last()) else { return };
        let (min, max) =
            corners.iter().fold((first, first), |(min, max), &p| (min.min(p), max.max(p)));
        let edges = || std::iter::once(&last).chain(&corners).zip(&corners);
        let area: f32 = edges().map(|(a, b)| (*a - first).perp_dot(*b - first)).sum();
        if area.abs() < f32::MIN_POSITIVE {
            return;
        }
        self.cover(min, max, color, |p| {
            let depth = |(a, b): (&Vec2, &Vec2)| (*b - *a).normalize_or_zero().perp_dot(p - *a);
            -edges().map(|edge| area.signum() * depth(edge)).fold(f32::INFINITY, f32::min)
        });
    }

    /// A line of writing; `place` is on its base line.
    pub fn write(&mut self, text: &str, place: [f64; 2], anchor: Anchor, size: f64, color: Color) {
        let (at, size) = (self.place(place), size as f32 * self.scale);
        let part = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        };
        let x = at.x - part * self.writer.width(text, size);
        self.writer.write(&mut self.image, text, (x, at.y), size, color);
    }

    /// The picture.
    pub fn finish(self) -> Image {
        self.image
    }

    fn place(&self, [x, y]: [f64; 2]) -> Vec2 {
        self.scale * Vec2::new(x as f32, y as f32)
    }

    /// Colours what lies within a shape between two corners; `distance` is negative inside of it.
    fn cover(&mut self, min: Vec2, max: Vec2, color: Color, distance: impl Fn(Vec2) -> f32) {
        let end = |x: f32, limit: u32| (x.ceil().max(0.0) as usize + 1).min(limit as usize);
        let first = |x: f32| (x.floor().max(1.0) - 1.0) as usize;
        for y in first(min.y)..end(max.y, self.image.height()) {
            for x in first(min.x)..end(max.x, self.image.width()) {
                let part = 0.5 - distance(Vec2::new(x as f32 + 0.5, y as f32 + 0.5));
                if part > 0.0 {
                    blend(&mut self.image, x, y, color, part);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ink in pixels, as if all were black.
    fn ink(draw: impl Fn(&mut Sheet)) -> f64 {
        let mut sheet = Sheet::new(20.0, 20.0, 2.0);
        draw(&mut sheet);
        let image = sheet.finish();
        assert_eq!((image.width(), image.height()), (40, 40));
        image.rgb().iter().map(|&byte| 1.0 - f64::from(byte) / 255.0).sum::<f64>() / 3.0
    }

    #[test]
    fn shapes_cover_their_areas() {
        let black = Color::rgb(0, 0, 0);
        let corners = [[5.0, 5.0], [15.0, 5.0], [15.0, 10.0], [5.0, 10.0]];
        assert!((ink(|s| s.fill(&corners, black)) - 200.0).abs() < 1.0);
        let mut backwards = corners;
        backwards.reverse();
        assert!((ink(|s| s.fill(&backwards, black)) - 200.0).abs() < 1.0);
        assert!((ink(|s| s.fill(&corners[..3], black)) - 100.0).abs() < 4.0);
        // A line with round ends: 10 × 2 and a circle, in pixels of half a unit.
        let line = ink(|s| s.line([[5.0, 9.0], [15.0, 9.0]], 2.0, black));
        assert!((line - 4.0 * (20.0 + std::f64::consts::PI)).abs() < 1.5, "{line}");
    }

    #[test]
    fn what_lies_outside_is_cut_off() {
        let black = Color::rgb(0, 0, 0);
        assert!(ink(|s| s.line([[-30.0, -9.0], [-5.0, -9.0]], 2.0, black)) < 1e-9);
        assert!(ink(|s| s.fill(&[[30.0, 30.0], [40.0, 30.0], [30.0, 40.0]], black)) < 1e-9);
        assert!(ink(|s| s.fill(&[], black)) < 1e-9);
    }

    #[test]
    fn words_stand_where_their_anchor_says() {
        let left = |anchor| {
            let mut sheet = Sheet::new(40.0, 20.0, 1.0);
            sheet.write("HH", [20.0, 15.0], anchor, 10.0, Color::rgb(0, 0, 0));
            let image = sheet.finish();
            (0..40).find(|&x| (0..20).any(|y| image.pixel(x, y)[0] < 128)).unwrap()
        };
        let [start, middle, end] = [Anchor::Start, Anchor::Middle, Anchor::End].map(left);
        assert!(start > middle && middle > end && start >= 20, "{start} {middle} {end}");
    }
}
