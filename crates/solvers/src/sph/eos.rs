//! Pressure from density by an equation of state: Hunkler 3.1, Meiers 3.5.2.

use super::Liquid;
use super::chunk::Search;
use super::pairs::{Chunk, Surroundings};
use super::step::{FORCES, PRESSURE, with_scratch};
use super::sweeps::{Acceleration, Density};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::kernel::LaneShape;
use lawine_core::method::{StepError, StepReport};
use lawine_core::neighbors::CHUNK;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::sync::OnceLock;
use web_time::Instant;

/// The law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Equation {
    /// p = k (ρ/ρ0 − 1), Hunkler (3.1).
    Linear,
    /// p = k/γ ((ρ/ρ0)^γ − 1), Cole 1948, Monaghan 1994: the same stiffness at rest, stiffer when
    /// compressed.
    Tait {
        /// γ, 7 for water.
        exponent: f64,
    },
}

/// An equation of state with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateEquation {
    /// The law.
    pub equation: Equation,
    /// Stiffness k [Pa]: the bulk modulus ρ0 c² at rest.
    pub stiffness: f64,
    /// True: no negative pressures. Particles at the surface lack neighbours, and a negative
    /// pressure would pull them together.
    pub clamp: bool,
}

impl StateEquation {
    /// Pressure [Pa] at ρ/ρ0.
    #[inline(always)]
    pub fn pressure(&self, relative_density: f64) -> f64 {
        let p = match self.equation {
            Equation::Linear => self.stiffness * (relative_density - 1.0),
            Equation::Tait { exponent } => {
                self.stiffness / exponent * (relative_density.powf(exponent) - 1.0)
            }
        };
        if self.clamp { p.max(0.0) } else { p }
    }

    /// Speed of sound at rest [m/s].
    pub fn sound_speed(&self, rest_density: f64) -> f64 {
        (self.stiffness / rest_density).sqrt()
    }
}

impl Liquid {
    /// One step: Hunkler, Algorithm 9.
    pub(super) fn step_eos<K: LaneShape>(
        &mut self,
        env: &mut Environment,
        dt: f64,
        law: StateEquation,
    ) -> Result<StepReport, StepError> {
        self.sort_by_cell(env)?;
        // Its steps are so short that pressure cannot move the mouth of an emitter.
        self.held.clear();
        self.begin_balance(env, dt);
        self.fill_walls::<K>();
        self.compute_density::<K>();
        self.compute_pressure(law);
        self.press_films(env);
        self.press_walls();
        self.apply_surface::<K>(dt);
        self.apply_viscosity::<K>(dt)?;
        self.accelerate_and_move::<K>(env, dt);
        let reports = &self.work.reports;
        let pressed: u32 = reports.iter().map(|r| r.pressed).sum();
        let sum: f64 = reports.iter().map(|r| r.error_sum).sum();
        let max = reports.iter().map(|r| r.error_max).fold(0.0, f64::max);
        let report = self.collect_reports(env, dt)?;
        Ok(StepReport {
            mean_density_error: if pressed > 0 { sum / f64::from(pressed) } else { 0.0 },
            max_density_error: max,
            ..report
        })
    }

    /// Neighbours and densities in one pass, chunk by chunk, while the distances are in the cache.
    pub(super) fn compute_density<K: LaneShape>(&mut self) {
        let start = Instant::now();
        let constants = self.viscous_constants();
        let (work, boundary) = (&mut self.work, &self.boundary);
        let (index, level, scratch) = (&work.index, work.level, &work.scratch);
        let (records, coverage) = (&work.records[..], &work.coverage);
        let all = Surroundings { constants: &constants, records, boundary, coverage };
        self.particles
            .rho
            .par_chunks_mut(CHUNK)
            .zip(&mut work.neighbors.chunks)
            .zip(&mut work.boundary_neighbors.chunks)
            .zip(&mut work.reports)
            .enumerate()
            .for_each(|(chunk, (((rho, neighbors), wall_neighbors), report))| {
                with_scratch(scratch, |scratch| {
                    let (liquid, walls) = (index, boundary.index());
                    let range = chunk * CHUNK..chunk * CHUNK + rho.len();
                    let search =
                        Search { liquid, walls, range, neighbors, wall_neighbors, scratch };
                    level.run(Density::<K> { search, all, rho, report, shape: PhantomData });
                });
            });
        self.time_search_and_density(start);
    }

    /// The equation of state, and what the force loop will gather.
    pub(super) fn compute_pressure(&mut self, law: StateEquation) {
        let start = Instant::now();
        let rho0 = self.config.rest_density;
        let (fixed, particles) = (self.work.index.positions(), &mut self.particles);
        let (rho, v) = (&particles.rho, &particles.v);
        particles
            .p
            .par_chunks_mut(CHUNK)
            .zip(self.work.records.par_chunks_mut(CHUNK))
            .zip(&mut self.work.reports)
            .enumerate()
            .for_each(|(chunk, ((p, records), report))| {
                for (k, (p, record)) in p.iter_mut().zip(records).enumerate() {
                    let i = chunk * CHUNK + k;
                    let rho_i = f64::from(rho[i]);
                    let p_i = law.pressure(rho_i / rho0);
                    *p = p_i as f32;
                    let [x, y, z] = fixed.at(i).map(|q| q as u32);
                    let [u, v, w] = v[i].to_array().map(|v| (v as f32).to_bits());
                    let pressure = (p_i / (rho_i * rho_i)) as f32;
                    let volume = (1.0 / rho_i) as f32;
                    *record = [x, y, z, pressure.to_bits(), u, v, w, volume.to_bits()];
                    if p_i > 0.0 {
                        let error = (rho_i / rho0 - 1.0).abs();
                        report.pressed += 1;
                        report.error_sum += error;
                        report.error_max = report.error_max.max(error);
                    }
                }
            });
        self.phases.lap(PRESSURE, start);
    }

    /// Accelerations, and symplectic Euler: Hunkler (2.29), (2.30). Neighbours are read from the
    /// records, so a particle can move as soon as its own sum is done.
    fn accelerate_and_move<K: LaneShape>(&mut self, env: &Environment, dt: f64) {
        let start = Instant::now();
        let constants = self.force_constants(dt);
        let (mover, gravity) = (self.mover(env, dt), env.gravity);
        let work = &mut self.work;
        let (level, scratch, particles) = (work.level, &work.scratch, &mut self.particles);
        let (records, boundary, coverage) = (&work.records[..], &self.boundary, &work.coverage);
        let all = Surroundings { constants: &constants, records, boundary, coverage };
        let mut stress = self.stress.take().unwrap_or_default();
        stress.resize(particles.x.len(), 0.0);
        particles
            .x
            .par_chunks_mut(CHUNK)
            .zip(particles.v.par_chunks_mut(CHUNK))
            .zip(stress.par_chunks_mut(CHUNK))
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .zip(&mut work.reports)
            .enumerate()
            .for_each(|(chunk, (((((x, v), stress), neighbors), wall_neighbors), report))| {
                with_scratch(scratch, |scratch| {
                    let out = scratch.accelerations(x.len());
                    level.run(Acceleration::<K> {
                        chunk: Chunk { all, first: chunk * CHUNK, neighbors, wall_neighbors },
                        positions: x,
                        report,
                        out,
                        stress,
                        shape: PhantomData,
                    });
                    for (k, a) in out.iter().enumerate() {
                        let a = DVec3::from_array(*a) + gravity;
                        let i = chunk * CHUNK + k;
                        let near = wall_neighbors.count(k) > 0;
                        mover.step((&mut x[k], &mut v[k]), a, near, report, i);
                    }
                });
            });
        self.stress = OnceLock::from(stress);
        self.phases.lap(FORCES, start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_agree_near_rest_and_clamp() {
        let law = |equation, clamp| StateEquation { equation, stiffness: 2e5, clamp };
        let linear = law(Equation::Linear, true);
        let tait = law(Equation::Tait { exponent: 7.0 }, false);
        assert!((linear.pressure(1.01) - 2e3).abs() < 1e-9);
        assert!((tait.pressure(1.0001) / linear.pressure(1.0001) - 1.0).abs() < 1e-3);
        assert!(tait.pressure(1.05) > 1.1 * linear.pressure(1.05));
        assert!(linear.pressure(0.9).abs() < 1e-12);
        assert!(law(Equation::Linear, false).pressure(0.9) < -1e4);
        assert!((linear.sound_speed(1000.0) - 200.0_f64.sqrt()).abs() < 1e-12);
    }
}
