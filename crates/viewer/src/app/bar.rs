//! The top bar: simulation time and speed, and buttons for the most used keys.

use super::Viewer;
use super::actions::PACES;
use crate::clock::Pace;
use crate::compute::Compute;
use crate::keys::{self, Action};
use crate::messages::Command;
use crate::snapshot::SceneInfo;
use eframe::egui::{self, Context, RichText, Ui};
use lawine_scene::matter::Kind;

/// Label of a pace.
fn words(pace: Pace) -> String {
    match pace {
        Pace::Fastest => "as fast as possible".to_owned(),
        Pace::Factor(factor) if (factor - 1.0).abs() < 1e-9 => "real time".to_owned(),
        Pace::Factor(factor) => format!("{factor} × real time"),
    }
}

impl Viewer {
    pub(super) fn show_bar(&mut self, ui: &mut Ui) {
        egui::Panel::top("bar").show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                let ctx = ui.ctx().clone();
                let pause = if self.paused { "Play" } else { "Pause" };
                self.button(ui, &ctx, pause, Action::Pause);
                self.button(ui, &ctx, "Step", Action::Step);
                self.button(ui, &ctx, "Restart", Action::Restart);
                self.pace_choice(ui);
                ui.separator();
                self.button(ui, &ctx, "Clear", Action::Clear);
                self.button(ui, &ctx, "Next scene", Action::NextScene);
                self.button(ui, &ctx, "Open", Action::Open);
                self.button(ui, &ctx, "Save scene", Action::SaveScene);
                ui.separator();
                let collect =
                    if self.collection.running { "Stop collecting" } else { "Collect data" };
                self.button(ui, &ctx, collect, Action::Collect);
                self.button(ui, &ctx, "Save data", Action::SaveData);
                self.button(ui, &ctx, "Screenshot", Action::Screenshot);
                #[cfg(not(target_arch = "wasm32"))]
                {
                    let movie =
                        if self.shots.is_recording() { "Stop movie" } else { "Record movie" };
                    self.button(ui, &ctx, movie, Action::Record);
                }
                self.device_choice(ui);
                self.button(ui, &ctx, "Plots", Action::Plots);
                self.button(ui, &ctx, "Help", Action::Help);
            });
            ui.horizontal_wrapped(|ui| self.show_numbers(ui));
            ui.add_space(2.0);
        });
    }

    /// A button that does what a key does, with the key as a hint.
    pub(super) fn button(&mut self, ui: &mut Ui, ctx: &Context, text: &str, action: Action) {
        let key = keys::key_of(action).map_or("", egui::Key::name);
        let help = keys::BINDINGS.iter().find(|b| b.action == action).map_or("", |b| b.help);
        if ui.button(text).on_hover_text(format!("{help} ({key})")).clicked() {
            self.act(action, ctx);
        }
    }

    /// Where matter is computed that a graphics device can take.
    fn device_choice(&mut self, ui: &mut Ui) {
        let able = |info: &&SceneInfo| info.scene.matters().any(Kind::runs_on_gpu);
        let Some(info) = self.info.as_ref().filter(able) else {
            return;
        };
        let mut on_gpu = info.on_gpu;
        let toggle = egui::Button::selectable(on_gpu, "GPU");
        let help = "compute on the graphics device and draw from there";
        let response = ui.add_enabled(self.device.is_ok(), toggle).on_hover_text(help);
        match &self.device {
            Ok(device) if response.clicked() => {
                on_gpu = !on_gpu;
                let compute = if on_gpu { device.clone() } else { Compute::default() };
                self.send(Command::Compute(Box::new(compute)));
            }
            Ok(_) => {}
            Err(reason) => {
                response.on_disabled_hover_text(format!("computed on the processor: {reason}"));
            }
        }
    }

    fn pace_choice(&mut self, ui: &mut Ui) {
        let mut pace = self.pace;
        egui::ComboBox::from_id_salt("pace")
            .selected_text(words(pace))
            .width(130.0)
            .show_ui(ui, |ui| {
                for choice in PACES {
                    ui.selectable_value(&mut pace, choice, words(choice));
                }
            })
            .response
            .on_hover_text("simulation speed (, and .)");
        if pace != self.pace {
            self.set_pace(pace);
        }
    }

    fn show_numbers(&mut self, ui: &mut Ui) {
        let Some(snapshot) = &self.snapshot else {
            ui.label("opening …");
            return;
        };
        let title = self.info.as_ref().map_or("", |info| &info.scene.title);
        ui.label(RichText::new(title).strong());
        ui.separator();
        ui.label(format!("t = {:.3} s", snapshot.time));
        ui.separator();
        ui.label(format!("{} particles", snapshot.particles));
        ui.separator();
        ui.label(format!("Δt = {:.3e} s ({})", snapshot.dt, snapshot.limit));
        ui.separator();
        let speed = if self.paused {
            "paused".to_owned()
        } else {
            format!("{:.3} × real time, {:.0} steps/s", snapshot.rate, snapshot.steps_per_second)
        };
        ui.label(speed)
            .on_hover_text("simulated seconds and steps per second of wall time, recently");
        ui.separator();
        let failed = self.checks.iter().filter(|check| !check.passed).count();
        if failed > 0 {
            ui.colored_label(egui::Color32::RED, format!("{failed} self-tests FAILED"));
        } else {
            ui.weak(format!("{} self-tests passed", self.checks.len()));
        }
        if self.collection.running {
            ui.separator();
            let rows = self.collection.len();
            ui.colored_label(egui::Color32::from_rgb(190, 60, 0), format!("{rows} rows collected"));
        }
    }
}
