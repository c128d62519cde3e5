//! Pictures with light that is traced: water that mirrors and refracts, soft shadows, light from the sky, depth of field
//! and motion blur. It takes seconds where [`CpuPainter`](crate::CpuPainter) takes a tenth of one.
//!
//! The picture becomes shapes in trees ([`bvh`], [`world`]) under a sky ([`sky`]). Paths from the eye ([`path`]) with
//! numbers of their own ([`random`]) bring light to the pixels, a filter takes out what noise they leave
//! ([`denoise`]), and the light is fitted into what a screen can show.

mod bvh;
mod denoise;
mod path;
mod random;
mod sky;
#[cfg(test)]
mod tests;
mod world;

use glam::{DVec2, DVec3, Vec3};

use crate::painter::canvas::Canvas;
use crate::painter::parallel::for_strips;
use crate::painter::writing;
use crate::{Camera, CpuPainter, Image, Lens, Picture};
use bvh::Ray;
use denoise::Pixel;
use path::Light;
use random::Random;
use sky::{Sky, disc};
use world::World;

/// Traces light through pictures of one size. The bytes do not depend on the number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathTracer {
    width: u32,
    height: u32,
    samples: u32,
}

impl PathTracer {
    /// A tracer of pictures of the given size [px] with 64 paths a pixel.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        Self { width: width.max(1), height: height.max(1), samples: 64 }
    }

    /// With another number of paths for each pixel, at least one.
    #[must_use]
    pub fn with_samples(mut self, samples: u32) -> Self {
        self.samples = samples.clamp(1, 1 << 16);
        self
    }

    /// Paints a picture. There is nothing to be traced in a plane: planar pictures look as those of [`CpuPainter`].
    #[must_use]
    pub fn paint(&self, picture: &Picture) -> Image {
        let Camera::Perspective(camera) = &picture.camera else {
            return CpuPainter::new(self.width, self.height).paint(picture);
        };
        let up = camera.up.normalize_or(DVec3::Z);
        let world = World::new(picture, camera.eye, up);
        let sky = Sky::day(up.as_vec3(), picture.light.normalize_or(up).as_vec3());
        let mut pixels = self.trace(picture, &Light { world: &world, sky: &sky });
        let width = self.width as usize;
        denoise::smooth(&mut pixels, width);
        let mut canvas = Canvas::new(width, self.height as usize, &picture.background);
        for (out, pixel) in canvas.light.iter_mut().zip(&pixels) {
            *out = on_screen(pixel.light * (pixel.color + COLOR_FLOOR));
        }
        let mut image = canvas.develop();
        writing::write(&mut image, picture);
        image
    }

    /// Follows the paths of all pixels.
    fn trace(&self, picture: &Picture, light: &Light<'_>) -> Vec<Pixel> {
        let empty = Pixel {
            light: Vec3::ZERO,
            variance: 0.0,
            color: Vec3::ZERO,
            normal: Vec3::ZERO,
            depth: 0.0,
        };
        let width = self.width as usize;
        let mut pixels = vec![empty; width * self.height as usize];
        let eye = Eye::new(picture, light.world.middle, [self.width, self.height]);
        for_strips(&mut pixels, width, |y, row| {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = self.pixel(&eye, light, [x, y]);
            }
        });
        pixels
    }

    fn pixel(&self, eye: &Eye, light: &Light<'_>, [x, y]: [usize; 2]) -> Pixel {
        let number = (y * self.width as usize + x) as u32;
        let count = self.samples as f32;
        let (mut sum, mut color, mut normal, mut depth) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0);
        let mut squares = 0.0;
        for path in 0..self.samples {
            let mut random = Random::new(number, path, self.samples);
            let seen = light.follow(eye.ray([x, y], &mut random), &mut random);
            sum += seen.light;
            color += seen.color;
            normal += seen.normal;
            depth += seen.depth.min(1e3);
            squares += denoise::brightness(seen.light).powi(2);
        }
        let color = color / count;
        let mean = sum / count;
        let own = denoise::brightness(color + COLOR_FLOOR);
        let variance = (squares / count - denoise::brightness(mean).powi(2)).max(0.0) / count;
        Pixel {
            light: mean / (color + COLOR_FLOOR),
            variance: variance / (own * own),
            color,
            normal: normal / count,
            depth: depth / count,
        }
    }
}

/// Light is divided by the colour of what it comes from before it is smoothed; nothing is blacker than this.
const COLOR_FLOOR: f32 = 0.02;

/// The eye: where rays begin and where they lead.
struct Eye {
    /// Origin, and the directions right, down and forward, about the middle of the picture.
    origin: Vec3,
    axes: glam::Mat3,
    focal: f32,
    half: [f32; 2],
    lens: Lens,
}

impl Eye {
    fn new(picture: &Picture, middle: DVec3, [width, height]: [u32; 2]) -> Self {
        let Camera::Perspective(camera) = &picture.camera else {
            unreachable!("planar pictures are not traced")
        };
        let distance = (camera.target - camera.eye).length();
        let sharp = Lens { aperture: 0.0, focus: distance };
        let half = DVec2::new(f64::from(width), f64::from(height)) / 2.0;
        Self {
            origin: (camera.eye - middle).as_vec3(),
            axes: camera.axes().as_mat3(),
            focal: camera.focal(f64::from(height)) as f32,
            half: half.as_vec2().to_array(),
            lens: picture.lens.unwrap_or(sharp),
        }
    }

    /// A ray through a pixel, from somewhere on the lens, while the shutter is open.
    fn ray(&self, [x, y]: [usize; 2], random: &mut Random) -> Ray {
        let (dx, dy) = random.pair();
        let across = (x as f32 + dx - self.half[0]) / self.focal;
        let along = (y as f32 + dy - self.half[1]) / self.focal;
        let focus = Vec3::new(across, along, 1.0) * self.lens.focus as f32;
        let (u, v) = random.pair();
        let (a, b) = disc(u, v);
        let start = Vec3::new(a, b, 0.0) * (0.5 * self.lens.aperture as f32);
        Ray {
            origin: self.origin + self.axes * start,
            direction: (self.axes * (focus - start)).normalize(),
            time: random.pair().0,
        }
    }
}

/// Light as a screen shows it: what is brighter than most of white goes slowly towards white and loses its colour on
/// the way, all else stays as it is (the neutral mapping of the Khronos group, 2024).
fn on_screen(light: Vec3) -> Vec3 {
    const START: f32 = 0.8 - 0.04;
    let least = light.min_element();
    let offset = if least < 0.08 { least - 6.25 * least * least } else { 0.04 };
    let light = light - offset;
    let peak = light.max_element();
    if peak < START {
        return light;
    }
    let room = 1.0 - START;
    let shown = 1.0 - room * room / (peak + room - START);
    let kept = 1.0 / (0.15 * (peak - shown) + 1.0);
    Vec3::splat(shown).lerp(light * (shown / peak), kept)
}
