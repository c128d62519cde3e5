//! Clicks and keys that happen by themselves.

use super::Viewer;
use crate::clock::Pace;
use crate::orders::Order;
use crate::script::{Deed, events};
use eframe::egui::{self, Context};
use lawine_scene::file::Source;

impl Viewer {
    /// Puts the clicks and keys of the script among those of the user.
    pub fn inject(&self, input: &mut egui::RawInput) {
        for deed in self.script.at(self.frame).filter(|_| !self.is_waiting()) {
            input.events.extend(events(deed, self.stage.rect()));
        }
    }

    /// Whether the script waits for a simulated time.
    pub(super) fn is_waiting(&self) -> bool {
        self.snapshot.as_ref().map_or(0.0, |s| s.time) < self.waits_for
    }

    pub(super) fn run_script(&mut self, ctx: &Context) {
        let deeds: Vec<Deed> = self.script.at(self.frame).cloned().collect();
        if self.is_waiting() {
            return;
        }
        for deed in deeds {
            match deed {
                Deed::Shot(path) => self.shots.take_into(ctx, path),
                Deed::Tell(words) => self.obey_script(&words),
                Deed::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
                Deed::Click(..) | Deed::Key(_) => {}
            }
        }
    }

    fn obey_script(&mut self, words: &str) {
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        match verb {
            "tab" => self.side.choose(rest),
            "tool" => self.choose_tool(rest),
            "open" => self.open(Source::BuiltIn(rest.to_owned())),
            "set" => self.send(Order::Set(vec![rest.to_owned()])),
            "until" => self.waits_for = rest.parse().unwrap_or(0.0),
            "fastest" => self.set_pace(Pace::Fastest),
            _ => self.tell(format!("unknown script command `{words}`"), true),
        }
    }
}
