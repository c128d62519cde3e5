//! Grains with vertices on an ellipsoid (Schinner 3.1).

use glam::{DQuat, DVec3};

use super::{ShapeError, check_length, check_variation};
use crate::geometry::{Polyhedron, Random};

/// How the corners are spread over the ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, lawine_settings::Word)]
pub enum Spread {
    /// Evenly, along a spiral: the same for every seed, except for the variations.
    Even,
    /// At random, with a minimum distance that depends on the number of vertices.
    Random,
}

/// What a grain looks like: corners on an ellipsoid, with variations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidGrain {
    /// Half axes a, b, c of the ellipsoid [m].
    pub half_axes: DVec3,
    /// Number of corners, at least 4.
    pub vertices: usize,
    /// Distribution of the vertices.
    pub spread: Spread,
    /// Each half axis is multiplied by a number in [1 − x, 1 + x], from 0 to below 1.
    pub axis_variation: f64,
    /// Each corner is moved along the surface by up to this fraction of the mean distance between
    /// neighbouring corners, from 0 to below 0.5. Corners stay on the ellipsoid, so none is lost.
    pub vertex_variation: f64,
}

impl EllipsoidGrain {
    /// A grain without variations.
    #[must_use]
    pub fn new(half_axes: DVec3, vertices: usize) -> Self {
        let spread = Spread::Even;
        Self { half_axes, vertices, spread, axis_variation: 0.0, vertex_variation: 0.0 }
    }

    /// Makes a grain of exactly `vertices` corners, and returns its half axes [m] with it.
    ///
    /// # Errors
    /// When a half axis is not positive, there are fewer than four corners, a variation is out of
    /// its range, or the corners are too flat to be distinguished.
    pub fn make(&self, random: &mut Random) -> Result<(Polyhedron, DVec3), ShapeError> {
        for (k, what) in ["half axis a", "half axis b", "half axis c"].into_iter().enumerate() {
            check_length(what, self.half_axes[k])?;
        }
        if self.vertices < 4 {
            let (what, count, needed) = ("vertices", self.vertices, 4);
            return Err(ShapeError::TooFew { what, count, needed });
        }
        check_variation("the variation of the half axes", self.axis_variation, 1.0)?;
        check_variation("the variation of the vertices", self.vertex_variation, 0.5)?;
        let mut axes = self.half_axes;
        for k in 0..3 {
            axes[k] *= 1.0 + self.axis_variation * random.range(-1.0, 1.0);
        }
        let mut corners = match self.spread {
            Spread::Even => even(self.vertices),
            Spread::Random => scattered(self.vertices, random),
        };
        let reach = self.vertex_variation * spacing(self.vertices);
        if reach > 0.0 {
            for corner in &mut corners {
                let turn = DQuat::from_scaled_axis(random.direction() * reach * random.unit());
                *corner = turn * *corner;
            }
        }
        // The hull of a sphere's points has them all as corners; stretching keeps that.
        let points: Vec<DVec3> = corners.iter().map(|c| axes * *c).collect();
        let polyhedron = Polyhedron::new(&points)?;
        Ok((polyhedron, axes))
    }
}

/// Mean distance of `n` points on the unit sphere, as the side of a square with their fraction of it.
fn spacing(n: usize) -> f64 {
    (4.0 * std::f64::consts::PI / n as f64).sqrt()
}

/// Evenly spread points on the unit sphere: the regular bodies for 4, 6 and 12 corners, otherwise
/// a spiral that turns by the golden angle.
fn even(n: usize) -> Vec<DVec3> {
    use super::solids::{Platonic, corners};
    let regular = match n {
        4 => Some(Platonic::Tetrahedron),
        6 => Some(Platonic::Octahedron),
        12 => Some(Platonic::Icosahedron),
        _ => None,
    };
    if let Some(body) = regular {
        return corners(body).into_iter().map(DVec3::normalize).collect();
    }
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let at = |i: usize| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / n as f64;
        let (s, c) = (golden * i as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * c, r * s, z)
    };
    (0..n).map(at).collect()
}

/// Random points on the unit sphere that keep at least 0.4 of the mean distance where that is
/// possible (the distance shrinks with every hundredth refusal).
fn scattered(n: usize, random: &mut Random) -> Vec<DVec3> {
    let mut points: Vec<DVec3> = Vec::with_capacity(n);
    let mut least = 0.4 * spacing(n);
    let mut refusals = 0;
    while points.len() < n {
        let point = random.direction();
        if points.iter().all(|p| p.distance_squared(point) >= least * least) {
            points.push(point);
        } else {
            refusals += 1;
            if refusals % 100 == 0 {
                least *= 0.9;
            }
        }
    }
    points
}
