//! Shows how to vary settings, measure and tabulate: a study as text, its runs side by side, one table.
//! `cargo run --release -p lawine-study --example vary`
#![allow(clippy::print_stdout, reason = "an example that prints")]

use lawine_study::file::LoadedStudy;
use lawine_study::{Listener, Outcome, Run, Study};
use std::sync::atomic::AtomicBool;

/// How fast a dam of water falls, by the resolution.
const STUDY: &str = r#"
title = "The front of a dam"
scene = "dam-break"
set = ["end=0.2", "output.frames=false", "output.pictures=false", "output.movie=false"]
[[case]]
name = "iisph"
[[case.vary]]
key = "liquid.spacing"
values = [0.05, 0.04]
[[measure]]
name = "steps"
of = "summary.steps"
[[plot]]
name = "steps"
x = "liquid.spacing"
y = ["steps"]
"#;

/// Tells which runs have ended.
struct Words;

impl Listener for Words {
    fn begins(&self, _: &Run, _: &str) {}
    fn changed(&self, _: &Run, _: &str) {}
    fn ended(&self, _: &Run, label: &str, outcome: &Outcome) {
        println!("{label}: {:?}", outcome.status);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args().nth(1).map_or(temporary.path().join("dam"), Into::into);
    let study = Study::new(LoadedStudy::from_text("dam", STUDY.to_owned())?, false)?;
    study.run_all(&folder, 2, &AtomicBool::new(false), &Words)?;
    let collected = study.collect(&folder)?;
    println!("{}", collected.table.aligned());
    for file in &collected.files {
        println!("wrote {}", file.display());
    }
    Ok(())
}
