//! The scene as it is drawn, from snapshots of the simulation and the camera.

use crate::compute::Appearance;
use crate::paint::{BodyDisplay, Drawing, Shot};
use crate::snapshot::{Columns, SceneInfo, Snapshot};
use crate::viewpoint::Viewpoint;
use eframe::egui::{Pos2, Rect};
use glam::{DVec2, DVec3};
use lawine_record::draw::{Artist, Scenery};
use lawine_render::{Background, Bounds, Camera, ColorBar, ColorMap, Floor, Picture, Planar};
use std::sync::Arc;

/// Drawing options in addition to those of the scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawOptions {
    pub(super) bodies: BodyDisplay,
    pub(super) shadows: bool,
    pub(super) occlusion: bool,
    /// Samples across a pixel.
    pub(super) fineness: u32,
    /// Radius of the particles as a part of their own.
    pub(super) size: f32,
    /// How fast the camera turns [°/s of wall time].
    pub(super) turn: f64,
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self {
            bodies: BodyDisplay::Shaded,
            shadows: true,
            occlusion: true,
            fineness: 2,
            size: 1.0,
            turn: 0.0,
        }
    }
}

/// What is drawn.
pub(super) struct Stage {
    pub(super) viewpoint: Viewpoint,
    pub(super) options: DrawOptions,
    drawing: Option<Arc<Drawing>>,
    /// How particles look that stay on the device, and the copies and bounds that was found from.
    pub(super) appearance: Option<Appearance>,
    copies: (Arc<Columns>, Bounds),
    pub(super) color_bar: Option<ColorBar>,
    floor: Option<Floor>,
    light: DVec3,
    background: Background,
    /// The rectangle of the window, and its pixels per point.
    rect: Rect,
    pixels_per_point: f32,
    stale: bool,
    /// What cannot be drawn, and why.
    pub(super) problem: Option<String>,
    /// The largest buffer that the device can have [bytes].
    pub(super) room: u64,
}

impl Default for Stage {
    fn default() -> Self {
        let camera = Camera::Planar(Planar { center: DVec2::ZERO, size: DVec2::ONE });
        Self {
            viewpoint: Viewpoint::new(camera),
            options: DrawOptions::default(),
            drawing: None,
            appearance: None,
            copies: (Arc::default(), Bounds { min: DVec3::ZERO, max: DVec3::ONE }),
            color_bar: None,
            floor: None,
            light: DVec3::Y,
            background: Background::default(),
            rect: Rect::from_min_max(Pos2::ZERO, Pos2::new(800.0, 600.0)),
            pixels_per_point: 1.0,
            stale: true,
            problem: None,
            room: u64::MAX,
        }
    }
}

impl Stage {
    /// Something has changed, so that it has to be drawn again.
    pub(super) fn stale(&mut self) {
        self.stale = true;
    }

    /// Another scene, or a restart.
    pub(super) fn begin(&mut self, _info: &SceneInfo) {
        self.viewpoint.reset();
    }

    pub(super) fn reset_view(&mut self) {
        self.viewpoint.reset();
        self.stale = true;
    }

    /// Where the scene is seen in the window [points].
    pub(super) fn rect(&self) -> Rect {
        self.rect
    }

    pub(super) fn set_rect(&mut self, rect: Rect, pixels_per_point: f32) {
        if rect != self.rect {
            self.stale = true;
        }
        (self.rect, self.pixels_per_point) = (rect, pixels_per_point);
    }

    /// Size of the view [px].
    pub(super) fn size(&self) -> [u32; 2] {
        let size = self.rect.size() * self.pixels_per_point;
        [size.x, size.y].map(|n| n.round().max(1.0) as u32)
    }

    /// A place in the window [points] as a place in the view [px].
    pub(super) fn place(&self, pos: Pos2) -> DVec2 {
        let p = (pos - self.rect.min) * self.pixels_per_point;
        DVec2::new(f64::from(p.x), f64::from(p.y))
    }

    /// Where a point of the scene is seen in the window [points].
    pub(super) fn seen(&self, point: DVec3) -> Option<Pos2> {
        let [width, height] = self.size();
        let (place, _) = self.viewpoint.camera().project(point, width, height)?;
        let p = place / f64::from(self.pixels_per_point);
        Some(Pos2::new(self.rect.left() + p.x as f32, self.rect.top() + p.y as f32))
    }

    /// Makes the drawing of a moment, if something has changed.
    pub(super) fn update(&mut self, info: &SceneInfo, snapshot: &Snapshot) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        match self.draw(info, snapshot) {
            Ok(()) => {
                let drawing = self.drawing.as_ref();
                self.problem = drawing.and_then(|drawing| drawing.too_large_for(self.room));
            }
            Err(problem) => self.problem = Some(problem),
        }
    }

    fn draw(&mut self, info: &SceneInfo, snapshot: &Snapshot) -> Result<(), String> {
        let mut scene = info.resolved.clone();
        scene.view.size = self.size();
        let flat = scene.space.dimension == 2;
        // Between copies of the particles on the device, colours stay and one of them is enough.
        let is_copied = !Arc::ptr_eq(&snapshot.columns, &self.copies.0);
        let short = snapshot.balls.is_some() && !is_copied && self.appearance.is_some();
        let one = if short { snapshot.columns.first() } else { Columns::default() };
        if let (true, Some(appearance)) = (short, &self.appearance) {
            scene.view.range = Some(appearance.range);
        }
        let matters = if short { one.matters() } else { snapshot.columns.matters() };
        let artist =
            Artist::new(&scene, info.bounds).with_grain_surfaces(info.grain_surfaces.clone());
        let mut picture = artist.picture(&Scenery {
            time: snapshot.time,
            dt: snapshot.dt,
            matters: &matters,
            bodies: &snapshot.bodies,
            surface: None,
            lines: &[],
        })?;
        let sizes = scene.matters().filter(|_| !flat).map(|kind| kind.sphere_size());
        let size = self.options.size * sizes.reduce(f64::min).unwrap_or(1.0) as f32;
        for sphere in &mut picture.spheres {
            sphere.radius *= size;
        }
        self.viewpoint.follow(picture.camera);
        self.color_bar = picture.overlay.color_bar.take();
        (self.floor, self.light) = (picture.floor, picture.light);
        self.background = picture.background;
        if !short {
            let bounds = picture.bounds().unwrap_or(self.copies.1);
            self.copies = (Arc::clone(&snapshot.columns), bounds);
            self.appearance = if info.on_gpu { self.appearance(info, &picture) } else { None };
        }
        let drawing = match (&snapshot.balls, &self.appearance) {
            (Some(balls), Some(appearance)) => Drawing::around(
                &picture,
                self.options.bodies,
                self.copies.1,
                balls,
                appearance.radius,
            ),
            _ => Drawing::new(&picture, self.options.bodies),
        };
        self.drawing = Some(Arc::new(drawing));
        Ok(())
    }

    /// How the particles of a picture look; `None` if they are not coloured by a field.
    fn appearance(&self, info: &SceneInfo, picture: &Picture) -> Option<Appearance> {
        let (bar, sphere) = (self.color_bar.as_ref()?, picture.spheres.first()?);
        let color = |k: u8| {
            let color = bar.map.color(f64::from(k) / 255.0);
            [color.r, color.g, color.b, 255]
        };
        (info.resolved.view.colors != ColorMap::Cfl).then(|| Appearance {
            origin: 0.5 * (info.bounds.min + info.bounds.max),
            radius: sphere.radius,
            field: info.resolved.view.field.clone(),
            range: [bar.low, bar.high],
            palette: (0..=255).map(color).collect(),
        })
    }

    /// The drawing, and from where it is seen.
    pub(super) fn shot(&self) -> Option<(Arc<Drawing>, Shot)> {
        let drawing = Arc::clone(self.drawing.as_ref()?);
        let shot = Shot {
            camera: self.viewpoint.camera(),
            size: self.size(),
            fineness: self.options.fineness,
            background: self.background,
            floor: self.floor,
            light: self.light,
            shadows: self.options.shadows,
            occlusion: if self.options.occlusion { 1.0 } else { 0.0 },
        };
        Some((drawing, shot))
    }

    /// Where a thing goes that is placed by a click [px]: in a plane where the mouse is, in space
    /// on the upright plane through the middle of the view.
    pub(super) fn drop_point(&self, place: DVec2) -> DVec3 {
        let [width, height] = self.size();
        let (start, direction) = self.viewpoint.camera().ray(place, width, height);
        match self.viewpoint.camera() {
            Camera::Planar(_) => start,
            Camera::Perspective(view) => {
                self.point_on_plane(start, direction, view.target, view.target - view.eye)
            }
        }
    }

    /// Where the mouse is on the plane across the line of sight through `through`.
    pub(super) fn point_beside(&self, place: DVec2, through: DVec3) -> DVec3 {
        let [width, height] = self.size();
        let (start, direction) = self.viewpoint.camera().ray(place, width, height);
        match self.viewpoint.camera() {
            Camera::Planar(_) => start,
            Camera::Perspective(view) => {
                self.point_on_plane(start, direction, through, view.target - view.eye)
            }
        }
    }

    fn point_on_plane(&self, start: DVec3, ray: DVec3, through: DVec3, normal: DVec3) -> DVec3 {
        let slope = ray.dot(normal);
        if slope.abs() < 1e-9 {
            return through;
        }
        start + ray * ((through - start).dot(normal) / slope)
    }
}
