//! Every pass against a host version in double precision.
#![expect(clippy::print_stdout, reason = "tests that cannot run say so")]

use crate::bodies::Solids;
use crate::device::Gpu;
use crate::engine::Engine;
use crate::layout::Layout;
use crate::snow::Snow;
use crate::transfer::{Blocks, Geometry};
use glam::{DVec3, IVec3};
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_solvers::mpm::{Config, Matter, NewMatter, SnowKind};
use std::collections::BTreeMap;

#[path = "../tests/snow/driver.rs"]
mod driver;

use driver::gpu;

/// The GPU with bounds checks in the shaders, and without.
fn both() -> impl Iterator<Item = Gpu> {
    gpu().into_iter().flat_map(|gpu| [true, false].map(|checked| gpu.clone().with_checks(checked)))
}

const CELL: f64 = 0.1;
const DT: f64 = 1e-3;
const GRAVITY: DVec3 = DVec3::new(0.0, -10.0, 1.0);

struct Case {
    engine: Engine,
    geometry: Geometry,
    matter: Matter,
}

/// Particles at random in a few blocks, with random velocities and gradients.
fn case(gpu: &Gpu) -> Case {
    let config = Config::new(CELL, SnowKind::Dry.material());
    let env = Environment::new(Space::unbounded(Dimension::Full), GRAVITY);
    let mut random = Random::new(7);
    let new: Vec<NewMatter> = (0..1500)
        .map(|_| NewMatter {
            position: DVec3::from_array([0; 3].map(|_| random.range(-0.5, 0.4))),
            velocity: random.direction(),
            volume: 1e-4,
            material: 0,
        })
        .collect();
    let mut matter = Matter::new(config.clone(), &env).unwrap();
    matter.add(&new).unwrap();
    let p = matter.particles_mut();
    p.gradients.iter_mut().flatten().for_each(|c| *c = random.range(-1.0, 1.0) as f32);
    let geometry = Geometry::new(&config, &env.space);
    let blocks = Blocks::new(&geometry, &p.x);
    let counts = [blocks.occupied(), blocks.reached];
    let layout = Layout::new(gpu, &config, false, p.len(), counts, 0).unwrap();
    let mut engine = Engine::new(gpu, &config, layout, &Solids::default(), 0).unwrap();
    engine.upload(&geometry, p, &blocks);
    Case { engine, geometry, matter }
}

fn coords(engine: &Engine, list: u32, count: usize) -> Vec<IVec3> {
    let first = u64::from(list) * u64::from(engine.layout.reached) * 4;
    let words = engine.read_words(&engine.buffers.coords, first, 4 * count).unwrap();
    words.chunks(4).map(|w| IVec3::new(w[0] as i32, w[1] as i32, w[2] as i32)).collect()
}

fn floats(engine: &Engine, buffer: &wgpu::Buffer, count: usize) -> Vec<f32> {
    let words = engine.read_words(buffer, 0, count).unwrap();
    words.into_iter().map(f32::from_bits).collect()
}

#[test]
fn particles_are_sorted_by_cell_and_name() {
    both().for_each(|gpu| check_order(&gpu));
}

fn check_order(gpu: &Gpu) {
    let Case { engine, geometry, matter } = case(gpu);
    let p = matter.particles();
    let n = p.len();
    let blocks = Blocks::new(&geometry, &p.x).occupied();
    let coords = coords(&engine, engine.params.list, blocks);
    let lists = engine.read_words(&engine.buffers.lists, 0, 4 * n).unwrap();
    let (index, cells) = (&lists[2 * n..3 * n], &lists[3 * n..]);
    let mut seen = vec![false; n];
    for k in 0..n {
        let (i, cell) = (index[k] as usize, cells[k]);
        let place = geometry.place(p.x[i]);
        assert_eq!((place.block, place.cell), (coords[cell as usize / 64], cell % 64));
        assert!(!std::mem::replace(&mut seen[i], true));
        if k > 0 && cells[k - 1] == cell {
            assert!(p.id[index[k - 1] as usize] < p.id[i]);
        }
    }
    let mut runs: Vec<u32> = cells.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
    let count = runs.len();
    runs.sort_unstable();
    runs.dedup();
    assert_eq!(runs.len(), count, "a cell is in one piece");
}

/// Momentum and mass of every node from particles without stress, in double precision.
fn nodes(case: &Case) -> BTreeMap<[i32; 3], (DVec3, f64)> {
    let mut all = BTreeMap::new();
    let p = case.matter.particles();
    for i in 0..p.len() {
        let x = p.x[i] / CELL;
        let base = (x - 0.5).floor();
        let f = x - base;
        let w = |k: usize, j: i32| match j {
            0 => 0.5 * (1.5 - f[k]).powi(2),
            1 => 0.75 - (f[k] - 1.0).powi(2),
            _ => 0.5 * (f[k] - 0.5).powi(2),
        };
        let c = glam::DMat3::from_cols_array(&p.gradients[i].map(f64::from));
        for (a, b, d) in (0..27).map(|k| (k % 3, k / 3 % 3, k / 9)) {
            let node = base.as_ivec3() + IVec3::new(a, b, d);
            let mass = f64::from(p.points[i].m) * w(0, a) * w(1, b) * w(2, d);
            let away = (node.as_dvec3() - x) * CELL;
            let sum = all.entry(node.to_array()).or_insert((DVec3::ZERO, 0.0));
            sum.0 += mass * (p.v[i] + c * away);
            sum.1 += mass;
        }
    }
    all
}

#[test]
fn tiles_nodes_and_particles_are_as_on_the_host() {
    both().for_each(|gpu| check_step(&gpu));
}

fn check_step(gpu: &Gpu) {
    let mut case = case(gpu);
    let expected = nodes(&case);
    let list = case.engine.params.list;
    let params = &mut case.engine.params;
    (params.h, params.inverse) = (CELL as f32, 1.0 / CELL as f32);
    (params.dt, params.bake, params.fade) = (DT as f32, DT as f32, 1.0);
    params.kick = (GRAVITY * DT).as_vec3().to_array();
    case.engine.step(&[], true);
    let status = case.engine.status(0).unwrap().unwrap();
    assert!(!status.full && !status.crowded && status.broken.is_none());

    // Particles to grid: the tiles of all blocks add up to the momenta and masses.
    let blocks = Blocks::new(&case.geometry, &case.matter.particles().x);
    let coords = coords(&case.engine, list, blocks.reached);
    let tiles = floats(&case.engine, &case.engine.buffers.tiles, blocks.occupied() * 216 * 4);
    let mut sums = BTreeMap::new();
    for (k, value) in tiles.chunks(4).enumerate() {
        let (block, node) = (coords[k / 216], (k % 216) as i32);
        let node = 4 * block + IVec3::new(node / 36, node / 6 % 6, node % 6);
        let value = [0, 1, 2, 3].map(|j| f64::from(value[j]));
        let sum = sums.entry(node.to_array()).or_insert((DVec3::ZERO, 0.0));
        sum.0 += DVec3::new(value[0], value[1], value[2]);
        sum.1 += value[3];
    }
    let heaviest = expected.values().fold(0.0_f64, |m, e| m.max(e.1));
    for (node, (momentum, mass)) in &expected {
        let (p, m) = sums[node];
        assert!((m - mass).abs() < 1e-5 * heaviest, "{node:?}: {m} {mass}");
        assert!((p - *momentum).length() < 1e-5 * heaviest);
    }
    assert!(sums.iter().all(|(node, s)| s.1 < 1e-9 || expected.contains_key(node)));

    // Grid: velocities.
    let found = floats(&case.engine, &case.engine.buffers.nodes, blocks.reached * 64 * 4);
    let mut compared = 0;
    for (k, value) in found.chunks(4).enumerate() {
        let (block, node) = (coords[k / 64], (k % 64) as i32);
        let node = 4 * block + IVec3::new(node / 16, node / 4 % 4, node % 4);
        let Some((momentum, mass)) = expected.get(&node.to_array()) else { continue };
        let v = DVec3::from_array([0, 1, 2].map(|j| f64::from(value[j])));
        if *mass > 1e-3 * heaviest {
            assert!((v - *momentum / *mass - GRAVITY * DT).length() < 1e-4, "{node:?} {v}");
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");

    // Grid to particles: positions, velocities and gradients, by the CPU solver's own step.
    let mut env = Environment::new(Space::unbounded(Dimension::Full), GRAVITY);
    let mut cpu = Matter::new(case.matter.config().clone(), &env).unwrap();
    *cpu.particles_mut() = case.matter.particles().clone();
    cpu.step(&mut env, DT).unwrap();
    let mut gpu = case.matter.particles().clone();
    case.engine.download(&case.geometry, &mut gpu).unwrap();
    let cpu = cpu.particles();
    for i in 0..cpu.len() {
        let k = cpu.id[i] as usize;
        assert!((cpu.x[i] - gpu.x[k]).length() < 1e-6 * CELL);
        assert!((cpu.v[i] - gpu.v[k]).length() < 1e-5);
        assert!((cpu.plastic_volume[i] - gpu.plastic_volume[k]).abs() < 1e-5);
        assert!((cpu.density[i] / gpu.density[k] - 1.0).abs() < 1e-5);
        for j in 0..9 {
            assert!((cpu.gradients[i][j] - gpu.gradients[k][j]).abs() < 1e-3);
        }
        for j in 0..6 {
            assert!((cpu.points[i].e[j] - gpu.points[k].e[j]).abs() < 1e-6);
            assert!((cpu.points[i].tau[j] - gpu.points[k].tau[j]).abs() < 1.0);
        }
    }
}

fn one_particle(env: &Environment) -> Matter {
    let mut matter = Matter::new(Config::new(CELL, SnowKind::Dry.material()), env).unwrap();
    let (position, velocity) = (DVec3::ZERO, DVec3::ZERO);
    matter.add(&[NewMatter { position, velocity, volume: 1e-4, material: 0 }]).unwrap();
    matter
}

#[test]
fn a_lost_gpu_is_an_error_of_the_step() {
    let Some(gpu) = gpu() else { return };
    let mut env = Environment::new(Space::unbounded(Dimension::Full), GRAVITY);
    let mut snow = Snow::new(&gpu, one_particle(&env), &env).unwrap();
    snow.step(&mut env, DT).unwrap();
    gpu.device.destroy();
    let error = (0..200).find_map(|_| snow.step(&mut env, DT).err()).unwrap().to_string();
    assert!(error.contains("the GPU was lost") && error.contains("checkpoint"), "{error}");
    assert!(snow.save(&mut Vec::new()).is_err());
}

/// Snow fits, spreads over more blocks than there is room for, and can be saved when it is refused more.
#[test]
fn running_out_of_memory_is_an_error_of_the_step() {
    let Some(gpu) = gpu() else { return };
    let mut env = Environment::new(Space::unbounded(Dimension::Full), GRAVITY);
    let far = |k: i32| {
        let position = 0.5 * CELL * IVec3::new(k % 15, k / 15 % 15, k / 225).as_dvec3();
        NewMatter { position, velocity: position / (10.0 * DT), volume: 1e-4, material: 0 }
    };
    let on = |gpu: &Gpu| {
        let mut matter = one_particle(&env);
        matter.add(&(0..15 * 225).map(far).collect::<Vec<_>>()).unwrap();
        Snow::new(gpu, matter, &env)
    };
    let error = on(&gpu.clone().with_memory_of(1 << 10)).err().unwrap().to_string();
    assert!(error.contains("enough memory for "), "{error}");

    let layout = on(&gpu).unwrap().engine.borrow().layout.clone();
    let fits = layout.particle_bytes() + layout.block_bytes();
    let mut snow = on(&gpu.with_memory_of(fits)).unwrap();
    let error = (0..200).find_map(|_| snow.step(&mut env, DT).err()).unwrap().to_string();
    assert!(error.contains("enough memory for ") && error.contains("CPU"), "{error}");
    snow.save(&mut Vec::new()).unwrap();
}

/// All memory is taken by others. On a real GPU only: software drivers take the machine's.
/// `cargo test --release -p lawine-gpu --lib -- --ignored`
#[test]
#[ignore = "takes all memory of the GPU"]
fn a_full_gpu_is_an_error() {
    let Some(gpu) = gpu().filter(|gpu| !gpu.is_software()) else { return };
    let env = Environment::new(Space::unbounded(Dimension::Full), GRAVITY);
    let (mut others, mut size) = (Vec::new(), gpu.limits.max_buffer_size.min(4 << 30));
    while size > 4096 {
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = gpu.buffer("others", size, wgpu::BufferUsages::STORAGE);
        let full = pollster::block_on(scope.pop()).is_some();
        if full { size /= 2 } else { others.push(buffer) }
    }
    println!("{} buffers", others.len());
    let error = Snow::new(&gpu, one_particle(&env), &env).err().unwrap().to_string();
    assert!(error.contains("enough memory for "), "{error}");
}

/// Places, radius and colours, relative to somewhere else, as the host has them.
#[test]
fn spheres_for_a_painter_are_the_particles() {
    both().for_each(|gpu| check_spheres(&gpu));
}

fn check_spheres(gpu: &Gpu) {
    use crate::show::{Appearance, SPHERE_BYTES, Value};
    let mut env = Environment::new(Space::unbounded(Dimension::Full), GRAVITY);
    let mut matter = one_particle(&env);
    let mut random = Random::new(5);
    let new = |_| NewMatter {
        position: random.direction() * 7.0 * CELL,
        velocity: random.direction(),
        volume: 1e-4,
        material: 0,
    };
    matter.add(&(0..300).map(new).collect::<Vec<_>>()).unwrap();
    let mut snow = Snow::new(gpu, matter, &env).unwrap();
    (0..3).for_each(|_| assert!(snow.step(&mut env, DT).is_ok()));
    let origin = DVec3::new(0.31, -2.0, 0.07);
    let palette = (0..=255).map(|k| [k, 0, 0, 255]).collect();
    let (radius, value, range) = (0.02, Value::Velocity(1), [-1.5, 1.5]);
    let balls = snow.show(&Appearance { origin, radius, value, range, palette });
    let mut words: Vec<u32> = Vec::new();
    gpu.read(&balls.buffer, 0..u64::from(balls.count) * SPHERE_BYTES, |piece| {
        words.extend_from_slice(bytemuck::cast_slice(piece));
    })
    .unwrap();
    let shown = snow.matter().unwrap().particles();
    assert_eq!(words.len(), 5 * shown.len());
    for (x, v) in shown.x.iter().zip(&shown.v) {
        let ball = words.chunks(5).find(|ball| {
            let place = DVec3::from_array([0, 1, 2].map(|k| f64::from(f32::from_bits(ball[k]))));
            (place + origin - *x).length() < 1e-5 * CELL
        });
        let ball = ball.unwrap_or_else(|| panic!("nothing at {x}"));
        let expected = (255.0 * (v.y + 1.5) / 3.0).clamp(0.0, 255.0);
        assert!((f64::from(ball[4] & 255) - expected).abs() < 0.6, "{} {expected}", ball[4] & 255);
        assert!((f32::from_bits(ball[3]) - radius).abs() < 1e-9 && ball[4] >> 24 == 255);
    }
}
