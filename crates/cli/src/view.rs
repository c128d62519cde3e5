//! `lawine view`.

use anyhow::{Context, Result, bail};
use clap::Args;
use std::env::consts::EXE_SUFFIX;
use std::process::{Command, ExitCode};

/// Plays a scene in a window. The window is a program of its own, lawine-viewer, beside this one.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lawine view                a breaking dam; H shows all keys\n  \
    lawine view my-dam.toml    a scene of your own")]
pub(crate) struct Arguments {
    /// A scene file, or the name of a built-in scene
    scene: Option<String>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let here = std::env::current_exe().context("cannot find this program")?;
        let viewer = here.with_file_name(format!("lawine-viewer{EXE_SUFFIX}"));
        if !viewer.is_file() {
            bail!(
                "the viewer is a program of its own, and {} is not there; build and start it with:\n  \
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
