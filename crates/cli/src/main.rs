//! The program `lawine`: parses arguments, calls the libraries, prints results.

mod bench;
#[cfg(feature = "gpu")]
mod bench_gpu;
mod bench_grains;
mod bench_piles;
mod bench_snow;
mod device;
#[cfg(feature = "gpu")]
mod gpu;
mod list;
mod print;
mod progress;
mod render;
mod run;
mod selftest;
mod study;
mod view;

use clap::{Parser, Subcommand};
use print::errln;
use std::process::ExitCode;

/// Simulate liquids, grains and snow.
#[derive(Parser)]
#[command(
    name = "lawine",
    version,
    about,
    after_help = "Examples:\n  \
        lawine run dam-break                 a movie, pictures, plots and data in runs/dam-break\n  \
        lawine scenes                        list all built-in scenes\n  \
        lawine scene dam-break > my.toml     a scene to copy and change\n  \
        lawine run my.toml --set end=1"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene and write frames, pictures, a movie, data and a report
    Run(run::Arguments),
    /// List the built-in scenes
    Scenes(list::Scenes),
    /// Print the file of a built-in scene, to copy and edit
    Scene(list::Scene),
    /// Print a JSON schema of scene files, for editors
    Schema(list::Schema),
    /// Check a scene without running it
    Check(list::Check),
    /// Test neighbour search, kernel and gradient on ideal grids
    Selftest(selftest::Arguments),
    /// Redraw the frames of a run with another field, colour map, camera or size
    Render(render::Arguments),
    /// Open a scene in the interactive viewer (lawine-viewer)
    View(view::Arguments),
    /// Run a parameter study and make tables, plots and a report
    Study(study::Arguments),
    /// List the built-in studies
    Studies(study::Studies),
    /// Measure speed and memory on fixed scenes
    Bench(bench::Arguments),
    /// List the compute devices: processor and graphics cards
    Devices(device::Devices),
}

/// An error in how the program was called, not in what it computed.
#[derive(Debug)]
struct Usage(String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => arguments.run(),
        Command::Scenes(arguments) => arguments.run(),
        Command::Scene(arguments) => arguments.run(),
        Command::Schema(arguments) => arguments.run(),
        Command::Check(arguments) => arguments.run(),
        Command::Selftest(arguments) => arguments.run(),
        Command::Render(arguments) => arguments.run(),
        Command::View(arguments) => arguments.run(),
        Command::Study(arguments) => arguments.run(),
        Command::Studies(arguments) => arguments.run(),
        Command::Bench(arguments) => arguments.run(),
        Command::Devices(arguments) => arguments.run(),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            errln!("error: {}", chain(&error));
            ExitCode::from(if is_usage(&error) { 2 } else { 1 })
        }
    }
}

/// The error and its causes; a cause that is already part of the message is not repeated.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn is_usage(error: &anyhow::Error) -> bool {
    use lawine_scene::file::SceneError;
    error.is::<Usage>() || error.downcast_ref::<SceneError>().is_some_and(SceneError::is_usage)
}
