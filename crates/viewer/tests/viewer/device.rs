//! Snow on the graphics device that draws.
#![expect(clippy::print_stdout, reason = "tests that cannot run say so")]

use glam::DVec3;
use lawine_scene::file::Source;
use lawine_viewer::compute::{Appearance, Compute};
use lawine_viewer::engine::{Engine, News, Order};
use std::sync::Arc;

const SNOW: &str = "title = 'Snow'\nend = 1\n[space]\ndimension = 3\ngravity = [0, -10, 0]\n\
    [snow]\ncell = 0.1\n\
    [[material]]\nname = 'snow'\nsnow = { density = 400, young = 1e5, poisson = 0.3 }\n\
    [[fill]]\nshape.box = { min = [0, 0.1, 0], max = [0.4, 0.5, 0.4] }\n\
    [[body]]\nname = 'floor'\nshape.box = { min = [-1, -0.1, -1], max = [1, 0, 1] }\n";

fn device() -> Option<(wgpu::Device, Compute)> {
    let instance = wgpu::Instance::default();
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()));
    let adapter = adapter.map_err(|error| println!("skipped: {error}")).ok()?;
    let descriptor =
        wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let compute = Compute::on(&adapter, &device, &queue);
    Some((device, compute.map_err(|why| println!("skipped: {why}")).ok()?))
}

fn snow() -> Engine {
    let mut engine = Engine::new();
    engine.obey(Order::Pause(true));
    engine.obey(Order::Open(Source::Text { name: "snow.toml".into(), text: SNOW.into() }));
    assert!(matches!(engine.take_news()[..], [News::Scene(_)]));
    engine
}

fn step(engine: &mut Engine) {
    engine.obey(Order::Step);
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
    engine.obey(Order::Compute(Box::new(compute)));
    engine.obey(Order::Show(Some(appearance())));
    assert!(engine.take_news().iter().any(|n| matches!(n, News::Scene(info) if info.on_gpu)));
    let first = engine.snapshot().unwrap();
    assert!((first.time - before.time).abs() < 1e-15 && first.particles == before.particles);
    step(&mut engine);
    let second = engine.snapshot().unwrap();
    assert!(second.time > first.time);
    assert_eq!(second.balls.as_ref().unwrap().count as usize, second.particles);
    // Another look does not copy the particles to the host, a restart does.
    engine.obey(Order::Show(Some(appearance())));
    assert!(Arc::ptr_eq(&engine.snapshot().unwrap().columns, &second.columns));
    engine.obey(Order::Restart);
    assert!(!Arc::ptr_eq(&engine.snapshot().unwrap().columns, &second.columns));
    engine.obey(Order::Compute(Box::default()));
    assert!(engine.snapshot().unwrap().balls.is_none());
}

/// The state of a moment ago outlives the device.
#[test]
fn a_lost_device_leaves_a_state() {
    let Some((device, compute)) = device() else { return };
    let mut engine = snow();
    engine.obey(Order::Compute(Box::new(compute)));
    step(&mut engine);
    assert!(engine.snapshot().is_some());
    step(&mut engine);
    device.destroy();
    engine.take_news();
    engine.obey(Order::Save);
    assert!(
        engine.take_news().iter().any(|n| matches!(n, News::State(state, _) if !state.is_empty()))
    );
}
