//! Every key of the grains, see [`super::tables`].

use super::reference::{Entry, Fields, Kind, all, may, must, one_of};
use super::tables::{COUNT, POLYHEDRON};
use super::words::{
    BoxMethod, BroadPhase, Convex, GearForces, GrainIntegrator, PlatonicSolid, Spread,
};
use Kind::{Flag, Number, Table, Text, Vector, Word};

const DENSITY: Entry = may("density", "kg/m³", Number, "density of the material");
const OWN_DENSITY: Entry = may("density", "kg/m³", Number, "density; grains.density without it");

pub(super) const GRAINS: &Fields = &all(&[
    DENSITY,
    may("integrator", "", Word(GrainIntegrator::WORDS), "how grains are moved"),
    may("gear_values", "", COUNT, "number of values of Gear's method"),
    may("gear_forces", "", Word(GearForces::WORDS), "what forces depend on, for Gear's c0"),
    may("boxes", "", Word(BoxMethod::WORDS), "how the boxes around grains are found"),
    may("broad_phase", "", Word(BroadPhase::WORDS), "how overlapping boxes are found"),
    may("skin", "m", Number, "how far a box may move before the grid is built anew"),
]);

pub(super) const GRAIN: &Fields = &all(&[
    may("name", "", Text, "name, for probes"),
    must("shape", "", Table(SHAPE), "shape of the grain"),
    must("position", "m", Vector, "centre of mass"),
    may("orientation", "", Table(TURN), "how the shape is turned"),
    may("velocity", "m/s", Vector, "velocity"),
    may("angular_velocity", "rad/s", Vector, "angular velocity, in space"),
    OWN_DENSITY,
]);

const TURN: &Fields =
    &all(&[must("axis", "", Vector, "direction of the axis"), must("angle", "°", Number, "angle")]);

pub(super) const BLOCK: &Fields = &all(&[
    must("shape", "", Table(SHAPE), "shape of the grains, before their sizes are applied"),
    must("origin", "m", Vector, "corner with the smallest coordinates"),
    must("size", "m", Vector, "edge lengths"),
    must("spacing", "m", Number, "distance between neighbouring grains"),
    may("count", "", COUNT, "number of grains; as many as fit without it"),
    may("sizes", "", Table(SIZES), "distribution of sizes, as factors of the shape"),
    may("variety", "", COUNT, "number of different shapes of grains that vary at random"),
    may("turned", "", Flag, "whether grains are turned at random"),
    may("velocity", "m/s", Vector, "common velocity"),
    may("speed", "m/s", Number, "speed in a random direction, on top"),
    may("spin", "rad/s", Number, "angular speed about a random axis"),
    OWN_DENSITY,
]);

const SHAPE: &Fields = &one_of(&[
    may("ellipsoid", "", Table(ELLIPSOID), "corners on an ellipsoid"),
    may("platonic", "", Table(PLATONIC), "regular body"),
    may("box", "", Table(BOX), "box"),
    may("prism", "", Table(PRISM), "prism along z over a regular polygon"),
    POLYHEDRON,
    may("mesh", "", Table(MESH), "closed triangle mesh from a file"),
]);

const ELLIPSOID: &Fields = &all(&[
    must("half_axes", "m", Vector, "half axes along x, y and z"),
    must("vertices", "", COUNT, "number of corners"),
    may("spread", "", Word(Spread::WORDS), "how the corners are spread"),
    may("axis_variation", "", Number, "largest relative change of each half axis at random"),
    may("vertex_variation", "", Number, "largest way of a corner at random, over their distance"),
]);

const PLATONIC: &Fields = &all(&[
    must("solid", "", Word(PlatonicSolid::WORDS), "which regular body"),
    must("radius", "m", Number, "distance of its corners from the middle"),
]);

const BOX: &Fields = &all(&[must("size", "m", Vector, "edge lengths")]);

const PRISM: &Fields = &all(&[
    must("sides", "", COUNT, "corners of its base"),
    must("radius", "m", Number, "their distance from the axis"),
    must("height", "m", Number, "height"),
]);

const MESH: &Fields = &all(&[
    must("file", "", Text, "OBJ, STL or PLY file, relative to the scene file"),
    may("scale", "", Number, "factor from the file's lengths to metres"),
    may("convex", "", Word(Convex::WORDS), "what stands for a concave mesh"),
    may("max_parts", "", COUNT, "most convex parts"),
]);

const SIZES: &Fields = &one_of(&[
    may("fixed", "", Table(FIXED), "all the same"),
    may("uniform", "", Table(UNIFORM), "equally likely between two sizes"),
    may("log-normal", "", Table(LOG_NORMAL), "the logarithm is normally distributed"),
    may("two-components", "", Table(TWO), "two sizes"),
]);

const FIXED: &Fields = &all(&[must("size", "", Number, "the size")]);

const UNIFORM: &Fields =
    &all(&[must("min", "", Number, "smallest size"), must("max", "", Number, "largest size")]);

const LOG_NORMAL: &Fields = &all(&[
    must("median", "", Number, "half of the grains are smaller"),
    must("sigma", "", Number, "standard deviation of the logarithm"),
]);

const TWO: &Fields = &all(&[
    must("first", "", Number, "size of the first component"),
    must("second", "", Number, "size of the second component"),
    must("share", "", Number, "share of the first by number"),
]);
