//! Motion of the grains, every grain for itself.

use glam::DVec3;
use lawine_core::neighbors::CHUNK;
use lawine_core::rigid::{Dependence, GearBody, GearError, RigidState};
use rayon::prelude::*;

use super::{Grains, Integrator};

impl Grains {
    /// Moves all grains by `dt` [s] in a field of gravity [m/s²].
    pub(super) fn move_grains(&mut self, gravity: DVec3, dt: f64) {
        match self.config.integrator {
            Integrator::Symplectic => self.move_symplectic(gravity, dt),
            Integrator::Gear { values, on } => self.move_by_gear((values, on), gravity, dt),
        }
    }

    /// Velocity Verlet with the symplectic rotation.
    fn move_symplectic(&mut self, gravity: DVec3, dt: f64) {
        let (inertias, space) = (&self.inertias, &self.space);
        let state = &mut self.state;
        let columns = state
            .x
            .par_chunks_mut(CHUNK)
            .zip(state.v.par_chunks_mut(CHUNK))
            .zip(state.q.par_chunks_mut(CHUNK))
            .zip(state.l.par_chunks_mut(CHUNK))
            .zip(state.omega.par_chunks_mut(CHUNK))
            .zip(state.shape.par_chunks(CHUNK));
        columns.for_each(|(((((x, v), q), l), omega), shape)| {
            for i in 0..x.len() {
                let inertia = &inertias[shape[i] as usize];
                let force = inertia.mass * gravity;
                let mut body = RigidState { x: x[i], v: v[i], q: q[i], l: l[i] };
                body.kick(inertia, force, DVec3::ZERO, dt);
                body.drift(inertia, dt);
                body.kick(inertia, force, DVec3::ZERO, dt);
                (x[i], v[i], q[i], l[i]) = (space.wrap(body.x), body.v, body.q, body.l);
                omega[i] = body.omega(inertia);
            }
        });
    }

    /// Gear's predictor and corrector. The number of values was checked with the configuration; with
    /// a wrong one nothing would move.
    fn move_by_gear(&mut self, kind: (usize, Dependence), gravity: DVec3, dt: f64) {
        let (inertias, space) = (&self.inertias, &self.space);
        let state = &mut self.state;
        let columns = state
            .x
            .par_iter_mut()
            .zip(state.v.par_iter_mut())
            .zip(state.q.par_iter_mut())
            .zip(state.l.par_iter_mut())
            .zip(state.omega.par_iter_mut())
            .zip(state.gear.par_chunks_mut(GearBody::numbers(kind.0)))
            .zip(state.shape.par_iter())
            .with_min_len(CHUNK);
        columns.for_each(|((((((x, v), q), l), omega), numbers), shape)| {
            let moments = inertias[*shape as usize].moments;
            let body = if numbers[0] > 0.0 {
                GearBody::read(kind, moments, numbers)
            } else {
                GearBody::new(kind, [*x, *v, gravity], (*q, *omega), moments, dt)
            };
            let moved: Result<(), GearError> = body.map(|mut body| {
                body.set_step(dt);
                body.step(|_| (gravity, DVec3::ZERO));
                body.set_position(space.wrap(body.position()));
                (*x, *v) = (body.position(), body.velocity());
                (*q, *omega) = (body.orientation(), body.omega());
                *l = *q * (moments * (q.conjugate() * *omega));
                body.write(numbers);
            });
            debug_assert!(moved.is_ok());
        });
    }
}
