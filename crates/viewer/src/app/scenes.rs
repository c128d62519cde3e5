//! The scene gallery.

use super::Viewer;
use crate::gallery::THUMBNAIL;
use eframe::egui::{self, RichText, Ui};
use lawine_scene::builtin;
use lawine_scene::file::Source;

impl Viewer {
    pub(super) fn show_scenes(&mut self, ui: &mut Ui) {
        let mut chosen = None;
        for group in builtin::groups().iter().map(|group| group.title) {
            let cards: Vec<_> = self.cards.iter().filter(|card| card.group == group).collect();
            if cards.is_empty() {
                continue;
            }
            egui::CollapsingHeader::new(RichText::new(group).strong()).default_open(true).show(
                ui,
                |ui| {
                    for card in cards {
                        let texture = self.thumbnails.get(ui.ctx(), card.name);
                        if show_card(ui, card, texture, card.name == self.name) {
                            chosen = Some(card.name);
                        }
                    }
                },
            );
        }
        if let Some(name) = chosen {
            self.open(Source::BuiltIn(name.to_owned()));
        }
    }
}

/// A scene with its picture; returns whether it was clicked.
fn show_card(
    ui: &mut Ui,
    card: &crate::gallery::Card,
    texture: Option<&egui::TextureHandle>,
    is_open: bool,
) -> bool {
    let size = egui::vec2(THUMBNAIL[0] as f32, THUMBNAIL[1] as f32) * 0.75;
    let fill = if is_open {
        ui.visuals().selection.bg_fill.gamma_multiply(0.4)
    } else {
        egui::Color32::TRANSPARENT
    };
    let frame = egui::Frame::new().fill(fill).inner_margin(3.0).corner_radius(4.0);
    let inner = frame.show(ui, |ui| {
        ui.horizontal_top(|ui| {
            let picture = match texture {
                Some(texture) => {
                    let image = egui::Image::new((texture.id(), size)).alt_text(card.name);
                    ui.add(egui::Button::image(image).frame(false))
                }
                None => ui.add_sized(size, egui::Button::new(card.name)),
            };
            let words = ui.vertical(|ui| {
                ui.set_width(ui.available_width());
                let title =
                    ui.add(egui::Button::new(RichText::new(&card.title).strong()).frame(false));
                ui.label(RichText::new(&card.watch).size(11.5));
                title
            });
            picture.clicked() || words.inner.clicked()
        })
        .inner
    });
    inner.inner
}
