//! `lawine scenes`, `lawine scene` and `lawine check`.

use crate::words::{say, tell};
use anyhow::Result;
use clap::Args;
use lawine_scene::build::build;
use lawine_scene::builtin;
use lawine_scene::file::{PressureMethod, Source, load, parse_scene_text, reference_page};
use std::process::ExitCode;

/// Lists the built-in scenes by kind, with what to watch.
#[derive(Args)]
#[command(after_help = "Example:\n  lawine scenes")]
pub(crate) struct Scenes {}

impl Scenes {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let width = builtin::names().map(str::len).max().unwrap_or(0);
        for group in builtin::groups() {
            say!("{}", group.title);
            for name in group.names() {
                let scene = parse_scene_text(builtin::get(name)?)?;
                say!("  {name:width$}  {}. {}", scene.title, scene.watch);
            }
            say!("");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints the file of a built-in scene, to copy and change.
#[derive(Args)]
#[command(after_help = "Examples:\n  lawine scene dam-break > my-dam.toml\n  \
    lawine scene --reference                 every key with its unit and default")]
pub(crate) struct Scene {
    /// Name of a built-in scene
    #[arg(required_unless_present = "reference")]
    name: Option<String>,
    /// Prints a page on every key of scene files, in Markdown
    #[arg(long, conflicts_with = "name")]
    reference: bool,
}

impl Scene {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let text = match &self.name {
            Some(name) => builtin::get(name)?.to_owned(),
            None => reference_page()?,
        };
        say!("{}", text.trim_end_matches('\n'));
        Ok(ExitCode::SUCCESS)
    }
}

/// Checks a scene without running it: keys, values, shapes, and where the liquid begins.
#[derive(Args)]
#[command(after_help = "Example:\n  lawine check my-dam.toml --set liquid.spacing=0.005")]
pub(crate) struct Check {
    /// A scene file, or the name of a built-in scene
    file: String,
    /// Changes a key for this check; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Check {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let loaded = load(&Source::from_argument(&self.file)?, &self.set)?;
        let built = build(&loaded)?;
        lawine_scene::run::check(&loaded, &built)?;
        let (simulation, scene) = (&built.simulation, &built.scene);
        for warning in &built.warnings {
            tell!("warning: {warning}");
        }
        say!("{}: fine", self.file);
        say!("  {}", scene.title);
        say!("  particles  {}", simulation.particle_count());
        say!("  bodies     {}", simulation.env.bodies.len());
        if built.boundary > 0 {
            say!("  in walls   {} particles", built.boundary);
        }
        if let (Some(stiffness), PressureMethod::Eos) =
            (scene.pressure.stiffness, scene.pressure.method)
        {
            say!("  stiffness  {stiffness:.4e} Pa");
        }
        let limit = simulation.methods[0].dt_limit(&simulation.env);
        let first = simulation.next_step((scene.start + scene.output.every).min(scene.end));
        match scene.solver.time_step {
            Some(dt) if dt > limit.dt => say!(
                "  time step  {dt:.3e} s, fixed; longer than the adaptive {:.3e} s (by {})",
                limit.dt,
                limit.reason
            ),
            Some(dt) => say!("  time step  {dt:.3e} s, fixed"),
            None => say!("  time step  {:.3e} s at the start (by {})", first.dt, first.reason),
        }
        say!("  end        {} s", scene.end);
        Ok(ExitCode::SUCCESS)
    }
}
