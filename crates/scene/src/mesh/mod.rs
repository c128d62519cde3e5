//! Triangle meshes from OBJ, STL and PLY files.

mod error;
mod obj;
mod parts;
mod ply;
mod stl;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead, BufReader, Cursor, Seek};
use std::path::Path;

use crate::builtin;
use crate::input::{self, LARGEST_MESH};
use lawine_core::geometry::TriangleMesh;

pub use error::{MeshFileError, MeshProblem};
pub use parts::convex_parts;

/// Loads a mesh and merges vertices at the same place; it may have holes. The format follows from
/// the ending of the name: `.obj`, `.stl` or `.ply`. Lengths are those of the file. A name such as
/// `builtin:hare` is one of the [meshes that come with the program](builtin::meshes).
pub fn load_mesh(path: &Path) -> Result<TriangleMesh, MeshFileError> {
    read(path).map_err(|problem| MeshFileError { path: path.into(), problem })
}

fn read(path: &Path) -> Result<TriangleMesh, MeshProblem> {
    if let Some(name) = path.to_str().and_then(builtin::mesh_name) {
        let bytes = builtin::mesh(name).ok_or_else(|| MeshProblem::UnknownBuiltIn {
            names: builtin::meshes().collect::<Vec<_>>().join(", "),
        })?;
        return parse_mesh("ply", bytes);
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    parse(&ending.unwrap_or_default(), || Ok(BufReader::new(input::open(path, LARGEST_MESH)?)))
}

/// The mesh in the bytes of a file whose name has this ending, in lower case; see [`load_mesh`].
pub fn parse_mesh(ending: &str, bytes: &[u8]) -> Result<TriangleMesh, MeshProblem> {
    parse(ending, || Ok(Cursor::new(bytes)))
}

fn parse<R: BufRead + Seek>(
    ending: &str,
    open: impl FnOnce() -> io::Result<R>,
) -> Result<TriangleMesh, MeshProblem> {
    let read: fn(R) -> Result<TriangleMesh, MeshProblem> = match ending {
        "obj" => obj::read,
        "stl" => stl::read,
        "ply" => ply::read,
        _ => return Err(MeshProblem::UnknownFormat(ending.into())),
    };
    // STL files repeat each vertex for every triangle, OBJ and PLY files along seams of textures.
    let mesh = read(open()?)?.welded();
    mesh.check_triangles()?;
    Ok(mesh)
}

/// Cuts a polygon into a fan of triangles.
fn fan(polygon: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]])
}
