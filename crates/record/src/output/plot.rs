//! Small SVG plots: curves over an axis, and bars.
//!
//! A plot library was tried first (`kuva` 0.6 without default features): its plots are good, but
//! it costs about 90 CPU seconds to compile, and the report needs two kinds of plot. Colours are
//! CSS variables with a fallback, so that a page can offer a dark look and a plot alone still has
//! colours. No fonts are embedded.

mod arrows;
mod axis;
mod bars;
mod curve;

use std::fmt::Write as _;

pub use arrows::Arrows;
pub use bars::Bars;

use axis::{Frame, Scaled};

/// A quantity with its unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// What is shown, such as `time`.
    pub label: String,
    /// Unit, such as `s`; empty for pure numbers.
    pub unit: String,
    /// Logarithmic instead of linear; values that are not positive are left out.
    pub log: bool,
}

impl Axis {
    /// A linear axis.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), log: false }
    }

    /// A linear axis from the name of a column such as `time [s]`.
    pub fn from_column(name: &str) -> Self {
        match name.rsplit_once('[').map(|(label, rest)| (label, rest.strip_suffix(']'))) {
            Some((label, Some(unit))) => Self::new(label.trim(), unit.trim()),
            _ => Self::new(name.trim(), ""),
        }
    }
}

/// One curve of a [`Plot`].
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<'a> {
    /// Name in the legend.
    pub label: String,
    /// Values along the horizontal axis.
    pub x: &'a [f64],
    /// Values along the vertical axis; what is not finite makes a gap.
    pub y: &'a [f64],
    /// Single marks, as for measurements, instead of a line.
    pub marks: bool,
}

/// Curves over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot<'a> {
    /// Title, for the caption and for those who listen to the page.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves.
    pub curves: Vec<Curve<'a>>,
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 300.0;
const TEXT_SIZE: f64 = 12.5;
/// Okabe and Ito's colours, which colour-blind readers can tell apart; dark on white first.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7f7f7f"];

impl Plot<'_> {
    /// The plot as an SVG element, to stand in a page or in a file of its own.
    pub fn svg(&self) -> String {
        let legend = if self.curves.len() > 1 { legend_rows(&self.curves) } else { Vec::new() };
        let top = 30.0 + 18.0 * legend.len() as f64;
        let height = HEIGHT + 18.0 * legend.len() as f64;
        let y = Scaled::vertical(&self.y, self.finite(|c| c.y, |c| c.x, &self.y, &self.x));
        let x = Scaled::horizontal(&self.x, self.finite(|c| c.x, |c| c.y, &self.x, &self.y));
        let left = 14.0 + y.ticks().map(|t| text_width(&t.label)).fold(10.0, f64::max);
        let frame = Frame { left, right: WIDTH - 16.0, top, bottom: height - 46.0 };

        let mut svg = open(WIDTH, height, &self.title);
        frame.draw(&mut svg, &x, &y);
        for (i, row) in legend.iter().enumerate() {
            draw_legend(&mut svg, row, &self.curves, frame.left, 40.0 + 18.0 * i as f64);
        }
        if x.is_empty() || y.is_empty() {
            let (cx, cy) = frame.middle();
            text(&mut svg, cx, cy, "middle", "soft", "no data");
        } else {
            for (i, curve) in self.curves.iter().enumerate() {
                curve::draw(&mut svg, curve, i, &frame, &x, &y);
            }
        }
        svg + "</svg>"
    }

    /// Smallest and largest value that will be drawn along one of the axes.
    fn finite<'p>(
        &'p self,
        wanted: impl Fn(&'p Curve<'p>) -> &'p [f64],
        other: impl Fn(&'p Curve<'p>) -> &'p [f64],
        axis: &Axis,
        other_axis: &Axis,
    ) -> Option<(f64, f64)> {
        let pairs = self.curves.iter().flat_map(|c| wanted(c).iter().zip(other(c)));
        let drawn = pairs.filter(|(a, b)| axis.shows(**a) && other_axis.shows(**b));
        drawn.fold(None, |range, (&v, _)| match range {
            None => Some((v, v)),
            Some((lo, hi)) => Some((f64::min(lo, v), f64::max(hi, v))),
        })
    }
}

impl Axis {
    /// True for a value that has a place on this axis. Values near the ends of what a float can
    /// hold have none, as differences of them overflow.
    fn shows(&self, value: f64) -> bool {
        value.abs() < 1e300 && (!self.log || value > 1e-300)
    }
}

/// Indices of the curves in each row of the legend.
fn legend_rows(curves: &[Curve<'_>]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = f64::INFINITY;
    for (i, curve) in curves.iter().enumerate() {
        let width = legend_width(&curve.label);
        if used + width > WIDTH - 60.0 {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += width;
        rows.last_mut().into_iter().for_each(|row| row.push(i));
    }
    rows
}

fn legend_width(label: &str) -> f64 {
    44.0 + text_width(label)
}

fn draw_legend(svg: &mut String, row: &[usize], curves: &[Curve<'_>], left: f64, y: f64) {
    let mut x = left;
    for &i in row {
        let line = y - 4.0;
        if curves[i].marks {
            let _ = write!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{line:.1}\" r=\"3\" style=\"fill:none;{}\"/>",
                x + 11.0,
                stroke(i)
            );
        } else {
            let _ =
                write!(svg, "<path d=\"M{x:.1} {line:.1}h22\" style=\"fill:none;{}\"/>", stroke(i));
        }
        text(svg, x + 28.0, y, "start", "ink", &curves[i].label);
        x += legend_width(&curves[i].label);
    }
}

/// Style of the curve number `i`: colours first, then the same colours with dashes.
fn stroke(i: usize) -> String {
    let dash = match i / COLOURS.len() {
        0 => "",
        1 => ";stroke-dasharray:6 3",
        _ => ";stroke-dasharray:2 3",
    };
    format!("stroke:{};stroke-width:1.6;stroke-linejoin:round{dash}", colour(i))
}

fn colour(i: usize) -> String {
    let i = i % COLOURS.len();
    format!("var(--curve-{},{})", i + 1, COLOURS[i])
}

fn open(width: f64, height: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         role=\"img\" aria-label=\"{}\" font-family=\"system-ui,'Segoe UI','Helvetica Neue',\
         Arial,sans-serif\" font-size=\"{TEXT_SIZE}\">",
        escape(title)
    )
}

/// One line of text; `tone` is `ink` or `soft`.
fn text(svg: &mut String, x: f64, y: f64, anchor: &str, tone: &str, content: &str) {
    let fallback = if tone == "ink" { "#1a1a1a" } else { "#5c6370" };
    let _ = write!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" \
         style=\"fill:var(--{tone},{fallback})\">{}</text>",
        escape(content)
    );
}

/// About how wide a text will be; fonts differ by some percent.
fn text_width(content: &str) -> f64 {
    0.56 * TEXT_SIZE * content.chars().count() as f64
}

/// Text for HTML and SVG, in elements and in quoted attributes.
pub fn escape(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    for c in content.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// `10⁻³` and the like.
pub fn power_of_ten(exponent: i32) -> String {
    let superscript = |c| match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        _ => '⁹',
    };
    format!("10{}", exponent.to_string().chars().map(superscript).collect::<String>())
}

#[cfg(test)]
mod tests;
