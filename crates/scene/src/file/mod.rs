//! Scene files: TOML in SI units, one schema, helpful errors.
//!
//! [`load`] reads a file, a built-in scene or a text, applies overrides and checks the result;
//! [`SceneFile::to_toml`] writes the scene with all defaults explicit.

mod body;
mod check;
mod error;
mod flow;
mod load;
mod locations;
mod opening;
mod overrides;
mod probe;
mod reference;
mod schema;
mod shape;
mod snow;
mod suggest;
mod tables;
mod tables_snow;
#[cfg(test)]
mod tests;
mod vector;
mod view;
mod walk;
mod words;
mod write;

pub use body::{Body, Motion, Rotation, Velocity, Vibration};
pub use check::{MAX_PARTICLES, check};
pub use error::{Place, Problem, SceneError, did_you_mean};
pub use flow::{Flow, LinearFlow, TaylorGreen};
pub use load::{LoadedScene, Source, load, parse_scene_text, read_toml};
pub use locations::Locations;
pub use opening::{Disc, Emitter, Mouth, Outlet, Rectangle, Region};
pub use overrides::Override;
pub use probe::{FieldProbe, ForceProbe, PointProbe, Probe, ProbeKind};
pub use reference::{
    Entry, Fields, Kind, Parameter, all, find, may, must, one_of, parameters, scene_fields,
};
pub use schema::{Boundary, Extent, Fill, Liquid, Output, Pressure, SceneFile, Solver, Space};
pub use shape::{Container, MeshFile, Plane, Polyhedron, Shape, Sphere};
pub use snow::{ElasticLaw, Law, LiquidLaw, Material, SandLaw, Snow, SnowLaw};
pub use suggest::closest;
pub use vector::Vector;
pub use view::{COLOR_MAPS, Camera, View};
pub use words::{
    Axis, EquationOfState, Holes, KernelShape, Leaving, LinearSolver, MatterIntegrator,
    NeighborSearch, ParticleVolume, Placing, PressureMethod, Side, SnowElasticity, SnowKind,
    Spline, Transfer, Unsolved, ViscositySolver, WallPressure,
};
