//! The frame of a `.vtp` file: arrays are announced first and streamed afterwards.

use std::io::{self, Write};

use glam::DVec3;
use lawine_core::FieldValues;

use super::escape;

/// The values of one array.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    /// A column of a method.
    Field(FieldValues<'a>),
    /// A single time, in double precision.
    Time(f64),
    /// Corners of triangles.
    Triangles(&'a [[u32; 3]]),
    /// `start, start + stride, …`, `count` numbers: the cells of points and triangles.
    Range { start: u32, stride: u32, count: usize },
}

/// One `DataArray`.
#[derive(Clone, Copy)]
pub(super) struct Array<'a> {
    pub(super) name: &'a str,
    pub(super) unit: &'a str,
    pub(super) values: Values<'a>,
}

/// Everything in a PolyData file. Cells are either one vertex a point or triangles.
pub(super) struct Piece<'a> {
    pub(super) time: f64,
    pub(super) points: &'a [DVec3],
    pub(super) point_data: Vec<Array<'a>>,
    pub(super) triangles: Option<&'a [[u32; 3]]>,
    pub(super) cell_data: Vec<Array<'a>>,
}

impl Values<'_> {
    /// VTK's type name, the number of components and the length in bytes.
    fn layout(&self) -> (&'static str, usize, usize) {
        match self {
            Self::Field(FieldValues::U32(v)) => ("UInt32", 1, 4 * v.len()),
            Self::Field(FieldValues::F32(v)) => ("Float32", 1, 4 * v.len()),
            Self::Field(FieldValues::F64(v)) => ("Float32", 1, 4 * v.len()),
            Self::Field(FieldValues::Vec3(v)) => ("Float32", 3, 12 * v.len()),
            Self::Field(FieldValues::Quat(v)) => ("Float32", 4, 16 * v.len()),
            Self::Field(FieldValues::Symmetric(v)) => ("Float32", 6, 24 * v.len()),
            Self::Time(_) => ("Float64", 1, 8),
            Self::Triangles(v) => ("Int32", 1, 12 * v.len()),
            Self::Range { count, .. } => ("Int32", 1, 4 * count),
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let f32_bytes = |v: f64| (v as f32).to_le_bytes();
        match *self {
            Self::Field(FieldValues::U32(v)) => stream(out, v, |v| v.to_le_bytes()),
            Self::Field(FieldValues::F32(v)) => stream(out, v, |v| v.to_le_bytes()),
            Self::Field(FieldValues::F64(v)) => stream(out, v, |&v| f32_bytes(v)),
            Self::Field(FieldValues::Vec3(v)) => {
                stream(out, v, |v| join::<3, 12>([f32_bytes(v.x), f32_bytes(v.y), f32_bytes(v.z)]))
            }
            Self::Field(FieldValues::Quat(v)) => {
                stream(out, v, |q| join::<4, 16>(q.to_array().map(f32_bytes)))
            }
            Self::Field(FieldValues::Symmetric(v)) => {
                stream(out, v, |t| join::<6, 24>(t.map(f32::to_le_bytes)))
            }
            Self::Time(time) => out.write_all(&time.to_le_bytes()),
            Self::Triangles(v) => stream(out, v, |t| join::<3, 12>(t.map(u32::to_le_bytes))),
            Self::Range { start, stride, count } => (0..count as u32)
                .try_for_each(|i| out.write_all(&(start + i * stride).to_le_bytes())),
        }
    }
}

fn join<const N: usize, const BYTES: usize>(parts: [[u8; 4]; N]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes.as_chunks_mut().0.copy_from_slice(&parts);
    bytes
}

/// Writes values by way of a small buffer: one call for many values.
fn stream<T, const N: usize>(
    out: &mut dyn Write,
    values: &[T],
    bytes: impl Fn(&T) -> [u8; N],
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(4096 * N);
    for chunk in values.chunks(4096) {
        buffer.clear();
        chunk.iter().for_each(|value| buffer.extend_from_slice(&bytes(value)));
        out.write_all(&buffer)?;
    }
    Ok(())
}

/// Collects the arrays while the head is written.
struct Head<'a> {
    text: String,
    arrays: Vec<Values<'a>>,
    offset: usize,
}

impl<'a> Head<'a> {
    fn section(&mut self, name: &str, arrays: &[Array<'a>]) {
        self.text += &format!("<{name}>\n");
        for array in arrays {
            let (kind, components, length) = array.values.layout();
            let (name, offset) = (escape(array.name), self.offset);
            let mut attributes = format!("type=\"{kind}\" Name=\"{name}\"");
            if components > 1 {
                attributes += &format!(" NumberOfComponents=\"{components}\"");
            }
            if matches!(array.values, Values::Time(_)) {
                attributes += " NumberOfTuples=\"1\"";
            }
            if !array.unit.is_empty() {
                // Not an attribute of VTK's, which ignores it; our own reader uses it.
                attributes += &format!(" unit=\"{}\"", escape(array.unit));
            }
            self.text +=
                &format!("<DataArray {attributes} format=\"appended\" offset=\"{offset}\"/>\n");
            self.arrays.push(array.values);
            self.offset += 8 + length;
        }
        self.text += &format!("</{name}>\n");
    }
}

impl Piece<'_> {
    /// Writes the file.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let unnamed = |name, values| Array { name, unit: "", values };
        let points = self.points.len();
        let (verts, polys) = match self.triangles {
            Some(triangles) => (0, triangles.len()),
            None => (points, 0),
        };
        let mut head = Head { text: String::new(), arrays: Vec::new(), offset: 0 };
        head.text += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<PolyData>\n";
        head.section("FieldData", &[unnamed("TimeValue", Values::Time(self.time))]);
        head.text += &format!(
            "<Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"{verts}\" NumberOfLines=\"0\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{polys}\">\n"
        );
        head.section("PointData", &self.point_data);
        head.section("CellData", &self.cell_data);
        let position = Values::Field(FieldValues::Vec3(self.points));
        head.section("Points", &[Array { name: "position", unit: "m", values: position }]);
        match self.triangles {
            Some(triangles) => head.section(
                "Polys",
                &[
                    unnamed("connectivity", Values::Triangles(triangles)),
                    unnamed("offsets", Values::Range { start: 3, stride: 3, count: polys }),
                ],
            ),
            None => head.section(
                "Verts",
                &[
                    unnamed("connectivity", Values::Range { start: 0, stride: 1, count: verts }),
                    unnamed("offsets", Values::Range { start: 1, stride: 1, count: verts }),
                ],
            ),
        }
        head.text += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
        out.write_all(head.text.as_bytes())?;
        for values in &head.arrays {
            out.write_all(&(values.layout().2 as u64).to_le_bytes())?;
            values.write(out)?;
        }
        out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}
