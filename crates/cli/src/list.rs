//! `lawine scenes`, `lawine scene` and `lawine check`.

use crate::Usage;
use crate::print::{errln, outln};
use anyhow::Result;
use clap::Args;
use lawine_core::method::DtLimit;
use lawine_scene::build::build;
use lawine_scene::builtin;
use lawine_scene::file::{
    Source, explanation, load, parse_scene_text, reference_page, scene_table,
};
use std::process::ExitCode;

/// List the built-in scenes by topic, with what to watch for.
#[derive(Args)]
#[command(after_help = "Example:\n  lawine scenes")]
pub(crate) struct Scenes {}

impl Scenes {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let width = builtin::names().map(str::len).max().unwrap_or(0);
        for group in builtin::groups() {
            outln!("{}", group.title);
            for name in group.names() {
                let scene = parse_scene_text(builtin::get(name)?)?;
                outln!("  {name:width$}  {}. {}", scene.title, scene.watch);
            }
            outln!("");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Print the file of a built-in scene, to copy and edit.
#[derive(Args)]
#[command(after_help = "Examples:\n  lawine scene dam-break > my-dam.toml\n  \
    lawine scene --reference                 every key with its unit, default and range\n  \
    lawine scene --explain liquid.spacing    what a key means")]
pub(crate) struct Scene {
    /// Name of a built-in scene
    #[arg(required_unless_present_any = ["reference", "explain"])]
    name: Option<String>,
    /// Print the reference of all keys of scene files, in Markdown
    #[arg(long, conflicts_with = "name")]
    reference: bool,
    /// Print the meaning of a key, with its unit, default, range and allowed words
    #[arg(long, value_name = "KEY", conflicts_with_all = ["name", "reference"])]
    explain: Option<String>,
}

impl Scene {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let text = match (&self.name, &self.explain) {
            (Some(name), _) => builtin::get(name)?.to_owned(),
            (None, Some(key)) => explanation(key).map_err(Usage)?,
            (None, None) => reference_page(),
        };
        outln!("{}", text.trim_end_matches('\n'));
        Ok(ExitCode::SUCCESS)
    }
}

/// Print a JSON schema of scene files, for checking and completion in editors.
#[derive(Args)]
#[command(after_help = "Example:\n  lawine schema > scene.schema.json")]
pub(crate) struct Schema {}

impl Schema {
    pub(crate) fn run(self) -> Result<ExitCode> {
        outln!("{}", lawine_settings::schema(scene_table(), "A scene of Lawine"));
        Ok(ExitCode::SUCCESS)
    }
}

/// Check a scene without running it: keys, values, shapes, and the initial particles.
#[derive(Args)]
#[command(after_help = "Example:\n  lawine check my-dam.toml --set liquid.spacing=0.005")]
pub(crate) struct Check {
    /// A scene file, or the name of a built-in scene
    file: String,
    /// Override a key for this check; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Check {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let loaded = load(&Source::from_argument(&self.file)?, &self.set)?;
        let built = build(&loaded)?;
        lawine_record::run::check(&loaded, &built)?;
        let (simulation, scene) = (&built.simulation, &built.scene);
        for warning in &built.warnings {
            errln!("warning: {warning}");
        }
        outln!("{}: fine", self.file);
        outln!("  {}", scene.title);
        outln!("  particles  {}", simulation.particle_count());
        outln!("  bodies     {}", simulation.env.bodies.len());
        if built.boundary > 0 {
            outln!("  in walls   {} particles", built.boundary);
        }
        for (what, value) in scene.matters().filter_map(|kind| kind.decided(scene)) {
            outln!("  {what:10} {value}");
        }
        let limits = simulation.methods.iter().map(|method| method.dt_limit(&simulation.env));
        let limit = limits.fold(DtLimit::NONE, DtLimit::min);
        let first = simulation.next_step((scene.start + scene.output.every).min(scene.end));
        match scene.time.step {
            Some(dt) if dt > limit.dt => outln!(
                "  time step  {dt:.3e} s, fixed; longer than the adaptive {:.3e} s (by {})",
                limit.dt,
                limit.reason
            ),
            Some(dt) => outln!("  time step  {dt:.3e} s, fixed"),
            None => outln!("  time step  {:.3e} s at the start (by {})", first.dt, first.reason),
        }
        outln!("  end        {} s", scene.end);
        Ok(ExitCode::SUCCESS)
    }
}
