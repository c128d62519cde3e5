//! Any text is a scene or an error; a scene that is written and read again is the same scene.
#![no_main]

use lawine_scene::file::parse_scene_text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match parse_scene_text(text) {
        Ok(scene) => {
            let written = scene.to_toml();
            let again = parse_scene_text(&written);
            let again = again.unwrap_or_else(|error| panic!("{error}\n{written}"));
            assert_eq!(scene, again, "{written}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
