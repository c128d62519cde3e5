//! Stacked bars.

use super::{COLORS, Drawing, PlotError, render};
use kuva::plot::BarPlot;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

/// Stacked bars, one for each category.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// Title; may be empty.
    pub title: String,
    /// What y shows, with its unit in brackets.
    pub y_label: String,
    /// Names of the parts, from below.
    pub parts: Vec<String>,
    /// A name for each bar, and its parts.
    pub bars: Vec<(String, Vec<f64>)>,
}

impl Bars {
    /// Draws it.
    ///
    /// # Errors
    /// When there is nothing to draw, or the painter fails.
    pub fn draw(&self) -> Result<Drawing, PlotError> {
        if self.bars.is_empty() {
            let reason = "there are no bars".to_owned();
            return Err(PlotError { title: self.title.clone(), reason });
        }
        let mut plot = BarPlot::new().with_stacked().with_width(0.6);
        for (name, parts) in &self.bars {
            let part = |(k, &value): (usize, &f64)| {
                (if value.is_finite() { value } else { 0.0 }, COLORS[k % COLORS.len()])
            };
            plot = plot.with_group(name.as_str(), parts.iter().enumerate().map(part));
        }
        plot = plot.with_legend(self.parts.iter().map(String::as_str).collect());
        let plots = vec![Plot::Bar(plot)];
        let layout = Layout::auto_from_plots(&plots)
            .with_title(self.title.as_str())
            .with_y_label(self.y_label.as_str());
        render(&self.title, plots, layout, self.parts.iter().map(String::as_str))
    }
}
