//! Deformation, plastic flow and stress of eight particles at a time.
//!
//! The materials are isotropic, so that the left stretch is enough: b = F_E F_Eᵀ, kept as e = b − 1.
//! Its eigenvalues are the squares of the singular values of F_E, and no rotation has to be followed.

use crate::mpm::eigen::{EigenLanes, symmetric_eigen_lanes};
use lawine_core::simd::{F32x8, LANES, Simd, Vec3x8};

use super::material::{Law, Laws, Material, Principal, volume_change};
use super::state::{Gradient, Point};

/// Smallest singular value: what is squeezed further is as good as inverted.
const SMALLEST: f32 = 0.1;

/// Rows and columns of the six numbers of a symmetric matrix.
const SIX: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

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
    /// stress; returns the square of the fastest elastic wave [m²/s²].
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
        let EigenLanes { values, vectors } = symmetric_eigen_lanes(s, e);
        let trial = [strain(values[0]), strain(values[1]), strain(values[2])];
        let Response { d, tau, modulus, growth } =
            respond(s, materials, material, trial, s.load(&q));
        // Lanes that did not flow keep their bits.
        let change = Vec3x8(d) - Vec3x8(trial);
        let stays = change.dot(change).le(0.0);
        let [x, y, z] = d;
        let squares = [x * (x + 2.0), y * (y + 2.0), z * (z + 2.0)];
        let (flowed, stress) = (rebuild(s, squares, &vectors), rebuild(s, tau, &vectors));
        let (mut e_new, mut tau) = ([[0.0; LANES]; 6], [[0.0; LANES]; 6]);
        for k in 0..6 {
            e_new[k] = stays.select(e[k], flowed[k]).to_array();
            tau[k] = stress[k].to_array();
        }
        let (growth, change) = (growth.to_array(), volume_change(d).to_array());
        let modulus = modulus.to_array();
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

/// e after a step: b ← (1 + L) b (1 + L)ᵀ with L = Δt ∇v, given by columns.
#[inline(always)]
fn stretch<S: Simd>(s: S, e: &[[f32; LANES]; 6], l: &[[f32; LANES]; 9]) -> [F32x8<S>; 6] {
    let mut b = [s.splat(0.0); 6];
    for (b, e) in b.iter_mut().zip(e) {
        *b = s.load(e);
    }
    let [xx, yy, zz, yz, xz, xy] = b;
    let columns = [Vec3x8([xx, xy, xz]), Vec3x8([xy, yy, yz]), Vec3x8([xz, yz, zz])];
    let row = |i: usize| Vec3x8([s.load(&l[i]), s.load(&l[3 + i]), s.load(&l[6 + i])]);
    let l = [row(0), row(1), row(2)];
    // M = L b = L + L e.
    let mut m = l;
    for (m, l) in m.iter_mut().zip(l) {
        for (m, column) in m.0.iter_mut().zip(columns) {
            *m += l.dot(column);
        }
    }
    // e + M + Mᵀ + M Lᵀ.
    for (b, (i, k)) in b.iter_mut().zip(SIX) {
        *b += m[i].0[k] + m[k].0[i] + m[i].dot(l[k]);
    }
    b
}

/// d = √(1 + ε) − 1, without losing digits.
#[inline(always)]
fn strain<S: Simd>(value: F32x8<S>) -> F32x8<S> {
    let value = value.max(SMALLEST * SMALLEST - 1.0);
    value / (1.0 + (1.0 + value).sqrt())
}

/// What a material makes of trial strains.
#[derive(Clone, Copy)]
struct Response<S: Simd> {
    /// Elastic strains that are left.
    d: Principal<S>,
    /// Kirchhoff stresses [Pa].
    tau: Principal<S>,
    /// Modulus of longitudinal waves [Pa].
    modulus: F32x8<S>,
    /// Relative growth of J_P.
    growth: F32x8<S>,
}

/// What the materials of eight particles make of their trial strains.
#[inline(always)]
fn respond<S: Simd>(
    s: S,
    materials: &[Material],
    lanes: &[u32],
    trial: Principal<S>,
    q: F32x8<S>,
) -> Response<S> {
    let first = lanes.first().copied().unwrap_or(0);
    let mut result = of_material(s, materials, first, trial, q);
    if lanes.iter().all(|&m| m == first) {
        return result;
    }
    for (k, &index) in lanes.iter().enumerate().skip(1) {
        if lanes[..k].contains(&index) {
            continue;
        }
        let other = of_material(s, materials, index, trial, q);
        let mut take = [1.0; LANES];
        (0..lanes.len()).filter(|&l| lanes[l] == index).for_each(|l| take[l] = 0.0);
        let take = s.load(&take).le(0.5);
        for k in 0..3 {
            result.d[k] = take.select(other.d[k], result.d[k]);
            result.tau[k] = take.select(other.tau[k], result.tau[k]);
        }
        result.modulus = take.select(other.modulus, result.modulus);
        result.growth = take.select(other.growth, result.growth);
    }
    result
}

/// As [`respond`], for eight particles of one material.
#[inline(always)]
fn of_material<S: Simd>(
    s: S,
    materials: &[Material],
    index: u32,
    trial: Principal<S>,
    q: F32x8<S>,
) -> Response<S> {
    match materials.get(index as usize).map(|m| m.law) {
        Some(Laws::Snow(law)) => of_law(s, &law, trial, q),
        Some(Laws::Elastic(law)) => of_law(s, &law, trial, q),
        Some(Laws::Sand(law)) => of_law(s, &law, trial, q),
        Some(Laws::Liquid(law)) => of_law(s, &law, trial, q),
        None => {
            let zero = s.splat(0.0);
            Response { d: trial, tau: [zero; 3], modulus: zero, growth: zero }
        }
    }
}

#[inline(always)]
fn of_law<S: Simd>(s: S, law: &impl Law, trial: Principal<S>, q: F32x8<S>) -> Response<S> {
    let d = law.project(trial, q);
    // J stays: what goes out of J_E goes into J_P.
    let (before, after) = (volume_change(trial), volume_change(d));
    let growth = (before - after) / (1.0 + after);
    let (tau, modulus) = law.stress(s, d, q + (1.0 + q) * growth);
    Response { d, tau, modulus, growth }
}

/// Σ value_i u_i u_iᵀ.
#[inline(always)]
fn rebuild<S: Simd>(s: S, values: Principal<S>, u: &[Vec3x8<S>; 3]) -> [F32x8<S>; 6] {
    let mut sum = [s.splat(0.0); 6];
    for (value, u) in values.into_iter().zip(u) {
        let scaled = value * *u;
        for (sum, (i, k)) in sum.iter_mut().zip(SIX) {
            *sum += scaled.0[i] * u.0[k];
        }
    }
    sum
}
