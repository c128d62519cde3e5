//! Arguments in, a window out.

use anyhow::{Result, anyhow};
use clap::Parser;
use eframe::{egui, egui_wgpu};
use lawine_scene::file::Source;
use lawine_viewer::app::{Options, Window};
use lawine_viewer::files::Files;
use lawine_viewer::script::Script;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Plays a scene in a window.
#[derive(Parser)]
#[command(
    name = "lawine-viewer",
    version,
    after_help = "Examples:\n  \
        lawine-viewer                  a breaking dam; H shows all keys\n  \
        lawine-viewer dam-break-3d     another scene, or a file\n  \
        lawine-viewer dam-break --do '100 key F12; 120 quit' --documents ."
)]
struct Arguments {
    /// A scene file, or the name of a built-in scene
    scene: Option<String>,
    /// Where screenshots, data and scenes go [default: the Documents folder]
    #[arg(long, value_name = "DIR")]
    documents: Option<PathBuf>,
    /// Clicks and keys that happen at frames by themselves
    #[arg(long = "do", value_name = "SCRIPT")]
    script: Option<String>,
    /// Width and height of the window
    #[arg(long, value_name = "WxH", default_value = "1280x800")]
    size: String,
    /// What computes snow
    #[arg(long, value_name = "cpu|gpu|auto", default_value = "auto")]
    device: String,
    /// Draws the small pictures of all scenes into a directory, and ends
    #[arg(long, value_name = "DIR")]
    thumbnails: Option<PathBuf>,
}

pub(crate) fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is nobody else to tell when this fails.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(folder) = arguments.thumbnails {
        return lawine_viewer::thumbnails::draw_thumbnails(&folder).map_err(|e| anyhow!(e));
    }
    let options = Options {
        scene: arguments.scene.as_deref().map(Source::from_argument).transpose()?,
        files: arguments.documents.map_or_else(Files::default, Files::in_folder),
        on_gpu: match arguments.device.as_str() {
            "auto" => None,
            "gpu" => Some(true),
            "cpu" => Some(false),
            other => {
                return Err(anyhow!("--device {other} is not allowed; allowed: cpu, gpu, auto"));
            }
        },
        script: Script::parse(arguments.script.as_deref().unwrap_or_default())
            .map_err(|e| anyhow!(e))?,
    };
    let size = arguments
        .size
        .split_once('x')
        .and_then(|(w, h)| Some([w.parse::<f32>().ok()?, h.parse::<f32>().ok()?]));
    let size = size.filter(|size| size.iter().all(|x| (100.0..=16_384.0).contains(x)));
    let size = size.ok_or_else(|| {
        anyhow!("--size {} is not allowed; allowed: WxH, such as 1280x800", arguments.size)
    })?;
    let fatal = lawine_viewer::app::Fatal::default();
    let told = fatal.clone();
    let mut native = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size(size).with_app_id("lawine"),
        ..eframe::NativeOptions::default()
    };
    if let egui_wgpu::WgpuSetup::CreateNew(setup) = &mut native.wgpu_options.wgpu_setup {
        // All that the device has: snow may be computed on it.
        setup.device_descriptor = Arc::new(|adapter| eframe::wgpu::DeviceDescriptor {
            label: Some("lawine"),
            required_limits: adapter.limits(),
            ..Default::default()
        });
    }
    eframe::run_native(
        "Lawine",
        native,
        Box::new(move |creation| Ok(Box::new(Window::new(creation, options, told)))),
    )
    .map_err(|e| anyhow!("no window could be opened: {e}"))?;
    fatal.take().map_or(Ok(()), |text| Err(anyhow!(text)))
}
