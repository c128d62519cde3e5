//! Snow and other matter that deforms: the method and its materials.

use serde::{Deserialize, Serialize};

use super::words::{
    MatterIntegrator, ParticleVolume, Placing, SnowClass, SnowElasticity, SnowKind, Spline,
    Transfer,
};

/// The material point method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snow {
    /// Edge of a grid cell [m].
    pub cell: f64,
    /// Particles along each edge of a cell at the start [1]: two are eight in a cell, four in a plane.
    #[serde(default = "two")]
    pub particles_per_edge: u32,
    /// Where in its share of a cell a particle starts.
    #[serde(default = "jittered")]
    pub placing: Placing,
    /// Interpolation between particles and grid.
    #[serde(default = "quadratic")]
    pub spline: Spline,
    /// How velocities go between particles and grid.
    #[serde(default = "apic")]
    pub transfer: Transfer,
    /// For FLIP: how fast its share in the velocity fades into PIC's [1/s].
    #[serde(default)]
    pub flip_damping: f64,
    /// For FLIP: its share in every step [1], whatever the step's length, as in the thesis; takes the
    /// place of `flip_damping`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flip_share: Option<f64>,
    /// How grid velocities advance.
    #[serde(default = "explicit")]
    pub integrator: MatterIntegrator,
    /// For the semi-implicit step: 1 is backward Euler, ½ the trapezoidal rule [1].
    #[serde(default = "one")]
    pub beta: f64,
    /// For the semi-implicit step: residual at which the solver stops, over that at its start [1].
    #[serde(default = "tolerance")]
    pub tolerance: f64,
    /// For the semi-implicit step: most iterations [1].
    #[serde(default = "max_iterations")]
    pub max_iterations: u32,
    /// For the semi-implicit step: its length at most, in explicit limits [1].
    #[serde(default = "max_ratio")]
    pub max_ratio: f64,
    /// Where particles have their volumes from.
    #[serde(default = "given")]
    pub volume: ParticleVolume,
    /// Coefficient of friction with bodies [1].
    #[serde(default = "friction")]
    pub friction: f64,
    /// Whether matter sticks to bodies.
    #[serde(default)]
    pub sticking: bool,
    /// How fast velocities fade [1/s].
    #[serde(default)]
    pub damping: f64,
    /// Largest way of an elastic wave in an explicit step, in cells [1].
    #[serde(default = "wave_cfl")]
    pub wave_cfl: f64,
}

impl Snow {
    /// Distance between particles at the start [m].
    pub fn spacing(&self) -> f64 {
        self.cell / f64::from(self.particles_per_edge.max(1))
    }
}

/// A material: a name and one law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MaterialTable", into = "MaterialTable")]
pub struct Material {
    /// Name, for the fills.
    pub name: String,
    /// How it resists deformation.
    pub law: Law,
}

/// How a material resists deformation.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Snow (Stomakhin et al. 2013).
    Snow(SnowLaw),
    /// An elastic body.
    Elastic(ElasticLaw),
    /// Dry sand (Klár et al. 2016).
    Sand(SandLaw),
    /// A liquid that is a little compressible.
    Liquid(LiquidLaw),
}

impl Law {
    /// The key of this law in a scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Snow(_) => "snow",
            Self::Elastic(_) => "elastic",
            Self::Sand(_) => "sand",
            Self::Liquid(_) => "liquid",
        }
    }
}

/// Snow of a kind; what is given takes the place of the kind's own value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnowLaw {
    /// The kind.
    #[serde(default = "dry")]
    pub kind: SnowKind,
    /// Its class by density: without a density it has the middle one of the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<SnowClass>,
    /// Whether Young's modulus and Poisson's ratio are the kind's, or follow from the density; without it they
    /// follow from the density where a class is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elasticity: Option<SnowElasticity>,
    /// Density [kg/m³].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Young's modulus E [Pa].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
    /// Poisson's ratio ν [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Hardening ξ [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardening: Option<f64>,
    /// Critical compression θ_c [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_compression: Option<f64>,
    /// Critical stretch θ_s [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_stretch: Option<f64>,
    /// Largest factor by which hardening stiffens [1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardening_limit: Option<f64>,
    /// Share of the particles that are water [1]; without it, that of the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub water: Option<f64>,
    /// Size of lumps [m]; without it, snow is even.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lumps: Option<f64>,
    /// Material of the bonds between lumps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bonds: Option<String>,
}

impl SnowLaw {
    /// Where Young's modulus and Poisson's ratio come from.
    pub fn elasticity(&self) -> SnowElasticity {
        let of_class = self.class.map(|_| SnowElasticity::Density);
        self.elasticity.or(of_class).unwrap_or(SnowElasticity::Kind)
    }
}

/// An elastic body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ElasticLaw {
    /// Density [kg/m³].
    pub density: f64,
    /// Young's modulus E [Pa].
    pub young: f64,
    /// Poisson's ratio ν [1].
    pub poisson: f64,
}

/// Dry sand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandLaw {
    /// Density of the packing [kg/m³].
    #[serde(default = "sand_density")]
    pub density: f64,
    /// Young's modulus E of the packing [Pa].
    #[serde(default = "sand_young")]
    pub young: f64,
    /// Poisson's ratio ν [1].
    #[serde(default = "sand_poisson")]
    pub poisson: f64,
    /// Angle of internal friction [°].
    #[serde(default = "sand_angle")]
    pub friction_angle: f64,
}

/// A liquid that is a little compressible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiquidLaw {
    /// Density [kg/m³].
    #[serde(default = "water_density")]
    pub density: f64,
    /// Bulk modulus K [Pa].
    pub bulk_modulus: f64,
}

/// A material as the file has it; see [`Probe`](super::Probe) for why.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MaterialTable {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snow: Option<SnowLaw>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    elastic: Option<ElasticLaw>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sand: Option<SandLaw>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    liquid: Option<LiquidLaw>,
}

impl TryFrom<MaterialTable> for Material {
    type Error = &'static str;

    fn try_from(table: MaterialTable) -> Result<Self, Self::Error> {
        let MaterialTable { name, snow, elastic, sand, liquid } = table;
        let mut laws = [
            snow.map(Law::Snow),
            elastic.map(Law::Elastic),
            sand.map(Law::Sand),
            liquid.map(Law::Liquid),
        ]
        .into_iter()
        .flatten();
        match (laws.next(), laws.next()) {
            (Some(law), None) => Ok(Self { name, law }),
            _ => Err("a material has exactly one of: snow, elastic, sand, liquid"),
        }
    }
}

impl From<Material> for MaterialTable {
    fn from(material: Material) -> Self {
        let mut table =
            Self { name: material.name, snow: None, elastic: None, sand: None, liquid: None };
        match material.law {
            Law::Snow(law) => table.snow = Some(law),
            Law::Elastic(law) => table.elastic = Some(law),
            Law::Sand(law) => table.sand = Some(law),
            Law::Liquid(law) => table.liquid = Some(law),
        }
        table
    }
}

fn two() -> u32 {
    2
}

fn one() -> f64 {
    1.0
}

fn jittered() -> Placing {
    Placing::Jittered
}

fn quadratic() -> Spline {
    Spline::Quadratic
}

fn apic() -> Transfer {
    Transfer::Apic
}

fn explicit() -> MatterIntegrator {
    MatterIntegrator::Explicit
}

fn given() -> ParticleVolume {
    ParticleVolume::Given
}

fn tolerance() -> f64 {
    1e-4
}

fn max_iterations() -> u32 {
    200
}

fn max_ratio() -> f64 {
    20.0
}

fn friction() -> f64 {
    0.5
}

fn wave_cfl() -> f64 {
    0.4
}

fn dry() -> SnowKind {
    SnowKind::Dry
}

fn sand_density() -> f64 {
    1600.0
}

fn sand_young() -> f64 {
    1e6
}

fn sand_poisson() -> f64 {
    0.3
}

fn sand_angle() -> f64 {
    35.0
}

fn water_density() -> f64 {
    1000.0
}
