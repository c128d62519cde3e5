//! Free bodies and grains touch: momentum, restitution, friction, rest, and what keeps runs exact.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use glam::DVec3;
use lawine_core::FieldValues;
use lawine_core::method::Method;
use lawine_core::simulation::{Flow, Moment, Observer, Simulation};
use lawine_scene::build::{Built, build};
use lawine_scene::file::{Source, load};
use lawine_solvers::dem::Grains;
use std::any::Any;
use std::io;

fn source(text: &str) -> Source {
    Source::Text { name: "meeting".into(), text: text.into() }
}

fn scene(text: &str, set: &[String]) -> Built {
    build(&load(&source(text), set).unwrap_or_else(|e| panic!("{e}")))
        .unwrap_or_else(|e| panic!("{e}"))
}

fn vectors<'a>(method: &'a dyn Method, name: &str) -> &'a [DVec3] {
    match method.field(name).unwrap().values {
        FieldValues::Vec3(values) => values,
        _ => panic!("{name} is a vector"),
    }
}

// Row 47: momentum of grains and free bodies, with and without a drop of liquid.

const IN_FREE_SPACE: &str = "
title = 'Grains hit two bodies'
end = 1
seed = 3
[space]
dimension = 3
gravity = [0, 0, 0]
[grains]
density = 2000
[grains.contact]
stiffness = 3e5
friction = 0.5
[[block]]
shape.ellipsoid = { half_axes = [0.011, 0.009, 0.008], vertices = 14 }
origin = [-0.05, -0.05, -0.05]
size = [0.1, 0.1, 0.1]
spacing = 0.025
velocity = [1, 0, 0]
[[body]]
name = 'ball'
shape.sphere = { center = [0.13, 0.02, 0.01], radius = 0.06 }
free = true
density = 200
spin = { axis = [0, 1, 0], rate = 5 }
[[body]]
name = 'brick'
shape.box = { min = [-0.22, -0.05, -0.06], max = [-0.08, 0.05, 0.02] }
rotation = { axis = [1, 1, 0], angle = 5 }
velocity = [1.6, 0, 0]
free = true
mass = 1.5
";

const WITH_A_DROP: &str = "
[liquid]
spacing = 0.02
viscosity = 1e-3
[[fill]]
of = 'liquid'
shape.box = { min = [0.2, -0.1, -0.1], max = [0.3, 0.1, 0.1] }
velocity = [-1, 0, 0]
";

/// Momentum and angular momentum of everything.
fn momenta(run: &Simulation) -> [DVec3; 2] {
    let mut sum = [DVec3::ZERO; 2];
    for method in &run.methods {
        if let Some(own) = method.momentum() {
            sum = [sum[0] + own.linear, sum[1] + own.angular];
            continue;
        }
        let (x, v) = (vectors(&**method, "position"), vectors(&**method, "velocity"));
        let m = method.total_mass() / x.len() as f64;
        for (x, v) in x.iter().zip(v) {
            sum = [sum[0] + m * *v, sum[1] + m * x.cross(*v)];
        }
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
fn grains_bodies_and_liquid_keep_their_momentum() {
    for text in [IN_FREE_SPACE.to_owned(), IN_FREE_SPACE.to_owned() + WITH_A_DROP] {
        let mut run = scene(&text, &[]).simulation;
        let (start, before) = (momenta(&run), run.env.bodies[0].velocity);
        run.advance_to(0.1, &mut []).unwrap();
        let end = momenta(&run);
        let m: f64 = run.methods.iter().map(|method| method.total_mass()).sum();
        let errors = [(end[0] - start[0]).length() / m, (end[1] - start[1]).length() / (0.1 * m)];
        println!(
            "{} matters: {:.1e} of the momentum, {:.1e} of the angular",
            run.methods.len(),
            errors[0],
            errors[1]
        );
        assert!(run.env.bodies[0].velocity.distance(before) > 0.1, "the ball was hit");
        assert!(errors[0] < 1e-9 && errors[1] < 1e-9, "{errors:?}");
    }
}

#[test]
fn resumed_runs_and_other_threads_give_the_same_bits() {
    for text in [IN_FREE_SPACE.to_owned(), IN_FREE_SPACE.to_owned() + WITH_A_DROP] {
        let mut whole = scene(&text, &[]).simulation;
        whole.advance_to(0.03, &mut []).unwrap();
        let mut saved = Vec::new();
        whole.save(&mut saved).unwrap();
        whole.advance_to(0.06, &mut []).unwrap();
        for threads in [2, 3] {
            let mut second = scene(&text, &[]).simulation;
            second.load(&mut &saved[..]).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| second.advance_to(0.06, &mut [])).unwrap();
            assert_eq!(whole.state_hash(), second.state_hash(), "{threads} threads");
        }
    }
}

// A body and a grain that meet head on.

const HEAD_ON: &str = "
title = 'A grain and a free box meet head on'
end = 1
[space]
dimension = 3
gravity = [0, 0, 0]
[grains]
[grains.contact]
law = 'v2'
stiffness = 1e6
restitution = 0.6
friction = 0
[[grain]]
shape.box = { size = [0.02, 0.02, 0.02] }
position = [0.011, 0, 0]
velocity = [-1, 0, 0]
[[body]]
name = 'box'
shape.box = { min = [-0.04, -0.02, -0.02], max = [0, 0.02, 0.02] }
free = true
density = 500
";

#[test]
fn a_grain_leaves_a_body_with_the_restitution_of_the_contact() {
    for (given, expected) in [(None, 0.6), (Some("body.0.restitution=0.9"), 0.9)] {
        let keys: Vec<String> = given.iter().map(|key| (*key).to_owned()).collect();
        let mut run = scene(HEAD_ON, &keys).simulation;
        run.advance_to(0.02, &mut []).unwrap();
        let grain = vectors(&*run.methods[0], "velocity")[0];
        let e = grain.x - run.env.bodies[0].velocity.x;
        println!("restitution {e:.4} where {expected} is asked for");
        assert!((e / expected - 1.0).abs() < 0.01, "{e}");
        // Under 1 % is the row of the validation; the body is moved by what the grain lost.
        let lost = 2650.0 * 8e-6 * (grain.x + 1.0);
        assert!((500.0 * 64e-6 * run.env.bodies[0].velocity.x / -lost - 1.0).abs() < 1e-9);
    }
}

// A box on a bed of grains.

const ON_A_BED: &str = "
title = 'A box falls on gravel'
end = 1
seed = 5
[space]
dimension = 3
gravity = [0, -9.81, 0]
[grains]
[grains.contact]
stiffness = 1e6
restitution = 0.3
[[block]]
shape.ellipsoid = { half_axes = [0.011, 0.010, 0.009], vertices = 14 }
origin = [0.005, 0.002, 0.005]
size = [0.1, 0.05, 0.1]
spacing = 0.025
[[body]]
name = 'box'
shape.box = { min = [-0.03, -0.02, -0.03], max = [0.03, 0.02, 0.03] }
position = [0.055, 0.085, 0.055]
rotation = { axis = [1, 0, 1], angle = 15 }
free = true
density = 800
[[body]]
name = 'tray'
shape.container = { min = [0, 0, 0], max = [0.11, 0.4, 0.11], open = ['+y'] }
";

/// Energy of grains, free bodies and contacts [J].
fn energy(run: &Simulation) -> f64 {
    let method = &*run.methods[0];
    let own = method.energy(&run.env);
    let elastic =
        method.accounts(&run.env).iter().find(|a| a.name == "elastic_energy").unwrap().value;
    let bodies: f64 =
        run.env.bodies.iter().map(|b| b.free_energy(run.env.gravity).iter().sum::<f64>()).sum();
    own.kinetic + own.potential + elastic + bodies
}

#[test]
fn a_box_comes_to_rest_on_gravel_and_energy_does_not_grow() {
    let mut run = scene(ON_A_BED, &[]).simulation;
    struct Watch {
        least: f64,
        grown: f64,
        /// Nearest a face of any grain is to its centre [m].
        within: f64,
        deepest: f64,
    }
    impl Observer for Watch {
        fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
            let run = now.simulation;
            let energy = energy(run);
            self.least = self.least.min(energy);
            self.grown = self.grown.max(energy - self.least);
            let x = vectors(&*run.methods[0], "position");
            let depth = |x: &DVec3| self.within - run.env.bodies[0].signed_distance(*x).distance;
            if run.time() > 0.5 {
                self.deepest = x.iter().map(depth).fold(self.deepest, f64::max);
            }
            Ok(Flow::Continue)
        }
    }
    let start = energy(&run);
    let grains = (&*run.methods[0] as &dyn Any).downcast_ref::<Grains>().unwrap();
    let faces = grains.shapes().iter().flat_map(|shape| shape.polyhedron.faces());
    let within = faces.map(|face| face.plane.offset).fold(f64::INFINITY, f64::min);
    let mut watch = Watch { least: start, grown: 0.0, within, deepest: 0.0 };
    let balance = |run: &Simulation| run.methods[0].energy_balance(&run.env).unwrap().total;
    let before = balance(&run);
    run.advance_to(0.7, &mut [&mut watch]).unwrap();
    let (body, lost) = (&run.env.bodies[0], start - energy(&run));
    let off = (balance(&run) - before) / lost;
    println!(
        "the box is at {:.4} m with {:.1e} m/s; {lost:.3} J lost, at most {:.1e} of it gained again; the balance of the \
         grains is off by {off:.1e} of that; at rest grains are at most {:.2e} m in the box",
        body.pose.position.y,
        body.velocity.length(),
        watch.grown / lost,
        watch.deepest
    );
    assert!(body.velocity.length() < 0.02, "{}", body.velocity);
    assert!(body.pose.position.y > 0.035, "it lies on the gravel");
    assert!(watch.deepest < 0.01 * 0.06, "no grain stays in the box");
    assert!(watch.grown < 0.01 * lost, "{} J of {lost}", watch.grown);
    assert!(off.abs() < 0.01, "{off}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |text: &str, keys: &[&str], words: &str| {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let error = match load(&source(text), &keys).map(|loaded| build(&loaded)) {
            Err(error) | Ok(Err(error)) => error.to_string(),
            Ok(Ok(_)) => panic!("{keys:?} is accepted"),
        };
        assert!(error.contains(words), "{keys:?}: {error}");
    };
    refused(ON_A_BED, &["grains.integrator=gear"], "\"symplectic\" in a scene with free bodies");
    refused(ON_A_BED, &["body.0.position=[0.055,0.03,0.055]"], "the body \"box\"");
    refused(ON_A_BED, &["body.0.position=[0.02,0.2,0.055]"], "overlaps the body \"tray\"");
    refused(ON_A_BED, &["body.1.free=true"], "a free body has a finite volume");
    refused(ON_A_BED, &["body.0.density=0"], "above 0");
}
