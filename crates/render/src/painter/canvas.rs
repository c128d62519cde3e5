//! The picture in the making, as amounts of light.

use glam::Vec3;

use super::parallel::for_strips;
use crate::color::Encoder;
use crate::{Background, Image};

/// Amounts of light, row by row from the top.
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) light: Vec<Vec3>,
}

impl Canvas {
    /// A canvas that shows the background only.
    pub(crate) fn new(width: usize, height: usize, background: &Background) -> Self {
        let mut light = Vec::with_capacity(width * height);
        for y in 0..height {
            light.resize((y + 1) * width, background_light(background, y, height));
        }
        Self { width, height, light }
    }

    /// The canvas as bytes. An ordered pattern of less than a step of a byte keeps the soft
    /// gradients free of bands.
    pub(crate) fn develop(&self) -> Image {
        let mut image = Image::new(self.width as u32, self.height as u32);
        let encoder = Encoder::new();
        for_strips(image.rgb_mut(), self.width * 3, |y, row| {
            let light = &self.light[y * self.width..][..self.width];
            for (x, (pixel, &light)) in row.chunks_exact_mut(3).zip(light).enumerate() {
                let threshold = (BAYER[y & 3][x & 3] as f32 + 0.5) / 16.0 - 0.5;
                // One step of a byte near white is about 1/115 of the light there.
                let dithered = light * (1.0 + threshold / 115.0);
                pixel.copy_from_slice(&encoder.encode(dithered));
            }
        });
        image
    }
}

/// The order in which a pattern of four by four pixels fills up.
const BAYER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// The light of the background in a row.
pub(super) fn background_light(background: &Background, y: usize, height: usize) -> Vec3 {
    let fraction = (y as f32 + 0.5) / height as f32;
    background.top.to_linear().lerp(background.bottom.to_linear(), fraction)
}
