//! Letters. The font is Noto Sans Regular by Google, under the SIL Open Font License 1.1, which
//! the crate `notosans` brings along; no font of the system is needed.

use ab_glyph::{Font, FontRef, GlyphId, Point, PxScale, ScaleFont};

use crate::{Color, Image};

/// A letter of a laid out text [px].
struct Glyph {
    id: GlyphId,
    /// From the beginning of the text.
    x: f32,
    size: f32,
    /// Above the line.
    raise: f32,
}

/// Writes on images.
pub(crate) struct Writer {
    font: FontRef<'static>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        let font = FontRef::try_from_slice(notosans::REGULAR_TTF);
        Self { font: font.expect("the embedded font is a font") }
    }

    /// The glyphs of a text and its width [px].
    fn layout(&self, text: &str, size: f32) -> (Vec<Glyph>, f32) {
        let mut glyphs: Vec<Glyph> = Vec::new();
        let mut x = 0.0;
        for letter in text.chars() {
            // The font has raised digits but no raised minus.
            let (letter, size, raise) = match letter {
                '\u{207b}' => ('\u{2212}', 0.62 * size, 0.32 * size),
                other => (other, size, 0.0),
            };
            let font = self.font.as_scaled(self.scale(size));
            let id = font.glyph_id(letter);
            if let Some(last) = glyphs.last() {
                x += font.kern(last.id, id);
            }
            glyphs.push(Glyph { id, x, size, raise });
            x += font.h_advance(id);
        }
        (glyphs, x)
    }

    /// The scale at which an em is `size` pixels; the library counts from top to bottom instead.
    fn scale(&self, size: f32) -> PxScale {
        let em = self.font.units_per_em().unwrap_or(1000.0);
        PxScale::from(size * self.font.height_unscaled() / em)
    }

    /// Width of a text [px]; `size` is the size of the font [px].
    pub(crate) fn width(&self, text: &str, size: f32) -> f32 {
        self.layout(text, size).1
    }

    /// Writes a text that begins at `x` and stands on the line `y` [px].
    pub(crate) fn write(
        &self,
        image: &mut Image,
        text: &str,
        (x, y): (f32, f32),
        size: f32,
        ink: Color,
    ) {
        let (width, height) = (image.width() as i32, image.height() as i32);
        for glyph in self.layout(text, size).0 {
            let place = Point { x: x + glyph.x, y: y.round() - glyph.raise };
            let placed = glyph.id.with_scale_and_position(self.scale(glyph.size), place);
            let Some(outline) = self.font.outline_glyph(placed) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, part| {
                let (px, py) = (corner.x as i32 + dx as i32, corner.y as i32 + dy as i32);
                if (0..width).contains(&px) && (0..height).contains(&py) {
                    blend(image, px as usize, py as usize, ink, part);
                }
            });
        }
    }
}

/// Covers part of a pixel. Mixed in stored values, not in light, as is usual for letters: dark
/// letters on light paper look too thin otherwise.
pub(crate) fn blend(image: &mut Image, x: usize, y: usize, ink: Color, part: f32) {
    let at = (y * image.width() as usize + x) * 3;
    let part = part.clamp(0.0, 1.0);
    for (old, new) in image.rgb_mut()[at..at + 3].iter_mut().zip(ink.bytes()) {
        *old = (f32::from(*old) * (1.0 - part) + f32::from(new) * part).round() as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_all_signs_of_units_and_numbers() {
        let writer = Writer::new();
        let signs = "abcXYZäöüß0123456789 .,:;-−+=()[]/%°µ·×²³¹⁰⁴⁵⁶⁷⁸⁹ρνηλ";
        let missing: String =
            signs.chars().filter(|&c| writer.font.glyph_id(c) == GlyphId(0)).collect();
        assert_eq!(missing, "");
    }

    #[test]
    fn text_marks_pixels_where_it_stands() {
        let writer = Writer::new();
        let mut image = Image::from_rgb(100, 40, vec![255; 100 * 40 * 3]).unwrap();
        writer.write(&mut image, "Hx", (10.0, 30.0), 20.0, Color::rgb(0, 0, 0));
        let dark = |x: u32, y: u32| image.pixel(x, y)[0] < 128;
        let columns: Vec<u32> = (0..100).filter(|&x| (0..40).any(|y| dark(x, y))).collect();
        let rows: Vec<u32> = (0..40).filter(|&y| (0..100).any(|x| dark(x, y))).collect();
        assert!(columns[0] >= 10 && columns[0] <= 14, "{columns:?}");
        assert!(*columns.last().unwrap() as f32 <= 10.0 + writer.width("Hx", 20.0));
        assert!(rows[0] >= 14 && rows[0] <= 17 && *rows.last().unwrap() == 29, "{rows:?}");
    }

    #[test]
    fn text_outside_of_the_picture_is_cut_off() {
        let writer = Writer::new();
        let mut image = Image::new(8, 8);
        writer.write(&mut image, "Wide text", (-20.0, 4.0), 30.0, Color::WHITE);
    }
}
