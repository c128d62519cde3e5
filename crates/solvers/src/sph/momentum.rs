//! Momentum of liquid, free bodies and grains together, to the rounding of double precision.
//!
//! Sums over pairs are in single precision, so that a step loses some 1e−8 of the momentum that the pairs exchange.
//! With free bodies or grains a step therefore ends with a balance: what the liquid has now, less what it had, less the work of gravity
//! on it, plus what all bodies and grains got, should be nothing. What it is instead, rounding, is taken from all particles alike, as a rigid
//! motion: the bodies' forces stay what they are. Liquid alone is left as it is.

use super::{Liquid, Particles};
use glam::{DMat3, DVec3};
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::neighbors::CHUNK;
use rayon::prelude::*;

/// Sums over the particles of a chunk, over the mass of one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    /// Gained momentum, and angular momentum about the origin.
    linear: DVec3,
    angular: DVec3,
    /// Σ x and Σ x xᵀ.
    first: DVec3,
    second: DMat3,
}

impl Balance {
    fn add(&mut self, x: DVec3, v: DVec3, sign: f64) {
        self.linear += sign * v;
        self.angular += sign * x.cross(v);
    }

    fn join(self, other: &Self) -> Self {
        Self {
            linear: self.linear + other.linear,
            angular: self.angular + other.angular,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }
}

impl Liquid {
    /// Whether momentum is balanced in this step: not where particles are driven, or matter comes round.
    fn is_balanced(&self, env: &Environment) -> bool {
        let apart = self.space.periodic == [false; 3] && self.work.system.held.is_empty();
        let others = env.bodies.iter().any(Body::is_free);
        apart && (others || env.immersed.iter().any(|immersed| !immersed.is_empty()))
    }

    /// Takes note of the momentum at the beginning of a step, and of what gravity will add to it.
    pub(super) fn begin_balance(&mut self, env: &Environment, dt: f64) {
        if !self.is_balanced(env) {
            return;
        }
        let (x, v, fall) = (&self.particles.x, &self.particles.v, dt * env.gravity);
        self.work.reports.par_iter_mut().enumerate().for_each(|(chunk, report)| {
            for i in chunk * CHUNK..x.len().min((chunk + 1) * CHUNK) {
                report.balance.add(x[i], v[i] + fall, -1.0);
            }
        });
    }

    /// Takes from the particles what they have too much at the end of a step, when the bodies have got their forces.
    pub(super) fn end_balance(&mut self, env: &Environment, dt: f64) {
        if !self.is_balanced(env) {
            return;
        }
        let (x, v) = (&self.particles.x, &self.particles.v);
        self.work.reports.par_iter_mut().enumerate().for_each(|(chunk, report)| {
            for i in chunk * CHUNK..x.len().min((chunk + 1) * CHUNK) {
                let balance = &mut report.balance;
                balance.add(x[i], v[i], 1.0);
                balance.first += x[i];
                balance.second += outer(x[i]);
            }
        });
        let reports = self.work.reports.iter();
        let sum = reports.fold(Balance::default(), |sum, report| sum.join(&report.balance));
        let [mut linear, mut angular] = [sum.linear, sum.angular];
        for report in &self.work.reports {
            for (body, f) in env.bodies.iter().zip(&report.forces) {
                let force = DVec3::new(f[0], f[1], f[2]);
                let torque = DVec3::new(f[3], f[4], f[5]) + body.pose.position.cross(force);
                linear += dt / self.mass() * force;
                angular += dt / self.mass() * torque;
            }
        }
        let [force, torque] = self.work.system.suspension.exchanged();
        linear += dt / self.mass() * force;
        angular += dt / self.mass() * torque;
        let n = x.len() as f64;
        let middle = sum.first / n;
        let second = sum.second - outer(middle) * n;
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
        let turns = inertia.determinant() > 1e-9 * trace.powi(3);
        let angular = angular - middle.cross(linear);
        let omega = if turns { inertia.inverse() * angular } else { DVec3::ZERO };
        let drift = linear / n;
        let Particles { x, v, .. } = &mut self.particles;
        v.par_iter_mut().with_min_len(CHUNK).zip(&*x).for_each(|(v, x)| {
            *v -= drift + omega.cross(*x - middle);
        });
    }
}

/// a aᵀ.
fn outer(a: DVec3) -> DMat3 {
    DMat3::from_cols(a * a.x, a * a.y, a * a.z)
}
