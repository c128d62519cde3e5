//! No text makes the loader panic.

use proptest::prelude::*;
use proptest::sample::Index;

use super::{FULL, SMALL, load_text};
use lawine_scene::file::parse_scene_text;

/// Fragments that are likely to hurt.
const FRAGMENTS: &[&str] = &[
    "",
    "nan",
    "-inf",
    "1e400",
    "-1",
    "0",
    "9223372036854775807",
    "\"",
    "'''",
    "[",
    "]]",
    "{",
    "}",
    "=",
    ".",
    "#",
    "\n",
    "\r\n",
    "\u{feff}",
    "é",
    "[]",
    "{}",
    "[[0]]",
    "1979-05-27",
    "true",
    "\0",
    "x = 1\n",
    "[[fill]]\n",
    "[space]\n",
    "shape.box",
    "a.b.c.d.e",
    "\"\\uD800\"",
    "1e308",
    "-1e308",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_text_never_panics(text in any::<String>()) {
        let _ = parse_scene_text(&text).map_err(|error| error.to_string());
    }

    #[test]
    fn mutated_scenes_never_panic(
        full in any::<bool>(),
        edits in prop::collection::vec(
            (any::<Index>(), 0..12_usize, prop::sample::select(FRAGMENTS)), 1..4),
    ) {
        let mut text = if full { FULL } else { SMALL }.to_string();
        for (index, length, fragment) in edits {
            let starts: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
            if starts.is_empty() {
                break;
            }
            let start = index.index(starts.len());
            let end = starts.get(start + length).copied().unwrap_or(text.len());
            text.replace_range(starts[start]..end, fragment);
        }
        if let Ok(scene) = parse_scene_text(&text) {
            let again = parse_scene_text(&scene.to_toml());
            prop_assert_eq!(Some(scene), again.ok());
        }
    }

    #[test]
    fn random_overrides_never_panic(
        key in "[a-z0-9.]{0,20}|fill\\.[0-9]\\.shape\\.[a-z.]{0,9}",
        value in "\\PC{0,20}",
    ) {
        let set = format!("{key}={value}");
        let _ = load_text(SMALL, &[&set]).map_err(|error| error.to_string());
    }
}

#[test]
fn deep_nesting_is_refused() {
    let dotted = format!("{}a = 1", "a.".repeat(100_000));
    let arrays = format!("title = {}", "[".repeat(100_000));
    let tables = format!("title = {}", "{ a = ".repeat(100_000));
    for text in [dotted, arrays, tables] {
        assert!(parse_scene_text(&text).map_err(|error| error.to_string()).is_err());
    }
    let nested = format!("a{}=1", ".a".repeat(70));
    let set = load_text(SMALL, &[&format!("view{}=1", ".a".repeat(100_000))]);
    assert!(set.is_err());
    assert!(parse_scene_text(&nested).is_err());
}
