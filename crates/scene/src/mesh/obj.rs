//! Wavefront OBJ: all objects of the file as one mesh, materials ignored.

use std::io::BufRead;

use glam::DVec3;
use lawine_core::geometry::TriangleMesh;
use tobj::LoadOptions;

use super::{MeshProblem, fan};

pub(super) fn read(mut reader: impl BufRead) -> Result<TriangleMesh, MeshProblem> {
    // Polygons are cut here, not by tobj, so that a face never turns into something else silently.
    let options = LoadOptions { ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
    let no_materials = |_: &std::path::Path| Ok(Default::default());
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    check_indices(&bytes)?;
    let (models, _) = tobj::load_obj_buf(&mut &bytes[..], &options, no_materials)
        .map_err(|error| MeshProblem::Format { format: "OBJ", reason: error.to_string() })?;

    let mut mesh = TriangleMesh::default();
    for model in models {
        let part = model.mesh;
        // Each object has indices of its own.
        let first = u32::try_from(mesh.vertices.len()).map_err(|_| MeshProblem::TooLarge)?;
        mesh.vertices.extend(part.positions.as_chunks::<3>().0.iter().map(|&p| DVec3::from(p)));
        let mut rest = &part.indices[..];
        let arities = part.face_arities.iter().map(|&arity| arity as usize);
        // tobj leaves out the arities when every face is a triangle.
        let all_triangles = std::iter::repeat_n(3, part.indices.len() / 3);
        let arities: Vec<usize> =
            if part.face_arities.is_empty() { all_triangles.collect() } else { arities.collect() };
        for arity in arities {
            let Some((face, tail)) = rest.split_at_checked(arity) else { break };
            rest = tail;
            mesh.triangles.extend(fan(face).map(|t| t.map(|i| i.saturating_add(first))));
        }
    }
    Ok(mesh)
}

/// Refuses whole numbers of more digits than any index has: tobj multiplies them without a look.
fn check_indices(bytes: &[u8]) -> Result<(), MeshProblem> {
    const DIGITS: usize = 10;
    let is_face =
        |line: &&[u8]| matches!(line.trim_ascii_start().first(), Some(b'f' | b'l' | b'p'));
    let is_long =
        |line: &[u8]| line.split(|byte| !byte.is_ascii_digit()).any(|digits| digits.len() > DIGITS);
    if bytes.split(|&byte| byte == b'\n' || byte == b'\r').filter(is_face).any(is_long) {
        let reason = format!("a face has an index of more than {DIGITS} digits");
        return Err(MeshProblem::Format { format: "OBJ", reason });
    }
    Ok(())
}
