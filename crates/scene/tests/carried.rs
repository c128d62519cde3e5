//! Bodies that snow pushes and carries, also together with a liquid: row 47 of the validation, weight, impacts, and what
//! keeps runs exact.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use glam::DVec3;
use lawine_core::FieldValues;
use lawine_core::method::Method;
use lawine_core::simulation::{Flow, Moment, Observer, Simulation};
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use lawine_solvers::mpm::Matter;
use std::any::Any;
use std::io;

fn scene(text: &str, set: &[String]) -> Simulation {
    let source = Source::Text { name: "carried".into(), text: text.into() };
    let loaded = load(&source, set).unwrap_or_else(|e| panic!("{e}"));
    build(&loaded).unwrap_or_else(|e| panic!("{e}")).simulation
}

fn snow(run: &Simulation) -> &Matter {
    let method: &dyn Any = &**run.methods.iter().find(|method| method.matter() == "snow").unwrap();
    method.downcast_ref().unwrap()
}

/// Mean forces on all bodies [N] over the steps.
#[derive(Default)]
struct Forces {
    impulses: Vec<DVec3>,
    time: f64,
}

impl Forces {
    fn on(&self, body: usize) -> DVec3 {
        self.impulses[body] / self.time
    }
}

impl Observer for Forces {
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        let bodies = &now.simulation.env.bodies;
        self.impulses.resize(bodies.len(), DVec3::ZERO);
        for (sum, body) in self.impulses.iter_mut().zip(bodies) {
            *sum += now.dt * body.force;
        }
        self.time += now.dt;
        Ok(Flow::Continue)
    }
}

// Row 47: momentum. A snowball hits a brick and a ball in free fall.

const IN_FREE_SPACE: &str = "
title = 'A snowball and two bodies'
end = 1
[space]
dimension = 3
gravity = [0, 0, 0]
[snow]
cell = 0.02
damping = 0
[[snow.material]]
name = 'snow'
snow = { kind = 'dry', density = 300 }
[[fill]]
shape.sphere = { center = [0, 0, 0], radius = 0.1 }
velocity = [4, 0, 0]
[[body]]
name = 'ball'
shape.sphere = { center = [0.18, 0.03, 0.01], radius = 0.06 }
free = true
density = 20
spin = { axis = [0, 1, 0], rate = 5 }
[[body]]
name = 'brick'
shape.box = { min = [-0.30, -0.07, -0.08], max = [-0.14, 0.05, 0.02] }
rotation = { axis = [1, 1, 0], angle = 5 }
velocity = [6, 0, 0]
free = true
density = 900
";

/// Momentum and angular momentum of snow and free bodies.
fn momenta(run: &Simulation) -> [DVec3; 2] {
    let (_, linear, angular) = snow(run).totals();
    let mut sum = [linear, angular];
    for body in &run.env.bodies {
        let free = body.free().unwrap();
        let p = free.inertia.mass * body.velocity;
        sum[0] += p;
        sum[1] += body.pose.position.cross(p) + free.angular_momentum();
    }
    sum
}

#[test]
fn snow_and_bodies_keep_their_momentum() {
    for transfer in ["apic", "flip"] {
        let mut run = scene(IN_FREE_SPACE, &[format!("snow.transfer={transfer}")]);
        let start = momenta(&run);
        let before = [0, 1].map(|k: usize| run.env.bodies[k].velocity);
        run.advance_to(0.1, &mut []).unwrap();
        let end = momenta(&run);
        let m = snow(&run).totals().0;
        // The size of the sums: all of the mass at 4 m/s, and 0.1 m away.
        let errors =
            [(end[0] - start[0]).length() / (4.0 * m), (end[1] - start[1]).length() / (0.4 * m)];
        println!("{transfer}: momentum {:.1e}, angular {:.1e}", errors[0], errors[1]);
        for (body, before) in run.env.bodies.iter().zip(before) {
            assert!(body.velocity.distance(before) > 0.1, "the {} was hit", body.name);
        }
        assert!(errors[0] < 1e-9, "{transfer}: {errors:?}");
        // Velocity gradients are in single precision.
        assert!(transfer == "flip" || errors[1] < 1e-6, "{transfer}: {errors:?}");
    }
}

// A block of snow hits a free plate: they go on as one, however light the plate is. A plate that is lighter than a layer of
// particles (4 kg/m²) is a mass in front of their springs, which can throw it at most with twice their speed; a
// heavier one gets what two bodies have that stay together.

const HIT: &str = "
title = 'Snow hits a plate'
end = 1
[space]
dimension = 2
gravity = [0, 0]
[snow]
cell = 0.02
damping = 0
friction = 0.3
[[snow.material]]
name = 'snow'
snow = { kind = 'dry', density = 400 }
[[fill]]
shape.box = { min = [-0.4, -0.2], max = [0, 0.2] }
velocity = [1, 0]
[[body]]
name = 'plate'
shape.box = { min = [0.01, -0.2], max = [0.07, 0.2] }
rotation = { angle = 3 }
free = true
density = 4
";

#[test]
fn snow_pushes_a_plate_as_fast_as_it_is_itself() {
    for density in [1.0, 4.0, 40.0, 400.0] {
        let mut run = scene(HIT, &[format!("body.0.density={density}")]);
        let mut fastest = 0.0_f64;
        let mut speed = DVec3::ZERO;
        for k in 1..=40 {
            run.advance_to(0.005 * f64::from(k), &mut []).unwrap();
            speed = run.env.bodies[0].velocity;
            fastest = fastest.max(speed.length());
        }
        let (mass, momentum, _) = snow(&run).totals();
        let plate = run.env.bodies[0].free().unwrap().inertia.mass;
        let together = mass / (mass + plate);
        println!(
            "plate of {density} kg/m³: {speed:.3} m/s, at most {fastest:.3}; together {together:.3}; snow {:.3} m/s",
            momentum.x / mass
        );
        let most = if 0.06 * density < 4.0 { 2.0 } else { 1.1 };
        assert!(speed.x > 0.97 * together && fastest < most, "{density} kg/m³: {speed}");
        assert!(run.env.bodies[0].angular_velocity.z.abs() < 2.0);
    }
}

// A block lies on snow between two walls.

const ON_SNOW: &str = "
title = 'A block on snow'
end = 2
[space]
dimension = 2
gravity = [0, -9.81]
[snow]
cell = 0.02
damping = 20
[[snow.material]]
name = 'snow'
snow = { kind = 'dry', density = 400 }
[[fill]]
shape.box = { min = [-0.4, 0], max = [0.4, 0.2] }
[[body]]
name = 'block'
shape.box = { min = [-0.1, 0.2], max = [0.1, 0.3] }
free = true
density = 300
[[body]]
name = 'box'
shape.container = { min = [-0.4, 0], max = [0.4, 0.6], open = ['+y'] }
friction = 0
";

#[test]
fn snow_carries_the_weight_of_a_block() {
    // From a piece of foam to a stone.
    for density in [4.0, 40.0, 300.0, 2000.0] {
        let mut run = scene(ON_SNOW, &[format!("body.0.density={density}")]);
        run.advance_to(1.5, &mut []).unwrap();
        let mut forces = Forces::default();
        run.advance_to(2.0, &mut [&mut forces]).unwrap();
        let block = &run.env.bodies[0];
        let weight = 9.81 * block.free().unwrap().inertia.mass;
        let all = weight + 9.81 * snow(&run).totals().0;
        let ratios = [forces.on(0).y / weight, -forces.on(1).y / all];
        println!(
            "{density} kg/m³: {:.4} of its weight, {:.4} of all on the ground; it lies at {:.4} m and moves with {:.1e} m/s",
            ratios[0],
            ratios[1],
            block.pose.position.y - 0.05,
            block.velocity.length()
        );
        assert!((ratios[0] - 1.0).abs() < 0.02 && (ratios[1] - 1.0).abs() < 0.02, "{density}");
        assert!(block.velocity.length() < 0.01 && block.angular_velocity.z.abs() < 0.1);
        assert!(block.pose.position.y > 0.22, "it sinks in: {}", block.pose.position);
    }
}

// A boulder in an avalanche, on a slope of 35°.

const AVALANCHE: &str = "
title = 'A boulder in an avalanche'
end = 1
[space]
dimension = 2
gravity = [5.627, -8.036]
[snow]
cell = 0.04
[[snow.material]]
name = 'snow'
snow = { kind = 'powder', density = 300 }
[[fill]]
shape.box = { min = [0, 0], max = [1.6, 0.4] }
[[body]]
name = 'slope'
shape.plane = { point = [0, 0], normal = [0, 1] }
friction = 0.2
[[body]]
name = 'boulder'
shape.box = { min = [1.8, 0.0001], max = [2.1, 0.3001] }
free = true
density = 500
friction = 0.8
[[body]]
name = 'log'
shape.sphere = { center = [1.0, 0.6], radius = 0.15 }
free = true
density = 200
";

/// A boulder that would stay (μ = 0.8 > tan 35°, with the mean of its friction and the slope's: 0.4) slides slower
/// than the snow behind it, which takes it along.
#[test]
fn an_avalanche_carries_bodies() {
    let mut run = scene(AVALANCHE, &["body.0.friction=0.8".to_owned()]);
    run.advance_to(0.1, &mut []).unwrap();
    let rests = run.env.bodies[1].velocity.length();
    let mut run = scene(AVALANCHE, &[]);
    run.advance_to(1.0, &mut []).unwrap();
    let (mass, momentum, _) = snow(&run).totals();
    let [boulder, log] = [1, 2].map(|k| run.env.bodies[k].velocity.x / (momentum.x / mass));
    println!(
        "on rough ground {rests:.1e} m/s; carried with {boulder:.2} and {log:.2} of the snow's speed"
    );
    assert!(rests < 0.01);
    assert!((0.7..1.5).contains(&boulder) && (0.7..1.5).contains(&log));
}

// Liquid and snow share steps, and meet at bodies: snow lies on a raft.

const RAFT: &str = "
title = 'Snow on a raft'
end = 4
[space]
dimension = 2
gravity = [0, -9.81]
[liquid]
spacing = 0.01
viscosity = 2e-3
kernel = 'wendland-c2'
[liquid.pressure]
method = 'iisph'
[snow]
cell = 0.01
damping = 2
[[snow.material]]
name = 'snow'
snow = { kind = 'dry', density = 200 }
[[body]]
name = 'raft'
shape.box = { min = [0.18, 0.19], max = [0.42, 0.29] }
free = true
density = 500
friction = 0.8
[[body]]
name = 'tank'
shape.container = { min = [0, 0], max = [0.6, 0.6] }
[[fill]]
of = 'liquid'
shape.box = { min = [0, 0], max = [0.6, 0.24] }
carve = true
[[fill]]
of = 'snow'
shape.box = { min = [0.2, 0.29], max = [0.4, 0.34] }
";

/// The longest step, and the names of all limits.
#[derive(Default)]
struct Limits(f64, Vec<&'static str>);

impl Observer for Limits {
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        self.0 = self.0.max(now.dt);
        if !self.1.contains(&now.limit) {
            self.1.push(now.limit);
        }
        Ok(Flow::Continue)
    }
}

/// The draught is that of raft and snow together (14 kg/m; the snow is a seventh of it) within 2 % of the raft's height,
/// and the steps are those of the liquid.
#[test]
fn a_raft_floats_at_its_density_with_snow_on_it() {
    let mut run = scene(RAFT, &[]);
    let of = |run: &Simulation, matter: &str| {
        run.methods.iter().find(|m| m.matter() == matter).unwrap().total_mass()
    };
    let [water, load] = ["liquid", "snow"].map(|matter| of(&run, matter));
    let mut limits = Limits::default();
    run.advance_to(2.5, &mut [&mut limits]).unwrap();
    let (mut sum, mut forces) = (0.0, Forces::default());
    for k in 1..=50 {
        run.advance_to(2.5 + 0.02 * f64::from(k), &mut [&mut forces]).unwrap();
        sum += run.env.bodies[0].pose.position.y - 0.05;
    }
    let raft = run.env.bodies[0].free().unwrap().inertia.mass;
    // Level and draught from the volumes.
    let displaced = (raft + load) / 1000.0;
    let (level, draught) = ((water / 1000.0 + displaced) / 0.6, displaced / 0.24);
    let found = level - sum / 50.0;
    let own = snow(&run).dt_limit(&run.env).dt;
    println!(
        "draught {found:.4} m, {draught:.4} m by Archimedes; steps of up to {:.1e} s, of snow alone {own:.1e} s; {:?}",
        limits.0, limits.1
    );
    assert!((found - draught).abs() < 0.002);
    assert!((forces.on(0).y / (9.81 * raft) - 1.0).abs() < 0.02, "it floats at rest");
    assert!(limits.0 > 5.0 * own && limits.1.iter().any(|name| name.starts_with("liquid: ")));
}

const BETWEEN: &str = "
title = 'A brick between water and snow'
end = 1
[space]
dimension = 3
gravity = [0, 0, 0]
[liquid]
spacing = 0.02
[snow]
cell = 0.02
damping = 0
[[snow.material]]
name = 'snow'
snow = { kind = 'dry', density = 300 }
[[fill]]
of = 'liquid'
shape.box = { min = [-0.2, -0.1, -0.1], max = [-0.04, 0.1, 0.1] }
velocity = [1, 0, 0]
[[fill]]
of = 'snow'
shape.box = { min = [0.045, -0.06, -0.08], max = [0.2, 0.1, 0.06] }
velocity = [-2, 0, 0]
[[body]]
name = 'brick'
shape.box = { min = [-0.03, -0.1, -0.1], max = [0.04, 0.1, 0.1] }
free = true
density = 100
";

#[test]
fn liquid_snow_and_bodies_keep_their_momentum() {
    for method in ["eos", "iisph", "dfsph"] {
        let mut run = scene(BETWEEN, &[format!("liquid.pressure.method={method}")]);
        let m = run.methods.iter().map(|m| m.total_mass()).sum::<f64>();
        let all = |run: &Simulation| {
            let liquid = run.methods.iter().find(|m| m.matter() == "liquid").unwrap();
            let FieldValues::Vec3(v) = liquid.field("velocity").unwrap().values else { panic!() };
            let one = liquid.total_mass() / v.len() as f64;
            v.iter().fold(momenta(run)[0], |sum, v| sum + one * *v)
        };
        let start = all(&run);
        let mut limits = Limits::default();
        run.advance_to(0.1, &mut [&mut limits]).unwrap();
        let (error, speed) = ((all(&run) - start).length() / m, run.env.bodies[0].velocity);
        println!("{method}: momentum {error:.1e}; brick {speed:.3} m/s; {:?}", limits.1);
        assert!(error < 1e-9 && speed.length() > 0.1 && speed.length() < 2.0);
    }
}

#[test]
fn runs_are_the_same_on_any_number_of_threads_and_when_resumed() {
    for text in [IN_FREE_SPACE, AVALANCHE, RAFT] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut run = scene(text, &[]);
                run.advance_to(0.02, &mut []).unwrap();
                let mut saved = Vec::new();
                run.save(&mut saved).unwrap();
                run.advance_to(0.05, &mut []).unwrap();
                let straight = run.state_hash();
                let mut again = scene(text, &[]);
                again.load(&mut &saved[..]).unwrap();
                again.advance_to(0.05, &mut []).unwrap();
                assert_eq!(again.state_hash(), straight, "resumed");
                straight
            })
        };
        let one = on(1);
        assert!([2, 3].into_iter().all(|threads| on(threads) == one));
    }
}

#[test]
fn free_bodies_need_the_explicit_step() {
    let source = Source::Text { name: "carried".into(), text: AVALANCHE.into() };
    let error = load(&source, &["snow.integrator=semi-implicit".to_owned()]).unwrap_err();
    let message = error.to_string();
    for part in ["snow.integrator", "semi-implicit", "\"explicit\" in a scene with free bodies"] {
        assert!(message.contains(part), "{message}");
    }
}
