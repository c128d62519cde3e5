//! Images as brightness and colour differences, as used in video.

use crate::Image;

/// One plane of brightness and two of colour difference at half the width and height.
pub(super) struct Planes {
    pub(super) y: Vec<u8>,
    pub(super) u: Vec<u8>,
    pub(super) v: Vec<u8>,
}

impl Planes {
    /// Planes for a size, which must be even.
    pub(super) fn new(width: u32, height: u32) -> Self {
        let pixels = width as usize * height as usize;
        Self { y: vec![0; pixels], u: vec![0; pixels / 4], v: vec![0; pixels / 4] }
    }

    /// Takes an image of that size: ITU-R BT.709, limited range.
    pub(super) fn fill(&mut self, image: &Image) {
        let width = image.width() as usize;
        let pairs = image.rgb().chunks_exact(width * 6);
        for (j, rows) in pairs.enumerate() {
            for i in 0..width / 2 {
                let mut sum = [0.0_f32; 3];
                for (dy, dx) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let x = 2 * i + dx;
                    let at = (dy * width + x) * 3;
                    let rgb = [rows[at], rows[at + 1], rows[at + 2]].map(f32::from);
                    let y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
                    self.y[(2 * j + dy) * width + x] = (16.5 + y * (219.0 / 255.0)) as u8;
                    sum = std::array::from_fn(|k| sum[k] + rgb[k]);
                }
                let [r, g, b] = sum.map(|x| x / 4.0);
                let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
                let at = j * (width / 2) + i;
                self.u[at] = (128.5 + (b - y) / 1.8556 * (224.0 / 255.0)) as u8;
                self.v[at] = (128.5 + (r - y) / 1.5748 * (224.0 / 255.0)) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rgb: [u8; 3]) -> [u8; 3] {
        let image = Image::from_rgb(2, 2, rgb.repeat(4)).unwrap();
        let mut planes = Planes::new(2, 2);
        planes.fill(&image);
        [planes.y[3], planes.u[0], planes.v[0]]
    }

    #[test]
    fn known_colors_have_known_values() {
        assert_eq!(of([0, 0, 0]), [16, 128, 128]);
        assert_eq!(of([255, 255, 255]), [235, 128, 128]);
        assert_eq!(of([255, 0, 0]), [63, 102, 240]);
        assert_eq!(of([0, 0, 255]), [32, 240, 118]);
    }
}
