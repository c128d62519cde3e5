//! `lawine view`.

use anyhow::{Context, Result, bail};
use clap::Args;
use std::env::consts::EXE_SUFFIX;
use std::process::{Command, ExitCode};

/// Open a scene in the interactive viewer, the separate program lawine-viewer next to this one.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lawine view                a dam break; H shows all keys\n  \
    lawine view my-dam.toml    your own scene")]
pub(crate) struct Arguments {
    /// A scene file, or the name of a built-in scene
    scene: Option<String>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let here = std::env::current_exe().context("cannot find the path of this program")?;
        let viewer = here.with_file_name(format!("lawine-viewer{EXE_SUFFIX}"));
        if !viewer.is_file() {
            bail!(
                "the viewer is a separate program, and {} does not exist; build and start it with:\n  \
                 cargo run --release -p lawine-viewer{}",
                viewer.display(),
                self.scene.map(|scene| format!(" -- {scene}")).unwrap_or_default()
            );
        }
        let status = Command::new(&viewer)
            .args(self.scene)
            .status()
            .with_context(|| format!("cannot start {}", viewer.display()))?;
        Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
