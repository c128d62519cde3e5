//! Shows how to describe settings once: type, default, range, unit and help stand on the field of a struct, and reader,
//! messages and reference come from there. `cargo run -p lawine-settings --example describe`
#![allow(clippy::print_stdout, reason = "an example that prints")]

use lawine_settings::{Settings, Value, Word, read};

/// How neighbours are found.
#[derive(Clone, Copy, Debug, PartialEq, Word)]
enum Search {
    /// A uniform grid.
    Grid,
    /// Every pair is looked at.
    BruteForce,
}

/// A liquid.
#[derive(Debug, PartialEq, Settings)]
struct Liquid {
    /// Distance between particles at rest [m].
    #[setting(above = 0)]
    spacing: f64,
    /// Rest density [kg/m³].
    #[setting(default = 1000.0, above = 0)]
    rest_density: f64,
    /// How neighbours are found.
    #[setting(default = Search::Grid)]
    search: Search,
}

fn main() {
    println!("What can be set:");
    for setting in Liquid::TABLE.iter() {
        println!("  {:14} {} ({})", setting.name, setting.help, setting.allowed());
    }
    let good = Value::table([("spacing", 0.01.into()), ("search", "brute-force".into())]);
    println!("{:?}", read::<Liquid>(&good, &[]));
    let bad = Value::table([("spacing", 0.0.into()), ("serach", "grid".into())]);
    println!("All problems of a file at once:");
    for problem in read::<Liquid>(&bad, &[]).unwrap_err() {
        println!("  {}", problem.message);
    }
}
