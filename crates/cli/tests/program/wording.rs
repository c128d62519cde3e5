//! Help, reference and error messages use standard terms.

use crate::common::Folder;
use std::fs;
use std::path::Path;

/// Phrases that a reader would not search for, with the usual ones.
const PRIVATE: &[(&str, &str)] = &[
    ("go on", "continue or resume"),
    ("goes on", "continues or resumes"),
    ("going on", "resuming"),
    ("share of", "fraction of"),
    ("promise", "tolerance and residual, converged"),
    ("nobody", "non-blocking"),
    ("somebody", "the user, another process"),
    ("look again", "poll again"),
    ("at hand", "on the host"),
    ("is not there", "does not exist, is not supported"),
    ("is there twice", "duplicate"),
    ("out of nothing", "without a source"),
    ("a name of its own", "a unique name"),
    ("makes no sense", "is invalid"),
    ("belongs into", "belongs in"),
    ("letters of", "text size of"),
    ("has gone", "has left, was removed"),
];

fn check(text: &str, source: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    for (phrase, usual) in PRIVATE {
        assert!(!text.contains(phrase), "{source}: \"{phrase}\"; write: {usual}");
    }
}

#[test]
fn help_and_reference_use_standard_terms() {
    let folder = Folder::new();
    let commands = [
        "", "run", "scenes", "scene", "schema", "check", "selftest", "render", "view", "study",
        "studies", "bench", "devices",
    ];
    for command in commands {
        check(&folder.say(&format!("{command} --help")).succeeds().out, command);
    }
    check(&folder.say("scene --reference").succeeds().out, "the reference");
}

/// The texts in the `#[error(…)]` attributes of a source file.
fn messages(source: &str) -> impl Iterator<Item = &str> {
    source.split("#[error(").skip(1).filter_map(|rest| rest.split(")]").next())
}

#[test]
fn errors_use_standard_terms() {
    fn walk(folder: &Path, found: &mut usize) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                for message in messages(&fs::read_to_string(&path).unwrap()) {
                    *found += 1;
                    check(&message.replace('\\', ""), &path.display().to_string());
                }
            }
        }
    }
    let mut found = 0;
    for krate in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        let sources = krate.unwrap().path().join("src");
        if sources.is_dir() {
            walk(&sources, &mut found);
        }
    }
    assert!(found > 100, "only {found} messages were found");
}
