//! A field of arrows, to one scale along both axes.

use super::axis::{Frame, Scaled};
use super::drawing::{Drawing, Ink};
use super::{Axis, WIDTH};
use crate::output::report::number;
use lawine_render::Anchor;

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
    /// The arrows as a drawing; the longest is as long as a cell.
    pub fn draw(&self) -> Drawing {
        let range = |k: usize| {
            let values = || self.arrows.iter().map(|a| a[k]).filter(|x| x.is_finite());
            let low = values().fold(f64::INFINITY, f64::min) - self.cell;
            let high = values().fold(f64::NEG_INFINITY, f64::max) + self.cell;
            (high > low).then_some((low, high))
        };
        let size = |k: usize| range(k).map_or(1.0, |(low, high)| high - low);
        let y = Scaled::horizontal(&self.axes[1], range(1));
        let left = y.room();
        let room = WIDTH - 16.0 - left;
        let scale = (room / size(0)).min((HEIGHTS[1] - TOP - BELOW) / size(1));
        let height = (TOP + BELOW + scale * size(1)).max(HEIGHTS[0]);
        let x = Scaled::horizontal(&self.axes[0], range(0));
        let frame = Frame { left, right: left + scale * size(0), top: TOP, bottom: height - BELOW };
        let mut drawing = Drawing::new(&self.title, WIDTH, height);
        frame.draw(&mut drawing, &x, &y);
        let longest = self.arrows.iter().map(|[.., u, v]| u.hypot(*v)).fold(0.0, f64::max);
        if x.is_empty() || y.is_empty() || longest <= 0.0 {
            drawing.no_data(frame.middle());
            return drawing;
        }
        let legend = format!("longest arrow: {} {}", number(longest), self.unit);
        drawing.text([left, 34.0], Anchor::Start, Ink::Soft, &legend);
        let length = scale * self.cell / longest;
        let arrow = |[at_x, at_y, u, v]: &[f64; 4]| {
            let place = [frame.x(x.place(*at_x)), frame.y(y.place(*at_y))];
            arrow(place, [u * length, -v * length])
        };
        let lines = self.arrows.iter().flat_map(arrow).collect();
        drawing.lines(lines, Ink::Curve(0), 1.3, &[]);
        drawing
    }
}

/// A shaft with its middle at a place, and a head of a third of its length.
fn arrow([x, y]: [f64; 2], [u, v]: [f64; 2]) -> [Vec<[f64; 2]>; 2] {
    let tip = [x + 0.5 * u, y + 0.5 * v];
    let end = |side: f64| [tip[0] - 0.3 * (u - side * v), tip[1] - 0.3 * (v + side * u)];
    [vec![[x - 0.5 * u, y - 0.5 * v], tip], vec![end(-0.5), tip, end(0.5)]]
}
