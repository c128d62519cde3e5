//! Geometry without physics: boxes, convex hulls, triangle meshes and their signed distance.

mod aabb;
mod distance;
mod hull;
mod hull2;
mod mesh;
mod mesh_distance;
mod triangle;

pub use aabb::Aabb;
pub use distance::Distance;
pub use hull::{HalfSpace, Hull, HullError, convex_hull};
pub use hull2::{convex_polygon, polygon_area};
pub use mesh::{MeshError, TriangleMesh};
pub use mesh_distance::MeshDistance;
pub use triangle::{Feature, closest_point_on_segment, closest_point_on_triangle};
