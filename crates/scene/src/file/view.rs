//! How pictures and the movie look.

use super::vector::Vector;
use super::words::{ColorScale, GrainLook, Lines, LiquidLook, Quality};
use lawine_render::ColorMap;
use lawine_settings::Settings;

/// Appearance of pictures and the movie.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct View {
    /// Field that particles are coloured by, such as `speed` or `liquid.pressure`; with `matter`, and where matter
    /// does not have it, matter looks like what it is. Where only `colors` or `range` are given it is `speed`.
    #[setting(default = "matter", filled)]
    pub field: String,
    /// How pictures are made.
    #[setting(default = Quality::Quick)]
    pub quality: Quality,
    /// Paths of light for each pixel, with `quality = "final"` [1].
    #[setting(default = 64, at_least = 1, at_most = 65536)]
    pub samples: u32,
    /// Fraction of the time between frames for which the shutter is open, with `quality = "final"` [1].
    #[setting(default = 0.25, at_least = 0, at_most = 1)]
    pub shutter: f64,
    /// What liquid looks like.
    #[setting(without = "by its viscosity: honey from 0.01 m²/s on", of = "liquid")]
    pub liquid: Option<LiquidLook>,
    /// What grains look like.
    #[setting(default = GrainLook::Sand, of = "grains")]
    pub grains: GrainLook,
    /// Colour map.
    #[setting(default = ColorMap::Water)]
    pub colors: ColorMap,
    /// Values at the ends of the colour map, in the unit of the field.
    #[setting(without = "chosen from the scene")]
    pub range: Option<[f64; 2]>,
    /// Mapping of values to colours.
    #[setting(default = ColorScale::Linear)]
    pub scale: ColorScale,
    /// Width and height of pictures, even numbers [px].
    #[setting(default = [1280, 720], at_least = 16, at_most = 8192)]
    pub size: [u32; 2],
    /// Pictures per second of the movie [1/s].
    #[setting(default = 30, at_least = 1, at_most = 120)]
    pub fps: u32,
    /// Camera (3D only).
    #[setting(without = "chosen from the scene")]
    pub camera: Option<Camera>,
    /// Rotation rate of the camera about the vertical [°/s], in simulated time (3D only).
    #[setting(default = 0.0)]
    pub turn: f64,
    /// Angles by which the scene is rotated about x, y and z in turn (3D only) [°].
    #[setting(without = "no rotation")]
    pub angles: Option<Vector>,
    /// Rates of change of these angles [°/s], in simulated time (3D only).
    #[setting(without = "constant")]
    pub spin: Option<Vector>,
    /// Diameter of drawn particles [1], in distances between particles at rest.
    #[setting(default = 1.0, above = 0, at_most = 10, of = "continuous")]
    pub particle_size: f64,
    /// Which edges of bodies and grains are drawn.
    #[setting(default = Lines::Visible)]
    pub lines: Lines,
    /// Whether faces of grains are coloured and shaded; otherwise they only hide what is behind
    /// them.
    #[setting(default = true, of = "grains")]
    pub faces: bool,
    /// Text size of axes and colour bar [1], as a fraction of the picture's height.
    #[setting(
        without = "from the picture's size",
        at_least = 0.005,
        at_most = 0.5,
        was = "letters"
    )]
    pub text_size: Option<f64>,
    /// Position and size of the title.
    #[setting(without = "in the upper left corner")]
    pub title: Option<Title>,
    /// Columns of `series.csv` whose values are written into the picture.
    #[setting(without = "none")]
    pub values: Option<Values>,
    /// Names of what is compared, written where it is.
    #[setting(default)]
    pub label: Vec<Label>,
    /// Axes with numbers.
    #[setting(without = "none")]
    pub axes: Option<Axes>,
    /// Centre of the picture (planar scenes only) [m].
    #[setting(without = "chosen from the scene")]
    pub center: Option<Vector>,
    /// Width of the visible region (planar scenes only) [m].
    #[setting(without = "chosen from the scene", above = 0)]
    pub width: Option<f64>,
}

/// Where the title stands. What is not given is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Title {
    /// Offset from the picture's left and upper edge [1], as fractions of its height.
    #[setting(without = "in the upper left corner", at_least = 0, at_most = 10)]
    pub at: Option<[f64; 2]>,
    /// Text size [1], as a fraction of the picture's height.
    #[setting(without = "from the picture's size", at_least = 0.005, at_most = 0.5)]
    pub size: Option<f64>,
}

/// A word or two in the picture.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Label {
    /// What is written.
    #[setting(filled)]
    pub text: String,
    /// The middle of the text [m].
    pub at: Vector,
}

/// Measured values that are written into the picture, a line each.
#[derive(Clone, Debug, Default, PartialEq, Settings)]
pub struct Values {
    /// Columns of `series.csv`, a line each.
    pub columns: Vec<String>,
    /// Offset of the first line from the picture's left and upper edge [1], as fractions of its
    /// height.
    #[setting(without = "below the title", at_least = 0, at_most = 10)]
    pub at: Option<[f64; 2]>,
    /// Line spacing [1], as a fraction of the picture's height.
    #[setting(without = "from the text size", at_least = 0.005, at_most = 0.5)]
    pub distance: Option<f64>,
    /// Text size [1], as a fraction of the picture's height.
    #[setting(without = "from the picture's size", at_least = 0.005, at_most = 0.5)]
    pub size: Option<f64>,
}

/// Axes along the edges of a box. What is not given is chosen from the scene.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Axes {
    /// Start of the axes [m].
    #[setting(without = "chosen from the scene")]
    pub min: Option<Vector>,
    /// End of the axes [m].
    #[setting(without = "chosen from the scene")]
    pub max: Option<Vector>,
    /// Labels at the start of the axes [1].
    #[setting(without = "those of `min`")]
    pub labels_min: Option<Vector>,
    /// Labels at the end of the axes [1].
    #[setting(without = "those of `max`")]
    pub labels_max: Option<Vector>,
}

/// Where the scene is seen from. What is not given is chosen from the scene.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Camera {
    /// Position of the camera [m].
    #[setting(without = "chosen from the scene")]
    pub eye: Option<Vector>,
    /// Point that the camera looks at [m].
    #[setting(without = "the middle of the scene")]
    pub target: Option<Vector>,
    /// Upward direction of the picture [1].
    #[setting(without = "against gravity")]
    pub up: Option<Vector>,
    /// Vertical field of view [°].
    #[setting(without = "chosen from the scene", at_least = 1, at_most = 170)]
    pub fov: Option<f64>,
    /// Diameter of the lens [m], with `quality = "final"`: what is out of focus is blurred.
    #[setting(default = 0.0, at_least = 0)]
    pub aperture: f64,
    /// Distance at which things are sharp [m].
    #[setting(without = "that of the target", above = 0)]
    pub focus: Option<f64>,
}
