//! Layers under the surface of polyhedra, meshes, cylinders, cones and capsules: level sets of the signed
//! distance.

use glam::DVec3;

use super::Sample;
use super::spread::{self, Spot};
use lawine_core::body::Body;
use lawine_core::geometry::Aabb;

/// About how many samples there will be, from the area of the surface [m²] and the volume inside [m³].
pub(super) fn count(area: f64, inside: f64, hollow: bool, d: f64, layers: usize) -> f64 {
    let thickness = layers as f64 * d;
    let volume = area * thickness;
    let volume = if hollow { volume } else { volume.min(inside) };
    volume / (d * d * d)
}

/// One layer: the points with a depth between k d and (k + 1) d, sampled at (k + ½) d.
struct Layer<'a> {
    body: &'a Body,
    d: f64,
    near: f64,
    middle: f64,
    far: f64,
}

pub(super) fn samples(body: &Body, d: f64, layers: usize) -> Vec<Sample> {
    let mut samples = Vec::new();
    for k in 0..layers {
        let k = k as f64;
        let layer = Layer { body, d, near: k * d, middle: (k + 0.5) * d, far: (k + 1.0) * d };
        let (volume, candidates) = layer.survey();
        let count = (volume / (d * d * d)).round().max(1.0) as usize;
        if candidates.is_empty() {
            continue;
        }
        let points = spread::thin(&candidates, count, d);
        let mut spots: Vec<Spot> = points.into_iter().map(|p| layer.project(p, 8).0).collect();
        spread::relax(&mut spots, d, |p| layer.project(p, 2).0);
        for spot in &mut spots {
            *spot = layer.project(spot.position, 8).0;
        }
        let weights = spread::weights(&spots, d);
        let mean = volume / spots.len() as f64;
        let weighted = spots.iter().zip(weights);
        samples.extend(weighted.map(|(s, w)| Sample { position: s.position, volume: w * mean }));
    }
    samples
}

impl Layer<'_> {
    /// Depth of a local point under the surface [m] and the way down.
    fn depth(&self, p: DVec3) -> (f64, DVec3) {
        let d = self.body.local_distance(p);
        (-d.distance, -d.normal)
    }

    /// Volume of the layer [m³] and points on its middle, about eight for each sample.
    ///
    /// Space is divided into cells of d/2, skipping large cells far from the layer. A cell counts
    /// with the part of it that a plane across its middle would leave in the layer.
    fn survey(&self) -> (f64, Vec<DVec3>) {
        let h = 0.5 * self.d;
        let bounds =
            self.body.shape.bounds().grow(self.d + if self.body.hollow { self.far } else { 0.0 });
        let mut level = 0;
        while h * f64::from(1 << level) < bounds.size().max_element() && level < 30 {
            level += 1;
        }
        let (mut volume, mut candidates) = (0.0, Vec::new());
        let mut stack = vec![(bounds.min, level)];
        while let Some((corner, level)) = stack.pop() {
            let size = h * f64::from(1 << level);
            let center = corner + 0.5 * size;
            let (depth, _) = self.depth(center);
            let reach = 0.5 * 3.0_f64.sqrt() * size;
            if depth + reach < self.near || depth - reach > self.far {
                continue;
            }
            if level > 0 {
                let half = 0.5 * size;
                for child in Aabb::new(corner, corner + half).corners().into_iter().rev() {
                    stack.push((child, level - 1));
                }
                continue;
            }
            let part = |limit: f64| ((depth - limit) / h + 0.5).clamp(0.0, 1.0);
            let inside = part(self.near) - part(self.far);
            if inside > 0.0 {
                volume += inside * h * h * h;
                let start = corner + h * jitter(candidates.len() as u64);
                let (spot, depth) = self.project(start, 8);
                // In a thin place the layer's middle may not exist: then the deepest points, which
                // the projection ends at, are taken.
                if depth >= self.near && depth <= self.far {
                    candidates.push(spot.position);
                }
            }
        }
        (volume, candidates)
    }

    /// Moves a point to the middle of the layer, or as close as it gets; with its depth there [m].
    fn project(&self, mut p: DVec3, rounds: usize) -> (Spot, f64) {
        let (mut depth, mut down) = self.depth(p);
        for _ in 0..rounds {
            let miss = self.middle - depth;
            if miss.abs() < 1e-6 * self.d {
                break;
            }
            let mut next = p + miss * down;
            let (mut next_depth, mut next_down) = self.depth(next);
            if (self.middle - next_depth).abs() >= miss.abs() {
                // Over the ridge: the middle of both sides is nearer to it.
                next = 0.5 * (p + next);
                (next_depth, next_down) = self.depth(next);
            }
            (p, depth, down) = (next, next_depth, next_down);
        }
        (Spot { position: p, normal: -down }, depth)
    }
}

/// A point of the unit cube without a pattern (SplitMix64, Steele et al. 2014).
fn jitter(index: u64) -> DVec3 {
    let coordinate = |axis: u64| {
        let mut z = (3 * index + axis + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    DVec3::new(coordinate(0), coordinate(1), coordinate(2))
}
