//! Shows how to run a scene into a directory and to read what it left there:
//! `cargo run --release -p lawine-record --example run -- runs/drop`
#![allow(clippy::print_stdout, reason = "an example that prints")]

use lawine_record::output::{RunDirectory, Series};
use lawine_record::run::{Progress, ProgressReport, Setup, prepare, run};
use lawine_scene::file::{Source, load};
use std::sync::atomic::AtomicBool;

/// Says what else takes time, and what is wrong.
struct Words;

impl Progress for Words {
    fn step(&mut self, _: &ProgressReport) {}
    fn stage(&mut self, what: &str) {
        println!("{what} …");
    }
    fn warning(&mut self, what: &str) {
        println!("warning: {what}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args().nth(1).map_or(temporary.path().join("drop"), Into::into);
    let settings = ["liquid.spacing=0.05", "end=0.2", "output.movie=false"].map(str::to_owned);
    let loaded = load(&Source::from_argument("drop")?, &settings)?;
    let prepared = prepare(&loaded, None)?;
    let setup = Setup {
        directory: RunDirectory::create_claimed(&folder)?,
        scene_name: "drop".to_owned(),
        command: "the example `run`".to_owned(),
        version: env!("CARGO_PKG_VERSION"),
        device: "cpu".to_owned(),
        threads: 1,
        stop: &AtomicBool::new(false),
        cpu_clock: || 0.0,
    };
    let summary = run(prepared, &setup, &mut Words)?;
    println!("{} steps, {:?}", summary.steps, summary.status);
    let series = Series::read(&setup.directory.series())?;
    let names: Vec<&str> = series.columns.iter().map(|column| column.name.as_str()).collect();
    println!("series.csv has {} columns: {}", names.len(), names.join(", "));
    println!("{} pictures in {}", setup.directory.saved_pictures()?.len(), folder.display());
    Ok(())
}
