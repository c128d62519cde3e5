//! Round and turned bodies hold each kind of matter: liquid in and around a cylinder, grains on a tilted plane,
//! snow on a cone; and planes without a domain.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use glam::DVec3;
use lawine_core::FieldValues;
use lawine_core::simulation::Simulation;
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};

fn simulation(text: &str, set: &[String]) -> Simulation {
    let source = Source::Text { name: "shapes".into(), text: text.into() };
    let loaded = load(&source, set).unwrap_or_else(|e| panic!("{e}"));
    build(&loaded).unwrap_or_else(|e| panic!("{e}")).simulation
}

fn vectors(run: &Simulation, name: &str) -> Vec<DVec3> {
    let fields = run.methods[0].fields();
    let FieldValues::Vec3(x) = fields.iter().find(|f| f.name == name).unwrap().values else {
        panic!("{name} is a vector")
    };
    x.to_vec()
}

fn fastest(run: &Simulation) -> f64 {
    vectors(run, "velocity").iter().map(|v| v.length()).fold(0.0, f64::max)
}

/// Smallest distance of a particle to a body [m].
fn least_distance(run: &Simulation) -> f64 {
    let distance = |x: &DVec3| {
        let of = run.env.bodies.iter().map(|body| body.signed_distance(*x).distance);
        of.fold(f64::INFINITY, f64::min)
    };
    vectors(run, "position").iter().map(distance).fold(f64::INFINITY, f64::min)
}

fn energy(run: &Simulation) -> f64 {
    let energy = run.methods[0].energy(&run.env);
    energy.kinetic + energy.potential
}

/// Water in a hollow cylinder, and around a solid one and a cone in a box.
#[test]
fn water_rests_in_and_around_cylinders() {
    let head = "title = 'Still'\nend = 9\n[space]\ndimension = 3\ngravity = [0, -9.81, 0]\n\
                [liquid]\nspacing = 0.04\n[liquid.pressure]\nmethod = 'dfsph'\n";
    let hollow = "[[fill]]\nshape.cylinder = { start = [0, 0, 0], end = [0, 0.32, 0], radius = 0.3 }\n\
                  carve = true\n[[body]]\nname = 'glass'\nhollow = true\n\
                  shape.cylinder = { start = [0, 0, 0], end = [0, 0.8, 0], radius = 0.3 }\n";
    let solid = "[[fill]]\nshape.box = { min = [0, 0, 0], max = [0.8, 0.32, 0.6] }\ncarve = true\n\
                 [[body]]\nname = 'tank'\n\
                 shape.container = { min = [0, 0, 0], max = [0.8, 0.8, 0.6] }\n[[body]]\nname = 'post'\n\
                 shape.cylinder = { start = [0, -0.1, 0], end = [0, 0.9, 0], radius = 0.1 }\n\
                 position = [0.25, 0, 0.3]\n[[body]]\nname = 'cone'\n\
                 shape.cone = { start = [0, -0.02, 0], end = [0, 0.24, 0], radius = 0.15 }\n\
                 position = [0.57, 0, 0.3]\n";
    for (name, scene) in [("in a cylinder", hollow), ("around both", solid)] {
        for walls in ["layers", "volumes"] {
            let set = [format!("liquid.walls.method={walls}")];
            let mut run = simulation(&format!("{head}{scene}"), &set);
            let (before, start) = (run.particle_count(), energy(&run));
            let volume = before as f64 * 0.04_f64.powi(3);
            run.advance_to(2.0, &mut []).unwrap();
            let (speed, least) = (fastest(&run), least_distance(&run));
            let growth = energy(&run) / start - 1.0;
            println!(
                "{name}, {walls}: {before} particles, {volume:.4} m³, {speed:.3} m/s after 2 s, energy \
                 {:.3} % above the start, at least {least:e} m from bodies",
                100.0 * growth
            );
            assert_eq!(run.particle_count(), before);
            assert!(
                growth < 1e-3 && speed < 0.12 && least > -1e-3 * 0.04,
                "{name}, {walls}: {growth} {speed}"
            );
        }
    }
}

/// Liquid on a plane without a domain flows as with one, over more and more of it, and goes on with the same
/// bits when it is resumed, though other parts of the plane are covered then.
#[test]
fn water_runs_over_a_plane_without_end() {
    let scene = |domain: &str, walls: &str| {
        format!(
            "title = 'Puddle'\nend = 9\n[space]\ndimension = 2\ngravity = [0, -9.81]\n{domain}\n\
             [liquid]\nspacing = 0.02\n[liquid.walls]\nmethod = '{walls}'\n\
             [[fill]]\nshape.box = {{ min = [0, 0], max = [0.2, 0.4] }}\n\
             [[body]]\nname = 'ground'\nshape.plane = {{ point = [0, 0], normal = [0, 1] }}\n"
        )
    };
    for walls in ["layers", "volumes"] {
        let endless = scene("", walls);
        let mut run = simulation(&endless, &[]);
        run.advance_to(0.25, &mut []).unwrap();
        let mut state = Vec::new();
        run.save(&mut state).unwrap();
        let mut again = simulation(&endless, &[]);
        again.load(&mut &state[..]).unwrap();
        run.advance_to(0.5, &mut []).unwrap();
        again.advance_to(0.5, &mut []).unwrap();
        assert_eq!(vectors(&run, "position"), vectors(&again, "position"), "{walls}");
        let x = vectors(&run, "position");
        let front = x.iter().map(|x| x.x).fold(f64::MIN, f64::max);
        let least = least_distance(&run);
        assert!(front > 0.8 && least > -1e-9, "{walls}: {front} {least:e}");
        // With a domain the same liquid meets the same wall, in the same order.
        let domain = "domain = { min = [-4, -1], max = [4, 2] }";
        let mut bounded = simulation(&scene(domain, walls), &[]);
        // Steps end at every stop: the same stops give the same steps.
        bounded.advance_to(0.25, &mut []).unwrap();
        bounded.advance_to(0.5, &mut []).unwrap();
        let y = vectors(&bounded, "position");
        let other = y.iter().map(|x| x.x).fold(f64::MIN, f64::max);
        println!("{walls}: front at {front:.4} m without, {other:.4} m with a domain");
        assert!(walls != "layers" || x == y, "other bits");
        assert!((front - other).abs() < 0.05, "{walls}: {front} {other}");
    }
}

/// Grains stay on a plane that is tilted by less than the angle of friction, and slide down a steeper one.
#[test]
fn grains_rest_on_a_plane_that_a_rotation_tilts() {
    let scene = |angle: f64| {
        let (s, c) = f64::to_radians(angle).sin_cos();
        format!(
            "title = 'Slope'\nend = 1\n[space]\ndimension = 3\ngravity = [0, -9.81, 0]\n[grains]\n\
             [grains.contact]\nfriction = 0.5\n[[grain]]\nshape.box = {{ size = [0.04, 0.02, 0.04] }}\n\
             position = [{}, {}, 0]\norientation = {{ axis = [0, 0, 1], angle = {angle} }}\n\
             [[body]]\nname = 'slope'\nshape.plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n\
             rotation = {{ axis = [0, 0, 1], angle = {angle} }}\nposition = [0.1, 0.2, 0]\n",
            0.1 - 0.01 * s,
            0.2 + 0.01 * c
        )
    };
    for (angle, rests) in [(20.0, true), (35.0, false)] {
        let mut run = simulation(&scene(angle), &[]);
        let start = vectors(&run, "position")[0];
        run.advance_to(0.4, &mut []).unwrap();
        let moved = vectors(&run, "position")[0].distance(start);
        println!("{angle}°: {moved:.5} m in 0.4 s");
        assert_eq!(moved < 0.002, rests, "{angle}°: {moved}");
    }
}

/// A ball of snow falls onto the tip of a cone, and grains onto a cylinder: neither goes through.
#[test]
fn snow_and_grains_meet_round_bodies() {
    let snow = "title = 'Snow'\nend = 1\n[space]\ndimension = 3\ngravity = [0, -9.81, 0]\n[snow]\n\
                cell = 0.02\n[[snow.material]]\nname = 'dry'\nsnow = { density = 400, young = 1.4e5, poisson = 0.2, hardening = 10, critical_compression = 2.5e-2, critical_stretch = 7.5e-3 }\n[[fill]]\n\
                shape.sphere = { center = [0.02, 0.42, 0.01], radius = 0.1 }\nvelocity = [0, -2, 0]\n\
                [[body]]\nname = 'ground'\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n\
                [[body]]\nname = 'cone'\n\
                shape.cone = { start = [0, 0, 0], end = [0, 0.3, 0], radius = 0.2 }\n";
    let mut run = simulation(snow, &[]);
    let before = run.particle_count();
    run.advance_to(0.3, &mut []).unwrap();
    let deepest = vectors(&run, "position")
        .iter()
        .fold(0.0_f64, |deepest, x| deepest.min(run.env.bodies[1].signed_distance(*x).distance));
    println!("snow: {before} particles, deepest {deepest:.5} m in the cone");
    assert!(run.particle_count() == before && deepest > -0.004, "{deepest}");
    let grains = "title = 'Grains'\nend = 1\n[space]\ndimension = 3\ngravity = [0, -9.81, 0]\n[grains]\n\
                  [grains.contact]\n[[block]]\nshape.box = { size = [0.03, 0.03, 0.03] }\n\
                  origin = [-0.1, 0.35, -0.1]\nsize = [0.2, 0.12, 0.2]\nspacing = 0.06\n\
                  [[body]]\nname = 'drum'\nhollow = true\n\
                  shape.cylinder = { start = [0, 0, 0], end = [0, 1, 0], radius = 0.2 }\n\
                  [[body]]\nname = 'log'\n\
                  shape.capsule = { start = [-0.08, 0.2, 0], end = [0.08, 0.2, 0], radius = 0.04 }\n\
                  [[body]]\nname = 'tip'\n\
                  shape.cone = { start = [0, -0.01, 0.1], end = [0, 0.1, 0.1], radius = 0.05 }\n";
    let mut run = simulation(grains, &[]);
    run.advance_to(0.6, &mut []).unwrap();
    let least = least_distance(&run);
    println!("grains: centres at least {least:.4} m from bodies");
    assert!(least > 0.0, "{least}");
    assert!(vectors(&run, "position").iter().all(|x| x.y < 0.45 && x.y > 0.0));
}
