//! What the mouse and the keys of the brush do, and what is seen of it.

use crate::Quiet;
use crate::harness::{File, click, state, until, viewer};
use eframe::egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase, vec2,
};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use glam::DVec3;
use lawine_record::output::RunDirectory;
use lawine_record::run::{Setup, prepare, run};
use lawine_render::Camera;
use lawine_scene::file::{Source, load};
use lawine_viewer::app::Viewer;
use lawine_viewer::brush::BrushShape;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Width of what is seen [m].
fn width(viewer: &Viewer) -> f64 {
    let Camera::Planar(view) = viewer.camera() else { panic!("a plane") };
    view.size.x
}

/// Where a point of the plane is seen in the window; a pixel is a point.
fn seen(viewer: &Viewer, x: f64, y: f64) -> Pos2 {
    let rect = viewer.view();
    let [width, height] = [rect.width(), rect.height()].map(|n| n.round() as u32);
    let (place, _) = viewer.camera().project(DVec3::new(x, y, 0.0), width, height).unwrap();
    rect.min + vec2(place.x as f32, place.y as f32)
}

#[test]
fn the_keys_of_the_brush_change_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    let before = *state(&harness).brush();
    for key in [Key::Q, Key::W, Key::W, Key::A] {
        harness.key_press(key);
        harness.step();
    }
    let after = *state(&harness).brush();
    assert_eq!(after.shape, BrushShape::Circle);
    assert!(after.height == before.height + 2 && after.width == before.width - 1, "{after:?}");
}

#[test]
fn right_erases_left_shows_values_and_the_wheel_zooms() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    harness.key_press(Key::Space);
    until(&mut harness, Viewer::is_paused);
    let low = seen(state(&harness), 0.1, 0.3);
    let count = state(&harness).particle_count();
    assert!(harness.query_by_label("Values").is_none());
    click(&mut harness, low, PointerButton::Primary);
    // A window is laid out before it is seen.
    harness.run_steps(3);
    assert!(
        harness.query_by_label("Values").is_some() && harness.query_by_label("density").is_some()
    );
    click(&mut harness, low, PointerButton::Secondary);
    until(&mut harness, |viewer| viewer.particle_count() < count - 20);
    let before = width(state(&harness));
    harness.event(Event::PointerMoved(low));
    let (unit, delta, phase) = (MouseWheelUnit::Line, vec2(0.0, 3.0), TouchPhase::Move);
    let (modifiers, source) = (Modifiers::NONE, MouseWheelSource::Wheel);
    harness.event(Event::MouseWheel { unit, delta, phase, modifiers, source });
    until(&mut harness, |viewer| width(viewer) < 0.9 * before);
    // The wheel runs out softly.
    harness.run_steps(60);
    harness.key_press(Key::Home);
    until(&mut harness, |viewer| (width(viewer) - before).abs() < 1e-6);
}

fn drag(harness: &mut Harness<'_, Option<Viewer>>, from: Pos2, to: Pos2) {
    let press = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    harness.event(Event::PointerMoved(from));
    harness.event(press(from, true));
    harness.step();
    for k in 1..=20 {
        harness.event(Event::PointerMoved(from + (to - from) * (k as f32 / 20.0)));
        harness.step();
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    harness.event(press(to, false));
    harness.step();
}

#[test]
fn a_dragged_wall_moves() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    // The left wall of the column, half a spacing from its inner side.
    let at = seen(state(&harness), -0.01, 0.3);
    let place =
        |viewer: &Viewer| format!("{:?}", viewer.scene().map(|s| s.body[0].placement.position));
    let before = place(state(&harness));
    drag(&mut harness, at, at - vec2(30.0, 0.0));
    until(&mut harness, |viewer| place(viewer) != before);
}

#[test]
fn looks_and_colours_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    harness.get_by_label("View").click();
    harness.step();
    harness.get_by_value("viridis").click();
    harness.step();
    harness.step();
    harness.get_by_label("cfl").click();
    until(&mut harness, |viewer| viewer.scene().is_some_and(|s| s.view.colors.word() == "cfl"));
    harness.get_by_label_contains("Hunkler's CFL meter");
    harness.get_by_value("shaded").click();
    harness.step();
    harness.step();
    harness.get_by_label("hidden lines").click();
    harness.step();
    harness.step();
    assert!(harness.query_by_value("hidden lines").is_some());
}

#[test]
fn a_run_that_is_dropped_is_shown_frame_by_frame() {
    let folder = tempfile::tempdir().unwrap();
    let set = ["end=0.04", "output.every=0.02", "output.pictures=false", "output.movie=false"];
    let source = Source::BuiltIn("column".to_owned());
    let prepared = prepare(&load(&source, &set.map(str::to_owned)).unwrap(), None).unwrap();
    let path = folder.path().join("kept");
    let setup = Setup {
        directory: RunDirectory::create(path.clone()).unwrap(),
        scene_name: "column".to_owned(),
        command: String::new(),
        version: "0",
        device: "cpu".to_owned(),
        threads: 1,
        stop: &AtomicBool::new(false),
        cpu_clock: || 0.0,
    };
    run(prepared, &setup, &mut Quiet).unwrap();
    let mut harness = viewer(folder.path());
    harness.input_mut().dropped_files.push(Arc::new(File(path)));
    until(&mut harness, |viewer| viewer.status().starts_with("kept"));
    assert!(state(&harness).is_paused());
    harness.step();
    harness.get_by_label("live").click();
    until(&mut harness, |viewer| !viewer.is_paused());
}

#[test]
fn bytes_of_a_browser_are_scenes_or_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    let open = |harness: &mut Harness<'_, Option<Viewer>>, name: &str, bytes: &[u8]| {
        let viewer = harness.state_mut().as_mut().unwrap();
        viewer.open_bytes(name.to_owned(), bytes.to_vec());
    };
    open(&mut harness, "a.gif", b"GIF");
    until(&mut harness, |viewer| viewer.messages().any(|text| text.contains(".toml, .obj")));
    open(&mut harness, "Stone.STL", b"\xff\xfe");
    until(&mut harness, |viewer| viewer.messages().any(|text| text.contains("click to place")));
    let scene = lawine_scene::builtin::get("drop").unwrap();
    open(&mut harness, "mine.toml", scene.as_bytes());
    until(&mut harness, |viewer| viewer.scene().is_some_and(|s| s.title.contains("Drop")));
}

/// Grains are placed a few at a time, and are in the saved scene.
#[test]
fn grains_have_a_small_brush_and_are_in_the_saved_scene() {
    const BOX: &str = "title = 'Box'\nend = 1\n[space]\ndimension = 3\ngravity = [0, 0, 0]\n\
        [grains]\n[grains.contact]\nstiffness = 1e5\n\
        [[grain]]\nshape.platonic = { solid = 'cube', radius = 0.05 }\nposition = [0.1, 0.1, 0.1]\n\
        [[body]]\nname = 'box'\nshape.container = { min = [0, 0, 0], max = [1, 1, 1] }\n";
    let folder = tempfile::tempdir().unwrap();
    let mut harness = viewer(folder.path());
    let viewer = harness.state_mut().as_mut().unwrap();
    viewer.open_bytes("box.toml".to_owned(), BOX.into());
    until(&mut harness, |viewer| viewer.particle_count() == 1);
    assert_eq!((state(&harness).brush().width, state(&harness).brush().height), (3, 3));
    let middle = state(&harness).view().center();
    click(&mut harness, middle, PointerButton::Primary);
    until(&mut harness, |viewer| viewer.particle_count() == 1 + 27);
    harness.key_press(Key::Delete);
    until(&mut harness, |viewer| viewer.particle_count() == 0);
    harness.get_by_label("Tools").click();
    harness.run_steps(2);
    harness.get_by_label("places a shape").click();
    harness.step();
    click(&mut harness, middle, PointerButton::Primary);
    until(&mut harness, |viewer| viewer.particle_count() == 27);
    until(&mut harness, |viewer| viewer.messages().any(|text| text == "27 grains placed"));
    harness.key_press(Key::T);
    until(&mut harness, |viewer| viewer.messages().any(|text| text.contains(".toml")));
    let mut saved = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let saved = saved.find(|path| path.extension().is_some_and(|e| e == "toml")).unwrap();
    let text = std::fs::read(saved).unwrap();
    let viewer = harness.state_mut().as_mut().unwrap();
    viewer.open_bytes("saved.toml".to_owned(), text);
    // The grain of the scene and those that were placed.
    until(&mut harness, |viewer| viewer.particle_count() == 1 + 27);
}
