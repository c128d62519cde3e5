//! Motion of the grains, every grain for itself: half a step before the forces, half after. What other methods do to
//! grains is held over the step.

use glam::DVec3;
use lawine_core::neighbors::CHUNK;
use lawine_core::rigid::{Dependence, GearBody, RigidState};
use rayon::prelude::*;

use super::{Grains, Integrator};

impl Grains {
    /// Moves all grains by `dt` [s] in a field of gravity [m/s²], with the forces of the step before.
    /// The velocities that the new forces depend on are noted: those at the end of the step, as far
    /// as they are known.
    pub(super) fn move_grains(&mut self, gravity: DVec3, dt: f64) {
        let n = self.state.id.len();
        self.work.velocities.resize(n, [DVec3::ZERO; 2]);
        match self.config.integrator {
            Integrator::Symplectic => self.kick_and_drift(gravity, dt),
            Integrator::Gear { values, on } => self.predict((values, on), gravity, dt),
        }
    }

    /// Finishes the step with the new forces.
    pub(super) fn finish_motion(&mut self, gravity: DVec3, dt: f64) {
        match self.config.integrator {
            Integrator::Symplectic => self.kick(gravity, dt),
            Integrator::Gear { values, on } => self.correct((values, on), gravity),
        }
    }

    /// Velocity Verlet with the symplectic rotation, up to the new positions.
    fn kick_and_drift(&mut self, gravity: DVec3, dt: f64) {
        let (inertias, space) = (&self.inertias, &self.space);
        let state = &mut self.state;
        let columns = state
            .x
            .par_chunks_mut(CHUNK)
            .zip(state.v.par_chunks_mut(CHUNK))
            .zip(state.q.par_chunks_mut(CHUNK))
            .zip(state.l.par_chunks_mut(CHUNK))
            .zip(self.work.velocities.par_chunks_mut(CHUNK))
            .zip(state.force.par_chunks(CHUNK).zip(state.torque.par_chunks(CHUNK)))
            .zip(self.work.held.par_chunks(CHUNK))
            .zip(state.shape.par_chunks(CHUNK));
        columns.for_each(|(((((((x, v), q), l), velocities), (force, torque)), held), shape)| {
            for i in 0..x.len() {
                let inertia = &inertias[shape[i] as usize];
                let force = inertia.mass * gravity + (force[i] + held[i][0]);
                let torque = torque[i] + held[i][1];
                let mut body = RigidState { x: x[i], v: v[i], q: q[i], l: l[i] };
                body.kick(inertia, force, torque, dt);
                body.drift(inertia, dt);
                (x[i], v[i], q[i], l[i]) = (space.wrap(body.x), body.v, body.q, body.l);
                body.kick(inertia, force, torque, dt);
                velocities[i] = [body.v, body.omega(inertia)];
            }
        });
    }

    /// The second kick.
    fn kick(&mut self, gravity: DVec3, dt: f64) {
        let inertias = &self.inertias;
        let state = &mut self.state;
        let columns = state
            .v
            .par_chunks_mut(CHUNK)
            .zip(state.l.par_chunks_mut(CHUNK))
            .zip(state.omega.par_chunks_mut(CHUNK))
            .zip(state.q.par_chunks(CHUNK))
            .zip(state.force.par_chunks(CHUNK).zip(state.torque.par_chunks(CHUNK)))
            .zip(self.work.held.par_chunks(CHUNK))
            .zip(state.shape.par_chunks(CHUNK));
        columns.for_each(|((((((v, l), omega), q), (force, torque)), held), shape)| {
            for i in 0..v.len() {
                let inertia = &inertias[shape[i] as usize];
                let force = inertia.mass * gravity + (force[i] + held[i][0]);
                let mut body = RigidState { x: DVec3::ZERO, v: v[i], q: q[i], l: l[i] };
                body.kick(inertia, force, torque[i] + held[i][1], dt);
                (v[i], l[i], omega[i]) = (body.v, body.l, body.omega(inertia));
            }
        });
    }

    /// Gear's predictor. The number of values was checked with the configuration; with a wrong one
    /// nothing would move.
    fn predict(&mut self, kind: (usize, Dependence), gravity: DVec3, dt: f64) {
        let (inertias, space) = (&self.inertias, &self.space);
        let state = &mut self.state;
        let columns = state
            .x
            .par_iter_mut()
            .zip(state.v.par_iter())
            .zip(state.q.par_iter_mut())
            .zip(state.omega.par_iter())
            .zip(state.gear.par_chunks_mut(GearBody::numbers(kind.0)))
            .zip(self.work.velocities.par_iter_mut())
            .zip(state.shape.par_iter())
            .with_min_len(CHUNK);
        columns.for_each(|((((((x, v), q), omega), numbers), velocities), shape)| {
            let moments = inertias[*shape as usize].moments;
            let body = if numbers[0] > 0.0 {
                GearBody::read(kind, moments, numbers)
            } else {
                GearBody::new(kind, [*x, *v, gravity], (*q, *omega), moments, dt)
            };
            debug_assert!(body.is_ok());
            if let Ok(mut body) = body {
                body.set_step(dt);
                body.predict();
                body.set_position(space.wrap(body.position()));
                (*x, *q) = (body.position(), body.orientation());
                *velocities = [body.velocity(), body.omega()];
                body.write(numbers);
            }
        });
    }

    /// Gear's corrector.
    fn correct(&mut self, kind: (usize, Dependence), gravity: DVec3) {
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
            .zip(state.force.par_iter().zip(state.torque.par_iter()))
            .zip(self.work.held.par_iter())
            .zip(state.shape.par_iter())
            .with_min_len(CHUNK);
        columns.for_each(
            |((((((((x, v), q), l), omega), numbers), (force, torque)), held), shape)| {
                let inertia = &inertias[*shape as usize];
                let moments = inertia.moments;
                if let Ok(mut body) = GearBody::read(kind, moments, numbers) {
                    let force = *force + held[0];
                    body.correct(gravity + force / inertia.mass, *torque + held[1]);
                    body.set_position(space.wrap(body.position()));
                    (*x, *v) = (body.position(), body.velocity());
                    (*q, *omega) = (body.orientation(), body.omega());
                    *l = *q * (moments * (q.conjugate() * *omega));
                    body.write(numbers);
                }
            },
        );
    }
}
