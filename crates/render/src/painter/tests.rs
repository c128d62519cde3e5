//! What painted pictures must show.

use glam::{DVec2, DVec3};

use super::CpuPainter;
use crate::{
    Axes, Background, BodyMesh, BodyStyle, Bounds, Camera, Color, ColorBar, ColorMap, ColorScale,
    Floor, HiddenLines, Image, Liquid, Material, Overlay, Perspective, Picture, Planar, Sphere,
};

const RED: Color = Color::rgb(220, 30, 30);
const BLUE: Color = Color::rgb(30, 30, 220);

/// Looks along y at the origin from ten metres.
fn front() -> Camera {
    Camera::Perspective(Perspective {
        eye: DVec3::new(0.0, -10.0, 0.0),
        target: DVec3::ZERO,
        up: DVec3::Z,
        field_of_view: 0.6,
    })
}

fn plane() -> Camera {
    Camera::Planar(Planar { center: DVec2::ZERO, size: DVec2::new(4.0, 3.0) })
}

fn is_red(p: [u8; 3]) -> bool {
    u32::from(p[0]) > 2 * u32::from(p[2].max(20))
}

fn light(p: [u8; 3]) -> i32 {
    p.iter().map(|&c| i32::from(c)).sum()
}

#[test]
fn liquid_tints_what_is_behind_it_and_more_of_it_tints_more() {
    let light_through = |depth: f64| {
        let mut picture = Picture::new(front());
        picture.background = Background::plain(Color::WHITE);
        let half = DVec3::new(1.0, depth / 2.0, 1.0);
        let mut water = BodyMesh::cuboid(&Bounds::new(-half, half));
        water.edges.clear();
        water.material = Material::Liquid(Liquid {
            index: 1.333,
            tint: Color::rgb(120, 200, 220),
            depth: 3.0,
            cloudy: 0.0,
        });
        picture.bodies.push(water);
        CpuPainter::new(80, 60).paint(&picture).pixel(40, 30)
    };
    let [thin, thick] = [0.2, 2.0].map(light_through);
    assert!(thin[0] < 250 && thick[0] + 20 < thin[0], "{thin:?}, {thick:?}");
    assert!(thick[2] > thick[0] + 20, "{thick:?}");
}

#[test]
fn a_sphere_is_drawn_where_it_is() {
    for camera in [front(), plane()] {
        let mut picture = Picture::new(camera);
        let center = DVec3::new(0.7, 0.4, 0.3);
        picture.spheres.push(Sphere::new(center, 0.5, RED));
        let image = CpuPainter::new(160, 120).paint(&picture);
        let (middle, _) = camera.project(center, 160, 120).unwrap();
        assert!(is_red(image.pixel(middle.x as u32, middle.y as u32)));
        let mut sum = DVec2::ZERO;
        let mut count = 0.0;
        for y in 0..120 {
            for x in 0..160 {
                if is_red(image.pixel(x, y)) {
                    sum += DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                    count += 1.0;
                }
            }
        }
        assert!((sum / count - middle).length() < 0.7, "{} {middle}", sum / count);
        let edge = match camera {
            Camera::Planar(_) => center + 0.5 * DVec3::X,
            Camera::Perspective(_) => center + 0.5 * DVec3::Z,
        };
        let radius = (camera.project(edge, 160, 120).unwrap().0 - middle).length();
        let area = std::f64::consts::PI * radius * radius;
        assert!((count / area - 1.0).abs() < 0.1, "{count} {area}");
    }
}

#[test]
fn the_nearer_sphere_hides_the_farther_one() {
    let far = Sphere::new(DVec3::new(0.0, 2.0, 0.0), 0.5, BLUE);
    let near = Sphere::new(DVec3::new(0.0, -2.0, 0.0), 0.5, RED);
    for spheres in [vec![far, near], vec![near, far]] {
        let mut picture = Picture::new(front());
        picture.spheres = spheres;
        assert!(is_red(CpuPainter::new(80, 60).paint(&picture).pixel(40, 30)));
    }
}

#[test]
fn later_discs_lie_over_earlier_ones() {
    let mut picture = Picture::new(plane());
    picture.spheres = vec![Sphere::new(DVec3::ZERO, 0.5, BLUE), Sphere::new(DVec3::ZERO, 0.5, RED)];
    assert!(is_red(CpuPainter::new(80, 60).paint(&picture).pixel(40, 30)));
}

#[test]
fn a_sphere_darkens_the_floor_below_it() {
    let bounds = Bounds::new(DVec3::splat(-1.0), DVec3::ONE);
    let camera = Camera::fit(&bounds, DVec3::Z, 4.0 / 3.0);
    let mut picture = Picture::new(camera);
    picture.floor = Some(Floor::below(&bounds, DVec3::Z));
    // The light comes from the side, so that the shadow is seen beside the sphere.
    picture.light = DVec3::new(-1.0, 0.0, 1.0);
    let painter = CpuPainter::new(160, 120);
    let bare = painter.paint(&picture);
    picture.spheres.push(Sphere::new(DVec3::new(-0.5, 0.0, 0.0), 0.4, RED));
    let shaded = painter.paint(&picture);
    let seen = |p: DVec3| {
        let (at, _) = camera.project(p, 160, 120).unwrap();
        let (x, y) = (at.x as u32, at.y as u32);
        (light(bare.pixel(x, y)), light(shaded.pixel(x, y)))
    };
    let (before, after) = seen(DVec3::new(0.5, 0.0, -1.0));
    assert!(after < before - 60, "{before} {after}");
    let (before, after) = seen(DVec3::new(-1.0, -1.0, -1.0));
    assert!((after - before).abs() <= 6, "{before} {after}");
}

#[test]
fn one_looks_into_a_see_through_tank_but_not_into_a_solid_box() {
    let tank = BodyMesh::cuboid(&Bounds::new(DVec3::splat(-1.0), DVec3::ONE));
    for (style, seen) in [(BodyStyle::SeeThrough, true), (BodyStyle::Solid, false)] {
        let mut picture = Picture::new(front());
        picture.spheres.push(Sphere::new(DVec3::ZERO, 0.5, RED));
        picture.bodies.push(tank.clone().styled(style));
        let image = CpuPainter::new(80, 60).paint(&picture);
        assert_eq!(is_red(image.pixel(40, 30)), seen, "{style:?}");
    }
}

#[test]
fn a_planar_body_is_filled_and_its_hole_is_not() {
    let square = |half: f64| {
        [(-half, -half), (half, -half), (half, half), (-half, half)].map(DVec2::from).to_vec()
    };
    let mut picture = Picture::new(plane());
    picture.bodies.push(BodyMesh::planar(&[square(1.2), square(0.5)]).colored(RED));
    let image = CpuPainter::new(80, 60).paint(&picture);
    assert!(!is_red(image.pixel(40, 30)));
    assert!(is_red(image.pixel(40, 30 - 17)) && is_red(image.pixel(40 + 17, 30)));
    assert!(!is_red(image.pixel(4, 4)));
}

#[test]
fn a_lattice_of_tiny_discs_is_even() {
    for radius in [0.4, 0.7, 1.2, 2.0] {
        let spacing = f64::from(2.0 * radius);
        let camera = Planar { center: DVec2::new(40.0, 30.0), size: DVec2::new(80.0, 60.0) };
        let mut picture = Picture::new(Camera::Planar(camera));
        for i in 0..(80.0 / spacing) as u32 {
            for j in 0..(60.0 / spacing) as u32 {
                let p = DVec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, 0.0) * spacing;
                picture.spheres.push(Sphere::new(p, radius, BLUE));
            }
        }
        let image = CpuPainter::new(80, 60).paint(&picture);
        // Means over blocks of eight pixels must agree: anything else is seen as moire.
        let block = |x: u32, y: u32| {
            let pixels = (0..64).map(|k| light(image.pixel(x + k % 8, y + k / 8)));
            f64::from(pixels.sum::<i32>()) / (64.0 * 765.0)
        };
        let blocks: Vec<f64> = (1..6)
            .flat_map(|y| (1..9).map(move |x| (x, y)))
            .map(|(x, y)| block(8 * x, 8 * y))
            .collect();
        let low = blocks.iter().copied().fold(f64::INFINITY, f64::min);
        let high = blocks.iter().copied().fold(0.0, f64::max);
        assert!(high - low < 0.06, "radius {radius}: {low} to {high}");
    }
}

/// A planar picture of 96 × 72 pixels, one a metre, with these particles as one matter.
fn matter(spheres: Vec<Sphere>) -> Image {
    let camera = Planar { center: DVec2::new(48.0, 36.0), size: DVec2::new(96.0, 72.0) };
    let mut picture = Picture::new(Camera::Planar(camera));
    picture.background = Background::plain(Color::WHITE);
    picture.continua.push(0..spheres.len());
    picture.spheres = spheres;
    CpuPainter::new(96, 72).paint(&picture)
}

/// The area that is not white [px], from the green of pixels that are at most partly covered.
fn covered(image: &Image, inside: u8) -> f64 {
    let part = |p: &[u8]| f64::from(255 - p[1].max(inside)) / f64::from(255 - inside);
    image.rgb().chunks(3).map(part).sum()
}

#[test]
fn matter_fills_its_area_without_gaps() {
    for spacing in [0.5, 1.0, 3.7, 8.0] {
        // A block whose faces lie half a spacing beside the outermost particles.
        let (low, high) = (DVec2::new(16.0, 12.0), DVec2::new(80.0, 60.0));
        let count = ((high - low) / spacing).round();
        let step = (high - low) / count;
        let spheres = (0..(count.x * count.y) as u32).map(|k| {
            let cell = DVec2::new(f64::from(k % count.x as u32), f64::from(k / count.x as u32));
            let at = low + (cell + 0.5) * step;
            Sphere::new(at.extend(0.0), 0.5 * spacing as f32, RED)
        });
        let image = matter(spheres.collect());
        for y in 16..56 {
            for x in 20..76 {
                let pixel = image.pixel(x, y);
                assert!(is_red(pixel), "spacing {spacing}: {pixel:?} at {x}, {y}");
            }
        }
        let area = covered(&image, 40) / (high - low).element_product();
        assert!((area - 1.0).abs() < 0.03, "spacing {spacing}: {area} of the area");
    }
}

#[test]
fn a_drop_that_is_torn_off_is_round_and_has_its_own_area() {
    for spacing in [3.0, 6.0, 20.0] {
        let center = DVec2::new(47.3, 36.8);
        let image = matter(vec![Sphere::new(center.extend(0.0), 0.5 * spacing as f32, RED)]);
        let area = covered(&image, 40) / (spacing * spacing);
        assert!((area - 1.0).abs() < 0.12, "spacing {spacing}: {area}");
        let radius = spacing / std::f64::consts::PI.sqrt();
        let middle = DVec2::new(center.x, 72.0 - center.y);
        for y in 0..72 {
            for x in 0..96 {
                let away = (DVec2::new(f64::from(x), f64::from(y)) + 0.5 - middle).length();
                let white = image.pixel(x, y)[1] > 250;
                assert!(white || away < radius + 1.0, "spacing {spacing}: {x}, {y}");
            }
        }
    }
}

#[test]
fn colors_of_matter_go_over_into_each_other() {
    let color = |x: u32| if x < 12 { RED } else { BLUE };
    let at = |x: u32, y: u32| DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0) * 4.0;
    let spheres = (0..24 * 18).map(|k| Sphere::new(at(k % 24, k / 24), 2.0, color(k % 24)));
    let image = matter(spheres.collect());
    let reds: Vec<u8> = (8..88).map(|x| image.pixel(x, 36)[0]).collect();
    // No step but the dither; the middle has both.
    assert!(reds.windows(2).all(|w| w[1] <= w[0] + 1 && w[0] - w[1].min(w[0]) < 40), "{reds:?}");
    assert!(reds[0] > 200 && reds[79] < 50);
    assert!((60..200).contains(&image.pixel(48, 36)[0]));
}

/// A picture with a bit of everything.
fn full() -> Picture {
    let bounds = Bounds::new(DVec3::splat(-1.0), DVec3::ONE);
    let mut picture = Picture::new(Camera::fit(&bounds, DVec3::Y, 1.5));
    picture.floor = Some(Floor::below(&bounds, DVec3::Y));
    picture.bodies.push(BodyMesh::cuboid(&bounds).styled(BodyStyle::SeeThrough));
    picture.bodies.push(BodyMesh::cuboid(&Bounds::new(DVec3::ZERO, DVec3::splat(0.5))));
    for i in 0..500 {
        let t = f64::from(i) * 0.1;
        let p = DVec3::new(t.sin(), 0.9 * (1.7 * t).sin(), (2.3 * t).cos()) * 0.9;
        let color = ColorMap::Turbo.color(f64::from(i) / 500.0);
        picture.spheres.push(Sphere::new(p, 0.07, color));
    }
    picture.overlay = Overlay {
        title: Some("everything".to_owned()),
        time_stamp: Some(Overlay::stamp(1.0)),
        color_bar: Some(ColorBar {
            map: ColorMap::Turbo,
            low: 0.0,
            high: 1.0,
            scale: ColorScale::Linear,
            label: "ρ [kg/m³]".to_owned(),
        }),
        axes: Some(Axes { bounds, labels: bounds }),
        lines: vec!["height = 0.5".to_owned()],
        ..Overlay::default()
    };
    picture
}

#[cfg(feature = "parallel")]
#[test]
fn the_number_of_threads_does_not_matter() {
    let with = |threads: usize, picture: &Picture| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| CpuPainter::new(150, 100).paint(picture))
    };
    let space = full();
    let planar = Picture { camera: plane(), ..full() };
    let mut matter = planar.clone();
    matter.continua.push(50..450);
    for picture in [space, planar, matter] {
        let one = with(1, &picture);
        assert!(one == with(2, &picture) && one == with(7, &picture));
    }
}

#[test]
fn hidden_edges_are_left_out_faint_or_drawn() {
    let cube = BodyMesh::cuboid(&Bounds::new(DVec3::splat(-0.5), DVec3::splat(0.5)));
    let dark = |style: BodyStyle, hidden: HiddenLines| {
        let mut picture = Picture::new(Camera::fit(
            &Bounds::new(DVec3::splat(-0.5), DVec3::splat(0.5)),
            DVec3::Y,
            4.0 / 3.0,
        ));
        picture.bodies.push(cube.clone().colored(RED).styled(style));
        picture.hidden_lines = hidden;
        let image = CpuPainter::new(160, 120).paint(&picture);
        let light = image.rgb().chunks(3).map(|c| c.iter().map(|&b| u64::from(b)).sum::<u64>());
        light.sum::<u64>()
    };
    for style in [BodyStyle::Solid, BodyStyle::Paper] {
        let [off, faint, on] =
            [HiddenLines::Off, HiddenLines::Faint, HiddenLines::On].map(|h| dark(style, h));
        assert!(on < faint && faint < off, "{style:?}: {on} {faint} {off}");
    }
    // Paper is the background, but for its edges.
    assert!(dark(BodyStyle::Paper, HiddenLines::Off) > dark(BodyStyle::Solid, HiddenLines::Off));
}

#[test]
fn odd_input_is_no_trouble() {
    let mut picture = full();
    picture.spheres.push(Sphere::new(DVec3::NAN, 1.0, RED));
    picture.spheres.push(Sphere::new(DVec3::ZERO, f32::NAN, RED));
    picture.spheres.push(Sphere::new(DVec3::ZERO, -1.0, RED));
    picture.spheres.push(Sphere::new(DVec3::new(0.0, 0.0, 1e9), 1.0, RED));
    picture.spheres.push(Sphere::new(DVec3::ZERO, 1e9, RED));
    picture.bodies.push(BodyMesh::new(vec![DVec3::NAN; 3], vec![[0, 1, 2]]));
    picture.bodies.push(BodyMesh::new(vec![DVec3::ZERO; 3], vec![[0, 1, 2]]));
    picture.continua = vec![400..picture.spheres.len(), 0..0, 3..usize::MAX];
    for camera in [picture.camera, plane()] {
        picture.camera = camera;
        for (width, height) in [(1, 1), (3, 200), (64, 48)] {
            let _ = CpuPainter::new(width, height).paint(&picture);
        }
    }
    let empty = Picture::new(front());
    let image = CpuPainter::new(64, 48).paint(&empty);
    assert!(light(image.pixel(3, 3)) > 600);
}
