//! The sums of the pair loops as the papers write them: double precision, one pair after the other, all
//! pairs. Nothing here is fast. Read it before the loops that are; the tests compare both.
//!
//! i and j are particles of the liquid, b boundary particles; x_ij = x_i − x_j, κ = p/ρ², G = m ∇W, and μ_b, σ_b
//! and σ⁰_b as in [`super::coverage`].

use super::pairs::ForceConstants;
use super::{Liquid, noise};
use glam::DVec3;
use lawine_core::kernel::Kernel;
use lawine_core::neighbors::UNITS_PER_SUPPORT;
use lawine_core::simd::Record;
use std::f64::consts::PI;

mod tests;

/// A particle of the liquid.
pub(super) struct Particle {
    x: DVec3,
    v: DVec3,
    kappa: f64,
    /// 1/ρ as the loops have it: 1/ρ0 in a pressure system.
    volume: f64,
}

/// A boundary particle.
pub(super) struct Wall {
    x: DVec3,
    v: DVec3,
    mu: f64,
    /// 1/σ⁰ [m^dim], or zero.
    inverse: f64,
    lift: f64,
    /// Number of its body.
    body: u32,
}

/// All of a liquid that the sums need, taken from what the loops gather.
pub(super) struct Plain {
    pub(super) liquid: Vec<Particle>,
    pub(super) walls: Vec<Wall>,
    kernel: Kernel,
    m: f64,
    rho0: f64,
    lattice_sum: f64,
    /// 2(d + 2)ν of liquid and walls [m²/s].
    viscosity: [f64; 2],
    mirror: bool,
    spacing: f64,
    /// τ [s] and 1/q0² of [`super::noise`].
    tau: f64,
    unsheared: f64,
    surface_tension: f64,
    xsph: f64,
}

impl Plain {
    /// What is in the records of `liquid` now, for a step of length `dt`.
    pub(super) fn new(liquid: &Liquid, dt: f64) -> Self {
        let (config, kernel) = (&liquid.config, liquid.kernel);
        let unit = config.support / UNITS_PER_SUPPORT as f64;
        let float = |word: u32| f64::from(f32::from_bits(word));
        let x =
            |r: &Record| DVec3::from_array([r[0], r[1], r[2]].map(|x| f64::from(x as i32) * unit));
        let v = |r: &Record| DVec3::new(float(r[4]), float(r[5]), float(r[6]));
        let ForceConstants { mirror, .. } = liquid.force_constants(dt);
        let particle = |r| Particle { x: x(r), v: v(r), kappa: float(r[3]), volume: float(r[7]) };
        let boundary = &liquid.boundary;
        let wall = |(r, fraction): (&Record, &super::boundary::Factors)| Wall {
            x: x(r),
            v: v(r),
            mu: float(r[3]),
            inverse: f64::from(fraction.inverse) / kernel.factor(),
            lift: f64::from(fraction.lift),
            body: r[7],
        };
        let laplacian = 2.0 * f64::from(liquid.space.dimensions() + 2);
        Self {
            liquid: liquid.work.records.iter().map(particle).collect(),
            walls: boundary.records.iter().zip(&boundary.factors).map(wall).collect(),
            kernel,
            m: liquid.mass(),
            rho0: config.rest_density,
            lattice_sum: liquid.lattice_sum,
            viscosity: [laplacian * config.viscosity, laplacian * config.wall_viscosity],
            mirror,
            spacing: config.spacing,
            tau: noise::time(config, dt),
            unsheared: liquid.unsheared,
            surface_tension: config.surface_tension,
            xsph: config.xsph,
        }
    }

    fn w(&self, x: DVec3) -> f64 {
        self.kernel.w(x.length())
    }

    /// G_ij of liquid, a little ahead in time: W' at q + (1 − q²/q0²) τ dq/dt ([`super::noise`]).
    fn g(&self, i: usize, j: usize) -> DVec3 {
        let (i, j) = (&self.liquid[i], &self.liquid[j]);
        let (x, v, h) = (i.x - j.x, i.v - j.v, self.kernel.h());
        let r = x.length();
        if r == 0.0 || r >= self.kernel.support() {
            return DVec3::ZERO;
        }
        let q = r / h;
        let rate = v.dot(x) / (r * h);
        let ahead = h * (q + (1.0 - q * q * self.unsheared) * self.tau * rate).max(0.5 * q);
        self.m * self.kernel.dw_dr(ahead) / ahead * x
    }

    /// G_ib, where the pair will be after τ.
    fn g_wall(&self, i: usize, b: &Wall) -> DVec3 {
        let i = &self.liquid[i];
        let (x, v) = (i.x - b.x, i.v - b.v);
        let is_near = x.length() < self.kernel.support();
        if is_near { self.m * self.kernel.gradient(x + self.tau * v) } else { DVec3::ZERO }
    }

    /// μ_b σ_b/σ⁰_b: what a boundary particle counts.
    pub(super) fn filled(&self, b: &Wall) -> f64 {
        let coverage: f64 = self.liquid.iter().map(|j| self.w(j.x - b.x)).sum();
        if b.inverse > 0.0 { b.mu * coverage * b.inverse } else { b.mu }
    }

    /// π_b = μ_b Σ_j κ_j W_jb/σ⁰_b.
    pub(super) fn wall_pressure(&self, b: &Wall, kappa: impl Fn(usize) -> f64) -> f64 {
        let term = |(j, particle): (usize, &Particle)| kappa(j) * self.w(particle.x - b.x);
        b.mu * b.inverse * self.liquid.iter().enumerate().map(term).sum::<f64>()
    }

    /// ρ_i = m Σ_j W_ij + m Σ_b μ_b (σ_b/σ⁰_b) W_ib, Hunkler (4.3), over the sum of a lattice.
    pub(super) fn density(&self, i: usize) -> f64 {
        let x = self.liquid[i].x;
        let liquid: f64 = self.liquid.iter().map(|j| self.w(x - j.x)).sum();
        let walls: f64 = self.walls.iter().map(|b| self.filled(b) * self.w(x - b.x)).sum();
        self.m * (liquid + walls) / self.lattice_sum
    }

    /// w_i: one, or Hunkler's 1 + ρ²/ρ0² where walls mirror the pressure.
    fn wall_weight(&self, rho: f64) -> f64 {
        if self.mirror { 1.0 + (rho / self.rho0).powi(2) } else { 1.0 }
    }

    /// v_ij·x_ij/(x_ij² + 0.01h²).
    fn drag(&self, x: DVec3, v: DVec3) -> f64 {
        v.dot(x) / (x.length_squared() + 0.01 * self.kernel.h().powi(2))
    }

    /// (y_i + y_b)/y_i, at least one, with distances to the wall's surface (Takeda et al. 1994).
    fn no_slip(&self, i: usize, b: &Wall) -> f64 {
        let x = self.liquid[i].x;
        let near = || self.walls.iter().filter(|b| (x - b.x).length() < self.kernel.support());
        let normal = -near().map(|b| self.kernel.gradient(x - b.x)).sum::<DVec3>().normalize();
        let depth = |b: &Wall| normal.dot(x - b.x);
        let nearest = near().map(depth).fold(f64::INFINITY, f64::min);
        let y_i = (nearest - 0.5 * self.spacing).max(0.5 * self.spacing);
        (depth(b) / y_i).max(1.0)
    }

    /// 2(d+2)ν Σ_b m μ_b/ρ v_ib·x_ib/(x_ib² + 0.01h²) ∇W_ib with `v` of the walls.
    fn wall_drag(&self, i: usize, volume: f64, v: impl Fn(&Wall) -> DVec3) -> DVec3 {
        let p = &self.liquid[i];
        let term = |b: &Wall| {
            let x = p.x - b.x;
            let g = self.m * self.kernel.gradient(x);
            b.mu * volume * self.no_slip(i, b) * self.drag(x, p.v - v(b)) * g
        };
        let near = self.walls.iter().filter(|b| (p.x - b.x).length() < self.kernel.support());
        self.viscosity[1] * near.map(term).sum::<DVec3>()
    }

    /// Pressure and viscosity: Hunkler (4.21), (4.24), with walls as in [`super::coverage`].
    ///
    /// a_i = −Σ_j (κ_i + κ_j) G_ij + 2(d+2)ν Σ_j 1/ρ_ij v_ij·x_ij/(x_ij² + 0.01h²) G_ij
    ///       − Σ_b (μ_b (w_i κ_i + lift_b) σ_b/σ⁰_b + π_b) G_ib + drag of the walls.
    pub(super) fn acceleration(&self, i: usize) -> DVec3 {
        let p = &self.liquid[i];
        let mut a = self.wall_drag(i, p.volume, |b| b.v);
        for (j, q) in self.liquid.iter().enumerate() {
            let viscous = 0.5 * (p.volume + q.volume) * self.drag(p.x - q.x, p.v - q.v);
            a += (self.viscosity[0] * viscous - (p.kappa + q.kappa)) * self.g(i, j);
        }
        for b in &self.walls {
            a -= self.pressure_at(i, b) * self.g_wall(i, b);
        }
        a
    }

    /// μ_b (w_i κ_i + lift_b) σ_b/σ⁰_b + π_b.
    fn pressure_at(&self, i: usize, b: &Wall) -> f64 {
        let p = &self.liquid[i];
        let own = self.wall_weight(1.0 / p.volume) * p.kappa;
        self.filled(b) * (own + b.lift) + self.wall_pressure(b, |j| self.liquid[j].kappa)
    }

    /// What pressures carry through a particle over ρ²: the mean of (κ_i + κ_j)/2, weighted by x_ij·G_ij.
    /// With an equation of state liquid pairs look ahead too.
    pub(super) fn carried(&self, i: usize, looks_ahead: bool) -> f64 {
        let p = &self.liquid[i];
        let (mut sum, mut weight) = (0.0, 0.0);
        for (j, q) in self.liquid.iter().enumerate() {
            let x = p.x - q.x;
            let g = if looks_ahead { self.g(i, j) } else { self.m * self.kernel.gradient(x) };
            sum += (p.kappa + q.kappa) * x.dot(g);
            weight += x.dot(g);
        }
        for b in &self.walls {
            let x = p.x - b.x + self.tau * (p.v - b.v);
            let moment = x.dot(self.g_wall(i, b));
            sum += self.pressure_at(i, b) * moment;
            weight += self.filled(b) * moment;
        }
        if weight < 0.0 { 0.5 * sum / weight } else { 0.0 }
    }

    /// (L v)_i of the implicit viscosity (Weiler et al. 2018), with walls that move or stand still.
    pub(super) fn laplacian(&self, i: usize, moving: bool) -> DVec3 {
        let p = &self.liquid[i];
        let mut a = self.wall_drag(i, 1.0 / self.rho0, |b| if moving { b.v } else { DVec3::ZERO });
        for q in &self.liquid {
            let x = p.x - q.x;
            let g = self.m * self.kernel.gradient(x);
            a += self.viscosity[0] / self.rho0 * self.drag(x, p.v - q.v) * g;
        }
        a
    }

    /// n_i = H Σ_j m/ρ0 ∇W_ij over liquid and walls (Akinci 2013).
    fn normal(&self, i: usize) -> DVec3 {
        let x = self.liquid[i].x;
        let liquid: DVec3 = self.liquid.iter().map(|j| self.kernel.gradient(x - j.x)).sum();
        let walls: DVec3 = self.walls.iter().map(|b| b.mu * self.kernel.gradient(x - b.x)).sum();
        self.kernel.support() * self.m / self.rho0 * (liquid + walls)
    }

    /// Surface tension (Akinci 2013, eqs. 1 to 5) and XSPH (Schechter & Bridson 2012) over a step.
    pub(super) fn surface(&self, i: usize, rho: &[f32], dt: f64) -> DVec3 {
        let (p, support) = (&self.liquid[i], self.kernel.support());
        let planar = self.kernel.dimension() == 2;
        let gamma = self.surface_tension / super::surface::tension(self.rho0, support, planar);
        let factor = 32.0 / (PI * support.powi(3));
        let mut a = DVec3::ZERO;
        for (j, q) in self.liquid.iter().enumerate() {
            let x = p.x - q.x;
            let r = x.length();
            a += self.xsph / dt * self.m / self.rho0 * self.w(x) * (q.v - p.v);
            if r > 0.0 && r < support {
                let k_ij = 2.0 * self.rho0 / f64::from(rho[i] + rho[j]);
                let c = factor * cohesion(r / support);
                let even = super::surface::NORMALS * self.rho0 * (self.normal(i) - self.normal(j));
                a -= gamma * k_ij * (self.m * c * x / r + even);
            }
        }
        a
    }

    /// S_i = Σ_j G_ij + w_i Σ_b μ_b (σ_b/σ⁰_b) G_ib of [`super::system`].
    pub(super) fn s(&self, i: usize, rho: f64) -> DVec3 {
        let liquid: DVec3 = (0..self.liquid.len()).map(|j| self.g(i, j)).sum();
        let walls: DVec3 = self.walls.iter().map(|b| self.filled(b) * self.g_wall(i, b)).sum();
        liquid + self.wall_weight(rho) * walls
    }

    /// a_i = −(κ_i S_i + Σ_j κ_j G_ij + Σ_b π_b G_ib).
    pub(super) fn pressure_acceleration(&self, i: usize, s_i: DVec3, kappa: &[f64]) -> DVec3 {
        let mut sum = kappa[i] * s_i;
        for (j, kappa) in kappa.iter().enumerate() {
            sum += *kappa * self.g(i, j);
        }
        for b in &self.walls {
            sum += self.wall_pressure(b, |j| kappa[j]) * self.g_wall(i, b);
        }
        -sum
    }

    /// f_i·S_i − Σ_j f_j·G_ij + Σ_b μ_b W_ib Σ_j f_j·G_jb/σ⁰_b: the product with B for f = a.
    pub(super) fn divergence(&self, i: usize, s_i: DVec3, f: &[DVec3]) -> f64 {
        let liquid: f64 = f.iter().enumerate().map(|(j, f)| f.dot(self.g(i, j))).sum();
        let walls = self.walls.iter().map(|b| {
            let change: f64 = f.iter().enumerate().map(|(j, f)| f.dot(self.g_wall(j, b))).sum();
            b.mu * self.w(self.liquid[i].x - b.x) * b.inverse * change
        });
        f[i].dot(s_i) - liquid + walls.sum::<f64>()
    }

    /// The six numbers C_iB of [`super::free_bodies`] of a body that turns about `center`.
    pub(super) fn coupling(&self, i: usize, body: u32, center: DVec3, rho: f64) -> [DVec3; 2] {
        let mut sum = [DVec3::ZERO; 2];
        let mut add = |particle: usize, g: DVec3| {
            sum[0] += g;
            sum[1] += (self.liquid[particle].x - center).cross(g);
        };
        for b in self.walls.iter().filter(|b| b.body == body) {
            add(i, self.wall_weight(rho) * self.filled(b) * self.g_wall(i, b));
            let shape = b.mu * self.w(self.liquid[i].x - b.x) * b.inverse;
            for j in 0..self.liquid.len() {
                add(j, shape * self.g_wall(j, b));
            }
        }
        sum
    }

    /// Minus the diagonal of B, with twice Jensen's bound for what walls see, as [`super::system`] has it.
    pub(super) fn diagonal(&self, i: usize, s_i: DVec3) -> f64 {
        let (mut s, mut shape, mut bound) = (s_i, 0.0, 0.0);
        for b in &self.walls {
            let w = b.mu * self.w(self.liquid[i].x - b.x);
            s += w * b.inverse * self.g_wall(i, b);
            shape += w;
            let others = (0..self.liquid.len()).filter(|&j| j != i);
            let square: f64 = others.map(|j| self.g_wall(j, b).length_squared()).sum();
            bound += w * b.inverse.powi(2) * square;
        }
        let liquid: f64 = (0..self.liquid.len()).map(|j| self.g(i, j).length_squared()).sum();
        s.length_squared() + liquid + 2.0 * shape * bound
    }

    /// What viscosity and the weight on the walls do in a pressure system.
    pub(super) fn other(&self, i: usize) -> DVec3 {
        let p = &self.liquid[i];
        let mut a = self.wall_drag(i, 1.0 / self.rho0, |b| b.v);
        for (j, q) in self.liquid.iter().enumerate() {
            let viscous = self.viscosity[0] / self.rho0 * self.drag(p.x - q.x, p.v - q.v);
            a += viscous * self.g(i, j);
        }
        a - self.walls.iter().map(|b| b.lift * self.filled(b) * self.g_wall(i, b)).sum::<DVec3>()
    }

    /// The velocities.
    pub(super) fn velocities(&self) -> Vec<DVec3> {
        self.liquid.iter().map(|p| p.v).collect()
    }

    /// What the walls' own motion adds to −dρ/dt.
    pub(super) fn wall_rate(&self, i: usize, rho: f64) -> f64 {
        let term = |b: &Wall| {
            let direct = self.wall_weight(rho) * self.filled(b) * b.v.dot(self.g_wall(i, b));
            let coverage: f64 = (0..self.liquid.len()).map(|j| b.v.dot(self.g_wall(j, b))).sum();
            direct + b.mu * self.w(self.liquid[i].x - b.x) * b.inverse * coverage
        };
        self.walls.iter().map(term).sum()
    }
}

/// C of Akinci 2013, eq. 2, without its factor, at x = r/H.
pub(super) fn cohesion(x: f64) -> f64 {
    let p = ((1.0 - x) * x).powi(3);
    if x > 0.5 { p } else { 2.0 * p - 1.0 / 64.0 }
}
