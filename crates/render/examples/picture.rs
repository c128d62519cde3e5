//! Shows how to paint particles in a tank with a colour bar, and to write them as a PNG file:
//! `cargo run --release -p lawine-render --example picture -- wave.png`
#![allow(clippy::print_stdout, reason = "an example that prints")]

use glam::{DVec2, DVec3};
use lawine_render::{
    BodyMesh, BodyStyle, Bounds, Camera, ColorBar, ColorMap, ColorScale, CpuPainter, Overlay,
    Picture, RenderError, Sphere,
};

const SPACING: f64 = 0.04;

fn main() -> Result<(), RenderError> {
    let tank = Bounds::new(DVec3::ZERO, DVec3::new(3.0, 1.0, 1.2));
    let mut picture = Picture::new(Camera::fit(&tank, DVec3::Z, 16.0 / 9.0));
    let glass = BodyMesh::cuboid(&tank).outward().styled(BodyStyle::SeeThrough);
    picture.bodies.push(glass);
    for i in 0..75 * 25 * 20 {
        let place = [i % 75, i / 75 % 25, i / 75 / 25];
        let x = SPACING * (DVec3::from_array(place.map(f64::from)) + 0.5);
        let surface = 0.45 + 0.25 * (-DVec2::new(x.x - 1.8, 0.3 * x.y).length_squared()).exp();
        if x.z < surface {
            let color = ColorMap::Turbo.color(x.z / 0.7);
            picture.spheres.push(Sphere::new(x, 0.5 * SPACING as f32, color));
        }
    }
    picture.overlay = Overlay {
        title: Some("A wave".to_owned()),
        color_bar: Some(ColorBar {
            map: ColorMap::Turbo,
            low: 0.0,
            high: 0.7,
            scale: ColorScale::Linear,
            label: "height [m]".to_owned(),
        }),
        ..Overlay::default()
    };
    let image = CpuPainter::new(1280, 720).paint(&picture);
    println!("{} spheres", picture.spheres.len());
    match std::env::args().nth(1) {
        Some(path) => image.write_png(path),
        None => Ok(()),
    }
}
