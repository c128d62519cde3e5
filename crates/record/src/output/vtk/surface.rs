//! A frame's bodies as one `.vtp` file of triangles.

use std::path::Path;

use glam::DVec3;
use lawine_core::{Field, FieldValues};

use super::VtkError;
use super::particles::MAX_POINTS;
use super::piece::{Array, Piece, Values};
use crate::output::atomic::atomic_write_unsynced;
use crate::surface::MatterSurface;

/// Triangles of one or more bodies.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Corners [m].
    pub points: &'a [DVec3],
    /// Three indices into `points` each.
    pub triangles: &'a [[u32; 3]],
    /// Which body each triangle belongs to.
    pub body: &'a [u32],
}

/// Writes the bodies of one frame at `time` [s], with the cell array `body`.
///
/// # Errors
/// [`VtkError::Input`] when `triangles` and `body` differ in length or an index is too large;
/// [`VtkError::Io`].
pub fn save_surface(path: &Path, time: f64, surface: &Surface<'_>) -> Result<(), VtkError> {
    let body = Field { name: "body", unit: "", values: FieldValues::U32(surface.body) };
    save(path, time, surface, &[body])
}

/// Writes the surfaces of grains at `time` [s]; `body` is the grain of each triangle, and the
/// triangles have the scalar and vector fields of the grains as cell arrays, `speed` among them.
///
/// # Errors
/// Like [`save_surface`].
pub fn save_grains(
    path: &Path,
    time: f64,
    surface: &Surface<'_>,
    fields: &[Field<'_>],
) -> Result<(), VtkError> {
    let owned: Vec<(&'static str, &'static str, Cells)> = fields
        .iter()
        .filter(|field| field.name != "position")
        .filter_map(|field| Some((field.name, field.unit, Cells::of(surface.body, &field.values)?)))
        .collect();
    let speed = fields.iter().find(|field| field.name == "velocity").map(|field| {
        let speed = |&i: &u32| field.values.magnitude(i as usize);
        ("speed", field.unit, Cells::F64(surface.body.iter().map(speed).collect()))
    });
    let cells: Vec<Field<'_>> = speed
        .iter()
        .chain(&owned)
        .map(|(name, unit, cells)| Field { name, unit, values: cells.view() })
        .collect();
    save(path, time, surface, &cells)
}

/// Writes the surface of matter at `time` [s], with its normals and the values of `field` at its corners.
///
/// # Errors
/// Like [`save_surface`].
pub fn save_matter(
    path: &Path,
    time: f64,
    surface: &MatterSurface,
    field: &str,
) -> Result<(), VtkError> {
    let owner = vec![0; surface.triangles.len()];
    let triangles =
        Surface { points: &surface.vertices, triangles: &surface.triangles, body: &owner };
    let array = |name, values| Array { name, unit: "", values: Values::Field(values) };
    let points = vec![
        array("normal", FieldValues::Vec3(&surface.normals)),
        array(field, FieldValues::F64(&surface.values)),
    ];
    write(path, time, &triangles, points, &[])
}

/// A column of grains, one value for each of their triangles.
enum Cells {
    U32(Vec<u32>),
    F64(Vec<f64>),
    Vec3(Vec<DVec3>),
}

impl Cells {
    fn of(owner: &[u32], values: &FieldValues<'_>) -> Option<Self> {
        let each = || owner.iter().map(|&i| i as usize);
        match values {
            FieldValues::U32(v) => Some(Self::U32(each().map(|i| v[i]).collect())),
            FieldValues::F64(v) => Some(Self::F64(each().map(|i| v[i]).collect())),
            FieldValues::F32(v) => Some(Self::F64(each().map(|i| f64::from(v[i])).collect())),
            FieldValues::Vec3(v) => Some(Self::Vec3(each().map(|i| v[i]).collect())),
            FieldValues::Quat(_) | FieldValues::Symmetric(_) => None,
        }
    }

    fn view(&self) -> FieldValues<'_> {
        match self {
            Self::U32(v) => FieldValues::U32(v),
            Self::F64(v) => FieldValues::F64(v),
            Self::Vec3(v) => FieldValues::Vec3(v),
        }
    }
}

fn save(
    path: &Path,
    time: f64,
    surface: &Surface<'_>,
    cells: &[Field<'_>],
) -> Result<(), VtkError> {
    write(path, time, surface, Vec::new(), cells)
}

fn write(
    path: &Path,
    time: f64,
    surface: &Surface<'_>,
    point_data: Vec<Array<'_>>,
    cells: &[Field<'_>],
) -> Result<(), VtkError> {
    surface.check().map_err(|reason| VtkError::Input { path: path.to_owned(), reason })?;
    let piece = Piece {
        time,
        points: surface.points,
        point_data,
        triangles: Some(surface.triangles),
        cell_data: cells
            .iter()
            .map(|f| Array { name: f.name, unit: f.unit, values: Values::Field(f.values) })
            .collect(),
    };
    atomic_write_unsynced(path, |out| piece.write(out)).map_err(|source| VtkError::Io {
        action: "write",
        path: path.to_owned(),
        source,
    })
}

impl Surface<'_> {
    fn check(&self) -> Result<(), String> {
        let (points, triangles) = (self.points.len(), self.triangles.len());
        if self.body.len() != triangles {
            return Err(format!("{triangles} triangles, but {} body indices", self.body.len()));
        }
        // Offsets count corners, three a triangle.
        if points > MAX_POINTS || triangles > MAX_POINTS / 3 {
            return Err(format!("{points} points and {triangles} triangles are too many"));
        }
        let outside = |corner: &&u32| **corner as usize >= points;
        match self.triangles.iter().flatten().find(outside) {
            Some(corner) => Err(format!("a triangle names point {corner} of {points}")),
            None => Ok(()),
        }
    }
}
