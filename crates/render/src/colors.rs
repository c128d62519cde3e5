//! Colour maps: from a number to a colour.

use lawine_settings::Word;
use std::f64::consts::PI;

use crate::Color;

/// A colour map. All maps take a value that was scaled to 0..1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Word)]
pub enum ColorMap {
    /// Dark violet over green to yellow; perceptually uniform, also in greyscale.
    #[default]
    Viridis,
    /// An improved rainbow map without false bands.
    Turbo,
    /// Deep blue to a light turquoise, in even steps for the eye: the speed of water.
    Water,
    /// Hunkler's meter of the Courant number: blue, green at one half, red at one.
    Cfl,
    /// Grey blue to white: snow, by light or compaction.
    Snow,
    /// Black to white.
    Gray,
    /// Black over magenta to a pale yellow; good for stress in snow.
    Magma,
    /// Blue over grey to red, as light on both sides: for what has a sign, with a range around zero.
    CoolWarm,
}

impl ColorMap {
    /// Every colour map.
    pub const ALL: [Self; 8] = [
        Self::Viridis,
        Self::Turbo,
        Self::Water,
        Self::Cfl,
        Self::Snow,
        Self::Gray,
        Self::Magma,
        Self::CoolWarm,
    ];

    /// The colour of a value in 0..1. Values outside get the colour of the nearer end, and what
    /// is not a number gets a striking magenta.
    #[must_use]
    pub fn color(self, value: f64) -> Color {
        if value.is_nan() {
            return Color::NOT_A_NUMBER;
        }
        let s = value.clamp(0.0, 1.0);
        match self {
            Self::Viridis => between(&VIRIDIS, s),
            Self::Turbo => between(&TURBO, s),
            Self::Water => between(&WATER, s),
            Self::Cfl => cfl(s),
            Self::Snow => between(&SNOW, s),
            Self::Gray => Color::from_unit([s; 3]),
            Self::Magma => between(&MAGMA, s),
            Self::CoolWarm => between(&COOL_WARM, s),
        }
    }

    /// The colour of a value in `low..high`. An empty range has one colour, that of its middle.
    #[must_use]
    pub fn color_in(self, value: f64, low: f64, high: f64) -> Color {
        let width = high - low;
        if value.is_nan() || width > 0.0 {
            self.color((value - low) / width)
        } else {
            self.color(0.5)
        }
    }
}

/// Hunkler, eq. 4.28, with s = |v| dt / h.
fn cfl(s: f64) -> Color {
    let sin2 = (PI * s).sin().powi(2);
    let cos2 = (PI * s).cos().powi(2);
    Color::from_unit(if s < 0.5 {
        [0.0, sin2, cos2]
    } else if s < 1.0 {
        [cos2, sin2, 0.0]
    } else {
        [1.0, 0.0, 0.0]
    })
}

/// Linear interpolation between evenly spaced colours.
fn between(table: &[u32], s: f64) -> Color {
    let scaled = s * (table.len() - 1) as f64;
    let i = (scaled as usize).min(table.len() - 2);
    let f = scaled - i as f64;
    let (a, b) = (Color::hex(table[i]).bytes(), Color::hex(table[i + 1]).bytes());
    Color::from_unit([0, 1, 2].map(|k| (f64::from(a[k]) * (1.0 - f) + f64::from(b[k]) * f) / 255.0))
}

// The tables are the published ones of 256 colours at 33 even places; interpolation between
// these differs from the full tables by less than two steps of a byte.

/// Viridis by N. Smith and S. van der Walt for matplotlib (CC0).
const VIRIDIS: [u32; 33] = [
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b,
    0x375a8d, 0x33638d, 0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b,
    0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b, 0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c,
    0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725,
];

/// Turbo by A. Mikhailov, Google, 2019 (Apache-2.0).
const TURBO: [u32; 33] = [
    0x30123b, 0x392a73, 0x4040a1, 0x4456c7, 0x466be3, 0x467ff6, 0x4293ff, 0x37a7fa, 0x29bbec,
    0x1dcdd8, 0x18dcc3, 0x1ee8b0, 0x31f299, 0x4cf97e, 0x6bfd64, 0x8aff4d, 0xa3fd3c, 0xb8f735,
    0xcced34, 0xdee037, 0xedd03a, 0xf8c03a, 0xfdae35, 0xfe982c, 0xfb8022, 0xf56817, 0xec520f,
    0xe04009, 0xd23105, 0xc02302, 0xac1701, 0x950d01, 0x7a0403,
];

/// Magma by N. Smith and S. van der Walt for matplotlib (CC0).
const MAGMA: [u32; 33] = [
    0x000004, 0x030311, 0x0a0822, 0x130d33, 0x1d1146, 0x28115a, 0x36106a, 0x430f76, 0x50127c,
    0x5d177f, 0x691c81, 0x762181, 0x822681, 0x8f2a81, 0x9c2e7f, 0xa9327d, 0xb63779, 0xc33b75,
    0xcf4170, 0xdb486a, 0xe65163, 0xee5c5e, 0xf5695c, 0xf9785d, 0xfb8761, 0xfd9668, 0xfea571,
    0xfeb47b, 0xfec387, 0xfed194, 0xfde0a2, 0xfceeb0, 0xfcfdbf,
];

/// K. Moreland, Diverging Color Maps for Scientific Visualization, 2009.
const COOL_WARM: [u32; 33] = [
    0x3b4cc0, 0x445acc, 0x4d68d7, 0x5775e1, 0x6282ea, 0x6c8ef1, 0x779af7, 0x82a5fb, 0x8db0fe,
    0x98b9ff, 0xa3c2ff, 0xaec9fd, 0xb8d0f9, 0xc2d5f4, 0xccd9ee, 0xd5dbe6, 0xdddddd, 0xe5d8d1,
    0xecd3c5, 0xf1ccb9, 0xf5c4ad, 0xf7bba0, 0xf7b194, 0xf7a687, 0xf49a7b, 0xf18d6f, 0xec7f63,
    0xe57058, 0xde604d, 0xd55042, 0xcb3e38, 0xc0282f, 0xb40426,
];

/// Our own: CIE lightness grows evenly from 20 to 84, so that the light end still stands out from a background of 90
/// and more.
const WATER: [u32; 9] =
    [0x023061, 0x054475, 0x065989, 0x0e6f9d, 0x1185b1, 0x0a9dc5, 0x30b4d4, 0x54cbe2, 0x75e1ef];

/// Shadowed snow to white.
const SNOW: [u32; 9] =
    [0x5f7893, 0x7389a4, 0x889db5, 0x9db0c5, 0xb2c2d4, 0xc6d3e1, 0xd9e2ec, 0xeaf0f6, 0xfbfdff];

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Color, b: Color) -> bool {
        a.bytes().iter().zip(b.bytes()).all(|(x, y)| x.abs_diff(y) <= 2)
    }

    #[test]
    fn published_maps_have_their_published_values() {
        let known = [
            (ColorMap::Viridis, 0x440154, 0x21918c, 0xfde725),
            (ColorMap::Turbo, 0x30123b, 0xa4fc3c, 0x7a0403),
            (ColorMap::Magma, 0x000004, 0xb73779, 0xfcfdbf),
            (ColorMap::CoolWarm, 0x3b4cc0, 0xdddddd, 0xb40426),
        ];
        for (map, low, middle, high) in known {
            assert_eq!(map.color(0.0), Color::hex(low), "{map}");
            assert!(close(map.color(128.0 / 255.0), Color::hex(middle)), "{map}");
            assert_eq!(map.color(1.0), Color::hex(high), "{map}");
        }
    }

    #[test]
    fn cfl_meter_follows_the_formula() {
        assert_eq!(ColorMap::Cfl.color(0.0), Color::rgb(0, 0, 255));
        assert!(close(ColorMap::Cfl.color(0.25), Color::rgb(0, 128, 128)));
        assert_eq!(ColorMap::Cfl.color(0.5), Color::rgb(0, 255, 0));
        assert!(close(ColorMap::Cfl.color(0.75), Color::rgb(128, 128, 0)));
        assert_eq!(ColorMap::Cfl.color(1.0), Color::rgb(255, 0, 0));
        assert_eq!(ColorMap::Cfl.color(7.0), Color::rgb(255, 0, 0));
    }

    #[test]
    fn values_outside_are_clamped_and_nan_is_striking() {
        for map in ColorMap::ALL {
            assert_eq!(map.color(-3.0), map.color(0.0));
            assert_eq!(map.color(f64::INFINITY), map.color(1.0));
            assert_eq!(map.color(f64::NAN), Color::NOT_A_NUMBER);
            assert_eq!(map.color_in(f64::NAN, 1.0, 1.0), Color::NOT_A_NUMBER);
            assert_eq!(map.color_in(1.0, 1.0, 1.0), map.color(0.5));
            assert_eq!(map.color_in(3.0, 2.0, 4.0), map.color(0.5));
        }
    }

    #[test]
    fn cool_and_warm_are_as_light_as_each_other() {
        for s in [0.0, 0.1, 0.2, 0.3, 0.4] {
            let light = |s| ColorMap::CoolWarm.color(s).lightness();
            let (cool, warm) = (light(s), light(1.0 - s));
            assert!((cool - warm).abs() < 0.06, "{s}: {cool} and {warm}");
        }
    }

    #[test]
    fn water_grows_lighter_evenly_and_stands_out_from_the_background() {
        // CIE 1976 lightness, from the luminance.
        let lightness = |c: Color| {
            let y = c.to_linear().dot(glam::Vec3::new(0.2126, 0.7152, 0.0722));
            116.0 * y.cbrt() - 16.0
        };
        let light: Vec<f32> = WATER.iter().map(|&c| lightness(Color::hex(c))).collect();
        assert!(light.windows(2).all(|w| (w[1] - w[0] - 8.0).abs() < 0.5), "{light:?}");
        let background = crate::Background::default();
        assert!(lightness(background.top) > light[8] + 5.0, "{light:?}");
    }
}
