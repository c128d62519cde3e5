//! Every key of a scene file with its kind, unit and help, table by table.

use super::reference::{Entry, Fields, Kind, all, may, must, one_of};
use super::tables_contact::{CONTACT, POUR};
use super::tables_grains::{BLOCK, GRAIN, GRAINS};
use super::tables_measure::MEASURE;
use super::tables_snow::{MATERIAL, SNOW};
use super::view::COLOR_MAPS;
use super::words::{
    Axis, BoundaryMethod, ColorScale, EquationOfState, Holes, KernelShape, Lattice, Leaving,
    LinearSolver, Lines, NeighborSearch, PressureMethod, Side, SurfaceFormat, Unsolved,
    ViscositySolver, WallPressure,
};
use Kind::{
    Count, Flag, Number, Pair, Size, Table, Tables, Text, Texts, Vector, Vectors, Word, Words,
};

pub(super) const COUNT: Kind = Count(u32::MAX as u64);

/// The whole file.
pub(super) const SCENE: &Fields = &all(&[
    must("title", "", Text, "title of the scene"),
    may("watch", "", Text, "what to watch"),
    may("start", "s", Number, "simulated time at which the clock starts"),
    must("end", "s", Number, "simulated time at which the run ends"),
    may("seed", "", Count(i64::MAX as u64), "seed of everything random"),
    must("space", "", Table(SPACE), "the space of the scene"),
    may("solver", "", Table(SOLVER), "the time step and how neighbours are found"),
    may("liquid", "", Table(LIQUID), "the liquid"),
    may("snow", "", Table(SNOW), "snow, and what else deforms"),
    may("material", "", Tables(MATERIAL), "what the matter of snow is made of"),
    may("pressure", "", Table(PRESSURE), "how the pressure is found"),
    may("boundary", "", Table(BOUNDARY), "how bodies appear to the liquid"),
    may(
        "fill",
        "",
        Tables(FILL),
        "the liquid or snow at the start; grains of the scene's shapes where there is room",
    ),
    may("emitter", "", Tables(EMITTER), "where liquid comes in during the run"),
    may("outlet", "", Tables(OUTLET), "where liquid or grains go out during the run"),
    may("grains", "", Table(GRAINS), "what all grains share"),
    may("grain", "", Tables(GRAIN), "single grains"),
    may("block", "", Tables(BLOCK), "blocks of sand"),
    may("contact", "", Table(CONTACT), "forces between grains"),
    may("pour", "", Tables(POUR), "where grains come in during the run"),
    may("body", "", Tables(BODY), "walls and other rigid bodies"),
    may("probe", "", Tables(PROBE), "extra columns of series.csv"),
    may("measure", "", Tables(MEASURE), "figures of the report, measured when the run has ended"),
    may("output", "", Table(OUTPUT), "what the run writes, and how often"),
    may("view", "", Table(VIEW), "how pictures and the movie look"),
    may("surface", "", Table(SURFACE), "the surface of liquid or snow instead of particles"),
]);

const SPACE: &Fields = &all(&[
    must("dimension", "", COUNT, "2 (a plane) or 3"),
    must("gravity", "m/s²", Vector, "gravity"),
    may("domain", "", Table(EXTENT), "the box particles may be in"),
    may("periodic", "", Words(Axis::WORDS), "axes along which the domain repeats"),
    may("leaving", "", Word(Leaving::WORDS), "what happens to particles that leave the domain"),
]);

pub(super) const EXTENT: &Fields = &all(&[
    must("min", "m", Vector, "corner with the smallest coordinates"),
    must("max", "m", Vector, "corner with the largest coordinates"),
]);

const SOLVER: &Fields = &all(&[
    may("neighbors", "", Word(NeighborSearch::WORDS), "how neighbours are found"),
    may("kernel", "", Word(KernelShape::WORDS), "the smoothing kernel"),
    may("time_step", "s", Number, "fixed time step; adaptive without it"),
    may("cfl", "", Number, "factor λ in Δt ≤ λ d / |v|, for an adaptive step"),
    may("max_time_step", "s", Number, "largest adaptive step"),
    may("growth", "", Number, "largest growth of the adaptive step from step to step"),
]);

const LIQUID: &Fields = &all(&[
    must("spacing", "m", Number, "distance between particles at rest"),
    may(
        "relative_support",
        "",
        Number,
        "support radius of the kernel over the spacing; without it 2.2 in a plane, 2.22 in space",
    ),
    may("support", "m", Number, "support radius of the kernel, instead of the relative one"),
    may("rest_density", "kg/m³", Number, "rest density"),
    may("viscosity", "m²/s", Number, "kinematic viscosity"),
    may("viscosity_solver", "", Word(ViscositySolver::WORDS), "how viscosity acts"),
    may("xsph", "", Number, "share of the difference to the neighbours' velocity that goes a step"),
    may(
        "surface_tension",
        "N/m",
        Number,
        "surface tension; needs a support of three spacings to flow freely",
    ),
    may(
        "max_particles",
        "",
        COUNT,
        "while there are so many particles, emitters add none; 50 million without it",
    ),
]);

const PRESSURE: &Fields = &all(&[
    may("method", "", Word(PressureMethod::WORDS), "how the pressure is found"),
    may("equation", "", Word(EquationOfState::WORDS), "the equation of state"),
    may("stiffness", "Pa", Number, "bulk modulus k; derived from the scene without it"),
    may("exponent", "", Number, "exponent γ of the Tait equation"),
    may("clamp", "", Flag, "whether negative pressures are set to zero"),
    may("tolerance", "", Number, "mean relative density error allowed, for iisph and dfsph"),
    may("linear_solver", "", Word(LinearSolver::WORDS), "how the pressure system is solved"),
    may("relaxation", "", Number, "relaxation ω of the iterations"),
    may("min_iterations", "", COUNT, "fewest iterations"),
    may("max_iterations", "", COUNT, "most iterations"),
    may("target_iterations", "", COUNT, "iterations above which an adaptive step gets shorter"),
    may("unsolved", "", Word(Unsolved::WORDS), "what happens when they were not enough"),
]);

const BOUNDARY: &Fields = &all(&[
    may("method", "", Word(BoundaryMethod::WORDS), "how bodies are covered with particles"),
    may("layers", "", COUNT, "layers of boundary particles, for the method of that name"),
    may("pressure", "", Word(WallPressure::WORDS), "how walls count in density and force"),
    may("viscosity", "m²/s", Number, "viscosity at walls; the liquid's without it, zero slips"),
]);

const FILL: &Fields = &all(&[
    must("shape", "", Table(SOLID), "where the matter is"),
    may("material", "", Text, "name of its material, in scenes with snow"),
    may("velocity", "m/s", Vector, "velocity of the matter"),
    may("flow", "", Table(FLOW), "velocity that differs from place to place, on top"),
    may("lattice", "", Word(Lattice::WORDS), "the lattice of its particles"),
    may(
        "carve",
        "",
        Flag,
        "whether particles inside a body are left out instead of an error, and liquid is packed next to it",
    ),
]);

const FLOW: &Fields = &one_of(&[
    may("linear", "", Table(LINEAR_FLOW), "grows linearly with the distance from a centre"),
    may("taylor-green", "", Table(TAYLOR_GREEN), "vortices that turn against each other"),
]);

const LINEAR_FLOW: &Fields = &all(&[
    must("gradient", "1/s", Vectors, "rows of the velocity gradient"),
    may("center", "m", Vector, "where the velocity is zero"),
]);

const TAYLOR_GREEN: &Fields = &all(&[
    must("speed", "m/s", Number, "largest speed"),
    must("length", "m", Number, "length after which the vortices repeat"),
]);

const EMITTER: &Fields = &all(&[
    must("shape", "", Table(MOUTH), "the mouth"),
    must("speed", "m/s", Number, "speed of the liquid"),
    may("start", "s", Number, "when the first layer comes out"),
    may("stop", "s", Number, "when it ends; never without it"),
    may("max_particles", "", COUNT, "particles after which it is exhausted"),
]);

const MOUTH: &Fields = &one_of(&[
    may("rectangle", "", Table(RECTANGLE), "rectangle across a direction, or line in a plane"),
    may("disc", "", Table(DISC), "disc across a direction, or line in a plane"),
]);

const RECTANGLE: &Fields = &all(&[
    must("center", "m", Vector, "centre"),
    must("direction", "", Vector, "direction across it"),
    must("width", "m", Number, "length across up and direction, or of the line in a plane"),
    may("height", "m", Number, "length along up; only in space"),
    may("up", "", Vector, "direction of the height; y without it, or z where direction is y"),
]);

const DISC: &Fields = &all(&[
    must("center", "m", Vector, "centre"),
    must("direction", "", Vector, "direction across it"),
    must("radius", "m", Number, "radius"),
]);

const OUTLET: &Fields = &all(&[
    must("shape", "", Table(REGION), "where liquid or grains are removed"),
    may("returns", "", Table(EXTENT), "where grains come back in instead"),
]);

/// Shapes of outlets.
const REGION: &Fields = &one_of(&[BOX, SPHERE]);

const BODY: &Fields = &all(&[
    must("name", "", Text, "name, different for every body"),
    must("shape", "", Table(SHAPE), "shape of the body"),
    may("hollow", "", Flag, "whether matter is inside the shape instead of outside"),
    may("density", "kg/m³", Number, "for mass and inertia in the summary, in space"),
    may("visible_triangles", "", COUNT, "how many of its triangles are drawn, in space"),
    may("friction", "", Number, "coefficient of friction; the matter's without it"),
    may("material", "", Text, "name of its material in contact.pair, in scenes with grains"),
    may("until", "s", Number, "when it vanishes; never without it"),
    may("sticking", "", Flag, "whether snow sticks to it; as the matter says without it"),
    may("motion", "", Tables(MOTION), "scripted motions, added up"),
]);

const BOX: Entry = may("box", "", Table(EXTENT), "axis-aligned box");
const SPHERE: Entry = may("sphere", "", Table(BALL), "ball, or disc in a plane");
pub(super) const POLYHEDRON: Entry = may("polyhedron", "", Table(HULL), "convex hull of points");
const MESH: Entry = may("mesh", "", Table(MESH_FILE), "closed triangle mesh from a file");
const FILL_MESH: Entry = may("mesh", "", Table(FILL_MESH_FILE), "triangle mesh from a file");
const CONTAINER: Entry = may("container", "", Table(WALLS), "hollow box with matter inside");
const PLANE: Entry = may("plane", "", Table(HALF_SPACE), "half-space behind a plane");

/// Shapes of liquid.
const SOLID: &Fields = &one_of(&[BOX, SPHERE, POLYHEDRON, FILL_MESH]);

/// Shapes of bodies.
const SHAPE: &Fields = &one_of(&[BOX, SPHERE, POLYHEDRON, MESH, CONTAINER, PLANE]);

const BALL: &Fields =
    &all(&[must("center", "m", Vector, "centre"), must("radius", "m", Number, "radius")]);

const HULL: &Fields = &all(&[must("vertices", "m", Vectors, "points of the convex hull")]);

const FILE: Entry =
    must("file", "", Text, "OBJ, STL or PLY file, relative to the scene file, or builtin:hare");
const SCALE: Entry = may("scale", "", Number, "factor from the file's lengths to metres");
const POSITION: Entry = may("position", "m", Vector, "where the file's origin comes to lie");

const MESH_FILE: &Fields = &all(&[FILE, SCALE, POSITION]);

const FILL_MESH_FILE: &Fields = &all(&[
    FILE,
    SCALE,
    POSITION,
    may("holes", "", Word(Holes::WORDS), "what happens when the surface has holes"),
]);

const WALLS: &Fields = &all(&[
    must("min", "m", Vector, "inner corner with the smallest coordinates"),
    must("max", "m", Vector, "inner corner with the largest coordinates"),
    may("open", "", Words(Side::WORDS), "sides without a wall"),
]);

const HALF_SPACE: &Fields = &all(&[
    must("point", "m", Vector, "a point of the surface"),
    must("normal", "", Vector, "direction out of the body"),
]);

const START: Entry = may("start", "s", Number, "when the motion begins");
const STOP: Entry = may("stop", "s", Number, "when the motion ends; never without it");

const MOTION: &Fields = &one_of(&[
    may("velocity", "", Table(VELOCITY), "constant velocity"),
    may("rotation", "", Table(ROTATION), "constant rotation about an axis"),
    may("vibration", "", Table(VIBRATION), "sinusoidal vibration along a direction"),
]);

const VELOCITY: &Fields = &all(&[must("velocity", "m/s", Vector, "velocity"), START, STOP]);

const ROTATION: &Fields = &all(&[
    may("axis", "", Vector, "direction of the axis; z in a plane"),
    may("point", "m", Vector, "a point of the axis"),
    must("rate", "rad/s", Number, "angular velocity"),
    START,
    STOP,
]);

const VIBRATION: &Fields = &all(&[
    must("amplitude", "m", Number, "largest offset"),
    must("frequency", "1/s", Number, "vibrations per second"),
    must("direction", "", Vector, "direction of the vibration"),
    may("phase", "rad", Number, "phase at the beginning"),
    START,
    STOP,
]);

const PROBE: &Fields = &Fields {
    entries: &[must("name", "", Text, "name of the column in series.csv")],
    one_of: &[
        may("min", "", Table(FIELD), "smallest value of a field"),
        may("mean", "", Table(FIELD), "mean of a field"),
        may("max", "", Table(FIELD), "largest value of a field"),
        may("deviation", "", Table(FIELD), "standard deviation of a field"),
        may("pressure", "", Table(POINT), "pressure at a point"),
        may("height", "", Table(POINT), "height of the liquid over a place"),
        may("flow", "", Table(RECTANGLE), "volume that flows through a rectangle"),
        may("force", "", Table(FORCE), "a component of the force on a body"),
        may("grain", "", Table(ONE_GRAIN), "value of a field for one grain"),
        may("slope", "", Table(SLOPE), "angle of the surface with the horizontal, in degrees"),
        may("count", "", Table(EXTENT), "number of particles in a box"),
        may("packing", "", Table(EXTENT), "share of a box that grains fill"),
    ],
};

const FIELD: &Fields = &all(&[
    must("field", "", Text, "field, or a component of it by .x, .y, .z"),
    may("within", "", Table(EXTENT), "box in which particles count; all without it"),
]);

const POINT: &Fields = &all(&[must("at", "m", Vector, "where it is measured")]);

const FORCE: &Fields = &all(&[
    must("body", "", Text, "name of the body"),
    must("component", "", Word(Axis::WORDS), "component of the force"),
]);

const SLOPE: &Fields = &all(&[
    must("along", "", Word(Axis::WORDS), "horizontal axis"),
    may("min", "m", Number, "where the surface begins; at the first particle without it"),
    may("max", "m", Number, "where the surface ends; at the last particle without it"),
]);

const ONE_GRAIN: &Fields = &all(&[
    must("name", "", Text, "name of the grain"),
    must("field", "", Text, "field, or a component of it by .x, .y, .z"),
]);

const OUTPUT: &Fields = &all(&[
    may("every", "s", Number, "time between frames and pictures"),
    may("every_steps", "", COUNT, "steps between them instead, with a fixed time step"),
    may("frames", "", Flag, "whether frames are written"),
    may("pictures", "", Flag, "whether pictures are written"),
    may("movie", "", Flag, "whether a movie is made"),
    may("gif", "", Flag, "whether an animated GIF is made"),
    may("checkpoint_every", "s", Number, "wall time between checkpoints"),
    may("series_every", "", COUNT, "steps between rows of series.csv; 0 for those of frames only"),
]);

const SURFACE: &Fields = &all(&[
    may("draw", "", Flag, "whether pictures show the surface"),
    may("save", "", Word(SurfaceFormat::WORDS), "format of a file for each frame; none without it"),
    may("cell", "", Number, "edge of the cells in which triangles are made, in spacings"),
    may("support", "", Number, "how far a particle reaches, in spacings"),
    may("threshold", "", Number, "share of the density at which the surface lies"),
    may("smoothing", "", Count(1000), "rounds of smoothing"),
]);

const VIEW: &Fields = &all(&[
    may("field", "", Text, "field that colours the particles"),
    may("colors", "", Word(COLOR_MAPS), "colour map"),
    may("range", "", Pair, "values at the ends of the colour map; automatic without it"),
    may("scale", "", Word(ColorScale::WORDS), "how values become colours"),
    may("size", "px", Size, "width and height of pictures"),
    may("fps", "1/s", COUNT, "pictures per second of the movie"),
    may("camera", "", Table(CAMERA), "where the scene is seen from, in space"),
    may("turn", "°/s", Number, "turn of the camera per second of simulated time, in space"),
    may("angles", "°", Vector, "turn of the scene about x, y and z, in space"),
    may("spin", "°/s", Vector, "growth of these angles per second of simulated time"),
    may("lines", "", Word(Lines::WORDS), "which edges of bodies and grains are drawn"),
    may("faces", "", Flag, "whether faces of grains are coloured and shaded"),
    may("letters", "", Number, "letters of axes and colour bar, in parts of the picture's height"),
    may("title", "", Table(TITLE), "where the title stands"),
    may("values", "", Table(VALUES), "measured values that are written into the picture"),
    may("axes", "", Table(AXES), "axes with numbers"),
    may("center", "m", Vector, "middle of the picture, in a plane"),
    may("width", "m", Number, "width of what is seen, in a plane"),
]);

const TITLE: &Fields = &all(&[
    may("at", "", Pair, "from the left and upper edge, in parts of the picture's height"),
    may("size", "", Number, "its letters, in parts of the picture's height"),
]);

const VALUES: &Fields = &all(&[
    must("columns", "", Texts, "columns of series.csv, a line each"),
    may(
        "at",
        "",
        Pair,
        "the first, from the left and upper edge, in parts of the picture's height",
    ),
    may("distance", "", Number, "from line to line, in parts of the picture's height"),
    may("size", "", Number, "their letters, in parts of the picture's height"),
]);

const AXES: &Fields = &all(&[
    may("min", "m", Vector, "where the axes begin"),
    may("max", "m", Vector, "where the axes end"),
    may("labels_min", "", Vector, "numbers written where they begin; those of min without it"),
    may("labels_max", "", Vector, "numbers written where they end; those of max without it"),
]);

const CAMERA: &Fields = &all(&[
    may("eye", "m", Vector, "position of the camera"),
    may("target", "m", Vector, "point in the middle of the picture"),
    may("up", "", Vector, "direction that is up in the picture"),
    may("fov", "°", Number, "vertical angle of view"),
]);
