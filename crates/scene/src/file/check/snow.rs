//! Snow: cells, shares and materials in their ranges.

use super::super::snow::{Law, Snow, SnowLaw};
use super::super::suggest::closest;
use super::super::words::{SnowElasticity, Transfer};
use super::checker::Checker;
use crate::build::snow_class;

/// The most particles along an edge of a cell.
const MAX_PER_EDGE: u32 = 8;

/// Checks the table `snow`, the materials, and that the fills are made of them.
pub(super) fn check(c: &mut Checker<'_>, snow: &Snow) {
    numbers(c, snow);
    let scene = c.scene;
    if scene.material.is_empty() {
        let message = "material is missing: a scene with [snow] needs at least one [[material]]";
        c.report("material", message.into());
    }
    let names: Vec<&str> = scene.material.iter().map(|m| m.name.as_str()).collect();
    c.names("material", &names);
    for (i, material) in scene.material.iter().enumerate() {
        law(c, &format!("material.{i}.{}", material.law.word()), &material.law);
    }
    let known = |c: &mut Checker<'_>, key: &str, name: &str| {
        if !names.contains(&name) {
            let mut allowed = "the name of a material".to_owned();
            if let Some(name) = closest(name, names.iter().copied()) {
                allowed += &format!(" (did you mean {name:?}?)");
            }
            c.refuse(key, format!("{name:?}"), allowed);
        }
    };
    for (i, material) in scene.material.iter().enumerate() {
        if let Law::Snow(SnowLaw { bonds: Some(name), .. }) = &material.law {
            known(c, &format!("material.{i}.snow.bonds"), name);
        }
    }
    for (i, fill) in scene.fill.iter().enumerate() {
        let key = format!("fill.{i}.material");
        match &fill.material {
            Some(name) => known(c, &key, name),
            None if names.len() > 1 => {
                c.report(&key, format!("{key} is missing; allowed: {}", names.join(", ")));
            }
            _ => {}
        }
    }
}

fn numbers(c: &mut Checker<'_>, snow: &Snow) {
    c.positive("snow.cell", snow.cell, "m");
    let count = snow.particles_per_edge;
    let allowed = format!("1 to {MAX_PER_EDGE}");
    let fine = (1..=MAX_PER_EDGE).contains(&count);
    c.require(fine, "snow.particles_per_edge", count, &allowed);
    let at_least_zero = |c: &mut Checker<'_>, key: &str, value: f64, unit: &str| {
        c.require(value >= 0.0, key, value, &format!("0 {unit} or more"));
    };
    at_least_zero(c, "snow.flip_damping", snow.flip_damping, "1/s");
    at_least_zero(c, "snow.friction", snow.friction, "");
    at_least_zero(c, "snow.damping", snow.damping, "1/s");
    if let Some(share) = snow.flip_share {
        c.require((0.0..=1.0).contains(&share), "snow.flip_share", share, "0 to 1");
        if snow.transfer != Transfer::Flip {
            let allowed = "nothing without snow.transfer = \"flip\"";
            c.refuse("snow.flip_share", share, allowed);
        }
    }
    let fraction = |x: f64| x > 0.0 && x <= 1.0;
    let allowed = "above 0 and at most 1";
    c.require(fraction(snow.wave_cfl), "snow.wave_cfl", snow.wave_cfl, allowed);
    c.require((0.5..=1.0).contains(&snow.beta), "snow.beta", snow.beta, "0.5 to 1");
    let fine = snow.tolerance > 0.0 && snow.tolerance < 1.0;
    c.require(fine, "snow.tolerance", snow.tolerance, "above 0 and below 1");
    c.require(snow.max_iterations > 0, "snow.max_iterations", snow.max_iterations, "1 or more");
    c.require(snow.max_ratio >= 1.0, "snow.max_ratio", snow.max_ratio, "1 or more");
}

fn law(c: &mut Checker<'_>, key: &str, law: &Law) {
    match law {
        Law::Snow(snow) => snow_law(c, key, snow),
        Law::Elastic(law) => {
            c.positive(&format!("{key}.density"), law.density, "kg/m³");
            elasticity(c, key, Some(law.young), Some(law.poisson));
        }
        Law::Sand(law) => {
            c.positive(&format!("{key}.density"), law.density, "kg/m³");
            elasticity(c, key, Some(law.young), Some(law.poisson));
            let (angle, key) = (law.friction_angle, format!("{key}.friction_angle"));
            c.require(angle > 0.0 && angle < 90.0, &key, angle, "above 0 and below 90 degrees");
        }
        Law::Liquid(law) => {
            c.positive(&format!("{key}.density"), law.density, "kg/m³");
            c.positive(&format!("{key}.bulk_modulus"), law.bulk_modulus, "Pa");
        }
    }
}

fn snow_law(c: &mut Checker<'_>, key: &str, snow: &SnowLaw) {
    elasticity(c, key, snow.young, snow.poisson);
    let by_density = snow.elasticity() == SnowElasticity::Density;
    if let Some(density) = snow.density {
        let (fine, allowed) = if let Some(word) = snow.class {
            let (low, high) = snow_class(word).densities();
            (
                (low..=high).contains(&density),
                format!("{low} to {high} kg/m³ with class = \"{word}\""),
            )
        } else if by_density {
            let allowed = "50 to 900 kg/m³ with elasticity = \"density\"";
            ((50.0..=900.0).contains(&density), allowed.to_owned())
        } else {
            (density > 0.0, "above 0 kg/m³".to_owned())
        };
        c.require(fine, &format!("{key}.density"), density, &allowed);
    } else if by_density && snow.class.is_none() {
        let key = format!("{key}.density");
        c.report(&key, format!("{key} is missing: elasticity = \"density\" needs it"));
    }
    if let Some(hardening) = snow.hardening {
        let fine = (0.0..=1000.0).contains(&hardening);
        c.require(fine, &format!("{key}.hardening"), hardening, "0 to 1000");
    }
    if let Some(limit) = snow.hardening_limit {
        c.require(limit >= 1.0, &format!("{key}.hardening_limit"), limit, "1 or more");
    }
    if let Some(lumps) = snow.lumps {
        c.positive(&format!("{key}.lumps"), lumps, "m");
    }
    if let Some(water) = snow.water {
        c.require((0.0..=1.0).contains(&water), &format!("{key}.water"), water, "0 to 1");
    }
    if snow.lumps.is_some() != snow.bonds.is_some() {
        let (given, missing) =
            if snow.lumps.is_some() { ("lumps", "bonds") } else { ("bonds", "lumps") };
        c.report(
            &format!("{key}.{missing}"),
            format!("{key}.{missing} is missing: {key}.{given} needs it"),
        );
    }
    let critical = [
        ("critical_compression", snow.critical_compression),
        ("critical_stretch", snow.critical_stretch),
    ];
    for (name, value) in critical {
        if let Some(value) = value {
            let fine = value > 0.0 && value < 0.9;
            c.require(fine, &format!("{key}.{name}"), value, "above 0 and below 0.9");
        }
    }
}

fn elasticity(c: &mut Checker<'_>, key: &str, young: Option<f64>, poisson: Option<f64>) {
    if let Some(young) = young {
        c.positive(&format!("{key}.young"), young, "Pa");
    }
    if let Some(poisson) = poisson {
        let fine = poisson > -1.0 && poisson < 0.5;
        c.require(fine, &format!("{key}.poisson"), poisson, "above -1 and below 0.5");
    }
}
