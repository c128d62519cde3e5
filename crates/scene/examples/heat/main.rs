//! Shows how to add a kind of matter from outside: heat conduction in three files, which follow "How to add a
//! method" in CONTRIBUTING.md. `settings.rs` has its table in scene files and what the program asks of every
//! kind of matter, `method.rs` the particles and their step, and this one registers it. Loader, messages,
//! reference, checkpoints and the rest of the house follow.
//!
//! `cargo run --release -p lawine-scene --example heat`
#![allow(clippy::print_stdout, reason = "an example shows what comes out")]

mod method;
mod settings;
#[cfg(test)]
mod tests;

use lawine_core::simulation::Simulation;
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use lawine_scene::{matter, select};
use std::error::Error;
use std::f64::consts::{E, TAU};

const SCENE: &str = include_str!("heat.toml");

fn main() -> Result<(), Box<dyn Error>> {
    matter::register(&settings::Conductor)?;
    let source = Source::Text { name: "heat.toml".into(), text: SCENE.into() };
    let loaded = load(&source, &[])?;
    let mut simulation = build(&loaded)?.simulation;
    println!("time [s]  amplitude [K]  10 exp(-α k² t) [K]");
    for time in [0.0, 25.0, 50.0, 75.0, 100.0] {
        simulation.advance_to(time, &mut [])?;
        let exact = 10.0 * E.powf(-1e-4 * TAU * TAU * time);
        println!("{time:8}  {:13.4}  {exact:19.4}", amplitude(&simulation)?);
    }
    Ok(())
}

/// Amplitude of the cosine along x with a wave length of one metre [K].
fn amplitude(simulation: &Simulation) -> Result<f64, String> {
    let matters = select::MatterFields::of(simulation);
    let [temperature, x] = ["heat.temperature", "heat.position.x"].map(|name| {
        let found = select::select(&matters, name)?.into_iter().flatten().next();
        found.ok_or_else(|| format!("no {name}"))
    });
    let (temperature, x) = (temperature?, x?);
    let waves = temperature.iter().zip(x.iter()).map(|(t, x)| t * (TAU * x).cos());
    Ok(2.0 * waves.sum::<f64>() / simulation.particle_count() as f64)
}
