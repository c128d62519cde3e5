//! Title, time stamp and colour bar.

use super::axes;
use crate::text::{Writer, blend};
use crate::{Color, ColorBar, Image, Overlay, Picture};

/// The colours of the writing, which depend on what lies below.
struct Inks {
    ink: Color,
    panel: Color,
    panel_strength: f32,
}

/// A rectangle [px].
#[derive(Clone, Copy)]
struct Area {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

/// Writes the overlay. All sizes grow with the height of the picture.
pub(crate) fn write(image: &mut Image, picture: &Picture) {
    let Picture { overlay, background, camera, .. } = picture;
    if *overlay == Overlay::default() {
        return;
    }
    let dark = background.top.mix(background.bottom, 0.5).lightness() < 0.5;
    let inks = if dark {
        Inks { ink: Color::hex(0xeef2f6), panel: Color::hex(0x10161d), panel_strength: 0.6 }
    } else {
        Inks { ink: Color::hex(0x24303c), panel: Color::WHITE, panel_strength: 0.7 }
    };
    let unit = (image.height() as f32 / 720.0).max(0.4);
    // Text remains legible in small pictures.
    let height = 720.0 * unit;
    let layout = &overlay.layout;
    if let Some(axes) = &overlay.axes {
        axes::write(image, axes, camera, (layout.text_size * height, inks.ink));
    }
    let page = Page { writer: Writer::new(), inks, unit };
    for (text, place) in &overlay.labels {
        if let Some((at, _)) = camera.project(*place, image.width(), image.height()) {
            page.label(image, text, 20.0 * unit, Place::Middle((at.x as f32, at.y as f32)));
        }
    }
    let at = |[x, y]: [f32; 2]| (x * height, y * height);
    if let Some(title) = &overlay.title {
        let (place, size) = layout.title;
        page.label(image, title, size * height, Place::Left(at(place)));
    }
    let (place, size) = layout.lines;
    for (k, line) in overlay.lines.iter().enumerate() {
        let (x, y) = at(place);
        let y = y + k as f32 * layout.distance * height;
        page.label(image, line, size * height, Place::Left((x, y)));
    }
    if let Some(stamp) = &overlay.time_stamp {
        page.label(image, stamp, 22.0 * unit, Place::Right(24.0 * unit));
    }
    if let Some(pace) = &overlay.pace {
        page.label(image, pace, 15.0 * unit, Place::Right(70.0 * unit));
    }
    if let Some(bar) = &overlay.color_bar {
        page.color_bar(image, bar, layout.text_size * height);
    }
}

/// Where a label stands.
enum Place {
    /// Its upper left corner [px].
    Left((f32, f32)),
    /// Its middle [px].
    Middle((f32, f32)),
    /// At the right edge, so far from the top [px].
    Right(f32),
}

struct Page {
    writer: Writer,
    inks: Inks,
    unit: f32,
}

impl Page {
    fn label(&self, image: &mut Image, text: &str, size: f32, place: Place) {
        let margin = 24.0 * self.unit;
        let pad = 0.5 * size;
        let height = 1.75 * size;
        let width = self.writer.width(text, size) + 2.0 * pad;
        let (x, y) = match place {
            Place::Left(corner) => corner,
            Place::Middle((x, y)) => (x - width / 2.0, y - height / 2.0),
            Place::Right(y) => (image.width() as f32 - margin - width, y),
        };
        self.panel(image, Area { x, y, width, height });
        let base = y + height / 2.0 + 0.355 * size;
        self.writer.write(image, text, (x + pad, base), size, self.inks.ink);
    }

    /// The label on top, the colours below it, the values at their right.
    fn color_bar(&self, image: &mut Image, bar: &ColorBar, size: f32) {
        let unit = self.unit;
        let (pad, margin) = (14.0 * unit, 24.0 * unit);
        let ticks = bar.ticks();
        let widest = ticks.iter().map(|(_, t)| self.writer.width(t, size)).fold(0.0, f32::max);
        let (bar_width, gap) = (20.0 * unit, 12.0 * unit);
        let label_width = self.writer.width(&bar.label, size);
        let inner = label_width.max(bar_width + gap + widest);
        let bar_height = (image.height() as f32 * 0.40).round();
        let head = if bar.label.is_empty() { 0.0 } else { 1.9 * size };
        let width = inner + 2.0 * pad;
        let height = bar_height + head + 2.0 * pad;
        let x = image.width() as f32 - margin - width;
        let y = (image.height() as f32 - height) / 2.0;
        self.panel(image, Area { x, y, width, height });
        self.writer.write(image, &bar.label, (x + pad, y + pad + 0.75 * size), size, self.inks.ink);

        let colors = Area {
            x: (x + pad).round(),
            y: (y + pad + head).round(),
            width: bar_width.round(),
            height: bar_height,
        };
        let corner = 3.0 * unit;
        fill(image, colors, corner, 1.0, |_, py| {
            bar.map.color(f64::from(1.0 - (py - colors.y) / colors.height))
        });
        for (value, text) in ticks {
            let fraction = bar.scale.fraction(value, bar.low, bar.high) as f32;
            let line = colors.y + colors.height * (1.0 - fraction);
            let right = colors.x + colors.width;
            let thick = (1.3 * unit).max(1.0);
            let mark = Area { x: right, y: line - thick / 2.0, width: 5.0 * unit, height: thick };
            fill(image, mark, 0.0, 0.8, |_, _| self.inks.ink);
            let base = line + 0.355 * size;
            self.writer.write(image, &text, (right + gap, base), size, self.inks.ink);
        }
    }

    fn panel(&self, image: &mut Image, area: Area) {
        let strength = self.inks.panel_strength;
        fill(image, area, 8.0 * self.unit, strength, |_, _| self.inks.panel);
    }
}

/// Fills a rectangle with rounded corners.
fn fill(
    image: &mut Image,
    area: Area,
    corner: f32,
    strength: f32,
    color: impl Fn(f32, f32) -> Color,
) {
    let first = |from: f32| from.floor().max(0.0) as usize;
    let end = |to: f32, limit: u32| (to.ceil().max(0.0) as usize).min(limit as usize);
    let (half_x, half_y) = (area.width / 2.0, area.height / 2.0);
    for y in first(area.y)..end(area.y + area.height, image.height()) {
        for x in first(area.x)..end(area.x + area.width, image.width()) {
            let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
            // Distance from the rounded rectangle, negative inside.
            let dx = (px - area.x - half_x).abs() - half_x + corner;
            let dy = (py - area.y - half_y).abs() - half_y + corner;
            let outside = (dx.max(0.0).powi(2) + dy.max(0.0).powi(2)).sqrt();
            let distance = outside + dx.max(dy).min(0.0) - corner;
            let part = (0.5 - distance).clamp(0.0, 1.0);
            if part > 0.0 {
                blend(image, x, y, color(px, py), part * strength);
            }
        }
    }
}
