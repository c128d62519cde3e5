//! Notices of the simulation, and messages to the user.

use super::Viewer;
use super::plots::PHASES;
use crate::data::{FIRST_PLOTS, Group, History, groups};
use crate::messages::Notice;
use crate::snapshot::SceneInfo;
use eframe::egui::{self, Color32, FontId, Pos2, Rect, Ui};
use web_time::Instant;

/// How long a message is shown [s].
const NOTE_TIME: f64 = 6.0;

/// A message to the user.
pub(super) struct Note {
    pub(super) text: String,
    pub(super) is_problem: bool,
    since: Instant,
}

impl Viewer {
    pub(super) fn tell(&mut self, text: impl Into<String>, is_problem: bool) {
        let note = Note { text: text.into(), is_problem, since: Instant::now() };
        self.notes.push(note);
        let more = self.notes.len().saturating_sub(5);
        self.notes.drain(..more);
    }

    /// Tells how a file was saved.
    pub(super) fn tell_saved(&mut self, saved: Result<String, String>) {
        match saved {
            Ok(place) => self.tell(format!("saved: {place}"), false),
            Err(error) => self.tell(error, true),
        }
    }

    /// Takes over results and notices of the simulation.
    pub(super) fn receive(&mut self) {
        let (snapshot, notices) = self.worker.poll();
        for item in notices {
            match item {
                Notice::Scene(info) => self.scene_changed(*info),
                Notice::Note(text) => self.tell(text, false),
                Notice::Problem(text) => {
                    self.side.refused();
                    self.tell(text, true);
                }
                Notice::Stopped(text) => {
                    self.paused = true;
                    self.tell(text, true);
                }
                Notice::State(state, info) => self.keep_state(&state, &info),
            }
        }
        let current = self.info.as_ref().map_or(0, |info| info.generation);
        if let Some(mut snapshot) = snapshot.filter(|s| s.generation == current) {
            for row in std::mem::take(&mut snapshot.rows) {
                self.collection.push(&row);
                self.history.push(row);
            }
            self.snapshot = Some(snapshot);
            self.stage.stale();
        }
    }

    pub(super) fn scene_changed(&mut self, info: SceneInfo) {
        self.side.accepted(&info);
        if info.fresh || self.history.headings() != info.headings {
            self.history = History::new(info.headings.clone());
        }
        self.plots = groups(&info.headings, &info.scene);
        let before = self.shown_plots.len();
        let exists = |title: &String| self.plots.iter().any(|group| group.title == *title);
        self.shown_plots.retain(|title| exists(title) || title == PHASES);
        if info.fresh && (before == 0 || self.shown_plots.len() < before) {
            let first = |g: &&Group| FIRST_PLOTS.iter().any(|title| g.title.starts_with(title));
            self.shown_plots = self.plots.iter().filter(first).map(|g| g.title.clone()).collect();
        }
        if info.fresh {
            self.tools.fit(&info);
            self.stage.begin(&info);
        }
        self.info = Some(info);
        self.stage.stale();
    }

    /// Saves the state as a run that can be resumed, because the viewer cannot continue.
    #[cfg(not(target_arch = "wasm32"))]
    fn keep_state(&mut self, state: &[u8], info: &SceneInfo) {
        let steps = self.snapshot.as_ref().map_or(0, |s| s.steps);
        let kept = super::shots::keep_state(&self.files, &self.name, state, steps, info);
        let lost = "The graphics device was lost.";
        self.fatal = Some(match kept {
            Ok(place) => format!(
                "{lost} The state was saved; resume with: lawine run --resume {}",
                place.display()
            ),
            Err(error) => format!("{lost} The state could not be saved: {error}"),
        });
    }

    #[cfg(target_arch = "wasm32")]
    fn keep_state(&mut self, state: &[u8], _info: &SceneInfo) {
        let saved = self.files.save(&crate::files::file_name(&self.name), "state", state);
        self.tell_saved(saved);
    }

    /// Messages to the user, in the lower left corner.
    pub(super) fn show_notes(&mut self, ui: &Ui, rect: Rect) {
        let keep = |note: &Note| {
            let seconds = if note.is_problem { 3.0 * NOTE_TIME } else { NOTE_TIME };
            note.since.elapsed().as_secs_f64() < seconds
        };
        self.notes.retain(keep);
        let lasting = self.fatal.iter().chain(&self.stage.problem).map(|text| (text, true));
        let notes = self.notes.iter().map(|note| (&note.text, note.is_problem));
        let mut bottom = rect.bottom() - 10.0;
        for (text, is_problem) in notes.chain(lasting).collect::<Vec<_>>().into_iter().rev() {
            let color =
                if is_problem { Color32::from_rgb(176, 20, 20) } else { Color32::DARK_GRAY };
            let font = FontId::proportional(14.0);
            let galley = ui.painter().layout(text.clone(), font, color, rect.width() - 60.0);
            let corner = Pos2::new(rect.left() + 16.0, bottom - galley.size().y - 6.0);
            let frame = Rect::from_min_size(corner, galley.size()).expand2(egui::vec2(8.0, 4.0));
            ui.painter().rect_filled(frame, 4.0, Color32::from_white_alpha(235));
            ui.painter().galley(corner, galley, color);
            bottom = frame.top() - 6.0;
        }
    }
}
