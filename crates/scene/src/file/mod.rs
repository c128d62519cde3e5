//! Scene files: TOML in SI units, one schema, helpful errors.
//!
//! [`load`] reads a file, a built-in scene or a text, applies overrides and checks the result;
//! [`SceneFile::to_toml`] writes the scene with all defaults explicit.

mod body;
mod error;
mod probe;
mod reference;
mod schema;
mod shape;
mod suggest;
mod tables;
mod vector;
mod view;
mod words;
mod write;

pub use body::{Body, Motion, Rotation, Velocity, Vibration};
pub use error::{Place, Problem, SceneError};
pub use probe::{FieldProbe, PointProbe, Probe, ProbeKind};
pub use reference::{Entry, Fields, Kind, Parameter, find, parameters, scene_fields};
pub use schema::{Boundary, Extent, Fill, Liquid, Output, Pressure, SceneFile, Solver, Space};
pub use shape::{Container, MeshFile, Plane, Polyhedron, Shape, Sphere};
pub use vector::Vector;
pub use view::{COLOR_MAPS, Camera, View};
pub use words::{
    Axis, EquationOfState, KernelShape, Leaving, NeighborSearch, PressureMethod, Side, SolverMethod,
};
