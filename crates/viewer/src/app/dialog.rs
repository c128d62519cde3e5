//! Opening scenes, meshes and runs: by dialog, or dropped on the window.

use super::Viewer;
use eframe::egui::{self, Context, Ui};
use lawine_scene::file::Source;
use std::path::{Path, PathBuf};

/// The dialog.
#[derive(Default)]
pub(super) struct Dialog {
    open: bool,
    folder: Option<PathBuf>,
    text: String,
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

impl Viewer {
    /// Takes what was dropped on the window.
    pub(super) fn receive_files(&mut self, ctx: &Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        for file in dropped {
            self.open_path(file.path());
        }
    }

    pub(super) fn open_dialog(&mut self, _ctx: &Context) {
        self.dialog.open = true;
    }

    /// Opens a scene, a mesh or the directory of a run.
    fn open_path(&mut self, path: &Path) {
        if path.is_dir() {
            self.open_run(path);
            return;
        }
        match ending(path).as_str() {
            "obj" | "stl" | "ply" => self.open_mesh(path.display().to_string(), None),
            "toml" => self.open(Source::File(path.to_path_buf())),
            other => self.tell(
                format!(
                    "{} cannot be opened: \"{other}\" is unknown; allowed: toml, obj, stl, ply, or \
                     the directory of a run",
                    path.display()
                ),
                true,
            ),
        }
    }

    pub(super) fn show_dialog(&mut self, ctx: &Context) {
        let mut open = self.dialog.open;
        let mut chosen = None;
        egui::Window::new("Open a scene, a mesh or a run")
            .open(&mut open)
            .default_size([460.0, 380.0])
            .show(ctx, |ui| chosen = self.dialog.show(ui));
        self.dialog.open = open;
        if let Some(path) = chosen {
            self.dialog.open = false;
            self.open_path(&path);
        }
    }
}

impl Dialog {
    /// Shows the folder; returns what was chosen.
    fn show(&mut self, ui: &mut Ui) -> Option<PathBuf> {
        let here = || std::env::current_dir().unwrap_or_default();
        let folder = self.folder.get_or_insert_with(here);
        let mut chosen = None;
        ui.horizontal(|ui| {
            let label = ui.label("path");
            let field = ui.text_edit_singleline(&mut self.text).labelled_by(label.id);
            let entered = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
            if (ui.button("Open").clicked() || entered) && !self.text.trim().is_empty() {
                chosen = Some(folder.join(self.text.trim()));
            }
        });
        ui.weak(folder.display().to_string());
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if ui.button(".. (up)").clicked() {
                folder.pop();
            }
            for entry in entries(folder) {
                let name = entry.file_name().map(|n| n.to_string_lossy().into_owned());
                let name = name.unwrap_or_default();
                let is_run = entry.join("scene.toml").is_file();
                let kind = match (is_run, entry.is_dir()) {
                    (true, _) => " (run)",
                    (false, true) => "/",
                    (false, false) => "",
                };
                if ui.button(format!("{name}{kind}")).clicked() {
                    if entry.is_dir() && !is_run {
                        *folder = entry;
                    } else {
                        chosen = Some(entry);
                    }
                }
            }
        });
        chosen
    }
}

/// Folders, and files that can be opened.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let usable = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        let file = ["toml", "obj", "stl", "ply"].contains(&ending(path).as_str());
        !hidden && (path.is_dir() || file)
    };
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<PathBuf> = read.map(|entry| entry.path()).filter(usable).collect();
    entries.sort_by_key(|path| (!path.is_dir(), path.clone()));
    entries
}
