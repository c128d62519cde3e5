//! Snapshots of the simulation for the window: copies, so that neither blocks the other.

use crate::compute::Spheres;
use glam::{DQuat, DVec3};
use lawine_core::body::Body;
use lawine_core::method::StepReport;
use lawine_core::{Field, FieldValues};
use lawine_record::run::Heading;
use lawine_scene::file::SceneFile;
use lawine_scene::matter::Kind;
use lawine_scene::select::MatterFields;
use std::sync::Arc;

/// A column of values that is owned.
#[derive(Clone, Debug)]
enum Values {
    U32(Vec<u32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Vec3(Vec<DVec3>),
    Quat(Vec<DQuat>),
    Symmetric(Vec<[f32; 6]>),
}

/// A column: its name, its unit and its values.
type Column = (&'static str, &'static str, Values);

/// Copies of the columns of each matter.
#[derive(Clone, Debug, Default)]
pub struct Columns(Vec<(&'static dyn Kind, Vec<Column>)>);

impl Columns {
    /// Copies of all columns.
    pub fn new(matters: &[MatterFields<'_>]) -> Self {
        let copy = |field: &Field<'_>| {
            let values = match field.values {
                FieldValues::U32(v) => Values::U32(v.to_vec()),
                FieldValues::F32(v) => Values::F32(v.to_vec()),
                FieldValues::F64(v) => Values::F64(v.to_vec()),
                FieldValues::Vec3(v) => Values::Vec3(v.to_vec()),
                FieldValues::Quat(v) => Values::Quat(v.to_vec()),
                FieldValues::Symmetric(v) => Values::Symmetric(v.to_vec()),
            };
            (field.name, field.unit, values)
        };
        let matter = |m: &MatterFields<'_>| (m.kind, m.fields.iter().map(copy).collect());
        Self(matters.iter().map(matter).collect())
    }

    /// The columns with the first particle alone.
    pub fn first(&self) -> Self {
        let one = |values: &Values| match values {
            Values::U32(v) => Values::U32(v.iter().take(1).copied().collect()),
            Values::F32(v) => Values::F32(v.iter().take(1).copied().collect()),
            Values::F64(v) => Values::F64(v.iter().take(1).copied().collect()),
            Values::Vec3(v) => Values::Vec3(v.iter().take(1).copied().collect()),
            Values::Quat(v) => Values::Quat(v.iter().take(1).copied().collect()),
            Values::Symmetric(v) => Values::Symmetric(v.iter().take(1).copied().collect()),
        };
        let first = |(name, unit, values): &Column| (*name, *unit, one(values));
        let matter = |(kind, columns): &(&'static dyn Kind, Vec<Column>)| {
            (*kind, columns.iter().map(first).collect())
        };
        Self(self.0.iter().map(matter).collect())
    }

    /// The columns as the methods would give them.
    pub fn matters(&self) -> Vec<MatterFields<'_>> {
        self.0
            .iter()
            .map(|(kind, columns)| MatterFields { kind: *kind, fields: fields(columns) })
            .collect()
    }
}

fn fields(columns: &[Column]) -> Vec<Field<'_>> {
    columns
        .iter()
        .map(|(name, unit, values)| Field {
            name,
            unit,
            values: match values {
                Values::U32(v) => FieldValues::U32(v),
                Values::F32(v) => FieldValues::F32(v),
                Values::F64(v) => FieldValues::F64(v),
                Values::Vec3(v) => FieldValues::Vec3(v),
                Values::Quat(v) => FieldValues::Quat(v),
                Values::Symmetric(v) => FieldValues::Symmetric(v),
            },
        })
        .collect()
}

/// A moment of the simulation.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Simulated time [s].
    pub time: f64,
    /// Steps done.
    pub steps: u64,
    /// The last step [s].
    pub dt: f64,
    /// What limited it.
    pub limit: &'static str,
    /// What the last step reported.
    pub report: StepReport,
    /// The particles; older than the rest while the graphics device has them.
    pub columns: Arc<Columns>,
    /// The particles on the graphics device, if it computes and draws them.
    pub balls: Option<Spheres>,
    /// Number of particles.
    pub particles: usize,
    /// The bodies, where they are now.
    pub bodies: Vec<Body>,
    /// Wall time of each phase of a step, on average over the last steps [s].
    pub phases: Vec<(String, f64)>,
    /// Simulated seconds per second of wall time, lately.
    pub rate: f64,
    /// Steps per second of wall time, lately.
    pub steps_per_second: f64,
    /// Rows of data since the last snapshot.
    pub rows: Vec<Vec<f64>>,
    /// Which start of which scene it belongs to: that of [`SceneInfo`].
    pub generation: u64,
}

/// Information about a scene for the window, sent when it is opened or changed.
#[derive(Clone, Debug)]
pub struct SceneInfo {
    /// The scene of the file, with all changes.
    pub scene: SceneFile,
    /// The scene with everything decided that the file left open.
    pub resolved: SceneFile,
    /// A box around matter and bodies [m].
    pub bounds: lawine_core::geometry::Aabb,
    /// The matter that is placed.
    pub placed: &'static dyn Kind,
    /// Distance between particles that are placed [m].
    pub lattice: f64,
    /// What the shapes of grains look like.
    pub grain_surfaces: Vec<lawine_scene::grain_surface::GrainSurface>,
    /// The columns of the data.
    pub headings: Vec<Heading>,
    /// Whether the graphics device computes.
    pub on_gpu: bool,
    /// The key because of which a change waits for a restart.
    pub pending: Option<String>,
    /// Whether this is another scene, or a restart: the view and the data begin anew.
    pub fresh: bool,
    /// Counts scenes and restarts.
    pub generation: u64,
}
