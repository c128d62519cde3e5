//! The pair loops, eight neighbours at a time, over one chunk of particles.
//!
//! Sums over neighbours are in `f32` on exact fixed-point differences; the results go back into
//! `f64`. A record is what a loop gathers of a neighbour:
//! x, y, z (fixed point), p/ρ², velocity u, v, w, and 1/ρ.

use lawine_core::kernel::LaneShape;
use lawine_core::neighbors::{CHUNK, ChunkList, PointIndex, UNITS_PER_SUPPORT};
use lawine_core::simd::{LANES, Record, Simd, Work};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;
use web_time::Instant;

/// What one thread needs while it works on a chunk.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Squared distances of the neighbours: written by the search, read by the density.
    liquid: Vec<f32>,
    walls: Vec<f32>,
    accelerations: Vec<[f64; 3]>,
}

impl Scratch {
    pub(super) fn accelerations(&mut self, n: usize) -> &mut [[f64; 3]] {
        self.accelerations.resize(n, [0.0; 3]);
        &mut self.accelerations
    }

    /// Gives every thread's scratch the size of the largest, so that it does not matter which
    /// thread works on what.
    pub(super) fn level(all: &mut [Mutex<Self>]) {
        let sizes = |s: &Mutex<Self>| with(s, |s| (s.liquid.len(), s.walls.len()));
        let max = |a: (usize, usize), b: (usize, usize)| (a.0.max(b.0), a.1.max(b.1));
        let (liquid, walls) = all.iter().map(sizes).fold((0, 0), max);
        for scratch in all {
            with(scratch, |s| {
                s.liquid.resize(liquid, 0.0);
                s.walls.resize(walls, 0.0);
                s.accelerations(CHUNK);
            });
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.liquid.capacity() + self.walls.capacity()) * size_of::<f32>()
            + self.accelerations.capacity() * size_of::<[f64; 3]>()
    }
}

/// Works with a scratch; a thread that panicked left nothing in it that matters.
pub(super) fn with<T>(scratch: &Mutex<Scratch>, work: impl FnOnce(&mut Scratch) -> T) -> T {
    work(&mut scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// What a chunk has to say after its loops; all are combined in order.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkReport {
    /// Seconds in the search and in the density sums.
    pub(super) search_time: f64,
    pub(super) density_time: f64,
    /// Particles under pressure, the sum of their |ρ/ρ0 − 1| and the largest.
    pub(super) pressed: u32,
    pub(super) error_sum: f64,
    pub(super) error_max: f64,
    /// Squares of the largest speed and acceleration.
    pub(super) speed_squared: f64,
    pub(super) acceleration_squared: f64,
    /// The first particle whose velocity or position is not finite.
    pub(super) not_finite: Option<usize>,
    /// The first particle outside the domain.
    pub(super) outside: Option<usize>,
    /// Force and moment about the origin on each body [N], [N m].
    pub(super) forces: Vec<[f64; 6]>,
}

/// Finds the neighbours of a chunk and sums ρ/m = Σ W: Hunkler (4.3), Algorithm 5.
pub(super) struct Density<'a, K> {
    pub(super) index: &'a PointIndex,
    pub(super) walls: &'a PointIndex,
    pub(super) wall_records: &'a [Record],
    pub(super) range: Range<usize>,
    pub(super) neighbors: &'a mut ChunkList,
    pub(super) wall_neighbors: &'a mut ChunkList,
    pub(super) scratch: &'a mut Scratch,
    /// m times the kernel's factor [kg/m^dim].
    pub(super) scale: f64,
    pub(super) rho: &'a mut [f32],
    pub(super) report: &'a mut ChunkReport,
    pub(super) shape: PhantomData<K>,
}

impl<K: LaneShape> Work for Density<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let start = Instant::now();
        let Scratch { liquid, walls, .. } = self.scratch;
        self.index.collect(s, self.index, self.range.clone(), self.neighbors, liquid);
        self.walls.collect(s, self.index, self.range, self.wall_neighbors, walls);
        let found = Instant::now();
        for (k, rho) in self.rho.iter_mut().enumerate() {
            let mut sum = s.splat(0.0);
            for r2 in liquid[self.neighbors.span(k)].as_chunks().0 {
                sum = s.add(sum, kernel_at::<S, K>(s, r2));
            }
            let wall_distances = walls[self.wall_neighbors.span(k)].as_chunks().0;
            for (r2, b) in wall_distances.iter().zip(self.wall_neighbors.blocks(k)) {
                let mass_ratio = b.map(|b| f32::from_bits(self.wall_records[b as usize][3]));
                sum = s.add(sum, s.mul(kernel_at::<S, K>(s, r2), s.load(&mass_ratio)));
            }
            *rho = (self.scale * f64::from(s.sum(sum))) as f32;
        }
        self.report.search_time = (found - start).as_secs_f64();
        self.report.density_time = found.elapsed().as_secs_f64();
    }
}

/// W without its factor at eight (r/support)².
#[inline(always)]
fn kernel_at<S: Simd, K: LaneShape>(s: S, r2: &[f32; LANES]) -> S::F {
    K::w(s, s.mul(s.splat(2.0), s.sqrt(s.load(r2))))
}

/// Constants of [`Acceleration`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ForceConstants {
    /// m times the kernel's factor, over h², times the length of a fixed-point unit.
    pub(super) scale: f64,
    /// 2(dim + 2)ν over the length of a fixed-point unit.
    pub(super) viscosity: f32,
    pub(super) wall_viscosity: f32,
    /// 1/ρ0².
    pub(super) inverse_rest_density_squared: f32,
    /// Gravity over ρ0, times the length of a fixed-point unit; zero mirrors the pressure as it is.
    pub(super) weight: [f32; 3],
    pub(super) mass: f64,
    /// Periods in fixed-point units; zero along axes without one.
    pub(super) periods: [i32; 3],
}

impl ForceConstants {
    /// The image of a neighbour that is within the support of the particle `own`.
    #[inline(always)]
    fn image(&self, own: &Record, other: &Record) -> Record {
        let mut image = *other;
        for (k, &period) in self.periods.iter().enumerate() {
            let x = other[k] as i32;
            let distance = |x: i32| (own[k] as i32).wrapping_sub(x).unsigned_abs();
            let images = [x, x.wrapping_add(period), x.wrapping_sub(period)];
            if let Some(nearest) = images.into_iter().min_by_key(|&x| distance(x)) {
                image[k] = nearest as u32;
            }
        }
        image
    }

    /// Eight neighbours of `own`, transposed, where they are nearest.
    #[inline(always)]
    fn gather<S: Simd>(
        &self,
        s: S,
        own: &Record,
        records: &[Record],
        block: &[u32; LANES],
    ) -> [S::I; LANES] {
        let others = block.map(|j| &records[j as usize]);
        if self.periods == [0; 3] {
            return s.transpose(others);
        }
        let images = others.map(|other| self.image(own, other));
        s.transpose(images.each_ref())
    }
}

/// Pressure and viscosity: Hunkler (4.21), (4.24), Algorithms 7 and 8 with the errata.
///
/// a_i = −Σ_j m (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij
///       + 2(d+2)ν Σ_j m/ρ_ij (v_ij·x_ij)/(x_ij² + 0.01h²) ∇W_ij,
/// where 1/ρ_ij is the mean of 1/ρ_i and 1/ρ_j, so that momentum is conserved. Walls mirror the
/// pressure ([`super::WallPressure`]), ρ_b = ρ0.
pub(super) struct Acceleration<'a, K> {
    pub(super) constants: &'a ForceConstants,
    pub(super) records: &'a [Record],
    pub(super) wall_records: &'a [Record],
    pub(super) first: usize,
    pub(super) neighbors: &'a ChunkList,
    pub(super) wall_neighbors: &'a ChunkList,
    /// Positions of the chunk's particles [m], for the moments on the bodies.
    pub(super) positions: &'a [glam::DVec3],
    pub(super) report: &'a mut ChunkReport,
    pub(super) out: &'a mut [[f64; 3]],
    pub(super) shape: PhantomData<K>,
}

/// A particle's own values in every lane.
struct Own<S: Simd> {
    x: [S::I; 3],
    v: [S::F; 3],
    /// p/ρ².
    pressure: S::F,
    /// 1/ρ.
    volume: S::F,
}

impl<K: LaneShape> Work for Acceleration<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let c = self.constants;
        let viscosity = s.splat(0.5 * c.viscosity);
        for (k, out) in self.out.iter_mut().enumerate() {
            let record = &self.records[self.first + k];
            let word = |w: usize| f32::from_bits(record[w]);
            let own = Own::<S> {
                x: std::array::from_fn(|w| s.splat_i(record[w] as i32)),
                v: std::array::from_fn(|w| s.splat(word(4 + w))),
                pressure: s.splat(word(3)),
                volume: s.splat(word(7)),
            };
            let mut sum = [s.splat(0.0); 3];
            let mut left = self.neighbors.count(k);
            for block in self.neighbors.blocks(k) {
                let lanes = c.gather(s, record, self.records, block);
                let pressure = s.add(own.pressure, s.as_float(lanes[3]));
                let drag = s.mul(viscosity, s.add(own.volume, s.as_float(lanes[7])));
                let force = Pairs::new(s, &own, &lanes).force::<K>(s, pressure, drag, left);
                sum = add(s, sum, force);
                left = left.saturating_sub(LANES);
            }
            let mut left = self.wall_neighbors.count(k);
            if left > 0 {
                // p_i/ρ0², and Hunkler's 1/ρ_i for the drag.
                let p_i = word(3) / (word(7) * word(7)) * c.inverse_rest_density_squared;
                let drag = s.mul(s.splat(c.wall_viscosity), own.volume);
                let weight = c.weight.map(|g| s.splat(g));
                for block in self.wall_neighbors.blocks(k) {
                    let lanes = c.gather(s, record, self.wall_records, block);
                    let pairs = Pairs::new(s, &own, &lanes);
                    // p_b/ρ0² = max(0, p_i/ρ0² + g·(x_b − x_i)/ρ0).
                    let p_b = s.sub(s.splat(p_i), s.dot(&weight, &pairs.d));
                    let pressure = s.add(own.pressure, s.max(p_b, s.splat(0.0)));
                    let ratio = s.as_float(lanes[3]);
                    let (pressure, drag) = (s.mul(pressure, ratio), s.mul(drag, ratio));
                    let force = pairs.force::<K>(s, pressure, drag, left);
                    sum = add(s, sum, force);
                    let bodies = &s.store_i(lanes[7])[..left.min(LANES)];
                    push_bodies(s, self.report, force, bodies, self.positions[k]);
                    left = left.saturating_sub(LANES);
                }
            }
            *out = sum.map(|sum| c.scale * f64::from(s.sum(sum)));
        }
        let to_newton = -c.scale * c.mass;
        self.report.forces.iter_mut().flatten().for_each(|f| *f *= to_newton);
    }
}

/// A particle and eight neighbours.
struct Pairs<S: Simd> {
    /// x_ij in fixed-point units.
    d: [S::F; 3],
    /// x_ij².
    r2: S::F,
    /// v_ij·x_ij.
    approach: S::F,
}

impl<S: Simd> Pairs<S> {
    #[inline(always)]
    fn new(s: S, own: &Own<S>, lanes: &[S::I; LANES]) -> Self {
        let d = std::array::from_fn(|k| s.to_float(s.sub_i(own.x[k], lanes[k])));
        let dv = std::array::from_fn(|k| s.sub(own.v[k], s.as_float(lanes[4 + k])));
        Self { d, r2: s.dot(&d, &d), approach: s.dot(&dv, &d) }
    }

    /// (drag · v_ij·x_ij/(x_ij² + 0.01h²) − pressure) ∇W, without the constant scale; lanes from
    /// `left` on are zero.
    #[inline(always)]
    fn force<K: LaneShape>(&self, s: S, pressure: S::F, drag: S::F, left: usize) -> [S::F; 3] {
        const TO_Q: f32 = 2.0 / UNITS_PER_SUPPORT as f32;
        // In squared units, h being half a support.
        const EPSILON: f32 = 0.01 * 0.25 * (UNITS_PER_SUPPORT * UNITS_PER_SUPPORT) as f32;
        let q = s.mul(s.splat(TO_Q), s.sqrt(self.r2));
        let approach = s.div(self.approach, s.add(self.r2, s.splat(EPSILON)));
        let strength = s.sub(s.mul(drag, approach), pressure);
        let mut factor = s.mul(K::slope_over_q(s, q), strength);
        if left < LANES {
            factor = s.mul(factor, s.load(&FIRST_LANES[left]));
        }
        self.d.map(|d| s.mul(factor, d))
    }
}

/// One in the first n lanes, zero in the others.
static FIRST_LANES: [[f32; LANES]; LANES] = {
    let mut table = [[0.0; LANES]; LANES];
    let mut n = 0;
    while n < LANES {
        let mut lane = 0;
        while lane < n {
            table[n][lane] = 1.0;
            lane += 1;
        }
        n += 1;
    }
    table
};

#[inline(always)]
fn add<S: Simd>(s: S, a: [S::F; 3], b: [S::F; 3]) -> [S::F; 3] {
    std::array::from_fn(|k| s.add(a[k], b[k]))
}

/// Adds what eight wall particles do to the particle at `x` to the forces of their bodies, for now
/// with the particle's sign and scale. All terms point along x_ij, so the particle's own position
/// gives the same moment as the wall particles' would.
#[inline(always)]
fn push_bodies<S: Simd>(
    s: S,
    report: &mut ChunkReport,
    pair: [S::F; 3],
    bodies: &[i32],
    x: glam::DVec3,
) {
    let mut push = |body: i32, force: [f32; 3]| {
        let force = glam::DVec3::from_array(force.map(f64::from));
        let moment = x.cross(force);
        let total = &mut report.forces[body as usize];
        for k in 0..3 {
            total[k] += force[k];
            total[3 + k] += moment[k];
        }
    };
    if bodies.iter().all(|&body| body == bodies[0]) {
        push(bodies[0], pair.map(|p| s.sum(p)));
    } else {
        let lanes = pair.map(|p| s.store(p));
        for (lane, &body) in bodies.iter().enumerate() {
            push(body, [lanes[0][lane], lanes[1][lane], lanes[2][lane]]);
        }
    }
}
