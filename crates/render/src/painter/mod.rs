//! A painter in pure Rust that needs no graphics driver.
//!
//! In space: find what each sample sees ([`samples`]), look at the scene from the light
//! ([`shadow`]), turn samples into light ([`shade`]), draw edges ([`lines`]), then what is clear ([`liquid`]). In the
//! plane:
//! [`planar`] and [`continuum`]. Then the light becomes bytes ([`canvas`]) and gets its writing ([`writing`]).

mod axes;
pub(crate) mod canvas;
mod continuum;
mod lines;
mod liquid;
pub(crate) mod parallel;
mod planar;
mod samples;
mod shade;
mod shadow;
mod solid;
mod view;
pub(crate) mod writing;

#[cfg(test)]
mod tests;

use glam::DVec3;

use crate::{BodyMesh, Camera, Image, Material, Perspective, Picture};
use canvas::Canvas;
use samples::{FloorPlane, Samples};
use shade::Scene;
use shadow::LightMap;
use view::View;

/// Paints pictures of one size. The bytes do not depend on the number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuPainter {
    width: u32,
    height: u32,
}

/// Samples along each edge of a pixel in pictures of space; planar pictures have smooth edges anyway.
const FINENESS: usize = 2;

impl CpuPainter {
    /// A painter of pictures of the given size [px]; a picture has one pixel at least.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        Self { width: width.max(1), height: height.max(1) }
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
        let size = (canvas.width * FINENESS, canvas.height * FINENESS);
        let view = View::new(camera, size.0, size.1);
        let balls = solid::balls(picture, &view);
        let is_clear = |body: &&BodyMesh| matches!(body.material, Material::Liquid(_));
        let faces = solid::faces(picture.bodies.iter().filter(|body| !is_clear(body)), &view);
        let clear = solid::faces(picture.bodies.iter().filter(is_clear), &view);
        let up = view.direction(camera.up.normalize_or(DVec3::Z));
        let floor = picture.floor.map(|floor| FloorPlane {
            center: view.point(floor.center),
            normal: up,
            radius: floor.radius as f32,
        });
        let samples = Samples::new(&view, size, &balls, &faces, floor.as_ref());
        let light = view.direction(picture.light.normalize_or(DVec3::Z));
        let light_map = LightMap::new(light, &balls, &faces);
        let extent = picture.bounds().map_or(1.0, |bounds| bounds.size().length()) as f32;
        let grain = balls.iter().map(|ball| ball.radius).sum::<f32>() / balls.len().max(1) as f32;
        let scene = Scene {
            view: &view,
            samples: &samples,
            balls: &balls,
            faces: &faces,
            floor: floor.as_ref(),
            light_map: light_map.as_ref(),
            light,
            up,
            reach: [if balls.is_empty() { 0.02 * extent } else { 3.5 * grain }, 0.06 * extent],
            fineness: FINENESS,
            horizon: 5.0 * extent,
            sky: picture.background,
        };
        scene.shade(canvas);
        lines::draw_edges(picture, &view, &samples, FINENESS, |_, _| true, canvas);
        if !clear.is_empty() {
            let depths = liquid::paint(&scene, &clear, canvas);
            let before = |i: usize, depth: f32| depths[i].is_some_and(|liquid| depth < liquid);
            lines::draw_edges(picture, &view, &samples, FINENESS, before, canvas);
        }
    }
}
