//! Pictures and movies of a simulation.
//!
//! [`Picture`] describes *what* to draw: spheres, bodies, a camera and an overlay with title, time
//! and colour bar. A painter defines *how*: [`CpuPainter`] is pure Rust, needs no graphics driver
//! and gives the same bytes for any number of threads. [`Image`] is the result, as PNG or as
//! a frame of a [`MovieWriter`].
//!
//! ```
//! use glam::DVec3;
//! use lawine_render::{Bounds, Camera, Color, CpuPainter, Picture, Sphere};
//!
//! let bounds = Bounds::new(DVec3::ZERO, DVec3::ONE);
//! let mut picture = Picture::new(Camera::fit(&bounds, DVec3::Z, 4.0 / 3.0));
//! picture.spheres.push(Sphere::new(DVec3::splat(0.5), 0.3, Color::rgb(70, 130, 180)));
//! let image = CpuPainter::new(80, 60).paint(&picture);
//! assert_eq!((image.width(), image.height()), (80, 60));
//! ```

pub mod atomic;
mod camera;
mod color;
mod colors;
mod error;
mod image;
mod material;
mod mesh;
mod movie;
mod outline;
mod overlay;
mod painter;
mod picture;
mod scale;
mod sheet;
mod text;
mod tracer;

pub use camera::{Bounds, Camera, Perspective, Planar};
pub use color::Color;
pub use colors::ColorMap;
pub use error::RenderError;
pub use image::Image;
pub use material::{Liquid, Material};
pub use mesh::{BodyMesh, BodyStyle, Smooth};
#[cfg(feature = "video")]
pub use movie::Mp4Writer;
pub use movie::{GifWriter, MovieWriter};
pub use overlay::{Axes, ColorBar, Layout, Overlay};
pub use painter::CpuPainter;
pub use picture::{Background, Floor, HiddenLines, Lens, Picture, Sphere};
pub use scale::ColorScale;
pub use sheet::{Anchor, Sheet};
pub use tracer::PathTracer;
