//! Implicit viscosity: the explicit result at short steps, stability at long ones.

mod common;

use common::{block, column, liquid, pressure_methods, simulation, tank, water, with_threads};
use glam::DVec3;
use lawine_core::simulation::Simulation;
use lawine_core::space::Dimension;
use lawine_solvers::sph::{Config, Liquid, PressureMethod, ViscositySolver};

const D: f64 = 0.05;

/// A block of thick liquid that slumps in a tank.
fn slump(pressure: PressureMethod, viscosity: f64, solver: ViscositySolver) -> Simulation {
    let env = tank(Dimension::Planar, DVec3::new(1.5, 1.0, 0.0));
    let config = Config {
        pressure,
        viscosity,
        wall_viscosity: viscosity,
        viscosity_solver: solver,
        ..water(D, 30.0)
    };
    let liquid = liquid(config, &env, &block(DVec3::ZERO, [10, 12, 1], D));
    simulation(env, liquid)
}

/// The explicit limit of the step [s].
fn explicit_limit(viscosity: f64) -> f64 {
    0.125 * D * D / viscosity
}

#[test]
fn short_steps_give_the_explicit_result() {
    for pressure in pressure_methods(30.0) {
        let run = |solver| {
            let mut slump = slump(pressure, 0.2, solver);
            slump.control.fixed = Some(2.5e-4);
            slump.advance_to(0.25, &mut []).unwrap();
            // Pressures differ from step to step by what their tolerance allows: take many.
            let mut force = DVec3::ZERO;
            for k in 1..=200 {
                slump.advance_to(0.25 + 2.5e-4 * f64::from(k), &mut []).unwrap();
                force += slump.env.bodies[0].force / 200.0;
            }
            let n = slump.particle_count() as f64;
            let mean = |k| column(&slump, "position", k).iter().sum::<f64>() / n;
            (DVec3::new(mean(0), mean(1), 0.0), force)
        };
        let (explicit, implicit) = (run(ViscositySolver::Explicit), run(ViscositySolver::Implicit));
        let moved = (explicit.0 - DVec3::new(5.0, 6.0, 0.0) * D).length();
        let difference = (explicit.0 - implicit.0).length() / moved;
        assert!(moved > 0.02 && difference < 0.03, "{pressure:?}: {difference} of {moved} m");
        let force = (explicit.1 - implicit.1).length() / explicit.1.length();
        assert!(force < 0.05, "{pressure:?}: {} {}", explicit.1, implicit.1);
    }
}

#[test]
fn steps_of_ten_times_the_explicit_limit_are_stable() {
    // The systems, since sound would limit the step otherwise.
    for pressure in &pressure_methods(30.0)[1..] {
        let viscosity = 2.0;
        let mut slump = slump(*pressure, viscosity, ViscositySolver::Implicit);
        let dt = 10.0 * explicit_limit(viscosity);
        slump.control.fixed = Some(dt);
        slump.advance_to(0.5, &mut []).unwrap();
        let speed = column(&slump, "velocity", 1).iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        assert!(speed < 0.3, "{pressure:?}: {speed} m/s");
        let top = column(&slump, "position", 1).into_iter().fold(0.0, f64::max);
        assert!(top > 0.4 && top < 0.6, "thick liquid sinks slowly: {top} m");
    }
}

#[test]
fn threads_do_not_change_the_bits() {
    let hash = |threads| {
        with_threads(threads, || {
            let pressure = pressure_methods(30.0)[1];
            let mut slump = slump(pressure, 1.0, ViscositySolver::Implicit);
            slump.advance_to(0.1, &mut []).unwrap();
            slump.state_hash()
        })
    };
    assert_eq!(hash(1), hash(3));
}

#[test]
fn the_solver_needs_viscosity() {
    let env = tank(Dimension::Planar, DVec3::ONE);
    let config =
        Config { viscosity: 0.0, viscosity_solver: ViscositySolver::Implicit, ..water(D, 30.0) };
    let error = Liquid::new(config, &env).err().unwrap().to_string();
    assert!(error.contains("liquid.viscosity = 0 is not allowed"), "{error}");
}
