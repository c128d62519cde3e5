//! Reading back the particle frames that this module wrote, to draw them again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use glam::{DQuat, DVec3};
use lawine_core::{Field, FieldValues};

use super::{VtkError, VtkProblem, attribute};

/// The particles of a saved frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleFrame {
    /// Time of the frame [s].
    pub time: f64,
    /// `position` first, then the other fields in the order of the file.
    pub fields: Vec<FrameField>,
}

/// One field of a saved frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameField {
    /// Name, such as `density`.
    pub name: String,
    /// SI unit, such as `kg/m³`; empty for pure numbers.
    pub unit: String,
    /// The values, one for each particle.
    pub values: FrameValues,
}

/// The values of a [`FrameField`].
#[derive(Clone, Debug, PartialEq)]
pub enum FrameValues {
    /// Identifiers.
    U32(Vec<u32>),
    /// Scalars.
    F32(Vec<f32>),
    /// Vectors, widened from single precision.
    Vec3(Vec<DVec3>),
    /// Orientations, widened from single precision.
    Quat(Vec<DQuat>),
    /// Symmetric tensors.
    Symmetric(Vec<[f32; 6]>),
}

impl ParticleFrame {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions().len()
    }

    /// True when the frame has no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The positions [m].
    pub fn positions(&self) -> &[DVec3] {
        match self.fields.first() {
            Some(FrameField { values: FrameValues::Vec3(points), .. }) => points,
            _ => &[],
        }
    }

    /// The values of a field by name.
    pub fn field(&self, name: &str) -> Option<FieldValues<'_>> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.values.view())
    }

    /// All fields as a method would give them, `position` among them.
    pub fn fields(&self) -> Vec<Field<'_>> {
        let named = self.fields.iter().map(|field| Field {
            name: interned(&field.name),
            unit: interned(&field.unit),
            values: field.values.view(),
        });
        named.collect()
    }
}

impl FrameValues {
    /// The values as a method would give them.
    pub fn view(&self) -> FieldValues<'_> {
        match self {
            Self::U32(v) => FieldValues::U32(v),
            Self::F32(v) => FieldValues::F32(v),
            Self::Vec3(v) => FieldValues::Vec3(v),
            Self::Quat(v) => FieldValues::Quat(v),
            Self::Symmetric(v) => FieldValues::Symmetric(v),
        }
    }
}

/// A name for the rest of the program's life, as [`Field`] asks for. There are a handful of names
/// in all frames of all runs, and each is kept once.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let leaked: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(leaked);
    leaked
}

/// Reads a particle frame that [`save_particles`](super::save_particles) wrote.
///
/// # Errors
/// [`VtkError::Io`]; [`VtkError::Unusable`] for a foreign, truncated or damaged file.
pub fn read_particles(path: &Path) -> Result<ParticleFrame, VtkError> {
    let bytes = fs::read(path).map_err(|source| VtkError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    parse_particles(&bytes).map_err(|problem| VtkError::Unusable { path: path.to_owned(), problem })
}

const DATA_MARK: &[u8] = b"<AppendedData encoding=\"raw\">\n_";
const END_MARK: &[u8] = b"\n</AppendedData>\n</VTKFile>\n";

/// Reads a particle frame from the bytes of its file.
///
/// # Errors
/// What is wrong with the bytes.
pub fn parse_particles(bytes: &[u8]) -> Result<ParticleFrame, VtkProblem> {
    let (head, data) = split(bytes)?;
    let count = tag(head, "Piece")
        .and_then(|piece| attribute(piece, "NumberOfPoints")?.parse::<usize>().ok())
        .ok_or_else(|| damaged("the number of points is missing"))?;

    let time = arrays(head, "FieldData").find(|tag| has_name(tag, "TimeValue"));
    let time = time.ok_or_else(|| damaged("the time is missing"))?;
    let time = block(time, data, 8)?;
    let time = f64::from_le_bytes(*time.first_chunk().ok_or_else(|| damaged("the time is short"))?);

    let points = arrays(head, "Points").next().ok_or_else(|| damaged("the points are missing"))?;
    let points = field(points, data, count)?;
    if !matches!(points.values, FrameValues::Vec3(_)) {
        return Err(damaged("the points are not vectors"));
    }
    let mut fields = vec![FrameField { name: "position".to_owned(), ..points }];
    for tag in arrays(head, "PointData") {
        fields.push(field(tag, data, count)?);
    }
    Ok(ParticleFrame { time, fields })
}

/// Head and appended data, without the marks between and after them.
fn split(bytes: &[u8]) -> Result<(&str, &[u8]), VtkProblem> {
    let foreign = |reason: &str| VtkProblem::Foreign(reason.to_owned());
    let truncated = |reason: &str| VtkProblem::Truncated(reason.to_owned());
    let start = bytes.windows(DATA_MARK.len()).position(|window| window == DATA_MARK);
    let head = &bytes[..start.unwrap_or(bytes.len())];
    // A damaged file may break a character in two: look at what is text.
    let head = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let expected =
        [("type", "PolyData"), ("byte_order", "LittleEndian"), ("header_type", "UInt64")];
    let Some(file) = tag(head, "VTKFile") else {
        return Err(foreign("it has no VTK head"));
    };
    for (name, value) in expected {
        if attribute(file, name).as_deref() != Some(value) {
            return Err(foreign(&format!("its {name} is not {value}")));
        }
    }
    let Some(start) = start else {
        return Err(truncated("the data are missing"));
    };
    if head.len() < start {
        return Err(damaged("the head is not text"));
    }
    let data = bytes[start + DATA_MARK.len()..].strip_suffix(END_MARK);
    Ok((head, data.ok_or_else(|| truncated("the end of the data is missing"))?))
}

/// The first tag of this name, without its brackets.
fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name} "))?;
    rest.split_once('>').map(|(tag, _)| tag)
}

/// The `DataArray` tags inside the first element of this name.
fn arrays<'a>(head: &'a str, section: &str) -> impl Iterator<Item = &'a str> {
    let inside = head
        .split_once(&format!("<{section}>"))
        .and_then(|(_, rest)| rest.split_once(&format!("</{section}>")))
        .map_or("", |(inside, _)| inside);
    inside.split("<DataArray ").skip(1).map(|tag| tag.split_once("/>").map_or(tag, |(tag, _)| tag))
}

fn has_name(tag: &str, name: &str) -> bool {
    attribute(tag, "Name").as_deref() == Some(name)
}

fn field(tag: &str, data: &[u8], count: usize) -> Result<FrameField, VtkProblem> {
    let name = attribute(tag, "Name").ok_or_else(|| damaged("an array has no name"))?;
    let kind = attribute(tag, "type").unwrap_or_default();
    let components = attribute(tag, "NumberOfComponents").unwrap_or_else(|| "1".to_owned());
    let size = |bytes: usize| {
        count.checked_mul(bytes).ok_or_else(|| damaged("the number of points is too large"))
    };
    // The block is looked up with the length it must have before anything is allocated for it.
    let values = match (kind.as_str(), components.as_str()) {
        ("UInt32", "1") => {
            let words = block(tag, data, size(4)?)?.as_chunks().0;
            FrameValues::U32(words.iter().map(|w| u32::from_le_bytes(*w)).collect())
        }
        ("Float32", "1") => {
            let words = block(tag, data, size(4)?)?.as_chunks().0;
            FrameValues::F32(words.iter().map(|w| f32::from_le_bytes(*w)).collect())
        }
        ("Float32", "3") => {
            let words = block(tag, data, size(12)?)?.as_chunks().0;
            let number = |word: &[u8; 4]| f64::from(f32::from_le_bytes(*word));
            let vectors = words.as_chunks().0.iter();
            let vector = |[x, y, z]: &[_; 3]| DVec3::new(number(x), number(y), number(z));
            FrameValues::Vec3(vectors.map(vector).collect())
        }
        ("Float32", "4") => {
            let words = block(tag, data, size(16)?)?.as_chunks().0;
            let number = |word: &[u8; 4]| f64::from(f32::from_le_bytes(*word));
            let quaternion = |[x, y, z, w]: &[_; 4]| {
                DQuat::from_xyzw(number(x), number(y), number(z), number(w))
            };
            FrameValues::Quat(words.as_chunks().0.iter().map(quaternion).collect())
        }
        ("Float32", "6") => {
            let words = block(tag, data, size(24)?)?.as_chunks().0;
            let tensors = words.as_chunks().0.iter();
            let tensor = |six: &[[u8; 4]; 6]| six.map(f32::from_le_bytes);
            FrameValues::Symmetric(tensors.map(tensor).collect())
        }
        _ => {
            let reason = format!("array `{name}` is {kind} with {components} components");
            return Err(VtkProblem::Foreign(reason));
        }
    };
    Ok(FrameField { name, unit: attribute(tag, "unit").unwrap_or_default(), values })
}

/// The bytes of an array, which must be `length` long.
fn block<'a>(tag: &str, data: &'a [u8], length: usize) -> Result<&'a [u8], VtkProblem> {
    let name = attribute(tag, "Name").unwrap_or_default();
    let offset = attribute(tag, "offset").and_then(|offset| offset.parse::<usize>().ok());
    let offset = offset.ok_or_else(|| damaged(&format!("array `{name}` has no offset")))?;
    let (stored, rest) = data
        .get(offset..)
        .and_then(|rest| rest.split_first_chunk::<8>())
        .ok_or_else(|| damaged(&format!("array `{name}` begins beyond the end of the data")))?;
    let stored = u64::from_le_bytes(*stored);
    if stored != length as u64 {
        let reason = format!("array `{name}` has {stored} bytes instead of {length}");
        return Err(damaged(&reason));
    }
    rest.get(..length).ok_or_else(|| damaged(&format!("array `{name}` reaches beyond the data")))
}

fn damaged(reason: &str) -> VtkProblem {
    VtkProblem::Damaged(reason.to_owned())
}
