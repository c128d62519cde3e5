//! The graphics device: what it draws, and snow on it.
#![expect(clippy::print_stdout, reason = "tests that cannot run say so")]

use glam::DVec3;
use lawine_render::{Bounds, Camera, Color, Picture, Sphere};
use lawine_scene::file::Source;
use lawine_viewer::app::measure_frames;
use lawine_viewer::compute::{Appearance, Compute};
use lawine_viewer::engine::Engine;
use lawine_viewer::messages::{Command, Notice};
use lawine_viewer::paint::{BodyDisplay, Drawing, Gpu, Shot};
use lawine_viewer::parity::Parity;
use std::sync::Arc;

const SNOW: &str = "title = 'Snow'\nend = 1\n[space]\ndimension = 3\ngravity = [0, -10, 0]\n\
    [snow]\ncell = 0.1\n\
    [[snow.material]]\nname = 'snow'\nsnow = { density = 400, young = 1e5, poisson = 0.3 }\n\
    [[fill]]\nshape.box = { min = [0, 0.1, 0], max = [0.4, 0.5, 0.4] }\n\
    [[body]]\nname = 'floor'\nshape.box = { min = [-1, -0.1, -1], max = [1, 0, 1] }\n";

/// Says that a test cannot run; with `LAWINE_NEED_GPU` it must.
fn skip(why: &dyn std::fmt::Display) {
    assert!(std::env::var_os("LAWINE_NEED_GPU").is_none(), "{why}");
    println!("skipped: {why}");
}

/// A device with buffers of at most a size [bytes], if there is one.
fn small_device(room: u64) -> Option<(wgpu::Adapter, wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::Instance::default();
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()));
    let adapter = adapter.map_err(|error| skip(&error)).ok()?;
    let mut required_limits = adapter.limits();
    required_limits.max_buffer_size = required_limits.max_buffer_size.min(room);
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    Some((adapter, device, queue))
}

fn device() -> Option<(wgpu::Device, Compute)> {
    let (adapter, device, queue) = small_device(u64::MAX)?;
    let compute = Compute::on(&adapter, &device, &queue);
    Some((device, compute.map_err(|why| skip(&why)).ok()?))
}

fn snow() -> Engine {
    let mut engine = Engine::new();
    engine.execute(Command::Pause(true));
    engine.execute(Command::Open(Source::Text { name: "snow.toml".into(), text: SNOW.into() }));
    assert!(matches!(engine.take_news()[..], [Notice::Scene(_)]));
    engine
}

fn step(engine: &mut Engine) {
    engine.execute(Command::Step);
    while engine.turn(1.0) {}
}

fn appearance() -> Box<Appearance> {
    Box::new(Appearance {
        origin: DVec3::ZERO,
        radius: 0.02,
        field: "speed".to_owned(),
        range: [0.0, 1.0],
        palette: vec![[255; 4]; 256],
    })
}

/// The device goes on with the snow, which is drawn from there, and hands it back.
#[test]
fn snow_changes_between_processor_and_device() {
    let Some((_, compute)) = device() else { return };
    let mut engine = snow();
    step(&mut engine);
    let before = engine.snapshot().unwrap();
    engine.execute(Command::Compute(Box::new(compute)));
    engine.execute(Command::Show(Some(appearance())));
    assert!(engine.take_news().iter().any(|n| matches!(n, Notice::Scene(info) if info.on_gpu)));
    let first = engine.snapshot().unwrap();
    assert!((first.time - before.time).abs() < 1e-15 && first.particles == before.particles);
    step(&mut engine);
    let second = engine.snapshot().unwrap();
    assert!(second.time > first.time);
    assert_eq!(second.balls.as_ref().unwrap().count as usize, second.particles);
    // Another look does not copy the particles to the host, a restart does.
    engine.execute(Command::Show(Some(appearance())));
    assert!(Arc::ptr_eq(&engine.snapshot().unwrap().columns, &second.columns));
    engine.execute(Command::Restart);
    assert!(!Arc::ptr_eq(&engine.snapshot().unwrap().columns, &second.columns));
    engine.execute(Command::Compute(Box::default()));
    assert!(engine.snapshot().unwrap().balls.is_none());
}

/// As in a browser: commands wait for the particles, nothing gets lost, and time goes on.
#[test]
fn orders_wait_where_nobody_may_wait_for_the_device() {
    let Some((_, compute)) = device() else { return };
    let mut engine = snow();
    engine.execute(Command::Compute(Box::new(compute.non_blocking())));
    engine.execute(Command::Show(Some(appearance())));
    let count = engine.snapshot().unwrap().particles;
    engine.take_news();
    (0..20).for_each(|_| engine.execute(Command::Step));
    while engine.turn(1.0) {}
    let moved = engine.snapshot().unwrap();
    assert_eq!((moved.steps, moved.particles), (20, count));
    // A row of data that waited for the particles.
    assert!(!moved.rows.is_empty() && moved.rows.iter().all(|row| row[2] > 0.0), "kinetic energy");
    let place = |x: f64| vec![DVec3::new(x, 1.0, 0.2)];
    engine.execute(Command::Insert(place(0.2), DVec3::ZERO));
    engine.execute(Command::Step);
    engine.execute(Command::Insert(place(0.3), DVec3::ZERO));
    engine.execute(Command::Set(vec!["space.gravity=[0, -5, 0]".to_owned()]));
    engine.execute(Command::Erase(Box::new(|x| x.y > 0.9 && x.x < 0.25)));
    engine.execute(Command::Save);
    while engine.turn(1.0) {}
    let notices = engine.take_news();
    assert!(!notices.iter().any(|n| matches!(n, Notice::Problem(_) | Notice::Stopped(_))));
    assert!(notices.iter().any(|n| matches!(n, Notice::State(state, _) if !state.is_empty())));
    let after = engine.snapshot().unwrap();
    assert_eq!((after.steps, after.particles), (21, count + 1));
    assert_eq!(after.balls.unwrap().count as usize, count + 1);
    let scene = &engine.session().unwrap().loaded().scene;
    assert!((scene.space.gravity.get().y + 5.0).abs() < 1e-12);
    // Back to the processor.
    engine.execute(Command::Step);
    engine.execute(Command::Compute(Box::default()));
    while engine.turn(1.0) {}
    assert!(!engine.session().unwrap().is_on_gpu());
    assert_eq!(engine.snapshot().unwrap().steps, 22);
}

/// Without a look that the device knows, all particles come to the host: time goes on meanwhile.
#[test]
fn particles_are_seen_moving_where_nobody_may_wait_for_the_device() {
    let Some((_, compute)) = device() else { return };
    let mut engine = snow();
    engine.execute(Command::Compute(Box::new(compute.non_blocking())));
    let mut last = engine.snapshot().unwrap();
    let (mut copies, mut rows) = (0, 0);
    // However late the answers of a busy device are: steps are made until three have come.
    while (copies < 3 || rows == 0) && last.steps < 10_000 {
        engine.execute(Command::Step);
        engine.turn(1.0);
        let Some(next) = engine.snapshot() else { continue };
        copies += usize::from(!Arc::ptr_eq(&next.columns, &last.columns));
        rows += next.rows.len();
        last = next;
    }
    assert!(copies > 2 && rows > 0, "{copies} copies, {rows} rows");
}

/// The self-test of the page, with and without waiting.
#[test]
fn snow_on_the_device_is_as_on_the_processor() {
    let Some((_, compute)) = device() else { return };
    for compute in [compute.clone(), compute.non_blocking()] {
        let mut parity = Parity::new(&compute);
        let check = loop {
            if let Some(check) = parity.turn() {
                break check;
            }
        };
        println!("{}: {}", check.name, check.detail);
        assert!(check.passed, "{check:?}");
    }
}

/// The state of a moment ago outlives the device.
#[test]
fn a_lost_device_leaves_a_state() {
    for waits in [true, false] {
        let Some((device, compute)) = device() else { return };
        let compute = if waits { compute } else { compute.non_blocking() };
        let mut engine = snow();
        engine.execute(Command::Compute(Box::new(compute)));
        step(&mut engine);
        assert!(engine.snapshot().is_some());
        step(&mut engine);
        device.destroy();
        engine.take_news();
        engine.execute(Command::Save);
        while engine.turn(1.0) {}
        let is_state = |n: &Notice| matches!(n, Notice::State(state, _) if !state.is_empty());
        assert!(engine.take_news().iter().any(is_state));
    }
}

/// What does not fit into the memory of the device is told, and the rest is drawn.
#[test]
fn a_scene_too_large_for_the_device_is_drawn_in_part() {
    let Some((_, device, queue)) = small_device(1 << 16) else { return };
    let camera = Camera::fit(&Bounds::new(DVec3::ZERO, DVec3::ONE), DVec3::Y, 1.0);
    let mut picture = Picture::new(camera);
    let place = |k: i32| DVec3::new(f64::from(k % 100), f64::from(k / 100), 0.0) * 0.01;
    picture.spheres = (0..5000).map(|k| Sphere::new(place(k), 0.01, Color::WHITE)).collect();
    let drawing = Drawing::new(&picture, BodyDisplay::Shaded);
    let words = drawing.too_large_for(device.limits().max_buffer_size).unwrap();
    assert!(words.contains("5000 particles, and it can draw at most 3276"), "{words}");
    let shot = Shot {
        camera,
        size: [64, 64],
        fineness: 1,
        background: picture.background,
        floor: None,
        light: picture.light,
        shadows: true,
        occlusion: 1.0,
    };
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let mut gpu = Gpu::new(&device, wgpu::TextureFormat::Rgba8Unorm);
    let mut encoder = device.create_command_encoder(&Default::default());
    gpu.draw(&device, &queue, &mut encoder, &drawing, &shot);
    queue.submit([encoder.finish()]);
    assert!(pollster::block_on(scope.pop()).is_none());
}

/// Frames are drawn and timed without a window.
#[test]
fn frames_are_measured() {
    let cost = measure_frames(1000, [640, 400], 0.0);
    match cost {
        Ok(cost) => {
            assert!(cost.particles >= 1000 && cost.frames >= 20, "{cost:?}");
            assert!(cost.mean > 0.0 && cost.mean <= cost.longest, "{cost:?}");
        }
        Err(error) if error.contains("no graphics device") => skip(&error),
        Err(error) => panic!("{error}"),
    }
}
