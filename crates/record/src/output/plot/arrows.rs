//! A field of arrows, to one scale along both axes.

use std::fmt::Write as _;

use super::axis::{Frame, Scaled};
use super::{Axis, WIDTH, colour, open, text, text_width};
use crate::output::report::number;

/// Arrows at places in a plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrows {
    /// Title, for the caption and for those who listen to the page.
    pub title: String,
    /// The axes of the plane.
    pub axes: [Axis; 2],
    /// Unit of what the arrows show, such as `m/s`.
    pub unit: String,
    /// Distance of the places.
    pub cell: f64,
    /// Place and arrow: x, y, u, v.
    pub arrows: Vec<[f64; 4]>,
}

/// Heights that a figure may have.
const HEIGHTS: [f64; 2] = [220.0, 640.0];
const TOP: f64 = 46.0;
const BELOW: f64 = 46.0;

impl Arrows {
    /// The arrows as an SVG element; the longest is as long as a cell.
    pub fn svg(&self) -> String {
        let range = |k: usize| {
            let values = || self.arrows.iter().map(|a| a[k]).filter(|x| x.is_finite());
            let low = values().fold(f64::INFINITY, f64::min) - self.cell;
            let high = values().fold(f64::NEG_INFINITY, f64::max) + self.cell;
            (high > low).then_some((low, high))
        };
        let size = |k: usize| range(k).map_or(1.0, |(low, high)| high - low);
        let y = Scaled::horizontal(&self.axes[1], range(1));
        let left = 14.0 + y.ticks().map(|t| text_width(&t.label)).fold(10.0, f64::max);
        let room = WIDTH - 16.0 - left;
        let scale = (room / size(0)).min((HEIGHTS[1] - TOP - BELOW) / size(1));
        let height = (TOP + BELOW + scale * size(1)).max(HEIGHTS[0]);
        let x = Scaled::horizontal(&self.axes[0], range(0));
        let frame = Frame { left, right: left + scale * size(0), top: TOP, bottom: height - BELOW };
        let mut svg = open(WIDTH, height, &self.title);
        frame.draw(&mut svg, &x, &y);
        let longest = self.arrows.iter().map(|[.., u, v]| u.hypot(*v)).fold(0.0, f64::max);
        if x.is_empty() || y.is_empty() || longest <= 0.0 {
            let (cx, cy) = frame.middle();
            text(&mut svg, cx, cy, "middle", "soft", "no data");
            return svg + "</svg>";
        }
        let legend = format!("longest arrow: {} {}", number(longest), self.unit);
        text(&mut svg, left, 34.0, "start", "soft", &legend);
        let length = scale * self.cell / longest;
        let mut path = String::new();
        for [at_x, at_y, u, v] in &self.arrows {
            let place = [frame.x(x.place(*at_x)), frame.y(y.place(*at_y))];
            arrow(&mut path, place, [u * length, -v * length]);
        }
        let _ = write!(
            svg,
            "<path d=\"{path}\" style=\"fill:none;stroke:{};stroke-width:1.3;\
             stroke-linecap:round\"/>",
            colour(0)
        );
        svg + "</svg>"
    }
}

/// A shaft with its middle at a place, and a head of a third of its length.
fn arrow(path: &mut String, [x, y]: [f64; 2], [u, v]: [f64; 2]) {
    let tip = [x + 0.5 * u, y + 0.5 * v];
    let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", x - 0.5 * u, y - 0.5 * v, tip[0], tip[1]);
    for side in [-0.5, 0.5] {
        let head = [-0.3 * (u - side * v), -0.3 * (v + side * u)];
        let _ = write!(path, "M{:.1} {:.1}l{:.1} {:.1}", tip[0], tip[1], head[0], head[1]);
    }
}
