//! Live plots of the data.

use super::Viewer;
use eframe::egui::{self, Color32, Ui};
use egui_plot::{AxisHints, Bar, BarChart, GridInput, GridMark, Line, Plot};
use lawine_render::ColorScale;
use std::ops::RangeInclusive;

/// Colours of lines: those of Okabe and Ito (2008), which everyone can distinguish.
const COLORS: [Color32; 6] = [
    Color32::from_rgb(0, 114, 178),
    Color32::from_rgb(213, 94, 0),
    Color32::from_rgb(0, 158, 115),
    Color32::from_rgb(204, 121, 167),
    Color32::from_rgb(230, 159, 0),
    Color32::from_rgb(86, 180, 233),
];

/// Title of the plot of times.
pub(super) const PHASES: &str = "time per phase";

impl Viewer {
    pub(super) fn show_plots(&mut self, ui: &mut Ui) {
        if !self.plots_open {
            return;
        }
        let panel = egui::Panel::bottom("plots").resizable(true).default_size(200.0);
        panel.size_range(120.0..=500.0).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                let titles = self.plots.iter().map(|group| group.title.as_str()).chain([PHASES]);
                for title in titles {
                    let mut shown = self.shown_plots.iter().any(|t| t == title);
                    if ui.toggle_value(&mut shown, title).clicked() {
                        self.shown_plots.retain(|t| t != title);
                        if shown {
                            self.shown_plots.push(title.to_owned());
                        }
                    }
                }
            });
            let count = self.shown_plots.len();
            if count == 0 {
                ui.weak("choose what to plot");
                ui.allocate_space(ui.available_size());
                return;
            }
            let height = ui.available_height();
            ui.columns(count, |columns| {
                for (title, ui) in self.shown_plots.iter().zip(columns) {
                    self.show_plot(ui, title, height);
                }
            });
        });
    }

    fn show_plot(&self, ui: &mut Ui, title: &str, height: f32) {
        let top = ui.cursor().top();
        let names = self.curves(title);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(5.0, 0.0);
            if names.len() != 1 {
                ui.label(egui::RichText::new(title).size(12.0).strong());
            }
            for (k, name) in names.iter().enumerate() {
                let (dot, _) = ui.allocate_exact_size(egui::vec2(8.0, 14.0), egui::Sense::hover());
                ui.painter().circle_filled(dot.center(), 4.0, COLORS[k % COLORS.len()]);
                ui.label(egui::RichText::new(name).size(12.0));
            }
        });
        let columns = self.plots.iter().filter(|g| g.title == title).flat_map(|g| &g.columns);
        let curves: Vec<_> = columns.map(|&column| self.history.points(column)).collect();
        let plot = Plot::new(title)
            .height((height - (ui.cursor().top() - top)).max(40.0))
            .allow_scroll(false)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_boxed_zoom(false)
            .x_grid_spacer(|input| marks(&input))
            .y_grid_spacer(|input| marks(&input))
            .custom_x_axes(vec![AxisHints::new_x().formatter(label).label_spacing(24.0..=30.0)])
            .custom_y_axes(vec![
                AxisHints::new_y().formatter(label).label_spacing(12.0..=16.0).min_thickness(52.0),
            ]);
        // What never changes is seen above zero, instead of within nothing.
        let plot = if is_flat(&curves) { plot.include_y(0.0) } else { plot };
        plot.show(ui, |plot| {
            if title == PHASES {
                let phases = self.snapshot.iter().flat_map(|s| &s.phases);
                for (k, ((_, seconds), name)) in phases.zip(&names).enumerate() {
                    let bar = Bar::new(k as f64, 1e3 * seconds).width(0.7);
                    plot.bar_chart(BarChart::new(name, vec![bar]).color(COLORS[k % COLORS.len()]));
                }
                return;
            }
            for (k, (curve, name)) in curves.into_iter().zip(&names).enumerate() {
                let line = Line::new(name, curve);
                plot.line(line.color(COLORS[k % COLORS.len()]).width(1.5));
            }
        });
    }

    /// What the curves or bars of a plot are called.
    fn curves(&self, title: &str) -> Vec<String> {
        if title == PHASES {
            let phases = self.snapshot.iter().flat_map(|s| &s.phases);
            return phases.map(|(name, _)| format!("{name} [ms]")).collect();
        }
        let group = self.plots.iter().find(|group| group.title == title);
        match group.map(|group| &group.columns[..]) {
            Some([_]) => vec![title.to_owned()],
            Some(columns) => {
                let common = format!(" {}", title.split(" [").next().unwrap_or_default());
                let name = |&column: &usize| {
                    let name = self.history.headings()[column].name.replace('_', " ");
                    name.strip_suffix(&common).unwrap_or(&name).to_owned()
                };
                columns.iter().map(name).collect()
            }
            None => Vec::new(),
        }
    }
}

/// Whether all values are the same.
fn is_flat(curves: &[Vec<[f64; 2]>]) -> bool {
    let values = || curves.iter().flatten().map(|point| point[1]);
    let (low, high) =
        (values().fold(f64::INFINITY, f64::min), values().fold(-f64::INFINITY, f64::max));
    high - low <= 1e-6 * low.abs().max(high.abs())
}

/// Round values for the lines of a plot, as those of a colour bar.
fn marks(input: &GridInput) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let values: Vec<f64> = ColorScale::Linear.ticks(low, high).into_iter().map(|t| t.0).collect();
    let step_size = if let [a, b, ..] = values[..] { b - a } else { high - low };
    values.into_iter().map(|value| GridMark { value, step_size }).collect()
}

/// The writing of such a value.
fn label(mark: GridMark, range: &RangeInclusive<f64>) -> String {
    let ticks = ColorScale::Linear.ticks(*range.start(), *range.end());
    let same = |(value, _): &(f64, String)| (value - mark.value).abs() < 0.1 * mark.step_size;
    ticks.into_iter().find(same).map(|(_, text)| in_font(&text)).unwrap_or_default()
}

/// A number in characters that the font of the window has: 1.5e-4 instead of 1.5·10⁻⁴.
pub(super) fn in_font(number: &str) -> String {
    let plain = |c| match c {
        '⁻' => '-',
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴'..='⁹' => char::from_u32('4' as u32 + (c as u32 - '⁴' as u32)).unwrap_or(c),
        other => other,
    };
    number.replace("·10", "e").chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_that_never_changes_is_flat() {
        let curve = |high: f64| vec![vec![[0.0, 2e-4], [1.0, high]]];
        assert!(is_flat(&curve(2e-4)) && !is_flat(&curve(2.1e-4)));
        assert!(is_flat(&[vec![[0.0, 0.0]]]));
    }

    #[test]
    fn powers_are_written_in_plain_digits() {
        let ends = |high| in_font(&ColorScale::Linear.ticks(0.0, high).pop().unwrap().1);
        assert_eq!([ends(2e6), ends(4e-15), ends(0.5)], ["2.0e6", "4e-15", "0.5"]);
    }
}
