//! What can be wrong with a mesh file.

use std::io;
use std::path::PathBuf;

use lawine_core::geometry::MeshError;

/// Why a mesh file was refused.
#[derive(Debug, thiserror::Error)]
#[error("mesh {}: {problem}", path.display())]
pub struct MeshFileError {
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
    /// No such mesh comes with the program.
    #[error("there is no built-in mesh of that name; allowed: {names}")]
    UnknownBuiltIn {
        /// The meshes there are.
        names: String,
    },
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The contents do not match the file name.
    #[error("is not a good {format} file: {reason}")]
    Format {
        /// The format.
        format: &'static str,
        /// Message of the reader.
        reason: String,
    },
    /// There are more vertices than indices can count.
    #[error("has more vertices than the {} that are possible", u32::MAX)]
    TooLarge,
    /// A face names a vertex that does not exist.
    #[error("face {face} names vertex {vertex}, but there are only {count} (counted from 0)")]
    BadIndex {
        /// The face, from 0.
        face: usize,
        /// The vertex it names, from 0.
        vertex: i64,
        /// The number of vertices.
        count: usize,
    },
    /// The triangles do not bound a solid.
    #[error(transparent)]
    Defect(#[from] MeshError),
}
