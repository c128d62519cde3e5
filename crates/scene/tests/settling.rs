//! Grains smaller than the spacing settle in a liquid: rows 45 and 46 of the validation, and what keeps runs exact.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use glam::DVec3;
use lawine_core::FieldValues;
use lawine_core::method::Method;
use lawine_core::simulation::{Flow, Moment, Observer, Simulation};
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};
use std::f64::consts::PI;
use std::io;

fn scene(text: &str, set: &[String]) -> Simulation {
    let source = Source::Text { name: "settling".into(), text: text.into() };
    let loaded = load(&source, set).unwrap_or_else(|e| panic!("{e}"));
    build(&loaded).unwrap_or_else(|e| panic!("{e}")).simulation
}

fn vectors<'a>(method: &'a dyn Method, name: &str) -> &'a [DVec3] {
    match method.field(name).unwrap().values {
        FieldValues::Vec3(values) => values,
        _ => panic!("{name} is a vector"),
    }
}

/// Speed at which a ball of a diameter [m] settles (Schiller and Naumann), for Δρ [kg/m³], ν [m²/s] and ρ0.
fn terminal_speed(d: f64, excess: f64, nu: f64, rho0: f64) -> f64 {
    let weight = excess * 9.81 * PI / 6.0 * d.powi(3);
    let drag = |u: f64| {
        let re = u * d / nu;
        let c = if re < 1000.0 { 24.0 / re * (1.0 + 0.15 * re.powf(0.687)) } else { 0.44 };
        PI / 8.0 * rho0 * d * d * c * u * u
    };
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if drag(middle) < weight { low = middle } else { high = middle }
    }
    low
}

// Row 45.

const ONE: &str = "
title = 'A grain settles'
end = 2
[space]
dimension = 3
gravity = [0, -9.81, 0]
periodic = ['x', 'z']
domain = { min = [0, -0.1, 0], max = [0.04, 0.3, 0.04] }
[liquid]
spacing = 0.004
viscosity = 1e-6
pressure.tolerance = 1e-4
[grains]
density = 2500
[grains.contact]
[[fill]]
of = 'liquid'
shape.box = { min = [0, 0, 0], max = [0.04, 0.12, 0.04] }
[[grain]]
shape.ellipsoid = { half_axes = [0.001, 0.001, 0.001], vertices = 42 }
position = [0.021, 0.1, 0.0193]
[[body]]
name = 'floor'
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
";

/// Means over the time from a moment on, between two heights: how much faster grains sink than the liquid, and the volume
/// fraction of grains of one volume.
struct Mean {
    from: f64,
    heights: [f64; 2],
    slip: f64,
    count: f64,
    time: f64,
}

impl Mean {
    fn new(from: f64, heights: [f64; 2]) -> Self {
        Self { from, heights, slip: 0.0, count: 0.0, time: 0.0 }
    }
}

impl Observer for Mean {
    fn observe(&mut self, now: &Moment<'_>) -> io::Result<Flow> {
        if now.simulation.time() > self.from {
            let [liquid, grains] = ["liquid", "grains"].map(|matter| {
                let method = now.simulation.method(matter).unwrap();
                let (x, v) = (vectors(method, "position"), vectors(method, "velocity"));
                let within = |x: &DVec3| x.y > self.heights[0] && x.y < self.heights[1];
                let inside = x.iter().zip(v).filter(|(x, _)| within(x));
                inside.fold([0.0, 0.0], |[n, sum], (_, v)| [n + 1.0, sum + v.y])
            });
            if grains[0] > 0.0 {
                self.slip += now.dt * (liquid[1] / liquid[0] - grains[1] / grains[0]);
                self.count += now.dt * grains[0];
                self.time += now.dt;
            }
        }
        Ok(Flow::Continue)
    }
}

/// Settling speed over the formula's.
fn settles(method: &str, size: f64, density: f64, nu: f64) -> f64 {
    let keys = [
        format!("liquid.pressure.method={method}"),
        format!("liquid.viscosity={nu}"),
        format!("grains.density={density}"),
        format!("grain.0.shape={{ellipsoid={{half_axes=[{size},{size},{size}],vertices=42}}}}"),
    ];
    let mut run = scene(ONE, &keys);
    let grains = run.method("grains").unwrap();
    let volume = grains.total_mass() / density;
    let d = (6.0 / PI * volume).cbrt();
    let expected = terminal_speed(d, density - 1000.0, nu, 1000.0);
    // The liquid comes to rest first, unless the grain is at the bottom by then.
    let start = (0.03 / expected).min(0.3);
    let mut mean = Mean::new(start, [0.01, 0.2]);
    run.advance_to(start + (0.05 / expected).min(0.3), &mut [&mut mean]).unwrap();
    let ratio = mean.slip / mean.time / expected;
    println!(
        "{method}, d = {:.2} spacings, Re = {:.3}: {expected:.4} m/s expected, {ratio:.4} of it",
        d / 0.004,
        expected * d / nu
    );
    ratio
}

/// Method, half axis of the grain, its density, viscosity of the liquid.
type Case = (&'static str, f64, f64, f64);

fn all_settle(cases: &[Case]) {
    let mut wrong = Vec::new();
    for &(method, size, density, nu) in cases {
        let ratio = settles(method, size, density, nu);
        if (ratio - 1.0).abs() >= 0.05 {
            wrong.push(format!("{method}, {size} m, {nu} m²/s: {ratio}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_grain_settles_with_the_speed_of_schiller_and_naumann() {
    all_settle(&[("iisph", 1e-3, 2500.0, 1e-6)]);
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test settling -- --ignored --nocapture"]
fn grains_settle_with_the_speeds_of_stokes_and_schiller_and_naumann() {
    // Open: with DFSPH at Re = 24 (1 mm, 2500 kg/m³, 1e-5 m²/s) it is 0.949.
    all_settle(&[
        ("iisph", 1e-3, 8000.0, 5e-4),
        ("dfsph", 5e-4, 8000.0, 2e-4),
        ("eos", 1e-3, 2500.0, 1e-6),
    ]);
}

// Row 46.

const SWARM: &str = "
title = 'A swarm settles'
end = 2
seed = 11
[space]
dimension = 3
gravity = [0, -9.81, 0]
periodic = ['x', 'z']
domain = { min = [0, -0.02, 0], max = [0.032, 0.3, 0.032] }
[liquid]
spacing = 0.004
viscosity = 1e-4
pressure.tolerance = 1e-4
[grains]
density = 2000
[[fill]]
of = 'liquid'
shape.box = { min = [0, 0, 0], max = [0.032, 0.08, 0.032] }
[[block]]
shape.ellipsoid = { half_axes = [0.001, 0.001, 0.001], vertices = 42 }
origin = [0, 0.004, 0]
size = [0.032, 0.072, 0.032]
spacing = 0.0035
[[body]]
name = 'floor'
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }
";

/// Volume fraction of the swarm, and its speed over that of one grain.
fn swarm(cell: f64, nu: f64, [from, to]: [f64; 2]) -> [f64; 2] {
    let keys = [format!("block.0.spacing={cell}"), format!("liquid.viscosity={nu}")];
    let mut run = scene(SWARM, &keys);
    let grains = run.method("grains").unwrap();
    let volume = grains.total_mass() / 2000.0 / grains.particle_count() as f64;
    let d = (6.0 / PI * volume).cbrt();
    let alone = terminal_speed(d, 1000.0, nu, 1000.0);
    let mut mean = Mean::new(from, [0.02, 0.06]);
    run.advance_to(to, &mut [&mut mean]).unwrap();
    let fraction = mean.count / mean.time * volume / (0.04 * 0.032 * 0.032);
    // What goes down comes up: the speed in a vessel is the slip times the part that is liquid.
    let ratio = (1.0 - fraction) * mean.slip / mean.time / alone;
    println!(
        "φ = {fraction:.3}, Re = {:.2}: {ratio:.4} of the speed of one grain, n = {:.2}",
        alone * d / nu,
        ratio.ln() / (1.0 - fraction).ln()
    );
    [fraction, ratio]
}

/// The exponent n of Richardson and Zaki: slope of ln(u/u_t) over ln(1 − φ) through the origin.
fn exponent(nu: f64, cells: &[f64], times: [f64; 2]) -> f64 {
    let points = cells.iter().map(|&cell| swarm(cell, nu, times));
    let (mut above, mut below) = (0.0, 0.0);
    for [fraction, ratio] in points {
        let x = (1.0 - fraction).ln();
        above += x * ratio.ln();
        below += x * x;
    }
    above / below
}

#[test]
#[ignore = "minutes: cargo test --release -p lawine-scene --test settling -- --ignored --nocapture"]
fn swarms_settle_with_the_exponents_of_richardson_and_zaki() {
    // Re = 0.04. The liquid, in which grains took the places of particles, comes to rest first.
    let viscous = exponent(3e-4, &[0.004, 0.0028, 0.0022], [0.2, 0.35]);
    println!("n = {viscous:.2}, 4.65 expected");
    // Re = 370: 4.45 Re^(-0.1) = 2.46.
    let inertial = exponent(1e-6, &[0.004, 0.0028, 0.0022], [0.06, 0.12]);
    println!("n = {inertial:.2}, 2.46 expected");
    assert!((viscous - 4.65).abs() < 0.3 && (inertial - 2.46).abs() < 0.3, "{viscous} {inertial}");
}

// Momentum and bits.

const A_DROP: &str = "
title = 'Grains fly into a drop'
end = 1
[space]
dimension = 3
gravity = [0, 0, 0]
[liquid]
spacing = 0.01
viscosity = 1e-4
[grains]
density = 2000
[grains.contact]
[[fill]]
of = 'liquid'
shape.box = { min = [-0.05, -0.05, -0.05], max = [0.05, 0.05, 0.05] }
[[block]]
shape.ellipsoid = { half_axes = [0.0035, 0.003, 0.003], vertices = 14 }
origin = [-0.085, -0.02, -0.02]
size = [0.06, 0.04, 0.04]
spacing = 0.008
velocity = [1, 0.2, 0]
";

fn momentum(run: &Simulation) -> DVec3 {
    let liquid = run.method("liquid").unwrap();
    let v = vectors(liquid, "velocity");
    let m = liquid.total_mass() / v.len() as f64;
    run.method("grains").unwrap().momentum().unwrap().linear + m * v.iter().sum::<DVec3>()
}

#[test]
fn what_liquid_loses_grains_get_and_every_run_has_the_same_bits() {
    for method in ["eos", "iisph", "dfsph"] {
        let keys = [format!("liquid.pressure.method={method}")];
        let mut whole = scene(A_DROP, &keys);
        let start = momentum(&whole);
        whole.advance_to(0.02, &mut []).unwrap();
        let mut saved = Vec::new();
        whole.save(&mut saved).unwrap();
        whole.advance_to(0.04, &mut []).unwrap();
        let error = momentum(&whole).distance(start) / start.length();
        let speed = vectors(whole.method("liquid").unwrap(), "velocity");
        let fastest = speed.iter().map(|v| v.x).fold(0.0, f64::max);
        println!("{method}: momentum off by {error:.1e}, liquid at {fastest:.2} m/s");
        assert!(error < 1e-9, "{method}: {error}");
        assert!(fastest > 0.05, "grains drag the liquid along");
        for threads in [1, 3] {
            let mut second = scene(A_DROP, &keys);
            second.load(&mut &saved[..]).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| second.advance_to(0.04, &mut [])).unwrap();
            assert_eq!(whole.state_hash(), second.state_hash(), "{method}, {threads} threads");
        }
    }
}
