//! Command line of the desktop viewer.

use anyhow::{Result, anyhow};
use clap::Parser;
use eframe::{egui, egui_wgpu};
use lawine_scene::file::Source;
use lawine_viewer::app::{self, Cost, Options, Window};
use lawine_viewer::files::Files;
use lawine_viewer::script::Script;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// How long frames are measured [s].
const BENCH_TIME: f64 = 5.0;

/// Open a scene in a window.
#[derive(Parser)]
#[command(
    name = "lawine-viewer",
    version,
    after_help = "Examples:\n  \
        lawine-viewer                  a dam break; H shows all keys\n  \
        lawine-viewer dam-break-3d     another scene, or a file\n  \
        lawine-viewer dam-break --do '100 key F12; 120 quit' --documents .\n  \
        lawine-viewer --bench 100000   measure the time to draw that many particles"
)]
struct Arguments {
    /// A scene file, or the name of a built-in scene
    scene: Option<String>,
    /// Directory for screenshots, data and scenes [default: the Documents folder]
    #[arg(long, value_name = "DIR")]
    documents: Option<PathBuf>,
    /// Script of clicks and keys, each at a given frame
    #[arg(long = "do", value_name = "SCRIPT")]
    script: Option<String>,
    /// Width and height of the window
    #[arg(long, value_name = "WxH", default_value = "1280x800")]
    size: String,
    /// Compute device for snow
    #[arg(long, value_name = "cpu|gpu|auto", default_value = "auto")]
    device: String,
    /// Draw the thumbnails of all scenes into a directory, and exit
    #[arg(long, value_name = "DIR")]
    thumbnails: Option<PathBuf>,
    /// Measure frames of a dam break with at least N particles, without a window, and exit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    bench: Option<u32>,
    /// Print the measurements as a JSON object
    #[arg(long, requires = "bench")]
    json: bool,
}

pub(crate) fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be done when this fails.
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
    let size = size(&arguments.size)?;
    if let Some(particles) = arguments.bench {
        let cost = app::measure_frames(particles, size, BENCH_TIME).map_err(|e| anyhow!(e))?;
        let text = if arguments.json { object(&cost).to_string() } else { line(&cost) };
        return Ok(writeln!(std::io::stdout(), "{text}")?);
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
        compares: false,
        script: Script::parse(arguments.script.as_deref().unwrap_or_default())
            .map_err(|e| anyhow!(e))?,
    };
    let fatal = app::Fatal::default();
    let told = fatal.clone();
    let mut native = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_inner_size(size.map(|n| n as f32))
            .with_app_id("lawine"),
        ..eframe::NativeOptions::default()
    };
    if let egui_wgpu::WgpuSetup::CreateNew(setup) = &mut native.wgpu_options.wgpu_setup {
        setup.device_descriptor = Arc::new(app::device_descriptor);
    }
    eframe::run_native(
        "Lawine",
        native,
        Box::new(move |creation| Ok(Box::new(Window::new(creation, options, told)))),
    )
    .map_err(|e| anyhow!("no window could be opened: {e}"))?;
    fatal.take().map_or(Ok(()), |text| Err(anyhow!(text)))
}

/// Width and height in `WxH`.
fn size(text: &str) -> Result<[u32; 2]> {
    let numbers = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    let size = numbers.filter(|size| size.iter().all(|n| (100..=16_384).contains(n)));
    size.ok_or_else(|| anyhow!("--size {text} is not allowed; allowed: WxH, such as 1280x800"))
}

fn line(cost: &Cost) -> String {
    let [width, height] = cost.size;
    let device = cost
        .device
        .map(|s| format!(", {:.2} ms of them on the device", 1e3 * s))
        .unwrap_or_default();
    format!(
        "{}: {} particles at {width} × {height}: {:.2} ms per frame{device}, {:.1} frames/s, the \
         longest of {} frames {:.2} ms",
        cost.adapter,
        cost.particles,
        1e3 * cost.mean,
        1.0 / cost.mean,
        cost.frames,
        1e3 * cost.longest
    )
}

fn object(cost: &Cost) -> serde_json::Value {
    serde_json::json!({
        "name": "view",
        "adapter": cost.adapter,
        "particles": cost.particles,
        "size": cost.size,
        "frames": cost.frames,
        "ms_per_frame": 1e3 * cost.mean,
        "longest_ms": 1e3 * cost.longest,
        "device_ms_per_frame": cost.device.map(|s| 1e3 * s),
        "frames_per_second": 1.0 / cost.mean,
    })
}
