//! STL, text or binary. The normals of the file are ignored: the order of the vertices counts.

use std::io::{Read, Seek};

use glam::DVec3;
use lawine_core::geometry::TriangleMesh;

use super::MeshProblem;

pub(super) fn read(mut reader: impl Read + Seek) -> Result<TriangleMesh, MeshProblem> {
    let format =
        |error: std::io::Error| MeshProblem::Format { format: "STL", reason: error.to_string() };
    let mut mesh = TriangleMesh::default();
    for triangle in stl_io::create_stl_reader(&mut reader).map_err(format)? {
        let first = u32::try_from(mesh.vertices.len()).map_err(|_| MeshProblem::TooLarge)?;
        let vertices = triangle.map_err(format)?.vertices;
        mesh.vertices.extend(vertices.map(|vertex| DVec3::from(vertex.0.map(f64::from))));
        mesh.triangles.push([first, first.saturating_add(1), first.saturating_add(2)]);
    }
    Ok(mesh)
}
