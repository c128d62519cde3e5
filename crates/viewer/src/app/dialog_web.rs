//! Opening scenes and meshes in a browser: by its dialog, or dropped on the page.

use super::Viewer;
use eframe::egui::Context;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The name of a file that has come, and its bytes.
type Arrived = (String, Result<Vec<u8>, String>);

/// Files that are in flight.
pub(super) struct Dialog {
    sender: Sender<Arrived>,
    receiver: Receiver<Arrived>,
}

impl Default for Dialog {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }
}

impl Viewer {
    /// Takes what was dropped on the page, or chosen in the dialog.
    pub(super) fn receive_files(&mut self, ctx: &Context) {
        for file in ctx.input(|input| input.raw.dropped_files.clone()) {
            let (sender, ctx) = (self.dialog.sender.clone(), ctx.clone());
            wasm_bindgen_futures::spawn_local(async move {
                let bytes = file.bytes_async().await;
                // The receiver may be gone when the viewer has closed.
                let _ = sender.send((file.path().display().to_string(), bytes));
                ctx.request_repaint();
            });
        }
        let arrived: Vec<Arrived> = self.dialog.receiver.try_iter().collect();
        for (name, bytes) in arrived {
            match bytes {
                Ok(bytes) => self.open_bytes(name, bytes),
                Err(error) => self.tell(format!("cannot read {name}: {error}"), true),
            }
        }
    }

    pub(super) fn open_dialog(&mut self, ctx: &Context) {
        let (sender, ctx) = (self.dialog.sender.clone(), ctx.clone());
        let chosen = move |name, bytes| {
            let _ = sender.send((name, bytes));
            ctx.request_repaint();
        };
        if let Err(error) = crate::web::choose_file(".toml,.obj,.stl,.ply", chosen) {
            self.tell(format!("the browser's file dialog cannot be opened: {error:?}"), true);
        }
    }

    /// The browser shows its own.
    pub(super) fn show_dialog(&mut self, _ctx: &Context) {}
}
