//! Any text is a scene that can be built or an error; what was built makes a step or says why not.
#![no_main]

use lawine_scene::build::build;
use lawine_scene::file::{Counts, Source, load};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::Text { name: "scene".to_owned(), text: text.to_owned() };
    let Ok(loaded) = load(&source, &[]) else { return };
    let counts = Counts::of(&loaded.scene);
    let is_large = counts.particles() > 2e3
        || counts.boundary() > 2e4
        || counts.total_of("pairs of particles") > 1e5
        || counts.total_of("pairs of corners") > 1e5;
    if is_large {
        return;
    }
    match build(&loaded) {
        Ok(built) => {
            let simulation = built.simulation;
            let mut env = simulation.env.clone();
            for mut method in simulation.methods {
                let limit = method.dt_limit(&env).dt;
                if limit > 0.0 && limit.is_finite() {
                    let _ = method.step(&mut env, limit);
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
