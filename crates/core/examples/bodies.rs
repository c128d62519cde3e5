//! Shows how to ask a body that moves by script for its signed distance, its normal and its velocity.
//! `cargo run -p lawine-core --example bodies`
#![allow(clippy::print_stdout, reason = "an example that prints")]

use glam::DVec3;
use lawine_core::body::{Body, BodyError, Motion};

fn main() -> Result<(), BodyError> {
    // A box of 2 m × 1 m × 1 m that turns about z through its centre, once in four seconds.
    let mut paddle =
        Body::cuboid("paddle", DVec3::new(-1.0, -0.5, -0.5), DVec3::new(1.0, 0.5, 0.5))?;
    paddle.add_motion(Motion::Rotation {
        axis: DVec3::Z,
        point: DVec3::ZERO,
        rate: 0.25 * std::f64::consts::TAU,
        start: 0.0,
        stop: f64::INFINITY,
    });
    let point = DVec3::new(0.0, 1.2, 0.0);
    println!("seen from {point}:");
    println!("time [s]  distance [m]  normal                   velocity of the surface [m/s]");
    for step in 0..=4 {
        let time = 0.25 * f64::from(step);
        paddle.set_time(time);
        let found = paddle.signed_distance(point);
        let foot = point - found.distance * found.normal;
        println!(
            "{time:8.2}  {:12.3}  {:22.2}  {:.2}",
            found.distance,
            found.normal,
            paddle.velocity_at(foot)
        );
    }
    Ok(())
}
