//! The window: panels around the view of the scene.

mod bar;
mod canvas;
#[cfg_attr(target_arch = "wasm32", path = "dialog_web.rs")]
mod dialog;
#[cfg(not(target_arch = "wasm32"))]
mod headless;
mod help;
mod look;
mod plots;
#[cfg(not(target_arch = "wasm32"))]
mod rerun;
mod scenes;
mod shots;
mod side;
mod stage;
mod tools;
mod window;

use crate::brush::Brush;
use crate::clock::Pace;
use crate::compute::{Appearance, Compute};
use crate::data::{Collection, FIRST_PLOTS, Group, History, groups};
use crate::engine::{News, Order};
use crate::files::{Files, file_name};
use crate::gallery::{self, Card};
use crate::keys::{self, Action};
use crate::script::{Deed, Script, events};
use crate::snapshot::{SceneInfo, Snapshot};
use crate::worker::Worker;
#[cfg(not(target_arch = "wasm32"))]
pub use headless::{Cost, measure_frames};
#[cfg(not(target_arch = "wasm32"))]
pub use window::device_descriptor;
pub use window::{Fatal, Window};

use dialog::Dialog;
use eframe::egui::{self, Context, Ui};
use glam::DVec2;
use lawine_core::selftest::{self, Check};
use lawine_render::Camera;
use lawine_scene::file::{SceneFile, Source};
use look::Thumbnails;
use plots::PHASES;
use shots::Shots;
use side::Side;
use stage::Stage;
use tools::Tools;
use web_time::Instant;

/// The paces of the keys for faster and slower.
pub const PACES: [Pace; 8] = [
    Pace::Factor(0.01),
    Pace::Factor(0.05),
    Pace::Factor(0.1),
    Pace::Factor(0.25),
    Pace::Factor(0.5),
    Pace::Factor(1.0),
    Pace::Factor(2.0),
    Pace::Fastest,
];

/// How long a message is shown [s].
const NOTE_TIME: f64 = 6.0;

/// Something the user is told.
struct Note {
    text: String,
    is_problem: bool,
    since: Instant,
}

/// What to begin with.
#[derive(Default)]
pub struct Options {
    /// The scene to open first.
    pub scene: Option<Source>,
    /// Where files go.
    pub files: Files,
    /// Clicks and keys that happen by themselves.
    pub script: Script,
    /// Whether the graphics device computes snow; `None` lets it if it is not one in software.
    pub on_gpu: Option<bool>,
}

/// The viewer.
pub struct Viewer {
    worker: Worker,
    files: Files,
    script: Script,
    frame: u64,
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
    /// How the simulation was told that particles look.
    appearance: Option<Appearance>,
    /// The device that draws, to compute on it too.
    device: Option<Compute>,
    /// What draws.
    backend: String,
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
            device: None,
            backend: "nothing".to_owned(),
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

    /// The line that says how things are, for the page's status and for tests.
    pub fn status(&self) -> String {
        let time = self.snapshot.as_ref().map_or(0.0, |s| s.time);
        let help = if self.help_open { ", help open" } else { "" };
        let (name, count, backend) = (&self.name, self.particle_count(), &self.backend);
        format!("{name}: {count} particles, t = {time:.3} s, drawn by {backend}{help}")
    }

    /// Whether time stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The scene with all changes, once it is open.
    pub fn scene(&self) -> Option<&SceneFile> {
        self.info.as_ref().map(|info| &info.scene)
    }

    /// What the user is told now.
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
            Source::File(path) => {
                path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
            }
            Source::Text { name, .. } => name.trim_end_matches(".toml").to_owned(),
        };
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.replay = None;
        }
        self.send(Order::Open(source));
    }

    fn send(&mut self, order: Order) {
        self.worker.send(order);
    }

    /// Computes snow on the device that draws: if asked to, or if it is not one in software.
    #[cfg(not(target_arch = "wasm32"))]
    fn use_device(&mut self, state: &eframe::egui_wgpu::RenderState, on_gpu: Option<bool>) {
        let software = state.adapter.get_info().device_type == eframe::wgpu::DeviceType::Cpu;
        match Compute::on(&state.adapter, &state.device, &state.queue) {
            Ok(compute) => {
                if on_gpu.unwrap_or(!software) {
                    self.send(Order::Compute(Box::new(compute.clone())));
                }
                self.device = Some(compute);
            }
            Err(reason) if on_gpu == Some(true) => self.tell(reason, true),
            Err(_) => {}
        }
    }

    fn tell(&mut self, text: impl Into<String>, is_problem: bool) {
        let note = Note { text: text.into(), is_problem, since: Instant::now() };
        self.notes.push(note);
        let more = self.notes.len().saturating_sub(5);
        self.notes.drain(..more);
    }

    /// Tells how a file was saved.
    fn tell_saved(&mut self, saved: Result<String, String>) {
        match saved {
            Ok(place) => self.tell(format!("saved: {place}"), false),
            Err(error) => self.tell(error, true),
        }
    }

    /// Takes over what the simulation has done and said.
    fn receive(&mut self) {
        let (snapshot, news) = self.worker.poll();
        for item in news {
            match item {
                News::Scene(info) => self.scene_changed(*info),
                News::Note(text) => self.tell(text, false),
                News::Problem(text) => {
                    self.side.refused();
                    self.tell(text, true);
                }
                News::Stopped(text) => {
                    self.paused = true;
                    self.tell(text, true);
                }
                News::State(state, info) => self.keep_state(&state, &info),
            }
        }
        let current = self.info.as_ref().map_or(0, |info| info.generation);
        if let Some(mut snapshot) = snapshot.filter(|s| s.generation == current) {
            for row in std::mem::take(&mut snapshot.rows) {
                self.collection.push(&row);
                self.history.push(row);
            }
            self.snapshot = Some(snapshot);
            self.stage.stale();
        }
    }

    fn scene_changed(&mut self, info: SceneInfo) {
        self.side.accepted(&info);
        if info.fresh || self.history.headings() != info.headings {
            self.history = History::new(info.headings.clone());
        }
        self.plots = groups(&info.headings, &info.scene);
        let before = self.shown_plots.len();
        let exists = |title: &String| self.plots.iter().any(|group| group.title == *title);
        self.shown_plots.retain(|title| exists(title) || title == PHASES);
        if info.fresh && (before == 0 || self.shown_plots.len() < before) {
            let first = |g: &&Group| FIRST_PLOTS.iter().any(|title| g.title.starts_with(title));
            self.shown_plots = self.plots.iter().filter(first).map(|g| g.title.clone()).collect();
        }
        if info.fresh {
            self.tools.fit(&info);
            self.stage.begin(&info);
        }
        self.info = Some(info);
        self.stage.stale();
    }

    /// Keeps the state where a run can go on from, because the program cannot.
    #[cfg(not(target_arch = "wasm32"))]
    fn keep_state(&mut self, state: &[u8], info: &SceneInfo) {
        let steps = self.snapshot.as_ref().map_or(0, |s| s.steps);
        let kept = shots::keep_state(&self.files, &self.name, state, steps, info);
        let lost = "The graphics device was lost.";
        self.fatal = Some(match kept {
            Ok(place) => format!(
                "{lost} The state is kept; go on with: lawine run --resume {}",
                place.display()
            ),
            Err(error) => format!("{lost} The state could not be kept: {error}"),
        });
    }

    #[cfg(target_arch = "wasm32")]
    fn keep_state(&mut self, state: &[u8], _info: &SceneInfo) {
        let saved = self.files.save(&file_name(&self.name), "state", state);
        self.tell_saved(saved);
    }

    /// Keys that are not meant for a text field.
    fn handle_keys(&mut self, ctx: &Context) {
        if ctx.egui_wants_keyboard_input() {
            return;
        }
        let pressed: Vec<egui::Key> = ctx.input(|input| {
            let key = |event: &egui::Event| match event {
                egui::Event::Key { key, pressed: true, modifiers, .. }
                    if !modifiers.command && !modifiers.alt =>
                {
                    Some(*key)
                }
                _ => None,
            };
            input.events.iter().filter_map(key).collect()
        });
        for action in pressed.into_iter().filter_map(keys::action) {
            self.act(action, ctx);
        }
    }

    /// Does what a key or a button asks for.
    fn act(&mut self, action: Action, ctx: &Context) {
        let size = self.stage.size();
        let middle = DVec2::new(f64::from(size[0]), f64::from(size[1])) / 2.0;
        match action {
            Action::Help => self.help_open = !self.help_open,
            Action::NextScene => {
                if let Some(next) = gallery::next(&self.cards, &self.name) {
                    self.open(Source::BuiltIn(next.to_owned()));
                }
            }
            Action::Clear => self.send(Order::Erase(Box::new(|_| true))),
            Action::NextBrush => self.tools.brush.shape = self.tools.brush.shape.next(),
            Action::BrushHeight(by) => self.tools.brush.heighten(by),
            Action::BrushWidth(by) => self.tools.brush.widen(by),
            Action::SaveData => self.save_data(),
            Action::Collect => self.collect(),
            Action::Screenshot => self.shots.take(ctx, file_name(&self.name)),
            Action::Pause => self.pause(!self.paused),
            Action::Step => self.send(Order::Step),
            Action::Restart => self.send(Order::Restart),
            Action::Pace(by) => {
                let here = PACES.iter().position(|p| *p == self.pace).unwrap_or(5) as i32;
                let there = (here + by).clamp(0, PACES.len() as i32 - 1);
                self.set_pace(PACES[there as usize]);
            }
            Action::Walk(right, up) => self.stage.viewpoint.walk(right, up, size),
            Action::Zoom(by) => self.stage.viewpoint.zoom(1.15_f64.powi(by), middle, size),
            Action::ResetView => self.stage.reset_view(),
            Action::Record => self.record(),
            Action::Open => self.open_dialog(),
            Action::SaveScene => self.save_scene(),
            Action::Plots => self.plots_open = !self.plots_open,
        }
    }

    /// Stops time, or lets it go on. The window decides: what the simulation knows is older.
    fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.send(Order::Pause(paused));
    }

    fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
        self.send(Order::Pace(pace));
    }

    fn collect(&mut self) {
        if self.collection.running {
            self.collection.running = false;
            self.tell(format!("{} rows collected; F1 saves them", self.collection.len()), false);
        } else if let Some(info) = &self.info {
            self.collection.start(&info.headings);
            self.tell("collecting data; F2 stops", false);
        }
    }

    fn save_data(&mut self) {
        if self.collection.is_empty() {
            self.tell("no data yet: F2 starts collecting", true);
            return;
        }
        let csv = self.collection.csv();
        let saved = self.files.save(&file_name(&self.name), "csv", csv.as_bytes());
        self.tell_saved(saved);
    }

    fn save_scene(&mut self) {
        let Some(info) = &self.info else { return };
        let saved = match info.scene.to_toml() {
            Ok(text) => self.files.save(&file_name(&self.name), "toml", text.as_bytes()),
            Err(error) => Err(error.to_string()),
        };
        self.tell_saved(saved);
    }

    /// Everything of a frame.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.frame += 1;
        self.receive();
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
            self.send(Order::Show(self.appearance.clone().map(Box::new)));
        }
    }

    /// Puts the clicks and keys of the script among those of the user.
    pub fn inject(&self, input: &mut egui::RawInput) {
        for deed in self.script.at(self.frame) {
            input.events.extend(events(deed, self.stage.rect()));
        }
    }

    fn run_script(&mut self, ctx: &Context) {
        let deeds: Vec<Deed> = self.script.at(self.frame).cloned().collect();
        for deed in deeds {
            match deed {
                Deed::Shot(path) => self.shots.take_into(ctx, path),
                Deed::Tell(words) => self.obey_script(&words),
                Deed::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
                Deed::Click(..) | Deed::Key(_) => {}
            }
        }
    }

    fn obey_script(&mut self, words: &str) {
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        match verb {
            "tab" => self.side.choose(rest),
            "open" => self.open(Source::BuiltIn(rest.to_owned())),
            "set" => self.send(Order::Set(vec![rest.to_owned()])),
            "fastest" => self.set_pace(Pace::Fastest),
            _ => self.tell(format!("the script says `{words}`, which means nothing"), true),
        }
    }
}
