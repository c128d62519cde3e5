//! A kind of matter is known to its module and to its solver alone: nobody else names one, or asks for the types
//! of its solver.

use lawine_scene::matter::kinds;
use std::fs;
use std::path::{Path, PathBuf};

/// Benchmarks, experiments and the comparison of a graphics device with the processor are about single solvers, and
/// bodies touch each other as grains do, whatever matter is there.
const ABOUT_SOLVERS: [&str; 4] =
    ["cli/src/bench", "study/src/experiment/", "viewer/src/web.rs", "scene/src/build/contacts.rs"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// What a line of a file names that it should not.
fn named(line: &str) -> Option<String> {
    let keys = kinds().iter().map(|kind| kind.key());
    let keys = keys.flat_map(|key| [format!("\"{key}\""), format!("\"[{key}]\"")]);
    let others = [
        "lawine_solvers",
        ".table::<",
        ".table_mut::<",
        "methods[0]",
        "methods.first()",
        "matters[0]",
        "scene.spacing()",
        "scene.smoothing()",
        "dyn Any",
    ];
    let mut all = keys.chain(others.map(str::to_owned));
    // The help of the viewer shows what the solvers find when they test themselves.
    let is_self_test = line.contains("::selftest");
    all.find(|name| line.contains(name.as_str()) && !is_self_test)
}

#[test]
fn a_kind_of_matter_is_named_in_its_module_only() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        let own = ["solvers", "gpu", "settings"].iter().any(|name| path.ends_with(name));
        if !own && path.join("src").is_dir() {
            sources(&path.join("src"), &mut files);
        }
    }
    let mut wrong = Vec::new();
    for file in &files {
        let name = file.strip_prefix(crates).unwrap().to_string_lossy().replace('\\', "/");
        let is_module = kinds().iter().any(|k| name.contains(&format!("src/matter/{}/", k.key())));
        let is_about_solvers = ABOUT_SOLVERS.iter().any(|start| name.starts_with(start));
        if is_module || is_about_solvers || name.contains("/tests") {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        let program = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for (number, line) in (1..).zip(program.lines()) {
            // Descriptions of settings say to which matter they belong.
            let line = line.trim_start();
            let is_description = line.starts_with("#[setting(") || line.starts_with("of = ");
            if let Some(what) = named(line)
                && !is_description
                && !line.starts_with("//")
            {
                wrong.push(format!("{name}:{number} names {what}"));
            }
        }
    }
    assert!(files.len() > 200, "{} files", files.len());
    assert!(wrong.is_empty(), "ask `Kind` instead:\n{}", wrong.join("\n"));
}
