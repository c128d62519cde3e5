//! Plots: curves over axes, bars and fields of arrows, as SVG and PNG.
//!
//! A plot library was used first (`kuva` 0.6): its plots are good, but it costs about 90 CPU seconds
//! to compile, and there are three kinds of plot here. Colours are CSS variables with a fallback, so
//! that a page can offer a dark look and a plot alone still has colours.

mod arrows;
mod axis;
mod bars;
mod curve;
mod drawing;

pub use arrows::Arrows;
pub use axis::power_of_ten;
pub use bars::Bars;
pub use drawing::{Drawing, escape};

use axis::{Frame, Scaled};
use drawing::{COLORS, Ink, text_width};
use lawine_render::Anchor;

/// A quantity with its unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is shown, such as `time`.
    pub label: String,
    /// Unit, such as `s`; empty for pure numbers.
    pub unit: String,
    /// Logarithmic instead of linear; values that are not positive are left out.
    pub log: bool,
    /// From and to, and what is outside is left out; from the data if not given.
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// A linear axis.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), ..Self::default() }
    }

    /// A linear axis from the name of a column such as `time [s]`.
    pub fn from_column(name: &str) -> Self {
        match name.rsplit_once('[').map(|(label, rest)| (label, rest.strip_suffix(']'))) {
            Some((label, Some(unit))) => Self::new(label.trim(), unit.trim()),
            _ => Self::new(name.trim(), ""),
        }
    }

    /// Whether a value has a place on this axis. Values near the ends of what a float can hold have none,
    /// as differences of them overflow.
    fn shows(&self, value: f64) -> bool {
        value.abs() < 1e300
            && (!self.log || value > 1e-300)
            && self.range.is_none_or(|[from, to]| (from..=to).contains(&value))
    }
}

/// Line style of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineStyle {
    /// A line alone, for many points.
    #[default]
    Line,
    /// A line with a mark at every point.
    Marked,
    /// Marks alone.
    Points,
    /// A dashed line with open marks: printed numbers.
    Reference,
    /// A dotted line: theory.
    Theory,
    /// Crosses: where a run ended early.
    Broken,
}

/// A curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the legend; one without a name is not listed.
    pub label: String,
    /// The points; one that is not finite makes a gap.
    pub points: Vec<[f64; 2]>,
    /// Half lengths of the error bars along y; empty for none.
    pub errors: Vec<f64>,
    /// How it looks.
    pub style: LineStyle,
    /// Its colour, by number; that of its place if not given.
    pub color: Option<usize>,
}

impl Curve {
    /// A line through points.
    pub fn line(label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { label: label.into(), points, ..Self::default() }
    }
}

/// Curves over common axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Title, for the caption and for those who listen to the page.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 300.0;
/// Height of a row of the legend, and width of what is beside its letters.
const LEGEND: [f64; 2] = [18.0, 44.0];

impl Plot {
    /// The plot as a drawing.
    pub fn draw(&self) -> Drawing {
        let legend = legend_rows(self.legend().map(|(_, curve)| curve.label.as_str()));
        let room = LEGEND[0] * legend.len() as f64;
        let height = HEIGHT + room;
        let y = Scaled::vertical(&self.y, self.extent(1));
        let x = Scaled::horizontal(&self.x, self.extent(0));
        let frame = Frame::new(&y, [WIDTH, height], 30.0 + room);
        let mut drawing = Drawing::new(&self.title, WIDTH, height);
        frame.draw(&mut drawing, &x, &y);
        let listed: Vec<_> = self.legend().collect();
        for (place, index) in legend_places(&legend, frame.left) {
            let (number, curve) = listed[index];
            curve.draw_sample(&mut drawing, number, [place[0] + 11.0, place[1] - 4.0]);
            drawing.text([place[0] + 28.0, place[1]], Anchor::Start, Ink::Text, &curve.label);
        }
        if x.is_empty() || y.is_empty() {
            drawing.no_data(frame.middle());
            return drawing;
        }
        for (number, curve) in self.curves.iter().enumerate() {
            curve.draw(&mut drawing, number, |p, error| {
                let shown = self.x.shows(p[0]) && self.y.shows(p[1]);
                let at = |value| match y.place(value) {
                    place if place.is_nan() => frame.y(0.0),
                    place => frame.y(place.clamp(0.0, 1.0)),
                };
                let ends = [p[1] - error, p[1] + error].map(at);
                shown.then(|| ([frame.x(x.place(p[0])), frame.y(y.place(p[1]))], ends))
            });
        }
        drawing
    }

    /// Whether no point has a place on the axes.
    pub fn is_empty(&self) -> bool {
        self.extent(0).is_none()
    }

    /// The curves in the legend with their numbers; one that is called as its axis needs none.
    fn legend(&self) -> impl Iterator<Item = (usize, &Curve)> {
        let alone = |curve: &Curve| self.curves.len() == 1 && curve.label == self.y.label;
        let listed = move |(_, curve): &(usize, &Curve)| !curve.label.is_empty() && !alone(curve);
        self.curves.iter().enumerate().filter(listed)
    }

    /// Smallest and largest value that will be drawn along one of the axes, with error bars.
    fn extent(&self, k: usize) -> Option<(f64, f64)> {
        let drawn = |p: &[f64; 2]| self.x.shows(p[0]) && self.y.shows(p[1]);
        let values = self.curves.iter().flat_map(|c| {
            c.points.iter().enumerate().filter(move |(_, p)| drawn(p)).flat_map(move |(i, p)| {
                let error = if k == 1 { c.error(i) } else { 0.0 };
                [p[k] - error, p[k], p[k] + error]
            })
        });
        let axis = [&self.x, &self.y][k];
        values.filter(|&value| axis.shows(value)).fold(None, |range, v| match range {
            None => Some((v, v)),
            Some((low, high)) => Some((f64::min(low, v), f64::max(high, v))),
        })
    }
}

/// The widths of the entries of a legend, in rows that fit.
fn legend_rows<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for label in labels {
        let width = LEGEND[1] + text_width(label);
        match rows.last_mut() {
            Some(row) if row.iter().sum::<f64>() + width <= WIDTH - 60.0 => row.push(width),
            _ => rows.push(vec![width]),
        }
    }
    rows
}

/// Where the entries of a legend stand, with their indices.
fn legend_places(rows: &[Vec<f64>], left: f64) -> impl Iterator<Item = ([f64; 2], usize)> {
    let places = rows.iter().enumerate().flat_map(move |(i, row)| {
        row.iter().scan(left, move |x, width| {
            let place = [*x, 40.0 + LEGEND[0] * i as f64];
            *x += width;
            Some(place)
        })
    });
    places.enumerate().map(|(index, place)| (place, index))
}

#[cfg(test)]
mod tests;
