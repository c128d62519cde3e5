//! Every key of forces between grains and of pouring, see [`super::tables`].

use super::reference::{Entry, Fields, Kind, all, may, must};
use super::tables::{COUNT, EXTENT};
use super::tables_grains::{MATERIAL, OWN_DENSITY, SHAPE, SIZES};
use super::words::ContactLaw;
use Kind::{Number, Table, Tables, Text, Vector, Word};

const STIFFNESS: Entry = may("stiffness", "Pa", Number, "stiffness Y of contacts");
const RESTITUTION: Entry =
    may("restitution", "", Number, "speed after a collision over that before");
const FRICTION: Entry = may("friction", "", Number, "coefficient of sliding friction");
const STATIC: Entry =
    may("static_friction", "", Number, "coefficient of static friction; friction without it");
const RATIO: Entry = may("tangential_ratio", "", Number, "tangential over normal stiffness");
const ROLLING: Entry = may("rolling_friction", "", Number, "coefficient of rolling resistance");

pub(super) const CONTACT: &Fields = &all(&[
    may("law", "", Word(ContactLaw::WORDS), "how the overlap pushes bodies apart"),
    STIFFNESS,
    RESTITUTION,
    FRICTION,
    STATIC,
    RATIO,
    ROLLING,
    may("bridges", "", Table(BRIDGES), "liquid between grains that have touched"),
    may("pair", "", Tables(PAIR), "pairs of materials that touch in another way"),
]);

const PAIR: &Fields = &all(&[
    must("first", "", Text, "name of a material"),
    must("second", "", Text, "name of the other, or the same"),
    STIFFNESS,
    RESTITUTION,
    FRICTION,
    STATIC,
    RATIO,
    ROLLING,
]);

const BRIDGES: &Fields = &all(&[
    must("surface_tension", "N/m", Number, "surface tension"),
    may("contact_angle", "°", Number, "contact angle"),
    must("volume", "m³", Number, "volume of the liquid in a bridge"),
]);

pub(super) const POUR: &Fields = &all(&[
    must("shape", "", Table(SHAPE), "shape of the grains, before their sizes are applied"),
    must("region", "", Table(EXTENT), "where their centres appear"),
    may("rate", "1/s", Number, "grains per second"),
    may("slower_than", "m/s", Number, "instead: one whenever the fastest grain is slower"),
    may("count", "", COUNT, "number of grains after which it ends"),
    may("sizes", "", Table(SIZES), "distribution of sizes, as factors of the shape"),
    may("variety", "", COUNT, "number of different shapes of grains that vary at random"),
    may("velocity", "m/s", Vector, "velocity"),
    OWN_DENSITY,
    MATERIAL,
    may("start", "s", Number, "when it begins"),
    may("stop", "s", Number, "when it ends; never without it"),
]);
