//! A painter in pure Rust that needs no graphics driver.
//!
//! In space: find what each sample sees ([`samples`]), look at the scene from the light
//! ([`shadow`]), turn samples into light ([`shade`]), draw edges ([`lines`]), then water and snow ([`matter`]). In the plane:
//! [`planar`] and [`continuum`]. Then the light becomes bytes ([`canvas`]) and gets its writing ([`writing`]).

mod axes;
mod canvas;
mod continuum;
mod lines;
mod matter;
mod parallel;
mod planar;
mod samples;
mod shade;
mod shadow;
mod solid;
mod view;
mod writing;

#[cfg(test)]
mod tests;

use glam::DVec3;

use crate::{Camera, Image, Perspective, Picture};
use canvas::Canvas;
use matter::Layer;
use samples::{FloorPlane, Samples};
use shade::Scene;
use shadow::LightMap;
use view::View;

/// Paints pictures of one size. The bytes do not depend on the number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuPainter {
    width: u32,
    height: u32,
    fineness: u32,
}

impl CpuPainter {
    /// A painter of pictures of the given size [px]; a picture has one pixel at least.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        Self { width: width.max(1), height: height.max(1), fineness: 2 }
    }

    /// Takes `fineness` times `fineness` samples a pixel in pictures of space, 1 to 4. Two is
    /// the default; three is for print. Planar pictures have smooth edges anyway.
    #[must_use]
    pub fn with_fineness(mut self, fineness: u32) -> Self {
        self.fineness = fineness.clamp(1, 4);
        self
    }

    /// Width of the pictures [px].
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height of the pictures [px].
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Paints a picture.
    #[must_use]
    pub fn paint(&self, picture: &Picture) -> Image {
        let (width, height) = (self.width as usize, self.height as usize);
        let mut canvas = Canvas::new(width, height, &picture.background);
        match &picture.camera {
            Camera::Planar(camera) => planar::paint(picture, camera, &mut canvas),
            Camera::Perspective(camera) => self.paint_space(picture, camera, &mut canvas),
        }
        let mut image = canvas.develop();
        writing::write(&mut image, picture);
        image
    }

    fn paint_space(&self, picture: &Picture, camera: &Perspective, canvas: &mut Canvas) {
        let fineness = self.fineness as usize;
        let size = (canvas.width * fineness, canvas.height * fineness);
        let view = View::new(camera, size.0, size.1);
        let of_matter = |i: usize| {
            let found = picture.continua.iter().find(|of| of.spheres.contains(&i));
            found.and_then(|of| of.matter)
        };
        let spheres = || picture.spheres.iter().enumerate();
        let single = spheres().filter(|&(i, _)| of_matter(i).is_none());
        let balls = solid::balls(single.map(|(_, sphere)| sphere), &view, 1.0, 0.0);
        let faces = solid::faces(picture, &view);
        let up = view.direction(camera.up.normalize_or(DVec3::Z));
        let floor = picture.floor.map(|floor| FloorPlane {
            center: view.point(floor.center),
            normal: up,
            radius: floor.radius as f32,
        });
        let samples = Samples::new(&view, size, &balls, &faces, floor.as_ref());
        let light = view.direction(picture.light.normalize_or(DVec3::Z));
        let light_map = LightMap::new(light, &balls, &faces);
        // Water takes a part of the light only, and snow lights itself from within.
        let matter = spheres().filter(|&(i, _)| of_matter(i).is_some());
        let matter = solid::balls(matter.map(|(_, sphere)| sphere), &view, 1.0, 0.0);
        let matter_map = LightMap::new(light, &matter, &[]);
        let extent = picture.bounds().map_or(1.0, |bounds| bounds.size().length()) as f32;
        let grain = balls.iter().map(|ball| ball.radius).sum::<f32>() / balls.len().max(1) as f32;
        let scene = Scene {
            view: &view,
            samples: &samples,
            balls: &balls,
            faces: &faces,
            floor: floor.as_ref(),
            light_map: light_map.as_ref(),
            matter_map: matter_map.as_ref(),
            light,
            up,
            reach: [if balls.is_empty() { 0.02 * extent } else { 3.5 * grain }, 0.06 * extent],
            extent,
            sky: picture.background,
            fineness,
        };
        scene.shade(canvas);
        lines::draw_edges(picture, &view, &samples, fineness, |_, _| true, canvas);
        let mut behind = matter::depths(&samples, fineness, canvas);
        for continuum in &picture.continua {
            let Some(matter) = continuum.matter else { continue };
            let view = View::new(camera, canvas.width, canvas.height);
            let spheres = picture.spheres.get(continuum.spheres.clone()).unwrap_or_default();
            let balls = solid::balls(spheres.iter(), &view, matter::SWOLLEN, 0.7);
            let layer = Layer::new(matter, &balls, &view, (canvas.width, canvas.height), &behind);
            layer.paint(&scene, &view, &behind, canvas);
            let before =
                |i: usize, depth: f32| depth < layer.depth(i) && layer.depth(i).is_finite();
            lines::draw_edges(picture, scene.view, &samples, fineness, before, canvas);
            layer.hide(&mut behind);
        }
    }
}
