//! How pictures and the movie look.

use super::vector::Vector;
use super::words::{ColorScale, Lines};
use lawine_render::ColorMap;
use lawine_settings::Settings;

/// How pictures and the movie look.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct View {
    /// Field that colours the particles, such as `speed` or `liquid.pressure`; matter without it has its own
    /// colour.
    #[setting(default = "speed", filled)]
    pub field: String,
    /// Colour map.
    #[setting(default = ColorMap::Water)]
    pub colors: ColorMap,
    /// Values at the ends of the colour map, in the unit of the field.
    #[setting(without = "chosen from the scene")]
    pub range: Option<[f64; 2]>,
    /// How values become colours.
    #[setting(default = ColorScale::Linear)]
    pub scale: ColorScale,
    /// Width and height of pictures, even numbers [px].
    #[setting(default = [1280, 720], at_least = 16, at_most = 8192)]
    pub size: [u32; 2],
    /// Pictures per second of the movie [1/s].
    #[setting(default = 30, at_least = 1, at_most = 120)]
    pub fps: u32,
    /// Where the scene is seen from, in space.
    #[setting(without = "chosen from the scene")]
    pub camera: Option<Camera>,
    /// Rate at which the camera turns about the vertical, by simulated time, in space [°/s].
    #[setting(default = 0.0)]
    pub turn: f64,
    /// Angles by which the scene is turned about x, y and z, one after the other, in space [°].
    #[setting(without = "not turned")]
    pub angles: Option<Vector>,
    /// Rates at which these angles grow, by simulated time, in space [°/s].
    #[setting(without = "they stay")]
    pub spin: Option<Vector>,
    /// Which edges of bodies and grains are drawn.
    #[setting(default = Lines::Visible)]
    pub lines: Lines,
    /// Whether faces of grains are coloured and shaded; otherwise they only hide what is behind.
    #[setting(default = true, of = "grains")]
    pub faces: bool,
    /// Letters of axes and colour bar, in parts of the picture's height [1].
    #[setting(without = "chosen by the picture's size", at_least = 0.005, at_most = 0.5)]
    pub letters: Option<f64>,
    /// Where the title stands.
    #[setting(without = "in the upper left corner")]
    pub title: Option<Title>,
    /// Measured values that are written into the picture.
    #[setting(without = "none")]
    pub values: Option<Values>,
    /// Axes with numbers.
    #[setting(without = "none")]
    pub axes: Option<Axes>,
    /// Middle of the picture, in a plane [m].
    #[setting(without = "chosen from the scene")]
    pub center: Option<Vector>,
    /// Width of what is seen, in a plane [m].
    #[setting(without = "chosen from the scene", above = 0)]
    pub width: Option<f64>,
}

/// Where the title stands. What is not given is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Title {
    /// Place from the picture's left and upper edge, in parts of its height [1].
    #[setting(without = "in the upper left corner", at_least = 0, at_most = 10)]
    pub at: Option<[f64; 2]>,
    /// Size of its letters, in parts of the picture's height [1].
    #[setting(without = "chosen by the picture's size", at_least = 0.005, at_most = 0.5)]
    pub size: Option<f64>,
}

/// Measured values that are written into the picture, a line each.
#[derive(Clone, Debug, Default, PartialEq, Settings)]
pub struct Values {
    /// Columns of `series.csv`, a line each.
    pub columns: Vec<String>,
    /// Place of the first line from the picture's left and upper edge, in parts of its height [1].
    #[setting(without = "below the title", at_least = 0, at_most = 10)]
    pub at: Option<[f64; 2]>,
    /// Distance from line to line, in parts of the picture's height [1].
    #[setting(without = "chosen by the letters", at_least = 0.005, at_most = 0.5)]
    pub distance: Option<f64>,
    /// Size of their letters, in parts of the picture's height [1].
    #[setting(without = "chosen by the picture's size", at_least = 0.005, at_most = 0.5)]
    pub size: Option<f64>,
}

/// Axes along the edges of a box. What is not given is chosen from the scene.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Axes {
    /// Where the axes begin [m].
    #[setting(without = "chosen from the scene")]
    pub min: Option<Vector>,
    /// Where the axes end [m].
    #[setting(without = "chosen from the scene")]
    pub max: Option<Vector>,
    /// Numbers written where the axes begin [1].
    #[setting(without = "those of `min`")]
    pub labels_min: Option<Vector>,
    /// Numbers written where the axes end [1].
    #[setting(without = "those of `max`")]
    pub labels_max: Option<Vector>,
}

/// Where the scene is seen from. What is not given is chosen from the scene.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Camera {
    /// Position of the camera [m].
    #[setting(without = "chosen from the scene")]
    pub eye: Option<Vector>,
    /// Point in the middle of the picture [m].
    #[setting(without = "the middle of the scene")]
    pub target: Option<Vector>,
    /// Direction that is up in the picture [1].
    #[setting(without = "against gravity")]
    pub up: Option<Vector>,
    /// Vertical angle of view [°].
    #[setting(without = "chosen from the scene", at_least = 1, at_most = 170)]
    pub fov: Option<f64>,
}
