//! How pictures and the movie look.

use serde::{Deserialize, Serialize};

use super::vector::Vector;
use super::words::{ColorScale, Lines};

/// The colour maps a scene may name.
pub const COLOR_MAPS: &[&str] = &["viridis", "turbo", "water", "cfl", "snow", "gray", "magma"];

/// How pictures and the movie look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct View {
    /// The field that colours the particles: any field of the method, or `speed`.
    pub field: String,
    /// The colour map; one of [`COLOR_MAPS`].
    pub colors: String,
    /// Smallest and largest value of the colour map, in the unit of the field; automatic if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// How values become colours.
    pub scale: ColorScale,
    /// Width and height of pictures [px].
    pub size: [u32; 2],
    /// Pictures per second of the movie [1/s].
    pub fps: u32,
    /// Where the scene is seen from, in space; automatic if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
    /// How fast the camera turns about the vertical, per second of simulated time [°/s]; in space.
    pub turn: f64,
    /// How far the scene is turned about the axes x, y and z, one after the other [°]; in space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angles: Option<Vector>,
    /// How fast these angles grow, per second of simulated time [°/s]; in space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<Vector>,
    /// Which edges of bodies and grains are drawn.
    pub lines: Lines,
    /// Whether faces of grains are coloured and shaded; otherwise they only hide what is behind.
    pub faces: bool,
    /// Letters of axes and colour bar, in parts of the picture's height [1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letters: Option<f64>,
    /// Where the title stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// Measured values that are written into the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
    /// Axes with numbers; none if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<Axes>,
    /// The middle of the picture, in a plane [m]; automatic if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub center: Option<Vector>,
    /// The width of what is seen, in a plane [m]; automatic if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

impl Default for View {
    fn default() -> Self {
        Self {
            field: "speed".into(),
            colors: "water".into(),
            range: None,
            scale: ColorScale::Linear,
            size: [1280, 720],
            fps: 30,
            camera: None,
            turn: 0.0,
            angles: None,
            spin: None,
            lines: Lines::Visible,
            faces: true,
            letters: None,
            title: None,
            values: None,
            axes: None,
            center: None,
            width: None,
        }
    }
}

/// Where the title stands. What is not given is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Title {
    /// From the picture's left and upper edge, in parts of its height [1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 2]>,
    /// Its letters, in parts of the picture's height [1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
}

/// Measured values that are written into the picture, a line each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// Columns of `series.csv`.
    pub columns: Vec<String>,
    /// The first line, from the picture's left and upper edge, in parts of its height [1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 2]>,
    /// From line to line, in parts of the picture's height [1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Their letters, in parts of the picture's height [1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
}

/// Axes along the edges of a box. What is not given is chosen from the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Axes {
    /// Where the axes begin [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Vector>,
    /// Where they end [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Vector>,
    /// The numbers written where they begin; those of `min` if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels_min: Option<Vector>,
    /// The numbers written where they end; those of `max` if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels_max: Option<Vector>,
}

/// Where the scene is seen from. What is not given is chosen from the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Camera {
    /// Position of the camera [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eye: Option<Vector>,
    /// The point in the middle of the picture [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Vector>,
    /// The direction that is up in the picture [1]; against gravity if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<Vector>,
    /// Vertical angle of view [°].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fov: Option<f64>,
}
