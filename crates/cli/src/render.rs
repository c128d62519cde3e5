//! `lawine render`.

use crate::print::outln;
use crate::progress::progress;
use crate::run::{numbers, setting, surface_key};
use anyhow::Result;
use clap::Args;
use lawine_record::output::RunDirectory;
use lawine_record::run::redraw;
use lawine_scene::file::{Override, Source, load_with};
use std::path::PathBuf;
use std::process::ExitCode;

/// Redraw the saved frames of a run and make a new movie.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lawine render runs/dam-break --field pressure --colors turbo --out runs/pressure\n  \
    lawine render runs/dam-break --colors cfl\n  \
    lawine render runs/dam-break-3d --eye 4,2,5 --turn 20 --size 1920x1080 --gif\n  \
    lawine render runs/floating --quality final --field matter")]
pub(crate) struct Arguments {
    /// Directory of a run
    directory: PathBuf,
    /// Directory for pictures and movie [default: that of the run]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Field that particles are coloured by: speed, density, pressure, velocity.x, …, or matter
    #[arg(long)]
    field: Option<String>,
    /// Colour map: viridis, turbo, water, cfl, snow, gray, magma, cool-warm
    #[arg(long)]
    colors: Option<String>,
    /// Values at the ends of the colour map [default: from the data]
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true)]
    range: Option<String>,
    /// Width and height of the pictures [px]
    #[arg(long, value_name = "WxH")]
    size: Option<String>,
    /// Pictures per second of the movie
    #[arg(long)]
    fps: Option<u32>,
    /// Camera position, in 3D [m]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    eye: Option<String>,
    /// Point that the camera looks at, in 3D [m]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    target: Option<String>,
    /// Rotation of the camera per second of simulated time [°]
    #[arg(long, allow_hyphen_values = true)]
    turn: Option<f64>,
    /// Draw the surface of liquid or snow; with a format (ply, obj, vtk) also save it
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "")]
    surface: Option<String>,
    /// How pictures are made: quick, or final with traced light
    #[arg(long, value_name = "QUALITY")]
    quality: Option<String>,
    /// Also make an animated GIF
    #[arg(long)]
    gif: bool,
    /// Override a key of the scene, such as view.camera.fov=30; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print only warnings and errors
    #[arg(long, short)]
    quiet: bool,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let overrides = self.overrides()?;
        let source = RunDirectory::open(&self.directory)?;
        let source = if self.out.is_none() { source.claim()? } else { source };
        let mut loaded = load_with(&Source::File(source.scene()), &overrides)?;
        // The range in the scene is for the field in the scene.
        let range_set = overrides.iter().any(|set| set.key() == "view.range");
        if self.field.is_some() && self.range.is_none() && !range_set {
            loaded.scene.view.range = None;
        }
        let drawn = redraw(&loaded, &source, self.out.as_deref(), &mut *progress(self.quiet))?;
        if !self.quiet {
            outln!("{} pictures in {}", drawn.pictures, drawn.directory.pictures().display());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn overrides(&self) -> Result<Vec<Override>> {
        let mut set = Override::parse_all(&self.set)?;
        let text = |key: &str, flag: &str, value: &Option<String>| {
            let given = |v: &String| setting(&format!("{key}={v:?}"), format!("{flag} {v}"));
            value.as_ref().map(given).transpose()
        };
        set.extend(text("view.field", "--field", &self.field)?);
        set.extend(text("view.colors", "--colors", &self.colors)?);
        set.extend(text("view.quality", "--quality", &self.quality)?);
        if let Some(fps) = self.fps {
            set.push(setting(&format!("view.fps={fps}"), format!("--fps {fps}"))?);
        }
        if let Some(turn) = self.turn {
            set.push(setting(&format!("view.turn={turn:?}"), format!("--turn {turn}"))?);
        }
        if let Some(range) = &self.range {
            let ends = numbers::<2>(range, "--range")?;
            set.push(setting(&format!("view.range={ends:?}"), format!("--range {range}"))?);
        }
        if let Some(size) = &self.size {
            let [width, height] = numbers::<2>(size, "--size")?;
            let key = format!("view.size=[{width}, {height}]");
            set.push(setting(&key, format!("--size {size}"))?);
        }
        for (key, point) in [("eye", &self.eye), ("target", &self.target)] {
            if let Some(text) = point {
                let point = numbers::<3>(text, &format!("--{key}"))?;
                let key_value = format!("view.camera.{key}={point:?}");
                set.push(setting(&key_value, format!("--{key} {text}"))?);
            }
        }
        set.extend(self.surface.as_deref().map(surface_key).transpose()?);
        if self.gif {
            set.push(setting("output.gif=true", "--gif")?);
        }
        Ok(set)
    }
}
