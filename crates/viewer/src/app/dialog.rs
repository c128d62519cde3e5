//! Opening scenes, meshes and runs: by dialog, or dropped on the window.

use super::Viewer;
use eframe::egui::{self, Context};
use lawine_scene::file::Source;
use std::path::{Path, PathBuf};

/// A file that has come, with its name.
type Arrived = (PathBuf, Result<Vec<u8>, String>);

/// The dialog.
pub(super) struct Dialog {
    open: bool,
    folder: PathBuf,
    text: String,
    sender: std::sync::mpsc::Sender<Arrived>,
    receiver: std::sync::mpsc::Receiver<Arrived>,
}

impl Default for Dialog {
    fn default() -> Self {
        let (sender, receiver) = std::sync::mpsc::channel();
        let folder = std::env::current_dir().unwrap_or_default();
        Self { open: false, folder, text: String::new(), sender, receiver }
    }
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

impl Viewer {
    /// Takes what was dropped on the window, or chosen in the browser's dialog.
    pub(super) fn receive_files(&mut self, ctx: &Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        for file in dropped {
            self.receive_dropped(&file, ctx);
        }
        let arrived: Vec<Arrived> = self.dialog.receiver.try_iter().collect();
        for (path, bytes) in arrived {
            match bytes {
                Ok(bytes) => self.open_bytes(&path, bytes),
                Err(error) => self.tell(format!("cannot read {}: {error}", path.display()), true),
            }
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn receive_dropped(&mut self, file: &egui::DroppedFileHandle, _ctx: &Context) {
        self.open_path(&file.path().to_path_buf());
    }

    #[cfg(target_arch = "wasm32")]
    fn receive_dropped(&mut self, file: &egui::DroppedFileHandle, ctx: &Context) {
        let (file, sender, ctx) = (file.clone(), self.dialog.sender.clone(), ctx.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let bytes = file.bytes_async().await;
            let _ = sender.send((file.path().to_path_buf(), bytes));
            ctx.request_repaint();
        });
    }

    /// Opens a scene whose text has come; anything else is refused in words.
    fn open_bytes(&mut self, path: &Path, bytes: Vec<u8>) {
        let name = path.display().to_string();
        match ending(path).as_str() {
            "toml" => match String::from_utf8(bytes) {
                Ok(text) => self.open(Source::Text { name, text }),
                Err(_) => self.tell(format!("{name} is not text"), true),
            },
            other => self.tell(
                format!("{name} cannot be opened here: \"{other}\" is not a scene; allowed: toml"),
                true,
            ),
        }
    }

    #[cfg(target_arch = "wasm32")]
    pub(super) fn open_dialog(&mut self) {
        let sender = self.dialog.sender.clone();
        let chosen = move |name: String, bytes| {
            let _ = sender.send((PathBuf::from(name), bytes));
        };
        if let Err(error) = crate::web::choose_file(".toml", chosen) {
            self.tell(format!("the browser's dialog does not open: {error:?}"), true);
        }
    }

    #[cfg(target_arch = "wasm32")]
    pub(super) fn show_dialog(&mut self, _ctx: &Context) {
        let _ = (self.dialog.open, &self.dialog.folder, &self.dialog.text);
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Viewer {
    pub(super) fn open_dialog(&mut self) {
        self.dialog.open = true;
    }

    /// Opens a scene, a mesh or the directory of a run.
    fn open_path(&mut self, path: &Path) {
        if path.is_dir() {
            self.open_run(path);
            return;
        }
        match ending(path).as_str() {
            "obj" | "stl" | "ply" => {
                self.tools.placing.file = path.display().to_string();
                self.tools.placing.thing = crate::place::Thing::Mesh;
                self.tools.tool = super::tools::Tool::Place;
                self.side.choose("tools");
                self.tell("click where the mesh should be filled with matter", false);
            }
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

#[cfg(not(target_arch = "wasm32"))]
impl Dialog {
    /// Shows the folder; gives what was chosen.
    fn show(&mut self, ui: &mut egui::Ui) -> Option<PathBuf> {
        let mut chosen = None;
        ui.horizontal(|ui| {
            let label = ui.label("path");
            let field = ui.text_edit_singleline(&mut self.text).labelled_by(label.id);
            let entered = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
            if (ui.button("Open").clicked() || entered) && !self.text.trim().is_empty() {
                chosen = Some(self.folder.join(self.text.trim()));
            }
        });
        ui.weak(self.folder.display().to_string());
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if ui.button("⬆ ..").clicked() {
                self.folder.pop();
            }
            for entry in entries(&self.folder) {
                let name = entry.file_name().map(|n| n.to_string_lossy().into_owned());
                let name = name.unwrap_or_default();
                let is_run = entry.join("scene.toml").is_file();
                let icon = if is_run {
                    "🎞"
                } else if entry.is_dir() {
                    "🗀"
                } else {
                    "🗋"
                };
                if ui.button(format!("{icon} {name}")).clicked() {
                    if entry.is_dir() && !is_run {
                        self.folder = entry;
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
#[cfg(not(target_arch = "wasm32"))]
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
