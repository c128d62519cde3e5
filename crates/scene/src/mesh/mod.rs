//! Triangle meshes from OBJ, STL and PLY files, checked to be closed surfaces.

mod error;
mod obj;
mod ply;
mod stl;
#[cfg(test)]
mod tests;
mod topology;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use glam::DVec3;

pub use error::{MeshError, MeshProblem};

/// A surface of triangles, counter-clockwise when seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// The vertices, in the lengths of the file.
    pub vertices: Vec<DVec3>,
    /// Three indices of vertices for each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// Loads a mesh and checks that it is a closed surface. The format follows from the ending of
    /// the name: `.obj`, `.stl` or `.ply`.
    pub fn load(path: &Path) -> Result<Self, MeshError> {
        let mesh = Self::read(path)?;
        mesh.check().map_err(|problem| MeshError { path: path.into(), problem })?;
        Ok(mesh)
    }

    /// Loads a mesh with any surface, closed or not. Indices and numbers are still checked.
    pub fn load_open(path: &Path) -> Result<Self, MeshError> {
        let mesh = Self::read(path)?;
        mesh.check_data().map_err(|problem| MeshError { path: path.into(), problem })?;
        Ok(mesh)
    }

    fn read(path: &Path) -> Result<Self, MeshError> {
        let fail = |problem| MeshError { path: path.into(), problem };
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let ending = ending.unwrap_or_default();
        let read: fn(BufReader<File>) -> Result<Self, MeshProblem> = match ending.as_str() {
            "obj" => obj::read,
            "stl" => stl::read,
            "ply" => ply::read,
            _ => return Err(fail(MeshProblem::UnknownFormat(ending))),
        };
        let file = File::open(path).map_err(|error| fail(error.into()))?;
        let mut mesh = read(BufReader::new(file)).map_err(fail)?;
        mesh.weld();
        Ok(mesh)
    }

    /// The mesh scaled by a factor, then moved.
    pub fn placed(mut self, scale: f64, position: DVec3) -> Self {
        for vertex in &mut self.vertices {
            *vertex = *vertex * scale + position;
        }
        self
    }

    /// The volume inside a closed mesh; negative if it is inside out.
    pub fn signed_volume(&self) -> f64 {
        // Tetrahedra from one vertex of the mesh, which keeps the numbers small.
        let origin = self.vertices.first().copied().unwrap_or(DVec3::ZERO);
        let tetrahedra = self.triangles.iter().map(|&[a, b, c]| {
            let [a, b, c] = [a, b, c].map(|i| self.vertices[i as usize] - origin);
            a.dot(b.cross(c)) / 6.0
        });
        tetrahedra.sum()
    }
}

/// Cuts a polygon into a fan of triangles.
fn fan(polygon: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]])
}
