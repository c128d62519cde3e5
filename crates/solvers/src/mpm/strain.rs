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
            for k in 0..6 {
                e[k][lane] = point.e[k];
            }
            for k in 0..9 {
                c[k][lane] = dt * gradients[lane][k];
            }
            q[lane] = (plastic_volume[lane] - 1.0) as f32;
        }
        let e = stretch(s, &e, &c);
        let q = s.load(&q);
        let EigenLanes { values, vectors } = symmetric_eigen_lanes(s, e);
        let trial = [strain(s, values[0]), strain(s, values[1]), strain(s, values[2])];
        let (d, tau, modulus, q_new) = respond(s, materials, material, trial, q);
        // Lanes that did not flow keep their bits.
        let moved = [0, 1, 2].map(|k: usize| s.sub(d[k], trial[k]));
        let moved = s.dot(&moved, &moved);
        let squares = [0, 1, 2].map(|k: usize| s.mul(d[k], s.add(d[k], s.splat(2.0))));
        let flowed = rebuild(s, squares, &vectors);
        let e = [0, 1, 2, 3, 4, 5]
            .map(|k: usize| s.store(s.select_le(moved, s.splat(0.0), e[k], flowed[k])));
        let tau = rebuild(s, tau, &vectors);
        let tau = [0, 1, 2, 3, 4, 5].map(|k: usize| s.store(tau[k]));
        let (growth, change) = (s.store(q_new), s.store(volume_change(s, d)));
        let modulus = s.store(modulus);
        let mut fastest = 0.0_f64;
        for (lane, point) in points.iter_mut().enumerate().take(n) {
            for k in 0..6 {
                point.e[k] = e[k][lane];
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
    let e = [0, 1, 2, 3, 4, 5].map(|k: usize| s.load(&e[k]));
    let l = |i: usize, k: usize| s.load(&c[3 * k + i]);
    let row = |i: usize| [l(i, 0), l(i, 1), l(i, 2)];
    let l = [row(0), row(1), row(2)];
    // Columns of e.
    let columns = [[e[0], e[5], e[4]], [e[5], e[1], e[3]], [e[4], e[3], e[2]]];
    // M = L b = L + L e.
    let m = |i: usize, k: usize| s.add(l[i][k], s.dot(&l[i], &columns[k]));
    let row = |i: usize| [m(i, 0), m(i, 1), m(i, 2)];
    let m = [row(0), row(1), row(2)];
    // e + M + Mᵀ + M Lᵀ.
    let sum =
        |e: S::F, i: usize, k: usize| s.add(e, s.add(s.add(m[i][k], m[k][i]), s.dot(&m[i], &l[k])));
    [
        sum(e[0], 0, 0),
        sum(e[1], 1, 1),
        sum(e[2], 2, 2),
        sum(e[3], 1, 2),
        sum(e[4], 0, 2),
        sum(e[5], 0, 1),
    ]
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
    let scaled = |i: usize| {
        [s.mul(values[i], u[i][0]), s.mul(values[i], u[i][1]), s.mul(values[i], u[i][2])]
    };
    let a = [scaled(0), scaled(1), scaled(2)];
    let entry = |i: usize, k: usize| {
        let first = s.add(s.mul(a[0][i], u[0][k]), s.mul(a[1][i], u[1][k]));
        s.add(first, s.mul(a[2][i], u[2][k]))
    };
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(1, 2), entry(0, 2), entry(0, 1)]
}
