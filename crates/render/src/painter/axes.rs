//! Axis labels along the edges of a box.

use glam::{DVec2, DVec3};

use super::lines::Line;
use crate::scale::ColorScale;
use crate::text::Writer;
use crate::{Axes, Camera, Color, Image};

/// An axis in the picture.
struct Axis {
    /// Where it begins and ends [px].
    ends: [DVec2; 2],
    /// Away from the box.
    out: DVec2,
}

/// Writes ticks, numbers and names at three edges of the box, in a plane at two.
pub(super) fn write(image: &mut Image, axes: &Axes, camera: &Camera, (size, ink): (f32, Color)) {
    let unit = (f64::from(image.height()) / 720.0).max(0.4);
    let writer = Writer::new();
    // Slightly smaller than the text of the colour bar.
    let size = f64::from(size) * 8.0 / 9.0;
    for (k, name) in ["x", "y", "z"].into_iter().enumerate() {
        let Some(axis) = place(axes, camera, k, (image.width(), image.height())) else { continue };
        let [from, to] = axis.ends;
        let (low, high) = (axes.labels.min[k], axes.labels.max[k]);
        let mut widest = 0.0_f64;
        for (value, text) in ColorScale::Linear.ticks(low, high) {
            let fraction = (value - low) / (high - low);
            if !(-1e-9..=1.0 + 1e-9).contains(&fraction) {
                continue;
            }
            let at = from.lerp(to, fraction);
            tick(image, [at, at + axis.out * 7.0 * unit], unit, ink);
            let width = f64::from(writer.width(&text, size as f32));
            widest = widest.max(width * axis.out.x.abs() + size * axis.out.y.abs());
            let reach = 11.0 * unit + half_extent(width, 0.72 * size, axis.out);
            centered(image, &writer, &text, (at + axis.out * reach, size), ink);
        }
        let text = if axes.labels == axes.bounds { format!("{name} [m]") } else { name.to_owned() };
        let width = f64::from(writer.width(&text, size as f32));
        let reach = 22.0 * unit + widest + half_extent(width, 0.72 * size, axis.out);
        centered(image, &writer, &text, (from.lerp(to, 0.5) + axis.out * reach, size), ink);
    }
}

/// How far a text reaches from its middle in a direction [px].
fn half_extent(width: f64, height: f64, out: DVec2) -> f64 {
    0.5 * (width * out.x.abs() + height * out.y.abs())
}

/// Writes a text around a place.
fn centered(image: &mut Image, writer: &Writer, text: &str, (at, size): (DVec2, f64), ink: Color) {
    let width = writer.width(text, size as f32);
    let corner = (at.x as f32 - width / 2.0, (at.y + 0.36 * size) as f32);
    writer.write(image, text, corner, size as f32, ink);
}

/// Draws a short stroke.
fn tick(image: &mut Image, ends: [DVec2; 2], unit: f64, ink: Color) {
    let half = (0.6 * unit).max(0.5);
    let line = Line { ends, inverse: [0.0; 2], color: glam::Vec3::ONE, half, strength: 1.0 };
    let (first, last) = line.rows();
    let (width, height) = (image.width() as usize, image.height() as i32);
    for y in first.max(0)..(last + 1).clamp(0, height) {
        let mut row = vec![glam::Vec3::ZERO; width];
        line.draw(&mut row, y as usize, |_, _| 1.0);
        for (x, part) in row.iter().enumerate().filter(|(_, part)| part.x > 0.0) {
            crate::text::blend(image, x, y as usize, ink, part.x);
        }
    }
}

/// The edge along axis `k` that stands free in the picture: the lowest of the level ones, the
/// leftmost of the upright ones. None if it cannot be seen, or is seen end on.
fn place(axes: &Axes, camera: &Camera, k: usize, (width, height): (u32, u32)) -> Option<Axis> {
    let (low, high) = (axes.bounds.min, axes.bounds.max);
    let planar = matches!(camera, Camera::Planar(_));
    if planar && k == 2 {
        return None;
    }
    let seen = |p: DVec3| camera.project(p, width, height).map(|(place, _)| place);
    let corner = |a: bool, b: bool| {
        let mut p = low;
        for (axis, upper) in [((k + 1) % 3, a), ((k + 2) % 3, b)] {
            p[axis] = if upper { high[axis] } else { low[axis] };
        }
        p
    };
    let mut edges = Vec::new();
    for (a, b) in [(false, false), (true, false), (false, true), (true, true)] {
        let from = corner(a, b);
        let mut to = from;
        to[k] = high[k];
        edges.push([seen(from)?, seen(to)?]);
    }
    let total: DVec2 = edges.iter().map(|[from, to]| (*to - *from).abs()).sum();
    let merit = |[from, to]: &[DVec2; 2]| {
        let middle = from.midpoint(*to);
        if total.y > total.x { -middle.x } else { middle.y }
    };
    let ends = edges.into_iter().max_by(|a, b| merit(a).total_cmp(&merit(b)))?;
    let along = (ends[1] - ends[0]).try_normalize().filter(|_| ends[0].distance(ends[1]) > 20.0)?;
    let center = seen(axes.bounds.center())?;
    let across = along.perp();
    let outward = if across.dot(ends[0] - center) < 0.0 { -across } else { across };
    Some(Axis { ends, out: outward })
}
