//! Every key of snow and other matter that deforms, see [`super::tables`].

use super::reference::{Fields, Kind, all, may, must};
use super::tables::COUNT;
use super::words::{
    MatterIntegrator, ParticleVolume, Placing, SnowClass, SnowElasticity, SnowKind, Spline,
    Transfer,
};
use Kind::{Flag, Number, Table, Text, Word};

pub(super) const SNOW: &Fields = &all(&[
    must("cell", "m", Number, "edge of a grid cell"),
    may("particles_per_edge", "", COUNT, "particles along each edge of a cell at the start"),
    may("placing", "", Word(Placing::WORDS), "where in its share of a cell a particle starts"),
    may("spline", "", Word(Spline::WORDS), "interpolation between particles and grid"),
    may("transfer", "", Word(Transfer::WORDS), "how velocities go between particles and grid"),
    may("flip_damping", "1/s", Number, "how fast FLIP's share fades into PIC's"),
    may("flip_share", "", Number, "FLIP's share in every step, whatever its length"),
    may("integrator", "", Word(MatterIntegrator::WORDS), "how grid velocities advance"),
    may("beta", "", Number, "of the semi-implicit step: 1 is backward Euler, ½ trapezoidal"),
    may("tolerance", "", Number, "of the semi-implicit step: residual over that at the start"),
    may("max_iterations", "", COUNT, "of the semi-implicit step: most iterations"),
    may("max_ratio", "", Number, "of the semi-implicit step: its length in explicit limits"),
    may("volume", "", Word(ParticleVolume::WORDS), "where particles have their volumes from"),
    may("friction", "", Number, "coefficient of friction with bodies"),
    may("sticking", "", Flag, "whether matter sticks to bodies"),
    may("damping", "1/s", Number, "how fast velocities fade"),
    may("wave_cfl", "", Number, "largest way of an elastic wave in an explicit step, in cells"),
]);

pub(super) const MATERIAL: &Fields = &Fields {
    entries: &[must("name", "", Text, "name, for the fills")],
    one_of: &[
        may("snow", "", Table(SNOW_LAW), "snow"),
        may("elastic", "", Table(ELASTIC), "an elastic body"),
        may("sand", "", Table(SAND), "dry sand"),
        may("liquid", "", Table(LIQUID), "a liquid that is a little compressible"),
    ],
};

const SNOW_LAW: &Fields = &all(&[
    may("kind", "", Word(SnowKind::WORDS), "kind of snow; what is given replaces its values"),
    may("class", "", Word(SnowClass::WORDS), "class by density, whose middle it has without one"),
    may(
        "elasticity",
        "",
        Word(SnowElasticity::WORDS),
        "where E and ν come from; density with a class",
    ),
    may("density", "kg/m³", Number, "density"),
    may("young", "Pa", Number, "Young's modulus E"),
    may("poisson", "", Number, "Poisson's ratio ν"),
    may("hardening", "", Number, "hardening ξ"),
    may("critical_compression", "", Number, "critical compression θ_c"),
    may("critical_stretch", "", Number, "critical stretch θ_s"),
    may("hardening_limit", "", Number, "largest factor by which hardening stiffens"),
    may("water", "", Number, "share of the particles that are water; that of the kind without it"),
    may("lumps", "m", Number, "size of lumps that weak bonds hold together; even without it"),
    may("bonds", "", Text, "material between the lumps"),
]);

const ELASTIC: &Fields = &all(&[
    must("density", "kg/m³", Number, "density"),
    must("young", "Pa", Number, "Young's modulus E"),
    must("poisson", "", Number, "Poisson's ratio ν"),
]);

const SAND: &Fields = &all(&[
    may("density", "kg/m³", Number, "density of the packing"),
    may("young", "Pa", Number, "Young's modulus E of the packing"),
    may("poisson", "", Number, "Poisson's ratio ν"),
    may("friction_angle", "°", Number, "angle of internal friction"),
]);

const LIQUID: &Fields = &all(&[
    may("density", "kg/m³", Number, "density"),
    must("bulk_modulus", "Pa", Number, "bulk modulus K"),
]);
