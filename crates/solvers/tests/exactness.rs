//! What must hold to the bit, or to rounding.

mod common;

use common::{
    block, column, liquid, pressure_methods, simulation, small_dam, tank, water, with_threads,
};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::kernel::KernelKind;
use lawine_core::method::NewParticle;
use lawine_core::neighbors::SearchKind;
use lawine_core::simd::Level;
use lawine_core::simulation::Simulation;
use lawine_core::space::{Dimension, Space};
use lawine_solvers::sph::{Config, PressureMethod};

#[test]
fn one_thread_and_two_give_the_same_bits() {
    for pressure in pressure_methods(30.0) {
        let run = |threads| {
            with_threads(threads, || {
                let mut dam = small_dam(|c| Config { pressure, ..c });
                dam.advance_to(0.25, &mut []).unwrap();
                let body = &dam.env.bodies[0];
                (dam.steps(), dam.state_hash(), body.force.to_array(), body.torque.to_array())
            })
        };
        let one = run(1);
        assert!(one.0 > 20);
        assert_eq!(one, run(2), "{pressure:?}");
        assert_eq!(one, run(3), "{pressure:?}");
    }
}

#[test]
fn portable_and_avx2_give_the_same_bits() {
    let kernels = [KernelKind::CubicSpline, KernelKind::WendlandC2];
    let all = kernels.into_iter().flat_map(|k| pressure_methods(30.0).map(|p| (k, p)));
    for (kernel, pressure) in all {
        let run = |level| {
            let env = tank(Dimension::Full, DVec3::new(1.2, 1.0, 0.5));
            let config = Config { kernel, pressure, ..water(0.05, 30.0) };
            let mut liquid = liquid(config, &env, &block(DVec3::ZERO, [10, 14, 10], 0.05));
            liquid.set_level(level);
            let mut dam = simulation(env, liquid);
            dam.advance_to(0.05, &mut []).unwrap();
            dam.state_hash()
        };
        assert_eq!(run(Level::Portable), run(Level::detect()), "{kernel:?} {pressure:?}");
    }
}

#[test]
fn saving_and_loading_changes_nothing() {
    for pressure in pressure_methods(30.0) {
        let dam = || small_dam(|c| Config { pressure, ..c });
        let mut straight = dam();
        straight.advance_to(0.1, &mut []).unwrap();
        let mut saved = Vec::new();
        straight.save(&mut saved).unwrap();
        straight.advance_to(0.2, &mut []).unwrap();

        let mut resumed = dam();
        resumed.load(&mut &saved[..]).unwrap();
        resumed.advance_to(0.2, &mut []).unwrap();
        assert_eq!(straight.steps(), resumed.steps(), "{pressure:?}");
        assert_eq!(straight.state_hash(), resumed.state_hash(), "{pressure:?}");
    }
}

#[test]
fn planar_stays_planar_to_the_bit() {
    for pressure in pressure_methods(30.0) {
        let env = tank(Dimension::Planar, DVec3::new(1.0, 1.0, 0.0));
        let config = Config { pressure, ..water(0.02, 30.0) };
        let liquid = liquid(config, &env, &block(DVec3::ZERO, [20, 30, 1], 0.02));
        let mut dam = simulation(env, liquid);
        dam.advance_to(0.5, &mut []).unwrap();
        for field in ["position", "velocity"] {
            // Minus zero is a zero too.
            let flat = |z: &f64| z.to_bits() << 1 == 0;
            assert!(column(&dam, field, 2).iter().all(flat), "{field}, {pressure:?}");
        }
    }
}

/// A shaken blob without walls or gravity.
fn free_blob(dimension: Dimension, pressure: PressureMethod) -> Simulation {
    let env = Environment::new(Space::unbounded(dimension), DVec3::ZERO);
    let d = 0.05;
    let planar = dimension == Dimension::Planar;
    // Squeezed, so that it expands; a pressure system would undo that in a single step.
    let squeeze = if pressure.is_implicit() { 1.0 } else { 0.9 };
    let mut particles = block(DVec3::ZERO, [9, 9, if planar { 1 } else { 9 }], squeeze * d);
    for (i, particle) in particles.iter_mut().enumerate() {
        let r = |k: u32| {
            f64::from((i as u32).wrapping_mul(2_654_435_761).rotate_left(k) % 1000) / 1000.0 - 0.5
        };
        let random = DVec3::new(r(1), r(11), if planar { 0.0 } else { r(21) });
        particle.position += 0.1 * d * random;
        particle.velocity = random + DVec3::new(3.0, -1.0, 0.0);
    }
    let liquid = liquid(Config { pressure, ..water(d, 20.0) }, &env, &particles);
    simulation(env, liquid)
}

#[test]
fn momentum_is_kept_without_walls() {
    let dimensions = [Dimension::Planar, Dimension::Full];
    let all = dimensions.into_iter().flat_map(|d| pressure_methods(20.0).map(|p| (d, p)));
    for (dimension, pressure) in all {
        let mut blob = free_blob(dimension, pressure);
        let momentum = |s: &Simulation| {
            DVec3::from_array(std::array::from_fn(|k| column(s, "velocity", k).iter().sum()))
        };
        let angular = |s: &Simulation| -> DVec3 {
            let v: Vec<_> = (0..3).map(|k| column(s, "velocity", k)).collect();
            let x: Vec<_> = (0..3).map(|k| column(s, "position", k)).collect();
            (0..v[0].len())
                .map(|i| {
                    DVec3::new(x[0][i], x[1][i], x[2][i])
                        .cross(DVec3::new(v[0][i], v[1][i], v[2][i]))
                })
                .sum()
        };
        let (before, spin) = (momentum(&blob), angular(&blob));
        blob.advance_to(0.2, &mut []).unwrap();
        let n = blob.particle_count() as f64;
        // Rounding of single-precision sums: a millionth of the speed it moves with.
        let lost = (momentum(&blob) - before).length() / n;
        assert!(lost < 3e-6, "{dimension:?}, {pressure:?}: {lost}");
        let lost = (angular(&blob) - spin).length() / n;
        assert!(lost < 3e-6, "{dimension:?}, {pressure:?}: {lost}");
        let spread = column(&blob, "position", 1);
        let height = spread.iter().fold(f64::MIN, |a, &b| a.max(b))
            - spread.iter().fold(f64::MAX, |a, &b| a.min(b));
        assert!(height > 0.42, "the squeezed blob has expanded: {height}");
    }
}

#[test]
fn all_searches_lead_to_the_same_flow() {
    let run = |search| {
        let mut dam = small_dam(|c| Config { search, ..c });
        dam.advance_to(0.1, &mut []).unwrap();
        let (id, x) = (column(&dam, "id", 0), column(&dam, "position", 0));
        let mut x: Vec<_> = id.into_iter().zip(x).collect();
        x.sort_by(|a, b| a.0.total_cmp(&b.0));
        x
    };
    let grid = run(SearchKind::Grid);
    for search in [SearchKind::Hash, SearchKind::BruteForce] {
        for (a, b) in grid.iter().zip(run(search)) {
            // The order of summation differs, nothing else.
            assert!((a.1 - b.1).abs() < 1e-6, "{search:?}: {a:?} {b:?}");
        }
    }
}

#[test]
fn particles_come_and_go_between_steps() {
    let mut dam = small_dam(|c| c);
    dam.advance_to(0.02, &mut []).unwrap();
    let method = &mut dam.methods[0];
    let before = method.particle_count();
    let new = NewParticle { position: DVec3::new(1.0, 0.8, 0.25), velocity: DVec3::ZERO };
    method.insert(&[new; 1]).unwrap();
    let removed = method.remove(&|x| x.x < 0.1);
    assert!(removed > 100 && method.particle_count() == before + 1 - removed);
    assert!(method.insert(&[NewParticle { position: DVec3::NAN, ..new }]).is_err());
    dam.advance_to(0.04, &mut []).unwrap();
    let mut ids = column(&dam, "id", 0);
    ids.sort_by(f64::total_cmp);
    ids.dedup();
    assert_eq!(ids.len(), before + 1 - removed, "identifiers stay unique");
    assert_eq!(ids.last().copied(), Some(before as f64));
}

/// A box that repeats itself has no ends: where its seam lies makes no difference. Forces did not
/// reach across it once, and the liquid gained energy from there.
#[test]
fn a_periodic_seam_is_nowhere() {
    let (d, n) = (0.02, 12);
    let size = f64::from(n) * d;
    let run = |shift: DVec3, search| {
        let mut space = Space::unbounded(Dimension::Planar);
        space.domain = Some(lawine_core::geometry::Aabb {
            min: DVec3::new(-0.5 * size, 0.0, 0.0),
            max: DVec3::new(0.5 * size, size, 0.0),
        });
        space.periodic = [true, true, false];
        let env = Environment::new(space, DVec3::ZERO);
        let mut particles = block(DVec3::ZERO, [n, n, 1], d);
        for (k, particle) in particles.iter_mut().enumerate() {
            let wave = DVec3::new((0.7 * k as f64).sin(), (1.3 * k as f64).cos(), 0.0);
            particle.velocity = 0.3 * wave;
            particle.position = space.wrap(particle.position + shift);
        }
        let config = Config { search, viscosity: 0.0, ..water(d, 10.0) };
        let liquid = liquid(config, &env, &particles);
        let mut simulation = simulation(env, liquid);
        let before = simulation.methods[0].energy(&simulation.env).kinetic;
        simulation.advance_to(0.05, &mut []).unwrap();
        let after = simulation.methods[0].energy(&simulation.env).kinetic;
        assert!(after < 1.01 * before, "energy from nothing: {before} to {after} J/m");
        assert!(after > 0.3 * before, "energy into nothing: {before} to {after} J/m");
        let mut by_id: Vec<(u32, DVec3)> = column(&simulation, "id", 0)
            .into_iter()
            .zip(column(&simulation, "velocity", 0).into_iter().zip(column(
                &simulation,
                "velocity",
                1,
            )))
            .map(|(id, (u, v))| (id as u32, DVec3::new(u, v, 0.0)))
            .collect();
        by_id.sort_by_key(|&(id, _)| id);
        by_id
    };
    let middle = run(DVec3::ZERO, SearchKind::Grid);
    for search in [SearchKind::Grid, SearchKind::Hash, SearchKind::BruteForce] {
        let moved = run(DVec3::new(0.0713, 0.1137, 0.0), search);
        for ((a, u), (b, v)) in middle.iter().zip(&moved) {
            assert_eq!(a, b);
            assert!((*u - *v).length() < 2e-3, "{search:?}, particle {a}: {u} and {v}");
        }
    }
}
