//! Young's modulus and Poisson's ratio of snow over its density (Meyer, Figures 16, 17).

use super::{Experiment, Measured, Parameter, Settings};
use lawine_solvers::mpm::{Laws, Snow, SnowClass};

pub(super) const SNOW_ELASTICITY: Experiment = Experiment {
    name: "snow-elasticity",
    about: "Sigrist's Young's modulus and Poisson's ratio of snow over its density",
    parameters: &[Parameter::number("density", 400.0, "of snow [kg/m³]")],
    numbers: &[
        ("young", "Young's modulus [Pa]"),
        ("poisson", "Poisson's ratio"),
        ("wave", "speed of longitudinal waves [m/s]"),
        ("step", "longest explicit step with cells of 5 mm [s]"),
        ("classes", "number of classes of Table 1 that contain the density"),
    ],
    columns: &[],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
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
