//! Bodies that float and sink: rows 36, 37 and 47 of the validation, and what keeps runs exact.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use glam::DVec3;
use lawine_core::FieldValues;
use lawine_core::fit::Verdict;
use lawine_core::method::Method;
use lawine_core::simulation::{Flow, Moment, Observer, Simulation};
use lawine_scene::build::{Built, build};
use lawine_scene::file::{Source, load};
use std::io;

fn scene(text: &str, set: &[String]) -> Built {
    let source = Source::Text { name: "floating".into(), text: text.into() };
    build(&load(&source, set).unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"))
}

fn set(keys: &[(&str, String)]) -> Vec<String> {
    keys.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

/// Keys that choose the solver of the pressure and the kind of walls, and more.
fn solved_by(method: &str, walls: &str, more: &[(&str, String)]) -> Vec<String> {
    let mut keys =
        vec![format!("liquid.pressure.method={method}"), format!("liquid.walls.method={walls}")];
    keys.extend(set(more));
    keys
}

/// Tells what was measured, and whether it is as it should be.
fn holds(name: &str, value: f64, expected: f64, tolerance: f64) -> bool {
    let verdict = Verdict { name, value, expected, tolerance };
    println!("{verdict}");
    verdict.holds()
}

/// Sums over the steps of a run.
#[derive(Default)]
struct Steps {
    steps: u32,
    iterations: u32,
    dt_max: f64,
    /// Mean force on the first body [N] and time [s] since this time.
    from: f64,
    impulse: DVec3,
    time: f64,
}

impl Observer for Steps {
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        self.steps += u32::from(now.dt > 0.0);
        self.iterations += now.report.iterations;
        self.dt_max = self.dt_max.max(now.dt);
        if now.simulation.time() > self.from {
            self.impulse += now.dt * now.simulation.env.bodies[0].force;
            self.time += now.dt;
        }
        Ok(Flow::Continue)
    }
}

fn vectors<'a>(method: &'a dyn Method, name: &str) -> &'a [DVec3] {
    match method.field(name).unwrap().values {
        FieldValues::Vec3(values) => values,
        _ => panic!("{name} is a vector"),
    }
}

// Row 37: a light body from rest. The liquid comes to rest around the body for a second before it is released. A tolerance
// of 1e-3 lets single steps kick by 0.03 m/s, a third of the speed that is measured; with 1e-4 it is 0.003 m/s.

const ROUND_TANK: &str = "
title = 'A light disc in a round tank'
end = 2
[space]
dimension = 2
gravity = [0, -9.81]
[liquid]
spacing = 0.01
viscosity = 0
kernel = 'wendland-c2'
[liquid.pressure]
method = 'iisph'
tolerance = 1e-4
[[body]]
name = 'disc'
shape.sphere = { center = [0, 0], radius = 0.08 }
free = true
density = 500
release = 1.0
[[body]]
name = 'tank'
shape.sphere = { center = [0, 0], radius = 0.24 }
hollow = true
[[fill]]
shape.sphere = { center = [0, 0], radius = 0.24 }
carve = true
";

const ROUND_TANK_IN_SPACE: &str = "
title = 'A light ball in a round tank'
end = 2
[space]
dimension = 3
gravity = [0, -9.81, 0]
[liquid]
spacing = 0.0133333333333
viscosity = 0
kernel = 'wendland-c2'
[liquid.pressure]
method = 'iisph'
tolerance = 1e-4
[[body]]
name = 'ball'
shape.sphere = { center = [0, 0, 0], radius = 0.08 }
free = true
density = 500
release = 1.0
[[body]]
name = 'tank'
shape.sphere = { center = [0, 0, 0], radius = 0.24 }
hollow = true
[[fill]]
shape.sphere = { center = [0, 0, 0], radius = 0.24 }
carve = true
";

/// Acceleration over that of the formula, iterations a step and the longest step, for a density.
fn from_rest(text: &str, method: &str, walls: &str, density: f64) -> (f64, f64, f64) {
    let keys = solved_by(method, walls, &[("body.0.density", density.to_string())]);
    let mut run = scene(text, &keys).simulation;
    let (start, end, mut steps) = (1.0, 0.03, Steps::default());
    run.advance_to(start, &mut []).unwrap();
    assert_eq!(run.env.bodies[0].pose.position, DVec3::ZERO, "held");
    run.advance_to(start + end, &mut [&mut steps]).unwrap();
    let planar = run.env.space.is_planar();
    let power = if planar { 2 } else { 3 };
    let (r, rt) = (0.08_f64.powi(power), 0.24_f64.powi(power));
    let added = if planar { (rt + r) / (rt - r) } else { 0.5 * (rt + 2.0 * r) / (rt - r) };
    let ratio = density / 1000.0;
    let expected = 9.81 * (1.0 - ratio) / (ratio + added);
    let a = run.env.bodies[0].velocity.y / end;
    let iterations = f64::from(steps.iterations) / f64::from(steps.steps);
    println!(
        "{power}D, {method}, {walls}, density ratio {ratio}: {a:.3} m/s² (theory {expected:.3}, {:+.1} %), \
         {iterations:.1} iterations a step of at most {:.2e} s",
        100.0 * (a / expected - 1.0),
        steps.dt_max
    );
    (a / expected, iterations, steps.dt_max)
}

/// Whether all accelerations are right, in the iterations and steps of a body of the liquid's density.
fn light_bodies(shape: &str, text: &str, method: &str, walls: &str, densities: &[f64]) -> bool {
    let heavy = from_rest(text, method, walls, 1000.0 * 0.999_999);
    let mut all = true;
    for &density in densities {
        let (ratio, iterations, dt) = from_rest(text, method, walls, density);
        let name = format!("{shape} of {density} kg/m³ from rest, {method}, {walls}");
        all &= holds(&format!("{name}: acceleration over theory"), ratio, 1.0, 0.05);
        let more = (iterations / heavy.1 - 1.0).max(0.0);
        all &= holds(&format!("{name}: more iterations than a heavy one"), more, 0.0, 0.3);
        assert!(dt > heavy.2 / 1.001, "{name}: steps of {dt} s");
    }
    all
}

#[test]
fn a_light_disc_rises_from_rest_with_its_added_mass() {
    assert!(light_bodies("disc", ROUND_TANK, "dfsph", "volumes", &[10.0]), "see above");
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test floating -- --ignored --nocapture"]
fn light_discs_rise_with_their_added_mass() {
    rise_with_every_method("disc", ROUND_TANK);
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test floating -- --ignored --nocapture"]
fn light_balls_rise_with_their_added_mass() {
    rise_with_every_method("ball", ROUND_TANK_IN_SPACE);
}

fn rise_with_every_method(shape: &str, text: &str) {
    let mut all = true;
    for method in ["iisph", "dfsph"] {
        for walls in ["layers", "volumes"] {
            all &= light_bodies(shape, text, method, walls, &[500.0, 100.0, 10.0]);
        }
    }
    assert!(all, "see above");
}

// Row 47: momentum.

const IN_FREE_SPACE: &str = "
title = 'A drop and two bodies'
end = 1
[space]
dimension = 3
gravity = [0, 0, 0]
[liquid]
spacing = 0.02
viscosity = 1e-3
[liquid.walls]
viscosity = 1e-3
[[fill]]
shape.box = { min = [-0.1, -0.1, -0.1], max = [0.1, 0.1, 0.1] }
velocity = [1, 0, 0]
carve = true
[[body]]
name = 'ball'
shape.sphere = { center = [0.18, 0.03, 0.01], radius = 0.06 }
free = true
density = 200
spin = { axis = [0, 1, 0], rate = 5 }
[[body]]
name = 'brick'
shape.box = { min = [-0.28, -0.07, -0.08], max = [-0.12, 0.05, 0.02] }
rotation = { axis = [1, 1, 0], angle = 5 }
velocity = [1.4, 0, 0]
free = true
mass = 1.5
";

/// Momentum and angular momentum of liquid and free bodies, and the sums of their sizes.
fn momenta(run: &Simulation) -> [DVec3; 2] {
    let method = &*run.methods[0];
    let (x, v) = (vectors(method, "position"), vectors(method, "velocity"));
    let m = method.total_mass() / x.len() as f64;
    let mut sum = [DVec3::ZERO; 2];
    for (x, v) in x.iter().zip(v) {
        sum[0] += m * *v;
        sum[1] += m * x.cross(*v);
    }
    for body in &run.env.bodies {
        let free = body.free().unwrap();
        let p = free.inertia.mass * body.velocity;
        sum[0] += p;
        sum[1] += body.pose.position.cross(p) + free.angular_momentum();
    }
    sum
}

#[test]
fn liquid_and_bodies_keep_their_momentum() {
    for method in ["eos", "iisph", "dfsph"] {
        for walls in ["layers", "volumes"] {
            let mut run = scene(IN_FREE_SPACE, &solved_by(method, walls, &[])).simulation;
            let start = momenta(&run);
            let before = run.env.bodies[0].velocity;
            run.advance_to(0.1, &mut []).unwrap();
            let end = momenta(&run);
            let m = run.methods[0].total_mass();
            // The size of the sums: all of the mass at 1 m/s, and 0.1 m away.
            let errors =
                [(end[0] - start[0]).length() / m, (end[1] - start[1]).length() / (0.1 * m)];
            println!("{method}, {walls}: momentum {:.1e}, angular {:.1e}", errors[0], errors[1]);
            assert!(run.env.bodies[0].velocity.distance(before) > 0.1, "the ball was hit");
            assert!(errors[0] < 1e-9 && errors[1] < 1e-9, "{method}, {walls}: {errors:?}");
        }
    }
}

// Row 36: Archimedes. Wendland's kernel: under the cubic spline particles pair up at a curved surface and lock, and a
// disc of 12 spacings carries 0.97 to 1.04 of its buoyancy, depending on where it is (0.990 to 0.999 with Wendland's).

const HELD: &str = "
title = 'A body held under water'
end = 3
[space]
dimension = 2
gravity = [0, -9.81]
[liquid]
spacing = 0.01
viscosity = 1e-3
kernel = 'wendland-c2'
[[body]]
name = 'body'
shape.sphere = { center = [0, 0], radius = 0.06 }
position = [0.2, 0.18]
rotation = { angle = 17 }
[[body]]
name = 'tank'
shape.container = { min = [0, 0], max = [0.4, 0.6] }
[[fill]]
shape.box = { min = [0, 0], max = [0.4, 0.36] }
carve = true
";

const BOX: &str = "body.0.shape={box={min=[-0.06,-0.06],max=[0.06,0.06]}}";

/// Mean force on a held body over its buoyancy.
fn buoyancy(method: &str, walls: &str, shape: Option<&str>, spacing: f64) -> f64 {
    let mut keys = solved_by(method, walls, &[("liquid.spacing", spacing.to_string())]);
    keys.extend(shape.map(str::to_owned));
    let mut run = scene(HELD, &keys).simulation;
    let mut steps = Steps { from: 1.5, ..Steps::default() };
    run.advance_to(3.0, &mut [&mut steps]).unwrap();
    let volume = run.env.bodies[0].mass_properties_in(&run.env.space, 1.0).unwrap().volume;
    steps.impulse.y / steps.time / (9.81 * 1000.0 * volume)
}

/// Whether a held body is carried as Archimedes says; coarse ones are only told.
fn is_carried(method: &str, walls: &str, shape: Option<&str>, spacing: f64) -> bool {
    let ratio = buoyancy(method, walls, shape, spacing);
    let what = shape.map_or("disc", |_| "box");
    let name =
        format!("held {what}, {method}, {walls}, {:.0} spacings: force over ρgV", 0.12 / spacing);
    if spacing > 0.011 {
        println!("{name} {ratio:.4}");
        return true;
    }
    holds(&name, ratio, 1.0, 0.01)
}

#[test]
fn a_held_body_loses_the_weight_of_the_liquid() {
    let mut all = true;
    for shape in [None, Some(BOX)] {
        for walls in ["layers", "volumes"] {
            all &= is_carried("iisph", walls, shape, 0.01);
        }
    }
    assert!(all, "see above");
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test floating -- --ignored --nocapture"]
fn every_method_holds_bodies_up_at_three_resolutions() {
    let mut all = true;
    for shape in [None, Some(BOX)] {
        for method in ["eos", "iisph", "dfsph"] {
            for walls in ["layers", "volumes"] {
                for spacing in [0.015, 0.01, 0.0075] {
                    all &= is_carried(method, walls, shape, spacing);
                }
            }
        }
    }
    assert!(all, "see above");
}

const AFLOAT: &str = "
title = 'A floating body'
end = 6
[space]
dimension = 2
gravity = [0, -9.81]
[liquid]
spacing = 0.01
viscosity = 2e-3
kernel = 'wendland-c2'
[liquid.walls]
viscosity = 2e-3
[[body]]
name = 'body'
shape.box = { min = [-0.12, -0.06], max = [0.12, 0.06] }
position = [0.4, 0.3]
rotation = { angle = 3 }
free = true
density = 500
[[body]]
name = 'tank'
shape.container = { min = [0, 0], max = [0.8, 0.8] }
[[fill]]
shape.box = { min = [0, 0], max = [0.8, 0.3] }
carve = true
";

/// Area of the body under the water level in the mean of the last second, over that of Archimedes. The level
/// follows from the volume of the liquid, compressed as it is: an equation of state lets its own weight make it denser, by
/// half a percent here, so that the level sinks by 1.3 mm and the box with it. It begins there, so that no water comes to lie on it, but askew.
fn draught(method: &str, walls: &str, density: f64) -> f64 {
    let height = 0.36 - 0.12 * density / 1000.0;
    let more =
        [("body.0.density", density.to_string()), ("body.0.position", format!("[0.4,{height}]"))];
    let keys = solved_by(method, walls, &more);
    let mut run = scene(AFLOAT, &keys).simulation;
    struct Heights(f64, f64, f64);
    impl Observer for Heights {
        fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
            if now.simulation.time() > 5.0 {
                let pose = now.simulation.env.bodies[0].pose;
                self.0 += now.dt * pose.position.y;
                self.1 += now.dt;
                let side = pose.rotation * DVec3::X;
                self.2 = side.y.atan2(side.x).to_degrees();
            }
            Ok(Flow::Continue)
        }
    }
    let mut heights = Heights(0.0, 0.0, 0.0);
    run.advance_to(6.0, &mut [&mut heights]).unwrap();
    let body = 0.24 * 0.12;
    let wet = density / 1000.0 * body;
    let liquid = &*run.methods[0];
    let FieldValues::F32(rho) = liquid.field("density").unwrap().values else { panic!("numbers") };
    // Particles at the surface see too little to know how dense they are.
    let one = liquid.total_mass() / rho.len() as f64;
    let volume: f64 = rho.iter().map(|&rho| one / f64::from(rho).max(1000.0)).sum();
    // Level and draught of a box that lies flat.
    let level = (volume + wet) / 0.8;
    let bottom = heights.0 / heights.1 - 0.06;
    let ratio = (level - bottom) * 0.24 / wet;
    println!(
        "afloat, {method}, {walls}, {density} kg/m³: draught {ratio:.4} of Archimedes', {:.2}° from flat",
        heights.2
    );
    ratio
}

fn floats_at_its_density(method: &str, walls: &str, density: f64) -> bool {
    let deep = draught(method, walls, density) * density / 1000.0;
    let name = format!("afloat, {method}, {walls}, {density} kg/m³: draught over height");
    holds(&name, deep, density / 1000.0, 0.01)
}

#[test]
fn a_box_floats_at_its_density() {
    assert!(floats_at_its_density("iisph", "layers", 500.0), "see above");
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test floating -- --ignored --nocapture"]
fn boxes_float_at_their_density_with_every_method() {
    let mut all = true;
    for method in ["eos", "iisph", "dfsph"] {
        for walls in ["layers", "volumes"] {
            for density in [100.0, 500.0, 900.0] {
                all &= floats_at_its_density(method, walls, density);
            }
        }
    }
    assert!(all, "see above");
}

// Waves.

const BOAT: &str = "
title = 'A boat in waves'
end = 20
[space]
dimension = 2
gravity = [0, -9.81]
[liquid]
spacing = 0.02
viscosity = 1e-6
kernel = 'wendland-c2'
[[body]]
name = 'boat'
shape.polyhedron.vertices = [[-0.15, 0.06], [-0.1, -0.06], [0.1, -0.06], [0.15, 0.06]]
position = [0.5, 0.36]
free = true
density = 400
[[body]]
name = 'tank'
shape.container = { min = [0, 0], max = [1, 1] }
[[fill]]
shape.box = { min = [0, 0], max = [1, 0.3] }
[[fill]]
shape.box = { min = [0, 0.3], max = [0.3, 0.44] }
";

/// A heap of water beside a boat makes waves that go to and fro for 20 s. The energy of water and boat over that of the
/// water at the start never rises above it, nor by more than a thousandth above what it was ten seconds before.
fn a_boat_gains_no_energy(method: &str) -> bool {
    struct Energies(Vec<(f64, f64)>);
    impl Observer for Energies {
        fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
            let Simulation { env, methods, .. } = now.simulation;
            let liquid = methods[0].energy(env);
            let [moving, height] = env.bodies[0].free_energy(env.gravity);
            let all = liquid.kinetic + liquid.potential + moving + height;
            self.0.push((now.simulation.time(), all));
            Ok(Flow::Continue)
        }
    }
    let keys = set(&[("liquid.pressure.method", method.into())]);
    let mut run = scene(BOAT, &keys).simulation;
    let mut energies = Energies(Vec::new());
    run.advance_to(20.0, &mut [&mut energies]).unwrap();
    let first = energies.0[0].1;
    let most = |from: f64, to: f64| {
        let within = energies.0.iter().filter(|(t, _)| (from..=to).contains(t));
        within.map(|(_, e)| *e).fold(f64::NEG_INFINITY, f64::max)
    };
    let rise = most(0.0, 20.0) / first - 1.0;
    let late = (most(15.0, 20.0) - most(5.0, 10.0)) / first;
    let boat = &run.env.bodies[0];
    assert!(boat.pose.position.y > 0.25, "{method}: the boat sank to {}", boat.pose.position);
    let name = format!("boat in waves, {method}");
    let above = holds(&format!("{name}: energy above the initial one"), rise.max(0.0), 0.0, 1e-3);
    above & holds(&format!("{name}: gained in the last ten seconds"), late.max(0.0), 0.0, 1e-3)
}

#[test]
fn a_boat_in_waves_gains_no_energy() {
    assert!(a_boat_gains_no_energy("dfsph"), "see above");
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test floating -- --ignored --nocapture"]
fn a_boat_in_waves_gains_no_energy_with_other_methods() {
    let all = a_boat_gains_no_energy("iisph") & a_boat_gains_no_energy("eos");
    assert!(all, "see above");
}

#[test]
fn resumed_runs_and_other_threads_give_the_same_bits() {
    let keys = |method: &str| set(&[("liquid.pressure.method", method.into())]);
    for method in ["eos", "iisph", "dfsph"] {
        let mut whole = scene(IN_FREE_SPACE, &keys(method)).simulation;
        whole.advance_to(0.02, &mut []).unwrap();
        let mut saved = Vec::new();
        whole.save(&mut saved).unwrap();
        whole.advance_to(0.04, &mut []).unwrap();
        let mut second = scene(IN_FREE_SPACE, &keys(method)).simulation;
        second.load(&mut &saved[..]).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| second.advance_to(0.04, &mut [])).unwrap();
        assert_eq!(whole.state_hash(), second.state_hash(), "{method}");
        let body = &mut second.env.bodies[0];
        body.velocity.x += 1e-12;
        assert_ne!(whole.state_hash(), second.state_hash(), "the state of bodies is hashed");
    }
}

// Boulders.

const POOL: &str = "
title = 'Boulders in a pool'
end = 1
[space]
dimension = 3
gravity = [0, -9.81, 0]
[time]
max_step = 2e-3
[liquid]
spacing = 0.02
kernel = 'wendland-c2'
viscosity = 1e-5
[liquid.pressure]
method = 'dfsph'
[[fill]]
shape.box = { min = [0, 0, 0], max = [1, 0.8, 1] }
carve = true
[[body]]
name = 'pool'
shape.container = { min = [0, 0, 0], max = [1, 1.2, 1], open = ['+y'] }
";

/// A pool with `counts` boulders along each axis.
fn boulders(counts: [u32; 3], radius: f64) -> Simulation {
    let mut text = POOL.to_owned();
    let [a, b, c] = counts;
    let at = |k: u32, n: u32| (f64::from(k) + 0.5) / f64::from(n);
    for (n, (i, (j, k))) in
        (0..a).flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, (j, k))))).enumerate()
    {
        text += &format!(
            "[[body]]\nname = 'boulder {n}'\nfree = true\ndensity = 2500\n\
             shape.sphere = {{ center = [{}, {}, {}], radius = {radius} }}\n",
            at(i, a),
            0.8 * at(j, b),
            at(k, c)
        );
    }
    scene(&text, &[]).simulation
}

/// Time that a hundredth of a second takes with boulders over that without, in turns, after the start.
fn cost_of(counts: [u32; 3], radius: f64) -> f64 {
    let mut runs = [boulders([0; 3], radius), boulders(counts, radius)];
    let mut spent = [0.0; 2];
    for part in 0..6 {
        for (run, spent) in runs.iter_mut().zip(&mut spent) {
            let start = std::time::Instant::now();
            run.advance_to(0.01 * f64::from(part + 1), &mut []).unwrap();
            if part > 0 {
                *spent += start.elapsed().as_secs_f64();
            }
        }
    }
    spent[1] / spent[0]
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test floating -- --ignored --nocapture"]
fn a_hundred_boulders_cost_little() {
    let ratio = cost_of([5, 4, 5], 0.04);
    assert!(holds("100 boulders in 100,000 particles: cost over the liquid's", ratio, 1.0, 0.3));
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test floating -- --ignored --nocapture"]
fn a_thousand_boulders_run() {
    println!("1000 boulders: cost {:.2} of the liquid alone", cost_of([10; 3], 0.03));
}

// Bodies touch.

const DRY: &str = "
title = 'Bodies fall on a floor and on each other'
end = 2
[space]
dimension = 3
gravity = [0, -9.81, 0]
[liquid]
spacing = 0.05
[[fill]]
shape.box = { min = [1, 0, 1], max = [1.2, 0.1, 1.2] }
[[body]]
name = 'floor'
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[[body]]
name = 'cube'
shape.box = { min = [-0.1, 0.2, -0.1], max = [0.1, 0.4, 0.1] }
free = true
density = 800
[[body]]
name = 'ball'
shape.sphere = { center = [0.02, 0.7, 0.01], radius = 0.1 }
free = true
density = 2000
restitution = 0.5
";

/// The depth of the deepest point of a body's surface in a plane body at height zero [m].
fn lowest(run: &Simulation, k: usize) -> f64 {
    run.env.bodies[k].bounds().min.y
}

#[test]
fn bodies_do_not_sink_into_each_other_or_the_floor() {
    for planar in [false, true] {
        let keys = if planar {
            set(&[
                ("space.dimension", "2".into()),
                ("space.gravity", "[0,-9.81]".into()),
                ("fill.0.shape", "{box={min=[1,0],max=[1.2,0.1]}}".into()),
                ("body.0.shape", "{plane={point=[0,0],normal=[0,1]}}".into()),
                ("body.1.shape", "{box={min=[-0.1,0.2],max=[0.1,0.4]}}".into()),
                ("body.2.shape", "{sphere={center=[0.02,0.7],radius=0.1}}".into()),
            ])
        } else {
            Vec::new()
        };
        let mut run = scene(DRY, &keys).simulation;
        struct Deepest(f64);
        impl Observer for Deepest {
            fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
                for k in [1, 2] {
                    self.0 = self.0.min(lowest(now.simulation, k));
                }
                let [cube, ball] = [1, 2].map(|k| &now.simulation.env.bodies[k]);
                let gap = cube.signed_distance(ball.pose.position).distance - 0.1;
                self.0 = self.0.min(gap);
                Ok(Flow::Continue)
            }
        }
        let mut deepest = Deepest(0.0);
        run.advance_to(2.0, &mut [&mut deepest]).unwrap();
        println!("planar {planar}: {:.2} % of 0.2 m deep at most", -100.0 * deepest.0 / 0.2);
        assert!(deepest.0 > -0.002, "{} m deep", -deepest.0);
        let [cube, ball] = [1, 2].map(|k| &run.env.bodies[k]);
        assert!(cube.velocity.length() < 0.02, "the cube lies: {}", cube.velocity);
        assert!(ball.pose.position.y < 0.5, "the ball has fallen: {}", ball.pose.position);
        assert!(!planar || cube.pose.position.z == 0.0 && ball.angular_velocity.x == 0.0);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |key: &str, value: &str, words: &str| {
        let source = Source::Text { name: "bad".into(), text: DRY.into() };
        let loaded = load(&source, &[format!("{key}={value}")]);
        let error = match loaded.map(|loaded| build(&loaded)) {
            Err(error) | Ok(Err(error)) => error.to_string(),
            Ok(Ok(_)) => panic!("{key} = {value} is accepted"),
        };
        assert!(error.contains(words), "{key} = {value}: {error}");
    };
    refused("body.0.free", "true", "a free body has a finite volume");
    refused("body.1.hollow", "true", "a free body has a finite volume");
    refused("body.1.density", "0", "above 0");
    refused("body.1.density", "-5", "above 0");
    refused("body.1.mass", "3", "exclude each other");
    refused("body.0.mass", "3", "free = true alone");
    refused("body.1.motion", "[{velocity={velocity=[1,0,0]}}]", "exclude each other");
    refused("body.2.position", "[0,-0.35,0]", "overlaps");
    refused("body.1.position", "[0,-0.25,0]", "overlaps");
    refused("body.1.until", "1", "not for free bodies");
    refused("body.1.shape", "{box={min=[0,1,0],max=[0.1,1,0.1]}}", "y above that of min");
    refused("body.0.axle", "{axis=[0,0,1]}", "free = true alone");
    refused("body.1.axle", "{}", "axis");
    refused("body.1.axle", "{axis=[0,0,0]}", "axis");
    refused("body.1", "{name='c',shape={box={min=[0,1,0],max=[1,2,1]}},free=true}", "density");
    // Three sides of a tetrahedron.
    let open = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
                property float z\nelement face 3\nproperty list uchar int vertex_indices\nend_header\n\
                0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("open.ply");
    std::fs::write(&path, open).unwrap();
    let shape = format!("{{mesh={{file={:?},position=[0,3,0]}}}}", path.display().to_string());
    refused("body.1.shape", &shape, "edge");
}

// A wheel.

/// A wheel under a weight turns as the torque says; its centre stays.
#[test]
fn a_wheel_turns_in_water_and_stays_where_it_is() {
    let keys = set(&[
        ("body.0.shape", "{box={min=[-0.12,-0.02],max=[0.12,0.02]}}".into()),
        ("body.0.position", "[0.4,0.3]".into()),
        ("body.0.axle", "{}".into()),
        ("liquid.pressure.method", "dfsph".into()),
    ]);
    let mut run = scene(AFLOAT, &keys).simulation;
    run.advance_to(0.5, &mut []).unwrap();
    let wheel = &run.env.bodies[0];
    let side = wheel.pose.rotation * DVec3::X;
    println!(
        "askew by {:.2}°, {:.3} rad/s",
        side.y.atan2(side.x).to_degrees(),
        wheel.angular_velocity.z
    );
    assert_eq!((wheel.pose.position.x, wheel.pose.position.y), (0.4, 0.3));
    assert_eq!(wheel.velocity, DVec3::ZERO);
    assert!(side.y.abs() < 3.1_f64.to_radians().sin(), "it does not tip over: {side}");
}

/// A light box that lies flat on the ground, with no room for liquid below it, is lifted all the same. It then hangs half
/// a spacing above the ground, where the first particles get below it and press less than they should.
#[test]
fn a_box_that_lies_on_the_ground_is_lifted() {
    let keys = set(&[
        ("body.0.position", "[0.4,0.061]".into()),
        ("body.0.rotation.angle", "0".into()),
        ("liquid.pressure.method", "dfsph".into()),
    ]);
    let mut run = scene(AFLOAT, &keys).simulation;
    run.advance_to(1.0, &mut []).unwrap();
    let y = run.env.bodies[0].pose.position.y;
    println!("the box is at {y:.4} m after 1 s, on the ground it would be at 0.06 m");
    assert!(y > 0.063, "{y}");
}

/// A stone on the ground under water lies still, and so does the water: the tank carries the weight of both.
#[test]
fn a_stone_lies_on_the_ground_under_water() {
    let keys = set(&[
        ("body.0.position", "[0.4,0.061]".into()),
        ("body.0.rotation.angle", "0".into()),
        ("body.0.density", "2000".into()),
        ("liquid.pressure.method", "iisph".into()),
    ]);
    let mut run = scene(AFLOAT, &keys).simulation;
    run.advance_to(1.5, &mut []).unwrap();
    struct Weight(DVec3, f64);
    impl Observer for Weight {
        fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
            self.0 += now.dt * now.simulation.env.bodies[1].force;
            self.1 += now.dt;
            Ok(Flow::Continue)
        }
    }
    let mut weight = Weight(DVec3::ZERO, 0.0);
    run.advance_to(2.5, &mut [&mut weight]).unwrap();
    let stone = &run.env.bodies[0];
    let mass = run.methods[0].total_mass() + stone.free().unwrap().inertia.mass;
    let ratio = -weight.0.y / weight.1 / (9.81 * mass);
    let v = vectors(&*run.methods[0], "velocity");
    let rms = (v.iter().map(|v| v.length_squared()).sum::<f64>() / v.len() as f64).sqrt();
    let y = stone.pose.position.y;
    println!("stone at {y:.5} m, weight {ratio:.4} of the true one, water moves with {rms:.4} m/s");
    assert!((y - 0.06).abs() < 0.0012, "{y}");
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    assert!(rms < 0.02, "{rms}");
}
