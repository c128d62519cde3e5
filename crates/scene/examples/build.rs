//! Shows how to load a scene with settings of one's own, build it and let it run:
//! `cargo run --release -p lawine-scene --example build -- dam-break liquid.spacing=0.04`
#![allow(clippy::print_stdout, reason = "an example that prints")]

use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use lawine_scene::select::{MatterFields, select};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let scene = arguments.next().unwrap_or_else(|| "dam-break".to_owned());
    let mut settings: Vec<String> = arguments.collect();
    if settings.is_empty() {
        settings.push("liquid.spacing=0.04".to_owned());
    }
    let loaded = load(&Source::from_argument(&scene)?, &settings)?;
    let mut built = build(&loaded)?;
    for warning in &built.warnings {
        println!("warning: {warning}");
    }
    let simulation = &mut built.simulation;
    println!("{}: {} particles", built.scene.title, simulation.particle_count());
    for tenth in 1..=3 {
        simulation.advance_to(built.scene.start + 0.1 * f64::from(tenth), &mut [])?;
        let matters = MatterFields::of(simulation);
        for (matter, speed) in matters.iter().zip(select(&matters, "speed")?) {
            let fastest = speed.iter().flat_map(|speed| speed.iter()).fold(0.0, f64::max);
            println!("{:.1} s: {} up to {fastest:.2} m/s", simulation.time(), matter.kind.key());
        }
    }
    Ok(())
}
