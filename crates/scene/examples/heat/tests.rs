//! What CONTRIBUTING asks of a method: a formula, the same bits on any number of threads and after resuming, and
//! messages that name the key.

use super::{SCENE, amplitude};
use crate::settings::Conductor;
use lawine_core::simulation::Simulation;
use lawine_scene::build::build;
use lawine_scene::file::{LoadedScene, SceneError, Source, explanation, load, scene_table};
use lawine_scene::matter::{self, RegisterError};
use std::f64::consts::TAU;
use std::sync::Once;

/// Tests share a process, and so the kinds of matter.
fn read(text: &str, set: &[&str]) -> Result<LoadedScene, SceneError> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| matter::register(&Conductor).unwrap());
    let source = Source::Text { name: "heat.toml".into(), text: text.into() };
    load(&source, &set.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>())
}

fn simulation(set: &[&str]) -> Simulation {
    build(&read(SCENE, set).unwrap()).unwrap().simulation
}

#[test]
fn a_cosine_decays_as_it_should_and_heat_is_kept() {
    let mut bar = simulation(&[]);
    let heat = |bar: &Simulation| bar.methods[0].accounts(&bar.env)[0].value;
    let before = heat(&bar);
    bar.advance_to(100.0, &mut []).unwrap();
    // The whole decay within 2 % of its exponent.
    let exponent = (amplitude(&bar).unwrap() / 10.0).ln();
    let exact = -1e-4 * TAU * TAU * 100.0;
    assert!((exponent / exact - 1.0).abs() < 0.02, "{exponent} instead of {exact}");
    let exact = 10.0 * exact.exp();
    let found = amplitude(&bar).unwrap();
    assert!((found / exact - 1.0).abs() < 0.02, "{found} K instead of {exact} K");
    assert!((heat(&bar) / before - 1.0).abs() < 1e-12);
}

#[test]
fn bodies_hold_their_temperature() {
    let wall = "[[body]]\nname = 'wall'\nshape.box = { min = [0.4, -1], max = [0.6, 2] }\n";
    let text = SCENE.replace("[output]", &format!("{wall}[output]"));
    let text =
        text.replace("max = [1, 0.2] }\n\n[[body]]", "max = [1, 0.2] }\ncarve = true\n[[body]]");
    let set = ["heat.bodies=400", "heat.diffusivity=1e-2", "end=1000"];
    let mut bar = build(&read(&text, &set).unwrap()).unwrap().simulation;
    let heat = |bar: &Simulation| bar.methods[0].accounts(&bar.env);
    let before = heat(&bar)[0].value;
    bar.advance_to(1000.0, &mut []).unwrap();
    let [now, from_bodies] = &heat(&bar)[..] else { panic!("two accounts") };
    assert!(((now.value - before) / from_bodies.value - 1.0).abs() < 1e-9);
    let matters = lawine_scene::select::MatterFields::of(&bar);
    let all = lawine_scene::select::select(&matters, "temperature").unwrap();
    assert!(all[0].unwrap().iter().all(|t| (t - 400.0).abs() < 1.0));
}

#[test]
fn the_bits_do_not_depend_on_threads_or_interruptions() {
    let hash = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut bar = simulation(&[]);
            bar.advance_to(40.0, &mut []).unwrap();
            let mut state = Vec::new();
            bar.save(&mut state).unwrap();
            bar.advance_to(80.0, &mut []).unwrap();
            let mut again = simulation(&[]);
            again.load(&mut &state[..]).unwrap();
            again.advance_to(80.0, &mut []).unwrap();
            assert_eq!(bar.state_hash(), again.state_hash());
            bar.state_hash()
        })
    };
    assert_eq!(hash(1), hash(2));
}

#[test]
fn messages_reference_and_schema_know_it() {
    let refused = |set: &str, expected: &str| {
        let built = read(SCENE, &[set]).and_then(|loaded| build(&loaded));
        let message = built.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains(expected), "expected: {expected}\nmessage:  {message}");
    };
    refused(
        "heat.difusivity=1",
        "heat.difusivity is not a key here (did you mean heat.diffusivity?)",
    );
    refused("heat.diffusivity=-1", "heat.diffusivity = -1 is not allowed; allowed: above 0 m²/s");
    refused("heat.spacing=\"a\"", "heat.spacing = \"a\" is not allowed");
    refused("heat.wave.amplitude=400", "at most heat.temperature = 300 K");
    refused("fill.0.of=honey", "fill.0.of = \"honey\" is not allowed; allowed: \"heat\"");
    refused("time.step=50", "limited by conduction of heat");
    let schema = lawine_settings::schema(scene_table(), "scenes");
    assert!(schema.contains("\"heat\": {") && schema.contains("\"heat_capacity\": {"));
    assert!(explanation("heat.diffusivity").unwrap().contains("0.0001"));
}

#[test]
fn it_is_written_and_read_again_and_knows_what_may_change() {
    let scene = read(SCENE, &[]).unwrap().scene;
    let again = read(&scene.to_toml(), &[]).unwrap().scene;
    assert_eq!(scene, again);
    assert!(!scene.to_toml().contains("[liquid"));
    let value = scene.to_value();
    let is_fixed = |key: &str| scene_table().leaves(&value).iter().any(|l| l.key == key && l.fixed);
    assert!(is_fixed("heat.spacing") && is_fixed("heat.wave.length"));
    assert!(!is_fixed("heat.diffusivity"));
    assert_eq!(matter::register(&Conductor), Err(RegisterError::TooLate("heat")));
}
