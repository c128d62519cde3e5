//! The panels, without a window.

use crate::harness::{File, click, state, until, viewer};
use eframe::egui::{Key, PointerButton, Role};
use egui_kittest::kittest::Queryable;
use lawine_render::Camera;
use lawine_solvers::sph::settings::Liquid;
use lawine_viewer::app::Viewer;
use std::sync::Arc;

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

#[test]
fn every_parameter_is_there_with_its_unit() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    harness.get_by_label("Parameters").click();
    harness.step();
    harness.step();
    for label in
        ["spacing [m]", "rest_density [kg/m³]", "viscosity [m²/s]", "pressure.stiffness [Pa]"]
    {
        assert!(harness.query_all_by_label(label).count() >= 1, "{label}");
    }
    harness.get_by_label("dfsph").click();
    until(&mut harness, |viewer| {
        let liquid = viewer.scene().and_then(|s| s.table::<Liquid>());
        liquid.is_some_and(|l| l.pressure.method.word() == "dfsph")
    });
    harness.get_by_label("honey").click();
    until(&mut harness, |viewer| {
        viewer.scene().and_then(|s| s.table::<Liquid>()).is_some_and(|l| l.rest_density > 1300.0)
    });
    harness.get_by_label_contains("takes effect after a restart");
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

/// Every key of the help that no other test presses.
#[test]
fn the_other_keys_do_what_the_help_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    let steps = |viewer: &Viewer| {
        let status = viewer.status();
        let words: Vec<&str> = status.split(' ').collect();
        let at = words.iter().position(|word| word.starts_with("steps")).unwrap();
        words[at - 1].parse::<u64>().unwrap()
    };
    harness.key_press(Key::Space);
    until(&mut harness, Viewer::is_paused);
    harness.run_steps(5);
    std::thread::sleep(std::time::Duration::from_millis(50));
    harness.run_steps(2);
    let before = steps(state(&harness));
    harness.key_press(Key::N);
    until(&mut harness, |viewer| steps(viewer) == before + 1);
    assert!(harness.query_by_value("real time").is_some());
    harness.key_press(Key::Period);
    harness.run_steps(2);
    assert!(harness.query_by_value("2 × real time").is_some());
    for _ in 0..2 {
        harness.key_press(Key::Comma);
        harness.run_steps(2);
    }
    assert!(harness.query_by_value("0.5 × real time").is_some());
    assert!(harness.query_by_label("time per phase").is_some());
    harness.key_press(Key::P);
    harness.run_steps(2);
    assert!(harness.query_by_label("time per phase").is_none());
    harness.key_press(Key::M);
    until(&mut harness, |viewer| viewer.messages().any(|text| text.contains("M stops")));
    let size = |viewer: &Viewer| match viewer.camera() {
        Camera::Planar(view) => (view.center, view.size.x),
        Camera::Perspective(_) => panic!("a plane"),
    };
    for key in [Key::PageUp, Key::PageDown, Key::ArrowLeft, Key::ArrowUp, Key::Home] {
        let before = size(state(&harness));
        harness.key_press(key);
        until(&mut harness, |viewer| size(viewer) != before);
    }
    harness.get_by_label("View").click();
    harness.run_steps(2);
    for button in ["left", "closer", "Show the whole scene"] {
        let before = size(state(&harness));
        harness.get_by_label(button).click();
        until(&mut harness, |viewer| size(viewer) != before);
    }
    let path = folder.path().join("mine.toml");
    std::fs::write(path, lawine_scene::builtin::get("drop").unwrap()).unwrap();
    harness.key_press(Key::O);
    harness.run_steps(3);
    let field = harness.get_by_role_and_label(Role::TextInput, "path");
    field.focus();
    field.type_text(&folder.path().join("mine.toml").display().to_string());
    harness.run_steps(2);
    harness.get_all_by_label("Open").last().unwrap().click();
    until(&mut harness, |viewer| viewer.status().starts_with("mine"));
}

/// The end is a message and a directory from which a run can go on.
#[test]
fn a_lost_device_ends_with_a_message_and_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    state(&harness).loss().happened();
    harness.state_mut().as_mut().unwrap().watch_device();
    until(&mut harness, |viewer| viewer.fatal().is_some());
    let told = state(&harness).fatal().unwrap().to_owned();
    let path = told.split_once("lawine run --resume ").unwrap().1;
    let kept = std::fs::read_dir(std::path::Path::new(path).join("checkpoint")).unwrap();
    assert_eq!(kept.count(), 1);
}
