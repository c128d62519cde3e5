//! Any bytes are the state of a method or an error, whatever was changed in a state that is good. The first
//! byte chooses the method; three bytes each are a place and what to write there, and two that are left
//! over are where to cut. What was loaded can be saved and loaded again, and after all of it a good state still
//! can.
#![no_main]

use lawine_core::simulation::Simulation;
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;

const SCENES: [&str; 4] = [
    include_str!("../seeds/built/tank.toml"),
    include_str!("../seeds/built/drop.toml"),
    include_str!("../seeds/built/gravel.toml"),
    include_str!("../seeds/built/pour.toml"),
];

/// A scene, and the state of its first method.
fn start(text: &str) -> (Simulation, Vec<u8>) {
    let source = Source::Text { name: "scene".to_owned(), text: text.to_owned() };
    let built = build(&load(&source, &[]).expect("a scene")).expect("a scene that can be built");
    let mut state = Vec::new();
    built.simulation.methods[0].save(&mut state).expect("a vector takes any bytes");
    (built.simulation, state)
}

thread_local! {
    static STARTS: RefCell<Vec<(Simulation, Vec<u8>)>> = RefCell::new(SCENES.map(start).into());
}

/// A state with some bytes changed, and cut.
fn edited(good: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut state = good.to_vec();
    let mut edits = edits.chunks_exact(3);
    for edit in &mut edits {
        let place = usize::from(u16::from_le_bytes([edit[0], edit[1]]));
        state[place % good.len()] = edit[2];
    }
    if let [low, high] = edits.remainder() {
        state.truncate(usize::from(u16::from_le_bytes([*low, *high])));
    }
    state
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    STARTS.with_borrow_mut(|starts| {
        let (simulation, good) = &mut starts[usize::from(*first) % SCENES.len()];
        let method = &mut simulation.methods[0];
        let changed = edited(good, rest);
        for mut state in [rest, &changed] {
            if method.load(&mut state).is_ok() {
                let mut saved = Vec::new();
                method.save(&mut saved).expect("what was loaded can be saved");
                method.load(&mut &saved[..]).expect("what was saved can be loaded");
                let _ = method.dt_limit(&simulation.env);
            }
        }
        method.load(&mut &good[..]).expect("a good state can be loaded");
    });
});
