//! Tests of scene files as a whole.

mod any_text;
mod contact;
mod grains;
mod messages;
mod overrides;
mod ranges;
mod reference;
mod round_trip;

use lawine_scene::file::{LoadedScene, SceneError, Source, load};

/// A scene in space with every table and, over its entries, every key but those of a plane.
const FULL: &str = include_str!("full.toml");

/// The same with grains: every key that only they have.
const FULL_GRAINS: &str = include_str!("full-grains.toml");

/// The same for what belongs to snow.
const FULL_SNOW: &str = include_str!("full-snow.toml");

/// A small scene in a plane, most keys left out.
const SMALL: &str = r#"title = "Small"
end = 1.0
[space]
dimension = 2
gravity = [0.0, -9.81]
[time]
cfl = 0.4
[liquid]
spacing = 0.01
[[fill]]
shape.box = { min = [0.0, 0.0], max = [0.6, 0.3] }
[[body]]
name = "tank"
shape.container = { min = [0.0, 0.0], max = [1.61, 0.8], open = ["+y"] }
[[probe]]
name = "front"
max = { field = "position.x" }
[view]
colors = "viridis"
"#;

/// Loads a text under the name `x.toml`.
fn load_text(text: &str, overrides: &[&str]) -> Result<LoadedScene, SceneError> {
    let source = Source::Text { name: "x.toml".into(), text: text.into() };
    load(&source, &overrides.iter().map(|set| set.to_string()).collect::<Vec<_>>())
}

/// The error message of a text.
fn message(text: &str, overrides: &[&str]) -> String {
    match load_text(text, overrides) {
        Ok(_) => panic!("this should be refused: {overrides:?}\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// Asserts that the small scene, with one text replaced by another, is refused in these words.
#[track_caller]
fn refused(from: &str, to: &str, expected: &str) {
    assert!(SMALL.contains(from), "the small scene has no {from:?}");
    let message = message(&SMALL.replacen(from, to, 1), &[]);
    assert!(message.contains(expected), "expected: {expected}\nmessage:  {message}");
}
