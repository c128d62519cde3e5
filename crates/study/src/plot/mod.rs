//! Drawings for print: curves and stacked bars with axes, units, error bars and a legend, as SVG and
//! PNG. A thin layer over `kuva`, which is used nowhere else.

mod bars;

pub use bars::Bars;

use kuva::backend::png::PngBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::scatter::MarkerShape;
use kuva::plot::{LegendPosition, LinePlot, LineStyle as Dashes, ScatterPlot};
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{Scene, render_multiple};
use lawine_record::output::plot::power_of_ten;
use lawine_record::output::report::number;
use std::sync::Arc;

/// Width and height of a drawing without its legend, in units of a pixel on a screen.
const SIZE: [f64; 2] = [500.0, 340.0];
/// The least value on a logarithmic axis.
const LEAST: f64 = 1e-10;
/// Width of a character in the legend, and of the rest of an entry.
const LEGEND: [f64; 2] = [7.2, 50.0];
/// Pixels of a PNG for each of them: enough for a third of a printed page.
const PNG_SCALE: f32 = 2.0;
/// Browsers take the first font that they have.
const FONTS: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";

/// Colours that differ in brightness too, for readers without colours and printers without ink
/// (after Okabe and Ito 2008).
const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c510a", "#555555"];
const MARKERS: [MarkerShape; 5] = [
    MarkerShape::Circle,
    MarkerShape::Square,
    MarkerShape::Triangle,
    MarkerShape::Diamond,
    MarkerShape::Cross,
];

/// A drawing with curves.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Title; may be empty.
    pub title: String,
    /// The axis along x.
    pub x: Axis,
    /// The axis along y.
    pub y: Axis,
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What it shows, with its unit in brackets.
    pub label: String,
    /// Whether it is logarithmic; values below 10⁻¹⁰, which `kuva` would move there, are left out.
    pub log: bool,
    /// From and to; from the data if not given.
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// The whole decades around the values of a logarithmic axis.
    fn decades(&self, values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
        let logs = values.filter(|v| self.log && v.is_finite() && *v >= LEAST).map(f64::log10);
        let (low, high) = logs
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), l| (low.min(l), high.max(l)));
        let (low, high) = (low.floor(), high.ceil());
        let high = if high > low { high } else { low + 1.0 };
        low.is_finite().then(|| [10_f64.powf(low), 10_f64.powf(high)])
    }
}

/// Line style of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineStyle {
    /// A line with a mark at every point.
    #[default]
    Marked,
    /// A line alone, for many points.
    Line,
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
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Name in the legend; an empty one is not listed.
    pub label: String,
    /// The points.
    pub points: Vec<[f64; 2]>,
    /// Half lengths of the error bars along y; empty for none.
    pub errors: Vec<f64>,
    /// How it looks.
    pub style: LineStyle,
    /// Its colour, by number; that of its place if not given.
    pub color: Option<usize>,
}

/// A drawing in both forms.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The text of the SVG file; text stays text and needs a font of the reader.
    pub svg: String,
    /// The bytes of the PNG file.
    pub png: Vec<u8>,
}

/// A drawing that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw {title:?}: {reason}")]
pub struct PlotError {
    /// Title of the drawing.
    pub title: String,
    /// Why.
    pub reason: String,
}

impl Figure {
    /// Draws it.
    ///
    /// # Errors
    /// When there is nothing to draw, or the painter fails.
    pub fn draw(&self) -> Result<Drawing, PlotError> {
        let mut plots = Vec::new();
        for (place, curve) in self.curves.iter().enumerate() {
            let color = COLORS[curve.color.unwrap_or(place) % COLORS.len()];
            let marker = MARKERS[curve.color.unwrap_or(place) % MARKERS.len()];
            self.add(curve, color, marker, &mut plots);
        }
        if plots.is_empty() {
            let reason = "there are no points with values in range".to_owned();
            return Err(PlotError { title: self.title.clone(), reason });
        }
        let mut layout = Layout::auto_from_plots(&plots)
            .with_title(self.title.as_str())
            .with_x_label(self.x.label.as_str())
            .with_y_label(self.y.label.as_str());
        if self.x.log {
            layout = layout.with_log_x().with_x_tick_format(decades());
        }
        if self.y.log {
            layout = layout.with_log_y().with_y_tick_format(decades());
        }
        let along =
            |k: usize| self.curves.iter().flat_map(move |c| c.points.iter().map(move |p| p[k]));
        if let Some([from, to]) = self.x.range.or_else(|| self.x.decades(along(0))) {
            layout = layout.with_x_axis_min(from).with_x_axis_max(to);
        }
        if let Some([from, to]) = self.y.range.or_else(|| self.y.decades(along(1))) {
            layout = layout.with_y_axis_min(from).with_y_axis_max(to);
        }
        let labels = self.curves.iter().map(|curve| curve.label.as_str());
        render(&self.title, plots, layout, labels)
    }

    /// The parts of a curve: its line and its marks, of which one is in the legend.
    fn add(&self, curve: &Curve, color: &str, marker: MarkerShape, plots: &mut Vec<Plot>) {
        let shown = |p: &[f64; 2]| {
            let inside = |value: f64, axis: &Axis| {
                value.is_finite()
                    && (!axis.log || value >= LEAST)
                    && axis.range.is_none_or(|[from, to]| (from..=to).contains(&value))
            };
            inside(p[0], &self.x) && inside(p[1], &self.y)
        };
        let kept: Vec<usize> =
            (0..curve.points.len()).filter(|&i| shown(&curve.points[i])).collect();
        if kept.is_empty() {
            return;
        }
        let point = |&i: &usize| (curve.points[i][0], curve.points[i][1]);
        let style = match curve.style {
            LineStyle::Points | LineStyle::Broken => None,
            LineStyle::Reference => Some(Dashes::Dashed),
            LineStyle::Theory => Some(Dashes::Dotted),
            LineStyle::Marked | LineStyle::Line => Some(Dashes::Solid),
        };
        let marker = match curve.style {
            LineStyle::Broken => MarkerShape::Cross,
            LineStyle::Reference => MarkerShape::Circle,
            _ => marker,
        };
        let marks = !matches!(curve.style, LineStyle::Line | LineStyle::Theory);
        // The legend shows the line where its dashes tell more than the mark.
        let in_line = !marks || curve.style == LineStyle::Reference;
        // What leaves the axes interrupts the line.
        let pieces = kept.chunk_by(|i, next| i + 1 == *next);
        for (k, piece) in pieces.enumerate().filter(|_| style.is_some()) {
            let mut line = LinePlot::new()
                .with_data(piece.iter().map(point))
                .with_color(color)
                .with_stroke_width(1.6)
                .with_line_style(style.clone().unwrap_or_default());
            if k == 0 && in_line && !curve.label.is_empty() {
                line = line.with_legend(curve.label.as_str());
            }
            plots.push(Plot::Line(line));
        }
        if marks {
            let mut dots = ScatterPlot::new()
                .with_data(kept.iter().map(point))
                .with_color(color)
                .with_marker(marker)
                .with_size(if curve.style == LineStyle::Broken { 7.0 } else { 4.0 });
            if curve.style == LineStyle::Reference {
                dots = dots.with_marker_opacity(0.0).with_marker_stroke_width(1.4);
            }
            if !curve.errors.is_empty() {
                let errors = kept.iter().map(|&i| curve.errors.get(i).copied().unwrap_or(0.0));
                dots = dots.with_y_err(errors);
            }
            if !in_line && !curve.label.is_empty() {
                dots = dots.with_legend(curve.label.as_str());
            }
            plots.push(Plot::Scatter(dots));
        }
    }
}

/// Numbers at a logarithmic axis: plain ones, and powers of ten where those are long.
fn decades() -> TickFormat {
    TickFormat::Custom(Arc::new(|value| {
        let exponent = value.log10().round();
        let is_power = (value.log10() - exponent).abs() < 1e-9;
        match value {
            v if (1e-3..1e5).contains(&v) => format!("{}", (v * 1e6).round() / 1e6),
            _ if is_power => power_of_ten(exponent as i32),
            _ => number(value),
        }
    }))
}

/// The common look, and both forms of the drawing.
fn render<'a>(
    title: &str,
    plots: Vec<Plot>,
    layout: Layout,
    labels: impl Iterator<Item = &'a str>,
) -> Result<Drawing, PlotError> {
    // The legend stands beside the axes and must not make them smaller.
    let longest = labels.map(|label| label.chars().count()).max().unwrap_or(0);
    let legend = if longest > 0 { LEGEND[0] * longest as f64 + LEGEND[1] } else { 0.0 };
    let layout = layout
        .with_width(SIZE[0] + legend)
        .with_height(SIZE[1])
        .with_font_family(FONTS)
        .with_title_size(15)
        .with_label_size(13)
        .with_tick_size(11)
        .with_body_size(12)
        .with_box_axes()
        .with_legend_position(LegendPosition::OutsideRightTop)
        .with_grid_line_width(0.5);
    let scene: Scene = render_multiple(plots, layout);
    let png = PngBackend::new()
        .with_scale(PNG_SCALE)
        .render_scene(&scene)
        .map_err(|reason| PlotError { title: title.to_owned(), reason })?;
    Ok(Drawing { svg: SvgBackend::new().render_scene(&scene), png })
}
