//! The step of the grains.

use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::method::{StepError, StepReport};
use lawine_core::neighbors::CHUNK;
use lawine_core::space::Leaving;
use rayon::prelude::*;
use web_time::Instant;

use super::contact::mark;
use super::narrow::{Pose, Scratch, closest_parts};
use super::{Grains, Neighbors, PHASES};

// Places in PHASES.
const MOTION: usize = 0;
const BOXES: usize = 1;
const PAIRS: usize = 2;
const DISTANCES: usize = 3;
const FORCES: usize = 4;
const _: () = assert!(PHASES.len() == FORCES + 1);

/// A shared step has at most so many sub-steps: it is far too long for more.
const MAX_STEPS: f64 = 1e5;

/// A sub-step.
#[derive(Clone, Copy)]
pub(super) struct SubStep {
    /// Its length [s].
    pub(super) dt: f64,
    /// When it ends, from the beginning of the shared step [s].
    pub(super) end: f64,
    /// The fraction of the shared step that it is.
    pub(super) fraction: f64,
}

impl SubStep {
    /// A step of its own, `dt` [s] long.
    pub(super) fn whole(dt: f64) -> Self {
        Self { dt, end: dt, fraction: 1.0 }
    }
}

impl Grains {
    /// A step; a shared one in sub-steps, with what other methods do to grains and free bodies held over it.
    pub(super) fn make_step(
        &mut self,
        env: &mut Environment,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.gravity = env.gravity;
        self.begin_step(env);
        let may_touch = self.is_shared && self.may_touch(env, dt);
        let (mut report, mut done) = (StepReport::default(), 0.0);
        loop {
            let left: f64 = dt - done;
            let limit = if self.is_shared { self.limit(env, left, may_touch).dt } else { left };
            let count = (left / limit).ceil().clamp(1.0, MAX_STEPS);
            let dt_own = left / count;
            let end = done + dt_own;
            let step = SubStep { dt: dt_own, end, fraction: dt_own / dt };
            report = report.merge(self.sub_step(env, step)?);
            if count <= 1.0 {
                break;
            }
            done = end;
        }
        self.find_energies();
        self.end_step(env, dt);
        Ok(report)
    }

    fn sub_step(&mut self, env: &mut Environment, step: SubStep) -> Result<StepReport, StepError> {
        let start = Instant::now();
        let dt = step.dt;
        self.move_grains(env.gravity, dt);
        self.hold_bodies(env, dt);
        let report = self.check_grains(dt)?;
        let start = self.phases.lap(MOTION, start);
        self.find_boxes();
        let start = self.phases.lap(BOXES, start);
        self.find_pairs();
        let start = self.phases.lap(PAIRS, start);
        self.find_distances();
        self.find_walls(env, step.end);
        let start = self.phases.lap(DISTANCES, start);
        self.find_forces(env, step);
        let start = self.phases.lap(FORCES, start);
        self.finish_motion(env.gravity, dt);
        self.hold_bodies(env, dt);
        self.phases.lap(MOTION, start);
        Ok(report)
    }

    /// Stops at numbers that are not finite, and sees to grains that left the domain.
    fn check_grains(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let state = &mut self.state;
        let mut report = StepReport::default();
        let mut outside = None;
        let first = self.bodies.len();
        for i in first..state.id.len() {
            let id = state.id[i];
            let broken = |field| StepError::NotFinite { field, id, dt };
            if !(state.x[i].is_finite() && state.v[i].is_finite()) {
                return Err(broken("position"));
            }
            if !(state.q[i].is_finite() && state.omega[i].is_finite()) {
                return Err(broken("orientation"));
            }
            report.max_speed = report.max_speed.max(state.v[i].length());
            if !self.space.contains(state.x[i]) {
                outside = outside.or(Some(i));
            }
        }
        if let Some(i) = outside {
            if self.space.leaving == Leaving::Error {
                let (id, position) = (state.id[i], state.x[i]);
                return Err(StepError::LeftDomain { id, position });
            }
            let stays = |(i, &x): (usize, &DVec3)| i < first || self.space.contains(x);
            let keep: Vec<bool> = state.x.iter().enumerate().map(stays).collect();
            report.removed = self.keep_grains(&keep);
        }
        Ok(report)
    }

    /// The kinetic energy and the volume of every grain.
    pub(super) fn find_energies(&mut self) {
        let (state, inertias) = (&self.state, &self.inertias);
        self.volumes.clear();
        self.volumes.extend(state.shape.iter().map(|&shape| self.shapes[shape as usize].volume));
        self.kinetic.resize(state.id.len(), 0.0);
        let chunks = self.kinetic.par_chunks_mut(CHUNK).enumerate();
        chunks.for_each(|(chunk, kinetic)| {
            for (i, kinetic) in (chunk * CHUNK..).zip(kinetic) {
                *kinetic = state.rigid(i).kinetic_energy(&inertias[state.shape[i] as usize]);
            }
        });
    }

    /// The box around every grain.
    pub(super) fn find_boxes(&mut self) {
        let (state, work, config) = (&self.state, &mut self.work, &self.config);
        let n = state.id.len();
        work.extremes.resize(n, [0; 6]);
        work.poses.resize(n, Pose::new(DVec3::ZERO, glam::DQuat::IDENTITY));
        work.boxes.resize(n, Aabb::EMPTY);
        let shapes = &self.shapes;
        let chunks = work
            .poses
            .par_chunks_mut(CHUNK)
            .zip(work.boxes.par_chunks_mut(CHUNK))
            .zip(work.extremes.par_chunks_mut(CHUNK))
            .enumerate();
        chunks.for_each(|(chunk, ((poses, boxes), extremes))| {
            for k in 0..poses.len() {
                let i = chunk * CHUNK + k;
                poses[k] = Pose::new(state.x[i], state.q[i]);
                let shape = &shapes[state.shape[i] as usize];
                boxes[k] = config.boxes.bounds(shape, &poses[k], &mut extremes[k]);
                boxes[k] = boxes[k].grow(config.margin);
            }
        });
    }

    /// The pairs whose boxes overlap; those of the last step keep their closest features.
    pub(super) fn find_pairs(&mut self) {
        let work = &mut self.work;
        std::mem::swap(&mut work.neighbors, &mut work.spare);
        work.neighbors.clear();
        let pairs = work.broad.update(&work.boxes, &self.space);
        let mut old = work.spare.iter().peekable();
        for &pair in pairs {
            while old.next_if(|n| n.pair < pair).is_some() {}
            let known = old.next_if(|n| n.pair == pair);
            work.neighbors.push(known.copied().unwrap_or_else(|| Neighbors::new(pair)));
        }
        mark(&mut work.neighbors, &self.state.contacts, false);
    }

    /// The closest features of every pair, the second grain at its nearest image.
    pub(super) fn find_distances(&mut self) {
        let (state, space, shapes) = (&self.state, &self.space, &self.shapes);
        let poses = &self.work.poses;
        let wet = self.rules.as_ref().is_some_and(|rules| rules.bridges.is_some());
        let chunks = self.work.neighbors.par_chunks_mut(CHUNK);
        chunks.for_each_init(Scratch::default, |scratch, neighbors| {
            for neighbor in neighbors.iter_mut().filter(|n| wet || !n.touching) {
                let [i, j] = neighbor.pair.map(|k| k as usize);
                let (a, mut b) = (poses[i], poses[j]);
                b.position = a.position + space.difference(b.position, a.position);
                let shape = |k: usize| &*shapes[state.shape[k] as usize];
                let bodies = [(shape(i), &a), (shape(j), &b)];
                neighbor.closest = closest_parts(bodies, &mut neighbor.track, scratch);
            }
        });
    }
}
