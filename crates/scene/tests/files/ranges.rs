//! Ranges and consistency.

use super::{FULL, FULL_SNOW, SMALL, load_text, message, refused};
use lawine_scene::file::{Locations, check};
use lawine_solvers::sph::settings::Liquid;

#[test]
fn single_numbers_have_ranges() {
    let cases = [
        ("end=0", "end = 0 is not allowed; allowed: above 0 s"),
        ("liquid.spacing=-0.01", "liquid.spacing = -0.01 is not allowed; allowed: above 0 m"),
        (
            "liquid.support=0.01",
            "liquid.support = 0.01 is not allowed; allowed: above liquid.spacing = 0.01 m",
        ),
        ("liquid.rest_density=0", "liquid.rest_density"),
        ("liquid.viscosity=-1", "liquid.viscosity"),
        ("liquid.xsph=1.5", "liquid.xsph = 1.5 is not allowed; allowed: 0 to 1"),
        ("liquid.surface_tension=-1", "liquid.surface_tension"),
        ("time.cfl=0", "time.cfl"),
        ("time.cfl=1.5", "time.cfl"),
        ("time.growth=1", "time.growth = 1 is not allowed; allowed: above 1"),
        ("time.step=0", "time.step"),
        ("time.step=2", "time.step = 2 is not allowed; allowed: above 0 s and at most end = 1 s"),
        ("time.max_step=0", "time.max_step"),
        ("liquid.pressure.stiffness=0", "liquid.pressure.stiffness"),
        ("liquid.pressure.exponent=0", "liquid.pressure.exponent"),
        (
            "liquid.pressure.tolerance=0",
            "liquid.pressure.tolerance = 0 is not allowed; allowed: above 0 and below 1",
        ),
        ("liquid.pressure.relaxation=1.5", "liquid.pressure.relaxation"),
        ("liquid.pressure.min_iterations=0", "liquid.pressure.min_iterations"),
        ("liquid.walls.layers=0", "liquid.walls.layers = 0 is not allowed; allowed: 1 to 5"),
        ("liquid.walls.layers=6", "liquid.walls.layers"),
        ("output.every=0", "output.every"),
        ("output.every=1e-9", "output.every"),
        ("output.checkpoint_every=-1", "output.checkpoint_every"),
        ("output.every_steps=0", "output.every_steps"),
        ("space.dimension=4", "space.dimension = 4 is not allowed; allowed: 2 or 3"),
        ("title=' '", "title"),
        ("seed=-1", "seed"),
    ];
    for (set, expected) in cases {
        let message = message(SMALL, &[set]);
        assert!(message.starts_with(&format!("--set {set}: {expected}")), "{set}\n{message}");
    }
}

#[test]
fn every_number_has_a_magnitude_that_its_unit_allows() {
    let cases = [
        (
            "liquid.rest_density=1e-150",
            "liquid.rest_density = 1e-150 is not allowed; allowed: zero, or 1e-6 to 1e6 kg/m³ with",
        ),
        (
            "fill.0.velocity=[0,1e300]",
            "fill.0.velocity.1 = 1e300 is not allowed; allowed: at most 1e6 m/s with either sign",
        ),
        ("end=1e10", "end = 1e10 is not allowed; allowed: zero, or 1e-12 to 1e9 s"),
        ("view.width=1e-40", "view.width = 1e-40 is not allowed; allowed: zero, or 1e-9 to 1e6 m"),
        ("time.growth=1e13", "time.growth = 1e13 is not allowed; allowed: zero, or 1e-12 to"),
        (
            "body.0.shape.container.max=[6e5, 1]",
            "body.0.shape.container.max.0 = 6e5 is not allowed; allowed: at most 5e5 m with either \
             sign, 5e7 times the particle spacing, 0.01 m",
        ),
        ("seed=9223372036854775807", ""),
        ("fill.0.velocity=[1e-300,0]", ""),
    ];
    for (set, expected) in cases {
        if expected.is_empty() {
            assert!(load_text(SMALL, &[set]).is_ok(), "{set}");
            continue;
        }
        let message = message(SMALL, &[set]);
        assert!(message.starts_with(&format!("--set {set}: {expected}")), "{set}\n{message}");
    }
}

#[test]
fn particles_are_counted_over_all_fills() {
    let fill = "shape.box = { min = [0.0, 0.0], max = [60.0, 50.0] }";
    let one = SMALL.replace("shape.box = { min = [0.0, 0.0], max = [0.6, 0.3] }", fill);
    assert!(load_text(&one, &[]).is_ok(), "30 million");
    let other = "[[fill]]\nshape.box = { min = [0.0, 60.0], max = [50.0, 110.0] }\n";
    let message = message(&format!("{one}\n{other}"), &[]);
    let expected = "fill.0.shape.box would need about 30000000 particles, of 55000000 in total; \
                    allowed: at most 50000000";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn neighbors_and_mouths_are_counted() {
    let large = [
        "space.domain={min=[-50,-50,-50],max=[50,50,50]}",
        "fill.0.shape.box.max=[30,30,30]",
        "liquid.support=0.4",
    ];
    let message = message(FULL, &large);
    assert!(message.contains("liquid.support would need about"), "{message}");
    let large = ["liquid.neighbors=brute-force", "liquid.spacing=0.001"];
    let message = super::message(SMALL, &large);
    assert!(message.contains("liquid.neighbors would need about"), "{message}");
    let message = super::message(FULL, &["emitter.1.shape.disc.radius=1000"]);
    assert!(message.contains("lattice sites, of"), "{message}");
}

#[test]
fn the_implicit_viscosity_solver_needs_viscosity() {
    let message = message(SMALL, &["liquid.viscosity=0", "liquid.viscosity_solver=implicit"]);
    assert!(message.contains("liquid.viscosity = 0 is not allowed; allowed: above 0"), "{message}");
    assert!(load_text(SMALL, &["liquid.viscosity_solver=implicit"]).is_ok());
}

#[test]
fn vectors_fit_the_space() {
    refused(
        "[0.0, -9.81]",
        "[0.0, -9.81, 1.0]",
        "space.gravity = [0.0, -9.81, 1.0] is not allowed",
    );
    assert!(load_text(&SMALL.replace("-9.81", "-9.81, 0.0"), &[]).is_ok());
    let message = message(&FULL.replace("[0, -9.81, 0.0]", "[0, -9.81]"), &[]);
    assert!(
        message.starts_with(
            "x.toml:9: space.gravity = [0.0, -9.81] is not allowed; allowed: 3 numbers"
        )
    );
}

#[test]
fn shapes_must_be_possible() {
    let fill = "shape.box = { min = [0.0, 0.0], max = [0.6, 0.3] }";
    refused(
        "max = [0.6, 0.3]",
        "max = [0.6, -0.3]",
        "x.toml:11: fill.0.shape.box.max = [0.6, -0.3]",
    );
    refused("max = [1.61, 0.8]", "max = [0.0, 0.8]", "body.0.shape.container.max");
    refused(
        fill,
        "shape.sphere = { center = [0, 0], radius = 0 }",
        "fill.0.shape.sphere.radius = 0",
    );
    refused(fill, "shape.polyhedron = { vertices = [[0, 0], [1, 0]] }", "has 2 points; allowed: 3");
    refused(fill, "shape.polyhedron = { vertices = [[0, 0], [1, 1], [2, 2]] }", "all on one line");
    refused(fill, "shape.mesh = { file = \"a.obj\" }", "not allowed in a plane");
    refused(fill, "", "fill.0.shape is missing");
    refused("max = [0.6, 0.3]", "max = [60000, 0.3]", "would need about 180000000 particles");
    refused(
        "max = [1.61, 0.8]",
        "max = [1e5, 1e5]",
        "boundary particles; allowed: at most 50000000",
    );
    refused("open = [\"+y\"]", "open = [\"+z\"]", "open.0 = \"+z\" is not allowed");
    refused("open = [\"+y\"]", "open = [\"+x\", \"-x\", \"-y\", \"+y\"]", "lists every side");
    let flat = FULL.replace("[0, 0, 1]] }", "[1, 1, 0]] }");
    assert!(message(&flat, &[]).contains("all on one plane"));
}

#[test]
fn flows_must_be_possible() {
    let fill = "shape.box = { min = [0.0, 0.0], max = [0.6, 0.3] }";
    let with = |flow: &str| format!("{fill}\nflow.{flow}");
    refused(
        fill,
        &with("linear = { gradient = [[1, 0]] }"),
        "fill.0.flow.linear.gradient = 1 rows is not allowed; allowed: 2 rows",
    );
    refused(
        fill,
        &with("linear = { gradient = [[1, 0], [0, 1, 2]] }"),
        "fill.0.flow.linear.gradient.1 = [0.0, 1.0, 2.0] is not allowed",
    );
    refused(
        fill,
        &with("taylor-green = { speed = 1, length = 0 }"),
        "fill.0.flow.taylor-green.length = 0 is not allowed; allowed: above 0 m",
    );
    refused(fill, &with("linear = {}"), "fill.0.flow.linear.gradient is missing");
}

#[test]
fn a_plane_needs_a_normal() {
    let container = "shape.container = { min = [0.0, 0.0], max = [1.61, 0.8], open = [\"+y\"] }";
    let plane = "shape.plane = { point = [0, 0], normal = [0, 1] }";
    refused(
        container,
        &plane.replace("[0, 1]", "[0, 0]"),
        "plane.normal = [0.0, 0.0] is not allowed",
    );
    refused(container, &format!("{plane}\nhollow = true"), "body.0.hollow = true is not allowed");
}

#[test]
fn placements_and_round_shapes_must_be_possible() {
    let fill = "shape.box = { min = [0.0, 0.0], max = [0.6, 0.3] }";
    let with = |more: &str| format!("{fill}\n{more}");
    refused(fill, &with("scale = -2"), "fill.0.scale = -2 is not allowed; allowed: above 0");
    refused(fill, &with("scale = 0"), "fill.0.scale = 0 is not allowed; allowed: above 0");
    refused(fill, &with("scale = nan"), "fill.0.scale = nan");
    refused(fill, &with("scale = 1e30"), "fill.0.scale = 1e30");
    refused(
        fill,
        &with("position = [0, 0, 1]"),
        "fill.0.position = [0.0, 0.0, 1.0] is not allowed",
    );
    refused(fill, &with("position = [nan, 0]"), "fill.0.position = [nan, 0] is not allowed");
    refused(fill, &with("rotation = 30"), "fill.0.rotation");
    refused(fill, &with("rotation = {}"), "fill.0.rotation.angle is missing");
    refused(
        fill,
        &with("rotation = { axis = [1, 0, 0], angle = 3 }"),
        "fill.0.rotation.axis = [1.0, 0.0, 0.0] is not allowed; allowed: [0, 0, 1] or [0, 0, -1]",
    );
    let capsule = "shape.capsule = { start = [0, 0], end = [0, 0], radius = 0.2 }";
    refused(
        fill,
        capsule,
        "fill.0.shape.capsule.end = [0.0, 0.0] is not allowed; allowed: a point",
    );
    let capsule = "shape.capsule = { start = [0, 0], end = [0, 1], radius = 0 }";
    refused(fill, capsule, "fill.0.shape.capsule.radius = 0 is not allowed; allowed: above 0");
    let cylinder = "shape.cylinder = { start = [0, 0], end = [0, 1], radius = 1 }";
    refused(fill, cylinder, "fill.0.shape.cylinder is not allowed in a plane");
    let full = |from: &str, to: &str, expected: &str| {
        assert!(FULL.contains(from), "{from}");
        let found = message(&FULL.replacen(from, to, 1), &[]);
        assert!(found.contains(expected), "{found}");
    };
    full("axis = [0, 0, 1], angle = 30", "axis = [0, 0, 0], angle = 30", "fill.4.rotation.axis");
    full("axis = [0, 0, 1], angle = 30", "angle = 30", "fill.4.rotation.axis is missing");
    full("radius = 0.2, end_radius = 0.1", "radius = 0.2, end_radius = -1", "cone.end_radius = -1");
    full("position = [0.2, 0.5, 0.0]", "position = [2e6, 0.5, 0.0]", "fill.4.position");
}

#[test]
fn periodic_axes_need_a_domain_that_is_long_enough() {
    let gravity = "gravity = [0.0, -9.81]";
    let with = |text: &str| format!("{gravity}\n{text}");
    let domain = "domain = { min = [-1, -1], max = [3, 3] }";
    refused(gravity, &with("periodic = [\"x\"]"), "space.periodic.0 = \"x\" needs space.domain");
    refused(gravity, &with(&format!("{domain}\nperiodic = [\"z\"]")), "\"x\" or \"y\" in a plane");
    refused(gravity, &with(&format!("{domain}\nperiodic = [\"x\", \"x\"]")), "each axis only once");
    refused(
        gravity,
        &with("domain = { min = [0, 0], max = [0.05, 1] }\nperiodic = [\"x\"]"),
        "space.domain = 0.05 m along x is not allowed; allowed: 0.066 m or more (three supports)",
    );
    refused(
        gravity,
        &with("domain = { min = [0, 0], max = [0.5, 1] }"),
        "extends beyond space.domain",
    );
    refused(
        gravity,
        &with("domain = { min = [1, 0], max = [0, 1] }"),
        "space.domain.max = [0.0, 1.0]",
    );
}

#[test]
fn openings_must_be_possible() {
    let space = |set: &str, expected: &str| {
        let message = message(FULL, &[set]);
        assert!(message.contains(expected), "{message}");
    };
    space("emitter.0.speed=0", "emitter.0.speed = 0 is not allowed; allowed: above 0 m/s");
    space("emitter.0.start=-1", "emitter.0.start = -1 is not allowed");
    space(
        "emitter.0.stop=0.1",
        "emitter.0.stop = 0.1 is not allowed; allowed: above start = 0.1 s",
    );
    space("emitter.0.max_particles=0", "emitter.0.max_particles = 0 is not allowed");
    space("emitter.0.shape.rectangle.width=-1", "rectangle.width = -1 is not allowed");
    space("emitter.0.shape.rectangle.height=0", "rectangle.height = 0 is not allowed");
    space("emitter.0.shape.rectangle.up=[2,0,0]", "a vector that is not along direction");
    space("emitter.1.shape.disc.radius=0", "emitter.1.shape.disc.radius = 0 is not allowed");
    space("emitter.1.shape.disc.direction=[0,0,0]", "a nonzero vector");
    space("outlet.0.shape.box.max=[0,0,0]", "outlet.0.shape.box.max");
    space("outlet.1.shape.sphere.radius=0", "outlet.1.shape.sphere.radius = 0 is not allowed");
    space(
        "outlet.1.shape.sphere.center=[5,5,5]",
        "outlet.1.shape.sphere lies outside space.domain",
    );
    space("probe.4.height.at=[9,0,0]", "a column inside space.domain");
    space("liquid.max_particles=0", "liquid.max_particles = 0 is not allowed");
    space(
        "liquid.pressure.max_iterations=0",
        "liquid.pressure.max_iterations = 0 is not allowed; allowed: 1 or",
    );
    let mouth = "{ center = [1, 1], direction = [0, -1], width = 0.1 }";
    let emitter = format!("[[emitter]]\nspeed = 1\nshape.rectangle = {mouth}\n[[body]]");
    assert!(load_text(&SMALL.replace("[[body]]", &emitter), &[]).is_ok());
    refused(
        "[[body]]",
        &emitter.replace(" }", ", height = 1 }"),
        "height is not allowed in a plane",
    );
    refused("[[body]]", &emitter.replace(" }", ", up = [0, 1] }"), "up is not allowed in a plane");
    let no_height = FULL.replace("height = 0.2, ", "");
    assert!(message(&no_height, &[]).contains("emitter.0.shape.rectangle.height is missing"));
}

#[test]
fn names_are_given_once() {
    let body = "[[body]]\nname = \"tank\"";
    let twice = format!("{body}\nshape.sphere = {{ center = [0, 0], radius = 1 }}\n{body}");
    refused(
        body,
        &twice,
        "x.toml:16: body.1.name = \"tank\" is not allowed; allowed: a unique name",
    );
    refused("\"tank\"", "\" \"", "body.0.name = \" \" is not allowed");
    refused("\"front\"", "\"a,b\"", "probe.0.name = \"a,b\" is not allowed");
    refused("[[fill]]\nshape.box = { min = [0.0, 0.0], max = [0.6, 0.3] }", "", "fill is missing");
}

#[test]
fn motions_must_be_possible() {
    let motion = |set: &str, expected: &str| {
        let message = message(FULL, &[&format!("body.1.motion.{set}")]);
        assert!(message.contains(expected), "{message}");
    };
    motion(
        "0.velocity.stop=0.1",
        "velocity.stop = 0.1 is not allowed; allowed: above start = 0.1 s",
    );
    motion("1.rotation.axis=[0,0,0]", "rotation.axis = [0.0, 0.0, 0.0] is not allowed");
    motion("1={rotation={rate=1}}", "body.1.motion.1.rotation.axis is missing");
    motion("2.vibration.frequency=0", "frequency = 0 is not allowed; allowed: above 0 1/s");
    motion("2.vibration.amplitude=-1", "amplitude = -1 is not allowed");
    motion("2.vibration.direction=[0,0]", "allowed: 3 numbers");
    motion("2={vibration={}, velocity={}}", "vibration.amplitude is missing");

    let rotation =
        |axis: &str| format!("\"tank\"\nmotion = [{{ rotation = {{ rate = 1{axis} }} }}]");
    refused("\"tank\"", &rotation(", axis = [1, 0, 0]"), "[0, 0, 1] or [0, 0, -1] in a plane");
    let loaded = load_text(&SMALL.replace("\"tank\"", &rotation("")), &[]).unwrap();
    assert!(loaded.scene.to_toml().contains("axis = [0.0, 0.0, 1.0]"));
}

#[test]
fn views_must_be_possible() {
    let plane = |set: &str, expected: &str| {
        let message = message(SMALL, &[&format!("view.{set}")]);
        assert!(message.contains(expected), "{message}");
    };
    plane("range=[1,1]", "view.range = [1, 1] is not allowed");
    plane(
        "size=[641,480]",
        "view.size = [641, 480] is not allowed; allowed: two even numbers from 16",
    );
    plane("size=[640,8]", "view.size");
    plane("fps=0", "view.fps = 0 is not allowed; allowed: 1 to 120");
    plane("colors=red", "view.colors = \"red\" is not allowed");
    plane("camera.fov=30", "only in 3D");
    plane("turn=1", "only in 3D");
    plane("width=0", "view.width = 0 is not allowed");
    plane("field=' '", "view.field");
    let space = |set: &str, expected: &str| {
        let message = message(FULL, &[&format!("view.{set}")]);
        assert!(message.contains(expected), "{message}");
    };
    space("center=[0,0,0]", "only in a plane");
    space("width=1", "only in a plane");
    space("camera.eye=[0,0,0]", "a point other than view.camera.target");
    space("camera.up=[0,0,0]", "a nonzero vector");
    space("camera.fov=180", "1 to 170 degrees");
}

#[test]
fn flow_and_force_must_be_possible() {
    let space = |set: &str, expected: &str| {
        let message = message(FULL, &[set]);
        assert!(message.contains(expected), "{message}");
    };
    space("probe.5.flow.width=0", "probe.5.flow.width = 0 is not allowed");
    space("probe.5.flow.direction=[0,0,0]", "a nonzero vector");
    space("probe.6.force.body='tonk'", "the name of a body (did you mean \"tank\"?)");
    refused(
        "max = { field = \"position.x\" }",
        "force = { body = \"tank\", component = \"z\" }",
        "probe.0.force.component = \"z\" is not allowed",
    );
}

#[test]
fn snow_must_be_possible() {
    let snow = |set: &str, expected: &str| {
        let message = message(FULL_SNOW, &[set]);
        assert!(message.contains(expected), "{message}");
    };
    snow(
        "snow.material.1.elastic.poisson=0.5",
        "poisson = 0.5 is not allowed; allowed: 0 to below 0.5",
    );
    snow("snow.material.0.snow.poisson=0.7", "snow.material.0.snow.poisson = 0.7 is not allowed");
    snow(
        "snow.material.1.elastic.density=-3",
        "density = -3 is not allowed; allowed: above 0 kg/m³",
    );
    snow("snow.material.0.snow.density=30", "350 to 600 kg/m³ with class = \"settled\"");
    snow("snow.material.0.snow.class='frin'", "firn");
    snow("snow.material.0.snow.critical_stretch=0", "above 0 and below 0.9");
    snow("snow.material.0.snow.lumps=0", "above 0 m");
    snow("snow.material.0.snow.water=1.5", "0 to 1");
    snow("snow.material.0.snow.bonds='rubbr'", "(did you mean \"rubber\"?)");
    snow("snow.material.2.sand.friction_angle=90", "above 0 and below 90 degrees");
    snow("snow.material.3.liquid.bulk_modulus=0", "above 0 Pa");
    snow("snow.material.1.name='wet'", "a unique name");
    snow("fill.0.material='wit'", "the name of a material (did you mean \"wet\"?)");
    snow("snow.cell=0", "snow.cell = 0 is not allowed");
    snow("snow.particles_per_edge=9", "allowed: 1 to 8");
    snow("snow.transfer='apic'", "snow.flip_fraction = 0.95 is not allowed");
    snow("snow.beta=0.4", "0.5 to 1");
    snow("body.0.friction=-1", "body.0.friction = -1 is not allowed");
    let without = FULL_SNOW.replace("material = \"wet\"\n", "");
    let message = message(&without, &[]);
    assert!(message.contains("fill.0.material is missing; allowed: wet, rubber"), "{message}");
    refused(
        "[[fill]]",
        "[[fill]]\nmaterial = 'wet'",
        "fill.0.material is not allowed here; it requires a scene with [snow]",
    );
}

#[test]
fn heights_need_gravity() {
    let message = message(FULL, &["space.gravity=[0,0,0]"]);
    assert!(message.contains("probe.4.height is measured along gravity"), "{message}");
}

#[test]
fn scenes_made_in_code_are_checked_too() {
    let mut scene = load_text(SMALL, &[]).unwrap().scene;
    scene.table_mut::<Liquid>().unwrap().viscosity = f64::NAN;
    scene.end = f64::INFINITY;
    let error = check(&scene, &Locations::unknown("study")).unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
    assert!(error.to_string().contains("study: liquid.viscosity = nan is not allowed"), "{error}");
}
