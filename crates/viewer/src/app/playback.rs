//! Playback of scripted clicks and keys.

use super::Viewer;
use crate::clock::Pace;
use crate::messages::Command;
use crate::script::{ScriptCommand, events};
use eframe::egui::{self, Context};
use lawine_scene::file::Source;

impl Viewer {
    /// Puts the clicks and keys of the script among those of the user.
    pub fn inject(&self, input: &mut egui::RawInput) {
        for command in self.script.at(self.frame).filter(|_| !self.is_waiting()) {
            input.events.extend(events(command, self.stage.rect()));
        }
    }

    /// Whether the script waits for a simulated time.
    pub(super) fn is_waiting(&self) -> bool {
        self.snapshot.as_ref().map_or(0.0, |s| s.time) < self.waits_for
    }

    pub(super) fn run_script(&mut self, ctx: &Context) {
        let commands: Vec<ScriptCommand> = self.script.at(self.frame).cloned().collect();
        if self.is_waiting() {
            return;
        }
        for command in commands {
            match command {
                ScriptCommand::Shot(path) => self.shots.take_into(ctx, path),
                ScriptCommand::Tell(words) => self.obey_script(&words),
                ScriptCommand::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
                ScriptCommand::Click(..) | ScriptCommand::Key(_) => {}
            }
        }
    }

    fn obey_script(&mut self, words: &str) {
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        match verb {
            "tab" => self.choose_tab(rest),
            "tool" => self.choose_tool(rest),
            "open" => self.open(Source::BuiltIn(rest.to_owned())),
            "set" => self.send(Command::Set(vec![rest.to_owned()])),
            "until" => self.waits_for = rest.parse().unwrap_or(0.0),
            "fastest" => self.set_pace(Pace::Fastest),
            _ => self.tell(format!("unknown script command `{words}`"), true),
        }
    }
}
