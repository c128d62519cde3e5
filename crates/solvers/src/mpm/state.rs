//! The state of the matter in a checkpoint.

use glam::{DMat3, DVec3};
use lawine_core::columns;
use lawine_core::eigen::symmetric_eigen;
use std::io::{self, Read, Write};

/// A piece of matter to add.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewMatter {
    /// Where [m].
    pub position: DVec3,
    /// How fast [m/s].
    pub velocity: DVec3,
    /// Volume [m³], in the plane [m²].
    pub volume: f64,
    /// Index of its material, from 0.
    pub material: u32,
}

/// The particles, one column for each quantity, nearly in the order of the grid's blocks.
///
/// Positions, velocities and J_P are `f64`. Strain, stress and velocity gradient are `f32`: they are
/// kept as differences from the state at rest, so that single precision is relative to what matters,
/// and the sums that conserve mass and momentum do not depend on their rounding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// Identifiers that stay with a particle for its whole life.
    pub id: Vec<u32>,
    /// Numbers of their materials.
    pub material: Vec<u32>,
    /// Positions [m].
    pub x: Vec<DVec3>,
    /// Velocities [m/s].
    pub v: Vec<DVec3>,
    /// J_P, the plastic (permanent) change of volume.
    pub plastic_volume: Vec<f64>,
    /// Densities [kg/m³].
    pub density: Vec<f32>,
    /// Pressures, −tr σ / 3 [Pa].
    pub pressure: Vec<f32>,
    /// The rest.
    pub points: Vec<Point>,
    /// Velocity gradients of APIC [1/s], by columns: ∂v_i/∂x_k is at 3 k + i. Empty with FLIP.
    pub gradients: Vec<Gradient>,
    pub(super) next_id: u32,
    /// Largest speed [m/s], and largest speed of elastic waves [m/s].
    pub speeds: [f64; 2],
}

/// A velocity gradient [1/s].
pub type Gradient = [f32; 9];

/// What a particle knows besides its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Mass [kg].
    pub m: f32,
    /// Volume at rest [m³]; negative until it is measured on the grid.
    pub volume: f32,
    /// F_E F_Eᵀ − 1: xx, yy, zz, yz, xz, xy.
    pub e: [f32; 6],
    /// Kirchhoff stress τ = J σ [Pa], in the same order.
    pub tau: [f32; 6],
}

/// Numbers of a point in a checkpoint.
const NUMBERS: usize = 14;

impl Point {
    fn numbers(&self) -> [f32; NUMBERS] {
        let mut all = [0.0; NUMBERS];
        (all[0], all[1]) = (self.m, self.volume);
        all[2..8].copy_from_slice(&self.e);
        all[8..].copy_from_slice(&self.tau);
        all
    }

    fn from_numbers(all: &[f32]) -> Self {
        let mut point = Self { m: all[0], volume: all[1], ..Self::default() };
        point.e.copy_from_slice(&all[2..8]);
        point.tau.copy_from_slice(&all[8..]);
        point
    }
}

/// A symmetric matrix from xx, yy, zz, yz, xz, xy.
pub(super) fn symmetric(six: [f32; 6]) -> DMat3 {
    let [xx, yy, zz, yz, xz, xy] = six.map(f64::from);
    DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
}

impl Particles {
    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Cauchy stress of particle `i` [Pa].
    ///
    /// # Panics
    /// When there is no such particle.
    #[must_use]
    pub fn stress(&self, i: usize) -> DMat3 {
        let point = &self.points[i];
        let rest = f64::from(point.m) / f64::from(point.volume.abs());
        symmetric(point.tau) * (f64::from(self.density[i]) / rest)
    }

    /// Elastic stretch √(F_E F_Eᵀ) of particle `i`: F_E without its rotation, which no isotropic
    /// material needs.
    ///
    /// # Panics
    /// When there is no such particle.
    #[must_use]
    pub fn elastic_stretch(&self, i: usize) -> DMat3 {
        let (values, axes) = symmetric_eigen(DMat3::IDENTITY + symmetric(self.points[i].e));
        let roots = values.max(DVec3::ZERO).map(f64::sqrt);
        axes * DMat3::from_diagonal(roots) * axes.transpose()
    }

    /// Makes room for more particles: exactly for many, with a margin for the few of an emitter.
    pub(super) fn reserve(&mut self, n: usize, apic: bool) {
        fn reserve<T>(column: &mut Vec<T>, n: usize) {
            if 4 * n >= column.len() {
                column.reserve_exact(n);
            } else {
                column.reserve(n);
            }
        }
        reserve(&mut self.id, n);
        reserve(&mut self.material, n);
        reserve(&mut self.x, n);
        reserve(&mut self.v, n);
        reserve(&mut self.plastic_volume, n);
        reserve(&mut self.density, n);
        reserve(&mut self.pressure, n);
        reserve(&mut self.points, n);
        if apic {
            reserve(&mut self.gradients, n);
        }
    }

    /// Keeps the particles whose flag is set, in order; returns the number of those removed.
    pub(super) fn retain(&mut self, keep: &[bool]) -> usize {
        fn retain<T>(column: &mut Vec<T>, keep: &[bool]) {
            let mut flags = keep.iter();
            column.retain(|_| flags.next().copied().unwrap_or(true));
        }
        let before = self.len();
        if keep.iter().all(|&keep| keep) {
            return 0;
        }
        retain(&mut self.id, keep);
        retain(&mut self.material, keep);
        retain(&mut self.x, keep);
        retain(&mut self.v, keep);
        retain(&mut self.plastic_volume, keep);
        retain(&mut self.density, keep);
        retain(&mut self.pressure, keep);
        retain(&mut self.points, keep);
        retain(&mut self.gradients, keep);
        before - self.len()
    }

    /// Moves particle `from[k]` to place k, for all k. Going along the cycles of the permutation needs
    /// no second copy of a column; columns go side by side.
    pub(super) fn permute(&mut self, from: &[u32]) {
        rayon::scope(|scope| {
            scope.spawn(|_| permute(&mut self.points, from));
            scope.spawn(|_| permute(&mut self.gradients, from));
            scope.spawn(|_| permute(&mut self.x, from));
            scope.spawn(|_| permute(&mut self.v, from));
            scope.spawn(|_| permute(&mut self.plastic_volume, from));
            scope.spawn(|_| permute(&mut self.id, from));
            scope.spawn(|_| permute(&mut self.material, from));
            scope.spawn(|_| permute(&mut self.density, from));
            scope.spawn(|_| permute(&mut self.pressure, from));
        });
    }

    pub(super) fn bytes(&self) -> usize {
        (self.id.capacity() + self.material.capacity()) * size_of::<u32>()
            + (self.x.capacity() + self.v.capacity()) * size_of::<DVec3>()
            + self.plastic_volume.capacity() * size_of::<f64>()
            + (self.density.capacity() + self.pressure.capacity()) * size_of::<f32>()
            + self.points.capacity() * size_of::<Point>()
            + self.gradients.capacity() * size_of::<Gradient>()
    }

    pub(super) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        columns::write(out, "id", &self.id)?;
        columns::write(out, "material", &self.material)?;
        columns::write(out, "position", &self.x)?;
        columns::write(out, "velocity", &self.v)?;
        columns::write(out, "plastic_volume", &self.plastic_volume)?;
        columns::write(out, "density", &self.density)?;
        columns::write(out, "pressure", &self.pressure)?;
        let numbers: Vec<f32> = self.points.iter().flat_map(Point::numbers).collect();
        columns::write(out, "points", &numbers)?;
        columns::write(out, "gradients", self.gradients.as_flattened())?;
        columns::write(out, "next_id", &[self.next_id])?;
        columns::write(out, "speeds", &self.speeds)
    }

    /// Reads what [`Self::save`] wrote and refuses what it cannot have written.
    pub(super) fn load(from: &mut dyn Read, materials: usize, apic: bool) -> io::Result<Self> {
        let bad = |what| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        let mut read = Self {
            id: columns::read(from, "id")?,
            material: columns::read(from, "material")?,
            x: columns::read(from, "position")?,
            v: columns::read(from, "velocity")?,
            plastic_volume: columns::read(from, "plastic_volume")?,
            density: columns::read(from, "density")?,
            pressure: columns::read(from, "pressure")?,
            ..Self::default()
        };
        let numbers: Vec<f32> = columns::read(from, "points")?;
        read.points = numbers.chunks_exact(NUMBERS).map(Point::from_numbers).collect();
        let gradients: Vec<f32> = columns::read(from, "gradients")?;
        read.gradients = gradients.as_chunks().0.to_vec();
        read.next_id = columns::read_one(from, "next_id")?;
        let speeds = columns::read::<f64>(from, "speeds")?;
        let [flow, wave] = speeds[..] else {
            return bad("the speeds of the matter are incomplete");
        };
        read.speeds = [flow, wave];
        let n = read.len();
        let lengths = [
            read.material.len(),
            read.x.len(),
            read.v.len(),
            read.plastic_volume.len(),
            read.density.len(),
            read.pressure.len(),
            read.points.len(),
        ];
        let of_gradients = if apic { 9 * n } else { 0 };
        if lengths != [n; 7] || numbers.len() != n * NUMBERS || gradients.len() != of_gradients {
            return bad("the columns of the matter differ in length");
        }
        if !read.x.iter().chain(&read.v).all(|v| v.is_finite())
            || !read.plastic_volume.iter().chain(&read.speeds).all(|x| x.is_finite())
            || !numbers.iter().chain(&gradients).all(|x| x.is_finite())
        {
            return bad("a value of the matter is not finite");
        }
        if read.material.iter().any(|&m| m as usize >= materials) {
            return bad("a particle is of a material that does not exist");
        }
        Ok(read)
    }
}

/// Moves element `from[k]` of a column to place k, for all k; one that is not in use stays empty.
fn permute<T: Copy>(column: &mut [T], from: &[u32]) {
    if column.is_empty() {
        return;
    }
    let mut moved = vec![false; from.len()];
    for start in 0..from.len() {
        if moved[start] {
            continue;
        }
        let first = column[start];
        let mut k = start;
        loop {
            moved[k] = true;
            let next = from[k] as usize;
            if next == start {
                column[k] = first;
                break;
            }
            column[k] = column[next];
            k = next;
        }
    }
}
