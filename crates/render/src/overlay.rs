//! Writing on a picture.

use crate::{Bounds, ColorMap, ColorScale};

/// Writing on top of a picture; every part may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Upper left corner.
    pub title: Option<String>,
    /// Upper right corner.
    pub time_stamp: Option<String>,
    /// Right side.
    pub color_bar: Option<ColorBar>,
    /// Numbers along the edges of a box; the box itself is a body of its own.
    pub axes: Option<Axes>,
}

impl Overlay {
    /// The usual time stamp, such as "t = 0.420 s".
    #[must_use]
    pub fn stamp(time: f64) -> String {
        format!("t = {time:.3} s")
    }
}

/// Numbers along the edges of a box.
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
