//! Boundary particles: a body's surface as layers of samples for particle methods.
//!
//! The k-th layer lies at the depth (k + ½) d under the surface, d being the spacing of the liquid
//! (Hunkler, section 4.2). A liquid on a lattice whose first particles are at d/2 from the wall
//! then sees its own lattice continued behind the wall.

mod lattice;
mod levelset;
mod polygon;
mod round;
mod spread;
#[cfg(test)]
mod tests;

use glam::DVec3;

use lawine_core::body::{Body, Shape};
use lawine_core::geometry::Aabb;
use lawine_core::space::Space;

/// More samples than this are refused.
pub const MAX_SAMPLES: usize = 100_000_000;

/// One boundary particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Position in body-local coordinates [m].
    pub position: DVec3,
    /// The part of the solid it stands for [m³]; in the plane [m²], that is m³ per metre of depth.
    pub volume: f64,
}

/// A body that cannot be covered with particles.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the body \"{body}\" cannot be covered with particles: {source}")]
pub struct CoverError {
    /// Name of the body.
    pub body: String,
    /// Why.
    pub source: SampleError,
}

/// Covers a body with particles in layers, as far as `space` reaches; see [`sample_layers`].
///
/// # Errors
/// As [`sample_layers`].
pub(super) fn cover(
    body: &Body,
    spacing: f64,
    layers: usize,
    space: &Space,
) -> Result<Vec<Sample>, CoverError> {
    sample_layers(body, spacing, layers, space.is_planar(), space.domain.as_ref())
        .map_err(|source| CoverError { body: body.name.clone(), source })
}

/// Why a body cannot be sampled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// The spacing is zero, negative or not finite.
    #[error("the spacing of boundary particles must be positive and finite, got {spacing} m")]
    Spacing {
        /// What was given [m].
        spacing: f64,
    },
    /// No layers are asked for.
    #[error("at least one layer of boundary particles is needed")]
    NoLayers,
    /// A plane is infinite, so a finite region is needed.
    #[error("body '{name}' is a plane without end: a finite region is needed to sample it")]
    RegionNeeded {
        /// Name of the body.
        name: String,
    },
    /// A shape of the plane in space.
    #[error("body '{name}' has no end in z: it can be used in planar scenes only")]
    EndlessInZ {
        /// Name of the body.
        name: String,
    },
    /// A shape of space in the plane.
    #[error("body '{name}' is a {shape} in space: it cannot be sampled in a planar scene")]
    NotPlanar {
        /// Name of the body.
        name: String,
        /// Its shape.
        shape: &'static str,
    },
    /// The number of samples is beyond [`MAX_SAMPLES`].
    #[error(
        "body '{name}' needs about {count:.3e} boundary particles; at most {MAX_SAMPLES} are \
         allowed: use a larger spacing or a smaller body"
    )]
    TooMany {
        /// Name of the body.
        name: String,
        /// How many it would need.
        count: f64,
    },
}

/// Samples a body in `layers` layers of the given spacing [m].
///
/// `planar` asks for a line of particles with z = 0 in each layer instead of a surface. `region`,
/// in world coordinates, is where a plane is needed (it is grown by the thickness of the layers);
/// other bodies are sampled all over. A body thinner than its layers is filled, each place once.
/// The result depends on the arguments alone.
///
/// - Cuboids and containers get a lattice fitted to the box, with corners filled. The walls of a
///   container end at its openings.
/// - Planes get a lattice in their own frame, with samples at (i + ½) d from the local origin.
/// - Spheres and circles get shells of evenly spread points.
/// - Polyhedra, polygons, meshes, cylinders, cones and capsules get offset surfaces of evenly spread
///   points; in space each point of a layer has the volume of its own share, up to a quarter off the mean.
///
/// # Errors
/// When the arguments make no sense for this body or there would be more than [`MAX_SAMPLES`].
pub(super) fn sample_layers(
    body: &Body,
    spacing: f64,
    layers: usize,
    planar: bool,
    region: Option<&Aabb>,
) -> Result<Vec<Sample>, SampleError> {
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(SampleError::Spacing { spacing });
    }
    if layers == 0 {
        return Err(SampleError::NoLayers);
    }
    let name = || body.name.clone();
    let limited = |count: f64| {
        let fits = count <= MAX_SAMPLES as f64;
        if fits { Ok(()) } else { Err(SampleError::TooMany { name: name(), count }) }
    };
    let hollow = body.is_hollow();
    match &body.shape {
        Shape::Plane => {
            let region = region.filter(|r| lattice::is_usable(r, planar));
            let region = region.ok_or_else(|| SampleError::RegionNeeded { name: name() })?;
            let plan = lattice::PlaneLattice::new(body, spacing, layers, planar, region);
            limited(plan.count())?;
            Ok(plan.samples())
        }
        Shape::Cuboid { half } | Shape::Container { half, .. } => {
            if !planar && half.z.is_infinite() {
                return Err(SampleError::EndlessInZ { name: name() });
            }
            let open = match &body.shape {
                Shape::Container { open, .. } => Some(*open),
                _ if hollow => Some([[false; 2]; 3]),
                _ => None,
            };
            let plan = lattice::BoxLattice::new(*half, open, spacing, layers, planar);
            limited(plan.count())?;
            Ok(plan.samples())
        }
        Shape::Sphere { radius } => {
            limited(round::count(*radius, hollow, spacing, layers, planar))?;
            Ok(round::samples(*radius, hollow, spacing, layers, planar))
        }
        Shape::Capsule(c) if planar => {
            limited(polygon::stadium_count(*c, hollow, spacing, layers))?;
            Ok(polygon::stadium_samples(*c, hollow, spacing, layers))
        }
        Shape::Polyhedron(p) if planar != p.is_planar() => Err(if planar {
            SampleError::NotPlanar { name: name(), shape: body.shape.name() }
        } else {
            SampleError::EndlessInZ { name: name() }
        }),
        Shape::Polyhedron(p) if planar => {
            let polygon = p.polygon();
            limited(polygon::count(&polygon, hollow, spacing, layers))?;
            Ok(polygon::samples(&polygon, hollow, spacing, layers))
        }
        Shape::Mesh(_) | Shape::Frustum(_) if planar => {
            Err(SampleError::NotPlanar { name: name(), shape: body.shape.name() })
        }
        shape => {
            let (area, volume) = match shape {
                Shape::Polyhedron(p) => (p.mesh().area(), p.mesh().volume()),
                Shape::Mesh(m) => (m.mesh().area(), m.mesh().volume()),
                Shape::Frustum(f) => (f.area(), f.volume()),
                Shape::Capsule(c) => (c.area(), c.volume()),
                _ => (0.0, 0.0),
            };
            limited(levelset::count(area, volume, hollow, spacing, layers))?;
            Ok(levelset::samples(body, spacing, layers))
        }
    }
}
