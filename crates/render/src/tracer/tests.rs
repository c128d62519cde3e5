use glam::{DVec3, Vec3};

use super::path::Light;
use super::sky::Sky;
use super::world::World;
use super::*;
use crate::{BodyMesh, BodyStyle, Bounds, Color, Floor, Liquid, Material, Perspective, Sphere};

fn camera() -> Camera {
    Camera::Perspective(Perspective {
        eye: DVec3::new(0.0, -6.0, 1.5),
        target: DVec3::ZERO,
        up: DVec3::Z,
        field_of_view: 0.5,
    })
}

/// A sky that is equally bright everywhere.
fn furnace() -> Sky {
    Sky {
        up: Vec3::Z,
        sun: Vec3::Z,
        sunlight: Vec3::ZERO,
        sun_size: 0.05,
        horizon: Vec3::ONE,
        zenith: Vec3::ONE,
        haze: 0.0,
    }
}

/// A round closed mesh: each face of a cube in squares, pushed out to a ball.
fn round(radius: f64, material: Material) -> BodyMesh {
    let mut body = BodyMesh::new(Vec::new(), Vec::new());
    let n = 12_u32;
    for axis in 0..3_usize {
        for side in [-1.0, 1.0] {
            let first = body.positions.len() as u32;
            for i in 0..=n {
                for j in 0..=n {
                    let at = |k: u32| ((f64::from(k) / f64::from(n)) * 2.0 - 1.0).clamp(-1.0, 1.0);
                    let mut p = [0.0; 3];
                    p[axis] = side;
                    p[(axis + 1) % 3] = side * at(i);
                    p[(axis + 2) % 3] = at(j);
                    body.positions.push(DVec3::from_array(p).normalize() * radius);
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let k = first + i * (n + 1) + j;
                    body.triangles.extend([[k, k + n + 1, k + n + 2], [k, k + n + 2, k + 1]]);
                }
            }
        }
    }
    body.material = material;
    body.outward()
}

fn water(tint: Color) -> Material {
    Material::Liquid(Liquid { index: 1.333, tint, depth: 1.0, cloudy: 0.0 })
}

/// The light of each pixel of a small picture in a furnace.
fn in_furnace(picture: &Picture) -> Vec<Vec3> {
    let Camera::Perspective(camera) = &picture.camera else { unreachable!() };
    let world = World::new(picture, camera.eye, DVec3::Z);
    let tracer = PathTracer::new(24, 24).with_samples(256);
    let pixels = tracer.trace(picture, &Light { world: &world, sky: &furnace() });
    pixels.iter().map(|pixel| pixel.light * (pixel.color + COLOR_FLOOR)).collect()
}

#[test]
fn white_things_vanish_in_a_white_furnace() {
    let mut picture = Picture::new(camera());
    picture.spheres.push(Sphere::new(DVec3::new(-0.6, 0.0, 0.0), 0.6, Color::WHITE));
    let cube = Bounds::new(DVec3::new(0.2, -0.5, -0.5), DVec3::new(1.2, 0.5, 0.5));
    picture.bodies.push(BodyMesh::cuboid(&cube).colored(Color::WHITE));
    for light in in_furnace(&picture) {
        // Paths of 16 surfaces lose next to nothing.
        assert!((light - 1.0).abs().max_element() < 0.02, "{light}");
    }
}

#[test]
fn clear_water_neither_makes_nor_takes_light() {
    let mut picture = Picture::new(camera());
    picture.bodies.push(round(1.0, water(Color::WHITE)));
    let lights = in_furnace(&picture);
    let mean = lights.iter().sum::<Vec3>() / lights.len() as f32;
    // What is mirrored within the ball for ever is lost: few paths.
    assert!((mean - 1.0).abs().max_element() < 0.005, "{mean}");
}

#[test]
fn a_ball_of_water_absorbs_by_its_thickness_and_never_by_its_mesh() {
    let mut picture = Picture::new(camera());
    let tint = Color::rgb(100, 180, 220);
    picture.bodies.push(round(1.0, water(tint)));
    let lights = in_furnace(&picture);
    // Straight through the middle: a diameter of two depths, but for the light that is mirrored to and fro.
    let middle = lights[12 * 24 + 12];
    let known = tint.to_linear().powf(2.0);
    let mirrored = crate::material::fresnel(1.0, 1.333);
    let expected = known * (1.0 - mirrored).powi(2) + mirrored;
    assert!((middle - expected).abs().max_element() < 0.02, "{middle}, expected {expected}");
}

#[test]
fn the_sun_lights_a_white_floor_by_its_height_and_things_shade_it() {
    let mut picture = Picture::new(camera());
    picture.floor = Some(Floor { center: DVec3::new(0.0, 0.0, -1.0), radius: 1.0 });
    picture.spheres.push(Sphere::new(DVec3::ZERO, 0.5, Color::WHITE));
    let light = Vec3::new(0.3, 0.2, 1.0).normalize();
    let world = World::new(&picture, DVec3::new(0.0, -6.0, 1.5), DVec3::Z);
    let sun = |x: f32, y: f32| {
        let origin = Vec3::new(x, y, -1.0 + world.skin()) - world.middle.as_vec3();
        world.passed(&Ray { origin, direction: light, time: 0.0 }, None)
    };
    let shadow = -light * (1.0 / light.z);
    assert_eq!(sun(shadow.x, shadow.y), Vec3::ZERO);
    assert_eq!(sun(shadow.x + 1.0, shadow.y), Vec3::ONE);
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let mut picture = Picture::new(camera());
    picture.floor = Some(Floor { center: DVec3::new(0.0, 0.0, -1.0), radius: 1.0 });
    picture.bodies.push(round(0.7, water(Color::rgb(100, 180, 220))));
    picture.spheres.push(Sphere::new(DVec3::X, 0.4, Color::rgb(200, 90, 40)));
    let paint = || PathTracer::new(64, 48).with_samples(9).paint(&picture);
    let first = paint();
    assert_eq!(first.rgb(), paint().rgb());
    #[cfg(feature = "parallel")]
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(first.rgb(), pool.install(paint).rgb(), "{threads} threads");
    }
}

#[test]
fn a_lens_blurs_what_is_out_of_focus_and_a_shutter_what_moves() {
    let contrast = |picture: &Picture| {
        let image = PathTracer::new(64, 48).with_samples(16).paint(picture);
        let row: Vec<i32> = image.rgb()[24 * 64 * 3..25 * 64 * 3]
            .iter()
            .step_by(3)
            .map(|&b| i32::from(b))
            .collect();
        row.windows(2).map(|w| (w[1] - w[0]).abs()).max().unwrap()
    };
    let mut picture = Picture::new(camera());
    picture.spheres.push(Sphere::new(DVec3::ZERO, 0.5, Color::rgb(10, 10, 10)));
    let sharp = contrast(&picture);
    picture.lens = Some(Lens { aperture: 0.6, focus: 6.2 });
    assert!(contrast(&picture) > sharp * 3 / 4);
    // The edge of the ball is spread over 1.2 m, more than the ball.
    picture.lens = Some(Lens { aperture: 0.6, focus: 2.0 });
    assert!(contrast(&picture) < sharp / 2);
    picture.lens = None;
    picture.motion = vec![Vec3::new(1.2, 0.0, 0.0)];
    assert!(contrast(&picture) < sharp / 2);
}

#[test]
fn the_world_forgets_what_has_no_place() {
    let mut picture = Picture::new(camera());
    picture.spheres.push(Sphere::new(DVec3::NAN, 0.5, Color::WHITE));
    picture.bodies.push(BodyMesh::new(Vec::new(), Vec::new()).styled(BodyStyle::Ground));
    assert_eq!(PathTracer::new(4, 4).with_samples(1).paint(&picture).width(), 4);
}

#[test]
fn white_stays_below_white_and_dark_colours_stay() {
    assert!(on_screen(Vec3::splat(50.0)).max_element() < 1.0);
    let dull = Vec3::new(0.3, 0.4, 0.5);
    assert!((on_screen(dull) - (dull - 0.04)).length() < 1e-6);
}
