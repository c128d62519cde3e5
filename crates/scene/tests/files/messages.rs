//! Errors name the place, the key, the value and what is allowed.

use super::{SMALL, load_text, message, refused};
use lawine_scene::builtin;
use lawine_scene::file::{Place, SceneError, Solid, Source, load};

#[test]
fn syntax_errors_name_the_line() {
    refused("cfl = 0.4", "cfl = = 0.4", "x.toml:7: this is not TOML: ");
    refused("cfl = 0.4", "cfl = = 0.4", "in `cfl = = 0.4`");
    refused("end = 1.0", "end = 1.0\nend = 2.0", "x.toml:3: this is not TOML: duplicate key");
    refused("[space]", "[space", "x.toml:3: ");
}

#[test]
fn unknown_keys_come_with_a_suggestion() {
    refused(
        "cfl = 0.4",
        "stpe = 0.1",
        "x.toml:7: time.stpe is not a key here (did you mean time.step?); \
         allowed: step, cfl, max_step, growth",
    );
    refused("spacing = 0.01", "spacing = 0.01\ncfl = 0.2", "did you mean time.cfl?");
    refused("[view]", "[veiw]", "x.toml:18: veiw is not a key here (did you mean view?)");
    refused("min = [0.0, 0.0]", "mim = [0.0, 0.0]", "x.toml:11: fill.0.shape.box.mim is not a key");
    refused("shape.box", "shape.bix", "fill.0.shape.bix is not a key here (did you mean");
    refused(
        "shape.box",
        "shape.plane",
        "fill.0.shape.plane is not a key here; allowed: box, sphere",
    );
    refused("max = { field", "maxx = { field", "x.toml:17: probe.0.maxx is not a key");
}

/// Keys that had another name or place say the new one, by themselves and in their old tables.
#[test]
fn old_names_say_the_new_ones() {
    let old = [
        ("[solver]\nkernel = 'wendland-c2'", "x.toml:7: solver.kernel is now liquid.kernel"),
        ("[solver]\ntime_step = 1", "solver.time_step is now time.step"),
        ("[solver]\nmax_time_step = 1", "solver.max_time_step is now time.max_step"),
        ("[pressure]\nmethod = 'iisph'", "x.toml:6: pressure is now liquid.pressure"),
        ("[boundary]\nlayers = 2", "boundary is now liquid.walls"),
        ("[contact]\nfriction = 2", "contact is now grains.contact"),
        ("[[material]]\nname = 'dry'", "material is now snow.material"),
        ("[snow]\ncell = 1\nflip_share = 0.9", "snow.flip_share is now snow.flip_fraction"),
    ];
    for (old, expected) in old {
        refused("[time]\ncfl = 0.4", old, expected);
    }
    refused("[view]", "[view]\nletters = 0.03", "view.letters is now view.text_size");
    let message = super::message(super::SMALL, &["boundary.layers=2"]);
    assert_eq!(message, "--set boundary.layers=2: boundary is now liquid.walls");
}

#[test]
fn wrong_kinds_show_the_value() {
    refused(
        "cfl = 0.4",
        "cfl = \"a\"",
        "x.toml:7: time.cfl = \"a\" is not allowed; allowed: a fin",
    );
    refused("spacing = 0.01", "spacing = nan", "x.toml:9: liquid.spacing = nan is not allowed");
    refused("spacing = 0.01", "spacing = -inf", "liquid.spacing = -inf is not allowed");
    refused(
        "[0.0, -9.81]",
        "[0.0]",
        "space.gravity = [0.0] is not allowed; allowed: a list of 2 or 3",
    );
    refused("[0.0, -9.81]", "[0.0, -9.81, 0, 1]", "allowed: a list of 2 or 3 finite numbers");
    refused("dimension = 2", "dimension = 2.0", "allowed: a whole number, 2 or 3");
    refused("dimension = 2", "dimension = -2", "space.dimension = -2 is not allowed");
}

#[test]
fn unknown_words_come_with_a_suggestion() {
    refused(
        "spacing = 0.01",
        "spacing = 0.01\nneighbors = \"gird\"",
        "x.toml:10: liquid.neighbors = \"gird\" is not allowed (did you mean \"grid\"?); \
         allowed: \"grid\", \"hash\", \"brute-force\"",
    );
    refused(
        "\"+y\"",
        "\"up\"",
        "body.0.shape.container.open.0 = \"up\" is not allowed; allowed: \"-x\"",
    );
    refused("\"viridis\"", "\"virids\"", "view.colors = \"virids\" is not allowed (did you mean");
}

#[test]
fn missing_keys_are_named_with_their_meaning() {
    refused(
        "spacing = 0.01",
        "viscosity = 0.1",
        "x.toml:8: liquid.spacing is missing: Distance between particles at rest [m]",
    );
    refused("title = \"Small\"", "", "x.toml: title is missing");
    refused("name = \"tank\"", "", "x.toml:12: body.0.name is missing");
    refused("shape.box = { min = [0.0, 0.0], max = [0.6, 0.3] }", "", "fill.0.shape is missing");
    refused(
        "max = { field = \"position.x\" }",
        "",
        "probe.0 needs exactly one of the keys min, mean",
    );
    refused(
        "max = { field",
        "min = { field = \"density\" }\nmax = { field",
        "probe.0 has the keys min and max; allowed: exactly one of min, mean, max, deviation, pressure",
    );
}

#[test]
fn every_problem_is_reported_at_once() {
    let text = SMALL.replace("cfl = 0.4", "clf = 0.4").replace("spacing = 0.01", "spacing = true");
    let error = load_text(&text, &[]).map(|_| ()).unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
    assert_eq!(error.problems()[1].place, Place::Line("x.toml".into(), Some(9)));
    assert_eq!(error.problems()[1].key, "liquid.spacing");
}

#[test]
fn long_lists_of_problems_are_cut() {
    let text: String = (0..100).map(|i| format!("key{i} = 1\n")).collect();
    let message = message(&text, &[]);
    assert_eq!(message.lines().count(), 21);
    assert!(message.ends_with("more problems"));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no.toml");
    let error = load(&Source::File(path.clone()), &[]).unwrap_err();
    assert!(error.to_string().contains("no.toml"), "{error}");
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    let error = load(&Source::File(path.clone()), &[]).unwrap_err();
    assert!(matches!(error, SceneError::Read { .. }), "{error}");
    std::fs::write(&path, SMALL).unwrap();
    let loaded = load(&Source::File(path), &[]).unwrap();
    assert_eq!(loaded.folder, folder.path());
    assert_eq!(loaded.error("liquid.spacing", "too small").to_string().lines().count(), 1);
}

#[test]
fn paths_start_from_the_folder_of_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full.toml");
    std::fs::write(&path, super::FULL).unwrap();
    let loaded = load(&Source::File(path), &[]).unwrap();
    let mesh = folder.path().join("hare.obj");
    assert_eq!(loaded.path("hare.obj"), mesh);
    let Solid::Mesh(found) = &loaded.portable().fill[3].shape else { panic!("a mesh") };
    assert_eq!(found.mesh.file, mesh.display().to_string());
}

#[test]
fn arguments_are_names_or_paths() {
    assert_eq!(Source::from_argument("column").unwrap(), Source::BuiltIn("column".into()));
    assert_eq!(Source::from_argument("a/b").unwrap(), Source::File("a/b".into()));
    assert_eq!(Source::from_argument("b.toml").unwrap(), Source::File("b.toml".into()));
    let error = Source::from_argument("dambreak").unwrap_err().to_string();
    assert!(error.contains("did you mean dam-break?"), "{error}");
    assert!(error.contains("built-in scenes: dam-break, dam-break-3d, "), "{error}");
}

#[test]
fn built_in_scenes_load() {
    for name in builtin::names() {
        let loaded = load(&Source::BuiltIn(name.into()), &[]).unwrap_or_else(|e| panic!("{e}"));
        assert!(loaded.scene.watch.ends_with('.'), "{name} says what to watch");
    }
    let error = load(&Source::BuiltIn("column".into()), &["liquid.spacing=-1".into()]).unwrap_err();
    assert!(
        error.to_string().starts_with("--set liquid.spacing=-1: liquid.spacing = -1"),
        "{error}"
    );
    let error = builtin::get("colunm").unwrap_err().to_string();
    assert!(error.contains("did you mean column?"), "{error}");
}
