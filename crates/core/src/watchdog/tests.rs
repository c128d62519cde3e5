//! Tests of the watchdog with prescribed matter.

use super::*;
use crate::body::{Body, Motion};
use crate::geometry::Aabb;
use crate::method::NewParticle;
use crate::puppets::Puppets;
use crate::simulation::{Outcome, RunError, TimeControl};
use crate::space::{Dimension, Leaving, Space};

const G: f64 = 10.0;

/// Ten by ten particles in the lower metre of a closed tank of 1 × 2 m, whose floor is at `floor` [m].
fn tank(floor: f64, strings: fn(&mut Puppets, &mut Environment, f64)) -> Simulation {
    let mut env = Environment::new(Space::unbounded(Dimension::Planar), -G * DVec3::Y);
    let (min, max) = (DVec3::new(0.0, floor, -1.0), DVec3::new(1.0, floor + 2.0, 1.0));
    env.bodies.push(Body::container("tank", min, max, [[false; 2]; 3]).unwrap());
    let site = |k: u32| DVec3::new(f64::from(k % 10), f64::from(k / 10), 0.0);
    let x: Vec<DVec3> =
        (0..100).map(|k| min + 0.1 * site(k) + DVec3::new(0.05, 0.05, 1.0)).collect();
    let puppets = Puppets::new(x, strings);
    let control = TimeControl { fixed: Some(1e-3), max: 1.0, growth: 2.0 };
    Simulation::new(env, vec![Box::new(puppets)], control)
}

/// Speeds grow by 1 m/s in each second.
fn heat(puppets: &mut Puppets, _env: &mut Environment, dt: f64) {
    puppets.v.iter_mut().for_each(|v| v.x += dt);
}

fn warnings(simulation: &Simulation) -> Vec<String> {
    simulation.findings().unwrap().warnings
}

#[test]
fn matter_at_rest_is_no_news() {
    let mut simulation = tank(0.0, |_, _, _| {});
    assert_eq!(simulation.advance_to(0.5, &mut []).unwrap(), Outcome::Finished);
    assert_eq!(simulation.findings().unwrap(), Findings::default());
}

/// The matter has 100 kg · 10 m/s² · 0.5 m = 500 J/m to move with: one percent is there at 0.32 m/s, all
/// of it again at 3.16 m/s. Where the height is zero does not matter.
#[test]
fn energy_out_of_nothing_is_told_and_then_stops_the_run() {
    for floor in [0.0, -5.0, 1e4] {
        let mut simulation = tank(floor, heat);
        simulation.advance_to(0.3, &mut []).unwrap();
        assert_eq!(warnings(&simulation), [""; 0]);
        simulation.advance_to(1.0, &mut []).unwrap();
        let [warning] = &warnings(&simulation)[..] else { panic!("not one warning") };
        assert!(warning.contains("grew by 50.00 J/m"), "{warning}");
        assert!(warning.contains(" 10.0 %") && warning.contains("since t = 0.3"), "{warning}");
        let error = simulation.advance_to(20.0, &mut []).unwrap_err();
        let RunError::Impossible { time, source: Alarm::Energy { growth, .. }, .. } = error else {
            panic!("{error}");
        };
        assert!((time - 10.0_f64.sqrt()).abs() < 0.1, "{time}");
        assert!((growth - 500.0).abs() < 10.0, "{growth}");
        assert!(error.to_string().contains("shorter steps"), "{error}");
    }
}

/// A run that was interrupted says what a run in a single go does.
#[test]
fn what_was_seen_goes_on_with_the_state() {
    let mut straight = tank(0.0, heat);
    straight.advance_to(0.7, &mut []).unwrap();
    let watch = straight.watch().clone();
    straight.advance_to(1.5, &mut []).unwrap();
    let mut resumed = tank(0.0, heat);
    resumed.advance_to(0.7, &mut []).unwrap();
    resumed.set_watchdog(watch);
    resumed.advance_to(1.5, &mut []).unwrap();
    assert_eq!(warnings(&straight), warnings(&resumed));
    assert_eq!(warnings(&straight).len(), 1);
}

#[test]
fn the_work_of_bodies_is_no_surprise() {
    let push = |puppets: &mut Puppets, env: &mut Environment, dt: f64| {
        heat(puppets, env, dt);
        // All of it comes from the tank: power = Σ m v a = F V.
        let power: f64 = puppets.v.iter().map(|v| v.x).sum();
        env.bodies[0].force = DVec3::new(-power / env.bodies[0].velocity.x, 0.0, 0.0);
        puppets.x.iter_mut().for_each(|x| x.x += dt);
    };
    let mut simulation = tank(0.0, push);
    let (velocity, stop) = (DVec3::X, f64::INFINITY);
    simulation.env.bodies[0].add_motion(Motion::Velocity { velocity, start: 0.0, stop });
    simulation.env.set_time(0.0);
    simulation.advance_to(5.0, &mut []).unwrap();
    assert_eq!(warnings(&simulation), [""; 0]);
}

#[test]
fn changes_from_outside_begin_anew() {
    let mut simulation = tank(0.0, |_, _, _| {});
    simulation.advance_to(0.1, &mut []).unwrap();
    let new = NewParticle { position: DVec3::new(0.5, 1.5, 0.0), velocity: 100.0 * DVec3::X };
    simulation.methods[0].insert(&[new]).unwrap();
    simulation.advance_to(0.2, &mut []).unwrap();
    simulation.env.gravity *= 7.0;
    simulation.advance_to(0.3, &mut []).unwrap();
    assert_eq!(warnings(&simulation), [""; 0]);
}

/// Falls and the motion at the start explain some 5 m/s.
#[test]
fn a_speed_that_nothing_explains() {
    let kick = |puppets: &mut Puppets, _: &mut Environment, dt: f64| puppets.v[0].x += 1e3 * dt;
    let mut simulation = tank(0.0, kick);
    // One particle of a hundred tons of water has not much energy.
    let water = Puppets::new(vec![DVec3::new(0.5, 1.0, 0.0); 100_000], |_, _, _| {});
    simulation.methods.push(Box::new(water));
    simulation.advance_to(0.1, &mut []).unwrap();
    let [warning] = &warnings(&simulation)[..] else { panic!("not one warning") };
    assert!(warning.starts_with("a particle moved at "), "{warning}");
    let error = simulation.advance_to(1.0, &mut []).unwrap_err();
    assert!(error.to_string().contains("gravity, bodies and emitters explain"), "{error}");
}

/// Particles from the left sink through the floor; nothing has an end there.
fn sink(puppets: &mut Puppets, env: &mut Environment, dt: f64) {
    let front = 0.5 + env.gravity.x;
    for x in puppets.x.iter_mut().filter(|x| x.x < front) {
        x.y -= dt;
    }
}

#[test]
fn matter_that_goes_through_a_body_is_counted() {
    let mut simulation = tank(0.0, sink);
    simulation.advance_to(1.0, &mut []).unwrap();
    let [warning] = &warnings(&simulation)[..] else { panic!("not one warning") };
    assert!(warning.starts_with("45 of 100 particles are inside or behind \"tank\""), "{warning}");
    assert!(warning.contains("(45 at most, since t = 0.1"), "{warning}");
}

#[test]
fn a_run_without_matter_has_failed() {
    // Gravity to the right moves the front of those that sink.
    for domain in [false, true] {
        let mut simulation = tank(0.0, sink);
        simulation.env.gravity.x = 1.0;
        if domain {
            let (min, max) = (DVec3::new(-1.0, -0.5, 0.0), DVec3::new(2.0, 3.0, 0.0));
            simulation.env.space.domain = Some(Aabb { min, max });
            simulation.env.space.leaving = Leaving::Remove;
        }
        let error = simulation.advance_to(5.0, &mut []).unwrap_err().to_string();
        assert!(
            error.contains("no matter is left") && error.contains("behind \"tank\""),
            "{error}"
        );
        assert!(error.contains("of 100 particles"), "{error}");
    }
}

#[test]
fn what_leaves_the_domain_is_counted_and_no_mistake() {
    let mut simulation =
        tank(0.0, |puppets, _, dt| puppets.x[..10].iter_mut().for_each(|x| x.x += dt));
    simulation.env.bodies.clear();
    let (min, max) = (DVec3::new(0.0, 0.0, 0.0), DVec3::new(1.0, 1.0, 0.0));
    simulation.env.space.domain = Some(Aabb { min, max });
    simulation.env.space.leaving = Leaving::Remove;
    simulation.advance_to(0.96, &mut []).unwrap();
    let Findings { warnings, notes } = simulation.findings().unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(notes, ["10 of 100 particles left the domain (since t = 0.0510 s)"]);
}
