//! Actions of keys and buttons.

use super::Viewer;
use crate::clock::Pace;
use crate::files::file_name;
use crate::gallery;
use crate::keys::{self, Action};
use crate::messages::Command;
use eframe::egui::{self, Context};
use glam::DVec2;
use lawine_scene::file::Source;

/// The paces of the keys for faster and slower.
pub(super) const PACES: [Pace; 8] = [
    Pace::Factor(0.01),
    Pace::Factor(0.05),
    Pace::Factor(0.1),
    Pace::Factor(0.25),
    Pace::Factor(0.5),
    Pace::Factor(1.0),
    Pace::Factor(2.0),
    Pace::Fastest,
];

impl Viewer {
    /// Keys that are not input of a text field.
    pub(super) fn handle_keys(&mut self, ctx: &Context) {
        if ctx.egui_wants_keyboard_input() {
            return;
        }
        let pressed: Vec<egui::Key> = ctx.input(|input| {
            let key = |event: &egui::Event| match event {
                egui::Event::Key { key, pressed: true, modifiers, .. }
                    if !modifiers.command && !modifiers.alt =>
                {
                    Some(*key)
                }
                _ => None,
            };
            input.events.iter().filter_map(key).collect()
        });
        for action in pressed.into_iter().filter_map(keys::action) {
            self.act(action, ctx);
        }
    }

    /// Does what a key or a button asks for.
    pub(super) fn act(&mut self, action: Action, ctx: &Context) {
        let size = self.stage.size();
        let middle = DVec2::new(f64::from(size[0]), f64::from(size[1])) / 2.0;
        match action {
            Action::Help => self.help_open = !self.help_open,
            Action::NextScene => {
                if let Some(next) = gallery::next(&self.cards, &self.name) {
                    self.open(Source::BuiltIn(next.to_owned()));
                }
            }
            Action::Clear => self.send(Command::Erase(Box::new(|_| true))),
            Action::NextBrush => self.tools.brush.shape = self.tools.brush.shape.next(),
            Action::BrushHeight(by) => self.tools.brush.heighten(by),
            Action::BrushWidth(by) => self.tools.brush.widen(by),
            Action::SaveData => self.save_data(),
            Action::Collect => self.collect(),
            Action::Screenshot => self.shots.take(ctx, file_name(&self.name)),
            Action::Pause => self.pause(!self.paused),
            Action::Step => self.send(Command::Step),
            Action::Restart => self.send(Command::Restart),
            Action::Pace(by) => {
                let here = PACES.iter().position(|p| *p == self.pace).unwrap_or(5) as i32;
                let there = (here + by).clamp(0, PACES.len() as i32 - 1);
                self.set_pace(PACES[there as usize]);
            }
            Action::Walk(right, up) => self.stage.viewpoint.walk(right, up, size),
            Action::Zoom(by) => self.stage.viewpoint.zoom(1.15_f64.powi(by), middle, size),
            Action::ResetView => self.stage.reset_view(),
            Action::Record => self.record(),
            Action::Open => self.open_dialog(ctx),
            Action::SaveScene => self.save_scene(),
            Action::Plots => self.plots_open = !self.plots_open,
        }
    }

    /// Pauses or resumes the simulation. The window decides: what the simulation knows is older.
    pub(super) fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.send(Command::Pause(paused));
    }

    pub(super) fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
        self.send(Command::Pace(pace));
    }

    fn collect(&mut self) {
        if self.collection.running {
            self.collection.running = false;
            self.tell(format!("{} rows collected; F1 saves them", self.collection.len()), false);
        } else if let Some(info) = &self.info {
            self.collection.start(&info.headings);
            self.tell("collecting data; F2 stops", false);
        }
    }

    fn save_data(&mut self) {
        if self.collection.is_empty() {
            self.tell("no data yet: F2 starts collecting", true);
            return;
        }
        let csv = self.collection.csv();
        let saved = self.files.save(&file_name(&self.name), "csv", csv.as_bytes());
        self.tell_saved(saved);
    }

    fn save_scene(&mut self) {
        let Some(info) = &self.info else { return };
        let text = info.scene.to_toml();
        let saved = self.files.save(&file_name(&self.name), "toml", text.as_bytes());
        self.tell_saved(saved);
    }
}
