//! Named columns of a method's particles, as seen by writers, painters, probes and the viewer.

use glam::{DQuat, DVec3};

/// One named column, borrowed from a method's state.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Name in files and on the command line, such as `density`.
    pub name: &'static str,
    /// SI unit for labels, such as `kg/m³`; empty for pure numbers.
    pub unit: &'static str,
    /// The values, one for each particle, in the method's current order.
    pub values: FieldValues<'a>,
}

/// The values of a [`Field`] in the type the method keeps them in.
#[derive(Clone, Copy, Debug)]
pub enum FieldValues<'a> {
    /// Identifiers that stay with a particle for its whole life.
    U32(&'a [u32]),
    /// Scalars in single precision.
    F32(&'a [f32]),
    /// Scalars in double precision.
    F64(&'a [f64]),
    /// Vectors in double precision.
    Vec3(&'a [DVec3]),
    /// Orientations, unit quaternions in double precision.
    Quat(&'a [DQuat]),
    /// Symmetric tensors in single precision: xx, yy, zz, xy, yz, xz, as in VTK.
    Symmetric(&'a [[f32; 6]]),
}

/// Symmetric tensors that are made when a frame is written: they would cost too much to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorField {
    /// Name in files and on the command line, such as `stress`.
    pub name: &'static str,
    /// SI unit for labels; empty for pure numbers.
    pub unit: &'static str,
    /// The values, one for each particle: xx, yy, zz, xy, yz, xz.
    pub values: Vec<[f32; 6]>,
}

impl TensorField {
    /// The same, as a column.
    pub fn view(&self) -> Field<'_> {
        Field { name: self.name, unit: self.unit, values: FieldValues::Symmetric(&self.values) }
    }
}

/// The positions among the columns of a method.
pub fn positions<'a>(fields: &[Field<'a>]) -> Option<&'a [DVec3]> {
    fields.iter().find_map(|f| match f.values {
        FieldValues::Vec3(x) if f.name == "position" => Some(x),
        _ => None,
    })
}

impl FieldValues<'_> {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(v) => v.len(),
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::Vec3(v) => v.len(),
            Self::Quat(v) => v.len(),
            Self::Symmetric(v) => v.len(),
        }
    }

    /// True when there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Value `i` as one number: the scalar itself, the length of the vector, the angle of the
    /// orientation [rad], or the square root of the sum of all nine squares of the tensor.
    pub fn magnitude(&self, i: usize) -> f64 {
        match self {
            Self::U32(v) => f64::from(v[i]),
            Self::F32(v) => f64::from(v[i]),
            Self::F64(v) => v[i],
            Self::Vec3(v) => v[i].length(),
            Self::Quat(v) => 2.0 * v[i].xyz().length().atan2(v[i].w.abs()),
            Self::Symmetric(v) => {
                let [xx, yy, zz, xy, yz, xz] = v[i].map(|t| f64::from(t).powi(2));
                (xx + yy + zz + 2.0 * (xy + yz + xz)).sqrt()
            }
        }
    }
}
