//! A frame's bodies as one `.vtp` file of triangles.

use std::path::Path;

use glam::DVec3;
use lawine_core::FieldValues;

use super::VtkError;
use super::particles::MAX_POINTS;
use super::piece::{Array, Piece, Values};
use crate::output::atomic::atomic_write_unsynced;

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
    surface.check().map_err(|reason| VtkError::Input { path: path.to_owned(), reason })?;
    let piece = Piece {
        time,
        points: surface.points,
        point_data: Vec::new(),
        triangles: Some(surface.triangles),
        cell_data: vec![Array {
            name: "body",
            unit: "",
            values: Values::Field(FieldValues::U32(surface.body)),
        }],
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
