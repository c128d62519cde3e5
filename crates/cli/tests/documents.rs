//! What README and book show works: every block of TOML is loaded, every block of shell is run, and what is
//! said about tests in CI is so.
#![cfg(unix)]

use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use lawine_study::Study;
use lawine_study::file::LoadedStudy;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a page.
struct Block {
    /// Page and line, for messages.
    place: String,
    page: PathBuf,
    language: String,
    text: String,
    /// Why it is not run, from a comment `<!-- not run: … -->` in the line above.
    not_run: Option<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All files below a folder with one of these endings.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
}

fn blocks() -> Vec<Block> {
    let root = root();
    let mut pages = vec![root.join("README.md")];
    files(&root.join("book/src"), "md", &mut pages);
    let mut blocks = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let mut lines = text.lines().enumerate();
        let mut above = "";
        while let Some((number, line)) = lines.next() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                let inside = lines.by_ref().map(|(_, l)| l).take_while(|l| l.trim() != "```");
                let text = inside.fold(String::new(), |text, line| text + line + "\n");
                let name = page.strip_prefix(&root).unwrap().display();
                let reason = above.strip_prefix("<!-- not run: ");
                blocks.push(Block {
                    place: format!("{name}:{}", number + 1),
                    page: page.clone(),
                    language: language.to_owned(),
                    text,
                    not_run: reason.and_then(|r| r.strip_suffix(" -->")).map(str::to_owned),
                });
            }
            above = line;
        }
    }
    blocks
}

#[test]
fn every_block_has_a_language() {
    for block in blocks() {
        let known = ["toml", "sh", "text", "rust"].contains(&block.language.as_str());
        assert!(known, "{}: {:?} is none of ours", block.place, block.language);
        if block.language == "text" {
            continue;
        }
        let reason = block.not_run.as_deref().unwrap_or("it is run");
        assert!(reason.len() > 5, "{}: no reason", block.place);
    }
}

/// A block without a title goes on where the one before it on its page ended.
#[test]
fn every_block_of_toml_is_a_scene_or_a_study() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("martin-moyce.csv"), "# remark\nT,Z\n0.4,1.1\n").unwrap();
    let (mut scenes, mut studies) = (0, 0);
    let mut before: BTreeMap<PathBuf, String> = BTreeMap::new();
    for block in blocks().into_iter().filter(|block| block.language == "toml") {
        let place = &block.place;
        let whole = block.text.starts_with("title");
        let mut text = if whole { String::new() } else { before[&block.page].clone() };
        text += &block.text;
        let file = folder.path().join("block.toml");
        fs::write(&file, &text).unwrap();
        if text.contains("[[measure]]") {
            let argument = file.to_string_lossy();
            let loaded = LoadedStudy::load(&argument).unwrap_or_else(|e| panic!("{place}: {e}"));
            Study::new(loaded, true).unwrap_or_else(|e| panic!("{place}: {e}"));
            studies += 1;
        } else {
            let loaded = load(&Source::File(file), &[]).unwrap_or_else(|e| panic!("{place}: {e}"));
            let built = build(&loaded).unwrap_or_else(|e| panic!("{place}: {e}"));
            assert!(built.warnings.is_empty(), "{place}: {:?}", built.warnings);
            lawine_record::run::check(&loaded, &built).unwrap_or_else(|e| panic!("{place}: {e}"));
            scenes += 1;
        }
        before.insert(block.page, text);
    }
    assert!(scenes >= 1 && studies >= 2, "{scenes} scenes, {studies} studies");
}

/// Stand-ins for the programs that blocks of shell call. `lawine` is the program, with a short end where the
/// block names none; `cargo` runs it, and looks whether what it should build or test is there; `sbatch` does
/// the tasks of an array side by side, and what is wrapped.
fn stand_ins(folder: &Path) {
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write(
        "lawine",
        format!(
            "#!/bin/bash -e\n\
             case \"$1 $*\" in\n\
             *--end*) short=() ;;\n\
             run*) short=(--end 0.01 --set output.every=0.005 --set view.size=[160,90]) ;;\n\
             *--quick*) short=() ;;\n\
             study*) short=(--quick) ;;\n\
             esac\n\
             exec {:?} \"$@\" \"${{short[@]}}\"\n",
            env!("CARGO_BIN_EXE_lawine")
        ),
    );
    write(
        "cargo",
        "#!/bin/bash -e\n\
         case \"$*\" in\n\
         'run --release -- '*) exec lawine \"${@:4}\" ;;\n\
         'install --path '*) grep -q '^\\[\\[bin\\]\\]' \"$LAWINE_ROOT/$3/Cargo.toml\" ;;\n\
         test*) grep -qF \"cargo $*\" \"$LAWINE_ROOT/.ci/run\" ;;\n\
         *) echo \"no stand-in for cargo $*\" >&2; exit 1 ;;\n\
         esac\n"
            .to_owned(),
    );
    write(
        "sbatch",
        "#!/bin/bash -e\n\
         script=${@: -1}\n\
         case $script in\n\
         --wrap=*) bash -c \"${script#--wrap=}\" ;;\n\
         *) for i in $(seq 0 \"$(sed -n 's/^#SBATCH --array=0-//p' \"$script\")\"); do\n\
         SLURM_ARRAY_TASK_ID=$i bash \"$script\" >\"task-$i.log\" 2>&1 &\n\
         done; wait; echo 1 ;;\n\
         esac\n"
            .to_owned(),
    );
}

/// Blocks of a page run one after the other in one folder. A block of TOML that a page has is there as the
/// file `my-study.toml`.
#[test]
fn every_block_of_shell_runs() {
    let tools = tempfile::tempdir().unwrap();
    stand_ins(tools.path());
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", tools.path().display());
    let all = blocks();
    let study = all.iter().find(|b| b.text.contains("Front of a dam break over")).unwrap();
    let mut folders: BTreeMap<&Path, tempfile::TempDir> = BTreeMap::new();
    let (mut ran, mut not_run) = (0, Vec::new());
    for block in all.iter().filter(|block| block.language == "sh") {
        if block.not_run.is_some() {
            not_run.push(block.place.as_str());
            continue;
        }
        let folder = folders.entry(&block.page).or_insert_with(|| tempfile::tempdir().unwrap());
        fs::write(folder.path().join("my-study.toml"), &study.text).unwrap();
        let done = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &block.text])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("LAWINE_ROOT", root())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{}\n{}\n{said}", block.place, block.text);
        if block.text.contains("my-study.toml") {
            // A row for each of three resolutions.
            let table = fs::read_to_string(folder.path().join("results/table.csv")).unwrap();
            assert_eq!(table.lines().count(), 4, "{}: {table}", block.place);
        }
        ran += 1;
    }
    assert!(ran >= 7 && not_run.len() <= 1, "{ran} ran, not these: {not_run:?}");
}

/// Names of all tests, and whether they are ignored.
fn tests() -> BTreeMap<String, bool> {
    let mut sources = Vec::new();
    files(&root().join("crates"), "rs", &mut sources);
    let mut tests = BTreeMap::new();
    for source in sources {
        let (mut is_test, mut ignored) = (false, false);
        for line in fs::read_to_string(source).unwrap().lines().map(str::trim) {
            if line.starts_with("#[") {
                is_test |= line == "#[test]";
                ignored |= line.starts_with("#[ignore");
            } else if !line.starts_with("//") {
                let name = line.strip_prefix("fn ").and_then(|l| l.split('(').next());
                if let (Some(name), true) = (name, is_test) {
                    *tests.entry(name.to_owned()).or_default() |= ignored;
                }
                (is_test, ignored) = (false, false);
            }
        }
    }
    tests
}

/// The table of validation calls a test ignored if, and only if, CI does not run it, and the book lists those.
#[test]
fn validation_says_what_ci_runs() {
    let tests = tests();
    let table = fs::read_to_string(root().join("validation/README.md")).unwrap();
    let page = fs::read_to_string(root().join("book/src/validation.md")).unwrap();
    let (mut in_ci, mut by_hand) = (0, 0);
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let cell = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap();
        let parts: Vec<&str> = cell.split('`').collect();
        for (k, &name) in parts.iter().enumerate().skip(1).step_by(2) {
            let Some(&ignored) = tests.get(name) else { continue };
            let said = parts.get(k + 1).is_some_and(|after| after.starts_with(", ignored"));
            assert_eq!(said, ignored, "{name}");
            assert_eq!(page.contains(&format!("`{name}`")), ignored, "{name} in validation.md");
            if ignored { by_hand += 1 } else { in_ci += 1 }
        }
    }
    assert!(in_ci > 40 && by_hand > 10, "{in_ci} in CI, {by_hand} by hand");
}
