//! Young's modulus and Poisson's ratio of snow over its density (Meyer, Figures 16, 17).

use super::{Default, Experiment, Measured, Number, Parameter, Settings};
use lawine_solvers::mpm::{Laws, Snow, SnowClass};

pub(super) struct SnowElasticity;

impl Experiment for SnowElasticity {
    fn name(&self) -> &'static str {
        "snow-elasticity"
    }

    fn about(&self) -> &'static str {
        "Sigrist's Young's modulus and Poisson's ratio of snow over its density"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter { name: "density", default: Default::Number(400.0), help: "of snow [kg/m³]" }]
    }

    fn numbers(&self) -> &'static [Number] {
        &[
            Number { name: "young", help: "Young's modulus [Pa]" },
            Number { name: "poisson", help: "Poisson's ratio" },
            Number { name: "wave", help: "speed of longitudinal waves [m/s]" },
            Number { name: "step", help: "longest explicit step with cells of 5 mm [s]" },
            Number {
                name: "classes",
                help: "number of classes of Table 1 that contain the density",
            },
        ]
    }

    fn run(&self, settings: &Settings) -> Result<Measured, String> {
        let density = settings.number("density");
        let material = Snow::of_density(density).map_err(|e| e.to_string())?;
        let Laws::Snow(Snow { elastic, .. }) = material.law else {
            return Err("the law of this density is not that of snow".into());
        };
        let (mu, lambda) = elastic.lame();
        let wave = ((lambda + 2.0 * mu) / density).sqrt();
        let classes = SnowClass::of(density).count() as f64;
        let numbers = vec![elastic.young, elastic.poisson, wave, 0.4 * 0.005 / wave, classes];
        Ok(Measured { numbers, rows: Vec::new() })
    }
}
