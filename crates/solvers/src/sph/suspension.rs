//! Grains smaller than the spacing, in the liquid that flows between them: porosity and drag.
//!
//! Anderson & Jackson 1967; Robinson, Ramaioli & Luding 2014; Di Felice 1994; Schiller & Naumann 1933.
//!
//! A grain g interpolates what is around it with normalised weights of the kernel, Σ_j w_gj = 1, and gives its own
//! volume to the same particles with the same weights. With V_p = m/ρ0 and the wet fraction c_g of its surroundings,
//!
//!   φ_j/ε_j = Σ_g c_g V_g w_gj/V_p,    ε_j + φ_j = 1,    N_g = c_g V_g ⟨ε⟩_g/V_p,
//!
//! so that (WᵀNW)_jj is about φ. The liquid keeps its true density where its particles have ρ = ε ρ0. Buoyancy is the
//! pressure acceleration of the liquid around, F_g = −V_g ∇p = m N_g ⟨−Aκ⟩_g, with κ = p/ρ² and Aκ from
//! [`super::system`], and the liquid gets the opposite:
//!
//!   a = −(1 − WᵀNW) Aκ,    a_g = (m/M_g) N_g ⟨−Aκ⟩_g.
//!
//! What must not converge is the flux of both together, ε u + φ v. Its divergence takes the same matrices, transposed:
//!
//!   Aᵀ(u + WᵀN (v − ⟨u⟩)),
//!
//! which makes the product −Aᵀ((1 − WᵀNW)² + WᵀN (m/M) NW)A: symmetric and negative, with the added mass of the grains in
//! it. It is no larger than AᵀA for grains of half the liquid's density and more, R = ρ0/ρ_s ≤ 2; for lighter ones the
//! diagonal is enlarged by R²/4(R − 1). With the buoyancy of the step before instead, dense beds (φ > ½) would blow up.
//!
//! The drag is β(⟨u⟩ − v), with the superficial velocity u_s = ε |⟨u⟩ − v| and Re = u_s d/ν,
//!
//!   β = π/8 d² ρ0 C_d u_s ε^{1−χ},    C_d = 24/Re (1 + 0.15 Re^0.687), at least 0.44,
//!   χ = 3.7 − 0.65 exp(−(1.5 − lg Re)²/2),
//!
//! taken at the end of the step, since fine grains follow the liquid within less than one: with the predicted
//! velocities, and divided by 1 + β Δt (1 + Λ)/M, Λ the mass of grains over that of liquid. Forces are held over the
//! grains' sub-steps: what one loses the other gets.
//!
//! Grains push at the weighted mean place of their liquid, so that angular momentum is not kept to rounding.

use super::system::Lists;
use super::{Liquid, Particles};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::immersed::Meeting;
use lawine_core::neighbors::{CHUNK, ChunkList, PointIndex, SearchError};
use lawine_core::simd::{Level, Simd, Work};
use rayon::prelude::*;
use std::f64::consts::PI;
use std::ops::Range;

/// Drag coefficient of a ball at high Reynolds numbers, where that of Schiller and Naumann ends.
const NEWTON: f64 = 0.44;

/// A grain in the liquid.
#[derive(Clone, Copy, Debug, Default)]
struct Suspended {
    /// Its method's place among all, and its own in the method's columns.
    method: usize,
    place: usize,
    v: DVec3,
    /// Mass [kg] and volume [m³].
    mass: f64,
    volume: f64,
    /// Mean force of its contacts in the last step [N].
    contact: DVec3,
    /// ⟨ε⟩ around it, and the fraction of its surroundings that is wet.
    porosity: f64,
    wet: f64,
    /// N_g.
    share: f64,
    /// Σ_g M_g w_gj/m around it.
    loading: f64,
    /// Where it pushes the liquid [m], relative to its own place.
    arm: DVec3,
    /// Force of the liquid [N].
    force: DVec3,
}

/// The grains in the liquid, sorted by cell.
#[derive(Debug, Default)]
pub(super) struct Suspension {
    grains: Vec<Suspended>,
    unsorted: Vec<Suspended>,
    index: Option<PointIndex>,
    x: Vec<DVec3>,
    spare: Vec<DVec3>,
    chunks: Vec<GrainChunk>,
    /// For each particle of the liquid where its grains begin, and these with their weights.
    starts: Vec<u32>,
    pairs: Vec<(u32, f32)>,
    /// ε of every particle, and the mass of grains over that of its liquid.
    porosity: Vec<f32>,
    loading: Vec<f32>,
    /// The grains' part of the field that the pressure system holds the liquid's part of.
    pub(super) motions: Vec<DVec3>,
    /// Σ_j w_gj f_j of each grain, or what it spreads.
    means: Vec<DVec3>,
    /// u + WᵀN (v − ⟨u⟩).
    flux: Vec<[f32; 4]>,
}

/// What a chunk of grains knows of its pairs.
#[derive(Debug, Default)]
struct GrainChunk {
    liquid: ChunkList,
    /// First (r/support)², then w_gj, in the layout of the list.
    weights: Vec<f32>,
    walls: ChunkList,
    wall_distances: Vec<f32>,
}

impl GrainChunk {
    /// The liquid around grain `k`, with weights.
    fn around(&self, k: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let weights = &self.weights[self.liquid.span(k)];
        let pairs = self.liquid.neighbors(k).iter().zip(weights);
        pairs.map(|(&j, &w)| (j as usize, f64::from(w)))
    }
}

/// Finds liquid and walls around a chunk of grains.
struct Around<'a> {
    grains: &'a PointIndex,
    liquid: &'a PointIndex,
    walls: &'a PointIndex,
    range: Range<usize>,
    out: &'a mut GrainChunk,
}

impl Work for Around<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { grains, range, out, .. } = self;
        self.liquid.collect(s, grains, range.clone(), &mut out.liquid, &mut out.weights);
        self.walls.collect(s, grains, range, &mut out.walls, &mut out.wall_distances);
    }
}

impl Suspension {
    pub(super) fn is_empty(&self) -> bool {
        self.grains.is_empty()
    }

    /// ε of a particle.
    pub(super) fn porosity(&self, i: usize) -> f32 {
        if self.is_empty() { 1.0 } else { self.porosity[i] }
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = |c: &GrainChunk| {
            let distances = c.weights.capacity() + c.wall_distances.capacity();
            c.liquid.bytes() + c.walls.bytes() + distances * size_of::<f32>()
        };
        self.chunks.iter().map(lists).sum::<usize>()
            + self.grains.capacity() * (2 * size_of::<Suspended>() + 4 * size_of::<DVec3>())
            + self.index.as_ref().map_or(0, PointIndex::bytes)
            + self.pairs.capacity() * size_of::<(u32, f32)>()
            + (self.starts.capacity() + 2 * self.porosity.capacity() + 4 * self.flux.capacity())
                * size_of::<f32>()
    }

    /// The pairs of each of a number of particles, with grains in ascending order.
    fn transpose(&mut self, particles: usize) {
        let Self { chunks, starts, pairs, .. } = self;
        let all = || {
            chunks.iter().enumerate().flat_map(|(c, chunk)| {
                let own = (0..chunk.liquid.len()).map(move |k| (c * CHUNK + k, k));
                own.flat_map(move |(g, k)| chunk.around(k).map(move |(j, w)| (g as u32, j, w)))
            })
        };
        starts.clear();
        starts.resize(particles + 1, 0);
        all().for_each(|(_, j, _)| starts[j + 1] += 1);
        for j in 0..particles {
            starts[j + 1] += starts[j];
        }
        pairs.resize(starts[particles] as usize, (0, 0.0));
        for (g, j, w) in all() {
            pairs[starts[j] as usize] = (g, w as f32);
            starts[j] += 1;
        }
        starts.copy_within(0..particles, 1);
        starts[0] = 0;
    }

    /// Σ_g w_gj x_g of every particle.
    fn gather(&self, out: &mut Vec<f32>, x: impl Fn(&Suspended) -> f64 + Sync) {
        out.resize(self.starts.len() - 1, 0.0);
        out.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(j, out)| {
            let own = &self.pairs[self.starts[j] as usize..self.starts[j + 1] as usize];
            let add =
                |sum: f64, &(g, w): &(u32, f32)| sum + f64::from(w) * x(&self.grains[g as usize]);
            *out = own.iter().fold(0.0, add) as f32;
        });
    }

    /// Changes each grain with the means ⟨x⟩ around it.
    fn update(&mut self, change: impl Fn(&mut Suspended, &dyn Fn(&[f32]) -> f64) + Sync) {
        let Self { grains, chunks, .. } = self;
        grains.par_chunks_mut(CHUNK).zip(&*chunks).for_each(|(grains, chunk)| {
            for (k, grain) in grains.iter_mut().enumerate() {
                let mean = |x: &[f32]| chunk.around(k).map(|(j, w)| w * f64::from(x[j])).sum();
                change(grain, &mean);
            }
        });
    }

    /// ⟨f⟩ of each grain, into [`Self::means`].
    fn average(&mut self, field: impl Fn(usize) -> DVec3 + Sync) {
        let Self { means, chunks, .. } = self;
        means.par_chunks_mut(CHUNK).zip(&*chunks).for_each(|(means, chunk)| {
            for (k, mean) in means.iter_mut().enumerate() {
                *mean = chunk.around(k).fold(DVec3::ZERO, |sum, (j, w)| sum + w * field(j));
            }
        });
    }

    /// Σ_g w_gj x_g with [`Self::means`] as x.
    fn spread(&self, j: usize) -> DVec3 {
        let own = self.starts[j] as usize..self.starts[j + 1] as usize;
        let add = |sum: DVec3, &(g, w): &(u32, f32)| sum + f64::from(w) * self.means[g as usize];
        self.pairs[own].iter().fold(DVec3::ZERO, add)
    }

    /// Takes from the accelerations −Aκ of the liquid what the grains get, into [`Self::motions`]; `mass` is that of a
    /// particle [kg].
    pub(super) fn accelerate(&mut self, accelerations: &mut [[f32; 4]], mass: f64) {
        if self.is_empty() {
            return;
        }
        self.average(|j| vector(&accelerations[j]));
        for ((grain, mean), motion) in
            self.grains.iter().zip(&mut self.means).zip(&mut self.motions)
        {
            *mean *= grain.share;
            *motion = mass / grain.mass * *mean;
        }
        let this = &*self;
        accelerations.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(j, a)| {
            *a = lanes(vector(a) - this.spread(j));
        });
    }

    /// The flux of liquid and grains for the field `u` of the liquid and [`Self::motions`] of the grains.
    pub(super) fn flux<'a>(&'a mut self, u: &'a [[f32; 4]]) -> &'a [[f32; 4]] {
        if self.is_empty() {
            return u;
        }
        self.average(|j| vector(&u[j]));
        for ((grain, mean), motion) in self.grains.iter().zip(&mut self.means).zip(&self.motions) {
            *mean = grain.share * (*motion - *mean);
        }
        let mut flux = std::mem::take(&mut self.flux);
        flux.resize(u.len(), [0.0; 4]);
        let this = &*self;
        flux.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(j, flux)| {
            *flux = lanes(vector(&u[j]) + this.spread(j));
        });
        self.flux = flux;
        &self.flux
    }

    /// Books the accelerations in [`Self::motions`] as forces.
    pub(super) fn push(&mut self) {
        for (grain, a) in self.grains.iter_mut().zip(&self.motions) {
            grain.force += grain.mass * *a;
        }
    }

    /// The same, and lets them act for a time `dt` [s].
    pub(super) fn push_and_move(&mut self, dt: f64) {
        self.push();
        self.grains.iter_mut().zip(&self.motions).for_each(|(grain, a)| grain.v += dt * *a);
    }

    /// Puts the velocities of the grains into [`Self::motions`].
    pub(super) fn follow(&mut self) {
        self.motions.iter_mut().zip(&self.grains).for_each(|(motion, grain)| *motion = grain.v);
    }

    /// Lends the porosities of the particles; none where there are no grains.
    pub(super) fn take_porosity(&mut self) -> Vec<f32> {
        if self.is_empty() {
            self.porosity.clear();
        }
        std::mem::take(&mut self.porosity)
    }

    /// Takes them back.
    pub(super) fn give_porosity(&mut self, porosity: Vec<f32>) {
        self.porosity = porosity;
    }

    /// Hands the forces over to the grains.
    pub(super) fn give(&self, env: &mut Environment) {
        for grain in &self.grains {
            env.immersed[grain.method].force[grain.place] += grain.force;
        }
    }

    /// What the liquid lost: force [N] and torque about the origin [N m].
    pub(super) fn exchanged(&self) -> [DVec3; 2] {
        self.grains.iter().zip(&self.x).fold([DVec3::ZERO; 2], |[f, t], (grain, x)| {
            [f + grain.force, t + (*x + grain.arm).cross(grain.force)]
        })
    }
}

fn vector(a: &[f32; 4]) -> DVec3 {
    DVec3::new(f64::from(a[0]), f64::from(a[1]), f64::from(a[2]))
}

fn lanes(a: DVec3) -> [f32; 4] {
    [a.x as f32, a.y as f32, a.z as f32, 0.0]
}

impl Liquid {
    /// Finds the small grains in the liquid: pairs, porosity, and how much each grain shares. The particles are sorted,
    /// and walls have seen the liquid.
    pub(super) fn find_suspension(&mut self, env: &Environment) -> Result<(), SearchError> {
        let mut all = std::mem::take(&mut self.work.system.suspension);
        let found = self.find_pairs(&mut all, env);
        self.work.system.suspension = all;
        found
    }

    fn find_pairs(&self, all: &mut Suspension, env: &Environment) -> Result<(), SearchError> {
        let Suspension { grains, unsorted, index, x, spare, chunks, .. } = all;
        unsorted.clear();
        x.clear();
        for (method, immersed) in env.immersed.iter().enumerate() {
            if immersed.meeting == Meeting::Drag {
                x.extend_from_slice(&immersed.x);
                unsorted.extend((0..immersed.len()).map(|place| Suspended {
                    v: immersed.v[place],
                    mass: immersed.mass[place],
                    volume: immersed.volume[place],
                    contact: immersed.contact[place],
                    method,
                    place,
                    ..Suspended::default()
                }));
            }
        }
        grains.clear();
        if unsorted.is_empty() {
            return Ok(());
        }
        let index = match index {
            Some(index) => index,
            None => {
                index.insert(PointIndex::new(self.config.search, self.config.support, &self.space)?)
            }
        };
        index.update(x, spare)?;
        let order = index.order();
        grains.extend((0..unsorted.len()).map(|k| unsorted[order.map_or(k, |o| o.source(k))]));
        let n = grains.len();
        chunks.resize_with(n.div_ceil(CHUNK), GrainChunk::default);
        let (level, index): (Level, &PointIndex) = (self.work.level, index);
        let (liquid, walls) = (&self.work.index, self.boundary.index());
        chunks.par_iter_mut().enumerate().for_each(|(chunk, out)| {
            let range = chunk * CHUNK..n.min((chunk + 1) * CHUNK);
            level.run(Around { grains: index, liquid, walls, range, out });
        });
        self.weigh(all);
        Ok(())
    }

    /// Weights, porosities and shares.
    fn weigh(&self, all: &mut Suspension) {
        let (mass, particle) = (self.mass(), self.mass() / self.config.rest_density);
        let (kernel, support) = (&self.kernel, self.config.support);
        let w = |r2: f32| kernel.w(f64::from(r2).sqrt() * support);
        let (filled, volume) = (&self.work.coverage.filled, particle / self.lattice_sum);
        let (positions, space) = (&self.particles.x, &self.space);
        let Suspension { grains, chunks, x, .. } = all;
        let of_chunks = grains.par_chunks_mut(CHUNK).zip(chunks.par_iter_mut());
        of_chunks.zip(x.par_chunks(CHUNK)).for_each(|((grains, chunk), x)| {
            for (k, grain) in grains.iter_mut().enumerate() {
                let (span, count) = (chunk.liquid.span(k), chunk.liquid.count(k));
                let weights = &mut chunk.weights[span][..count];
                weights.iter_mut().for_each(|weight| *weight = w(*weight) as f32);
                let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
                let inverse = if sum > 0.0 { 1.0 / sum } else { 0.0 };
                weights.iter_mut().for_each(|w| *w = (f64::from(*w) * inverse) as f32);
                let near = chunk.walls.neighbors(k).iter();
                let distances = &chunk.wall_distances[chunk.walls.span(k)];
                let of_wall = |(&b, &r2): (&u32, &f32)| f64::from(filled[b as usize]) * w(r2);
                let of_walls: f64 = near.zip(distances).map(of_wall).sum();
                // For now what is filled with liquid and walls, and with liquid alone; walls alone wet nothing.
                let is_wet = if sum > 0.0 { 1.0 } else { 0.0 };
                (grain.wet, grain.share) = (is_wet * volume * (sum + of_walls), volume * sum);
                let from = |(j, w)| w * space.difference(positions[j], x[k]);
                grain.arm = chunk.around(k).map(from).sum();
            }
        });
        all.transpose(positions.len());
        // Particles share their places with grains: liquid counts with the volume of both.
        let [mut porosity, mut loading] = [&mut all.porosity, &mut all.loading].map(std::mem::take);
        all.gather(&mut porosity, |grain| grain.volume / particle);
        all.update(|grain, mean| {
            grain.wet = (grain.wet + grain.share * mean(&porosity)).min(1.0);
        });
        all.gather(&mut porosity, |grain| grain.wet * grain.volume / particle);
        porosity.par_iter_mut().with_min_len(CHUNK).for_each(|ratio| *ratio = 1.0 / (1.0 + *ratio));
        all.gather(&mut loading, |grain| grain.wet * grain.mass / mass);
        all.update(|grain, mean| {
            (grain.porosity, grain.loading) = (mean(&porosity), mean(&loading));
            grain.share = grain.wet * grain.volume * grain.porosity / particle;
        });
        (all.porosity, all.loading) = (porosity, loading);
        all.motions.resize(all.grains.len(), DVec3::ZERO);
        all.means.resize(all.grains.len(), DVec3::ZERO);
    }

    /// The drag in a step of a pressure system, which will have about the pressure of the last one.
    pub(super) fn drag_before_pressure(&mut self, env: &Environment, dt: f64) {
        if self.work.system.suspension.is_empty() {
            return;
        }
        let Particles { p, rho, .. } = &self.particles;
        let work = &mut self.work;
        let mut kappa = std::mem::take(&mut work.spare_scalars);
        kappa.clear();
        kappa.extend(p.iter().zip(rho).map(|(p, rho)| p / (rho * rho)));
        let lists = Lists { liquid: &work.neighbors, walls: &work.boundary_neighbors };
        work.system.accelerate(work.level, lists, &mut work.coverage, &kappa);
        work.spare_scalars = kappa;
        self.drag(env, dt, DVec3::ZERO);
        // Those of the grains for which the pressure is now looked for.
        self.work.system.enlarge_diagonal(self.lightness());
    }

    /// The drag in a step of `dt` [s]: it changes the velocities of the liquid, and gives those of the grains,
    /// predicted without pressure, as [`Suspension::motions`]. The accelerations that the liquid will have besides are
    /// in [`System::vectors`] and `more` [m/s²], those of grains by pressure in [`Suspension::motions`].
    ///
    /// [`System::vectors`]: super::system::System::vectors
    pub(super) fn drag(&mut self, env: &Environment, dt: f64, more: DVec3) {
        let mut all = std::mem::take(&mut self.work.system.suspension);
        if !all.is_empty() {
            let mass = self.mass();
            let (v, a) = (&mut self.particles.v, &self.work.system.vectors);
            all.average(|j| v[j] + dt * (vector(&a[j]) + more));
            let (rho0, nu) = (self.config.rest_density, self.config.viscosity);
            let Suspension { grains, means, motions, .. } = &mut all;
            for ((grain, mean), motion) in grains.iter_mut().zip(means).zip(motions) {
                let mut v = grain.v + dt * (env.gravity + grain.contact / grain.mass);
                let slip = *mean - (v + dt * *motion);
                // A dry grain has no liquid around that it could see.
                let beta = if grain.wet > 0.0 {
                    grain.wet * drag_coefficient(grain, slip.length(), rho0, nu)
                } else {
                    0.0
                };
                let delay = 1.0 + beta * dt * (1.0 + grain.loading) / grain.mass;
                let force = beta / delay * slip;
                grain.force += force;
                v += dt / grain.mass * force;
                (*motion, *mean) = (v, -(dt / mass) * force);
            }
            let all = &all;
            v.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(j, v)| {
                *v += all.spread(j);
            });
        }
        self.work.system.suspension = all;
    }

    /// What a diagonal must be enlarged by for light grains.
    pub(super) fn lightness(&self) -> f64 {
        let rho0 = self.config.rest_density;
        let ratio = |g: &Suspended| rho0 * g.volume / g.mass;
        let all = self.work.system.suspension.grains.iter();
        let lightest = all.map(ratio).fold(0.0, f64::max);
        if lightest > 2.0 { lightest * lightest / (4.0 * (lightest - 1.0)) } else { 1.0 }
    }
}

/// β [kg/s] of a grain with a slip [m/s], in a liquid of the density ρ0 and the viscosity ν.
fn drag_coefficient(grain: &Suspended, slip: f64, rho0: f64, nu: f64) -> f64 {
    let (e, d) = (grain.porosity, (6.0 / PI * grain.volume).cbrt());
    let u = e * slip;
    let re = if nu > 0.0 { u * d / nu } else { f64::INFINITY };
    // C_d u_s, which has a limit at rest.
    let rate = if re < 1000.0 { 24.0 * nu / d * (1.0 + 0.15 * re.powf(0.687)) } else { NEWTON * u };
    let chi = 3.7 - 0.65 * (-0.5 * (1.5 - re.max(1e-9).log10()).powi(2)).exp();
    PI / 8.0 * d * d * rho0 * rate * e.powf(1.0 - chi)
}
