//! Walls as one layer of boundary particles with volumes: Akinci et al. 2012.
//!
//! A particle among others of its wall stands for the volume V_b = γ/Σ_k W_bk: where the samples are
//! dense each counts less. γ makes a flat wall complete: liquid on a lattice, half a spacing in front
//! of the surface, has its rest density. With a support of two spacings a flat wall's V_b is that of
//! a liquid particle; with wider kernels the layer also stands for those missing behind it.
//!
//! Two additions to the paper keep corners, edges and thin plates as complete as flat walls, so that
//! liquid next to them starts calmly: a neighbour k counts with the cosine between the normals of the
//! surface at b and k, since the other side of an edge or of a plate is another wall; and a volume is
//! not larger than the sample's own share of the body, times that of a flat wall, since at the rim of
//! a wall neighbours are missing. As the paper has it, liquid in a corner between a box and a floor
//! fell into it with 0.5 m/s.

use super::lattice;
use super::sample::Sample;
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::kernel::Kernel;
use lawine_core::neighbors::{CHUNK, ChunkList, PointIndex, SearchError, SearchKind};
use lawine_core::simd::Portable;
use lawine_core::space::{Dimension, Space};

/// V_b of a flat wall over the volume of a liquid particle.
pub(super) fn of_flat_wall(kernel: &Kernel, spacing: f64) -> f64 {
    FlatWall::new(kernel, spacing).ratio
}

/// Replaces the volumes of a body's samples, in one layer, by those of their surroundings.
pub(super) fn assign(
    samples: &mut [Sample],
    body: &Body,
    kernel: &Kernel,
    spacing: f64,
) -> Result<(), SearchError> {
    // Bodies do not end at periodic seams.
    let dimension = if kernel.dimension() == 2 { Dimension::Planar } else { Dimension::Full };
    let space = Space::unbounded(dimension);
    let mut index = PointIndex::new(SearchKind::Hash, kernel.support(), &space)?;
    let mut positions: Vec<DVec3> = samples.iter().map(|s| s.position).collect();
    let normals: Vec<DVec3> = positions.iter().map(|&x| body.local_distance(x).normal).collect();
    index.update(&mut positions, &mut Vec::new())?;
    let flat = FlatWall::new(kernel, spacing);
    let (mut list, mut distances) = (ChunkList::default(), Vec::new());
    for first in (0..samples.len()).step_by(CHUNK) {
        let range = first..(first + CHUNK).min(samples.len());
        index.collect(Portable, &index, range.clone(), &mut list, &mut distances);
        for (k, b) in range.enumerate() {
            let neighbors = list.blocks(k).as_flattened().iter().zip(&distances[list.span(k)]);
            let sum: f64 = neighbors
                .take(list.count(k))
                .map(|(&j, &r2)| {
                    let cosine = normals[b].dot(normals[j as usize]).max(0.0);
                    cosine * kernel.w(f64::from(r2).sqrt() * kernel.support())
                })
                .sum();
            samples[b].volume = (flat.gamma / sum).min(flat.ratio * samples[b].volume);
        }
    }
    Ok(())
}

/// Volumes of all, from a flat wall.
struct FlatWall {
    /// γ [1].
    gamma: f64,
    /// V_b of a flat wall over the volume of a liquid particle.
    ratio: f64,
}

impl FlatWall {
    fn new(kernel: &Kernel, spacing: f64) -> Self {
        let layer = |k| lattice::layer(kernel, spacing, k);
        let behind = (kernel.support() / spacing).ceil() as i32;
        let ratio = (1..=behind).map(layer).sum::<f64>() / layer(1);
        Self { gamma: ratio * spacing.powi(kernel.dimension() as i32) * layer(0), ratio }
    }
}
