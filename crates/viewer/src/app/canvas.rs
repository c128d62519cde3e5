//! The view of the scene, and its mouse input.

use super::Viewer;
use super::plots::in_font;
use super::tools::Tool;
use crate::brush::BrushShape;
use crate::messages::Command;
use crate::paint::Paint;
use crate::pick::{self, Hit, Scenery, Target};
use eframe::egui::{
    self, Align2, Color32, FontId, PointerButton, Pos2, Rect, Response, Stroke, Ui,
};
use eframe::egui_wgpu;
use glam::DVec2;
use lawine_render::{Camera, ColorBar};

impl Viewer {
    pub(super) fn show_canvas(&mut self, ui: &mut Ui) {
        egui::CentralPanel::no_frame().show(ui, |ui| {
            let rect = ui.available_rect_before_wrap();
            self.stage.set_rect(rect, ui.ctx().pixels_per_point());
            let response = ui.allocate_rect(rect, egui::Sense::click_and_drag());
            let label = format!("Scene with {} particles", self.particle_count());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &label));
            self.turn(ui);
            if let (Some(info), Some(snapshot)) = (&self.info, &self.snapshot) {
                self.stage.update(info, snapshot);
            }
            self.handle_mouse(ui, &response);
            if let Some((drawing, shot)) = self.stage.shot() {
                let paint = Paint { drawing, shot };
                ui.painter().add(egui_wgpu::Callback::new_paint_callback(rect, paint));
            }
            self.show_brush(ui, &response);
            self.show_selection(ui);
            if let Some(bar) = &self.stage.color_bar {
                show_color_bar(ui, rect, bar);
            }
            self.show_notes(ui, rect);
            #[cfg(not(target_arch = "wasm32"))]
            self.show_replay(ui, rect);
        });
    }

    fn turn(&mut self, ui: &Ui) {
        let turn = self.stage.options.turn;
        if turn.abs() > 0.0 {
            let passed = ui.input(|input| f64::from(input.stable_dt.min(0.1)));
            self.stage.viewpoint.turn((turn * passed).to_radians());
            ui.ctx().request_repaint();
        }
    }

    fn is_planar(&self) -> bool {
        matches!(self.stage.viewpoint.camera(), Camera::Planar(_))
    }

    fn spacing(&self) -> f64 {
        self.info.as_ref().map_or(1.0, |info| info.lattice)
    }

    /// What is under the mouse.
    fn hit(&self, place: DVec2) -> Option<Hit> {
        let snapshot = self.snapshot.as_ref()?;
        let spacing = self.spacing();
        let matters = snapshot.columns.matters();
        let resolved = &self.info.as_ref()?.resolved;
        let radii: Vec<f64> = match &matters[..] {
            [_] => vec![0.5 * spacing],
            several => several.iter().map(|m| 0.5 * m.kind.spacing(resolved)).collect(),
        };
        let (matters, radii, bodies) = (&matters[..], &radii[..], &snapshot.bodies[..]);
        let scenery = Scenery { matters, radii, bodies, wall: 3.0 * spacing };
        scenery.hit(&self.stage.viewpoint.camera(), place, self.stage.size())
    }

    fn handle_mouse(&mut self, ui: &Ui, response: &Response) {
        let size = self.stage.size();
        let pixels = f64::from(ui.ctx().pixels_per_point());
        if let Some(pos) = response.hover_pos() {
            let scroll = ui.input(|i| i.smooth_scroll_delta.y + 200.0 * (i.zoom_delta() - 1.0));
            if scroll.abs() > 0.0 {
                let place = self.stage.place(pos);
                self.stage.viewpoint.zoom((f64::from(scroll) * 0.004).exp(), place, size);
            }
        }
        let delta = response.drag_delta();
        let delta = pixels * DVec2::new(f64::from(delta.x), f64::from(delta.y));
        if response.dragged_by(PointerButton::Middle) {
            self.stage.viewpoint.pan(delta, size);
        }
        self.handle_left(response, delta);
        let erases = response.clicked_by(PointerButton::Secondary)
            || response.dragged_by(PointerButton::Secondary);
        if let (true, Some(pos)) = (erases, response.interact_pointer_pos()) {
            self.erase(pos);
        }
    }

    fn handle_left(&mut self, response: &Response, delta: DVec2) {
        let Some(pos) = response.interact_pointer_pos() else { return };
        let place = self.stage.place(pos);
        // A drag is known some pixels after the button was pressed.
        let pressed = response.ctx.input(|input| input.pointer.press_origin()).unwrap_or(pos);
        if response.drag_started_by(PointerButton::Primary)
            && let Some(Hit { target: Target::Body(number), point }) =
                self.hit(self.stage.place(pressed))
        {
            self.tools.stirred = Some((number, point));
        }
        if response.dragged_by(PointerButton::Primary) {
            let size = self.stage.size();
            match self.tools.stirred {
                Some((number, start)) => {
                    let offset = self.stage.point_beside(place, start) - start;
                    self.send(Command::Stir(number, offset));
                }
                None if self.is_planar() && self.tools.tool == Tool::Brush => self.paint(pos),
                None => self.stage.viewpoint.orbit(delta, size),
            }
        }
        if response.drag_stopped_by(PointerButton::Primary) && self.tools.stirred.take().is_some() {
            self.send(Command::Release);
        }
        if response.clicked_by(PointerButton::Primary) {
            self.tools.selected = self.hit(place).map(|hit| hit.target);
            match self.tools.tool {
                Tool::Brush => self.paint(pos),
                Tool::Place => self.place(pos),
                Tool::Inspect => {}
            }
        }
    }

    /// Places particles with the brush.
    fn paint(&mut self, pos: Pos2) {
        let center = self.stage.drop_point(self.stage.place(pos));
        let brush = self.tools.brush;
        let points = brush.points(center, self.spacing(), self.is_planar());
        self.send(Command::Insert(points, brush.velocity));
    }

    fn place(&mut self, pos: Pos2) {
        let at = self.stage.drop_point(self.stage.place(pos));
        match self.tools.placing.order(at, self.is_planar()) {
            Ok(command) => {
                if let Some(file) = self.tools.placing.attachment() {
                    self.send(file);
                }
                self.send(command);
            }
            Err(problem) => self.tell(problem, true),
        }
    }

    fn erase(&mut self, pos: Pos2) {
        let place = self.stage.place(pos);
        let (planar, spacing, brush) = (self.is_planar(), self.spacing(), self.tools.brush);
        let particle = self.hit(place).filter(|h| matches!(h.target, Target::Particle(..)));
        let center = match particle {
            Some(hit) if !planar => hit.point,
            _ => self.stage.drop_point(place),
        };
        let gone = move |x| brush.covers(x - center, spacing, planar, 0.3 * spacing);
        self.send(Command::Erase(Box::new(gone)));
    }

    /// The outline of the brush at the mouse.
    fn show_brush(&self, ui: &Ui, response: &Response) {
        let (Tool::Brush, Some(pos)) = (self.tools.tool, response.hover_pos()) else { return };
        let center = self.stage.drop_point(self.stage.place(pos));
        let half = self.tools.brush.half(self.spacing());
        let [width, height] = self.stage.size();
        let camera = self.stage.viewpoint.camera();
        let Some((_, depth)) = camera.project(center, width, height) else { return };
        // Points of the window per metre there.
        let scale = match camera {
            Camera::Planar(view) => view.scale(f64::from(width), f64::from(height)),
            Camera::Perspective(view) => view.focal(f64::from(height)) / depth,
        } / f64::from(ui.ctx().pixels_per_point());
        let half = egui::vec2((half.x * scale) as f32, (half.y * scale) as f32);
        let stroke = Stroke::new(1.5, Color32::from_rgb(20, 90, 180));
        let painter = ui.painter();
        match self.tools.brush.shape {
            BrushShape::Circle => {
                painter.add(egui::epaint::EllipseShape::stroke(pos, half, stroke));
            }
            _ => {
                let rect = Rect::from_center_size(pos, 2.0 * half);
                painter.rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Middle);
            }
        }
    }

    /// The values of what was clicked, and a ring around it.
    fn show_selection(&mut self, ui: &Ui) {
        let (Some(target), Some(snapshot)) = (self.tools.selected, &self.snapshot) else { return };
        let matters = snapshot.columns.matters();
        let Some(values) = pick::values(target, &matters, &snapshot.bodies) else {
            self.tools.selected = None;
            return;
        };
        if let Some(x) = pick::position(target, &matters)
            && let Some(pos) = self.stage.seen(x)
        {
            ui.painter().circle_stroke(pos, 8.0, Stroke::new(2.0, Color32::from_rgb(220, 40, 40)));
        }
        let mut open = true;
        egui::Window::new("Values")
            .open(&mut open)
            .default_pos(self.stage.rect().left_top() + egui::vec2(12.0, 12.0))
            .resizable(false)
            .show(ui.ctx(), |ui| {
                egui::Grid::new("values").num_columns(2).striped(true).show(ui, |ui| {
                    for (name, value) in values {
                        ui.label(name);
                        ui.monospace(value);
                        ui.end_row();
                    }
                });
            });
        if !open {
            self.tools.selected = None;
        }
    }
}

/// Which colour means which value.
fn show_color_bar(ui: &Ui, rect: Rect, bar: &ColorBar) {
    let height = (0.45 * rect.height()).clamp(60.0, 220.0);
    let frame = Rect::from_min_size(
        Pos2::new(rect.right() - 84.0, rect.top() + 40.0),
        egui::vec2(16.0, height),
    );
    let painter = ui.painter();
    let steps = 48;
    for i in 0..steps {
        let color = bar.map.color((f64::from(i) + 0.5) / f64::from(steps));
        let color = Color32::from_rgb(color.r, color.g, color.b);
        let top = frame.bottom() - height * (i + 1) as f32 / steps as f32;
        let size = egui::vec2(frame.width(), height / steps as f32 + 0.6);
        painter.rect_filled(Rect::from_min_size(Pos2::new(frame.left(), top), size), 0.0, color);
    }
    let ink = Color32::from_gray(50);
    let font = FontId::proportional(12.0);
    painter.text(
        Pos2::new(rect.right() - 12.0, frame.top() - 8.0),
        Align2::RIGHT_BOTTOM,
        &bar.label,
        FontId::proportional(13.0),
        ink,
    );
    for (value, text) in bar.ticks() {
        let part = ((value - bar.low) / (bar.high - bar.low)) as f32;
        if (-0.01..=1.01).contains(&part) {
            let at = Pos2::new(frame.right() + 6.0, frame.bottom() - part * height);
            painter.text(at, Align2::LEFT_CENTER, in_font(&text), font.clone(), ink);
        }
    }
}
