//! What can be wrong with a mesh file.

use std::io;
use std::path::PathBuf;

/// Why a mesh file was refused.
#[derive(Debug, thiserror::Error)]
#[error("mesh {}: {problem}", path.display())]
pub struct MeshError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: MeshProblem,
}

/// What is wrong with a mesh.
#[derive(Debug, thiserror::Error)]
pub enum MeshProblem {
    /// The ending of the name is none of those known.
    #[error("the format {0:?} is not known; allowed: .obj, .stl, .ply")]
    UnknownFormat(String),
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The file is not what its name says.
    #[error("is not a good {format} file: {reason}")]
    Format {
        /// The format.
        format: &'static str,
        /// What the reader says.
        reason: String,
    },
    /// There are no triangles.
    #[error("has no triangles")]
    Empty,
    /// There are more vertices than indices can count.
    #[error("has {0} vertices; at most 4294967295 are possible")]
    TooLarge(usize),
    /// A coordinate is infinite or not a number.
    #[error("vertex {0} has a coordinate that is not finite")]
    NotFinite(usize),
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are only {count} (0 to {})", count.saturating_sub(1))]
    BadIndex {
        /// The triangle, from 0.
        triangle: usize,
        /// The vertex it names, from 0.
        vertex: i64,
        /// The number of vertices.
        count: usize,
    },
    /// Edges with one triangle only: the surface has holes.
    #[error("is not closed: {0} edges belong to one triangle only; fill the holes")]
    Open(usize),
    /// Edges with more than two triangles.
    #[error("is not a surface: {0} edges belong to more than two triangles")]
    Branched(usize),
    /// Neighbouring triangles that face opposite ways.
    #[error(
        "is not oriented: across {0} edges the triangles face opposite ways; make normals consistent"
    )]
    Inconsistent(usize),
    /// The triangles face inwards.
    #[error("is inside out (its signed volume is {0:e}); flip all faces")]
    InsideOut(f64),
}
