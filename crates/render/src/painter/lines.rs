//! Thin lines with smooth edges.

use glam::{DVec2, Vec3};

use super::canvas::Canvas;
use super::parallel::{Bins, for_strips};
use super::samples::Samples;
use super::view::View;
use crate::{BodyStyle, HiddenLines, Picture};

/// A line in the picture [px].
pub(super) struct Line {
    pub(super) ends: [DVec2; 2],
    /// Inverse depths of the ends [1/m], zero in planar pictures.
    pub(super) inverse: [f64; 2],
    pub(super) color: Vec3,
    /// Half of its width [px].
    pub(super) half: f64,
    /// How much it covers what lies below.
    pub(super) strength: f32,
}

impl Line {
    /// First and last row it can touch.
    pub(super) fn rows(&self) -> (i32, i32) {
        span(self.ends[0].y, self.ends[1].y, self.half)
    }

    /// Columns it can touch in a row.
    fn columns(&self, y: f64, width: usize) -> std::ops::Range<usize> {
        let [a, b] = self.ends;
        let rise = b.y - a.y;
        let reach = self.half + 1.0;
        let (mut low, mut high) = (a.x.min(b.x), a.x.max(b.x));
        if rise.abs() > 1e-6 {
            let at = |y: f64| a.x + (b.x - a.x) * ((y - a.y) / rise).clamp(0.0, 1.0);
            let (p, q) = (at(y - reach), at(y + reach));
            (low, high) = (low.max(p.min(q)), high.min(p.max(q)));
        }
        let (first, last) = span(low, high, self.half);
        first.max(0) as usize..((last + 1).max(0) as usize).min(width)
    }

    /// The part of a pixel it covers, and its inverse depth there.
    fn cover(&self, x: f64, y: f64) -> (f32, f64) {
        let [a, b] = self.ends;
        let along = b - a;
        let p = DVec2::new(x, y) - a;
        let length2 = along.length_squared();
        let fraction = if length2 > 0.0 { (p.dot(along) / length2).clamp(0.0, 1.0) } else { 0.0 };
        let away = (p - along * fraction).length();
        let part = (self.half + 0.5 - away).clamp(0.0, 1.0) as f32;
        (part, self.inverse[0] + (self.inverse[1] - self.inverse[0]) * fraction)
    }

    /// Draws the part of the line in a row of pixels; `visible` is which part of a pixel is
    /// not hidden from a line with the given inverse depth.
    pub(super) fn draw(&self, row: &mut [Vec3], y: usize, visible: impl Fn(usize, f64) -> f32) {
        let middle = y as f64 + 0.5;
        for x in self.columns(middle, row.len()) {
            let (part, inverse) = self.cover(x as f64 + 0.5, middle);
            if part > 0.0 {
                let fraction = part * self.strength * visible(x, inverse);
                row[x] = row[x].lerp(self.color, fraction);
            }
        }
    }
}

/// First and last pixel between two places, widened by the width of a line.
fn span(a: f64, b: f64, half: f64) -> (i32, i32) {
    ((a.min(b) - half - 1.0).floor() as i32, (a.max(b) + half + 1.0).ceil() as i32)
}

/// Draws the edges of all bodies of a picture in space; `may` says at which pixels a line at a depth is drawn.
pub(super) fn draw_edges(
    picture: &Picture,
    view: &View,
    samples: &Samples,
    fineness: usize,
    may: impl Fn(usize, f32) -> bool + Sync,
    canvas: &mut Canvas,
) {
    let half = (canvas.height as f64 / 720.0 * 0.6).max(0.5);
    let mut lines = Vec::new();
    for body in &picture.bodies {
        let points: Vec<Vec3> = body.positions.iter().map(|&p| view.point(p)).collect();
        let strength = match body.style {
            BodyStyle::SeeThrough => 0.75,
            BodyStyle::Paper => 0.9,
            BodyStyle::Solid | BodyStyle::Wire | BodyStyle::Ground => 0.6,
        };
        for edge in &body.edges {
            let [a, b] = edge.map(|i| points[i as usize]);
            let Some((a, b)) = beyond(a, b, view.near) else { continue };
            lines.push(Line {
                ends: [a, b].map(|p| view.project(p) / fineness as f64),
                inverse: [a, b].map(|p| 1.0 / f64::from(p.z)),
                color: body.color.to_linear() * 0.28,
                half,
                strength,
            });
        }
    }
    let hidden = match picture.hidden_lines {
        HiddenLines::Off => 0.0,
        HiddenLines::Faint => 0.3,
        HiddenLines::On => 1.0,
    };
    let width = canvas.width;
    let bins = Bins::new(canvas.height, 1, lines.iter().map(Line::rows));
    for_strips(&mut canvas.light, width, |y, row| {
        for i in bins.strip(y) {
            lines[i].draw(row, y, |x, inverse| {
                // A line on a face is to be seen: it is drawn a little nearer than it is.
                let depth = (1.0 / inverse * 0.998) as f32;
                if !may(y * width + x, depth) {
                    return 0.0;
                }
                let mut open = 0;
                for v in y * fineness..(y + 1) * fineness {
                    let start = v * samples.columns + x * fineness;
                    let part = &samples.seen[start..start + fineness];
                    open += part.iter().filter(|sample| sample.depth >= depth).count();
                }
                let open = open as f32 / (fineness * fineness) as f32;
                open + (1.0 - open) * hidden
            });
        }
    });
}

/// The part of a line beyond the near plane.
fn beyond(a: Vec3, b: Vec3, near: f32) -> Option<(Vec3, Vec3)> {
    let cut = || a.lerp(b, (near - a.z) / (b.z - a.z)).with_z(near);
    match (a.z >= near, b.z >= near) {
        (true, true) => Some((a, b)),
        (true, false) => Some((a, cut())),
        (false, true) => Some((cut(), b)),
        (false, false) => None,
    }
}
