//! Colours, and conversion between sRGB bytes and linear light.

use glam::Vec3;

/// A colour as it is stored in files: sRGB, one byte a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

impl Color {
    /// Pure white.
    pub const WHITE: Self = Self::rgb(255, 255, 255);
    /// The colour of values that are not numbers: one that no colour map contains.
    pub const NOT_A_NUMBER: Self = Self::rgb(255, 0, 255);

    /// A colour from its channels.
    #[must_use]
    pub const fn rgb(r: u8, g: u8, b: u8) -> Self {
        Self { r, g, b }
    }

    /// A colour from a number such as `0x4682b4`.
    #[must_use]
    pub const fn hex(value: u32) -> Self {
        Self::rgb((value >> 16) as u8, (value >> 8) as u8, value as u8)
    }

    /// The nearest colour to channels in 0..1; what lies outside is clamped.
    #[must_use]
    pub fn from_unit(rgb: [f64; 3]) -> Self {
        let byte = |x: f64| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
        Self::rgb(byte(rgb[0]), byte(rgb[1]), byte(rgb[2]))
    }

    /// The colour as amounts of light in 0..1 (linear sRGB).
    #[must_use]
    pub fn to_linear(self) -> Vec3 {
        Vec3::new(linear(self.r), linear(self.g), linear(self.b))
    }

    /// The stored colour of an amount of light; more light than white is white.
    #[must_use]
    pub fn from_linear(light: Vec3) -> Self {
        Self::rgb(encoded(light.x), encoded(light.y), encoded(light.z))
    }

    /// Perceived lightness in 0..1, to choose between dark and light writing.
    #[must_use]
    pub fn lightness(self) -> f32 {
        self.to_linear().dot(Vec3::new(0.2126, 0.7152, 0.0722)).sqrt()
    }

    pub(crate) fn bytes(self) -> [u8; 3] {
        [self.r, self.g, self.b]
    }

    pub(crate) fn mix(self, other: Self, fraction: f32) -> Self {
        Self::from_linear(self.to_linear().lerp(other.to_linear(), fraction))
    }
}

/// IEC 61966-2-1, decoding.
fn linear(byte: u8) -> f32 {
    let x = f32::from(byte) / 255.0;
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// IEC 61966-2-1, encoding.
fn encoded(light: f32) -> u8 {
    let x = light.clamp(0.0, 1.0);
    let y = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (y * 255.0).round() as u8
}

/// The encoding as a table, because a power for every channel of every pixel is slow.
pub(crate) struct Encoder {
    table: Vec<u8>,
}

impl Encoder {
    /// Fine enough that neighbouring entries differ by at most one step of a byte.
    const STEPS: usize = 8192;

    pub(crate) fn new() -> Self {
        let table = (0..=Self::STEPS).map(|i| encoded(i as f32 / Self::STEPS as f32)).collect();
        Self { table }
    }

    pub(crate) fn encode(&self, light: Vec3) -> [u8; 3] {
        let steps = Self::STEPS as f32;
        let scaled = (light.clamp(Vec3::ZERO, Vec3::ONE) * steps + 0.5).to_array();
        scaled.map(|x| self.table[(x as usize).min(Self::STEPS)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_way_to_light_and_back() {
        let table = Encoder::new();
        for byte in 0..=255 {
            let color = Color::rgb(byte, 255 - byte, byte / 2);
            assert_eq!(Color::from_linear(color.to_linear()), color);
            let coded = table.encode(color.to_linear());
            for (a, b) in coded.iter().zip(color.bytes()) {
                assert!(a.abs_diff(b) <= 1, "{coded:?} {color:?}");
            }
        }
    }
}
