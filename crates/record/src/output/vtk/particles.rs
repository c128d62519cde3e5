//! A frame's particles as a `.vtp` file.

use std::path::Path;

use lawine_core::{Field, FieldValues};

use super::VtkError;
use super::piece::{Array, Piece, Values};
use lawine_render::atomic::atomic_write_unsynced;

/// More points than VTK's 32-bit cell arrays can count.
pub(super) const MAX_POINTS: usize = i32::MAX as usize;

/// Writes the particles of one frame at `time` [s].
///
/// The vector field `position` becomes the points, every other field an array of the points.
///
/// # Errors
/// [`VtkError::Input`] without a vector field `position`, for two fields of one name, or for
/// fields of different lengths; [`VtkError::Io`].
pub fn save_particles(path: &Path, time: f64, fields: &[Field<'_>]) -> Result<(), VtkError> {
    let piece =
        piece(time, fields).map_err(|reason| VtkError::Input { path: path.to_owned(), reason })?;
    atomic_write_unsynced(path, |out| piece.write(out)).map_err(|source| VtkError::Io {
        action: "write",
        path: path.to_owned(),
        source,
    })
}

fn piece<'a>(time: f64, fields: &[Field<'a>]) -> Result<Piece<'a>, String> {
    let points = match fields.iter().find(|field| field.name == "position") {
        Some(Field { values: FieldValues::Vec3(points), .. }) => *points,
        Some(_) => return Err("the field `position` is not a vector".to_owned()),
        None => return Err("there is no field `position`".to_owned()),
    };
    if points.len() > MAX_POINTS {
        return Err(format!("{} particles, at most {MAX_POINTS}", points.len()));
    }
    for (i, field) in fields.iter().enumerate() {
        if field.values.len() != points.len() {
            let (found, expected) = (field.values.len(), points.len());
            return Err(format!("field `{}`: {found} values, {expected} particles", field.name));
        }
        if fields[..i].iter().any(|other| other.name == field.name) {
            return Err(format!("two fields are called `{}`", field.name));
        }
    }
    let others = fields.iter().filter(|field| field.name != "position");
    let point_data = others
        .map(|f| Array { name: f.name, unit: f.unit, values: Values::Field(f.values) })
        .collect();
    Ok(Piece { time, points, point_data, triangles: None, cell_data: Vec::new() })
}
