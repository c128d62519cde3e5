//! Mouse tools: brush, placing, inspecting values.

use super::Viewer;
use crate::brush::{self, Brush, BrushShape};
use crate::messages::Command;
use crate::pick::Target;
use crate::place::{Placing, Thing};
use crate::snapshot::SceneInfo;
use eframe::egui::{self, DragValue, Ui};
use glam::DVec3;
use lawine_scene::file::Source;
use std::sync::Arc;

/// What a left click does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tool {
    /// Places particles.
    #[default]
    Brush,
    /// Shows values.
    Inspect,
    /// Places a thing.
    Place,
}

/// Grains across the brush at first: they are far larger than particles of liquid or snow.
const GRAINS_ACROSS: u32 = 3;

pub(super) struct Tools {
    pub(super) tool: Tool,
    pub(super) brush: Brush,
    pub(super) placing: Placing,
    /// Particles across the brush at first, in scenes of this kind.
    across: u32,
    /// What was clicked.
    pub(super) selected: Option<Target>,
    /// The body that is dragged, and where it was taken hold of [m].
    pub(super) stirred: Option<(usize, DVec3)>,
}

impl Default for Tools {
    fn default() -> Self {
        Self {
            tool: Tool::default(),
            brush: Brush::default(),
            placing: Placing::fitting(DVec3::ONE, 0.0),
            across: Brush::default().width,
            selected: None,
            stirred: None,
        }
    }
}

impl Tools {
    /// File of the mesh that the next click places.
    pub(super) fn mesh_in_hand(&self) -> Option<&str> {
        let in_hand = self.tool == Tool::Place && self.placing.thing == Thing::Mesh;
        in_hand.then_some(self.placing.file.as_str()).filter(|file| !file.is_empty())
    }

    /// Measures that fit a scene. The brush keeps its size between scenes of the same kind.
    pub(super) fn fit(&mut self, info: &SceneInfo) {
        let size = info.bounds.max - info.bounds.min;
        let Placing { thing, file, bytes, scale, .. } =
            std::mem::replace(&mut self.placing, Placing::fitting(size, info.lattice));
        self.placing = Placing { thing, file, bytes, scale, ..self.placing.clone() };
        (self.selected, self.stirred) = (None, None);
        let across =
            if info.placed.is_continuous() { Brush::default().width } else { GRAINS_ACROSS };
        if across != std::mem::replace(&mut self.across, across) {
            self.brush = Brush { width: across, height: across, ..self.brush };
        }
    }
}

/// What the matter that is placed is called.
fn matter(info: &SceneInfo) -> String {
    let materials = info.placed.materials(&info.scene).into_iter();
    match materials.map(|(name, law)| format!("{name} ({law})")).next() {
        Some(material) => material,
        None if info.placed.is_continuous() => info.placed.key().to_owned(),
        None => "grains of the scene's shapes".to_owned(),
    }
}

impl Viewer {
    /// Takes a tool by its name: `brush`, `place` or `inspect`.
    pub(super) fn choose_tool(&mut self, name: &str) {
        let tools = [Tool::Brush, Tool::Place, Tool::Inspect];
        let named = |tool: &Tool| format!("{tool:?}").eq_ignore_ascii_case(name);
        match tools.into_iter().find(named) {
            Some(tool) => self.tools.tool = tool,
            None => {
                self.tell(format!("{name} is not a tool; allowed: brush, place, inspect"), true)
            }
        }
    }

    /// Takes a mesh that was opened or dropped, to be filled with matter.
    pub(super) fn open_mesh(&mut self, file: String, bytes: Option<Arc<[u8]>>) {
        self.tools.placing.take_mesh(file, bytes);
        self.tools.tool = Tool::Place;
        self.side.show_tools();
        self.tell("click to place the mesh filled with matter", false);
    }

    /// Opens a scene or a mesh whose bytes are in memory, as those of a browser are.
    pub fn open_bytes(&mut self, name: String, bytes: Vec<u8>) {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
        match (ending.as_str(), String::from_utf8(bytes)) {
            ("toml", Ok(text)) => self.open(Source::Text { name, text }),
            ("obj" | "stl" | "ply", bytes) => {
                let bytes = bytes.map_or_else(|error| error.into_bytes(), String::into_bytes);
                self.open_mesh(name, Some(bytes.into()));
            }
            ("toml", Err(_)) => self.tell(format!("{name} is not text"), true),
            _ => self.tell(
                format!("{name} cannot be opened; allowed: a file .toml, .obj, .stl or .ply"),
                true,
            ),
        }
    }

    pub(super) fn show_tools(&mut self, ui: &mut Ui) {
        let tools = &mut self.tools;
        ui.label("A left click …");
        ui.radio_value(&mut tools.tool, Tool::Brush, "places particles with the brush");
        ui.radio_value(&mut tools.tool, Tool::Place, "places a shape");
        ui.radio_value(&mut tools.tool, Tool::Inspect, "shows values only");
        ui.weak("Right click erases, the wheel zooms, dragging a body stirs.");
        ui.separator();
        let planar = self.info.as_ref().is_none_or(|info| info.scene.space.dimension == 2);
        match tools.tool {
            Tool::Brush | Tool::Inspect => brush_panel(ui, &mut tools.brush, planar),
            Tool::Place => {
                place_panel(ui, &mut tools.placing, planar);
                let matter = self.info.as_ref().map(matter);
                ui.weak(format!("Particles are {}.", matter.unwrap_or_default()));
            }
        }
        let Some(info) = self.info.as_ref().filter(|info| info.scene.matters().count() > 1) else {
            return;
        };
        let mut placed = info.placed.key();
        egui::ComboBox::from_label("is placed").selected_text(placed).show_ui(ui, |ui| {
            for kind in info.scene.matters() {
                ui.selectable_value(&mut placed, kind.key(), kind.key());
            }
        });
        if placed != info.placed.key() {
            self.send(Command::Place(placed));
        }
    }
}

fn brush_panel(ui: &mut Ui, brush: &mut Brush, planar: bool) {
    ui.strong("Brush");
    ui.horizontal(|ui| {
        for shape in BrushShape::ALL {
            ui.selectable_value(&mut brush.shape, shape, shape.name());
        }
    });
    let slider = |n, text| egui::Slider::new(n, brush::COUNTS).logarithmic(true).text(text);
    ui.add(slider(&mut brush.width, "particles wide (A, D)"));
    ui.add(slider(&mut brush.height, "particles high (S, W)"));
    velocity(ui, &mut brush.velocity, planar);
}

fn place_panel(ui: &mut Ui, placing: &mut Placing, planar: bool) {
    egui::ComboBox::from_label("thing").selected_text(placing.thing.name()).show_ui(ui, |ui| {
        for thing in Thing::ALL {
            ui.selectable_value(&mut placing.thing, thing, thing.name());
        }
    });
    match placing.thing {
        Thing::Block | Thing::BoxObstacle => {
            length(ui, "width", &mut placing.size.x);
            length(ui, "height", &mut placing.size.y);
            if !planar {
                length(ui, "depth", &mut placing.size.z);
            }
        }
        Thing::Ball | Thing::SphereObstacle => length(ui, "radius", &mut placing.radius),
        Thing::PlaneObstacle => {
            let slope = egui::Slider::new(&mut placing.slope, -180.0..=180.0);
            ui.add(slope.suffix("°").text("slope"));
        }
        Thing::Mesh => {
            ui.horizontal(|ui| {
                let label = ui.label("file");
                if placing.bytes.is_some() || cfg!(target_arch = "wasm32") {
                    ui.monospace(&placing.file);
                } else {
                    ui.text_edit_singleline(&mut placing.file).labelled_by(label.id);
                }
            });
            ui.weak("OBJ, STL or PLY: open it (O), or drop it on the window.");
            let scale = DragValue::new(&mut placing.scale).speed(0.01).prefix("× ");
            ui.add(scale).on_hover_text("factor from the file's lengths to metres");
        }
    }
    if placing.thing.is_matter() {
        velocity(ui, &mut placing.velocity, planar);
    }
    ui.weak("Click to place it, then press play.");
}

fn length(ui: &mut Ui, name: &str, value: &mut f64) {
    ui.horizontal(|ui| {
        let label = ui.label(name);
        let speed = (0.005 * value.abs()).max(1e-5);
        ui.add(DragValue::new(value).speed(speed).suffix(" m")).labelled_by(label.id);
    });
}

fn velocity(ui: &mut Ui, velocity: &mut DVec3, planar: bool) {
    ui.horizontal(|ui| {
        ui.label("velocity [m/s]");
        let names = ["x", "y", "z"];
        let count = if planar { 2 } else { 3 };
        for (name, value) in names.iter().zip(velocity.as_mut().iter_mut()).take(count) {
            ui.add(DragValue::new(value).speed(0.02).prefix(format!("{name} ")))
                .on_hover_text("velocity of what is placed");
        }
    });
    if planar {
        velocity.z = 0.0;
    }
}
