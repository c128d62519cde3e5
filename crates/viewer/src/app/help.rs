//! The help: all keys, the mouse, and the self-tests.

use super::Viewer;
use crate::keys::{BINDINGS, MOUSE};
use eframe::egui::{self, Context, Ui};

impl Viewer {
    pub(super) fn show_help(&mut self, ctx: &Context) {
        let mut open = self.help_open;
        egui::Window::new("Help")
            .open(&mut open)
            .default_width(560.0)
            .default_pos([360.0, 90.0])
            .vscroll(true)
            .show(ctx, |ui| {
                ui.columns(2, |columns| {
                    table(&mut columns[0], "keys", BINDINGS.iter().map(|b| (b.key.name(), b.help)));
                    table(&mut columns[1], "mouse", MOUSE.iter().copied());
                    self.show_checks(&mut columns[1]);
                });
            });
        self.help_open = open;
    }

    fn show_checks(&self, ui: &mut Ui) {
        ui.add_space(12.0);
        ui.strong("Self-tests");
        let failed = self.checks.iter().filter(|check| !check.passed);
        let passed = self.checks.len() - failed.clone().count();
        ui.label(format!("{passed} of {} passed", self.checks.len()));
        for check in failed {
            let text = format!("FAILED {}: {}", check.name, check.detail);
            ui.colored_label(egui::Color32::RED, text);
        }
    }
}

fn table(ui: &mut Ui, title: &str, rows: impl Iterator<Item = (&'static str, &'static str)>) {
    ui.strong(title);
    egui::Grid::new(title).num_columns(2).striped(true).show(ui, |ui| {
        for (key, help) in rows {
            ui.monospace(key);
            ui.add(egui::Label::new(help).wrap());
            ui.end_row();
        }
    });
}
