//! Text on a picture.

use glam::DVec3;

use crate::{Bounds, ColorMap, ColorScale};

/// Writing on top of a picture; every part may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Upper left corner.
    pub title: Option<String>,
    /// Upper right corner.
    pub time_stamp: Option<String>,
    /// Below it, smaller: how fast time goes in a movie.
    pub pace: Option<String>,
    /// Right side.
    pub color_bar: Option<ColorBar>,
    /// Numbers along the edges of a box; the box itself is a body of its own.
    pub axes: Option<Axes>,
    /// Lines below each other, such as measured values.
    pub lines: Vec<String>,
    /// Words in the picture, with their places [m].
    pub labels: Vec<(String, DVec3)>,
    /// Where and how large all this is.
    pub layout: Layout,
}

/// Places and sizes of the writing, in parts of the picture's height, from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// Letters of axes and colour bar.
    pub text_size: f32,
    /// Position of the title, and its text size.
    pub title: ([f32; 2], f32),
    /// Position of the lines, and their text size.
    pub lines: ([f32; 2], f32),
    /// From line to line.
    pub distance: f32,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            text_size: 0.025,
            title: ([1.0 / 30.0, 1.0 / 30.0], 1.0 / 30.0),
            lines: ([1.0 / 30.0, 0.12], 0.025),
            distance: 0.045,
        }
    }
}

impl Overlay {
    /// The usual time stamp, such as "t = 0.420 s".
    #[must_use]
    pub fn stamp(time: f64) -> String {
        format!("t = {time:.3} s")
    }
}

/// Axis labels along the edges of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// The box [m].
    pub bounds: Bounds,
    /// The numbers written at its corners; the same as the box, or others.
    pub labels: Bounds,
}

/// Tells which colour means which value.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorBar {
    /// The colours.
    pub map: ColorMap,
    /// The value of the lowest colour.
    pub low: f64,
    /// The value of the highest colour.
    pub high: f64,
    /// How values are spread over the colours.
    pub scale: ColorScale,
    /// Name and unit, such as "speed [m/s]".
    pub label: String,
}

impl ColorBar {
    /// Round values within the range with their writing, from low to high.
    #[must_use]
    pub fn ticks(&self) -> Vec<(f64, String)> {
        self.scale.ticks(self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_have_milliseconds() {
        assert_eq!(Overlay::stamp(0.42), "t = 0.420 s");
    }
}
