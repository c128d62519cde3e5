//! Initial relaxation: liquid that is too dense next to a wall is moved before the first step.
//!
//! The particles of a wall that is bent, or of a mesh, do not go on where the liquid's lattice ends, and
//! liquid half a spacing in front of them can be a few percent too dense. A pressure system corrects that
//! within one step, however short, and so with any speed: liquid at the edges of a mesh started with
//! 2.2 m/s in steps of 2 ms, and with a kilometre a second in steps of a microsecond. Here the same
//! system moves the particles, and nothing gets a velocity from it. What is too dense by a ten-thousandth
//! stays, and would still be fast in a very short step: the first steps take a fraction of it only.

use super::config::{Iterations, LinearSolver};
use super::system::System;
use super::{Liquid, Particles};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::kernel::{CubicSplineLanes, KernelKind, LaneShape, WendlandC2Lanes};
use lawine_core::method::StepError;

/// Liquid that is denser than at rest by no more than this fraction is left alone.
const DENSE: f32 = 2e-4;

/// The most rounds.
const ROUNDS: usize = 20;

/// No particle moves further than this many spacings a round.
const FURTHEST: f64 = 0.1;

impl Liquid {
    /// Moves particles that are too dense apart and away from walls. To be called once all particles
    /// of the start are in place; where none is too dense it does nothing.
    ///
    /// # Errors
    /// When the neighbour search cannot work.
    pub fn settle(&mut self, env: &Environment) -> Result<(), StepError> {
        match self.config.kernel {
            KernelKind::CubicSpline => self.settle_with::<CubicSplineLanes>(env),
            KernelKind::WendlandC2 => self.settle_with::<WendlandC2Lanes>(env),
        }
    }

    fn settle_with<K: LaneShape>(&mut self, env: &Environment) -> Result<(), StepError> {
        let weightless = Environment { gravity: DVec3::ZERO, ..env.clone() };
        let solver = Iterations {
            tolerance: 1e-5,
            max: 100,
            linear_solver: LinearSolver::Accelerated,
            ..Iterations::default()
        };
        let furthest = FURTHEST * self.config.spacing;
        let mut last = f32::INFINITY;
        for _ in 0..ROUNDS {
            self.sort_by_cell(&weightless)?;
            self.assemble::<K>(0.0);
            let rho = self.particles.rho.iter().copied().fold(0.0, f32::max);
            let dense = rho / self.config.rest_density as f32 - 1.0;
            // Liquid without any room, as in a periodic box, does not get better.
            if dense < DENSE || dense > 0.95 * last {
                break;
            }
            last = dense;
            // What is left is taken back no faster than the liquid begins to fall.
            let gravity = env.gravity.length();
            if gravity > 0.0 {
                self.particles.correction_time = 0.25 * (self.config.spacing / gravity).sqrt();
            }
            // A step of one second from rest, of walls too: its accelerations are the ways to go.
            self.work.system.sums.iter_mut().for_each(|sums| sums.wall_rate = 0.0);
            let rest = vec![DVec3::ZERO; self.particles.x.len()];
            let v = std::mem::replace(&mut self.particles.v, rest);
            self.particles.p.fill(0.0);
            let solved = self.solve_density(1.0, 1.0, solver);
            let Particles { x, .. } = &mut self.particles;
            for (x, way) in x.iter_mut().zip(&self.work.system.vectors) {
                let way = DVec3::new(way[0].into(), way[1].into(), way[2].into());
                *x = self.space.wrap(*x + way.clamp_length_max(furthest));
            }
            self.particles.v = v;
            solved?;
        }
        // No step has been taken yet.
        self.particles.p.fill(0.0);
        self.particles.rho.fill(self.config.rest_density as f32);
        self.phases.reset();
        if !self.config.pressure.is_implicit() {
            self.work.system = System::default();
        }
        Ok(())
    }
}
