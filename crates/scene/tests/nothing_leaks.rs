//! Walls hold: in the built-in scenes with closed walls every particle stays where liquid may be,
//! with every pressure method. Coarser and shorter than the scenes are.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use lawine_core::FieldValues;
use lawine_core::simulation::Simulation;
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};

/// Scene, spacing [m] and end [s].
const SCENES: &[(&str, f64, f64)] = &[
    ("dam-break", 0.02, 2.0),
    ("dam-break-3d", 0.1, 2.0),
    ("leaking-dam", 0.03, 1.5),
    ("platform", 0.04, 2.0),
    ("inclined-plane", 0.04, 2.0),
    ("dam-obstacle", 0.05, 1.5),
    ("sloshing", 0.04, 3.0),
    ("drop", 0.025, 1.0),
    ("drum-liquid", 0.04, 3.0),
    ("meiers-box", 0.04, 2.0),
    ("meiers-bowl", 0.04, 2.0),
    ("meiers-barriers", 0.04, 2.0),
    ("meiers-funnel", 0.04, 2.0),
    ("hunkler-dam", 8.0, 20.0),
    ("hunkler-leak", 4.0, 1.0),
    ("hunkler-platform", 8.0, 20.0),
    ("hunkler-incline", 8.0, 20.0),
    ("hunkler-resting", 8.0, 5.0),
];

#[test]
fn with_an_equation_of_state() {
    all_stay("eos", SCENES);
}

#[test]
fn with_iisph() {
    all_stay("iisph", SCENES);
}

#[test]
fn with_dfsph() {
    all_stay("dfsph", SCENES);
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test nothing_leaks -- --ignored --nocapture"]
fn for_twenty_seconds() {
    // The units of Hunkler's scenes are not seconds: they run as long as they do.
    let long = |&(name, spacing, end): &(&'static str, f64, f64)| {
        // In space as coarse as the walls allow, for the sake of time.
        let spacing = if name == "dam-obstacle" { 0.08 } else { spacing };
        (name, spacing, if name.starts_with("hunkler") { end } else { 20.0 })
    };
    let scenes: Vec<_> = SCENES.iter().map(long).collect();
    for method in ["eos", "iisph", "dfsph"] {
        all_stay(method, &scenes);
    }
}

fn all_stay(method: &str, scenes: &[(&str, f64, f64)]) {
    for &(name, spacing, end) in scenes {
        let set = [format!("liquid.spacing={spacing}"), format!("pressure.method={method}")];
        let loaded = load(&Source::BuiltIn(name.into()), &set).unwrap();
        let mut run = build(&loaded).unwrap().simulation;
        let before = run.particle_count();
        let mut least = f64::INFINITY;
        for k in 1..=10 {
            run.advance_to(0.1 * f64::from(k) * end, &mut [])
                .unwrap_or_else(|e| panic!("{name}, {method}: {e}"));
            least = least.min(depth(&run) / spacing);
        }
        println!("{name}, {method}: {before} particles, {least:.2} spacings to the nearest wall");
        assert_eq!(run.particle_count(), before, "{name}, {method}");
        // The wall is where the boundary particles begin, half a spacing under its surface.
        assert!(least > -0.5, "{name}, {method}: {least} spacings inside a wall");
    }
}

/// The smallest distance of a particle to a body [m]; negative inside.
fn depth(run: &Simulation) -> f64 {
    let fields = run.methods[0].fields();
    let position = fields.iter().find(|f| f.name == "position").unwrap();
    let FieldValues::Vec3(x) = position.values else { panic!("positions are vectors") };
    let distances =
        run.env.bodies.iter().flat_map(|body| x.iter().map(|&x| body.signed_distance(x).distance));
    distances.fold(f64::INFINITY, f64::min)
}
