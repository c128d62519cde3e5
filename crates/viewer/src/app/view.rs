//! The view tab: colours, bodies, light, camera.

use super::Viewer;
use crate::gallery;
use crate::keys::Action;
use crate::messages::Command;
use crate::paint::BodyDisplay;
use eframe::egui::{self, Context, DragValue, TextureHandle, TextureOptions, Ui};
use lawine_core::FieldValues;
use lawine_render::ColorMap;
use lawine_render::Image;
use lawine_scene::select::MATTER;
use std::collections::BTreeMap;

/// The small pictures of scenes as textures, made when they are first seen.
#[derive(Default)]
pub(super) struct Thumbnails(BTreeMap<&'static str, Option<TextureHandle>>);

impl Thumbnails {
    pub(super) fn get(&mut self, ctx: &Context, name: &'static str) -> Option<&TextureHandle> {
        let make = || {
            let png = gallery::thumbnail(name)?;
            let image = Image::decode_png(std::io::Cursor::new(png)).ok()?;
            let size = [image.width() as usize, image.height() as usize];
            let image = egui::ColorImage::from_rgb(size, image.rgb());
            Some(ctx.load_texture(name, image, TextureOptions::LINEAR))
        };
        self.0.entry(name).or_insert_with(make).as_ref()
    }
}

/// Buttons that move the camera as the arrows do.
const CAMERA: [(&str, Action); 6] = [
    ("left", Action::Walk(-1, 0)),
    ("right", Action::Walk(1, 0)),
    ("up", Action::Walk(0, 1)),
    ("down", Action::Walk(0, -1)),
    ("closer", Action::Zoom(1)),
    ("away", Action::Zoom(-1)),
];

impl Viewer {
    pub(super) fn show_view(&mut self, ui: &mut Ui) {
        self.show_colors(ui);
        self.show_surface(ui);
        ui.separator();
        let look = &mut self.stage.options;
        let before = (look.bodies, look.size);
        egui::ComboBox::from_label("bodies").selected_text(look.bodies.name()).show_ui(ui, |ui| {
            for bodies in BodyDisplay::ALL {
                ui.selectable_value(&mut look.bodies, bodies, bodies.name());
            }
        });
        let size = egui::Slider::new(&mut look.size, 0.2..=1.6);
        ui.add(size.text("particle size"));
        if before.0 != look.bodies || (before.1 - look.size).abs() > 0.0 {
            self.stage.stale();
        }
        let look = &mut self.stage.options;
        ui.checkbox(&mut look.shadows, "shadows");
        ui.checkbox(&mut look.occlusion, "ambient occlusion");
        ui.add(egui::Slider::new(&mut look.fineness, 1..=3).text("samples per pixel edge"));
        let turn = egui::Slider::new(&mut look.turn, -60.0..=60.0).suffix(" °/s");
        ui.add(turn.text("camera rotation"));
        ui.horizontal_wrapped(|ui| {
            let ctx = ui.ctx().clone();
            ui.label("camera");
            for (name, action) in CAMERA {
                self.button(ui, &ctx, name, action);
            }
        });
        let ctx = ui.ctx().clone();
        self.button(ui, &ctx, "Show the whole scene", Action::ResetView);
    }

    /// Particles or their surface, for liquid and snow in space; the page cannot make surfaces.
    fn show_surface(&mut self, ui: &mut Ui) {
        let Some(info) = &self.info else { return };
        let scene = &info.scene;
        let can_have = scene.matters().any(|kind| kind.is_continuous());
        if scene.space.dimension == 2 || !can_have || cfg!(target_arch = "wasm32") {
            return;
        }
        let before = scene.surface.as_ref().is_some_and(|surface| surface.draw);
        let mut draws = before;
        ui.checkbox(&mut draws, "draw the surface");
        if draws != before {
            self.send(Command::Set(vec![format!("surface.draw={draws}")]));
        }
    }

    fn show_colors(&mut self, ui: &mut Ui) {
        let (Some(info), Some(snapshot)) = (&self.info, &self.snapshot) else { return };
        let mut view = info.resolved.view.clone();
        let mut names = vec!["speed".to_owned()];
        let matters = snapshot.columns.matters();
        for matter in &matters {
            let of =
                if matters.len() > 1 { format!("{}.", matter.kind.key()) } else { String::new() };
            if matters.len() > 1 {
                names.push(format!("{of}speed"));
            }
            for field in &matter.fields {
                names.push(format!("{of}{}", field.name));
                if let FieldValues::Vec3(_) = field.values {
                    names.extend(["x", "y", "z"].map(|k| format!("{of}{}.{k}", field.name)));
                }
            }
        }
        names.push(MATTER.to_owned());
        egui::ComboBox::from_label("colour by").selected_text(&view.field).show_ui(ui, |ui| {
            for name in names {
                ui.selectable_value(&mut view.field, name.clone(), name);
            }
        });
        egui::ComboBox::from_label("colours").selected_text(view.colors.word()).show_ui(ui, |ui| {
            for map in ColorMap::ALL {
                ui.selectable_value(&mut view.colors, map, map.word());
            }
        });
        if view.colors == ColorMap::Cfl {
            ui.weak(
                "Hunkler's CFL meter: blue is at rest, green moves half a smoothing length per step, red a whole one.",
            );
        }
        let other = view.field != info.resolved.view.field
            || (view.colors != info.resolved.view.colors && view.colors == ColorMap::Cfl);
        if other {
            // The old range belongs to the old field.
            view.range = None;
        }
        let mut fixed = view.range.is_some();
        ui.horizontal(|ui| {
            ui.checkbox(&mut fixed, "fixed range");
            if let Some([low, high]) = &mut view.range {
                for x in [low, high] {
                    let speed = (0.01 * x.abs()).max(1e-3);
                    ui.add(DragValue::new(x).speed(speed))
                        .on_hover_text("limit of the colour range");
                }
            }
        });
        if fixed != view.range.is_some() {
            let now = self.stage.color_bar.as_ref().map(|bar| [bar.low, bar.high]);
            view.range = if fixed { now } else { None };
        }
        if view != info.resolved.view {
            self.send(Command::View(Box::new(view)));
        }
    }
}
