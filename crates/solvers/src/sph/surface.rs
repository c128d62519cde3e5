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
//! σ = 1/3 (ρ0/m)² ∫ r³ f dr in the plane. A drop then vibrates as Rayleigh says (tests/surface.rs):
//! a quarter of the period is 1.02 to 1.14 of the theory's, 1.07 in the mean, with an equation of
//! state and a support of three spacings. The cohesion keeps momentum and angular momentum, the normals
//! only momentum. Walls have no adhesion; they count as liquid for the normals.

use super::Liquid;
use super::pairs::{ForceConstants, Own, Pairs, add, first_lanes};
use super::step::FORCES;
use glam::DVec3;
use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::{CHUNK, ChunkList};
use lawine_core::simd::{LANES, Record, Simd, Work};
use rayon::prelude::*;
use std::f64::consts::PI;
use std::marker::PhantomData;
use web_time::Instant;

/// B, the weight of the normals [1]: the paper's for water, there hidden in the units.
const NORMALS: f64 = 1e-3;

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
        let (work, walls, rho) = (&mut self.work, self.boundary.records(), &self.particles.rho);
        let (records, level, neighbors) = (&work.records, work.level, &work.neighbors.chunks);
        if has_tension {
            work.normals.resize(records.len(), Record::default());
            work.normals
                .par_chunks_mut(CHUNK)
                .zip(neighbors)
                .zip(&work.boundary_neighbors.chunks)
                .enumerate()
                .for_each(|(chunk, ((out, neighbors), wall_neighbors))| {
                    level.run(Normals::<K> {
                        constants: &constants,
                        scale: surface.normal_scale,
                        records,
                        wall_records: walls,
                        first: chunk * CHUNK,
                        neighbors,
                        wall_neighbors,
                        rho,
                        out,
                        shape: PhantomData,
                    });
                });
        }
        let normals = &work.normals;
        self.particles.v.par_chunks_mut(CHUNK).zip(neighbors).enumerate().for_each(
            |(chunk, (v, neighbors))| {
                level.run(Surface::<K> {
                    constants: &constants,
                    surface: &surface,
                    records,
                    normals: if has_tension { Some(normals) } else { None },
                    first: chunk * CHUNK,
                    neighbors,
                    dt,
                    v,
                    shape: PhantomData,
                });
            },
        );
        self.phases.lap(FORCES, start);
    }
}

/// The surface tension [N/m] for γ = 1, from the integrals in the module's documentation.
fn tension(rho0: f64, support: f64, planar: bool) -> f64 {
    // ∫ x⁴ c dx and ∫ x³ c dx of c = C/(32/(π H³)), x = r/H from 0 to 1.
    const SPACE: f64 = 7.457386e-4;
    const PLANE: f64 = 1.150949e-3;
    let scale = 32.0 / PI * rho0 * rho0;
    if planar { scale / 3.0 * PLANE * support } else { scale * PI / 8.0 * SPACE * support.powi(2) }
}

/// n_i = H Σ_j m/ρ0 ∇W_ij over liquid and walls, and ρ_i, into records to gather.
struct Normals<'a, K> {
    constants: &'a ForceConstants,
    scale: f32,
    records: &'a [Record],
    wall_records: &'a [Record],
    first: usize,
    neighbors: &'a ChunkList,
    wall_neighbors: &'a ChunkList,
    rho: &'a [f32],
    out: &'a mut [Record],
    shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Normals<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let c = self.constants;
        for (k, out) in self.out.iter_mut().enumerate() {
            let record = &self.records[self.first + k];
            let own = Own::<S>::new(s, record);
            let mut sum = [s.splat(0.0); 3];
            let mut left = self.neighbors.count(k);
            for block in self.neighbors.blocks(k) {
                let pairs = Pairs::new(s, &own, &c.gather(s, record, self.records, block));
                let slope = s.mul(s.load(first_lanes(left)), K::slope_over_q(s, pairs.q(s)));
                sum = add(s, sum, pairs.along(s, slope));
                left = left.saturating_sub(LANES);
            }
            let mut left = self.wall_neighbors.count(k);
            for block in self.wall_neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.wall_records, block);
                let pairs = Pairs::new(s, &own, &lanes);
                let ratio = s.mul(s.load(first_lanes(left)), s.as_float(lanes[3]));
                let slope = s.mul(ratio, K::slope_over_q(s, pairs.q(s)));
                sum = add(s, sum, pairs.along(s, slope));
                left = left.saturating_sub(LANES);
            }
            let [x, y, z] = sum.map(|sum| (self.scale * s.sum(sum)).to_bits());
            *out = [x, y, z, self.rho[self.first + k].to_bits(), 0, 0, 0, 0];
        }
    }
}

/// The accelerations of a chunk, into its velocities.
struct Surface<'a, K> {
    constants: &'a ForceConstants,
    surface: &'a SurfaceConstants,
    records: &'a [Record],
    /// Normals and densities; none without surface tension.
    normals: Option<&'a [Record]>,
    first: usize,
    neighbors: &'a ChunkList,
    dt: f64,
    v: &'a mut [DVec3],
    shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Surface<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (c, surface) = (self.constants, self.surface);
        for (k, v) in self.v.iter_mut().enumerate() {
            let i = self.first + k;
            let record = &self.records[i];
            let own = Own::<S>::new(s, record);
            let word = |record: &Record, w: usize| s.splat(f32::from_bits(record[w]));
            let v_i = [word(record, 4), word(record, 5), word(record, 6)];
            let mut sum = [s.splat(0.0); 3];
            let mut left = self.neighbors.count(k);
            for block in self.neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.records, block);
                let pairs = Pairs::new(s, &own, &lanes);
                let q = pairs.q(s);
                let mask = s.load(first_lanes(left));
                // ε/Δt Σ m/ρ0 (v_j − v_i) W.
                let w = s.mul(s.mul(mask, s.splat(surface.xsph)), K::w(s, q));
                for axis in 0..3 {
                    let dv = s.sub(s.as_float(lanes[4 + axis]), v_i[axis]);
                    sum[axis] = s.add(sum[axis], s.mul(w, dv));
                }
                if let Some(normals) = self.normals {
                    let own = &normals[i];
                    let other = s.transpose(block.map(|j| &normals[j as usize]));
                    // Akinci 2013, eq. 5.
                    let rho = s.add(word(own, 3), s.as_float(other[3]));
                    let weight = s.div(s.mul(mask, s.splat(2.0 * surface.rest_density)), rho);
                    // Akinci 2013, eq. 1.
                    let strength = s.mul(weight, s.splat(-surface.cohesion));
                    let pull = pairs.toward(s, s.mul(strength, cohesion(s, q)));
                    // Akinci 2013, eq. 4.
                    let even = s.mul(weight, s.splat(surface.normals));
                    for axis in 0..3 {
                        let dn = s.sub(s.as_float(other[axis]), word(own, axis));
                        let change = s.add(pull[axis], s.mul(even, dn));
                        sum[axis] = s.add(sum[axis], change);
                    }
                }
                left = left.saturating_sub(LANES);
            }
            *v += self.dt * DVec3::from_array(sum.map(|sum| f64::from(s.sum(sum))));
        }
    }
}

/// C without its factor 32/(π H³) at q = 2r/H: Akinci 2013, eq. 2. Written as
/// p(x) + (p(min(x, ½)) − 1/64) with p = (1 − x)³x³ and x = r/H, which needs no branch.
#[inline(always)]
fn cohesion<S: Simd>(s: S, q: S::F) -> S::F {
    let x = s.mul(s.splat(0.5), q);
    let zero = s.splat(0.0);
    // min(x, ½).
    let half = s.splat(0.5);
    let near = s.sub(half, s.max(s.sub(half, x), zero));
    let p = |x: S::F| s.cube(s.mul(s.max(s.sub(s.splat(1.0), x), zero), x));
    s.add(p(x), s.sub(p(near), s.splat(1.0 / 64.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_core::simd::Portable;

    /// Akinci 2013, eq. 2, without its factor.
    fn reference(x: f64) -> f64 {
        let p = ((1.0 - x) * x).powi(3);
        if x > 0.5 { p } else { 2.0 * p - 1.0 / 64.0 }
    }

    #[test]
    fn cohesion_is_that_of_the_paper() {
        for k in 0..=100_u8 {
            let x = f64::from(k) / 100.0;
            let found = cohesion(Portable, [2.0 * x as f32; LANES])[3];
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
