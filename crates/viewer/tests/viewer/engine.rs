//! The simulation's side: commands in, moments and notices out.

use crate::Quiet;
use glam::DVec3;
use lawine_core::FieldValues;
use lawine_core::simulation::{Flow, Moment, Observer};
use lawine_record::output::{RunDirectory, checkpoint};
use lawine_record::run::{Setup, prepare, run};
use lawine_scene::build::build;
use lawine_scene::file::{Extent, Fill, Shape, Solid, Source, Sphere, Vector, load};
use lawine_viewer::brush::Brush;
use lawine_viewer::clock::Pace;
use lawine_viewer::engine::Engine;
use lawine_viewer::messages::{Command, Notice};
use lawine_viewer::place::Placing;
use lawine_viewer::replay::Replay;
use lawine_viewer::snapshot::SceneInfo;
use std::io;
use std::sync::atomic::AtomicBool;

/// A tank of 1 m × 1 m, a third full.
const TANK: &str = "title = 'Tank'\nend = 1\n[space]\ndimension = 2\ngravity = [0, -10]\n\
    [liquid]\nspacing = 0.05\nviscosity = 1e-3\n\
    [[fill]]\nshape.box = { min = [0, 0], max = [1, 0.3] }\n\
    [[body]]\nname = 'tank'\nshape.container = { min = [0, 0], max = [1, 1] }\n";

const COUNT: usize = 20 * 6;

fn source() -> Source {
    Source::Text { name: "tank.toml".to_owned(), text: TANK.to_owned() }
}

fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.execute(Command::Pause(true));
    engine.execute(Command::Open(source()));
    assert!(matches!(engine.take_news()[..], [Notice::Scene(_)]));
    engine
}

fn count(engine: &Engine) -> usize {
    engine.session().unwrap().simulation().particle_count()
}

fn hash(engine: &Engine) -> u64 {
    engine.session().unwrap().simulation().state_hash()
}

fn step(engine: &mut Engine, steps: u32) {
    (0..steps).for_each(|_| engine.execute(Command::Step));
    while engine.turn(1.0) {}
}

/// The scene in the notices, and the words in them.
fn notices(engine: &mut Engine) -> (Option<Box<SceneInfo>>, String) {
    let (mut info, mut words) = (None, String::new());
    for item in engine.take_news() {
        match item {
            Notice::Scene(scene) => info = Some(scene),
            Notice::Note(text) | Notice::Problem(text) | Notice::Stopped(text) => words += &text,
            Notice::State(..) => {}
        }
    }
    (info, words)
}

struct StopAfter(u32);

impl Observer for StopAfter {
    fn observe(&mut self, _now: &Moment<'_>) -> io::Result<Flow> {
        self.0 -= 1;
        Ok(if self.0 == 0 { Flow::Stop } else { Flow::Continue })
    }
}

#[test]
fn the_steps_are_those_of_a_run() {
    let mut engine = engine();
    step(&mut engine, 25);
    let mut built = build(&load(&source(), &[]).unwrap()).unwrap();
    built.simulation.advance_to(f64::INFINITY, &mut [&mut StopAfter(25)]).unwrap();
    assert_eq!(hash(&engine), built.simulation.state_hash());
}

#[test]
fn time_goes_on_and_moments_are_given_once() {
    let mut engine = engine();
    assert_eq!(engine.snapshot().unwrap().particles, COUNT);
    assert!(engine.snapshot().is_none(), "nothing has changed");
    engine.execute(Command::Pace(Pace::Fastest));
    engine.execute(Command::Pause(false));
    engine.turn(0.05);
    let snapshot = engine.snapshot().unwrap();
    assert!(snapshot.steps > 0 && snapshot.time > 0.0);
    assert_eq!(snapshot.rows.len() as u64, snapshot.steps);
    assert!(!snapshot.phases.is_empty());
    engine.execute(Command::Pause(true));
    let before = hash(&engine);
    engine.turn(0.05);
    assert_eq!(hash(&engine), before);
}

#[test]
fn a_broken_scene_is_told_and_changes_nothing() {
    let mut engine = engine();
    step(&mut engine, 3);
    let before = hash(&engine);
    for text in ["title = ", "title = 'x'\nend = 1\nspaec = 3", "\u{0}"] {
        let source = Source::Text { name: "broken.toml".to_owned(), text: text.to_owned() };
        engine.execute(Command::Open(source));
        let (info, words) = notices(&mut engine);
        assert!(info.is_none() && words.contains("broken.toml:"), "{words}");
        assert_eq!(hash(&engine), before);
    }
}

#[test]
fn most_changes_hold_at_once_and_keep_the_state() {
    let mut engine = engine();
    step(&mut engine, 5);
    for change in [
        "space.gravity=[0, -5]",
        "liquid.pressure.method=dfsph",
        "liquid.viscosity=0.01",
        "time.cfl=0.2",
        "view.colors=turbo",
    ] {
        let before = hash(&engine);
        engine.execute(Command::Set(vec![change.to_owned()]));
        let (info, words) = notices(&mut engine);
        assert!(words.is_empty(), "{change}: {words}");
        assert_eq!(info.unwrap().pending, None, "{change}");
        assert_eq!(hash(&engine), before, "{change}");
    }
    let simulation = engine.session().unwrap().simulation();
    assert!((simulation.env.gravity.y + 5.0).abs() < 1e-12);
    assert_eq!(simulation.methods[0].name(), "dfsph");
    step(&mut engine, 3);
}

#[test]
fn some_changes_wait_for_a_restart_and_say_so() {
    let mut engine = engine();
    step(&mut engine, 5);
    engine.execute(Command::Set(vec!["liquid.spacing=0.025".to_owned()]));
    let (info, words) = notices(&mut engine);
    assert_eq!(info.unwrap().pending, Some("liquid.spacing".to_owned()));
    assert!(words.contains("restart"), "{words}");
    assert_eq!(count(&engine), COUNT);
    engine.execute(Command::Restart);
    assert_eq!(notices(&mut engine).0.unwrap().pending, None);
    assert_eq!(count(&engine), 4 * COUNT);
    engine.execute(Command::Set(vec!["liquid.spacing=-1".to_owned()]));
    let (_, words) = notices(&mut engine);
    assert!(words.contains("liquid.spacing = -1"), "{words}");
}

#[test]
fn the_brush_fills_only_what_is_free() {
    let mut engine = engine();
    let brush = Brush { width: 6, height: 6, ..Brush::default() };
    let paint = |engine: &mut Engine, x: f64, y: f64| {
        let before = count(engine);
        let points = brush.points(DVec3::new(x, y, 0.0), 0.05, true);
        engine.execute(Command::Insert(points, DVec3::new(0.5, 0.0, 0.0)));
        count(engine) - before
    };
    assert_eq!(paint(&mut engine, 0.5, 0.7), 36);
    assert_eq!(paint(&mut engine, 0.5, 0.7), 0, "the place is taken");
    assert_eq!(paint(&mut engine, 5.0, 5.0), 0, "inside the walls");
    let half = paint(&mut engine, 0.0, 0.7);
    assert!(half > 10 && half < 20, "{half}: half of it is in the wall");
    step(&mut engine, 20);
    let erased = count(&engine);
    engine.execute(Command::Erase(Box::new(|x| x.y > 0.4)));
    assert!(count(&engine) < erased && count(&engine) >= COUNT);
    engine.execute(Command::Erase(Box::new(|_| true)));
    assert_eq!(count(&engine), 0);
    step(&mut engine, 2);
}

fn block(low: f64, high: f64) -> Box<Fill> {
    let corners = [low, high].map(|x| Vector::planar(x, x));
    let shape = Solid::Box(Extent { min: corners[0], max: corners[1] });
    Box::new(Fill { velocity: Vector::planar(0.0, -1.0), carve: true, ..Fill::new(shape) })
}

#[test]
fn placed_liquid_belongs_to_the_scene() {
    let mut engine = engine();
    engine.execute(Command::AddFill(block(0.5, 0.7)));
    assert_eq!(count(&engine), COUNT + 16);
    let (info, words) = notices(&mut engine);
    assert!(words.contains("16 particles"), "{words}");
    assert_eq!(info.unwrap().scene.fill.len(), 2);
    step(&mut engine, 5);
    engine.execute(Command::Restart);
    assert_eq!(count(&engine), COUNT + 16);
    notices(&mut engine);
    // On top of liquid of the start: only until the next restart.
    engine.execute(Command::Erase(Box::new(|_| true)));
    engine.execute(Command::AddFill(block(0.1, 0.3)));
    assert!(notices(&mut engine).1.contains("restart"));
    assert_eq!(count(&engine), 16);
}

/// A scene with two grains in a box.
const BOX: &str = "title = 'Box'\nend = 1\n[space]\ndimension = 3\ngravity = [0, -10, 0]\n\
    [grains]\n[grains.contact]\nstiffness = 1e5\n\
    [[grain]]\nshape.platonic = { solid = 'cube', radius = 0.05 }\nposition = [0.1, 0.1, 0.1]\n\
    [[grain]]\nshape.box = { size = [0.05, 0.04, 0.03] }\nposition = [0.9, 0.1, 0.1]\n\
    [[body]]\nname = 'box'\nshape.container = { min = [0, 0, 0], max = [1, 1, 1] }\n";

/// A block or a ball of matter in space around the middle of the box.
fn heap(shape: Solid) -> Command {
    let velocity = Vector::full(0.0, -1.0, 0.0);
    Command::AddFill(Box::new(Fill { velocity, carve: true, ..Fill::new(shape) }))
}

fn cube(low: f64, high: f64) -> Solid {
    let [min, max] = [low, high].map(|x| Vector::full(x, x, x));
    Solid::Box(Extent { min, max })
}

#[test]
fn grains_are_placed_where_there_is_room_and_come_again() {
    let mut engine = Engine::new();
    engine.execute(Command::Pause(true));
    engine
        .execute(Command::Open(Source::Text { name: "box.toml".to_owned(), text: BOX.to_owned() }));
    notices(&mut engine);
    engine.execute(heap(cube(0.3, 0.7)));
    let (_, words) = notices(&mut engine);
    assert!(words.contains("27 grains"), "{words}");
    engine.execute(heap(cube(0.3, 0.7)));
    assert_eq!(count(&engine), 2 + 27, "the place is taken");
    // Half of the ball is behind the wall.
    let center = Vector::full(0.5, 1.0, 0.5);
    engine.execute(heap(Solid::Sphere(Sphere { center, radius: 0.3 })));
    let with_ball = count(&engine);
    assert!((2 + 27 + 10..2 + 27 + 60).contains(&with_ball), "{with_ball}");
    // The brush paints on a lattice that is too fine for grains.
    let points = Brush { width: 4, height: 4, ..Brush::default() };
    let points = points.points(DVec3::new(0.15, 0.5, 0.5), 0.05, false);
    engine.execute(Command::Insert(points, DVec3::ZERO));
    assert!(count(&engine) > with_ball && count(&engine) < with_ball + 12);
    let fields = engine.session().unwrap().fields();
    let FieldValues::U32(shapes) = fields.iter().find(|f| f.name == "shape").unwrap().values else {
        panic!("numbers of shapes")
    };
    assert!(shapes[2..].contains(&0) && shapes[2..].contains(&1), "of all shapes");
    step(&mut engine, 5);
    engine.execute(Command::Set(vec!["space.gravity=[0, -5, 0]".to_owned()]));
    assert!(count(&engine) > with_ball);
    step(&mut engine, 5);
    engine.execute(Command::Restart);
    assert_eq!(count(&engine), with_ball);
}

/// A tetrahedron with edges of 0.6 m as an OBJ file.
const TETRAHEDRON: &str = "v 0 0 0\nv 0.6 0 0\nv 0 0.6 0\nv 0 0 0.6\n\
    f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_mesh_in_memory_is_filled_with_snow_and_survives_changes() {
    const SNOW: &str = "title = 'Snow'\nend = 1\n[space]\ndimension = 3\ngravity = [0, -10, 0]\n\
        [snow]\ncell = 0.1\n[[snow.material]]\nname = 'dry'\nsnow.kind = 'dry'\n\
        [[fill]]\nmaterial = 'dry'\nshape.box = { min = [0, 0, 0], max = [0.2, 0.1, 0.2] }\n\
        [[body]]\nname = 'box'\nshape.container = { min = [0, 0, 0], max = [1, 1, 1] }\n";
    let mut engine = Engine::new();
    engine.execute(Command::Pause(true));
    engine.execute(Command::Open(Source::Text {
        name: "snow.toml".to_owned(),
        text: SNOW.to_owned(),
    }));
    let before = count(&engine);
    let mut placing = Placing::fitting(DVec3::ONE, 0.0);
    placing.take_mesh("stone.obj".to_owned(), Some(TETRAHEDRON.as_bytes().into()));
    engine.execute(placing.attachment().unwrap());
    engine.execute(placing.order(DVec3::splat(0.3), false).unwrap());
    let (info, words) = notices(&mut engine);
    assert!(words.contains("particles placed") && !words.contains("restart"), "{words}");
    let fill = info.unwrap().scene.fill[1].clone();
    assert_eq!(fill.material.as_deref(), Some("dry"));
    // 0.6³/6 m³ of particles of 0.05³ m³.
    let placed = count(&engine) - before;
    assert!((200..360).contains(&placed), "{placed}");
    step(&mut engine, 3);
    engine.execute(Command::Set(vec!["space.gravity=[0, -5, 0]".to_owned()]));
    engine.execute(Command::Restart);
    assert_eq!(notices(&mut engine).1, "");
    assert_eq!(count(&engine), before + placed);
    placing.take_mesh("stone.xyz".to_owned(), Some((*b"nonsense").into()));
    engine.execute(placing.attachment().unwrap());
    engine.execute(placing.order(DVec3::splat(0.3), false).unwrap());
    assert!(notices(&mut engine).1.contains("stone.xyz"));
}

#[test]
fn obstacles_make_room_and_stay() {
    let mut engine = engine();
    step(&mut engine, 5);
    let ball = Shape::Sphere(Sphere { center: Vector::planar(0.5, 0.15), radius: 0.12 });
    engine.execute(Command::AddBody("sphere", Box::new(ball)));
    let (info, words) = notices(&mut engine);
    assert!(words.contains("removed"), "{words}");
    assert_eq!(info.unwrap().scene.body[1].name, "sphere 1");
    assert!(count(&engine) < COUNT);
    step(&mut engine, 5);
    engine.execute(Command::Restart);
    assert!(notices(&mut engine).1.is_empty());
    assert!(count(&engine) < COUNT);
}

#[test]
fn a_dragged_body_moves_at_a_bearable_speed_and_stays_where_it_was_let_go() {
    let mut engine = engine();
    let ball = Shape::Sphere(Sphere { center: Vector::planar(0.3, 0.6), radius: 0.1 });
    engine.execute(Command::AddBody("sphere", Box::new(ball)));
    step(&mut engine, 2);
    for _ in 0..40 {
        engine.execute(Command::Stir(1, DVec3::new(0.3, 0.0, 0.0)));
        step(&mut engine, 1);
        let session = engine.session().unwrap();
        let speed = session.simulation().env.bodies[1].velocity.length();
        assert!(speed < 0.21 * 0.05 / 1e-4, "{speed}");
    }
    let x = engine.session().unwrap().simulation().env.bodies[1].pose.position.x;
    assert!(x > 0.305 && x <= 0.6 + 1e-9, "{x}");
    notices(&mut engine);
    engine.execute(Command::Release);
    let (info, words) = notices(&mut engine);
    assert!(words.is_empty(), "{words}");
    let body = info.unwrap().scene.body[1].clone();
    let Shape::Sphere(sphere) = &body.shape else { panic!("a sphere") };
    assert!((sphere.center.get().x + body.placement.position.get().x - x).abs() < 1e-12);
    step(&mut engine, 2);
    let again = engine.session().unwrap().simulation().env.bodies[1].pose.position.x;
    assert!((again - x).abs() < 1e-12);
}

#[test]
fn a_kept_state_can_be_resumed() {
    let mut engine = engine();
    step(&mut engine, 7);
    engine.execute(Command::Save);
    let Some(Notice::State(state, info)) = engine.take_news().pop() else { panic!("no state") };
    let folder = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(folder.path().join("kept")).unwrap();
    lawine_record::run::keep(&directory, &info.resolved, "tank", "0", 7, &state).unwrap();
    let loaded = load(&Source::File(directory.scene()), &[]).unwrap();
    let file = std::fs::read_dir(directory.root().join("checkpoint")).unwrap().flatten();
    let file = file.map(|entry| entry.path()).next().unwrap();
    let checkpoint = checkpoint::read(&file).unwrap();
    prepare(&loaded, Some(&checkpoint)).unwrap();
}

#[test]
fn a_kept_run_can_be_looked_through() {
    let folder = tempfile::tempdir().unwrap();
    let set = ["end=0.06", "output.pictures=false", "output.movie=false"].map(str::to_owned);
    let prepared = prepare(&load(&source(), &set).unwrap(), None).unwrap();
    let setup = Setup {
        directory: RunDirectory::create(folder.path().join("tank")).unwrap(),
        scene_name: "tank".to_owned(),
        command: String::new(),
        version: "0",
        device: "cpu".to_owned(),
        threads: 1,
        stop: &AtomicBool::new(false),
        cpu_clock: || 0.0,
    };
    run(prepared, &setup, &mut Quiet).unwrap();
    let (mut replay, info) = Replay::open(setup.directory.root()).unwrap();
    assert_eq!((replay.len(), info.scene.title.as_str()), (4, "Tank"));
    for (at, time) in [(3, 0.06), (0, 0.0), (1, 0.02)] {
        replay.at = at;
        let snapshot = replay.snapshot().unwrap();
        assert!((snapshot.time - time).abs() < 1e-9 && snapshot.particles == COUNT);
    }
    let rows = replay.rows();
    assert!(rows.len() > 4 && rows.iter().all(|row| row.len() == info.headings.len()));
    assert!(Replay::open(folder.path()).err().unwrap().contains("scene.toml"));
}

#[test]
fn several_matters_open_run_and_are_placed_by_name() {
    let mut engine = Engine::new();
    engine.execute(Command::Pause(true));
    let text = lawine_scene::builtin::get("three-matters").unwrap();
    let text =
        text.replace("spacing = 0.015", "spacing = 0.03").replace("cell = 0.03", "cell = 0.06");
    engine.execute(Command::Open(Source::Text { name: "three.toml".to_owned(), text }));
    let (info, words) = notices(&mut engine);
    let columns = info.expect(&words).headings;
    assert!(columns.iter().any(|heading| heading.name == "grains.momentum.x"));
    step(&mut engine, 3);
    let snapshot = engine.snapshot().unwrap();
    assert_eq!((snapshot.steps, snapshot.particles), (3, count(&engine)));
    for phase in ["liquid.forces", "grains.forces"] {
        assert!(snapshot.phases.iter().any(|(name, _)| name == phase), "{phase}");
    }
    let session = engine.session().unwrap();
    let counts = || session.simulation().methods.iter().map(|m| (m.matter(), m.particle_count()));
    let keys: Vec<_> = counts().map(|(matter, _)| matter).collect();
    assert_eq!(keys, ["liquid", "snow", "grains"]);
    assert!(counts().all(|(_, count)| count > 50));
}
