//! Lattices of particles inside shapes.

use super::bodies;
use crate::file::{
    Extent, Fill, Holes, Lattice, LoadedScene, MAX_PARTICLES, SceneError, Shape, Solid as Volume,
};
use glam::DVec3;
use lawine_core::body::{Body, Pose};
use lawine_core::geometry::{Aabb, MeshError, Winding};
use rayon::prelude::*;

/// The lattice of a fill. A box carries its own, which fits between walls; other shapes cut theirs out of
/// one common lattice.
pub struct Sites {
    rows: Rows,
    origin: DVec3,
    /// The first cell along each axis.
    first: DVec3,
    planar: bool,
    /// How the lattice of a box is turned and moved with it.
    pose: Option<Pose>,
    /// What cuts the points out; boxes have as many as fit.
    solid: Option<Solid>,
}

impl Sites {
    /// The lattice of a fill with points `d` apart [m], where there are `others` already; `key` is the
    /// path of its shape.
    pub(crate) fn new(
        loaded: &LoadedScene,
        fill: &Fill,
        d: f64,
        key: &str,
        others: usize,
    ) -> Result<Self, SceneError> {
        let planar = loaded.scene.space.dimension == 2;
        let placement = fill.placement;
        if let (Volume::Box(_), Shape::Box(Extent { min, max })) =
            (&fill.shape, placement.scaled(&fill.shape.clone().into()))
        {
            let (origin, size) = (min.get(), max.get() - min.get());
            let rows = match fill.lattice {
                Lattice::Square => Rows::square_in(size, d),
                Lattice::Hexagonal => Rows::hexagonal_in(size, d),
            };
            let pose = placement.pose();
            return Ok(Self { rows, origin, first: DVec3::ZERO, planar, pose, solid: None });
        }
        let solid = Solid::new(loaded, fill, key)?;
        let Aabb { mut min, mut max } = solid.bounds();
        if planar {
            // Shapes of the plane have no end in z.
            (min.z, max.z) = (0.0, 0.0);
        }
        let (step, shift) = match fill.lattice {
            Lattice::Square => (DVec3::splat(d), 0.0),
            Lattice::Hexagonal => (hexagons(d), SHIFT),
        };
        let counts = ((max - min) / step).ceil() + 1.0;
        let count = counts.element_product();
        // The scene has been checked for this, but files of meshes were not known then.
        if count.is_nan() || count > MAX_PARTICLES - others as f64 {
            let message = format!(
                "its box would hold about {count:.1e} particles in addition to {others} others; allowed: at \
                 most {MAX_PARTICLES:.0} in all (make it smaller, or the particles larger: they are \
                 {d} m apart)"
            );
            return Err(loaded.error(&format!("{key}.{}", fill.shape.word()), message));
        }
        // An even number of rows below keeps the lattice common to all shapes.
        let first = 2.0 * (min / step / 2.0).floor();
        let rows = Rows { counts: counts.to_array().map(|x| x as u64 + 1), step, shift };
        let origin = DVec3::ZERO;
        Ok(Self { rows, origin, first, planar, pose: None, solid: Some(solid) })
    }

    /// The points inside.
    pub fn points(&self) -> Vec<DVec3> {
        let points = self.placed(self.rows.points(self.origin, self.first, self.planar));
        match &self.solid {
            Some(solid) => points.into_par_iter().filter(|&x| solid.contains(x)).collect(),
            None => points,
        }
    }

    /// The points inside and outside, up to twice `pairs` cells further than the shape.
    pub fn with_rim(&self, pairs: u64) -> Vec<DVec3> {
        let counts = self.rows.counts.map(|n| n + 4 * pairs);
        let first = self.first - 2.0 * pairs as f64;
        self.placed(Rows { counts, ..self.rows }.points(self.origin, first, self.planar))
    }

    /// Points of the lattice where they come to lie.
    fn placed(&self, mut points: Vec<DVec3>) -> Vec<DVec3> {
        if let Some(pose) = &self.pose {
            points.iter_mut().for_each(|x| *x = pose.to_world(*x));
        }
        points
    }

    /// Whether a point is inside.
    pub fn contains(&self, x: DVec3) -> bool {
        let Some(solid) = &self.solid else {
            let x = self.pose.map_or(x, |pose| pose.to_local(x));
            let cell = (x - self.origin) / self.rows.step;
            let axes = if self.planar { 2 } else { 3 };
            return (0..axes).all(|k| cell[k] > 0.0 && cell[k] < self.rows.counts[k] as f64);
        };
        solid.contains(x)
    }
}

/// A predicate for whether a point is inside a fill's shape, at least `depth` [m] under its surface; `key`
/// is the path of the shape. Meshes with holes have no depth.
pub(crate) fn inside(
    loaded: &LoadedScene,
    fill: &Fill,
    key: &str,
    depth: f64,
) -> Result<impl Fn(DVec3) -> bool + use<>, SceneError> {
    let solid = Solid::new(loaded, fill, key)?;
    Ok(move |x| match &solid {
        Solid::Closed(body) => body.signed_distance(x).distance < -depth,
        Solid::Open(..) => solid.contains(x),
    })
}

/// Offset of every other row of hexagons from the middle of its cells, in cells; to either side.
const SHIFT: f64 = 0.25;

/// Distance of neighbours in a row of hexagons, and of rows, with the area d² for each particle.
fn hexagons(d: f64) -> DVec3 {
    let ratio = (2.0 / 3.0_f64.sqrt()).sqrt();
    DVec3::new(ratio * d, d / ratio, d)
}

/// A lattice of rows along x.
#[derive(Clone, Copy)]
struct Rows {
    /// Points along each axis.
    counts: [u64; 3],
    /// Distance of points along each axis [m].
    step: DVec3,
    /// How far rows lie to the left and, every other one, to the right, in steps.
    shift: f64,
}

impl Rows {
    /// Squares or cubes in a box, half a spacing from its lower sides.
    fn square_in(size: DVec3, d: f64) -> Self {
        let counts = size.to_array().map(|l| (l / d + 1e-6).floor().max(0.0) as u64);
        Self { counts, step: DVec3::splat(d), shift: 0.0 }
    }

    /// Hexagons from side to side of a rectangle, as many as its area holds particles and as
    /// regular as that allows. The number of rows is even, so that the lattice goes on where the
    /// rectangle repeats itself.
    fn hexagonal_in(size: DVec3, d: f64) -> Self {
        let ideal = hexagons(d);
        let worth = |columns: f64, rows: f64| {
            let crowd = (columns * rows * d * d / (size.x * size.y)).ln().abs();
            let skew = (size.x / columns / ideal.x * rows * ideal.y / size.y).ln().abs();
            // Liquid that is too dense by 1 % is as bad as hexagons that are too long by 10 %.
            crowd + 0.1 * skew
        };
        let (across, up) = ((size.x / ideal.x).round(), (0.5 * size.y / ideal.y).round());
        let near = |n: f64| (-2..=2).map(move |k| (n + f64::from(k)).max(1.0));
        let pairs = near(across).flat_map(|nx| near(up).map(move |ny| (nx, 2.0 * ny)));
        let best = pairs.min_by(|a, b| worth(a.0, a.1).total_cmp(&worth(b.0, b.1)));
        let (columns, rows) = best.unwrap_or((across, 2.0 * up));
        let step = DVec3::new(size.x / columns, size.y / rows, d);
        Self { counts: [columns as u64, rows as u64, 1], step, shift: SHIFT }
    }

    /// The points, x fastest, from half a step after the cell `first` of the lattice at `origin`.
    fn points(&self, origin: DVec3, first: DVec3, planar: bool) -> Vec<DVec3> {
        let [nx, ny, nz] = self.counts;
        let nz = if planar { 1 } else { nz };
        let mut points = Vec::with_capacity((nx * ny * nz) as usize);
        for z in 0..nz {
            for y in 0..ny {
                let shift = if y % 2 == 0 { -self.shift } else { self.shift };
                for x in 0..nx {
                    let n = first + DVec3::new(x as f64 + shift, y as f64, z as f64) + 0.5;
                    let point = origin + self.step * n;
                    points.push(if planar { point.with_z(0.0) } else { point });
                }
            }
        }
        points
    }
}

/// A predicate for whether a point is inside a shape.
enum Solid {
    /// A shape with a surface all round.
    Closed(Box<Body>),
    /// A mesh that may have holes, and its bounds.
    Open(Winding, Aabb),
}

impl Solid {
    fn new(loaded: &LoadedScene, fill: &Fill, key: &str) -> Result<Self, SceneError> {
        let (shape, placement) = (fill.shape.clone().into(), fill.placement);
        if let (Volume::Mesh(described), Shape::Mesh(file)) =
            (&fill.shape, placement.scaled(&shape))
        {
            let mesh = bodies::mesh(loaded, &file, &placement, key)?;
            match (mesh.check_closed(), described.holes) {
                (Err(_), Some(Holes::Fill)) => {
                    return Ok(Self::Open(Winding::new(&mesh), mesh.bounds()));
                }
                (Err(e @ MeshError::OpenEdges { .. }), _) => {
                    let message = format!(
                        "{key}.mesh.file = {:?}: {e}; close the holes in a modelling program, or \
                         set {key}.mesh.holes = \"fill\" to fill what is mostly enclosed",
                        described.mesh.file
                    );
                    return Err(loaded.error(&format!("{key}.mesh.file"), message));
                }
                _ => {}
            }
        }
        bodies::shape(loaded, &shape, &placement, "fill", key)
            .map(|body| Self::Closed(Box::new(body)))
    }

    fn bounds(&self) -> Aabb {
        match self {
            Self::Closed(body) => body.bounds(),
            Self::Open(_, bounds) => *bounds,
        }
    }

    fn contains(&self, x: DVec3) -> bool {
        match self {
            Self::Closed(body) => body.signed_distance(x).distance < 0.0,
            Self::Open(winding, _) => winding.number(x) > 0.5,
        }
    }
}
