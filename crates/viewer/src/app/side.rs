//! The side panel: scenes, parameters, tools and view.

use super::Viewer;
use crate::messages::Command;
use crate::params::{self, Row, Section};
use crate::snapshot::SceneInfo;
use eframe::egui::{self, DragValue, RichText, Ui};
use lawine_scene::matter;
use lawine_scene::matter::choices::choices;
use lawine_settings::Kind;
use std::collections::BTreeMap;

/// The tabs of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Scenes,
    Parameters,
    Tools,
    View,
}

const TABS: [(Tab, &str); 4] = [
    (Tab::Scenes, "Scenes"),
    (Tab::Parameters, "Parameters"),
    (Tab::Tools, "Tools"),
    (Tab::View, "View"),
];

pub(super) struct Side {
    tab: Tab,
    sections: Vec<Section>,
    /// Values that the user has changed and the simulation has not answered yet.
    edits: BTreeMap<String, String>,
    /// The change that waits until the one before it is answered.
    next: Option<(String, String)>,
    waiting: bool,
    filter: String,
}

impl Default for Side {
    fn default() -> Self {
        Self {
            tab: Tab::Scenes,
            sections: Vec::new(),
            edits: BTreeMap::new(),
            next: None,
            waiting: false,
            filter: String::new(),
        }
    }
}

impl Side {
    /// The simulation has taken a change over.
    pub(super) fn accepted(&mut self, info: &SceneInfo) {
        self.sections = params::sections(&info.scene);
        self.answered();
    }

    /// The simulation has refused a change.
    pub(super) fn refused(&mut self) {
        self.answered();
    }

    fn answered(&mut self) {
        self.waiting = false;
        let next = self.next.as_ref().map(|(key, _)| key.clone());
        self.edits.retain(|key, _| Some(key) == next.as_ref());
    }

    pub(super) fn show_tools(&mut self) {
        self.tab = Tab::Tools;
    }
}

impl Viewer {
    /// Shows a tab by its name.
    pub(super) fn choose_tab(&mut self, name: &str) {
        match TABS.iter().find(|(_, n)| n.eq_ignore_ascii_case(name)) {
            Some((tab, _)) => self.side.tab = *tab,
            None => {
                let names = TABS.map(|(_, n)| n.to_lowercase()).join(", ");
                self.tell(format!("{name} is not a tab; allowed: {names}"), true);
            }
        }
    }

    pub(super) fn show_side(&mut self, ui: &mut Ui) {
        egui::Panel::left("side").default_size(340.0).size_range(240.0..=560.0).show(ui, |ui| {
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                for (tab, name) in TABS {
                    ui.selectable_value(&mut self.side.tab, tab, name);
                }
            });
            ui.separator();
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match self.side.tab {
                Tab::Scenes => self.show_scenes(ui),
                Tab::Parameters => self.show_parameters(ui),
                Tab::Tools => self.show_tools(ui),
                Tab::View => self.show_view(ui),
            });
        });
        if !self.side.waiting
            && let Some((key, value)) = self.side.next.take()
        {
            self.side.waiting = true;
            self.send(Command::Set(vec![format!("{key}={value}")]));
        }
    }

    fn show_parameters(&mut self, ui: &mut Ui) {
        let Some(info) = &self.info else { return };
        if let Some(key) = &info.pending {
            let color = egui::Color32::from_rgb(176, 90, 0);
            ui.colored_label(color, format!("{key} takes effect after a restart"));
            if ui.button("Restart now").clicked() {
                self.send(Command::Restart);
            }
            ui.separator();
        }
        self.show_choices(ui);
        ui.horizontal(|ui| {
            let label = ui.label("find");
            ui.text_edit_singleline(&mut self.side.filter).labelled_by(label.id);
        });
        let dimension = self.info.as_ref().map_or(2, |info| info.scene.space.dimension);
        let filter = self.side.filter.to_lowercase();
        let mut change = None;
        for section in &self.side.sections {
            let fits = |row: &&Row| {
                row.key.contains(&filter) || row.setting.help.to_lowercase().contains(&filter)
            };
            let rows: Vec<&Row> = section.rows.iter().filter(fits).collect();
            if rows.is_empty() {
                continue;
            }
            let title = if section.table.is_empty() { "scene" } else { &section.table };
            let open = matter::kind(title).is_some();
            egui::CollapsingHeader::new(title)
                .id_salt(("table", &section.table))
                .default_open(open)
                .open((!filter.is_empty()).then_some(true))
                .show(ui, |ui| {
                    ui.weak(section.help);
                    for row in rows {
                        let edited = self.side.edits.get(&row.key);
                        let shown =
                            Row { value: edited.cloned().or(row.value.clone()), ..row.clone() };
                        if let Some(value) = show_row(ui, &shown, &section.table, dimension) {
                            change = Some((row.key.clone(), value));
                        }
                    }
                });
        }
        if let Some((key, value)) = change {
            self.side.edits.insert(key.clone(), value.clone());
            self.side.next = Some((key, value));
        }
    }

    /// The choices that matter most: how it is computed, how finely, and what it is made of.
    fn show_choices(&mut self, ui: &mut Ui) {
        let Some(info) = &self.info else { return };
        let mut taken = None;
        for choice in choices(&info.scene) {
            ui.horizontal_wrapped(|ui| {
                ui.label(&choice.label);
                for offer in choice.offers {
                    let button = ui.selectable_label(offer.chosen, offer.name);
                    if button.on_hover_text(offer.help).clicked() && !offer.chosen {
                        taken = Some(offer);
                    }
                }
            });
        }
        ui.separator();
        if let Some(offer) = taken {
            self.send(Command::Set(offer.changes));
            if offer.restarts {
                self.send(Command::Restart);
            }
        }
    }
}

/// A parameter with its field; returns the new value when the user has changed it.
fn show_row(ui: &mut Ui, row: &Row, table: &str, dimension: u32) -> Option<String> {
    let unit = row.setting.unit;
    let name = row.name(table);
    let label = if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") };
    let hint = format!("{}: {}\nallowed: {}", row.key, row.setting.help, row.setting.allowed());
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(label).size(12.5)).on_hover_text(&hint);
        let Some(value) = &row.value else {
            let clicked =
                ui.small_button("set").on_hover_text(format!("{hint}\nnot set")).clicked();
            return clicked.then(|| params::first_value(row.setting.kind, dimension));
        };
        ui.push_id(&row.key, |ui| show_value(ui, row, value, &hint)).inner
    })
    .inner
}

fn show_value(ui: &mut Ui, row: &Row, value: &str, hint: &str) -> Option<String> {
    match row.setting.kind {
        Kind::Number => {
            let mut x = *row.numbers().first()?;
            let changed = if x > 0.0 {
                // A slider around the value, with a field for anything else.
                let power = 10.0_f64.powf(x.log10().round());
                let range = 0.1 * power..=10.0 * power;
                let slider = egui::Slider::new(&mut x, range).logarithmic(true);
                ui.add(slider.clamping(egui::SliderClamping::Never)).on_hover_text(hint).changed()
            } else {
                number(ui, &mut x, hint)
            };
            changed.then(|| params::written(x))
        }
        Kind::Count(_) => {
            let mut n = value.trim().parse::<i64>().ok()?;
            let field = DragValue::new(&mut n).range(0..=i64::MAX);
            ui.add(field).on_hover_text(hint).changed().then(|| n.to_string())
        }
        Kind::Flag => {
            let mut flag = value.trim() == "true";
            ui.checkbox(&mut flag, "").on_hover_text(hint).changed().then(|| flag.to_string())
        }
        Kind::Word(words) => {
            let now = value.trim().trim_matches('"');
            let mut chosen = now.to_owned();
            egui::ComboBox::from_id_salt("word").selected_text(now).show_ui(ui, |ui| {
                for word in words {
                    let offer = ui.selectable_value(&mut chosen, word.word.to_owned(), word.word);
                    offer.on_hover_text(word.help);
                }
            });
            (chosen != now).then(|| format!("{chosen:?}"))
        }
        Kind::Vector | Kind::List(Kind::Number, Some(2)) => {
            let mut numbers = row.numbers();
            let mut changed = false;
            for x in &mut numbers {
                changed |= number(ui, x, hint);
            }
            changed.then(|| params::written_list(&numbers))
        }
        _ => {
            let id = ui.scope_id().with("text");
            let stored = ui.data_mut(|data| data.get_temp::<String>(id));
            let mut text = stored.unwrap_or_else(|| value.trim().to_owned());
            let field = ui.add(egui::TextEdit::singleline(&mut text).desired_width(170.0));
            let field = field.on_hover_text(hint);
            if field.has_focus() {
                ui.data_mut(|data| data.insert_temp(id, text));
                None
            } else {
                ui.data_mut(|data| data.remove::<String>(id));
                (field.lost_focus() && text != value.trim()).then_some(text)
            }
        }
    }
}

fn number(ui: &mut Ui, x: &mut f64, hint: &str) -> bool {
    let speed = (0.01 * x.abs()).max(1e-3);
    ui.add(DragValue::new(x).speed(speed).max_decimals(6)).on_hover_text(hint).changed()
}
