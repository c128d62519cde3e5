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
mod measure;
mod meshes;
mod opening;
mod overrides;
mod page;
mod placement;
mod probe;
mod reference;
mod schema;
mod shape;
mod surface;
mod toml;
mod vector;
mod view;
mod words;
mod write;

pub use body::{Axle, Body, Motion, Rotation, Spin, Velocity, Vibration};
pub(crate) use check::{Bounds, check_polyhedron, check_turn_axis, emitter_kind};
pub use check::{Checker, Counts, MAX_BOUNDARY, MAX_PARTICLES, Need, Part, check, farthest};
pub use error::{Place, Problem, SceneError};
pub use flow::{Flow, LinearFlow, TaylorGreen};
pub use load::{LoadedScene, Source, load, load_with, parse_scene_text, read_toml};
pub use locations::Locations;
pub use measure::{
    FlowFieldMeasure, LayersMeasure, Measure, MeasureKind, PathMeasure, Span, SpectrumMeasure,
};
pub use opening::{Disc, Emitter, Mouth, Outlet, Rectangle, Region};
pub use overrides::Override;
pub use page::{explanation, reference_page};
pub use placement::{AxisAngle, Placement};
pub use probe::{FieldProbe, ForceProbe, GrainProbe, PointProbe, Probe, ProbeKind, SlopeProbe};
pub use reference::{MAGNITUDES, Parameter, parameters, scene_table};
pub use schema::{Extent, Fill, Output, SceneFile, Space, Time};
pub use shape::{
    Capsule, Cone, Container, Cylinder, FillMesh, MeshFile, Plane, Polyhedron, Shape, Solid, Sphere,
};
pub use surface::Surface;
pub use vector::Vector;
pub use view::{Axes, Camera, Title, Values, View};
pub use words::{
    Axis, ColorScale, GrainLook, Holes, Lattice, Lines, LiquidLook, Quality, Side, SurfaceFormat,
};
