//! Scrubbing through a saved run.

use super::Viewer;
use crate::messages::Command;
use crate::replay::Replay;
use eframe::egui::{self, Rect, Ui};
use std::path::Path;

impl Viewer {
    /// Opens the directory of a run.
    pub(super) fn open_run(&mut self, path: &Path) {
        match Replay::open(path) {
            Ok((replay, info)) => {
                self.name =
                    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                self.pause(true);
                self.scene_changed(info);
                replay.rows().into_iter().for_each(|row| self.history.push(row));
                self.replay = Some(replay);
                self.show_frame();
            }
            Err(error) => self.tell(error, true),
        }
    }

    /// Takes over the moment of the frame where the replay is.
    fn show_frame(&mut self) {
        let Some(replay) = &mut self.replay else { return };
        match replay.snapshot() {
            Ok(snapshot) => {
                self.snapshot = Some(snapshot);
                self.stage.stale();
            }
            Err(error) => {
                replay.playing = false;
                self.tell(error, true);
            }
        }
    }

    /// The slider through the frames, over the lower edge of the view.
    pub(super) fn show_replay(&mut self, ui: &Ui, rect: Rect) {
        let Some(replay) = &mut self.replay else { return };
        let before = replay.at;
        let mut leave = false;
        egui::Area::new(egui::Id::unique("replay"))
            .fixed_pos(rect.left_bottom() + egui::vec2(rect.width() * 0.5 - 210.0, -56.0))
            .show(ui.ctx(), |ui| {
                egui::Frame::popup(ui.style()).show(ui, |ui| {
                    ui.horizontal(|ui| {
                        let play = if replay.playing { "Pause" } else { "Play" };
                        if ui.button(play).on_hover_text("play the frames").clicked() {
                            replay.playing = !replay.playing;
                        }
                        let last = replay.len() - 1;
                        ui.spacing_mut().slider_width = 240.0;
                        ui.add(egui::Slider::new(&mut replay.at, 0..=last).text("frame"));
                        leave = ui.button("live").on_hover_text("back to the simulation").clicked();
                    });
                });
            });
        if replay.playing {
            replay.at = (replay.at + 1) % replay.len();
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(33));
        }
        if replay.at != before {
            self.show_frame();
        }
        if leave {
            self.replay = None;
            self.send(Command::Restart);
            self.pause(false);
        }
    }
}
