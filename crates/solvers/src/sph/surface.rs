//! Surface tension (Akinci et al. 2013) and XSPH viscosity (Schechter & Bridson 2012): one more
//! sweep over the neighbours, which changes velocities before the pressure is found. Liquids
//! without either do not come here.
//!
//! Surface tension is a cohesion C between particles and a term that evens out the normals n:
//!
//!   a_i = −γ Σ_j K_ij (m C(r) x_ij/r + B ρ0 (n_i − n_j)),    K_ij = 2ρ0/(ρ_i + ρ_j).
//!
//! The paper leaves γ to be tuned for every resolution. Here it follows from the surface tension
//! σ [N/m]: two half-spaces of matter that attract each other with the force f = γm²C a pair need
//! the work 2σ per area to be parted, so σ = π/8 (ρ0/m)² ∫ r⁴ f dr in space (Fowler 1937) and
//! σ = 1/3 (ρ0/m)² ∫ r³ f dr in the plane. A drop then oscillates as predicted by Rayleigh (tests/surface.rs):
//! a quarter of the period is 1.02 to 1.14 of the theory's, 1.07 in the mean, with an equation of
//! state and a support of three spacings. The cohesion keeps momentum and angular momentum, the normals
//! only momentum. Walls have no adhesion; they count as liquid for the normals.

use super::Liquid;
use super::pairs::{Chunk, Surroundings};
use super::step::FORCES;
use glam::DVec3;
use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::CHUNK;
use lawine_core::simd::{F32x8, Record, Simd, Vec3x8, Work};
use rayon::prelude::*;
use std::f64::consts::PI;
use std::marker::PhantomData;
use web_time::Instant;

/// B, the weight of the normals [1]: the paper's for water, there hidden in the units.
pub(super) const NORMALS: f64 = 1e-3;

/// What the sweep needs to know.
#[derive(Clone, Copy, Debug)]
struct SurfaceConstants {
    /// γ m 32/(π H³) [m/s²], H being the support.
    cohesion: f32,
    /// γ B ρ0 [m/s²].
    normals: f32,
    /// ε m/ρ0 times the kernel's factor, over the step [1/s].
    xsph: f32,
    rest_density: f32,
    /// H/ρ0: turns Σ m ∇W into the normal.
    normal_scale: f32,
}

impl Liquid {
    /// Adds surface tension and XSPH viscosity to the velocities. Needs neighbours, densities and
    /// the records of this step.
    pub(super) fn apply_surface<K: LaneShape>(&mut self, dt: f64) {
        let config = &self.config;
        let has_tension = config.surface_tension > 0.0;
        if !has_tension && config.xsph <= 0.0 {
            return;
        }
        let start = Instant::now();
        let (rho0, support) = (config.rest_density, config.support);
        let gamma = config.surface_tension / tension(rho0, support, self.space.is_planar());
        let constants = self.force_constants(dt);
        let surface = SurfaceConstants {
            cohesion: (gamma * constants.mass * 32.0 / (PI * support.powi(3))) as f32,
            normals: (gamma * NORMALS * rho0) as f32,
            xsph: (config.xsph * constants.mass / rho0 * self.kernel.factor() / dt) as f32,
            rest_density: rho0 as f32,
            normal_scale: (support / rho0 * constants.scale) as f32,
        };
        let (work, boundary, rho) = (&mut self.work, &self.boundary, &self.particles.rho);
        let (records, coverage, level) = (&work.records[..], &work.coverage, work.level);
        let all = Surroundings { constants: &constants, records, boundary, coverage };
        if has_tension {
            work.normals.resize(records.len(), Record::default());
            work.normals
                .par_chunks_mut(CHUNK)
                .zip(&work.neighbors.chunks)
                .zip(&work.boundary_neighbors.chunks)
                .enumerate()
                .for_each(|(chunk, ((out, neighbors), wall_neighbors))| {
                    let chunk = Chunk { all, first: chunk * CHUNK, neighbors, wall_neighbors };
                    let scale = surface.normal_scale;
                    level.run(Normals::<K> { chunk, scale, rho, out, shape: PhantomData });
                });
        }
        let normals = has_tension.then_some(&work.normals[..]);
        self.particles
            .v
            .par_chunks_mut(CHUNK)
            .zip(&work.neighbors.chunks)
            .zip(&work.boundary_neighbors.chunks)
            .enumerate()
            .for_each(|(chunk, ((v, neighbors), wall_neighbors))| {
                let chunk = Chunk { all, first: chunk * CHUNK, neighbors, wall_neighbors };
                let (surface, shape) = (&surface, PhantomData);
                level.run(Surface::<K> { chunk, surface, normals, dt, v, shape });
            });
        self.phases.lap(FORCES, start);
    }
}

/// The surface tension [N/m] for γ = 1, from the integrals in the module's documentation.
pub(super) fn tension(rho0: f64, support: f64, planar: bool) -> f64 {
    // ∫ x⁴ c dx and ∫ x³ c dx of c = C/(32/(π H³)), x = r/H from 0 to 1.
    const SPACE: f64 = 7.457386e-4;
    const PLANE: f64 = 1.150949e-3;
    let scale = 32.0 / PI * rho0 * rho0;
    if planar { scale / 3.0 * PLANE * support } else { scale * PI / 8.0 * SPACE * support.powi(2) }
}

/// n_i = H Σ_j m/ρ0 ∇W_ij over liquid and walls, and ρ_i, into records to gather.
struct Normals<'a, K> {
    chunk: Chunk<'a>,
    scale: f32,
    rho: &'a [f32],
    out: &'a mut [Record],
    shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Normals<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (k, out) in self.out.iter_mut().enumerate() {
            let i = self.chunk.particle(s, k);
            let mut sum = s.splat_vector([0.0; 3]);
            for (_, ij) in self.chunk.liquid(&i, k) {
                sum += ij.along(ij.mask(s) * K::slope_over_q(ij.q()));
            }
            for (b, ib) in self.chunk.walls(&i, k) {
                sum += ib.along(ib.mask(s) * b.mass_ratio() * K::slope_over_q(ib.q()));
            }
            let [x, y, z] = sum.sum().map(|sum| (self.scale * sum).to_bits());
            *out = [x, y, z, self.rho[self.chunk.first + k].to_bits(), 0, 0, 0, 0];
        }
    }
}

/// The accelerations of a chunk, into its velocities.
struct Surface<'a, K> {
    chunk: Chunk<'a>,
    surface: &'a SurfaceConstants,
    /// Normals and densities; none without surface tension.
    normals: Option<&'a [Record]>,
    dt: f64,
    v: &'a mut [DVec3],
    shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Surface<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let surface = self.surface;
        for (k, v) in self.v.iter_mut().enumerate() {
            let i = self.chunk.particle(s, k);
            let mut sum = s.splat_vector([0.0; 3]);
            for (j, ij) in self.chunk.liquid(&i, k) {
                let (q, mask) = (ij.q(), ij.mask(s));
                // ε/Δt Σ m/ρ0 (v_j − v_i) W.
                sum += mask * surface.xsph * K::w(q) * (j.v() - i.v);
                if let Some(normals) = self.normals {
                    let [x, y, z, rho, ..] = normals[self.chunk.first + k].map(f32::from_bits);
                    let (n_i, rho_i) = (s.splat_vector([x, y, z]), rho);
                    let [x, y, z, rho_j, ..] = j.transpose(normals).map(|x| x.as_float());
                    let n_j = Vec3x8([x, y, z]);
                    // Akinci 2013, eq. 5.
                    let weight = mask * (2.0 * surface.rest_density) / (rho_i + rho_j);
                    // Akinci 2013, eq. 1.
                    let pull = ij.toward(weight * -surface.cohesion * cohesion(q));
                    // Akinci 2013, eq. 4.
                    sum += pull + weight * surface.normals * (n_j - n_i);
                }
            }
            *v += self.dt * DVec3::from_array(sum.sum().map(f64::from));
        }
    }
}

/// C without its factor 32/(π H³) at q = 2r/H: Akinci 2013, eq. 2. Written as
/// p(x) + (p(min(x, ½)) − 1/64) with p = (1 − x)³x³ and x = r/H, which needs no branch.
#[inline(always)]
fn cohesion<S: Simd>(q: F32x8<S>) -> F32x8<S> {
    let x = 0.5 * q;
    // min(x, ½).
    let near = 0.5 - (0.5 - x).max(0.0);
    let p = |x: F32x8<S>| ((1.0 - x).max(0.0) * x).cube();
    p(x) + (p(near) - 1.0 / 64.0)
}

#[cfg(test)]
mod tests {
    use super::super::plain::cohesion as reference;
    use super::*;
    use lawine_core::simd::Portable;

    #[test]
    fn cohesion_is_that_of_the_paper() {
        for k in 0..=100_u8 {
            let x = f64::from(k) / 100.0;
            let found = cohesion(Portable.splat(2.0 * x as f32)).to_array()[3];
            assert!((f64::from(found) - reference(x)).abs() < 1e-8, "{x}: {found}");
        }
    }

    #[test]
    fn surface_tension_is_the_work_of_parting() {
        let n = 100_000;
        let integral = |power: i32| -> f64 {
            let x = |k: i32| (f64::from(k) + 0.5) / f64::from(n);
            (0..n).map(|k| x(k).powi(power) * reference(x(k))).sum::<f64>() / f64::from(n)
        };
        let (rho0, support) = (900.0, 0.3);
        let factor = rho0 * rho0 * 32.0 / (PI * support * support * support);
        let space = PI / 8.0 * factor * support.powi(5) * integral(4);
        let plane = 1.0 / 3.0 * factor * support.powi(4) * integral(3);
        assert!((tension(rho0, support, false) / space - 1.0).abs() < 1e-5);
        assert!((tension(rho0, support, true) / plane - 1.0).abs() < 1e-5);
    }
}
