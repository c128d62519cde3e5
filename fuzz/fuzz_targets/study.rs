//! Any text is a study or an error.
#![no_main]

use lawine_study::file::LoadedStudy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match LoadedStudy::from_text("study", text.to_owned()) {
        Ok(study) => assert!(!study.file.case.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
