//! The panels, without a window.

use eframe::egui::{DroppedFile, Event, Key, PointerButton, Pos2, Role, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lawine_scene::file::Source;
use lawine_viewer::app::{Options, Viewer};
use lawine_viewer::files::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A viewer with a small scene, files going to a folder of its own.
fn viewer(folder: &Path) -> Harness<'static, Option<Viewer>> {
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
fn until(harness: &mut Harness<'_, Option<Viewer>>, is_true: impl Fn(&Viewer) -> bool) {
    let start = std::time::Instant::now();
    while start.elapsed().as_secs() < 300 {
        harness.step();
        if harness.state().as_ref().is_some_and(&is_true) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("still {:?}", harness.state().as_ref().map(Viewer::status));
}

fn state<'a>(harness: &'a Harness<'_, Option<Viewer>>) -> &'a Viewer {
    harness.state().as_ref().unwrap()
}

#[test]
fn keys_and_buttons_do_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    harness.key_press(Key::H);
    until(&mut harness, |viewer| viewer.status().contains("help open"));
    assert!(harness.query_by_label_contains("next brush").is_some());
    assert!(harness.query_by_label_contains("FAILED").is_none(), "the self-tests pass");
    // The window of the help has the same title.
    harness.get_by_role_and_label(Role::Button, "Help").click();
    until(&mut harness, |viewer| !viewer.status().contains("help open"));
    harness.get_by_label("Pause").click();
    until(&mut harness, Viewer::is_paused);
    harness.key_press(Key::Space);
    until(&mut harness, |viewer| !viewer.is_paused());
    harness.key_press(Key::V);
    until(&mut harness, |viewer| !viewer.status().starts_with("column"));
}

#[test]
fn clicks_place_and_erase() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    harness.key_press(Key::Delete);
    until(&mut harness, |viewer| viewer.particle_count() == 0);
    // The column stands in the middle of the view.
    let middle = state(&harness).view().center();
    click(&mut harness, middle, PointerButton::Primary);
    until(&mut harness, |viewer| viewer.particle_count() > 10);
    harness.key_press(Key::Space);
    harness.key_press(Key::R);
    until(&mut harness, |viewer| viewer.particle_count() == 400);
}

fn click(harness: &mut Harness<'_, Option<Viewer>>, pos: Pos2, button: PointerButton) {
    harness.event(Event::PointerMoved(pos));
    harness.step();
    for pressed in [true, false] {
        let modifiers = eframe::egui::Modifiers::NONE;
        harness.event(Event::PointerButton { pos, button, pressed, modifiers });
        harness.step();
    }
}

#[test]
fn every_parameter_is_there_with_its_unit() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    harness.get_by_label("Parameters").click();
    harness.step();
    harness.step();
    for label in ["spacing [m]", "rest_density [kg/m³]", "viscosity [m²/s]", "stiffness [Pa]"] {
        assert!(harness.query_all_by_label(label).count() >= 1, "{label}");
    }
    harness.get_by_label("dfsph").click();
    until(&mut harness, |viewer| {
        viewer.scene().is_some_and(|s| s.pressure.method.word() == "dfsph")
    });
    harness.get_by_label("honey").click();
    until(&mut harness, |viewer| {
        viewer.scene().and_then(|s| s.liquid.as_ref()).is_some_and(|l| l.rest_density > 1300.0)
    });
    harness.get_by_label_contains("waits for a restart");
}

#[test]
fn scenes_and_data_are_saved_where_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    harness.key_press(Key::F1);
    until(&mut harness, |viewer| viewer.messages().any(|text| text.contains("F2 starts")));
    harness.key_press(Key::F2);
    until(&mut harness, |viewer| viewer.collected() > 3);
    harness.key_press(Key::F2);
    harness.key_press(Key::F1);
    harness.key_press(Key::T);
    until(&mut harness, |viewer| viewer.messages().any(|text| text.contains("column-001.toml")));
    let csv = std::fs::read_to_string(folder.path().join("lawine-column-001.csv")).unwrap();
    assert!(csv.starts_with("time [s],dt [s],kinetic_energy") && csv.lines().count() > 4);
    let toml = std::fs::read_to_string(folder.path().join("lawine-column-001.toml")).unwrap();
    lawine_scene::file::parse_scene_text(&toml).unwrap();
}

#[derive(Debug)]
struct File(PathBuf);

impl DroppedFile for File {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|e| e.to_string())
    }
}

#[test]
fn a_broken_file_that_is_dropped_shows_the_message_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    let path = folder.path().join("broken.toml");
    std::fs::write(&path, "title = 'x'\nend = = 3\n").unwrap();
    let scene = state(&harness).scene().cloned();
    harness.input_mut().dropped_files.push(Arc::new(File(path.clone())));
    until(&mut harness, |viewer| viewer.messages().any(|text| text.contains("broken.toml:2")));
    assert_eq!(state(&harness).scene().cloned(), scene);
    assert_eq!(state(&harness).particle_count(), 400);
    std::fs::write(&path, lawine_scene::builtin::get("drop").unwrap()).unwrap();
    harness.input_mut().dropped_files.push(Arc::new(File(path)));
    until(&mut harness, |viewer| viewer.scene().is_some_and(|s| s.title.contains("Drop")));
}
