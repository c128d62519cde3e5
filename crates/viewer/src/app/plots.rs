//! Plots of the data, while it comes in.

use super::Viewer;
use eframe::egui::{self, Color32, Ui};
use egui_plot::{Bar, BarChart, Legend, Line, Plot};

/// Colours of lines: those of Okabe and Ito (2008), which everyone can tell apart.
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
        let plot = Plot::new(title)
            .height(height)
            .legend(Legend::default().background_alpha(0.6))
            .allow_scroll(false)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_boxed_zoom(false)
            .y_axis_min_width(44.0);
        if title == PHASES {
            let phases = self.snapshot.as_ref().map(|s| s.phases.clone()).unwrap_or_default();
            plot.show(ui, |plot| {
                for (k, (name, seconds)) in phases.into_iter().enumerate() {
                    let bar = Bar::new(k as f64, 1e3 * seconds).width(0.7);
                    let chart = BarChart::new(format!("{name} [ms]"), vec![bar]);
                    plot.bar_chart(chart.color(COLORS[k % COLORS.len()]));
                }
            });
            return;
        }
        let Some(group) = self.plots.iter().find(|group| group.title == title) else { return };
        plot.show(ui, |plot| {
            for (k, &column) in group.columns.iter().enumerate() {
                let name = match group.columns[..] {
                    [_] => title.to_owned(),
                    _ => self.history.headings()[column].name.replace('_', " "),
                };
                let line = Line::new(name, self.history.points(column));
                plot.line(line.color(COLORS[k % COLORS.len()]).width(1.5));
            }
        });
    }
}
