//! The window: panels around the view of the scene.

mod actions;
mod bar;
mod canvas;
#[cfg_attr(target_arch = "wasm32", path = "dialog_web.rs")]
mod dialog;
#[cfg(not(target_arch = "wasm32"))]
mod headless;
mod help;
mod notices;
mod playback;
mod plots;
#[cfg(not(target_arch = "wasm32"))]
mod rerun;
mod scenes;
mod shots;
mod side;
mod stage;
mod tools;
mod view;
mod window;

use crate::brush::Brush;
use crate::clock::Pace;
use crate::compute::{Appearance, Compute};
use crate::data::{Collection, Group, History};
use crate::files::Files;
use crate::gallery::{self, Card};
use crate::messages::Command;
use crate::parity::{self, Parity};
use crate::script::Script;
use crate::snapshot::{SceneInfo, Snapshot};
use crate::worker::Worker;
#[cfg(not(target_arch = "wasm32"))]
pub use headless::{Cost, measure_frames};
pub use window::{Fatal, Loss, Window, device_descriptor};

use dialog::Dialog;
use eframe::egui::{self, Context, Ui};
use lawine_render::Camera;
use lawine_scene::file::{SceneFile, Source};
use lawine_solvers::sph::selftest::{self, Check};
use notices::Note;
use shots::Shots;
use side::Side;
use stage::Stage;
use tools::Tools;
use view::Thumbnails;

/// What to begin with.
#[derive(Default)]
pub struct Options {
    /// The scene to open first.
    pub scene: Option<Source>,
    /// Where files go.
    pub files: Files,
    /// Playback of scripted clicks and keys.
    pub script: Script,
    /// Whether the graphics device computes snow; `None` lets it if it is not one in software.
    pub on_gpu: Option<bool>,
    /// Whether it is tested that snow on the graphics device is as on the processor.
    pub compares: bool,
}

/// The viewer.
pub struct Viewer {
    worker: Worker,
    files: Files,
    script: Script,
    frame: u64,
    /// Frames do not count for the script before this simulated time [s].
    waits_for: f64,
    /// Name of the scene: that of a built-in one, or of its file.
    name: String,
    info: Option<SceneInfo>,
    snapshot: Option<Snapshot>,
    stage: Stage,
    tools: Tools,
    side: Side,
    dialog: Dialog,
    shots: Shots,
    thumbnails: Thumbnails,
    cards: Vec<Card>,
    checks: Vec<Check>,
    history: History,
    collection: Collection,
    plots: Vec<Group>,
    /// Titles of the plots that are shown.
    shown_plots: Vec<String>,
    pace: Pace,
    paused: bool,
    help_open: bool,
    plots_open: bool,
    notes: Vec<Note>,
    /// Appearance of particles that was sent to the simulation.
    appearance: Option<Appearance>,
    /// The device that draws, to compute on it too, or why it cannot.
    device: Result<Compute, String>,
    /// The self-test of that device, while it runs.
    parity: Option<Parity>,
    /// What draws.
    backend: String,
    loss: Loss,
    /// What ended the program, if something did.
    fatal: Option<String>,
    #[cfg(not(target_arch = "wasm32"))]
    replay: Option<crate::replay::Replay>,
}

impl Viewer {
    /// A viewer that draws through `ctx`.
    pub fn new(ctx: &Context, options: Options) -> Self {
        ctx.set_visuals(egui::Visuals::light());
        let wake = ctx.clone();
        let mut viewer = Self {
            worker: Worker::new(move || wake.request_repaint()),
            files: options.files,
            script: options.script,
            frame: 0,
            waits_for: 0.0,
            name: String::new(),
            info: None,
            snapshot: None,
            stage: Stage::default(),
            tools: Tools::default(),
            side: Side::default(),
            dialog: Dialog::default(),
            shots: Shots::default(),
            thumbnails: Thumbnails::default(),
            cards: gallery::cards(),
            checks: selftest::run(),
            history: History::default(),
            collection: Collection::default(),
            plots: Vec::new(),
            shown_plots: Vec::new(),
            pace: Pace::Factor(1.0),
            paused: false,
            help_open: false,
            plots_open: true,
            notes: Vec::new(),
            appearance: None,
            device: Err("there is no graphics device".to_owned()),
            parity: None,
            backend: "nothing".to_owned(),
            loss: Loss::default(),
            fatal: None,
            #[cfg(not(target_arch = "wasm32"))]
            replay: None,
        };
        let failed = viewer.checks.iter().filter(|check| !check.passed).count();
        if failed > 0 {
            viewer.tell(format!("{failed} self-tests FAILED: see the help (H)"), true);
        }
        viewer.open(options.scene.unwrap_or_else(|| Source::BuiltIn("dam-break".to_owned())));
        viewer
    }

    /// Number of particles now.
    pub fn particle_count(&self) -> usize {
        self.snapshot.as_ref().map_or(0, |s| s.particles)
    }

    /// The status line, for the page and for tests.
    pub fn status(&self) -> String {
        let (time, steps) = self.snapshot.as_ref().map_or((0.0, 0), |s| (s.time, s.steps));
        let help = if self.help_open { ", help open" } else { "" };
        let mesh = self.tools.mesh_in_hand();
        let mesh = mesh.map(|file| format!(", a click places {file}")).unwrap_or_default();
        let tested = self.checks.iter().find(|check| check.name == parity::NAME);
        let tested = tested.map(|check| format!(", {}: {}", check.name, check.detail));
        let tested = tested.unwrap_or_default();
        let (name, count, backend) = (&self.name, self.particle_count(), &self.backend);
        let on_gpu = self.info.as_ref().is_some_and(|info| info.on_gpu);
        let computer = if on_gpu { "gpu" } else { "cpu" };
        format!(
            "{name}: {count} particles, t = {time:.3} s, {steps} steps, computed by {computer}, \
             drawn by {backend}{mesh}{help}{tested}"
        )
    }

    /// Whether time stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The scene with all changes, once it is open.
    pub fn scene(&self) -> Option<&SceneFile> {
        self.info.as_ref().map(|info| &info.scene)
    }

    /// The current message.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        let lasting = self.fatal.iter().chain(&self.stage.problem).map(String::as_str);
        self.notes.iter().map(|note| note.text.as_str()).chain(lasting)
    }

    /// Rows of data that were collected.
    pub fn collected(&self) -> usize {
        self.collection.len()
    }

    /// The brush.
    pub fn brush(&self) -> &Brush {
        &self.tools.brush
    }

    /// Where the scene is seen from.
    pub fn camera(&self) -> Camera {
        self.stage.viewpoint.camera()
    }

    /// Where the scene is seen in the window [points].
    pub fn view(&self) -> egui::Rect {
        self.stage.rect()
    }

    /// What ended the program, if something did.
    pub fn fatal(&self) -> Option<&str> {
        self.fatal.as_deref()
    }

    fn open(&mut self, source: Source) {
        self.name = match &source {
            Source::BuiltIn(name) => name.clone(),
            Source::File(path) => lawine_scene::input::stem(path, "scene"),
            Source::Text { name, .. } => name.trim_end_matches(".toml").to_owned(),
        };
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.replay = None;
        }
        self.send(Command::Open(source));
    }

    fn send(&mut self, command: Command) {
        self.worker.send(command);
    }

    /// Everything of a frame.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.frame += u64::from(!self.is_waiting());
        self.receive();
        self.compare();
        self.receive_files(&ctx);
        self.receive_shots(&ctx);
        self.handle_keys(&ctx);
        self.run_script(&ctx);
        self.show_bar(ui);
        self.show_side(ui);
        self.show_plots(ui);
        self.show_canvas(ui);
        self.tell_appearance();
        self.show_help(&ctx);
        self.show_dialog(&ctx);
        if !self.paused || cfg!(target_arch = "wasm32") || !self.script.is_empty() {
            ctx.request_repaint();
        }
    }

    /// Tells the simulation how particles look that it keeps on the device.
    fn tell_appearance(&mut self) {
        if self.stage.appearance != self.appearance {
            self.appearance.clone_from(&self.stage.appearance);
            self.send(Command::Show(self.appearance.clone().map(Box::new)));
        }
    }
}
