//! Scene files: TOML in SI units, one schema, helpful errors.
//!
//! [`load`] reads a file, a built-in scene or a text, applies overrides and checks the result;
//! [`SceneFile::to_toml`] writes the scene with all defaults explicit.

mod body;
mod check;
mod contact;
mod error;
mod flow;
mod grains;
mod load;
mod locations;
mod measure;
mod meshes;
mod opening;
mod overrides;
mod page;
mod probe;
mod reference;
mod schema;
mod shape;
mod snow;
mod suggest;
mod surface;
mod tables;
mod tables_contact;
mod tables_grains;
mod tables_measure;
mod tables_snow;
#[cfg(test)]
mod tests;
mod vector;
mod view;
mod walk;
mod words;
mod write;

pub use body::{Body, Motion, Rotation, Velocity, Vibration};
pub use check::{Counts, MAX_BOUNDARY, MAX_PARTICLES, check, farthest};
pub use contact::{Bridges, Contact, MaterialPair, Pour};
pub use error::{Place, Problem, SceneError, did_you_mean};
pub use flow::{Flow, LinearFlow, TaylorGreen};
pub use grains::{
    Block, Ellipsoid, FixedSize, Grain, GrainBox, GrainMesh, GrainShape, Grains, LogNormalSizes,
    Platonic, Prism, Sizes, Turn, TwoSizes, UniformSizes,
};
pub use load::{LoadedScene, Source, load, load_with, parse_scene_text, read_toml};
pub use locations::Locations;
pub use measure::{
    FlowFieldMeasure, LayersMeasure, Measure, MeasureKind, PathMeasure, Span, SpectrumMeasure,
};
pub use opening::{Disc, Emitter, Mouth, Outlet, Rectangle, Region};
pub use overrides::Override;
pub use page::reference_page;
pub use probe::{FieldProbe, ForceProbe, GrainProbe, PointProbe, Probe, ProbeKind, SlopeProbe};
pub use reference::{
    Entry, Fields, Kind, MAGNITUDES, Magnitudes, Parameter, all, find, may, must, one_of,
    parameters, scene_fields,
};
pub use schema::{Boundary, Extent, Fill, Liquid, Output, Pressure, SceneFile, Solver, Space};
pub use shape::{Container, MeshFile, Plane, Polyhedron, Shape, Sphere};
pub use snow::{ElasticLaw, Law, LiquidLaw, Material, SandLaw, Snow, SnowLaw};
pub use suggest::closest;
pub use surface::Surface;
pub use vector::Vector;
pub use view::{Axes, COLOR_MAPS, Camera, Title, Values, View};
pub use words::{
    Axis, BoundaryMethod, BoxMethod, BroadPhase, ColorScale, ContactLaw, Convex, EquationOfState,
    GearForces, GrainIntegrator, Holes, KernelShape, Lattice, Leaving, LinearSolver, Lines,
    MatterIntegrator, NeighborSearch, ParticleVolume, Placing, PlatonicSolid, PressureMethod, Side,
    SnowClass, SnowElasticity, SnowKind, Spline, Spread, SurfaceFormat, Transfer, Unsolved,
    ViscositySolver, WallPressure,
};
