//! Whatever is done to a built-in scene, checking it ends soon, with little memory and without a panic.
//!
//! `LAWINE_MUTATIONS` is the number of changed scenes, `LAWINE_MUTATION_SEED` that of the first one.

#[path = "mutations/memory.rs"]
mod memory;
#[path = "mutations/mutate.rs"]
mod mutate;

use cpu_time::ProcessTime;
use lawine_core::geometry::Random;
use lawine_record::run::check;
use lawine_scene::build::build;
use lawine_scene::builtin;
use lawine_scene::file::{Counts, SceneFile, Source, load};
use memory::measured;
use mutate::mutate;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Changed scenes in CI, and the seed of the first.
const CASES: u64 = 2500;
const FIRST: u64 = 1;

/// What a check may take.
const LONGEST: Duration = Duration::from_secs(5);
const MOST_MEMORY: usize = 2 << 30;

/// How a check ended.
#[derive(Debug, PartialEq)]
enum Ending {
    Fine,
    Refused,
    /// Allowed, and so large that it takes its time: only the file is checked.
    Large,
}

/// Does what `lawine check` does.
fn run_check(text: &str) -> Ending {
    let source = Source::Text { name: "mutated".into(), text: text.into() };
    let Ok(loaded) = load(&source, &[]) else { return Ending::Refused };
    if is_large(&loaded.scene) {
        return Ending::Large;
    }
    let Ok(built) = build(&loaded) else { return Ending::Refused };
    if check(&loaded, &built).is_err() {
        return Ending::Refused;
    }
    let simulation = &built.simulation;
    let _ = simulation.methods[0].dt_limit(&simulation.env);
    Ending::Fine
}

/// Whether a scene is larger than what fits the limits of this test for sure.
fn is_large(scene: &SceneFile) -> bool {
    let counts = Counts::of(scene);
    counts.particles() > 2e5
        || counts.boundary() > 4e5
        || counts.total_of("pairs of particles") > 4e6
        || counts.total_of("pairs of corners") > 2e7
}

/// The built-in scenes, with particles as few as they work with: what is checked does not depend on it.
fn scenes() -> Vec<(&'static str, String)> {
    let coarsest = |name| {
        let text = builtin::get(name).expect("a built-in scene");
        [6.0, 4.0, 3.0, 2.0]
            .iter()
            .filter_map(|&factor| coarse(text, factor))
            .find(|text| run_check(text) == Ending::Fine)
            .unwrap_or_else(|| text.to_owned())
    };
    builtin::names().map(|name| (name, coarsest(name))).collect()
}

/// A scene with a larger spacing or cell; none if it has neither.
fn coarse(text: &str, factor: f64) -> Option<String> {
    let mut document: toml_edit::DocumentMut = text.parse().ok()?;
    let mut found = false;
    for (table, key) in [("liquid", "spacing"), ("liquid", "support"), ("snow", "cell")] {
        if let Some(item) = document.get_mut(table).and_then(|table| table.get_mut(key)) {
            let number = item.as_float().or(item.as_integer().map(|n| n as f64))?;
            *item = toml_edit::value(factor * number);
            found = true;
        }
    }
    found.then(|| document.to_string())
}

/// What is wrong with the check of a scene, if anything is, and how long it took.
fn problem(text: &str) -> (Result<Ending, String>, Duration) {
    let (start, processor) = (Instant::now(), ProcessTime::now());
    let (answer, memory) = measured(|| catch_unwind(AssertUnwindSafe(|| run_check(text))));
    // Where others keep the machine busy, the time of the processor is less.
    let time = start.elapsed().min(processor.elapsed());
    let answer = match answer {
        Err(_) => Err("it panics".to_owned()),
        Ok(_) if memory > MOST_MEMORY => Err(format!("it takes {:.2} GB", memory as f64 / 1e9)),
        Ok(ending) => Ok(ending),
    };
    (answer, time)
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
#[expect(clippy::print_stdout, reason = "a long run tells how far it is")]
fn changed_scenes_neither_panic_nor_hang_nor_eat_memory() {
    let (cases, first) =
        (setting("LAWINE_MUTATIONS", CASES), setting("LAWINE_MUTATION_SEED", FIRST));
    let scenes = scenes();
    let [mut fine, mut large] = [0_u64; 2];
    let mut slowest = (Duration::ZERO, String::new());
    let mut problems = Vec::new();
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let (name, text) = &scenes[random.below(scenes.len())];
        let text = mutate(text, &mut random);
        let case = format!("seed {seed}, {name}:\n{}", changes(name, &text));
        let watch = watch(case.clone());
        let (mut answer, time) = problem(&text);
        drop(watch);
        if time > LONGEST {
            answer = Err(format!("it takes {:.1} s", time.as_secs_f64()));
        }
        if time > slowest.0 {
            slowest = (time, case.clone());
        }
        match answer {
            Ok(ending) => {
                fine += u64::from(ending == Ending::Fine);
                large += u64::from(ending == Ending::Large);
            }
            Err(problem) => {
                println!("{problem}: {case}");
                problems.push(format!("{problem}: {case}"));
            }
        }
        if (seed - first + 1).is_multiple_of(5000) {
            println!("{} scenes: {fine} fine, {large} large", seed - first + 1);
        }
    }
    println!("{cases} scenes: {fine} fine, {large} large; slowest, {:?}: {}", slowest.0, slowest.1);
    assert!(problems.is_empty(), "{} scenes:\n{}", problems.len(), problems.join("\n\n"));
    // Of a few scenes, all may be so.
    if cases >= 1000 {
        assert!(20 * large < cases, "{large} scenes were too large to build");
        assert!(fine > cases / 20, "only {fine} scenes were fine: the changes are too wild");
    }
}

/// The lines of a changed scene that are not in the built-in one.
fn changes(name: &str, text: &str) -> String {
    let old = builtin::get(name).unwrap_or_default();
    let new = text.lines().filter(|line| !old.lines().any(|other| other == *line));
    new.collect::<Vec<_>>().join("\n")
}

/// Ends the test, with the case, when a check hangs: nothing else can. Dropping the sender is the end.
fn watch(case: String) -> Sender<()> {
    let (done, is_done) = channel();
    std::thread::spawn(move || {
        let patience = 60 * LONGEST;
        if is_done.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            #[expect(clippy::print_stderr, reason = "the test cannot go on")]
            {
                eprintln!("no end after {patience:?}: {case}");
            }
            std::process::abort();
        }
    });
    done
}

#[test]
fn scenes_that_once_hurt_are_refused_at_once() {
    let cases = [
        ("thick-column", "emitter.0.shape.rectangle.width=1e300", "rectangle.width = 1e300"),
        ("taylor-green", "space.domain.max=[1e10,1e10]", "space.domain.max.0 = 1e10"),
        ("brazil-nut", "body.0.shape.container.min=[-1e100,0,0]", "container.min.0 = -1e100"),
        ("two-polyhedra", "grain.0.position=[1.7e308,0,0]", "grain.0.position.0 = 1.7e308"),
        (
            "pour-sphere",
            "emitter.0.shape.disc.radius=100",
            "emitter.0.shape.disc would need about 785",
        ),
        ("dam-break-3d", "liquid.relative_support=20", "liquid.relative_support = 20"),
        ("conveyor-80", "space.domain.min=[-1e17,0,0]", "space.domain.min.0 = -1e17"),
        ("dam-break", "liquid.rest_density=1e-150", "liquid.rest_density = 1e-150"),
        ("dam-break", "view.width=1e-40", "view.width = 1e-40"),
    ];
    for (name, set, words) in cases {
        let start = Instant::now();
        let (answer, memory) = measured(|| load(&Source::BuiltIn(name.into()), &[set.to_owned()]));
        let message = answer.expect_err("it is refused").to_string();
        for words in [words, "allowed: "] {
            assert!(message.contains(words), "{name}, {set}: {message}");
        }
        assert!(memory < 100 << 20 && start.elapsed() < LONGEST, "{name}, {set}: {memory} B");
    }
}

#[test]
fn built_in_scenes_keep_within_their_estimates() {
    for name in ["dam-break", "drop", "pour-sphere", "sand-pile", "brazil-nut"] {
        let loaded = load(&Source::BuiltIn(name.into()), &[]).unwrap();
        let built = build(&loaded).unwrap();
        let (count, estimate) =
            (built.simulation.particle_count() as f64, Counts::of(&loaded.scene).particles());
        assert!(count <= 1.05 * estimate + 1.0, "{name}: {count} particles, {estimate} estimated");
    }
}
