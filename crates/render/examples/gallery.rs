//! Shows how to paint a wave in a tank and a planar dam break, and writes both as PNG files
//! into the folder that is given as the first argument.

use std::error::Error;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::time::Instant;

use glam::{DVec2, DVec3, Vec3Swizzles};
use lawine_render::{
    BodyMesh, BodyStyle, Bounds, Camera, Color, ColorBar, ColorMap, ColorScale, CpuPainter, Floor,
    Overlay, Picture, Sphere,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let painter = CpuPainter::new(1280, 720);
    for (name, picture) in [("wave", wave(0.0235)), ("dam-break", dam_break(0.012))] {
        let start = Instant::now();
        let image = painter.paint(&picture);
        let spent = start.elapsed().as_secs_f64() * 1e3;
        writeln!(stdout(), "{name}: {} spheres, {spent:.0} ms", picture.spheres.len())?;
        image.write_png(folder.join(format!("{name}.png")))?;
    }
    Ok(())
}

/// A wave that runs to the right through a tank, made of particles `spacing` apart.
fn wave(spacing: f64) -> Picture {
    let tank = Bounds::new(DVec3::ZERO, DVec3::new(3.0, 1.0, 1.3));
    let mut picture = Picture::new(Camera::fit(&tank, DVec3::Z, 16.0 / 9.0));
    picture.floor = Some(Floor::below(&tank, DVec3::Z));
    picture.bodies.push(BodyMesh::cuboid(&tank).styled(BodyStyle::SeeThrough));
    let stone = Bounds::new(DVec3::new(2.3, 0.3, 0.0), DVec3::new(2.55, 0.7, 0.75));
    picture.bodies.push(BodyMesh::cuboid(&stone).colored(Color::hex(0xc98f5a)));
    let cells = (tank.size() / spacing).floor();
    let radius = 0.5 * spacing as f32;
    for k in 0..cells.z as u32 {
        for j in 0..cells.y as u32 {
            for i in 0..cells.x as u32 {
                let p = (DVec3::new(f64::from(i), f64::from(j), f64::from(k)) + 0.5) * spacing;
                let shift = 0.06 * (5.0 * p.y).sin();
                let crest = (-(p.x - 1.35 - shift - 0.25 * p.z).powi(2) * 7.0).exp();
                let surface = 0.28 + 0.62 * crest + 0.03 * (9.0 * p.x + 4.0 * p.y).sin();
                let stone_near = (p - stone.center()).abs().cmple(stone.size() / 2.0 + spacing);
                if p.z < surface && !stone_near.all() {
                    let p = p + 0.3 * spacing * (p * 971.0 + p.yzx() * 733.0).map(f64::sin);
                    let speed = 0.25 + 2.3 * crest * (p.z / 0.9).powf(0.8);
                    let color = ColorMap::Water.color_in(speed, 0.0, 2.5);
                    picture.spheres.push(Sphere::new(p, radius, color));
                }
            }
        }
    }
    let label = "speed [m/s]".to_owned();
    picture.overlay = Overlay {
        title: Some("Wave in a tank".to_owned()),
        time_stamp: Some(Overlay::stamp(0.42)),
        color_bar: Some(ColorBar {
            map: ColorMap::Water,
            low: 0.0,
            high: 2.5,
            scale: ColorScale::Linear,
            label,
        }),
        ..Overlay::default()
    };
    picture
}

/// A column of water on its way to an obstacle.
fn dam_break(spacing: f64) -> Picture {
    let rectangle = |low: DVec2, high: DVec2| {
        vec![low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
    };
    let area = Bounds::new(DVec3::new(-0.05, -0.05, 0.0), DVec3::new(2.05, 1.25, 0.0));
    let overlay = Overlay {
        title: Some("Dam break".to_owned()),
        time_stamp: Some(Overlay::stamp(0.31)),
        color_bar: Some(ColorBar {
            map: ColorMap::Viridis,
            low: 0.0,
            high: 5000.0,
            scale: ColorScale::Linear,
            label: "pressure [Pa]".to_owned(),
        }),
        ..Overlay::default()
    };
    let mut picture = Picture::new(Camera::fit_planar(&area, 16.0 / 9.0, &overlay));
    picture.overlay = overlay;
    let outside = rectangle(DVec2::splat(-0.05), DVec2::new(2.05, 1.2));
    let inside = rectangle(DVec2::ZERO, DVec2::new(2.0, 1.25));
    let open = [DVec2::new(2.0, 1.2), DVec2::new(2.0, 0.0), DVec2::ZERO, DVec2::new(0.0, 1.2)];
    let mut walls = outside;
    walls.truncate(3);
    walls.extend(open);
    walls.push(DVec2::new(-0.05, 1.2));
    picture.bodies.push(BodyMesh::planar(&[walls]));
    let step = [(1.3, 0.0), (1.6, 0.0), (1.5, 0.22), (1.4, 0.22)].map(DVec2::from);
    picture.bodies.push(BodyMesh::planar(&[step.to_vec()]).colored(Color::hex(0xc98f5a)));
    let cells = (inside[2] / spacing).floor();
    for j in 0..cells.y as u32 {
        for i in 0..cells.x as u32 {
            let p = (DVec2::new(f64::from(i), f64::from(j)) + 0.5) * spacing;
            let surface = 0.95 / (1.0 + (5.0 * (p.x - 0.62)).exp()) + 0.012;
            if p.y < surface && p.x < 1.33 {
                let pressure = 9810.0 * (surface - p.y).min(0.5);
                let color = ColorMap::Viridis.color_in(pressure, 0.0, 5000.0);
                let center = p.extend(0.0);
                picture.spheres.push(Sphere::new(center, 0.5 * spacing as f32, color));
            }
        }
    }
    // Drops that the column has lost.
    for i in 0..40 {
        let t = f64::from(i) * 0.7;
        let p = DVec3::new(0.8 + 0.5 * (1.7 * t).sin(), 0.7 + 0.3 * (2.3 * t).cos(), 0.0);
        if p.y > 0.95 / (1.0 + (5.0 * (p.x - 0.62)).exp()) + 2.0 * spacing {
            picture.spheres.push(Sphere::new(
                p,
                0.5 * spacing as f32,
                ColorMap::Viridis.color(0.1),
            ));
        }
    }
    picture.continua.push(0..picture.spheres.len());
    picture
}
