use super::{Built, build};
use crate::file::{Source, load};
use lawine_core::FieldValues;
use lawine_solvers::sph::settings::Liquid;

/// A scene of the plane at a spacing of 0.1 m, with more lines at its end.
fn planar(more: &str) -> String {
    format!(
        "title = 'Test'\nend = 1\n[space]\ndimension = 2\ngravity = [0, -10]\n\
         domain = {{ min = [-10, -10], max = [10, 10] }}\n[liquid]\nspacing = 0.1\n{more}"
    )
}

/// The same in space.
fn full(more: &str) -> String {
    planar(more)
        .replace("dimension = 2", "dimension = 3")
        .replace("[0, -10]", "[0, -10, 0]")
        .replace("[-10, -10]", "[-10, -10, -10]")
        .replace("[10, 10]", "[10, 10, 10]")
}

fn built(text: &str) -> Built {
    try_build(text).unwrap()
}

fn try_build(text: &str) -> Result<Built, String> {
    let source = Source::Text { name: "test".into(), text: text.into() };
    load(&source, &[]).and_then(|loaded| build(&loaded)).map_err(|e| e.to_string())
}

fn count(text: &str) -> usize {
    built(text).simulation.particle_count()
}

fn positions(built: &Built) -> Vec<glam::DVec3> {
    let fields = built.simulation.methods[0].fields();
    let position = fields.iter().find(|f| f.name == "position").unwrap();
    let FieldValues::Vec3(x) = position.values else { panic!("positions are vectors") };
    x.to_vec()
}

#[test]
fn a_box_holds_a_lattice_half_a_spacing_from_its_sides() {
    let fill = "[[fill]]\nshape.box = { min = [0.3, -0.7], max = [0.8, -0.4] }";
    let built = built(&planar(fill));
    let x = positions(&built);
    assert_eq!(x.len(), 5 * 3);
    let least = x.iter().copied().reduce(glam::DVec3::min).unwrap();
    let most = x.iter().copied().reduce(glam::DVec3::max).unwrap();
    assert!((least - glam::DVec3::new(0.35, -0.65, 0.0)).length() < 1e-12, "{least}");
    assert!((most - glam::DVec3::new(0.75, -0.45, 0.0)).length() < 1e-12, "{most}");
    // What does not fit is left out; rounding is no reason to leave anything out.
    let fill = "[[fill]]\nshape.box = { min = [0, 0], max = [0.59, 0.3] }";
    assert_eq!(count(&planar(fill)), 5 * 3);
    let fill = "[[fill]]\nshape.box = { min = [0, 0, 0], max = [0.7, 0.3, 0.6] }";
    assert_eq!(count(&full(fill)), 7 * 3 * 6);
}

#[test]
fn other_shapes_hold_as_many_particles_as_their_volume_says() {
    let about = |text: String, expected: f64| {
        let n = count(&text) as f64;
        assert!((n / expected - 1.0).abs() < 0.05, "{n} instead of {expected}");
    };
    about(planar("[[fill]]\nshape.sphere = { center = [0.02, 1], radius = 1 }"), 314.2);
    about(full("[[fill]]\nshape.sphere = { center = [0, 1, 0.03], radius = 1 }"), 4188.8);
    let triangle = "[[fill]]\nshape.polyhedron = { vertices = [[-1, 2], [2, 2], [0, 4]] }";
    about(planar(triangle), 300.0);
    let corner = "[[fill]]\nshape.polyhedron = { vertices = [[0,0,0], [2,0,0], [0,2,0], [0,0,2]] }";
    about(full(corner), 1333.0);
}

#[test]
fn hexagons_fill_a_rectangle_and_have_six_neighbours_at_one_distance() {
    // 14 d × 26 d: 13 columns and 28 rows, hexagons within 0.3 %.
    let fill = "[[fill]]\nshape.box = { min = [0, 0], max = [1.4, 2.6] }\nlattice = 'hexagonal'";
    let x = positions(&built(&planar(fill)));
    assert_eq!(x.len(), 13 * 28);
    let middle = x[x.len() / 2 + 6];
    let distances = x.iter().map(|x| x.distance(middle) / 0.1);
    let near = distances.filter(|r| (1.07..1.08).contains(r)).count();
    assert_eq!(near, 6);
    // Any rectangle holds what its area says.
    for (width, height) in [(1.0, 1.0), (2.0, 0.7), (0.55, 3.33)] {
        let fill = format!(
            "[[fill]]\nshape.box = {{ min = [0, 0], max = [{width}, {height}] }}\n\
             lattice = 'hexagonal'"
        );
        let density = 0.01 * count(&planar(&fill)) as f64 / (width * height);
        assert!((density - 1.0).abs() < 0.04, "{width} × {height}: {density}");
    }
    let disc =
        "[[fill]]\nshape.sphere = { center = [0.3, 0.2], radius = 1 }\nlattice = 'hexagonal'";
    let n = count(&planar(disc)) as f64;
    assert!((n / 314.2 - 1.0).abs() < 0.03, "{n}");
    let ball = "[[fill]]\nshape.sphere = { center = [0, 0, 0], radius = 1 }\nlattice = 'hexagonal'";
    let message = try_build(&full(ball)).err().unwrap();
    assert!(message.contains("fill.0.lattice") && message.contains("square"), "{message}");
}

#[test]
fn carving_leaves_out_what_is_in_bodies() {
    let scene = |carve: bool, shape: &str| {
        planar(&format!(
            "[[fill]]\nshape.box = {{ min = [0, 0], max = [1, 1] }}\ncarve = {carve}\n\
             [[body]]\nname = 'b'\n{shape}"
        ))
    };
    let brick = "shape.box = { min = [0.2, 0.2], max = [0.5, 0.6] }";
    assert_eq!(count(&scene(true, brick)), 100 - 12);
    let message = try_build(&scene(false, brick)).err().unwrap();
    assert!(message.contains("fill.0.shape: places a particle at"), "{message}");
    assert!(message.contains("\"b\"") && message.contains("carve"), "{message}");
    // A wall that touches the lattice at half a spacing takes nothing away.
    let beside = "shape.box = { min = [1, 0], max = [1.5, 1] }";
    assert_eq!(count(&scene(true, beside)), 100);
    assert_eq!(count(&scene(false, beside)), 100);
    let ring = "hollow = true\nshape.sphere = { center = [0.5, 0.5], radius = 0.4 }";
    // The area of the disc over that of a particle is 50.3.
    let inside = count(&scene(true, ring));
    assert!((50..=51).contains(&inside), "{inside}");
    let all = "shape.box = { min = [-1, -1], max = [2, 2] }";
    let message = try_build(&scene(true, all)).err().unwrap();
    assert!(message.contains("holds no particle"), "{message}");
}

#[test]
fn fills_may_touch_but_not_overlap() {
    let two = |min: &str| {
        planar(&format!(
            "[[fill]]\nshape.box = {{ min = [0, 0], max = [1, 1] }}\n\
             [[fill]]\nshape.box = {{ min = [{min}, 0], max = [2, 1] }}"
        ))
    };
    assert_eq!(count(&two("1")), 200);
    let message = |text: String| try_build(&text).err().unwrap();
    let overlap = |m: &str| assert!(m.contains("fill.1") && m.contains("overlaps fill.0"), "{m}");
    overlap(&message(two("0.8")));
    // Lattices that lie in the gaps of each other.
    overlap(&message(two("0.75").replace("[0.75, 0]", "[0.75, 0.05]")));
    let inside = "[[fill]]\nshape.sphere = { center = [0.525, 0.525], radius = 0.3 }";
    let outer = "[[fill]]\nshape.box = { min = [-0.05, -0.05], max = [1, 1] }";
    overlap(&message(planar(&format!("{outer}\n{inside}"))));
}

#[test]
fn the_stiffness_follows_from_speeds_and_heights() {
    let stiffness =
        |text: String| built(&text).scene.table::<Liquid>().unwrap().pressure.stiffness.unwrap();
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} instead of {b}");
    let fill = |velocity: &str, more: &str| {
        format!(
            "[[fill]]\nshape.box = {{ min = [0, 1], max = [0.5, 2] }}\nvelocity = {velocity}\n{more}"
        )
    };
    // k = ρ0 (10 v)², v² = 2 g h: particles from 1.05 to 1.95 m and half a spacing.
    near(stiffness(planar(&fill("[0, 0]", ""))), 1e5 * 2.0 * 10.0 * 0.95);
    near(stiffness(planar(&fill("[3, 4]", ""))), 1e5 * (25.0 + 2.0 * 10.0 * 0.95));
    // Down to the floor: also of the plane, where shapes have no end in z.
    let floor = "[[body]]\nname = 'b'\nshape.box = { min = [-1, -0.5], max = [1, 0] }";
    near(stiffness(planar(&fill("[0, 0]", floor))), 1e5 * 2.0 * 10.0 * 2.5);
    let arm = format!("{floor}\n[[body.motion]]\nrotation = {{ rate = 8.0 }}");
    let reach = (1.0_f64 + 0.25).sqrt();
    near(
        stiffness(planar(&fill("[0, 0]", &arm))),
        1e5 * ((8.0 * reach).powi(2) + 2.0 * 10.0 * 2.5),
    );
    let given = planar(&fill("[0, 0]", "")) + "\n[liquid.pressure]\nstiffness = 123.0";
    near(stiffness(given), 123.0);
    // Where nothing moves there is a stiffness all the same.
    near(stiffness(planar(&fill("[0, 0]", "")).replace("-10]\n", "0]\n")), 1e5);
}

#[test]
fn the_bounds_hold_liquid_and_bodies_and_no_endless_planes() {
    let fill = "[[fill]]\nshape.box = { min = [0, 0], max = [0.5, 1] }\n";
    let bounds = built(&planar(fill)).bounds;
    assert!((bounds.size() - glam::DVec3::new(0.5, 1.0, bounds.size().z)).length() < 1e-12);
    let tank = "[[body]]\nname = 'b'\nshape.container = { min = [-1, 0], max = [2, 3] }";
    let bounds = built(&planar(&format!("{fill}{tank}"))).bounds;
    assert!(bounds.is_finite());
    assert!(bounds.min.x <= -1.0 && bounds.max.y >= 3.0 && bounds.size().x < 4.0);
    let plane = "[[body]]\nname = 'b'\nshape.plane = { point = [0, 0], normal = [0, 1] }";
    assert!(built(&planar(&format!("{fill}{plane}"))).bounds.is_finite());
    let fill = "[[fill]]\nshape.box = { min = [0, 0, 0], max = [0.5, 1, 1] }\n";
    let plane = "[[body]]\nname = 'b'\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }";
    assert!(built(&full(&format!("{fill}{plane}"))).bounds.is_finite());
}

#[test]
fn a_mesh_out_of_the_domain_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.obj");
    std::fs::write(
        &file,
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let fill = |position: &str| {
        full(&format!("[[fill]]\nshape.mesh = {{ file = {file:?}, position = {position} }}"))
    };
    assert!(count(&fill("[0, 0, 0]")) > 100);
    let message = try_build(&fill("[9.5, 0, 0]")).err().unwrap();
    assert!(message.contains("fill.0.shape") && message.contains("space.domain"), "{message}");
}

#[test]
fn emitters_fill_and_outlets_drain() {
    let scene = planar(
        "[time]\nmax_step = 0.005\n\
         [[emitter]]\nspeed = 2\nshape.disc = { center = [0, 1], direction = [1, 0], radius = 0.2 }\n\
         [[outlet]]\nshape.box = { min = [2, -9], max = [9, 9] }\n\
         [[outlet]]\nshape.sphere = { center = [0, -9], radius = 0.5 }",
    );
    let mut built = built(&scene);
    assert_eq!(built.simulation.particle_count(), 0);
    built.simulation.advance_to(0.41, &mut []).unwrap();
    assert_eq!(built.simulation.particle_count(), 9 * 4);
    built.simulation.advance_to(1.41, &mut []).unwrap();
    let emitted = built.simulation.openings.emitters[0].emitted();
    assert_eq!(emitted, 29 * 4, "volume per second is width times speed");
    let removed = built.simulation.openings.outlets[0].drained();
    assert!(removed > 0 && built.simulation.particle_count() as u64 == emitted - removed);
}

#[test]
fn emitters_need_room() {
    let emitter = |center: &str, radius: f64, more: &str| {
        let mouth = format!("{{ center = {center}, direction = [1, 0], radius = {radius} }}");
        let scene = planar(&format!("[[emitter]]\nspeed = 2\nshape.disc = {mouth}\n{more}"));
        try_build(&scene).map(|_| ()).unwrap_err()
    };
    let brick = "[[body]]\nname = 'brick'\nshape.box = { min = [0, 0], max = [1, 1] }";
    let message = emitter("[0.5, 0.5]", 0.2, brick);
    assert!(message.contains("emitter.0.shape.disc: the mouth lies at (0.5"), "{message}");
    assert!(message.contains("inside the body \"brick\""), "{message}");
    let message = emitter("[-0.05, 0.5]", 0.2, brick);
    assert!(
        message.contains("no room for the liquid: the layer behind it lies at (0.05"),
        "{message}"
    );
    let message = emitter("[0.5, 0.5]", 0.04, "");
    assert!(message.contains("the mouth is too small for a particle"), "{message}");
    let message = emitter("[0.5, 99]", 0.2, "");
    assert!(message.contains("outside space.domain"), "{message}");
}

#[test]
fn openings_must_suit_what_is_there_at_the_start() {
    let fill = "[[fill]]\nshape.box = { min = [0, 0], max = [1, 1] }\n";
    let message = |more: &str| try_build(&planar(&format!("{more}{fill}"))).err();
    assert_eq!(message("max_particles = 100\n"), None);
    let capped = message("max_particles = 99\n").unwrap();
    assert!(capped.contains("liquid.max_particles = 99 is not allowed"), "{capped}");
    assert!(capped.contains("at least the 100 of the fills"), "{capped}");
    let outlet = |top: f64| {
        message(&format!("[[outlet]]\nshape.box = {{ min = [-1, -1], max = [2, {top}] }}\n"))
    };
    assert_eq!(outlet(0.5), None);
    let emptied = outlet(2.0).unwrap();
    assert!(emptied.contains("all initial particles are inside an outlet"), "{emptied}");
}

#[test]
fn a_mesh_with_holes_is_refused_or_filled() {
    let folder = tempfile::tempdir().unwrap();
    // A cube without its lid.
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    std::fs::write(folder.path().join("box.obj"), text).unwrap();
    let scene = |holes: &str| {
        let text = format!(
            "title = 'a'\nend = 1\n[space]\ndimension = 3\ngravity = [0, 0, 0]\n[liquid]\n\
             spacing = 0.1\n[[fill]]\nshape.mesh = {{ file = 'box.obj'{holes} }}"
        );
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, text).unwrap();
        build(&load(&Source::File(path), &[]).unwrap())
    };
    let message = scene("").err().unwrap().to_string();
    assert!(message.contains("4 edges have a triangle on one side only"), "{message}");
    assert!(message.contains("set fill.0.shape.mesh.holes = \"fill\""), "{message}");
    let filled = scene(", holes = 'fill'").unwrap().simulation.particle_count();
    assert!((800..=1000).contains(&filled), "{filled} of 1000 places");
}

/// Particles in cubes that one OBJ file describes: lower and upper corner, and whether they face
/// inwards.
fn in_cubes(cubes: &[(f64, f64, bool)]) -> Result<usize, String> {
    let mut text = String::new();
    for (k, &(min, max, inwards)) in cubes.iter().enumerate() {
        for i in 0..8 {
            let at = |bit: usize| if i >> bit & 1 == 1 { max } else { min };
            text += &format!("v {} {} {}\n", at(0), at(1), at(2));
        }
        for face in
            [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]]
        {
            let mut face = face.map(|v| (8 * k + v).to_string());
            if inwards {
                face.reverse();
            }
            text += &format!("f {}\n", face.join(" "));
        }
    }
    let fill = full("[[fill]]\nshape.mesh = { file = 'cubes.obj' }");
    let source = Source::Text { name: "test".into(), text: fill };
    let mut loaded = load(&source, &[]).map_err(|e| e.to_string())?;
    loaded.files.insert("cubes.obj".into(), text.into_bytes().into());
    let built = build(&loaded).map_err(|e| e.to_string())?;
    Ok(built.simulation.particle_count())
}

#[test]
fn shells_of_a_mesh_are_filled_as_a_union() {
    assert_eq!(in_cubes(&[(0.0, 1.0, false)]), Ok(1000));
    assert_eq!(in_cubes(&[(0.0, 1.0, false), (0.5, 1.5, false)]), Ok(1875));
    assert_eq!(in_cubes(&[(0.0, 1.0, false), (0.3, 0.7, false)]), Ok(1000));
    assert_eq!(in_cubes(&[(0.0, 1.0, false), (0.3, 0.7, true)]), Ok(1000 - 64));
    let message = in_cubes(&[(0.0, 1.0, false), (0.8, 1.2, true)]).unwrap_err();
    assert!(message.contains("fill.0.shape.mesh.file") && message.contains("faces inwards"));
}

/// "Insgesamt 1251 Partikel" and "7199 Partikel" (Hunkler 5.2) count the walls.
#[test]
fn hunklers_dams_have_the_printed_number_of_particles() {
    for (name, liquid, all) in [("hunkler-dam", 22 * 30, 1251), ("hunkler-leak", 22 * 200, 7199)] {
        let built = build(&load(&Source::BuiltIn(name.into()), &[]).unwrap()).unwrap();
        let count = built.simulation.particle_count();
        assert_eq!((count, count + built.boundary), (liquid, all), "{name}");
    }
}

#[test]
fn round_fills_hold_their_volume() {
    // Within what a lattice of about 2,000 points misses at the surface: 3 %.
    let round = |shape: &str, volume: f64| {
        let fill = format!("[[fill]]\nshape.{shape}\nposition = [0.013, 0.0, 0.007]\n");
        let turned = format!("{fill}rotation = {{ axis = [1, 2, 3], angle = 40 }}\nscale = 1.1");
        for (text, volume) in [(fill, volume), (turned, volume * 1.1_f64.powi(3))] {
            let found = count(&full(&text)) as f64 * 1e-3;
            assert!((found / volume - 1.0).abs() < 0.03, "{text}: {found} {volume}");
        }
    };
    use std::f64::consts::PI;
    round("cylinder = { start = [0, 0, 0], end = [0, 1, 0], radius = 0.8 }", PI * 0.64);
    round("cone = { start = [0, 0, 0], end = [0, 2, 0], radius = 1 }", PI / 3.0 * 2.0);
    let capsule = PI * 0.36 * (1.0 + 4.0 / 3.0 * 0.6);
    round("capsule = { start = [0, 0, 0], end = [1, 0, 0], radius = 0.6 }", capsule);
    let pill = "[[fill]]\nshape.capsule = { start = [0, 0], end = [2, 0], radius = 1 }\n\
                rotation.angle = 30";
    let area = count(&planar(pill)) as f64 * 0.01;
    assert!((area / (4.0 + PI) - 1.0).abs() < 0.02, "{area}");
}

#[test]
fn a_turned_box_is_the_box_turned_by_hand() {
    let placed = "position = [0.3, 0.2]\nrotation.angle = 30\nscale = 2";
    let (s, c) = 30.0_f64.to_radians().sin_cos();
    let by_hand = |x: f64, y: f64| {
        let (x, y) = (2.0 * x, 2.0 * y);
        glam::DVec3::new(0.3 + c * x - s * y, 0.2 + s * x + c * y, 0.0)
    };
    // As a body: the polygon of its corners.
    let corners = [(0.1, 0.0), (0.6, 0.0), (0.6, 0.4), (0.1, 0.4)].map(|(x, y)| by_hand(x, y));
    let corners = corners.map(|p| format!("[{:?}, {:?}]", p.x, p.y)).join(", ");
    let fill = "[[fill]]\nshape.box = { min = [5, 5], max = [6, 6] }\n";
    let text = format!(
        "{fill}[[body]]\nname = 'a'\nshape.box = {{ min = [0.1, 0], max = [0.6, 0.4] }}\n{placed}\n\
         [[body]]\nname = 'b'\nshape.polyhedron = {{ vertices = [{corners}] }}"
    );
    let made = built(&planar(&text));
    let [a, b] = &made.simulation.env.bodies[..] else { panic!("two bodies") };
    for i in 0..400 {
        let p = glam::DVec3::new(0.1 * f64::from(i % 20) - 0.7, 0.1 * f64::from(i / 20) - 0.5, 0.0);
        let (a, b) = (a.signed_distance(p), b.signed_distance(p));
        assert!((a.distance - b.distance).abs() < 1e-12, "{p}");
    }
    // As a fill: its lattice turns with it.
    let fill = format!("[[fill]]\nshape.box = {{ min = [0.1, 0], max = [0.6, 0.4] }}\n{placed}");
    let x = positions(&built(&planar(&fill)));
    assert_eq!(x.len(), 10 * 8);
    assert!(x[0].distance(by_hand(0.125, 0.025)) < 1e-12 && x.iter().all(|x| x.z == 0.0));
    // Walls that are turned alike leave it where it is.
    let tank = "[[body]]\nname = 'tank'\nshape.container = { min = [0.1, 0], max = [0.6, 1] }\n";
    assert_eq!(count(&planar(&format!("{fill}\n{tank}{placed}"))), 10 * 8);
}

#[test]
fn outlets_are_turned_too() {
    let outlet = "[[fill]]\nshape.box = { min = [0, 0], max = [1, 1] }\n[[outlet]]\n\
                  shape.box = { min = [0, 0], max = [2, 1] }\nposition = [4, 0]\nrotation.angle = 90";
    let built = built(&planar(outlet));
    let region = built.simulation.openings.outlets[0].region();
    assert!(region.contains(glam::DVec3::new(3.5, 1.5, 0.0)));
    assert!(!region.contains(glam::DVec3::new(4.5, 0.5, 0.0)));
}
