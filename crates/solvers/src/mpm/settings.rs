//! The tables of a scene file about snow and other matter that deforms, and the configuration they make.

use super::config::{
    Blend, BodyContact, Config, ConfigError, Implicit, Integrator, Spline, Transfer, Volume,
};
use super::material::{
    Elastic, Laws, Liquid, Material, Sand, Snow as SnowMaterial, SnowClass, SnowKind,
};
use lawine_settings::{Settings, Word};

/// Snow and other deformable matter.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Snow {
    /// Edge of a grid cell [m].
    #[setting(above = 0, fixed)]
    pub cell: f64,
    /// Initial number of particles along each edge of a cell [1]: two make eight per cell, four in
    /// a plane.
    #[setting(default = 2, at_least = 1, at_most = 8)]
    pub particles_per_edge: u32,
    /// Initial arrangement of the particles within a cell.
    #[setting(default = Placing::Jittered)]
    pub placing: Placing,
    /// Interpolation function between particles and grid.
    #[setting(default = Spline::Quadratic)]
    pub spline: Spline,
    /// Velocity transfer between particles and grid.
    #[setting(default = TransferKind::Apic)]
    pub transfer: TransferKind,
    /// For FLIP: rate at which the FLIP velocity is blended towards PIC [1/s].
    #[setting(default = 0.0, at_least = 0)]
    pub flip_damping: f64,
    /// For FLIP: fraction of FLIP in every step [1], independent of the step length; the rest is PIC.
    #[setting(without = "set by `flip_damping`", at_least = 0, at_most = 1, was = "flip_share")]
    pub flip_fraction: Option<f64>,
    /// Time integration of grid velocities.
    #[setting(default = IntegratorKind::Explicit)]
    pub integrator: IntegratorKind,
    /// For the semi-implicit step: 1 is backward Euler, ½ the trapezoidal rule [1].
    #[setting(default = Implicit::DEFAULT.beta, at_least = 0.5, at_most = 1)]
    pub beta: f64,
    /// For the semi-implicit step: tolerance of the solver [1], relative to the initial residual.
    #[setting(default = Implicit::DEFAULT.tolerance, above = 0, below = 1)]
    pub tolerance: f64,
    /// For the semi-implicit step: maximum number of iterations [1].
    #[setting(default = Implicit::DEFAULT.max_iterations, at_least = 1)]
    pub max_iterations: u32,
    /// For the semi-implicit step: largest step [1], in units of the explicit stability limit.
    #[setting(default = Implicit::DEFAULT.max_ratio, at_least = 1)]
    pub max_ratio: f64,
    /// How initial particle volumes are determined.
    #[setting(default = Volume::Given)]
    pub volume: Volume,
    /// Coefficient of friction with bodies [1].
    #[setting(default = BodyContact::DEFAULT.friction, at_least = 0)]
    pub friction: f64,
    /// Whether matter sticks to bodies (no slip, no separation).
    #[setting(default = BodyContact::DEFAULT.sticking)]
    pub sticking: bool,
    /// Damping rate of the velocities [1/s].
    #[setting(default = 0.0, at_least = 0)]
    pub damping: f64,
    /// Largest distance an elastic wave may travel per explicit step, in cells [1].
    #[setting(default = 0.4, above = 0, at_most = 1)]
    pub wave_cfl: f64,
    /// Materials.
    #[setting(default, fixed, was = "material")]
    pub material: Vec<NamedMaterial>,
}

impl Snow {
    /// Distance between particles at the start [m].
    pub fn spacing(&self) -> f64 {
        self.cell / f64::from(self.particles_per_edge.max(1))
    }
}

/// Initial arrangement of the particles within a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Placing {
    /// At a random position, so that no direction is preferred.
    Jittered,
    /// In the centre.
    Regular,
}

/// Velocity transfer between particles and grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum TransferKind {
    /// Affine particle-in-cell with moving least squares: conserves angular momentum.
    Apic,
    /// FLIP blended with PIC, as in Meyer's thesis.
    Flip,
}

/// Time integration of grid velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum IntegratorKind {
    /// With the forces at the start of the step.
    Explicit,
    /// With the forces at its end (Stomakhin et al. 2013): allows longer steps.
    SemiImplicit,
}

/// A material: a name and one law.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct NamedMaterial {
    /// Name, for the fills.
    pub name: String,
    /// How it resists deformation.
    #[setting(one_of)]
    pub law: Law,
}

/// How a material resists deformation.
#[derive(Clone, Debug, PartialEq, Settings)]
pub enum Law {
    /// Snow (Stomakhin et al. 2013).
    Snow(SnowLaw),
    /// An elastic body.
    Elastic(ElasticLaw),
    /// Dry sand (Klár et al. 2016).
    Sand(SandLaw),
    /// A weakly compressible liquid.
    Liquid(LiquidLaw),
}

/// Snow of a kind; what is given replaces the kind's own value.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct SnowLaw {
    /// Kind of snow, which sets the defaults of the other keys.
    #[setting(default = SnowKind::Dry)]
    pub kind: SnowKind,
    /// Snow class, which limits the density.
    #[setting(without = "no class")]
    pub class: Option<SnowClass>,
    /// Source of Young's modulus and Poisson's ratio.
    #[setting(without = "`density` with a class, `kind` without")]
    pub elasticity: Option<SnowElasticity>,
    /// Density [kg/m³].
    #[setting(without = "the middle of the class, or from `kind`", above = 0)]
    pub density: Option<f64>,
    /// Young's modulus E [Pa].
    #[setting(without = "set by `elasticity`", above = 0)]
    pub young: Option<f64>,
    /// Poisson's ratio ν [1].
    #[setting(without = "set by `elasticity`", at_least = 0, below = 0.5)]
    pub poisson: Option<f64>,
    /// Hardening ξ [1].
    #[setting(without = "from `kind`", at_least = 0, at_most = 1000)]
    pub hardening: Option<f64>,
    /// Critical compression θ_c [1].
    #[setting(without = "from `kind`", above = 0, below = 0.9)]
    pub critical_compression: Option<f64>,
    /// Critical stretch θ_s [1].
    #[setting(without = "from `kind`", above = 0, below = 0.9)]
    pub critical_stretch: Option<f64>,
    /// Upper limit of the hardening factor [1].
    #[setting(without = "from `kind`", at_least = 1, at_most = 1e6)]
    pub hardening_limit: Option<f64>,
    /// Fraction of particles that are water [1].
    #[setting(without = "from `kind`", at_least = 0, at_most = 1)]
    pub water: Option<f64>,
    /// Size of lumps that are held together by weak bonds [m].
    #[setting(without = "no lumps", above = 0)]
    pub lumps: Option<f64>,
    /// Name of the material between the lumps.
    #[setting(without = "no lumps")]
    pub bonds: Option<String>,
}

impl SnowLaw {
    /// Source of Young's modulus and Poisson's ratio.
    pub fn elasticity(&self) -> SnowElasticity {
        let of_class = self.class.map(|_| SnowElasticity::Density);
        self.elasticity.or(of_class).unwrap_or(SnowElasticity::Kind)
    }
}

/// Where the elasticity of snow comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum SnowElasticity {
    /// From its kind.
    Kind,
    /// From its density (Sigrist 2006).
    Density,
}

/// An elastic body.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct ElasticLaw {
    /// Density [kg/m³].
    #[setting(above = 0)]
    pub density: f64,
    /// Its moduli.
    #[setting(flatten)]
    pub elastic: Elastic,
}

/// Dry sand.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct SandLaw {
    /// Density of the packing [kg/m³].
    #[setting(default = 1600.0, above = 0)]
    pub density: f64,
    /// Young's modulus E of the packing [Pa].
    #[setting(default = 1e6, above = 0)]
    pub young: f64,
    /// Poisson's ratio ν [1].
    #[setting(default = 0.3, at_least = 0, below = 0.5)]
    pub poisson: f64,
    /// Angle of internal friction [°].
    #[setting(default = 35.0, above = 0, below = 90)]
    pub friction_angle: f64,
}

/// A weakly compressible liquid.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct LiquidLaw {
    /// Density [kg/m³].
    #[setting(default = 1000.0, above = 0)]
    pub density: f64,
    /// Its modulus.
    #[setting(flatten)]
    pub liquid: Liquid,
}

impl Config {
    /// The configuration that the tables of a scene ask for, with materials and contacts with each body.
    pub fn of(snow: &Snow, materials: Vec<Material>, contacts: Vec<BodyContact>, cfl: f64) -> Self {
        Self {
            cell: snow.cell,
            spline: snow.spline,
            transfer: match (snow.transfer, snow.flip_fraction) {
                (TransferKind::Apic, _) => Transfer::Apic,
                (TransferKind::Flip, Some(fraction)) => Transfer::Flip(Blend::PerStep(fraction)),
                (TransferKind::Flip, None) => Transfer::Flip(Blend::PerTime(snow.flip_damping)),
            },
            integrator: match snow.integrator {
                IntegratorKind::Explicit => Integrator::Explicit,
                IntegratorKind::SemiImplicit => Integrator::SemiImplicit(Implicit {
                    beta: snow.beta,
                    tolerance: snow.tolerance,
                    max_iterations: snow.max_iterations,
                    max_ratio: snow.max_ratio,
                }),
            },
            volume: snow.volume,
            materials,
            contact: BodyContact { friction: snow.friction, sticking: snow.sticking },
            contacts,
            damping: snow.damping,
            cfl,
            wave_cfl: snow.wave_cfl,
        }
    }
}

impl Law {
    /// The material.
    ///
    /// # Errors
    /// When there is no snow of the density that its elasticity should come from.
    pub fn material(&self) -> Result<Material, ConfigError> {
        Ok(match self {
            Self::Snow(snow) => snow.material()?,
            Self::Elastic(law) => {
                Material { density: law.density, law: Laws::Elastic(law.elastic) }
            }
            Self::Sand(law) => Material {
                density: law.density,
                law: Laws::Sand(Sand {
                    elastic: Elastic { young: law.young, poisson: law.poisson },
                    friction_angle: law.friction_angle.to_radians(),
                }),
            },
            Self::Liquid(law) => Material { density: law.density, law: Laws::Liquid(law.liquid) },
        })
    }
}

impl NamedMaterial {
    /// The material with all numbers of snow, those of its kind and those that follow from its density among
    /// them.
    #[must_use]
    pub fn derived(mut self) -> Self {
        if let Law::Snow(law) = &mut self.law
            && let Ok(Material { density, law: Laws::Snow(snow) }) = law.material()
        {
            law.density = Some(density);
            law.young = Some(snow.elastic.young);
            law.poisson = Some(snow.elastic.poisson);
            law.hardening = Some(snow.hardening);
            law.critical_compression = Some(snow.critical_compression);
            law.critical_stretch = Some(snow.critical_stretch);
            law.hardening_limit = Some(snow.hardening_limit);
            law.water = Some(law.water.unwrap_or(law.kind.water()));
        }
        self
    }
}

impl SnowLaw {
    /// Snow of the kind with what is given in place of the kind's own values.
    fn material(&self) -> Result<Material, ConfigError> {
        let preset = self.kind.material();
        let Laws::Snow(mut snow) = preset.law else { return Ok(preset) };
        let middle = |class: SnowClass| {
            let (low, high) = class.densities();
            0.5 * (low + high)
        };
        let density = self.density.or(self.class.map(middle)).unwrap_or(preset.density);
        if self.elasticity() == SnowElasticity::Density
            && let Laws::Snow(SnowMaterial { elastic, .. }) = SnowMaterial::of_density(density)?.law
        {
            snow.elastic = elastic;
        }
        let set = |value: &mut f64, given: Option<f64>| *value = given.unwrap_or(*value);
        set(&mut snow.elastic.young, self.young);
        set(&mut snow.elastic.poisson, self.poisson);
        set(&mut snow.hardening, self.hardening);
        set(&mut snow.critical_compression, self.critical_compression);
        set(&mut snow.critical_stretch, self.critical_stretch);
        set(&mut snow.hardening_limit, self.hardening_limit);
        Ok(Material { density, law: Laws::Snow(snow) })
    }
}
