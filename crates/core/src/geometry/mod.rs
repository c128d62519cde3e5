//! Geometry without physics: boxes, convex hulls, triangle meshes and their signed distance.

mod aabb;
mod compound;
mod distance;
mod generate;
mod hull;
mod hull2;
mod mass;
mod mesh;
mod mesh_distance;
mod polyhedron;
mod random;
mod shape;
mod shell;
mod triangle;
mod winding;

pub use aabb::Aabb;
pub use distance::Distance;
pub use generate::{
    EllipsoidGrain, Platonic, ShapeError, SizeDistribution, Sizes, Spread, block, platonic, prism,
};
pub use hull::{HalfSpace, Hull, HullError, convex_hull};
pub use hull2::{convex_polygon, polygon_area};
pub use mass::{MassProperties, PrincipalAxes};
pub use mesh::{MeshError, TriangleMesh};
pub use mesh_distance::MeshDistance;
pub use polyhedron::{Face, HalfEdge, Part, Polyhedron};
pub use random::Random;
pub use shape::Shape;
pub use triangle::{Feature, closest_point_on_segment, closest_point_on_triangle};
pub use winding::Winding;
