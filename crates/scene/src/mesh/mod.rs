//! Triangle meshes from OBJ, STL and PLY files, checked to be closed surfaces.

mod error;
mod obj;
mod ply;
mod stl;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lawine_core::geometry::TriangleMesh;

pub use error::{MeshFileError, MeshProblem};

/// Loads a mesh, merges vertices at the same place and checks that the surface is closed and faces
/// outwards. The format follows from the ending of the name: `.obj`, `.stl` or `.ply`. Lengths are
/// those of the file.
pub fn load_mesh(path: &Path) -> Result<TriangleMesh, MeshFileError> {
    read(path).map_err(|problem| MeshFileError { path: path.into(), problem })
}

fn read(path: &Path) -> Result<TriangleMesh, MeshProblem> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let ending = ending.unwrap_or_default();
    let read: fn(BufReader<File>) -> Result<TriangleMesh, MeshProblem> = match ending.as_str() {
        "obj" => obj::read,
        "stl" => stl::read,
        "ply" => ply::read,
        _ => return Err(MeshProblem::UnknownFormat(ending)),
    };
    // STL files repeat each vertex for every triangle, OBJ and PLY files along seams of textures.
    let mesh = read(BufReader::new(File::open(path)?))?.welded();
    mesh.check_closed()?;
    Ok(mesh)
}

/// Cuts a polygon into a fan of triangles.
fn fan(polygon: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]])
}
