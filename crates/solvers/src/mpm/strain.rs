//! Deformation, plastic flow and stress of eight particles at a time.
//!
//! The materials are isotropic, so that the left stretch is enough: b = F_E F_Eᵀ, kept as e = b − 1.
//! Its eigenvalues are the squares of the singular values of F_E, and no rotation has to be followed.

use lawine_core::linalg::{EigenLanes, symmetric_eigen_lanes};
use lawine_core::simd::{LANES, Simd};

use super::material::{Law, Laws, Material, Principal, volume_change};
use super::state::{Gradient, Point};

/// Smallest singular value: what is squeezed further is as good as inverted.
const SMALLEST: f32 = 0.1;

/// Up to eight particles, column by column.
pub(super) struct Group<'a> {
    pub(super) points: &'a mut [Point],
    pub(super) gradients: &'a [Gradient],
    pub(super) material: &'a [u32],
    pub(super) plastic_volume: &'a mut [f64],
    pub(super) density: &'a mut [f32],
    pub(super) pressure: &'a mut [f32],
}

impl Group<'_> {
    /// Deforms the particles by their velocity gradient over `dt` [s], lets them flow and sets their
    /// stress; gives the square of the fastest elastic wave [m²/s²].
    #[inline(always)]
    pub(super) fn deform<S: Simd>(self, s: S, materials: &[Material], dt: f32) -> f64 {
        let Self { points, gradients, material, plastic_volume, density, pressure } = self;
        let n = points.len();
        let (mut e, mut c, mut q) = ([[0.0; LANES]; 6], [[0.0; LANES]; 9], [0.0; LANES]);
        for (lane, point) in points.iter().enumerate() {
            for (e, &value) in e.iter_mut().zip(&point.e) {
                e[lane] = value;
            }
            for (c, &value) in c.iter_mut().zip(&gradients[lane]) {
                c[lane] = dt * value;
            }
            q[lane] = (plastic_volume[lane] - 1.0) as f32;
        }
        let e = stretch(s, &e, &c);
        let q = s.load(&q);
        let EigenLanes { values, vectors } = symmetric_eigen_lanes(s, e);
        let trial = [strain(s, values[0]), strain(s, values[1]), strain(s, values[2])];
        let (d, tau, modulus, q_new) = respond(s, materials, material, trial, q);
        // Lanes that did not flow keep their bits.
        let (mut moved, mut squares) = (s.splat(0.0), d);
        for k in 0..3 {
            let difference = s.sub(d[k], trial[k]);
            moved = s.add(moved, s.mul(difference, difference));
            squares[k] = s.mul(d[k], s.add(d[k], s.splat(2.0)));
        }
        let (flowed, stress) = (rebuild(s, squares, &vectors), rebuild(s, tau, &vectors));
        let (mut e_new, mut tau) = ([[0.0; LANES]; 6], [[0.0; LANES]; 6]);
        for k in 0..6 {
            e_new[k] = s.store(s.select_le(moved, s.splat(0.0), e[k], flowed[k]));
            tau[k] = s.store(stress[k]);
        }
        let (growth, change) = (s.store(q_new), s.store(volume_change(s, d)));
        let modulus = s.store(modulus);
        let mut fastest = 0.0_f64;
        for (lane, point) in points.iter_mut().enumerate().take(n) {
            for k in 0..6 {
                point.e[k] = e_new[k][lane];
                point.tau[k] = tau[k][lane];
            }
            plastic_volume[lane] += plastic_volume[lane] * f64::from(growth[lane]);
            let volume = (1.0 + change[lane]) * plastic_volume[lane] as f32;
            density[lane] = point.m / (point.volume * volume);
            let trace = point.tau[0] + point.tau[1] + point.tau[2];
            pressure[lane] = -trace / (3.0 * volume);
            // Gaps do not make waves faster.
            let elastic = density[lane].max(point.m / point.volume);
            fastest = fastest.max(f64::from(modulus[lane] / elastic));
        }
        fastest
    }
}

/// e after a step: b ← (1 + L) b (1 + L)ᵀ with L = Δt ∇v.
#[inline(always)]
fn stretch<S: Simd>(s: S, e: &[[f32; LANES]; 6], c: &[[f32; LANES]; 9]) -> [S::F; 6] {
    let zero = s.splat(0.0);
    let (mut l, mut m, mut b) = ([[zero; 3]; 3], [[zero; 3]; 3], [zero; 6]);
    for k in 0..6 {
        b[k] = s.load(&e[k]);
    }
    let columns = [[b[0], b[5], b[4]], [b[5], b[1], b[3]], [b[4], b[3], b[2]]];
    // M = L b = L + L e.
    for i in 0..3 {
        for k in 0..3 {
            l[i][k] = s.load(&c[3 * k + i]);
        }
        for k in 0..3 {
            m[i][k] = s.add(l[i][k], s.dot(&l[i], &columns[k]));
        }
    }
    // e + M + Mᵀ + M Lᵀ.
    for (n, (i, k)) in [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].into_iter().enumerate() {
        let sum = s.add(s.add(m[i][k], m[k][i]), s.dot(&m[i], &l[k]));
        b[n] = s.add(b[n], sum);
    }
    b
}

/// d = √(1 + ε) − 1, without losing digits.
#[inline(always)]
fn strain<S: Simd>(s: S, value: S::F) -> S::F {
    let value = s.max(value, s.splat(SMALLEST * SMALLEST - 1.0));
    let one = s.splat(1.0);
    s.div(value, s.add(one, s.sqrt(s.add(one, value))))
}

/// What the materials make of the trial strains: strains, stresses, moduli and relative growth of J_P.
#[inline(always)]
fn respond<S: Simd>(
    s: S,
    materials: &[Material],
    lanes: &[u32],
    trial: [S::F; 3],
    q: S::F,
) -> (Principal<S>, Principal<S>, S::F, S::F) {
    let first = lanes.first().copied().unwrap_or(0);
    let mut result = of_material(s, materials, first, trial, q);
    if lanes.iter().all(|&m| m == first) {
        return result;
    }
    for (k, &number) in lanes.iter().enumerate().skip(1) {
        if lanes[..k].contains(&number) {
            continue;
        }
        let other = of_material(s, materials, number, trial, q);
        let mut take = [1.0; LANES];
        (0..lanes.len()).filter(|&l| lanes[l] == number).for_each(|l| take[l] = 0.0);
        let (take, half) = (s.load(&take), s.splat(0.5));
        for k in 0..3 {
            result.0[k] = s.select_le(take, half, other.0[k], result.0[k]);
            result.1[k] = s.select_le(take, half, other.1[k], result.1[k]);
        }
        result.2 = s.select_le(take, half, other.2, result.2);
        result.3 = s.select_le(take, half, other.3, result.3);
    }
    result
}

/// As [`respond`], for eight particles of one material.
#[inline(always)]
fn of_material<S: Simd>(
    s: S,
    materials: &[Material],
    number: u32,
    trial: [S::F; 3],
    q: S::F,
) -> (Principal<S>, Principal<S>, S::F, S::F) {
    match materials.get(number as usize).map(|m| m.law) {
        Some(Laws::Snow(law)) => of_law(s, &law, trial, q),
        Some(Laws::Elastic(law)) => of_law(s, &law, trial, q),
        Some(Laws::Sand(law)) => of_law(s, &law, trial, q),
        Some(Laws::Liquid(law)) => of_law(s, &law, trial, q),
        None => (trial, [s.splat(0.0); 3], s.splat(0.0), s.splat(0.0)),
    }
}

#[inline(always)]
fn of_law<S: Simd>(
    s: S,
    law: &impl Law,
    trial: [S::F; 3],
    q: S::F,
) -> (Principal<S>, Principal<S>, S::F, S::F) {
    let d = law.project(s, trial, q);
    // J stays: what goes out of J_E goes into J_P.
    let (before, after) = (volume_change(s, trial), volume_change(s, d));
    let growth = s.div(s.sub(before, after), s.add(s.splat(1.0), after));
    let q = s.add(q, s.mul(s.add(s.splat(1.0), q), growth));
    let (tau, modulus) = law.stress(s, d, q);
    (d, tau, modulus, growth)
}

/// Σ value_i u_i u_iᵀ.
#[inline(always)]
fn rebuild<S: Simd>(s: S, values: [S::F; 3], u: &[[S::F; 3]; 3]) -> [S::F; 6] {
    let mut sum = [s.splat(0.0); 6];
    for (value, u) in values.into_iter().zip(u) {
        let scaled = [s.mul(value, u[0]), s.mul(value, u[1]), s.mul(value, u[2])];
        let pairs = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
        for (n, (i, k)) in pairs.into_iter().enumerate() {
            sum[n] = s.add(sum[n], s.mul(scaled[i], u[k]));
        }
    }
    sum
}
