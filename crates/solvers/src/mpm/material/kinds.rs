//! Snow by kind and by density.

use super::super::config::ConfigError;
use super::{Elastic, Laws, Material, Snow};

/// Kinds of snow after Stomakhin et al. 2013, section 4 and Figure 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, lawine_settings::Word)]
pub enum SnowKind {
    /// The default of Stomakhin et al., Meyer's Table 2.
    Dry,
    /// Large θ_s, and a fifth of it water: holds together, tears into chunks and sticks.
    Wet,
    /// Stiff, brittle, and too strong to be crushed: breaks into hard pieces.
    Icy,
    /// Soft, and two fifths of it water, so that it cannot be compacted: flattens and spreads.
    Slushy,
    /// Small θ_c and θ_s: bursts into powder.
    Powder,
}

impl SnowKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Dry, Self::Wet, Self::Icy, Self::Slushy, Self::Powder];

    /// Fraction of the volume that is water in the pores.
    #[must_use]
    pub fn water(self) -> f64 {
        match self {
            Self::Wet => 0.2,
            Self::Slushy => 0.4,
            Self::Dry | Self::Icy | Self::Powder => 0.0,
        }
    }

    /// The material, without the water.
    #[must_use]
    pub fn material(self) -> Material {
        let (density, young, poisson, hardening, critical_compression, critical_stretch) =
            match self {
                Self::Dry => (400.0, 1.4e5, 0.2, 10.0, 2.5e-2, 7.5e-3),
                Self::Wet => (450.0, 3.0e5, 0.2, 10.0, 2.0e-2, 2.0e-2),
                Self::Icy => (500.0, 2.0e6, 0.3, 30.0, 1.0e-1, 2.0e-2),
                Self::Slushy => (400.0, 2.0e5, 0.2, 5.0, 2.0e-2, 2.0e-2),
                Self::Powder => (200.0, 1.0e5, 0.2, 10.0, 1.0e-2, 2.0e-4),
            };
        Material {
            density,
            law: Laws::Snow(Snow {
                elastic: Elastic { young, poisson },
                hardening,
                critical_compression,
                critical_stretch,
                hardening_limit: if self == Self::Icy { 2.0 } else { 20.0 },
            }),
        }
    }
}

/// Classes of snow by density (Meyer, Table 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, lawine_settings::Word)]
pub enum SnowClass {
    /// New snow, 50 to 150 kg/m³.
    New,
    /// Powder snow, 100 to 200 kg/m³.
    Powder,
    /// Granular snow, 150 to 450 kg/m³.
    Granular,
    /// Settled snow, 350 to 600 kg/m³.
    Settled,
    /// Firn, 500 to 850 kg/m³.
    Firn,
    /// Glacier snow and ice, 700 to 900 kg/m³.
    Glacier,
}

impl SnowClass {
    /// All classes, from light to heavy.
    pub const ALL: [Self; 6] =
        [Self::New, Self::Powder, Self::Granular, Self::Settled, Self::Firn, Self::Glacier];

    /// Name in scene files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Powder => "powder",
            Self::Granular => "granular",
            Self::Settled => "settled",
            Self::Firn => "firn",
            Self::Glacier => "glacier",
        }
    }

    /// Lowest and highest density [kg/m³].
    #[must_use]
    pub fn densities(self) -> (f64, f64) {
        match self {
            Self::New => (50.0, 150.0),
            Self::Powder => (100.0, 200.0),
            Self::Granular => (150.0, 450.0),
            Self::Settled => (350.0, 600.0),
            Self::Firn => (500.0, 850.0),
            Self::Glacier => (700.0, 900.0),
        }
    }

    /// The classes that a density [kg/m³] belongs to; up to three, as they overlap.
    pub fn of(density: f64) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |class| {
            let (low, high) = class.densities();
            (low..=high).contains(&density)
        })
    }
}

impl Snow {
    /// The densities of snow [kg/m³].
    pub const DENSITIES: (f64, f64) = (50.0, 900.0);

    /// Snow of a density [kg/m³], with the dry kind's hardening and limits of strain and with
    /// Sigrist's elasticity: E = 1.89 ρ^2.94 Pa, ν = 0.2 + 5e−4 (ρ − 300) (Meyer 15 and 16).
    ///
    /// Such snow is stiff: 84 MPa at 400 kg/m³, 600 times Stomakhin's. It wants the semi-implicit step.
    ///
    /// # Errors
    /// When the density is not that of snow.
    pub fn of_density(density: f64) -> Result<Material, ConfigError> {
        let (low, high) = Self::DENSITIES;
        let fine = (low..=high).contains(&density);
        ConfigError::unless(fine, "density of snow", density, "from 50 to 900 kg/m³")?;
        // (16) is measured between 200 and 450 kg/m³; ν goes on to 0.5 at 900 and to 0.075 at 50.
        let elastic = Elastic {
            young: 1.89 * density.powf(2.94),
            poisson: (0.2 + 5e-4 * (density - 300.0)).min(0.45),
        };
        let dry = SnowKind::Dry.material();
        let Laws::Snow(snow) = dry.law else { return Ok(dry) };
        Ok(Material { density, law: Laws::Snow(Self { elastic, ..snow }) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_gives_sigrists_elasticity_and_the_classes_of_table_1() {
        let material = Snow::of_density(400.0).unwrap();
        let Laws::Snow(snow) = material.law else { panic!("not snow") };
        assert!((snow.elastic.young / 84.4e6 - 1.0).abs() < 0.01, "{}", snow.elastic.young);
        assert!((snow.elastic.poisson - 0.25).abs() < 1e-12);
        assert!(Snow::of_density(900.0).unwrap().check().is_ok());
        assert!(Snow::of_density(50.0).unwrap().check().is_ok());
        assert!(Snow::of_density(-1.0).is_err() && Snow::of_density(1000.0).is_err());
        let names = |density| SnowClass::of(density).map(SnowClass::name).collect::<Vec<_>>();
        assert_eq!(names(120.0), ["new", "powder"]);
        assert_eq!(names(400.0), ["granular", "settled"]);
        assert_eq!(names(800.0), ["firn", "glacier"]);
        assert!(names(10.0).is_empty());
        for kind in SnowKind::ALL {
            kind.material().check().unwrap();
        }
    }
}
