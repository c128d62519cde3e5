//! PLY, text or binary: the elements `vertex` (x, y, z) and `face` (vertex_indices); the rest is
//! ignored.

use std::io::{BufReader, Read};

use glam::DVec3;
use lawine_core::geometry::TriangleMesh;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{DefaultElement, Property};

use super::{MeshProblem, fan};

pub(super) fn read(mut reader: impl Read) -> Result<TriangleMesh, MeshProblem> {
    let parser = Parser::<DefaultElement>::new();
    let mut reader = Reader::new(BufReader::new(&mut reader));
    let header = parser.read_header(&mut reader).map_err(|error| bad(error.to_string()))?;
    // Elements without properties take no bytes, so that any number of them would seem to be there.
    if let Some(element) = header.elements.values().find(|element| element.properties.is_empty()) {
        return Err(bad(format!("its element `{}` has no properties", element.name)));
    }
    let payload =
        parser.read_payload(&mut reader, &header).map_err(|error| bad(error.to_string()))?;
    let vertices = payload.get("vertex").ok_or_else(|| bad("it has no element `vertex`".into()))?;
    let faces = payload.get("face").ok_or_else(|| bad("it has no element `face`".into()))?;

    let mut mesh = TriangleMesh::default();
    for (i, vertex) in vertices.iter().enumerate() {
        let coordinate = |name| {
            vertex
                .get(name)
                .and_then(number)
                .ok_or_else(|| bad(format!("vertex {i} has no {name}")))
        };
        mesh.vertices.push(DVec3::new(coordinate("x")?, coordinate("y")?, coordinate("z")?));
    }
    let count = mesh.vertices.len();
    for (i, face) in faces.iter().enumerate() {
        let indices = face.get("vertex_indices").or_else(|| face.get("vertex_index"));
        let indices = indices
            .and_then(list)
            .ok_or_else(|| bad(format!("face {i} has no list vertex_indices")))?;
        let check = |vertex: i64| {
            let small = u32::try_from(vertex).ok().filter(|&index| (index as usize) < count);
            small.ok_or(MeshProblem::BadIndex { face: i, vertex, count })
        };
        let polygon = indices.into_iter().map(check).collect::<Result<Vec<u32>, _>>()?;
        mesh.triangles.extend(fan(&polygon));
    }
    Ok(mesh)
}

fn bad(reason: String) -> MeshProblem {
    MeshProblem::Format { format: "PLY", reason }
}

/// A property as a number.
fn number(property: &Property) -> Option<f64> {
    match *property {
        Property::Char(n) => Some(n.into()),
        Property::UChar(n) => Some(n.into()),
        Property::Short(n) => Some(n.into()),
        Property::UShort(n) => Some(n.into()),
        Property::Int(n) => Some(n.into()),
        Property::UInt(n) => Some(n.into()),
        Property::Float(n) => Some(n.into()),
        Property::Double(n) => Some(n),
        _ => None,
    }
}

/// A property as a list of whole numbers.
fn list(property: &Property) -> Option<Vec<i64>> {
    fn wide<T: Copy + Into<i64>>(numbers: &[T]) -> Option<Vec<i64>> {
        Some(numbers.iter().map(|&n| n.into()).collect())
    }
    match property {
        Property::ListChar(list) => wide(list),
        Property::ListUChar(list) => wide(list),
        Property::ListShort(list) => wide(list),
        Property::ListUShort(list) => wide(list),
        Property::ListInt(list) => wide(list),
        Property::ListUInt(list) => wide(list),
        _ => None,
    }
}
