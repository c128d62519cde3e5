//! A viewer without a window, to be clicked at.

use eframe::egui::{DroppedFile, Event, PointerButton, Pos2, Vec2};
use egui_kittest::Harness;
use lawine_scene::file::Source;
use lawine_viewer::app::{Options, Viewer};
use lawine_viewer::files::Files;
use std::path::{Path, PathBuf};

/// A viewer with a small scene, files going to a folder of its own.
pub(crate) fn viewer(folder: &Path) -> Harness<'static, Option<Viewer>> {
    let files = Files::in_folder(folder);
    let mut options = Some(Options {
        scene: Some(Source::BuiltIn("column".to_owned())),
        files,
        ..Options::default()
    });
    let app = move |ui: &mut eframe::egui::Ui, viewer: &mut Option<Viewer>| {
        let options = &mut options;
        let viewer =
            viewer.get_or_insert_with(|| Viewer::new(ui.ctx(), options.take().unwrap_or_default()));
        viewer.ui(ui);
    };
    let mut harness =
        Harness::builder().with_size(Vec2::new(1100.0, 700.0)).build_ui_state(app, None);
    until(&mut harness, |viewer| viewer.particle_count() > 0);
    harness
}

/// Draws until something is true; the simulation runs on its own thread.
#[track_caller]
pub(crate) fn until(harness: &mut Harness<'_, Option<Viewer>>, is_true: impl Fn(&Viewer) -> bool) {
    let start = std::time::Instant::now();
    while start.elapsed().as_secs() < 60 {
        harness.step();
        if harness.state().as_ref().is_some_and(&is_true) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("still {:?}", harness.state().as_ref().map(Viewer::status));
}

pub(crate) fn state<'a>(harness: &'a Harness<'_, Option<Viewer>>) -> &'a Viewer {
    harness.state().as_ref().unwrap()
}

pub(crate) fn click(harness: &mut Harness<'_, Option<Viewer>>, pos: Pos2, button: PointerButton) {
    harness.event(Event::PointerMoved(pos));
    harness.step();
    for pressed in [true, false] {
        let modifiers = eframe::egui::Modifiers::NONE;
        harness.event(Event::PointerButton { pos, button, pressed, modifiers });
        harness.step();
    }
}

#[derive(Debug)]
pub(crate) struct File(pub(crate) PathBuf);

impl DroppedFile for File {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|e| e.to_string())
    }
}
