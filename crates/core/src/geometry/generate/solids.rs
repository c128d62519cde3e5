//! Platonic solids, boxes and prisms.

use glam::DVec3;

use super::{ShapeError, check_length};
use crate::geometry::{Aabb, Polyhedron};

/// The five regular bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, lawine_settings::Word)]
pub enum Platonic {
    /// 4 triangles.
    Tetrahedron,
    /// 6 squares.
    Cube,
    /// 8 triangles.
    Octahedron,
    /// 12 pentagons.
    Dodecahedron,
    /// 20 triangles.
    Icosahedron,
}

impl Platonic {
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::Tetrahedron, Self::Cube, Self::Octahedron, Self::Dodecahedron, Self::Icosahedron];
}

/// The corners in simple numbers, not yet of the same distance for all bodies.
pub(super) fn corners(body: Platonic) -> Vec<DVec3> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let signs = [-1.0, 1.0];
    let cube = || Aabb::new(DVec3::NEG_ONE, DVec3::ONE).corners().to_vec();
    // (0, ±p, ±q) and its cyclic permutations.
    let rectangles = |p: f64, q: f64| {
        let mut points = Vec::new();
        for k in 0..3 {
            for (s, t) in signs.iter().flat_map(|s| signs.map(|t| (*s, t))) {
                let mut point = DVec3::ZERO;
                point[(k + 1) % 3] = s * p;
                point[(k + 2) % 3] = t * q;
                points.push(point);
            }
        }
        points
    };
    match body {
        Platonic::Tetrahedron => cube().into_iter().filter(|c| c.x * c.y * c.z > 0.0).collect(),
        Platonic::Cube => cube(),
        Platonic::Octahedron => DVec3::AXES.iter().flat_map(|a| [*a, -*a]).collect(),
        Platonic::Dodecahedron => {
            let mut points = cube();
            points.extend(rectangles(golden - 1.0, golden));
            points
        }
        Platonic::Icosahedron => rectangles(1.0, golden),
    }
}

/// A regular body whose corners are `radius` [m] from its centre, which is the origin.
///
/// # Errors
/// When the radius is not positive.
pub fn platonic(body: Platonic, radius: f64) -> Result<Polyhedron, ShapeError> {
    check_length("the radius", radius)?;
    let points: Vec<DVec3> = corners(body).into_iter().map(|c| c.normalize() * radius).collect();
    Ok(Polyhedron::new(&points)?)
}

/// A box with the given edge lengths [m] around the origin.
///
/// # Errors
/// When an edge length is not positive.
pub fn block(size: DVec3) -> Result<Polyhedron, ShapeError> {
    for (k, what) in ["size x", "size y", "size z"].into_iter().enumerate() {
        check_length(what, size[k])?;
    }
    Ok(Polyhedron::new(&Aabb::new(-0.5 * size, 0.5 * size).corners())?)
}

/// A prism along z around the origin, with a regular polygon of `sides` corners at `radius` [m]
/// as its base.
///
/// # Errors
/// When there are fewer than three sides or a length is not positive.
pub fn prism(sides: usize, radius: f64, height: f64) -> Result<Polyhedron, ShapeError> {
    check_length("the radius", radius)?;
    check_length("the height", height)?;
    if sides < 3 {
        return Err(ShapeError::TooFew { what: "sides", count: sides, needed: 3 });
    }
    let mut points = Vec::with_capacity(2 * sides);
    for k in 0..sides {
        let (s, c) = (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
        for z in [-0.5 * height, 0.5 * height] {
            points.push(DVec3::new(radius * c, radius * s, z));
        }
    }
    Ok(Polyhedron::new(&points)?)
}
